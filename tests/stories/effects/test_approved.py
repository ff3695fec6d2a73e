"""What a person approved is done once, or a person hears that it was not."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

from mulligan import Effect, Mulligan
from mulligan.core.action import State
from mulligan.core.points import Point
from mulligan.core.record import Record
from mulligan.testing.faults import Deed, Faults, Strike


async def test_a_store_put_back_from_a_copy_makes_no_approved_call_again(tmp_path: Path) -> None:
    store, copy, sent = tmp_path / "store", tmp_path / "copy", []
    store.mkdir()
    url = f"sqlite:///{store}/family.db"

    def declare(m: Mulligan) -> Any:
        def find(record: Record) -> str | None:
            return "sent" if record.key in sent else None

        @m.tool(effect=Effect.IRREVERSIBLE, key="key", probe=find)
        async def send(to: str, key: str | None = None) -> str:
            sent.append(key)
            return "sent"

        return send

    with Mulligan(url, recover=False) as m:
        send = declare(m)
        done = await m.act("Write to Ann", lambda _: send("Ann"))
        m.insights.open_list.approve(done.open_actions[0], by="Mum")
    shutil.copytree(store, copy)
    found = []
    for _ in range(2):
        with Mulligan(url, recover=False) as m:
            declare(m)
            await m.recover()
            found.append(m.insights.open_list.find(done.open_actions[0]).state)
        shutil.rmtree(store)
        shutil.copytree(copy, store)

    assert len(sent) == 1
    assert found == [State.VERIFIED, State.NEEDS_HUMAN]


async def test_an_approved_call_that_its_process_did_not_live_to_make_is_before_a_person(
    tmp_path: Path,
) -> None:
    url, sent = f"sqlite:///{tmp_path}/family.db", []

    def declare(m: Mulligan) -> Any:
        @m.tool(
            effect=Effect.IRREVERSIBLE, key="key", probe=lambda _: None, lands_within=timedelta(0)
        )
        async def send(to: str, key: str | None = None) -> str:
            sent.append(key)
            return "sent"

        return send

    with Mulligan(url, recover=False) as m:
        send = declare(m)
        done = await m.act("Write to Ann", lambda _: send("Ann"))
        m.insights.open_list.approve(done.open_actions[0], by="Mum")
        with Faults(Strike(deed=Deed.CANCEL, point=Point.RELEASED)):
            await m.recover()
    with Mulligan(url, recover=False) as m:
        declare(m)
        for _ in range(3):
            await m.recover()
        found = m.insights.open_list.find(done.open_actions[0])

    assert sent == []
    assert found.state is State.NEEDS_HUMAN
    assert "A person approved it" in str(found.detail["why"])
