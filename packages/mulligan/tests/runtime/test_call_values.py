from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from mulligan import Effect, Mulligan
from mulligan.codec import LostValue, LostValueError


def test_a_result_that_is_lost_is_taken_for_no_other() -> None:
    lost = LostValue()

    for use in (
        str,
        bool,
        list,
        len,
        hash,
        lambda it: it.id,
        lambda it: it["id"],
        lambda it: it == 1,
    ):
        with pytest.raises(LostValueError, match="Return plain data"):
            use(lost)  # type: ignore[operator]


@dataclass
class Size:
    litres: int


async def test_what_is_annotated_and_what_is_not_come_back_side_by_side(tmp_path: Path) -> None:
    got: list[object] = []

    def declare(m: Mulligan) -> Any:
        def order(size: Size, price, lines, day: date):  # type: ignore[no-untyped-def]
            got.append((size, price, lines, day))
            return "ordered"

        order.__annotations__ = {"size": Size, "day": date}
        return m.tool(effect=Effect.IRREVERSIBLE)(order)

    given = (Size(3), Decimal("1.10"), {7: 2}, "2026-11-20")
    with Mulligan(f"sqlite:///{tmp_path}/a.db", recover=False) as m:
        order = declare(m)
        done = await m.act("Order", lambda _: str(order(*given)))
    with Mulligan(f"sqlite:///{tmp_path}/a.db", recover=False) as m:
        declare(m)
        m.insights.open_list.approve(done.open_actions[0], by="Ann")
        await m.recover()

    assert got == [given]
