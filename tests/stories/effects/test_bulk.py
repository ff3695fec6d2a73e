"""A bulk without an answer is not repeated in its turn, and a rejected one costs what it should."""

from __future__ import annotations

from pathlib import Path

import pytest

from mulligan import Effect, Mulligan
from mulligan.types.call import Record
from tests.stories.effects.remote import StoryRemote
from tests.stories.effects.world import act, list_open, open_app

FEW, MANY = 40, 160


@pytest.mark.parametrize("again", [["dinner", "lunch"], ["lunch"]])
async def test_no_element_of_a_bulk_that_gave_no_answer_is_made_again_in_its_turn(
    content: Mulligan, again: list[str]
) -> None:
    remote = StoryRemote()

    @content.tool(
        effect=Effect.REVERSIBLE, each="titles", undo=lambda record: None, read=lambda _: None
    )
    async def create_many(titles: list[str]) -> None:
        for title in titles:
            remote.create({"title": title})
        raise TimeoutError("no answer")

    async def try_again() -> None:
        try:
            await create_many(["dinner", "lunch"])
        except TimeoutError:
            await create_many(again)

    await act(content, try_again)

    assert [line.data["title"] for line in remote.ledger] == ["dinner", "lunch"]
    assert len(list_open(content)) == 2


async def reject_bulk(store: Path, count: int) -> int:
    """How many bytes a rejected bulk of so many elements leaves in the store."""
    invited: set[str] = set()

    def uninvite(record: Record) -> None:
        invited.discard(str(record.arguments["names"]))

    def is_invited(record: Record) -> object:
        return str(record.arguments["names"]) in invited or None

    with open_app(f"sqlite:///{store}", rejects=True) as m:

        @m.tool(effect=Effect.REVERSIBLE, each="names", read=is_invited, undo=uninvite)
        async def invite(names: list[str]) -> list[str]:
            invited.update(names)
            return names

        await act(m, lambda: invite([f"guest {number}" for number in range(count)]))
        assert invited == set()
        assert list_open(m) == []
    return sum(file.stat().st_size for file in store.parent.glob(f"{store.name}*"))


@pytest.mark.full
async def test_a_rejected_bulk_takes_room_by_its_size_and_not_by_its_square(
    tmp_path: Path,
) -> None:
    nothing = await reject_bulk(tmp_path / "nothing.db", 1)
    few = await reject_bulk(tmp_path / "few.db", FEW)
    many = await reject_bulk(tmp_path / "many.db", MANY)

    assert many - nothing < 1.5 * (MANY / FEW) * (few - nothing)
