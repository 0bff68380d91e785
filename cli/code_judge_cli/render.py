"""How the command shows results and clusters to a person."""

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from code_judge.contract import Cluster, NodeInfo, Result, TestResult, Verdict


def printable(text: str) -> str:
    """``text`` with control characters spelled out: a program's output must not steer the terminal."""
    return "".join(char if char.isprintable() or char in "\n\t" else ascii(char)[1:-1] for char in text)


def complain(message: str) -> None:
    """Tell a person on stderr what went wrong; not wrapped, so that paths and addresses can be copied."""
    Console(stderr=True).print(
        printable(message), style="bold red", markup=False, highlight=False, soft_wrap=True
    )


def verdict_text(verdict: Verdict) -> Text:
    """The verdict, green where the program did well, red where it did not, yellow where the judge failed."""
    style = "bold green" if verdict.success else "bold yellow" if verdict.is_ours else "bold red"
    return Text(verdict.value, style=style)


def show_result(result: Result) -> RenderableType:
    """All that is known of one submission's end."""
    facts = _facts()
    facts.add_row("verdict", verdict_text(result.verdict))
    for name, value in (
        ("exit code", result.exit_code),
        ("signal", result.signal),
        ("wall time", f"{result.wall_time:.3f} s"),
        ("CPU time", f"{result.cpu_time:.3f} s"),
        ("peak memory", f"{result.peak_memory_mb:.1f} MB"),
        ("time in the queue", f"{result.queue_time:.3f} s"),
        ("node", result.node),
        ("attempts", result.attempts),
    ):
        if value is not None:
            facts.add_row(name, str(value))
    parts: list[RenderableType] = [facts]
    for title, text, cut in (
        ("stdout", result.stdout, result.stdout_truncated),
        ("stderr", result.stderr, result.stderr_truncated),
    ):
        if text:
            parts.append(
                Panel(Text(printable(text)), title=f"{title}, cut" if cut else title, title_align="left")
            )
    if result.tests is not None:
        parts.append(_show_tests(result.tests))
    return Group(*parts)


def _show_tests(tests: list[TestResult]) -> Table:
    table = Table("test", "verdict", "wall time", "peak memory", title="tests", title_justify="left")
    for index, test in enumerate(tests):
        memory = f"{test.peak_memory_mb:.1f} MB"
        table.add_row(str(index), verdict_text(test.verdict), f"{test.cost:.3f} s", memory)
    return table


def show_cluster(cluster: Cluster) -> RenderableType:
    """The queue, and each node with its walls."""
    facts = _facts()
    waiting = ", ".join(f"{count} {name}" for name, count in cluster.queued.items() if count)
    facts.add_row("waiting", waiting or "nothing")
    facts.add_row("running", str(cluster.in_flight))
    facts.add_row("worker threads", f"{cluster.slots}, {cluster.busy} of them busy")
    return Group(facts, *(show_node(node) for node in cluster.nodes))


def show_node(node: NodeInfo) -> RenderableType:
    """What a node offers, and which walls stand around the programs that it runs."""
    facts = _facts()
    state = "draining" if node.draining else f"{node.busy} of {node.slots} threads busy"
    facts.add_row("state", state)
    facts.add_row("languages", "\n".join(f"{lang.name}: {lang.version}" for lang in node.languages))
    facts.add_row("sandbox", node.sandbox)
    for protection in node.protections:
        mark = (
            Text("protected", style="green") if protection.active else Text("NOT PROTECTED", style="bold red")
        )
        facts.add_row(protection.name, Text.assemble(mark, f"  {protection.detail}"))
    return Panel(facts, title=f"node {node.name}", title_align="left")


def _facts() -> Table:
    facts = Table.grid(padding=(0, 2))
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(overflow="fold")
    return facts
