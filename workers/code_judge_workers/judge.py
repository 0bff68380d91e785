"""Judges submissions: compiles, runs, compares, and says what became of them."""

import base64
import errno
import logging
import os
import signal
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from code_judge.contract import (
    CheckerSpec,
    FilesEncoding,
    LanguageInfo,
    Protection,
    Result,
    Submission,
    TestCase,
    TestResult,
    Verdict,
)
from code_judge.metrics import Tally, families
from code_judge.settings import Settings

from .checking import matches
from .compiler import Compiler
from .executor import Cancelled
from .function_test import MODULE, calling, returned
from .headers import PrecompiledHeader
from .imports import choose_template
from .languages import Language, encode_source, known_languages, probe
from .notebook import Notebooks
from .sandbox.limits import MEGABYTE, Limits
from .sandbox.outcome import Outcome, SandboxError, SandboxSetupError, Stop
from .sandbox.plan import BARE_TEMPLATE, Plan
from .sandbox.program import Program, RunFile
from .sandbox.sandbox import Execution, Sandbox

log = logging.getLogger(__name__)

_TOO_MUCH = (errno.ENOSPC, errno.EFBIG, errno.ENAMETOOLONG)
"""What the sandbox says where a submission's own files are too large or too many."""

_STOP_VERDICTS = {
    Stop.TIME: Verdict.TIME_LIMIT,
    Stop.MEMORY: Verdict.MEMORY_LIMIT,
    Stop.OUTPUT: Verdict.OUTPUT_LIMIT,
}


class InvalidSubmission(Exception):
    """Raised when a submission cannot be run as it is; the text says why."""


class SandboxExecutor:
    """The executor of a real node."""

    def __init__(self, settings: Settings, tally: Tally | None = None) -> None:
        self._settings = settings
        self.tally = tally or Tally()
        self._plan = Plan(settings)
        self.sandbox = Sandbox(self._plan, settings.max_workers, self.tally)
        self.notebooks = Notebooks(self.sandbox.run, max_history_s=settings.max_time_limit)
        self._languages: dict[str, Language] = {}
        self._infos: list[LanguageInfo] = []
        self._templates: dict[str, frozenset[str]] = {}
        self._costly: frozenset[str] = frozenset()
        """All that any template has imported beyond the standard library."""
        self.compiler: Compiler | None = None
        self._headers: PrecompiledHeader | None = None

    def start(self) -> None:
        """Start the launcher and probe the languages. Raises SandboxSetupError naming the step."""
        try:
            self._start()
        except BaseException:  # what was started must not stay behind
            self.stop()
            raise

    def _start(self) -> None:
        self.sandbox.start()
        answers = self.sandbox.report["templates"]
        for name, modules in self._plan.template_names.items():
            if answers[name]["ready"]:
                self._templates[name] = frozenset(modules)
            else:
                log.warning("template %s is not kept warm: %s", name, answers[name]["problem"])
        self._costly = self._costly.union(*self._templates.values())
        for language in self._known_languages():
            info = probe(language)
            if info is None:
                log.warning("language %s is not offered: %s is not installed", language.name, language.tool)
                continue
            self._languages[language.name] = language
            self._infos.append(info)
        self._prove()
        self._headers = PrecompiledHeader(self.sandbox, BARE_TEMPLATE, self._plan.headers_folder)
        if "cpp" in self._languages:
            self._headers.start(self._languages["cpp"])
        versions = {info.name: info.version for info in self._infos}
        self.compiler = Compiler(self.sandbox, self._settings, BARE_TEMPLATE, versions, self.tally)

    def _known_languages(self) -> list[Language]:
        return known_languages(self._settings, self._plan.interpreter.path, self._plan.headers_seen_at)

    def _prove(self) -> None:
        """Run one program, so that a node that cannot does not start. Raises SandboxError."""
        limits = self.limits(Submission(type="python", solution=""))
        program = Program(BARE_TEMPLATE, None, {"main.py": RunFile(b"print(6 * 7)")})
        outcome = self.sandbox.run(program, limits)
        if outcome.stdout != b"42\n":
            raise SandboxSetupError("run a first program", f"it ended with {outcome}")

    def stop(self) -> None:
        """Kill what runs and leave nothing behind."""
        if self._headers is not None:
            self._headers.stop()
        if self.compiler is not None:
            self.compiler.close()
        self.sandbox.stop()

    def wait_for_headers(self, timeout_s: float) -> bool:
        """Wait for the precompiled C++ header, made beside the first runs; whether it is there."""
        return self._headers is not None and self._headers.wait(timeout_s)

    def prepare(self, submission: Submission) -> "SandboxRun":
        """A run of this submission."""
        return SandboxRun(self, submission)

    def languages(self) -> Sequence[LanguageInfo]:
        return self._infos

    @property
    def tier(self) -> str:
        return self._plan.tier.value

    def protections(self) -> Sequence[Protection]:
        return self._plan.protections(self.sandbox.report)

    def language(self, name: str) -> Language:
        """Raises InvalidSubmission for one that this node lacks."""
        try:
            return self._languages[name]
        except KeyError:
            known = ", ".join(self._languages)
            raise InvalidSubmission(f"type {name!r} is not offered here; offered: {known}") from None

    def limits(self, submission: Submission) -> Limits:
        """The submission's own limits, or the node's."""
        settings = self._settings
        return Limits(
            cpu_s=submission.time_limit or settings.max_execution_time,
            memory_bytes=int((submission.memory_limit or settings.max_memory) * MEGABYTE),
            output_bytes=int(settings.max_output_mb * MEGABYTE),
            file_bytes=int(settings.max_file_mb * MEGABYTE),
            processes=settings.max_processes,
            open_files=settings.max_open_files,
            nice=settings.run_nice,
        )

    def template_for(self, source: str) -> str:
        """The warm interpreter that fits this source."""
        return choose_template(source, self._templates, self._costly)

    def shadowed_by(self, files: Iterable[str]) -> bool:
        """Whether a file stands in front of a module that templates have imported: a warm run would not see
        it, so such a submission is run cold."""
        names = {path.partition("/")[0].partition(".")[0] for path in files}
        return not (names.isdisjoint(sys.stdlib_module_names) and names.isdisjoint(self._costly))

    @property
    def warm(self) -> bool:
        return self._settings.warm_starts

    @property
    def text_limit(self) -> int:
        """Characters of each stream in a result."""
        return self._settings.max_stdout_error_length


