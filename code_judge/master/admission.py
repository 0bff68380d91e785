"""Decides whether new work is taken at all."""

from code_judge.errors import Draining


class Admission:
    """Open until the master stops."""

    def __init__(self) -> None:
        self.draining = False

    async def check(self) -> None:
        """Raises Draining where new work is not taken."""
        if self.draining:
            raise Draining("this master is stopping; send the request again, to another")
