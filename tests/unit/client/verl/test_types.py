"""Our stand-ins for verl's types are equal to verl's own."""

import inspect
from typing import Any

import pytest

from code_judge_client.verl import _stand_ins
from tests.support.verl_flavours import verl_folder, with_real_verl

FOLDER = verl_folder()
pytestmark = pytest.mark.skipif(
    FOLDER is None, reason="verl is not installed; install it by: pip install --no-deps verl"
)

MODELS = (
    "OpenAIFunctionPropertySchema",
    "OpenAIFunctionParametersSchema",
    "OpenAIFunctionSchema",
    "OpenAIFunctionToolSchema",
    "ToolResponse",
)


def public_methods(kind: type) -> dict[str, list[str]]:
    """Own methods with their parameters, kinds included, underscores of unused ones aside."""
    return {
        name: [str(it.kind) + it.name.lstrip("_") for it in inspect.signature(method).parameters.values()]
        for name, method in vars(kind).items()
        if inspect.isfunction(method) and (not name.startswith("_") or name == "__init__")
    }


@pytest.mark.parametrize("name", MODELS)
def test_models_have_the_same_fields(name: str) -> None:
    assert FOLDER
    with with_real_verl(FOLDER):
        from verl.tools import schemas  # type: ignore[import-not-found]

        real: Any = getattr(schemas, name)
    ours = getattr(_stand_ins, name)

    def shape(model: Any) -> dict[str, tuple[bool, Any]]:
        return {
            field: (
                info.is_required(),
                info.get_default(call_default_factory=True) if not info.is_required() else "",
            )
            for field, info in model.model_fields.items()
            if field != "parameters"
        }

    assert shape(ours) == shape(real)
    assert set(public_methods(ours)) == set(public_methods(real)) - {"initialize_request"}


def test_the_base_tool_has_the_same_methods() -> None:
    assert FOLDER
    with with_real_verl(FOLDER):
        from verl.tools.base_tool import BaseTool  # type: ignore[import-not-found]

    assert public_methods(_stand_ins.BaseTool) == public_methods(BaseTool)


def test_where_verl_is_installed_its_own_types_are_used() -> None:
    assert FOLDER
    with with_real_verl(FOLDER) as ours:
        assert ours.PythonTool.__mro__[2].__module__ == "verl.tools.base_tool"
        assert ours.ToolResponse.__module__ == "verl.tools.schemas"
        bases = {base.__module__ for base in ours.CodeJudgeRewardManager.__mro__}
        assert "verl.experimental.reward_loop.reward_manager.base" in bases


def test_verl_finds_the_reward_manager_by_name() -> None:
    assert FOLDER
    with with_real_verl(FOLDER) as ours:
        from verl.experimental.reward_loop.reward_manager import registry  # type: ignore[import-not-found]
        from verl.workers.reward_manager import registry as older  # type: ignore[import-not-found]

        for it in (registry, older):
            assert it.get_reward_manager_cls("code_judge") is ours.CodeJudgeRewardManager
