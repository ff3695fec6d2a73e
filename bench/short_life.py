"""One process of the suite `short-lives`: a few turns with one failure each, and the end."""

from __future__ import annotations

import asyncio
import json
import sys
import time

from mulligan import Effect, Mulligan
from mulligan.runtime.context import OpenTurn
from mulligan.settings import Memory
from mulligan.types.lesson import Origin


def main(url: str, first: int, failures: int) -> dict[str, object]:
    """What it was told, and the milliseconds that opening, its turns and its end took."""
    began = time.perf_counter()
    m = Mulligan(url, memory=Memory(control=0, seeds=False))
    told: list[bool] = []

    @m.tool(effect=Effect.READ)
    async def find_order(order_id: str) -> str:
        if not order_id.startswith("#"):
            raise LookupError(f"Order {order_id} does not exist")
        return f"order {order_id}"

    async def look_up(turn: OpenTurn) -> str:
        number = turn.message.split()[-1]
        try:
            return await find_order(number)
        except LookupError as error:
            advised = getattr(error, "mulligan", None)
            found = () if advised is None else advised.suggestions
            told.append(any(each.source is Origin.MEMORY for each in found))
            return await find_order(f"#{number}")

    async def work() -> None:
        for number in range(first, first + failures):
            await m.act(f"Find order W{number}", look_up)

    opened = time.perf_counter()
    asyncio.run(work())
    worked = time.perf_counter()
    m.close()
    ended = time.perf_counter()
    return {
        "told": told,
        "open_ms": 1e3 * (opened - began),
        "turns_ms": 1e3 * (worked - opened),
        "end_ms": 1e3 * (ended - worked),
    }


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
