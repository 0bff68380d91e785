"""The verl tools, once as they are without verl and once over verl's real files."""

import os
from types import ModuleType

import pytest

from tests.support.verl_flavours import verl_folder, with_real_verl, without_verl


@pytest.fixture(params=["without_verl", "real_verl"], scope="session")
def verl(request: pytest.FixtureRequest) -> ModuleType:
    """``code_judge_client.verl``; what it imported stays with it after the context."""
    if request.param == "without_verl":
        with without_verl() as module:
            return module
    folder = verl_folder()
    if folder is None:
        reason = "verl is not installed; install it by: pip install --no-deps verl"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with with_real_verl(folder) as module:
        return module
