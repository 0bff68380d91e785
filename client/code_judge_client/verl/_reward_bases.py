"""What a reward manager derives from: verl's current base, its older one, or nothing of verl's."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

NAME = "code_judge"
"""Under which verl's configurations name the reward manager."""

BASES = (
    ("verl.experimental.reward_loop.reward_manager.base", "RewardManagerBase"),
    ("verl.workers.reward_manager.abstract", "AbstractRewardManager"),
)
REGISTRIES = (
    "verl.experimental.reward_loop.reward_manager.registry",
    "verl.workers.reward_manager.registry",
)
"""Newer versions of verl before older ones; some have both."""

Manager = TypeVar("Manager", bound=type)


class RewardManagerBase:
    """Stands in where verl is not installed."""


def _verls_base() -> Any:
    for module, name in BASES:
        try:
            return getattr(import_module(module), name)
        except ImportError:
            continue
    return RewardManagerBase


if not TYPE_CHECKING:
    RewardManagerBase = _verls_base()


def registered(manager: Manager) -> Manager:
    """Make the class known to each of verl's registries that is there."""
    for module in REGISTRIES:
        try:
            registry = import_module(module)
        except ImportError:
            continue
        registry.register(NAME)(manager)
    return manager
