"""Transforms for the environment's tests."""

from openenv.core.env_server.interfaces import Transform
from openenv.core.env_server.types import Observation


class BraveryBonus(Transform[Observation]):
    """Something for every step that ran to a clean end."""

    def __call__(self, observation: Observation) -> Observation:
        if observation.metadata["verdict"] == "ran":
            observation.reward = 0.125
        return observation


def too_generous(observation: Observation) -> Observation:
    """More than there is."""
    observation.reward = 1.5
    return observation
