"""What an agent asked for stays what is asked for, cold and after any number of lessons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mulligan import Arguments, Effect, Memory, Mode, Mulligan
from mulligan.types.call import Record


class RefusedError(Exception):
    status_code = 422


class Store:
    """Things that can be purged, behind a proxy that refuses what it does not know."""

    def __init__(self, m: Mulligan, argument: str) -> None:
        self.held = {name: name for name in "abcdefgh"}
        self.purged: list[str] = []
        self.purge = self._declare(m, argument)

    def _declare(self, m: Mulligan, argument: str) -> Callable[..., Any]:
        items = {"type": "array", "items": {"type": "string"}}
        schema = {"type": "object", "properties": {argument: items}, "required": [argument]}

        def read(record: Record) -> object:
            return dict(self.held)

        def undo(record: Record) -> None:
            self.held = dict(record.before)  # type: ignore[call-overload]

        @m.tool(
            effect=Effect.REVERSIBLE,
            mode=Mode.AUTO,
            refuses=RefusedError,
            arguments=Arguments(schema={**schema, "additionalProperties": False}),
            deletes=True,
            before=read,
            undo=undo,
        )
        def purge(**given: list[str]) -> str:
            for name in given:
                if name != argument:
                    raise RefusedError(
                        f"Additional properties are not allowed ('{name}' was unexpected)"
                    )
            self.purged += given[argument]
            for name in given[argument]:
                del self.held[name]
            return "purged"

        return purge


@pytest.fixture
def m():
    with Mulligan("memory:", memory=Memory(seeds=False, control=0), recover=False) as m:
        yield m


NAMES = [
    ("ids_to_keep", "ids"), ("except_ids", "ids"), ("parent_id", "id"), ("skip_rows", "rows"),
    ("from_account", "account"), ("beta_ids", "ids"),
]  # fmt: skip


@pytest.mark.full
@pytest.mark.parametrize(("given", "real"), NAMES)
async def test_what_is_to_be_kept_is_not_what_is_deleted(m: Mulligan, given: str, real: str):
    store = Store(m, real)

    async def agent(turn: object) -> str:
        with pytest.raises(RefusedError) as caught:
            store.purge(**{given: ["a"]})
        return str(caught.value.mulligan)  # type: ignore[attr-defined]

    done = await m.act("Purge everything but a", agent)

    assert store.purged == []
    assert "Try:" not in str(done.reply)


async def test_a_name_in_another_spelling_is_repaired(m: Mulligan) -> None:
    store = Store(m, "order_ids")

    async def agent(turn: object) -> str:
        return str(store.purge(orderIds=["a"]))

    await m.act("Purge a", agent)

    assert store.purged == ["a"]


@pytest.mark.parametrize("flag", ["dry_run", "only_if_empty", "limit"])
async def test_a_dry_run_is_not_carried_out_however_often_the_flag_was_left_out(
    m: Mulligan, flag: str
) -> None:
    store = Store(m, "ids")
    for name in "abcdef":

        async def teacher(turn: object, name: str = name) -> str:
            with pytest.raises(RefusedError):
                store.purge(ids=[name], **{flag: False})
            return str(store.purge(ids=[name]))

        await m.act(f"Purge {name}", teacher)
    m.flush()
    m.insights.lesson_list.consolidate()

    async def agent(turn: object) -> str:
        with pytest.raises(RefusedError) as caught:
            store.purge(ids=["g"], **{flag: True})
        return str(caught.value.mulligan)  # type: ignore[attr-defined]

    done = await m.act("What would a purge of g do? Only try it dry.", agent)

    assert "g" in store.held
    assert "What to do: ask." in str(done.reply)
    assert "Try:" not in str(done.reply)


@pytest.mark.parametrize("effect", ["read", "reversible"])
def test_a_table_for_twelve_is_not_looked_for_as_one_for_ten(m: Mulligan, effect: str) -> None:
    tried: list[int] = []
    able = {"refuses": ValueError, "undo": lambda _: None, "read": lambda _: None}

    @m.tool(effect=effect, mode="auto", **({} if effect == "read" else able))
    def tables(people: int) -> str:
        tried.append(people)
        if people > 10:
            raise ValueError("people must be at most 10")
        return f"a table for {people}"

    with (
        m.turn("A table for twelve people"),
        pytest.raises(ValueError, match="at most 10") as caught,
    ):
        tables(12)

    advised = str(caught.value.mulligan)  # type: ignore[attr-defined]
    assert set(tried) == {12}
    assert "Ask the person: people 12 is not possible, at most 10 is" in advised


@pytest.mark.full
@pytest.mark.parametrize(
    ("argument", "sign"), [("delta", "-{}"), ("label", "!{}"), ("name", "{}*"), ("doc", "../{}")]
)
def test_a_sign_that_means_something_is_asked_for_at_a_failure_and_in_the_pitfalls(
    m: Mulligan, argument: str, sign: str
) -> None:
    right: set[str] = set()

    @m.tool(
        effect="read",
        arguments=Arguments(
            schema={"type": "object", "properties": {argument: {"type": "string"}}}
        ),
    )
    def look(**given: str) -> str:
        if given[argument] not in right:
            raise ValueError(f"{argument} {given[argument]} refused")
        return "ok"

    for value in ("31", "42", "53", "64", "75", "86"):
        right.add(sign.format(value))
        with m.turn(f"do it with {value}"):
            with pytest.raises(ValueError, match="refused"):
                look(**{argument: value})
            look(**{argument: sign.format(value)})
    m.flush()
    m.insights.lesson_list.consolidate()

    with m.turn("do it with 77"), pytest.raises(ValueError, match="refused") as caught:
        look(**{argument: "77"})

    assert "Try:" not in str(caught.value.mulligan)  # type: ignore[attr-defined]
    assert "must be given" not in m.pitfalls("look")
    assert "ask whether you may" in m.pitfalls("look")