class SandboxRun:
    """One submission being judged."""

    def __init__(self, executor: SandboxExecutor, submission: Submission) -> None:
        self._executor = executor
        self._submission = submission
        self._execution = Execution()

    def cancel(self) -> None:
        """Kill it, from any thread, at any time."""
        self._execution.cancel()

    def result(self) -> Result:
        """Judge it. Raises Cancelled where that came first."""
        sub_id = self._submission.sub_id or ""
        try:
            result = self._judge(sub_id)
        except (InvalidSubmission, UnicodeEncodeError) as error:
            return Result.of(sub_id, Verdict.INVALID_INPUT, stderr=str(error))
        except SandboxError as error:
            if isinstance(error, SandboxSetupError) and error.step == "files" and error.errno in _TOO_MUCH:
                too_much = f"its files do not fit into MAX_FILE_MB: {error}"
                return Result.of(sub_id, Verdict.INVALID_INPUT, stderr=too_much)
            if self._execution.cancelled:
                raise Cancelled from error
            log.error("submission %s: %s", sub_id, error)
            return Result.of(sub_id, Verdict.INTERNAL_ERROR, stderr=str(error))
        if self._execution.cancelled:
            raise Cancelled
        return result

    def _judge(self, sub_id: str) -> Result:
        submission, executor = self._submission, self._executor
        language = executor.language(submission.type)
        if not language.calls and any(test.call for test in submission.tests or []):
            raise InvalidSubmission(
                f"tests: functions of type {language.name!r} cannot be called, only python's"
            )
        source = encode_source(language, submission.solution)
        program = self._program(language, source)
        if language.compile is not None:
            assert executor.compiler is not None
            outcome, compiled = executor.compiler.compile(language, source, self._execution)
            if compiled is None:
                return self._compile_error(sub_id, outcome)
            program = replace(program, executable=compiled)
        try:
            if submission.tests:
                return self._run_tests(sub_id, program)
            return self._run_once(sub_id, program)
        finally:
            if program.executable is not None:
                os.close(program.executable)

    def _program(self, language: Language, source: bytes) -> Program:
        """All of the run but its input."""
        submission, executor = self._submission, self._executor
        files = {path: RunFile(content) for path, content in _decoded_files(submission)}
        called = [f"{MODULE}.py"] if any(test.call for test in submission.tests or []) else []
        _check_collisions([language.source, *called, *files])
        warm = language.warm and executor.warm and not executor.shadowed_by(files)
        if language.compile is None:
            files[language.source] = RunFile(source)
        return Program(
            template=executor.template_for(self._all_source()) if warm else BARE_TEMPLATE,
            argv=None if warm else list(language.run),
            files=files,
            keep_stderr_bytes=4 * executor.text_limit + 4,
        )

    def _all_source(self) -> str:
        """Earlier cells, where there are any, and the solution."""
        return "\n".join([*(self._submission.history or []), self._submission.solution])

    def _run_once(self, sub_id: str, program: Program) -> Result:
        submission = self._submission
        only = TestCase(input=submission.input, expected_output=submission.expected_output)
        outcome, verdict, stdout, stderr = self._run_test(program, only)
        limit = self._executor.text_limit
        return Result.of(
            sub_id,
            verdict,
            **_measured(outcome, stdout[:limit], stderr[:limit]),
            wall_time=outcome.wall_s,
            stdout_truncated=len(stdout) > limit,
            stderr_truncated=len(stderr) > limit,
        )

    def _run_test(self, program: Program, test: TestCase) -> tuple[Outcome, Verdict, str, str]:
        """Run it and compare. Returns how it ended, the verdict, stdout and stderr as text."""
        outcome = self._execute(program, test)
        stdout = outcome.stdout.decode(errors="replace")
        stderr = outcome.stderr.decode(errors="replace")
        try:
            return outcome, self._verdict(outcome, stdout, test), stdout, stderr
        finally:
            if outcome.artifact is not None:
                os.close(outcome.artifact)

    def _execute(self, program: Program, test: TestCase) -> Outcome:
        executor, submission = self._executor, self._submission
        language, limits = executor.language(submission.type), executor.limits(submission)
        # All of stdout is needed only where it is compared.
        compared = test.call is None and test.expected_output is not None
        keep = limits.output_bytes if compared else 4 * executor.text_limit + 4
        run = replace(program, stdin=(test.input or "").encode(), keep_stdout_bytes=keep)
        if test.call is not None:
            run = calling(run, language.source, test.call)
        executor.tally.add(families.STARTS, run.template, "warm" if run.argv is None else "cold")
        if language.notebook:
            cells = [*(submission.history or []), submission.solution]
            outcome = executor.notebooks.run(cells, run, limits, self._execution)
        else:
            outcome = executor.sandbox.run(run, limits, self._execution)
        if outcome.stop in _STOP_VERDICTS:
            executor.tally.add(families.LIMITS_HIT, outcome.stop.value, "run")
        return outcome

    def _verdict(self, outcome: Outcome, stdout: str, test: TestCase) -> Verdict:
        if outcome.stop is not None and outcome.stop in _STOP_VERDICTS:
            return _STOP_VERDICTS[outcome.stop]
        if outcome.exit_code != 0:
            return Verdict.RUNTIME_ERROR
        checker = CheckerSpec.parse(self._submission.checker)
        if test.call is not None:
            right = returned(outcome, test.expected, checker)
        elif test.expected_output is not None:
            right = matches(checker, stdout, test.expected_output)
        else:
            return Verdict.RAN
        return Verdict.ACCEPTED if right else Verdict.WRONG_ANSWER

    def _run_tests(self, sub_id: str, program: Program) -> Result:
        """Every test in order; the whole is as good as the first test that was not accepted."""
        results: list[TestResult] = []
        for test in self._submission.tests or []:
            outcome, verdict, stdout, stderr = self._run_test(program, test)
            limit = self._executor.text_limit
            results.append(TestResult(verdict=verdict, **_measured(outcome, stdout[:limit], stderr[:limit])))
            if self._execution.cancelled or (not verdict.success and self._submission.stop_on_first_failure):
                break
        deciding = next((result for result in results if not result.verdict.success), results[-1])
        return Result.of(
            sub_id,
            deciding.verdict,
            cost=sum(result.cost for result in results),
            stdout=deciding.stdout,
            stderr=deciding.stderr,
            exit_code=deciding.exit_code,
            signal=deciding.signal,
            cpu_time=sum(result.cpu_time for result in results),
            wall_time=sum(result.cost for result in results),
            peak_memory_mb=max(result.peak_memory_mb for result in results),
            tests=results,
        )

    def _compile_error(self, sub_id: str, outcome: Outcome) -> Result:
        text = (outcome.stderr + outcome.stdout).decode(errors="replace")
        if outcome.stop is not None:
            text = f"{text}\nthe compiler was stopped at its {outcome.stop} limit"
        limit = self._executor.text_limit
        return Result.of(
            sub_id,
            Verdict.COMPILE_ERROR,
            cost=outcome.wall_s,
            stderr=text[:limit],
            stderr_truncated=len(text) > limit,
            exit_code=outcome.exit_code,
            signal=_signal_name(outcome.signal),
        )


def _measured(outcome: Outcome, stdout: str, stderr: str) -> dict[str, Any]:
    """What the results of a submission and of one of its tests tell alike."""
    return {
        "cost": outcome.wall_s,
        "cpu_time": outcome.cpu_s,
        "peak_memory_mb": outcome.peak_bytes / MEGABYTE,
        "stdout": stdout,
        "stderr": stderr,
        "exit_code": outcome.exit_code,
        "signal": _signal_name(outcome.signal),
    }


def _decoded_files(submission: Submission) -> list[tuple[str, bytes]]:
    is_base64 = submission.files_encoding is FilesEncoding.BASE64
    return [
        (path, base64.b64decode(content) if is_base64 else content.encode())
        for path, content in (submission.files or {}).items()
    ]


def _check_collisions(paths: list[str]) -> None:
    """Raises InvalidSubmission where one path is another, or a folder on the way to another."""
    taken = {parent for path in paths for parent in _parents(path)}
    for path in paths:
        if path in taken:
            raise InvalidSubmission(f"files[{path!r}] is there twice, as the solution, a file or a folder")
        taken.add(path)


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _signal_name(number: int | None) -> str | None:
    if number is None:
        return None
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"
