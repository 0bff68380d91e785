"""The queue's Lua scripts: each runs in Redis as one step, so nobody ever sees a half-done change."""

from functools import cache
from importlib.resources import files


@cache
def script_text(name: str) -> str:
    """The whole text of ``scripts/NAME.lua``, the prelude before it."""
    folder = files(__package__) / "scripts"
    return (folder / "prelude.lua").read_text() + (folder / f"{name}.lua").read_text()
