"""All that is looked at, in the order in which a person wants to read it."""

from code_judge.settings import Settings

from .finding import Finding
from .host import Host
from .limits import examine_limits
from .redis_server import examine_redis
from .walls import examine_sandbox


def examine(settings: Settings) -> list[Finding]:
    """Look at everything; takes some seconds, since templates are warmed up as in a node.

    Run it as the user, and with the environment, that the node will have. Raises SettingsError.
    """
    sandbox = examine_sandbox(settings, Host.look())
    return [
        *sandbox.findings,
        *examine_redis(settings),
        *examine_limits(settings, sandbox.tier),
    ]
