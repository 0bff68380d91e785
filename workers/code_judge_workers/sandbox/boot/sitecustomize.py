"""Imported by CPython while it starts, on its way to main.py: here the template stops and serves.

This folder is on PYTHONPATH for templates only. ``serve`` returns in the child of a slot, and only
there; ending with ImportError makes ``site`` believe that there is no ``sitecustomize`` at all, so
nothing of this module stays, and CPython goes on to run main.py itself: real frames, real exit codes.
"""

import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))
_root = os.path.dirname(os.path.dirname(os.path.dirname(_here)))
_before = set(sys.modules)
sys.path.remove(_here)
sys.path.insert(0, _root)

from code_judge_workers.sandbox import template  # noqa: E402

sys.path.remove(_root)
for _folder in [name for name in sys.path_importer_cache if name.startswith(_root)]:
    del sys.path_importer_cache[_folder]
_own = template.serve(_before)

if _own is None:
    raise ImportError("no such module", name="sitecustomize")
sys.modules["sitecustomize"] = _own
