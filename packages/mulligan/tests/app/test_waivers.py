"""A rule that is muted or softened by name, of one tool or all, until a day and with a reason."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mulligan import Call, Confidence, Finding, Mulligan, Severity, Standing, Turn
from mulligan.loops.actions import Attempted
from mulligan.runtime.turn import Done
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Fact, Waiver
from mulligan_testing.fakes import FixedClock
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

    return m.act_sync("Move dinner to the 21st", agent)


@pytest.mark.parametrize(
    ("waiver", "standing", "found"),
    [
        ({}, Standing.ACCEPTED, []),
        ({"severity": "warning"}, Standing.ACCEPTED, [Severity.WARNING]),
        ({"tool": "move"}, Standing.ACCEPTED, []),
        ({"tool": "shift"}, Standing.REJECTED, [Severity.ERROR]),
        ({"rule": "day.early"}, Standing.REJECTED, [Severity.ERROR]),
        ({"until": date(2026, 11, 14)}, Standing.REJECTED, [Severity.ERROR]),
        ({"until": date(2026, 11, 15)}, Standing.ACCEPTED, []),
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

    assert (before, after) == (Standing.ACCEPTED, Standing.REJECTED)
    assert any("day.late has ended on 2026-11-20" in each for each in advice)


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
            "severity": "warning",
        }
    ]


@pytest.mark.parametrize(
    ("waiver", "says"),
    [
        ({"reason": " "}, "reason"),
        ({"until": "soon"}, "2026-12-31"),
        ({"severity": "error"}, "never 'error'"),
        ({"why": "because"}, "why"),
    ],
)
def test_a_waiver_says_which_rule_until_when_and_why(waiver: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        Mulligan("memory:", waivers=[LATE | waiver])
