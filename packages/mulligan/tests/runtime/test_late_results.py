"""An effect that comes when others have given its process up is never called nothing."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mulligan import Effect, Mulligan, Remote
from mulligan.stores.opening import open_store
from mulligan.types.action import State
from mulligan.types.errors import StaleEntryError, StoreUnavailableError
from mulligan_testing.store_contract.contract import make_next_entry

SOON = timedelta(milliseconds=1)


class World:
    """What was done, and what others write into the journal while it is being done."""

    def __init__(self, url: str, *others: State) -> None:
        self.done: list[str] = []
        self.others = others
        self.store = open_store(url)

    @property
    def action(self):
        [found] = self.store.journal.list_open_actions() or [
            self.store.journal.find_action(self.known)
        ]
        return found

    def add(self, name: str) -> str:
        """Slow: others give its process up, look and write, before it has an effect."""
        self.known = self.action.id
        for version, state in enumerate(self.others, start=2):
            self.store.journal.submit(
                [make_next_entry(self.known, state, version=version)]
            ).result()
        self.done.append(name)
        return name


def declare(m: Mulligan, world: World):
    def find(record) -> str | None:
        return next((each for each in world.done if each == record.arguments["name"]), None)

    def undo(record) -> None:
        world.done.remove(record.arguments["name"])

    @m.tool(
        effect=Effect.REVERSIBLE, undo=undo, read=find, probe=find, remote=Remote(lands_within=SOON)
    )
    def add(name: str) -> str:
        """Add something."""
        return world.add(name)

    return add


@pytest.fixture
def url(tmp_path) -> str:
    return f"sqlite:///{tmp_path / 'late.db'}"


async def act(m: Mulligan, add) -> None:
    async with m.turn("Add a"):
        add(name="a")


async def test_what_others_have_called_nothing_goes_before_a_person(url) -> None:
    world = World(url, State.UNKNOWN, State.NOT_EXECUTED)
    async with Mulligan(url, recover=False) as m:
        await act(m, declare(m, world))

    assert world.done == ["a"]
    assert world.action.state is State.NEEDS_HUMAN


async def test_who_has_looked_too_early_is_not_let_write_it(url) -> None:
    world = World(url, State.UNKNOWN)
    async with Mulligan(url, recover=False) as m:
        await act(m, declare(m, world))
        decided = make_next_entry(world.known, State.NOT_EXECUTED, version=3)
        refused = world.store.journal.submit([decided]).exception()
        await m.recover()

    assert isinstance(refused, StaleEntryError)
    assert world.action.state is not State.NOT_EXECUTED


async def test_a_store_that_is_away_is_told_once_it_is_back(url, monkeypatch) -> None:
    world = World(url, State.UNKNOWN, State.NOT_EXECUTED)
    async with Mulligan(url, recover=False) as m:
        add, journal = declare(m, world), m.insights.store.journal
        known = journal.find_action

        def be_away(_action: str) -> None:
            raise StoreUnavailableError("away")

        monkeypatch.setattr(journal, "find_action", be_away)
        await act(m, add)
        while_away = world.action.state
        monkeypatch.setattr(journal, "find_action", known)
        await m.recover()

    assert while_away is State.NOT_EXECUTED
    assert world.action.state is State.NEEDS_HUMAN
