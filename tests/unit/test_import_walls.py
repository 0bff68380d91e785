"""Imports point one way: the walls between the project's parts, as DESIGN section 2 draws them."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {
    "code_judge": ROOT,
    "code_judge_client": ROOT / "client",
    "code_judge_workers": ROOT / "workers",
    "code_judge_cli": ROOT / "cli",
    "code_judge_env": ROOT / "envs",
}
SHARED = {
    "code_judge",
    "code_judge.contract",
    "code_judge.errors",
    "code_judge.metrics",
    "code_judge.settings",
}
PROCESS = {"code_judge.logs", "code_judge.tracing", "code_judge.bound_child"}
"""What entry points and those who start processes need."""

MAY_IMPORT: dict[str, set[str]] = {
    "code_judge": set(),  # the version, no more
    "code_judge.contract": set(),
    "code_judge.errors": set(),
    "code_judge.settings": {"code_judge.errors"},
    "code_judge.metrics": set(),
    "code_judge.tracing": {"code_judge.errors", "code_judge.settings"},
    "code_judge.logs": {"code_judge.settings"},
    "code_judge.bound_child": set(),
    "code_judge.queue": SHARED,
    "code_judge.master": SHARED | PROCESS | {"code_judge.queue"},
    "code_judge.main": SHARED | PROCESS | {"code_judge.queue", "code_judge.master"},
    "code_judge_client": {"code_judge", "code_judge.contract"},
    "code_judge_workers": SHARED | PROCESS | {"code_judge.queue"},
    "code_judge_cli": SHARED | PROCESS | {"code_judge.queue", "code_judge_client", "code_judge_workers"},
    "code_judge_env": {"code_judge", "code_judge.bound_child", "code_judge.contract", "code_judge_client"},
}
"""Each part, and what it may import beside itself."""


def part_of(module: str) -> str | None:
    """The part that a module belongs to; None for other people's."""
    names = module.split(".")
    prefixes = (".".join(names[:length]) for length in (2, 1))
    return next((prefix for prefix in prefixes if prefix in MAY_IMPORT), None)


def modules() -> Iterator[tuple[str, Path]]:
    for package, folder in PACKAGES.items():
        for file in sorted((folder / package).rglob("*.py")):
            yield ".".join(file.relative_to(folder).with_suffix("").parts).removesuffix(".__init__"), file


def imports(module: str, file: Path) -> Iterator[str]:
    """Every module that this one imports, also inside functions, by its full name."""
    here = module.split(".") if file.name == "__init__.py" else module.split(".")[:-1]
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = here[: len(here) - node.level + 1] if node.level else []
            source = ".".join([*base, *(node.module or "").split(".")]).strip(".")
            # `from code_judge import settings` imports a module, `from code_judge import __version__` a name.
            yield from (f"{source}.{alias.name}" for alias in node.names)


MODULES = dict(modules())


def test_every_module_belongs_to_a_part() -> None:
    assert MODULES
    assert [module for module in MODULES if part_of(module) is None] == []
    # `code_judge` itself is no catch-all: a new part needs a line of its own in the table.
    assert [module for module in MODULES if part_of(module) == "code_judge" and module != "code_judge"] == []


@pytest.mark.parametrize("part", MAY_IMPORT)
def test_imports_point_one_way(part: str) -> None:
    wrong = [
        f"{module} imports {name}"
        for module, file in MODULES.items()
        if part_of(module) == part
        for name in imports(module, file)
        if (target := part_of(name)) not in {None, part, *MAY_IMPORT[part]}
        or (target == "code_judge" and name != "code_judge.__version__")
    ]
    assert wrong == []
