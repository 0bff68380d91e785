"""Loads ``code_judge_client.verl`` as it is without verl, and with verl's own files.

verl itself wants torch, ray and gigabytes more, of which the files that our tools build on need next to
nothing: here they are loaded from an installation without dependencies (``pip install --no-deps verl``),
and what they import beside that is a double.
"""

import asyncio
import importlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

OURS = "code_judge_client.verl"
PACKAGES = (
    "verl",
    "verl.utils",
    "verl.workers",
    "verl.workers.reward_manager",
    "verl.experimental",
    "verl.experimental.reward_loop",
    "verl.experimental.reward_loop.reward_manager",
)
"""Packages of verl whose ``__init__`` would import what is not there; their other files are the real ones."""


def verl_folder() -> Path | None:
    """Where verl is installed; None where it is not."""
    spec = PathFinder.find_spec("verl")
    return Path(spec.origin).parent if spec and spec.origin else None


@contextmanager
def without_verl() -> Iterator[ModuleType]:
    """Our package as it is where verl is not installed."""
    with _loaded({"verl": None}) as ours:
        yield ours


@contextmanager
def with_real_verl(folder: Path) -> Iterator[ModuleType]:
    """Our package over verl's real files in this folder."""
    modules: dict[str, ModuleType | None] = {
        "torch": fake_torch(),
        "omegaconf": _module("omegaconf", DictConfig=dict),
        "transformers": _module("transformers", AutoTokenizer=object),
        "verl.protocol": _module("verl.protocol", DataProto=object),
        "verl.utils.ray_utils": _module("verl.utils.ray_utils", get_event_loop=asyncio.new_event_loop),
    }
    for name in PACKAGES:
        modules[name] = _module(name, __path__=[str(folder.parent.joinpath(*name.split(".")))])
    modules["verl"].DataProto = object  # type: ignore[union-attr]
    with _loaded(modules) as ours:
        yield ours


def fake_torch() -> ModuleType:
    """As much of torch as a reward manager uses, by numpy."""
    return _module("torch", Tensor=np.ndarray, float32=np.float32, zeros_like=np.zeros_like)


@contextmanager
def _loaded(modules: Mapping[str, ModuleType | None]) -> Iterator[ModuleType]:
    saved = {name: module for name, module in sys.modules.items() if _is_swapped(name, modules)}
    for name in saved:
        del sys.modules[name]
    sys.modules.update(modules)  # type: ignore[arg-type]  # None is documented to block an import
    try:
        yield importlib.import_module(OURS)
    finally:
        for name in [name for name in sys.modules if _is_swapped(name, modules)]:
            del sys.modules[name]
        sys.modules.update(saved)


def _is_swapped(name: str, modules: Mapping[str, object]) -> bool:
    return name in modules or f"{name}.".startswith((f"{OURS}.", "verl."))


def _module(name: str, **attributes: Any) -> ModuleType:
    module = ModuleType(name)
    vars(module).update(attributes)
    return module
