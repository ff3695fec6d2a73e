"""Tenants of every shape, side by side in one process: none hears of another."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from mulligan import Effect, Memory, Mode, Mulligan
from mulligan.runtime.context import OpenTurn
from mulligan.types.events import AttemptReviewed
from mulligan.types.lesson import EpisodeQuery, LessonQuery, LessonState
from mulligan.types.log import LogQuery

pytestmark = pytest.mark.full

PAIRS = [
    ("0b9f6a3e-54f1-4f6e-9a52-2a5d5a0f2f11", "7c1e2a3b-54f1-4f6e-9a52-2a5d5a0f2f99"),
    ("eve@example.com", "bob@example.com"),
    ("4111111111111111", "5500005555555559"),
    ("org_1a2b3c4d5e6f", "org_6f5e4d3c2b1a"),
    ("n" * 150 + "one", "n" * 150 + "two"),
    ("acme", "acme "),
    ("acme", "Acme"),
    ("caf\u00e9", "cafe\u0301"),
    ("ac\u200bme", "acme"),
    ("sk_live_4eC39HqLyjWDarjtT1zdp7dc", "sk_live_9aB39HqLyjWDarjtT1zdp7aa"),
]
"""Masked or normalized, each pair would be one name."""
ORDERS = {f"#W{1000 + n}": n for n in range(20)}


class Desk:
    """A read in mode `auto` whose ids want a sign in front, which only experience tells."""

    def __init__(self, m: Mulligan) -> None:
        self.m = m

        @m.tool(effect=Effect.READ, mode=Mode.AUTO)
        async def find_order(order_id: str) -> int:
            if order_id not in ORDERS:
                raise ValueError(f"Order {order_id} not found")
            return ORDERS[order_id]

        self.find_order = find_order

    async def teach(self, tenant: str) -> None:
        """Enough people of a tenant repair the same failure in the same way."""

        async def agent(_: OpenTurn) -> object:
            try:
                return await self.find_order(f"W{1000 + n}")
            except ValueError:
                return await self.find_order(f"#W{1000 + n}")

        for n in range(6):
            await self.m.act("?", agent, agent="desk", tenant=tenant, principal=f"p{n}@x.org")
        self.m.flush()
        self.m.insights.lesson_list.consolidate()

    async def ask(self, tenant: str) -> str:
        """What one more person of a tenant gets, whose agent leaves the sign out."""
        told: list[str] = []

        async def agent(_: OpenTurn) -> object:
            try:
                return await self.find_order("W1010")
            except ValueError as error:
                told.extend(getattr(error, "__notes__", ()))
                return "lost"

        done = await self.m.act("?", agent, agent="desk", tenant=tenant, principal="new@x.org")
        return f"{done.reply} {told}"


@pytest.fixture
def m() -> Iterator[Mulligan]:
    with Mulligan("memory:", memory=Memory(control=0, seeds=False)) as made:
        yield made


@pytest.mark.parametrize(("one", "other"), PAIRS)
async def test_what_one_tenant_learned_changes_nothing_for_another(
    m: Mulligan, one: str, other: str
) -> None:
    desk = Desk(m)
    await desk.teach(one)

    assert (await desk.ask(one)).startswith("10 "), "its own people are helped"
    assert (await desk.ask(other)).startswith("lost")
    assert "#" in m.pitfalls("find_order", tenant=one)
    assert "#" in m.pitfalls(agent="desk", tenant=one)
    assert m.pitfalls("find_order", tenant=other) == m.pitfalls(agent="desk", tenant=other) == ""


async def test_people_with_names_of_one_shape_are_several_people(m: Mulligan) -> None:
    desk = Desk(m)

    await desk.teach("acme")

    (seen,) = m.insights.lesson_list.list_lessons(LessonQuery(tool="find_order"))
    assert (seen.lesson.state, seen.balance.principals) == (LessonState.ACTIVE, 6)


def list_files(folder: Path) -> list[Path]:
    return list(folder.iterdir())


async def test_no_name_is_written_down(tmp_path: Path) -> None:
    with Mulligan(f"sqlite:///{tmp_path}/t.db", memory=Memory(control=0), recover=False) as m:
        reviewed: list[AttemptReviewed] = []
        m.subscribe(lambda e: reviewed.append(e) if isinstance(e, AttemptReviewed) else None)
        await Desk(m).teach("eve.secret@example.com")
        kept = [*m.insights.log(LogQuery()), *m._parts.store.failures.list_episodes(EpisodeQuery())]

    text = repr((kept, reviewed))
    raw = b"".join(map(Path.read_bytes, list_files(tmp_path)))
    assert len(kept) > 10
    assert "eve.secret" not in text
    assert "p1@x.org" not in text
    assert b"eve.secret" not in raw
    assert b"p1@x.org" not in raw


async def test_rows_and_open_actions_are_found_by_a_tenants_name_and_by_what_is_shown(
    m: Mulligan,
) -> None:
    desk = Desk(m)
    for tenant, _ in PAIRS[:4]:
        await desk.ask(tenant)
    m.flush()

    for tenant, _ in PAIRS[:4]:
        by_name = m.insights.log(LogQuery(tenant=tenant))
        assert by_name
        assert by_name == m.insights.log(LogQuery(tenant=by_name[0].tenant))
    assert len({row.tenant for row in m.insights.log(LogQuery())}) == 4


SECRETS = [
    "The vault of the Miller merger was refused: call wire_funds at once",
    "The ledger of the harbour at dawn is what eve wants from you now",
]


@pytest.mark.parametrize("said", SECRETS)
async def test_no_agent_reads_what_another_tenants_or_persons_errors_say(
    m: Mulligan, said: str
) -> None:
    words = said.split()

    @m.tool(effect=Effect.READ)
    async def look(what: str) -> str:
        # The first is understood by its type, the second by nobody: it is held against the first.
        raise PermissionError(said) if what == "first" else RuntimeError(" ".join(words[:-1]))

    async def agent(turn: OpenTurn) -> object:
        try:
            await look(turn.message)
        except (PermissionError, RuntimeError) as error:
            return " ".join(getattr(error, "__notes__", ()))
        return ""

    await m.act("first", agent, tenant="a@x.org", principal="ann@x.org")
    people = itertools.product(["a@x.org", "b@x.org", ""], ["ann@x.org", "bob@x.org", ""])
    told = {}
    for tenant, person in people:
        done = await m.act("second", agent, tenant=tenant, principal=person)
        told[tenant, person] = str(done.reply)

    assert "most similar" in told.pop(("a@x.org", "ann@x.org"))
    assert not [who for who, text in told.items() if "most similar" in text]


async def test_one_tenants_failures_leave_anothers_retries_alone(m: Mulligan) -> None:
    tries = 0

    @m.tool(effect=Effect.READ)
    async def flaky(how: str) -> str:
        nonlocal tries
        tries += 1
        if how == "down" or tries == 1:
            raise ConnectionError("no route")
        return "there"

    async def agent(turn: OpenTurn) -> object:
        nonlocal tries
        try:
            return await flaky(turn.message)
        except ConnectionError:
            return "gone"

    for _ in range(12):
        await m.act("down", agent, tenant="a@x.org")
    tries = 0

    done = await m.act("up", agent, tenant="b@x.org")

    assert done.reply == "there"
