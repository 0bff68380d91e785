"""The programs, by topic: some 300 small ones, each about one thing that a program could notice."""

from tests.integration.sandbox.differential.case import Case

from . import (
    children,
    endings,
    errors,
    exits,
    finalisers,
    flushes,
    identity,
    imports,
    libraries,
    modules,
    processes,
    signals,
    streams,
    tracebacks,
)

ALL: list[Case] = [
    *tracebacks.CASES,
    *errors.CASES,
    *exits.CASES,
    *flushes.CASES,
    *endings.CASES,
    *finalisers.CASES,
    *streams.CASES,
    *signals.CASES,
    *identity.CASES,
    *imports.CASES,
    *modules.CASES,
    *processes.CASES,
    *children.CASES,
    *libraries.CASES,
]

A_FEW_OF_EACH = [
    "traceback-of-nested-calls",
    "syntax-error",
    "recursion-depth-reached",
    "print-stack-and-frames",
    "warnings-shown-with-source",
    "exit-3",
    "flush-failure-is-120",
    "atexit-order",
    "threads-are-joined",
    "finalisers-of-globals",
    "stream-attributes",
    "shell-redirections",
    "signal-dispositions",
    "dies-of-sigint",
    "arguments-and-flags",
    "environment",
    "resource-limits",
    "local-package",
    "pickle-of-main-classes",
    "inspect-source",
    "pool-by-fork",
    "process-by-spawn",
]
"""Ids for other templates, tiers and interpreters: at least one row of most topics."""
