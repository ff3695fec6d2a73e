"""How far an application goes at most: from nothing at all to corrections that are applied."""

from __future__ import annotations

import pytest

from mulligan import Effect, Mode, Mulligan
from mulligan.checks.text import length
from mulligan.loops.replies import ReplyRules
from mulligan.types.errors import ConfigurationError
from mulligan.types.log import LogQuery

MESSAGE = "Tell Anna that dinner is on Friday."


def declare(m: Mulligan, sent: list[str]):
    @m.tool(effect=Effect.IRREVERSIBLE)
    def send(text: str) -> str:
        """Send a message."""
        sent.append(text)
        return "sent"

    return send


def act(m: Mulligan) -> list[str]:
    sent: list[str] = []
    send = declare(m, sent)
    m.act_sync(MESSAGE, lambda turn: send("Dinner is on Friday."))
    return sent


def list_logged(m: Mulligan) -> list[str]:
    m.flush()
    return [row.tool for row in m.insights.store.log.list_rows(LogQuery())]


@pytest.mark.parametrize("mode", [Mode.SUGGEST, Mode.AUTO])
def test_a_call_without_an_undo_is_held_where_the_application_acts(mode: Mode) -> None:
    with Mulligan("memory:", mode=mode) as m:
        assert act(m) == []
        assert len(m.insights.open_list.actions()) == 1


@pytest.mark.parametrize(("mode", "logged"), [(Mode.OBSERVE, ["send"]), (Mode.OFF, [])])
def test_an_application_that_only_watches_holds_nothing(mode: Mode, logged: list[str]) -> None:
    with Mulligan("memory:", mode=mode) as m:
        assert act(m) == ["Dinner is on Friday."]
        assert m.insights.open_list.actions() == []
        assert list_logged(m) == logged


def test_the_environment_is_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MULLIGAN_MODE", "off")

    with Mulligan("memory:") as m:
        assert act(m) == ["Dinner is on Friday."]


def test_a_reply_is_sent_as_it_was_written_where_the_application_only_watches() -> None:
    asked: list[object] = []

    def write(feedback: object) -> str:
        asked.append(feedback)
        return "too long"

    with Mulligan("memory:", mode=Mode.OBSERVE) as m:
        replied = m.reply_sync(write, rules=ReplyRules(checks=[length(at_most=3)]))

    assert (replied.text, asked) == ("too long", [None])


def test_what_was_held_before_it_was_turned_off_can_still_be_approved(tmp_path) -> None:
    store, sent = f"sqlite:///{tmp_path}/family.db", list[str]()
    with Mulligan(store) as m:
        send = declare(m, sent)
        m.act_sync(MESSAGE, lambda turn: send("Dinner is on Friday."))
        [held] = m.insights.open_list.actions()

    with Mulligan(store, mode=Mode.OFF) as m:
        declare(m, sent)
        m.insights.open_list.approve(held.id, by="Anna")
        m.recover_sync()

    assert sent == ["Dinner is on Friday."]


def test_a_mode_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="loud"):
        Mulligan("memory:", mode="loud")
