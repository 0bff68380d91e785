"""Without ``openenv`` nothing here can be imported: only the test that says so is left."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("openenv") else ["test_[!o]*.py"]
