"""Bulks: an unknown one is not repeated in its turn, and a rejected one costs what it should."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from mulligan import Effect, Mulligan
from mulligan.types.call import Record
from tests.stories.effects.remote import StoryRemote
from tests.stories.effects.world import act, list_open, open_app

FEW, MANY = 40, 160


class Guests:
    """A list of guests on a remote that may give no answer."""

    def __init__(self, *, answers: bool = True) -> None:
        self.names: list[str] = []
        self.invited: set[str] = set()
        self._answers = answers

    def invite(self, names: list[str]) -> list[str]:
        self.names += names
        self.invited |= set(names)
        if not self._answers:
            raise TimeoutError("no answer")
        return names

    def uninvite(self, record: Record) -> None:
        self.invited.discard(str(record.arguments["names"]))

    def is_invited(self, record: Record) -> object:
        return str(record.arguments["names"]) in self.invited or None


def declare_invite(m: Mulligan, guests: Guests) -> Callable[..., Any]:
    @m.tool(effect=Effect.REVERSIBLE, each="names", read=guests.is_invited, undo=guests.uninvite)
    async def invite(names: list[str]) -> list[str]:
        return guests.invite(names)

    return invite


def declare_create_many(m: Mulligan, remote: StoryRemote) -> Callable[..., Any]:
    @m.tool(effect=Effect.REVERSIBLE, each="titles", undo=lambda record: None, read=lambda _: None)
    async def create_many(titles: list[str]) -> list[Any]:
        for title in titles:
            remote.create({"title": title})
        raise TimeoutError("no answer")

    return create_many


async def test_a_bulk_that_gave_no_answer_is_not_made_again_in_its_turn() -> None:
    remote = StoryRemote()
    with open_app() as m:
        create_many = declare_create_many(m, remote)

        async def try_twice() -> None:
            try:
                await create_many(["dinner", "lunch"])
            except TimeoutError:
                await create_many(["dinner", "lunch"])

        await act(m, try_twice)

        assert [line.data["title"] for line in remote.ledger] == ["dinner", "lunch"]
        assert len(list_open(m)) == 2


async def test_an_element_of_a_bulk_that_gave_no_answer_is_not_made_again_in_another_bulk() -> None:
    remote = StoryRemote()
    with open_app() as m:
        create_many = declare_create_many(m, remote)

        async def try_the_rest() -> None:
            try:
                await create_many(["dinner", "lunch"])
            except TimeoutError:
                await create_many(["lunch"])

        await act(m, try_the_rest)

        assert [line.data["title"] for line in remote.ledger] == ["dinner", "lunch"]


async def reject_bulk(store: Path, count: int) -> int:
    """How many bytes a rejected bulk of so many elements leaves in the store."""
    guests = Guests()
    with open_app(f"sqlite:///{store}", rejects=True) as m:
        invite = declare_invite(m, guests)
        await act(m, lambda: invite([f"guest {number}" for number in range(count)]))
        assert guests.invited == set()
        assert list_open(m) == []
    return measure_files(store)


def measure_files(store: Path) -> int:
    return sum(file.stat().st_size for file in store.parent.glob(f"{store.name}*"))


async def test_a_rejected_bulk_takes_room_by_its_size_and_not_by_its_square(
    tmp_path: Path,
) -> None:
    nothing = await reject_bulk(tmp_path / "nothing.db", 1)
    few = await reject_bulk(tmp_path / "few.db", FEW)
    many = await reject_bulk(tmp_path / "many.db", MANY)

    assert many - nothing < 1.5 * (MANY / FEW) * (few - nothing)
