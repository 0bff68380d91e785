"""docs/exit-codes.md says what the commands do."""

from enum import IntEnum

import pytest

from code_judge_cli.exit_codes import CliExit
from code_judge_workers.exit_codes import NodeExit
from tests.support.pages import page, table


@pytest.mark.parametrize(("heading", "codes"), [("The worker node", NodeExit), ("code-judge", CliExit)])
def test_every_exit_code_is_documented_and_no_other(heading: str, codes: type[IntEnum]) -> None:
    rows = table(page("docs/exit-codes.md"), heading)

    assert {code: row[0] for code, row in rows.items()} == {str(code.value): code.name for code in codes}
