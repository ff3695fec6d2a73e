"""A rule that is muted, softened or hardened, of one tool or all, until a day, with a reason."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from mulligan import Call, Confidence, Finding, Mulligan, Severity, Standing, Turn
from mulligan.insights.filters import ActOrder
from mulligan.insights.insights import Insights
from mulligan.insights.rules import decide_rule
from mulligan.loops.actions import Attempted
from mulligan.runtime.turn import Done
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Fact, Waiver
from mulligan_testing.fakes import FixedClock
from tests.app.test_worker import wait_until
from tests.cli.running import run

NOW = datetime(2026, 11, 15, 9, tzinfo=UTC)
LATE = {"rule": "day.late", "until": date(2026, 11, 20), "reason": "Its parser is being mended."}


def flag(attempted: Attempted) -> Iterator[Finding]:
    for each in attempted.executions:
        yield Finding(
            rule="day.late", severity=Severity.ERROR, issue="It is too late.", call=each.call.id
        )


def pass_by(attempted: Attempted) -> Iterator[Finding]:
    yield from ()


def look(attempted: Attempted) -> Iterator[Finding]:
    for each in attempted.executions:
        assert each.call.arguments["day"] == 21
    yield from ()


def act(m: Mulligan, *tools: str) -> Done[str]:
    days = {"dinner": 20}

    def move(day: int) -> None:
        """Move dinner."""
        days["dinner"] = day

    declared = {"before": lambda _: dict(days), "undo": lambda r: days.update(r.before)}
    made = [m.tool(move, effect="reversible", name=name, **declared) for name in tools]

    def agent(turn: Any) -> str:
        for each in made:
            each(21)
        return "Done."

    return m.act_sync("Move dinner to the 21st", agent, agent="planner")


@pytest.mark.parametrize(
    ("waiver", "standing", "found"),
    [
        ({}, Standing.UNCHECKED, []),
        ({"severity": "warning"}, Standing.ACCEPTED, [Severity.WARNING]),
        ({"tool": "move"}, Standing.UNCHECKED, []),
        ({"tool": "shift"}, Standing.REJECTED, [Severity.ERROR]),
        ({"agent": "planner"}, Standing.UNCHECKED, []),
        ({"agent": "clerk"}, Standing.REJECTED, [Severity.ERROR]),
        ({"severity": "error"}, Standing.REJECTED, [Severity.ERROR]),
        ({"rule": "day.early"}, Standing.REJECTED, [Severity.ERROR]),
        ({"until": date(2026, 11, 14)}, Standing.REJECTED, [Severity.ERROR]),
        ({"until": date(2026, 11, 15)}, Standing.UNCHECKED, []),
    ],
)
def test_a_finding_of_a_waived_rule_counts_as_a_person_says(
    waiver: dict[str, Any], standing: Standing, found: list[Severity]
) -> None:
    said = [Waiver(**(LATE | waiver))]
    with Mulligan("memory:", checks=[flag], waivers=said, clock=FixedClock(NOW), attempts=1) as m:
        done = act(m, "move")

    assert done.standing is standing
    assert [each.severity for each in done.findings] == found


@pytest.mark.parametrize(
    ("said", "standing"),
    [
        (["error"], Standing.REJECTED),
        ([], Standing.ACCEPTED),
        (["error", "warning"], Standing.ACCEPTED),
        (["error", None], Standing.UNCHECKED),
    ],
)
def test_a_warning_that_is_hardened_rejects_and_the_mildest_word_counts(
    said: list[str | None], standing: Standing
) -> None:
    def warn(attempted: Attempted) -> Iterator[Finding]:
        for each in flag(attempted):
            yield replace(each, severity=Severity.WARNING)

    waivers = [LATE | {"severity": each} for each in said]
    clock = FixedClock(NOW)
    with Mulligan("memory:", checks=[warn], waivers=waivers, clock=clock, attempts=1) as m:
        assert act(m, "move").standing is standing


def test_what_a_person_says_on_a_page_reaches_a_program_that_runs(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/family.db"
    with Mulligan(store, checks=[flag], attempts=1, lease=timedelta(seconds=1.5)) as m:
        before = act(m, "move").standing
        with Insights.open(m.insights.settings) as operator:
            order = ActOrder(
                act="soften", id="day.late", by="Ann",
                words={"tool": "move", "until": "9999-12-31", "note": "It is being mended."},
            )  # fmt: skip
            view = decide_rule(operator, order)
            softened = wait_until(lambda: act(m, "move").standing is Standing.ACCEPTED)
            end = ActOrder(act="end", id="day.late", by="Bob", words={"tool": "move"})
            decide_rule(operator, end)
            ended = wait_until(lambda: act(m, "move").standing is Standing.REJECTED)
            acts = [(each.by, each.act) for each in operator.acts.list_acts()]

    assert before is Standing.REJECTED
    assert [(str(each), each.by) for each in view.waivers] == [("day.late of move", "Ann")]
    assert softened
    assert ended
    soften = "soften day.late of move until 9999-12-31: It is being mended."
    assert acts == [("Bob", "end day.late of move"), ("Ann", soften)]


def test_what_is_said_of_a_rule_has_a_day_to_come_and_ends_where_it_was_said() -> None:
    with Mulligan("memory:", waivers=[LATE], clock=FixedClock(NOW)) as m:
        words = {"until": "2026-11-14", "note": "Why not."}
        for wrong, says in [
            (ActOrder(act="mute", id="day.late", by="Ann", words=words), "to come"),
            (ActOrder(act="mute", id="day.late", by="Ann", words=words | {"until": "soon"}), "day"),
            (
                ActOrder(act="mute", id="day.late", by="Ann", words={"until": "2026-12-31"}),
                "reason",
            ),
            (ActOrder(act="end", id="day.late", by="Ann"), "settings"),
        ]:
            with pytest.raises(ConfigurationError, match=says):
                decide_rule(m.insights, wrong)
        with pytest.raises(ConfigurationError, match="all tenants"):
            m.insights.keep_to("acme").waive(Waiver(**LATE))
        assert [str(each.reason) for each in m.insights.list_waivers()] == [LATE["reason"]]


def test_what_is_muted_is_not_reported_and_what_was_done_is_not_called_sure_for_it() -> None:
    def confirm(turn: Turn, calls: Sequence[Call]) -> Iterator[Fact]:
        yield Fact(kind="day.said", subject="21", value="21", about="As said.", confirms=True)

    said = {"facts": [confirm], "clock": FixedClock(NOW)}
    with Mulligan("memory:", checks=[flag], waivers=[LATE], **said) as m:
        muted = act(m, "move")
    with Mulligan("memory:", checks=[pass_by], waivers=[LATE], **said) as m:
        fine = act(m, "move")

    assert (muted.findings, fine.findings) == ((), ())
    assert (muted.confidence, fine.confidence) == (Confidence.MEDIUM, Confidence.HIGH)


@pytest.mark.parametrize(
    ("checks", "standing", "state", "by"),
    [
        ([flag], Standing.UNCHECKED, "unchecked", None),
        ([flag, look], Standing.ACCEPTED, "verified", "checks"),
        ([flag, pass_by], Standing.UNCHECKED, "unchecked", None),
    ],
)
def test_a_check_that_is_muted_verifies_nothing_and_its_rule_is_on_record(
    checks: list[Any], standing: Standing, state: str, by: str | None
) -> None:
    with Mulligan("memory:", checks=checks, waivers=[LATE], clock=FixedClock(NOW)) as m:
        done = act(m, "move")
        action = m.insights.open_list.find(done.attempts[0].calls[0])

    assert (done.standing, action.state) == (standing, state)
    assert (action.detail.get("by"), action.detail["muted"]) == (by, "day.late")


def test_one_tool_is_spared_and_another_is_not() -> None:
    said = [Waiver(**LATE, tool="move")]
    with Mulligan("memory:", checks=[flag], waivers=said, clock=FixedClock(NOW), attempts=1) as m:
        done = act(m, "move", "shift")

    assert done.standing is Standing.REJECTED
    assert len(done.findings) == 1


def test_a_waiver_that_has_ended_counts_no_more_in_a_program_that_runs_on() -> None:
    clock = FixedClock(NOW)
    with Mulligan("memory:", checks=[flag], waivers=[LATE], clock=clock, attempts=1) as m:
        before = act(m, "move").standing
        clock.move(timedelta(days=6))
        after = act(m, "move").standing
        advice = m.insights.diagnose().advice

    assert (before, after) == (Standing.UNCHECKED, Standing.REJECTED)
    assert any("day.late has ended on 2026-11-20" in each for each in advice)


def test_a_reason_is_shown_without_secrets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store, key = f"sqlite:///{tmp_path}/family.db", "sk-live-4eC39HqLyjWDarjtT1zdp7dc"
    said = LATE | {"until": date(9999, 12, 31), "reason": f"Its key is {key}."}
    words = {"until": "9999-12-30", "note": key}
    with Mulligan(store, checks=[flag], waivers=[Waiver(**said)], attempts=1) as m:
        act(m, "move")
        decide_rule(m.insights, ActOrder(act="mute", id="day.late", by="ann", words=words))
        acts = m.insights.acts.list_acts()
        shown = f"{acts}{m.insights.list_waivers()}{m.insights.diagnose()}"

    _, views, _ = run(capsys, "view", "rules", "--store", store)
    _, doctor, _ = run(capsys, "doctor", "--json", "--store", store)

    assert "day.late" in shown
    assert "day.late" in views
    assert key not in shown + views + doctor


def test_doctor_shows_what_the_settings_waive(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.mulligan]\nstore = "sqlite:///family.db"\n[[tool.mulligan.waivers]]\n'
        'rule = "day.late"\ntool = "move"\nseverity = "warning"\nuntil = 9999-12-31\n'
        'reason = "Its parser is being mended."\n'
    )
    monkeypatch.chdir(tmp_path)
    with Mulligan(checks=[flag], attempts=1) as m:
        done = act(m, "move")

    _, shown, _ = run(capsys, "doctor")
    _, written, _ = run(capsys, "doctor", "--json")

    assert done.standing is Standing.ACCEPTED
    assert "Its parser is being mended." in " ".join(shown.split())
    assert json.loads(written)["waivers"] == [
        {
            "rule": "day.late",
            "until": "9999-12-31",
            "reason": "Its parser is being mended.",
            "tool": "move",
            "agent": "",
            "severity": "warning",
            "by": "",
        }
    ]


@pytest.mark.parametrize(
    ("waiver", "says"),
    [
        ({"reason": " "}, "reason"),
        ({"until": "soon"}, "2026-12-31"),
        ({"why": "because"}, "why"),
    ],
)
def test_a_waiver_says_which_rule_until_when_and_why(waiver: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        Mulligan("memory:", waivers=[LATE | waiver])
