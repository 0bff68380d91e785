"""The sandbox and what it runs: started as in a node, proven by a first program, asked, and stopped."""

from collections.abc import Iterator
from dataclasses import dataclass

from code_judge.contract import Protection
from code_judge.settings import SandboxChoice, Settings

from ..judge import SandboxExecutor
from ..sandbox.outcome import SandboxError
from . import remedies
from .finding import Finding, Grade
from .host import Host

NEEDED = frozenset({"own files", "no network", "system calls"})
"""Walls without which a program reaches the node's secrets, or the network. The others bound what it may use
up or see; where those are a must, SANDBOX insists on a tier."""


@dataclass(frozen=True, slots=True)
class SandboxFindings:
    """What stands, and in which tier; None where no sandbox can be had."""

    tier: SandboxChoice | None
    findings: list[Finding]


def examine_sandbox(settings: Settings, host: Host) -> SandboxFindings:
    """Start a sandbox, ask it, stop it."""
    try:
        # One slot will do: what stands around one stands around all.
        executor = SandboxExecutor(settings.model_copy(update={"max_workers": 1}))
        executor.start()
    except SandboxError as error:
        remedy = remedies.for_namespaces(host) if settings.sandbox is SandboxChoice.NAMESPACES else ""
        return SandboxFindings(None, [Finding("sandbox", "tier", Grade.MISSING, str(error), remedy)])
    try:
        findings = [
            _tier(executor.tier, host),
            *(_wall(wall, host) for wall in executor.protections()),
            *_programs(executor, settings),
        ]
        return SandboxFindings(SandboxChoice(executor.tier), findings)
    finally:
        executor.stop()


def _tier(tier: str, host: Host) -> Finding:
    strongest = tier == SandboxChoice.NAMESPACES
    remedy = "" if strongest else remedies.for_namespaces(host)
    return Finding("sandbox", "tier", Grade.FINE if strongest else Grade.WEAK, tier, remedy)


def _wall(wall: Protection, host: Host) -> Finding:
    if wall.active:
        return Finding("sandbox", wall.name, Grade.FINE, wall.detail)
    grade = Grade.MISSING if wall.name in NEEDED else Grade.WEAK
    return Finding("sandbox", wall.name, grade, wall.detail, remedies.for_wall(wall.name, host))


def _programs(executor: SandboxExecutor, settings: Settings) -> Iterator[Finding]:
    """Languages, and libraries that should be warm."""
    offered = {language.name: language.version for language in executor.languages()}
    for language, version in offered.items():
        yield Finding("programs", language, Grade.FINE, version)
    if "cpp" not in offered:
        missing = f"CPP_COMPILER_PATH={settings.cpp_compiler_path} is not installed: C++ is not offered"
        yield Finding("programs", "cpp", Grade.WEAK, missing, "apt install g++ (or set CPP_COMPILER_PATH)")
    for template, answer in executor.sandbox.report["templates"].items():
        name = f"warm: {template.replace('-', ', ')}"
        if answer["ready"]:
            yield Finding("programs", name, Grade.FINE, "kept warm")
        else:
            remedy = (
                f"{settings.python_executor_path} -m pip install {template.replace('-', ' ')} "
                "(or leave the set out of WARM_TEMPLATES)"
            )
            yield Finding("programs", name, Grade.WEAK, answer["problem"].strip(), remedy)
