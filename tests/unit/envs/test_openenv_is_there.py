"""Stands for all tests of the environment where ``openenv`` is missing."""

import pytest


@pytest.mark.needs_openenv
def test_the_environments_tests_can_be_run() -> None:
    assert __import__("code_judge_env")
