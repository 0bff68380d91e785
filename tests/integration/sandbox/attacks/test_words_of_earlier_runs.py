"""No word of an earlier submission is in the memory of a later program, whatever part of it the word was in.

A run is a fork of its slot, and a slot lives for thousands of runs: what a slot ever read, a program could
find. So every kind of text goes through the slot first, and then a program searches all of its own memory.
"""

import base64
import json
import secrets

import pytest

from tests.integration.sandbox.attacks.node import Node, masked

SEARCH = """
for name, word in json.loads(sys.stdin.read()).items():
    found = memory_holds(word)
    if found:
        escaped(name, "is in memory at", found)
held()
"""

MEMORY_PARTS = (
    "source",
    "input",
    "output",
    "errors",
    "expected",
    "file name",
    "file",
    "variable",
    "C++ source",
    "C++ error",
)


@pytest.fixture
def words() -> dict[str, str]:
    """A word nobody else has, for each part of a submission."""
    return {part: f"word{secrets.token_hex(6)}" for part in MEMORY_PARTS}


def test_words_of_earlier_submissions_cannot_be_found(node: Node, words: dict[str, str]) -> None:
    spell = {name: base64.b64encode(word.encode()).decode() for name, word in words.items()}
    node.run(
        "python",
        f"""
import base64
import json
# {words["source"]}
say = lambda text: base64.b64decode(text).decode()
kept = sys.stdin.read()
os.environ[say({spell["variable"]!r})] = say({spell["variable"]!r})
print(say({spell["output"]!r}))
print(say({spell["errors"]!r}), file=sys.stderr)
""",
        input=words["input"],
        expected_output=words["expected"],
        files={f"{words['file name']}/data.txt": words["file"]},
    )
    node.run("cpp", f"int {words['C++ source']}; int main() {{ {words['C++ error']} }}")

    result = node.run(
        "python", SEARCH, input=json.dumps({name: masked(word) for name, word in words.items()})
    )

    assert result["stdout"] == "held\n", result["stdout"] + result["stderr"]


def test_the_search_finds_what_is_there(node: Node) -> None:
    """Else the test above would prove nothing."""
    word = f"word{secrets.token_hex(6)}"

    result = node.run("python", f"kept = {word!r}\n" + SEARCH, input=json.dumps({"source": masked(word)}))

    assert "ESCAPED: source is in memory" in result["stdout"]
