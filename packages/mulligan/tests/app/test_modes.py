"""How far an application goes at most: from nothing at all to corrections that are applied."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from mulligan import Done, Effect, Mode, Mulligan, OpenTurn, Settings, Severity, Standing
from mulligan.app.wiring import _obey_operator
from mulligan.checks.text import length
from mulligan.insights.insights import Insights
from mulligan.loops.replies import ReplyRules
from mulligan.types.errors import ConfigurationError
from mulligan.types.events import CallFlagged
from mulligan.types.log import LogQuery
from tests.app.test_worker import wait_until
from tests.cli.running import run

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


class Desk:
    """Two tools and an agent that takes the wrong day, unless it is corrected."""

    def __init__(self, m: Mulligan, *, mode: Mode = Mode.AUTO) -> None:
        self.m, self.days, self.sent, self.told = m, {"dinner": 18}, list[str](), list[object]()

        @m.tool(
            effect=Effect.REVERSIBLE,
            mode=mode,
            before=lambda record: self.days["dinner"],
            undo=lambda record: self.days.update(dinner=record.before),
        )
        def move(day: int) -> None:
            self.days["dinner"] = day

        m.check("move")(lambda call: None if call.arguments["day"] == 20 else "Friday is the 20th.")
        self.move, self.send = move, declare(m, self.sent)

    def act(self) -> Done[str]:
        def agent(turn: OpenTurn) -> str:
            self.told.append(turn.correction)
            self.send("Dinner is moved.")
            self.move(20 if turn.correction else 21)
            return "Moved."

        return self.m.act_sync("Move dinner to Friday", agent)

    def count_reports(self) -> dict[str, int]:
        self.m.flush()
        found = self.m.insights.figures(timedelta(days=1)).findings
        return {f"{each.rule} {each.tool}": each.count for each in found if "shadow" in each.rule}


def mode_of(m: Mulligan, tool: str) -> str:
    return next(each.mode for each in m._parts.describe_tools() if each.tool == tool)


@pytest.mark.parametrize("mode", [Mode.OFF, Mode.OBSERVE, Mode.SHADOW])
def test_an_agent_that_is_only_watched_is_never_corrected_nor_its_reply_changed(mode: Mode) -> None:
    with Mulligan("memory:", mode=mode) as m:
        desk = Desk(m)
        done = desk.act()

        assert (done.reply, len(done.attempts), desk.told) == ("Moved.", 1, [None])
        assert (desk.sent, desk.days) == (["Dinner is moved."], {"dinner": 21})
        assert m.insights.open_list.actions() == []
        assert done.finished


def test_shadow_mode_reports_what_it_would_have_done() -> None:
    with Mulligan("memory:", mode=Mode.SHADOW) as m:
        desk = Desk(m)
        done = desk.act()
        reports = desk.count_reports()
        doctor = " ".join(m.insights.diagnose().advice)

    assert reports == {"shadow.held send": 1, "shadow.rejected move": 1, "shadow.undone move": 1}
    assert "Friday is the 20th." in [each.issue for each in done.findings]
    assert "held 1" in doctor


def test_shadow_mode_reports_of_calls_outside_any_turn_too() -> None:
    with Mulligan("memory:", mode=Mode.SHADOW) as m:
        desk = Desk(m)
        desk.move(21)
        desk.send("Hello")

        assert desk.days == {"dinner": 21}
        assert desk.sent == ["Hello"]
        reports = desk.count_reports()

    assert reports == {"shadow.held send": 1, "shadow.rejected move": 1, "shadow.undone move": 1}


def test_a_failed_call_in_shadow_mode_is_made_once_and_the_advice_counted() -> None:
    made, heard = list[object](), list[type]()
    with Mulligan("memory:", mode=Mode.SHADOW) as m:
        m.subscribe(lambda event: heard.append(type(event)))

        @m.tool(effect=Effect.READ)
        def find(limit: int) -> int:
            made.append(limit)
            if not isinstance(limit, int):
                raise TypeError("limit must be an integer, not a string")
            return limit

        desk = Desk(m)
        with m.turn("Find"), pytest.raises(TypeError) as raised:
            find("5")  # type: ignore[arg-type]

        assert made == ["5"]
        assert not hasattr(raised.value, "mulligan")
        assert desk.count_reports() == {"shadow.advised find": 1}
        assert heard.count(CallFlagged) == 1


def test_a_tool_in_shadow_mode_does_not_have_the_others_undone() -> None:
    with Mulligan("memory:") as m:
        desk = Desk(m, mode=Mode.SHADOW)
        done = desk.act()

        assert len(done.attempts) == 1
        assert desk.days == {"dinner": 21}
        assert desk.count_reports() == {"shadow.rejected move": 1, "shadow.undone move": 1}
        assert [each.opening.tool for each in m.insights.open_list.actions()] == ["send"]


def test_a_reply_in_shadow_mode_is_sent_as_it_was_written_and_reported() -> None:
    with Mulligan("memory:", mode=Mode.SHADOW) as m:
        replied = m.reply_sync(lambda _: "too long", rules=ReplyRules(checks=[length(at_most=3)]))

    assert replied.text == "too long"
    assert len(replied.iterations) == 1
    assert replied.standing is Standing.ACCEPTED
    assert [each.severity for each in replied.findings] == [Severity.WARNING]


def test_an_operator_turns_a_running_application_down_and_up_again(tmp_path) -> None:
    store = f"sqlite:///{tmp_path}/family.db"
    with Mulligan(store, lease=0.3) as m:
        desk = Desk(m)
        desk.act()
        assert (desk.sent, desk.days) == ([], {"dinner": 20})

        with Insights.open(Settings(store=store)) as operator:
            operator.set_mode(Mode.OBSERVE)
        assert wait_until(lambda: mode_of(m, "move") == "observe")
        desk.act()
        assert (desk.sent, desk.days) == (["Dinner is moved."], {"dinner": 21})

        with Insights.open(Settings(store=store)) as operator:
            operator.set_mode(Mode.AUTO)
            operator.set_mode(Mode.OFF, tool="send")
            assert operator.list_modes() == {"": Mode.AUTO, "send": Mode.OFF}
            assert "send" in {each.tool for each in operator.tools()}
            assert len(operator.tools()) == 2
        assert wait_until(lambda: mode_of(m, "send") == "off")
        desk.act()
        assert len(desk.sent) == 2  # it is not held, and its attempt cannot be made again


def test_a_limit_of_no_tool_or_of_a_misspelt_one_is_refused(tmp_path, capsys) -> None:
    store = f"sqlite:///{tmp_path}/family.db"
    with Mulligan(store) as m:
        Desk(m).act()

    nameless = run(capsys, "mode", "off", "--tool", "", "--store", store)
    misspelt = run(capsys, "mode", "off", "--tool", "sned", "--store", store)
    limits = run(capsys, "mode", "--store", store)

    assert nameless[0] == misspelt[0] == 2
    assert "Leave it out to limit all of them." in nameless[2]
    assert "No tool is called 'sned'. Did you mean 'send'?" in misspelt[2]
    assert "no limit" in limits[1]


def test_a_call_that_began_on_the_record_ends_on_it_whatever_an_operator_says() -> None:
    days = {"dinner": 20}

    with Mulligan("memory:") as m:

        @m.tool(effect="reversible", read=lambda r: days, undo=lambda r: days.update(r.before))
        def move(day: int) -> Iterator[None]:
            """Move dinner."""
            m.insights.set_mode(Mode.OBSERVE)
            _obey_operator(m.insights.store, m._parts.toolbox)
            return (days.update(dinner=each) for each in (day,))

        m.act_sync(MESSAGE, lambda turn: str(move(21)))

    assert days == {"dinner": 21}  # while the turn was open, and on its record


def test_the_stricter_of_operator_and_application_holds(tmp_path) -> None:
    store = f"sqlite:///{tmp_path}/family.db"
    with Mulligan(store) as m:
        Desk(m).act()
        m.insights.set_mode(Mode.SUGGEST)
    with Mulligan(store, mode=Mode.OBSERVE) as m:
        desk = Desk(m)
        desk.act()

        assert desk.days == {"dinner": 21}


def test_a_word_that_only_a_newer_version_knows_still_holds_calls(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Mulligan(f"sqlite:///{tmp_path}/family.db", mode=Mode.AUTO) as m:
        m.insights.store.catalog.limit("", "careful").result()

        assert act(m) == act(m) == []
        assert mode_of(m, "send") == "suggest"
        assert m.insights.list_modes() == {"": Mode.SUGGEST}
    assert caplog.text.count("'careful'") == 1


def test_a_mode_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="loud"):
        Mulligan("memory:", mode="loud")
