"""The text that a model reads after a tool call.

::

    Tool call success               or  Tool call failure
                                        reason: runtime_error
    stdout: …                           stdout: …                only where there is any
    stderr: …                           stderr: …                only where there is any
    execution time: 0.01s               execution time: 0.01s    wall time of the run, two decimals

``reason`` is the result's own where it has one (``worker_timeout``, ``queue_timeout``, ``internal_error``,
``invalid_input``), else its verdict (``runtime_error``, ``memory_limit``, …).
"""

from code_judge.contract import Result, Verdict


def tool_text(result: Result) -> str:
    """A result in words."""
    if result.success:
        lines = ["Tool call success"]
    else:
        lines = ["Tool call failure", f"reason: {result.reason or result.verdict}"]
    if result.stdout:
        lines.append(f"stdout: {result.stdout}")
    if result.stderr:
        lines.append(f"stderr: {result.stderr}")
    lines.append(f"execution time: {result.cost:.2f}s")
    return "\n".join(lines)


def unjudged(verdict: Verdict, why: str) -> Result:
    """The result that stands for a call which never got one from the judge."""
    return Result.of("", verdict, stderr=why)
