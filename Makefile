# Everything from a fresh clone: Python 3.11 or newer and make are enough; g++ is for the C++ programs.

# The first of these that is new enough; `make PYTHON=/path/to/python3.12` chooses another.
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
VENV := .venv
INSTALLED := $(VENV)/.installed
# Most tests wait for something rather than compute: two of them side by side need little more than half the time.
PYTEST := $(VENV)/bin/pytest -n 2 --dist loadgroup

# The release of verl that the trainer's tools are tested against. Its files only: what it depends on is gigabytes.
VERL_VERSION := 0.9.1
VERL := $(VENV)/verl/.installed-$(VERL_VERSION)

# The openenv of `make test`, and the oldest one that the environment supports. Without what it depends on: the
# extra openenv-slim has what it really imports.
OPENENV_VERSION := 0.10.0
OPENENV_OLDEST := 0.5.0

.PHONY: help demo test test-oldest-openenv check

help:
	@echo "make demo    start a judge, judge a small set of programs, show the verdicts"
	@echo "make test    the tests"
	@echo "make test-oldest-openenv  the environment's tests once more, with openenv $(OPENENV_OLDEST)"
	@echo "make check   linter, format, types"

demo: $(INSTALLED)
	$(VENV)/bin/python examples/demo/demo.py

test: $(INSTALLED) $(VERL)
	$(PYTEST)

test-oldest-openenv: $(INSTALLED)
	$(VENV)/bin/pip install --quiet --no-deps --upgrade --target $(VENV)/openenv-oldest openenv==$(OPENENV_OLDEST)
	PYTHONPATH=$(VENV)/openenv-oldest $(PYTEST) tests/unit/envs tests/integration/envs

check: $(INSTALLED)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

# Touched last: an installation that was interrupted is done again.
$(INSTALLED): pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed and was not found: install it (apt install python3 python3-venv), or name it: make PYTHON=/path/to/python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || { echo "$(PYTHON) cannot make virtual environments: apt install python3-venv (Fedora, RHEL: dnf install python3-pip)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --editable '.[dev,science,openenv-slim]'
	$(VENV)/bin/pip install --quiet --no-deps openenv==$(OPENENV_VERSION)
	@touch $@

$(VERL): $(INSTALLED)
	rm -rf $(VENV)/verl
	$(VENV)/bin/pip install --quiet --no-deps --target $(VENV)/verl verl==$(VERL_VERSION)
	rm -rf $(VENV)/verl/tests $(VENV)/verl/scripts
	@touch $@
