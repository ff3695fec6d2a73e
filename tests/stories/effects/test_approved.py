"""What a person approved is done once, or a person hears that it was not."""

from __future__ import annotations

import shutil
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

from mulligan import Effect, Mulligan, Remote
from mulligan.process.fault_points import Point
from mulligan.types.action import State
from mulligan.types.call import Record
from mulligan_testing.faults import Deed, Faults, Strike


class Outbox:
    """A remote that sends each message once, and can say whether it did."""

    def __init__(self) -> None:
        self.sent: list[str | None] = []

    def find(self, record: Record) -> str | None:
        return "sent" if record.key in self.sent else None

    def declare(self, m: Mulligan) -> Callable[[str], Awaitable[str]]:
        """The tool that sends, as an application declares it each time that it starts."""

        @m.tool(
            effect=Effect.IRREVERSIBLE,
            key="key",
            probe=self.find,
            remote=Remote(lands_within=timedelta(0)),
        )
        async def send(to: str, key: str | None = None) -> str:
            self.sent.append(key)
            return "sent"

        return send


async def test_a_store_put_back_from_a_copy_makes_no_approved_call_again(tmp_path: Path) -> None:
    store, copy, outbox = tmp_path / "store", tmp_path / "copy", Outbox()
    store.mkdir()
    url = f"sqlite:///{store}/family.db"

    with Mulligan(url, recover=False) as m:
        send = outbox.declare(m)
        done = await m.act("Write to Ann", lambda _: send("Ann"))
        m.insights.open_list.approve(done.open_actions[0], by="Mum")
    shutil.copytree(store, copy)
    found = []
    for _ in range(2):
        with Mulligan(url, recover=False) as m:
            outbox.declare(m)
            await m.recover()
            found.append(m.insights.open_list.find(done.open_actions[0]).state)
        shutil.rmtree(store)
        shutil.copytree(copy, store)

    assert len(outbox.sent) == 1
    assert found == [State.UNCHECKED, State.NEEDS_HUMAN]


async def test_an_approved_call_that_its_process_did_not_live_to_make_is_before_a_person(
    tmp_path: Path,
) -> None:
    url, outbox = f"sqlite:///{tmp_path}/family.db", Outbox()

    with Mulligan(url, recover=False) as m:
        send = outbox.declare(m)
        done = await m.act("Write to Ann", lambda _: send("Ann"))
        m.insights.open_list.approve(done.open_actions[0], by="Mum")
        with Faults(Strike(deed=Deed.CANCEL, point=Point.RELEASED)):
            await m.recover()
    with Mulligan(url, recover=False) as m:
        outbox.declare(m)
        for _ in range(3):
            await m.recover()
        found = m.insights.open_list.find(done.open_actions[0])

    assert outbox.sent == []
    assert found.state is State.NEEDS_HUMAN
    assert "A person approved it" in str(found.detail["why"])
