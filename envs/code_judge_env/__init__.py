"""A code judge as an OpenEnv environment: models and client here, the server in ``server/``."""

from .client import CodeJudgeEnv, EnvServerError
from .models import CodeAction, CodeObservation, CodeState

__all__ = ["CodeAction", "CodeJudgeEnv", "CodeObservation", "CodeState", "EnvServerError"]
