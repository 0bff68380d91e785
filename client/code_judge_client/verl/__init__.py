"""Tools and a reward manager for verl.

In a tool configuration, ``class_name`` is ``code_judge_client.verl.PythonTool`` or
``code_judge_client.verl.SimJupyterTool``. verl's own types are used where verl is installed.
"""

from ._config import JudgeConfig
from ._python_tool import PythonTool
from ._reward_manager import CodeJudgeRewardManager
from ._sim_jupyter_tool import SimJupyterTool
from ._types import BaseTool, OpenAIFunctionToolSchema, ToolResponse

__all__ = [
    "BaseTool",
    "CodeJudgeRewardManager",
    "JudgeConfig",
    "OpenAIFunctionToolSchema",
    "PythonTool",
    "SimJupyterTool",
    "ToolResponse",
]
