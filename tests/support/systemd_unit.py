"""Reads unit files as systemd does, as far as ours need it, and does what their ExecStart lines say."""

import shlex
import sys
from collections import defaultdict
from pathlib import Path
from typing import Self

INSTALLED = "/opt/code-judge/bin/"
"""Where the units expect the project; tests have it beside their own interpreter."""


class Unit:
    """One unit file. ``settings`` has every line's value by section and name."""

    def __init__(self, text: str, instance: str) -> None:
        self._instance = instance
        self.settings: dict[tuple[str, str], list[str]] = defaultdict(list)
        section = ""
        for line in text.splitlines():
            if line.startswith("["):
                section = line.strip("[]")
            elif line and not line.startswith(("#", ";")):
                name, _, value = line.partition("=")
                self.settings[section, name].append(value)

    @classmethod
    def read(cls, file: Path, instance: str = "") -> Self:
        return cls(file.read_text(), instance)

    def words(self, name: str) -> list[str]:
        """All words of a setting of [Service], over all its lines."""
        return [word for line in self.settings["Service", name] for word in line.split()]

    @property
    def environment(self) -> dict[str, str]:
        """What its Environment lines set, with our interpreter in place of the installed one."""
        pairs = (
            word.partition("=")
            for line in self.settings["Service", "Environment"]
            for word in shlex.split(line)
        )
        return {name: _here(value) for name, _, value in pairs}

    def command(self, environment: dict[str, str]) -> list[str]:
        """Its ExecStart, with %i and ${NAME} filled in."""
        [line] = self.settings["Service", "ExecStart"]
        words = shlex.split(line.replace("%i", self._instance))
        for name, value in environment.items():
            words = [word.replace(f"${{{name}}}", value) for word in words]
        return [_here(word) for word in words]


def _here(word: str) -> str:
    if word.startswith(INSTALLED):
        return str(Path(sys.executable).parent / word.removeprefix(INSTALLED))
    return word
