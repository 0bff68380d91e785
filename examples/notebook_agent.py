"""An agent that works in a notebook: each call is a cell, and sees what earlier cells defined.

Run it against a judge: python examples/notebook_agent.py http://localhost:8088
"""

import asyncio
import sys
from urllib.parse import urlsplit

from code_judge_client.verl import SimJupyterTool

CELLS = [
    "prices = [3.5, 1.25, 9.0]",
    "total = sum(prices)\ntotal",
    "total / 0",  # the agent's mistake; what was defined before stays
    "round(total / len(prices), 2)",
]
"""What a model would write, one after the other."""


async def main(url: str) -> None:
    judge = urlsplit(url)
    tool = SimJupyterTool({"host_addr": judge.hostname, "host_port": judge.port})
    instance_id, _ = await tool.create(history_tool_calls=[])
    for number, cell in enumerate(CELLS, 1):
        response, _, _ = await tool.execute(instance_id, {"code": cell})
        print(f"In [{number}]: {cell}\n{response.text}\n")
    await tool.release(instance_id)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8088"))
