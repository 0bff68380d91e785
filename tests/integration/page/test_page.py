"""The web page in a real browser, over a real cluster of two master processes."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.integration.page.conftest import PATIENCE_MS, PageCluster, kill, looking_at, page_cluster

pytestmark = [pytest.mark.needs_chromium, pytest.mark.needs_redis]

expect.set_options(timeout=PATIENCE_MS)
HOSTILE = '<img src="nowhere" onerror="document.title = \'taken\'"><script>document.title = "taken"</script>'


@pytest.fixture
def page(browser: Browser, cluster: PageCluster) -> Iterator[Page]:
    with looking_at(browser, cluster.url) as page:
        yield page


def run(page: Page, program: str, **fields: str) -> None:
    page.fill("#solution", program)
    for name, text in fields.items():
        page.fill(f"#{name}", text)
    page.click("#run")


def fact(page: Page, name: str) -> str:
    return page.locator("dt", has_text=name).locator("xpath=../dd").inner_text()


def test_it_shows_the_cluster_and_a_killed_node_going_away(page: Page, cluster: PageCluster) -> None:
    expect(page.locator('[data-node="node-a"] h3')).to_be_visible()
    doomed = cluster.start_node("node-b")
    node = page.locator('article[data-node="node-b"]')
    expect(node).to_contain_text("0 of 2 threads busy")
    expect(page.locator("#glance")).to_have_text("2 nodes, 0 of 4 threads busy, nothing waiting.")
    expect(node.locator(".walls li")).to_have_count(6)

    kill(doomed)

    expect(node).to_contain_text("gone")
    expect(page.locator("#glance")).to_have_text("1 node, 0 of 2 threads busy, nothing waiting.")
    expect(page.locator("#state")).to_have_text("working")


def test_it_runs_a_program_and_shows_its_full_verdict(page: Page) -> None:
    run(
        page,
        "import sys; print(input()[::-1]); print('careful', file=sys.stderr)",
        input="abc",
        expected="cba",
    )

    expect(page.locator("#verdict-name")).to_have_text("accepted")
    expect(page.locator("#stdout")).to_have_text("cba\n")
    expect(page.locator("#stderr")).to_have_text("careful\n")
    assert fact(page, "Exit code") == "0"
    assert fact(page, "Node") == "node-a"
    assert fact(page, "Tried by") == "1 node"
    assert fact(page, "Peak memory").endswith(" MB")
    assert fact(page, "CPU time").endswith("s")


def test_a_program_that_is_killed_has_its_signal_shown(page: Page) -> None:
    run(page, "import os; os.kill(os.getpid(), 9)")

    expect(page.locator("#verdict-name")).to_have_text("runtime error")
    assert fact(page, "Signal") == "SIGKILL"


def test_what_a_program_prints_is_shown_and_never_read_as_html(page: Page) -> None:
    run(page, f"print({HOSTILE!r})")

    expect(page.locator("#stdout")).to_have_text(HOSTILE + "\n")
    assert page.locator("#verdict img, #verdict script").count() == 0
    assert page.title() == "code-judge"


def test_what_the_judge_refuses_is_told(page: Page, cluster: PageCluster) -> None:
    httpx.post(f"{cluster.url}/admin/pause").raise_for_status()
    try:
        expect(page.locator("#state")).to_have_text("paused")
        run(page, "print(1)")

        expect(page.locator("#verdict .problem")).to_contain_text("an operator has paused the judge")
    finally:
        httpx.post(f"{cluster.url}/admin/resume").raise_for_status()


def test_rates_and_times_are_drawn(page: Page) -> None:
    results = page.locator("figure", has_text="Results per second")
    for _ in range(3):
        run(page, "print(1)")
        expect(page.locator("#verdict-name")).to_have_text("ran")

    expect(results.locator("path.line.first")).to_have_attribute("d", re.compile("^M.* L"))
    expect(page.locator("figure", has_text="Time of a run").locator("strong").first).to_contain_text("ms")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1280])
def test_it_fits_the_screen_and_asks_nobody_else(
    browser: Browser, cluster: PageCluster, width: int, scheme: str
) -> None:
    size = {"width": width, "height": 800}
    with looking_at(browser, "about:blank", viewport=size, color_scheme=scheme) as page:
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(cluster.url)
        expect(page.locator('[data-node="node-a"] h3')).to_be_visible()

        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert [url for url in asked if not url.startswith(cluster.url)] == []


def test_with_an_api_key_the_page_asks_for_it(browser: Browser, tmp_path: Path) -> None:
    with (
        page_cluster(tmp_path, API_KEY="s3cret") as cluster,
        looking_at(browser, cluster.url) as page,
    ):
        cluster.start_node("node-a")
        expect(page.locator("#key-dialog")).to_be_visible()
        page.fill("#key", "guess")
        page.click("#key-form button")
        expect(page.locator("#key-problem")).to_be_visible()
        page.fill("#key", "s3cret")
        page.click("#key-form button")

        expect(page.locator('[data-node="node-a"] h3')).to_be_visible()
        run(page, "print('in')")
        expect(page.locator("#stdout")).to_have_text("in\n")


def test_what_nobody_ran_in_time_is_among_the_judges_failures(browser: Browser, tmp_path: Path) -> None:
    with (
        page_cluster(tmp_path, MAX_QUEUE_WAIT_TIME="0.5") as cluster,
        looking_at(browser, cluster.url) as page,
    ):
        expect(page.locator("#failures")).to_contain_text("None: whatever came was judged.")
        expect(page.locator("#state")).to_have_text("no worker")

        run(page, "print('a secret of mine')")

        expect(page.locator("#verdict-name")).to_have_text("queue timeout")
        failures = page.locator("#failure-list")
        expect(failures).to_contain_text("no worker was free")
        assert "secret" not in failures.inner_text()
