"""A name is one tool's, and a turn is one application's."""

from __future__ import annotations

from pathlib import Path

import pytest

from mulligan import Effect, Mulligan, State
from mulligan.types.errors import ConfigurationError


def declare_mail(m: Mulligan, sent: list[str]):
    @m.tool(effect=Effect.IRREVERSIBLE, name="notify")
    async def send_mail(to: str) -> None:
        sent.append(f"mail to {to}")

    return send_mail


def declare_text(m: Mulligan, sent: list[str]):
    @m.tool(effect=Effect.IRREVERSIBLE, name="notify")
    async def send_text(to: str) -> None:
        sent.append(f"text to {to}")

    return send_text


def test_a_second_tool_of_one_name_is_refused_and_both_places_are_named() -> None:
    with Mulligan("memory:") as m:
        declare_mail(m, [])

        with pytest.raises(ConfigurationError, match=r"'notify'.*send_mail.*send_text.*name=…"):
            declare_text(m, [])


def test_on_another_server_it_is_another_tool() -> None:
    with Mulligan("memory:") as m:
        m.tool(name="notify", server="mail")(lambda to: None)
        m.tool(name="notify", server="text")(lambda to: None)
        with m.turn("Hello"):
            pass

        assert [tool.server for tool in m.insights.tools()] == ["mail", "text"]


def test_a_cell_that_is_run_again_replaces_its_own() -> None:
    cell = "@m.tool(effect='read')\ndef find(where): return {}"
    with Mulligan("memory:") as m:
        notebook: dict[str, object] = {"__name__": "__main__", "m": m}
        exec(compile(cell.format("'old'"), "/tmp/ipykernel_1/11.py", "exec"), notebook)
        exec(compile("\n" + cell.format("'new'"), "/tmp/ipykernel_1/22.py", "exec"), notebook)

        with m.turn("Hello"):
            assert notebook["find"]("here") == "new"  # type: ignore[operator]
        assert [tool.tool for tool in m.insights.tools()] == ["find"]


async def test_what_was_approved_is_what_runs_though_its_place_has_a_newer_one() -> None:
    first: list[str] = []
    second: list[str] = []
    async with Mulligan("memory:", recover=False) as m:
        async with m.turn("Write to Grandma"):
            await declare_mail(m, first)("Grandma")
        declare_mail(m, second)  # as for another request
        [held] = m.insights.open_list.actions()
        m.insights.open_list.approve(held.id, by="Mum")

        await m.recover()

    assert (first, second) == (["mail to Grandma"], [])


def declare_move(m: Mulligan, days: dict[str, str]):
    @m.tool(
        effect=Effect.REVERSIBLE,
        before=lambda record: days[str(record.arguments["name"])],
        undo=lambda record: days.update({str(record.arguments["name"]): str(record.before)}),
        about=lambda record: record.arguments["name"],
    )
    async def move(name: str, day: str) -> None:
        days[name] = day

    return move


async def test_a_tool_of_another_application_is_no_part_of_the_turn_it_is_called_in(
    tmp_path: Path,
) -> None:
    ours, theirs = {"dinner": "Monday"}, {"dinner": "Monday"}
    store = f"sqlite:///{tmp_path}/theirs.db"
    async with Mulligan("memory:", recover=False) as m, Mulligan(store, recover=False) as other:
        move, move_theirs = declare_move(m, ours), declare_move(other, theirs)

        async def agent(turn: object) -> str:
            await move("dinner", "Friday")
            await move_theirs("dinner", "Friday")
            return "Moved."

        done = await m.act("Move dinner", agent)

        assert done.open_actions == ()
        assert m.insights.open_list.actions() == []
    assert (ours, theirs) == ({"dinner": "Friday"}, {"dinner": "Friday"})


async def test_inside_a_turn_of_another_application_its_own_turn_is_found_again() -> None:
    ours = {"dinner": "Monday"}
    async with Mulligan("memory:", recover=False) as m, Mulligan("memory:") as other:
        move = declare_move(m, ours)

        async with m.turn("Move dinner") as turn, other.turn("Something else"):
            await move("dinner", "Friday")

            [action] = turn.list_actions()
            assert action.state is State.EXECUTED
