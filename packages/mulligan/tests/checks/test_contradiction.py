"""Facts outrank models: what a judge says or proposes against what was computed."""

from __future__ import annotations

import pytest

from mulligan.checks.contradiction import (
    CallFacts,
    contradict_correction,
    contradict_finding,
    is_outcome_right,
)
from mulligan.types.finding import Fact, Finding, Severity

pytestmark = pytest.mark.promise(5)
EVENT = "l16venr5bq2eh1cn14f4kjjvlk"
GLUED = "family20251022T190000Game"
ADDRESS = "12 Elm Street, Springfield"
FRIDAY = Fact(kind="date.weekday", subject="2025-10-24", value="Friday", about="")
LATE = Fact(kind="date.weekday", subject="2025-10-24T23:30:00Z", value="Saturday", about="")
THERE = Fact(kind="id.exists", subject=EVENT, value="yes", about="")
ABSENT = Fact(kind="id.exists", subject=GLUED, value="no", about="")
HOME = Fact(kind="place.home", subject="home", value=ADDRESS, about="")
MEANT = Fact(kind="date.means", subject="next Friday", value="2025-10-24 or 2025-10-31", about="")


def known(*facts: Fact, used: tuple[str, ...] = ("2025-10-24T19:00",), said: str = "") -> CallFacts:
    return CallFacts(message=said or "Move dinner to next Friday", used=used, facts=facts)


def finding(issue: str, correction: str | None = None, *, area: str = "date") -> Finding:
    return Finding(
        rule=f"{area}.judged", severity=Severity.ERROR, issue=issue, correction=correction
    )


@pytest.mark.parametrize(
    "issue",
    [
        "User asked for 'next Friday' but the date 2025-10-24 is actually a Thursday",
        "The person said Friday; 2025-10-24 is not a Friday.",
        "Dinner is on Thursday, October 24, which is wrong.",
        "Dinner was moved to Thursday instead of Friday.",
        "The person wanted Friday but the agent scheduled it on a Thursday.",
        "It was not moved to a Friday.",
    ],
)
def test_a_finding_that_gets_the_weekday_wrong_is_denied(issue: str) -> None:
    assert contradict_finding(finding(issue), known(FRIDAY)) == "date.weekday"


@pytest.mark.parametrize(
    "issue",
    [
        "2025-10-24 is a Friday, but the person asked for Thursday.",
        "The person asked for Thursday, and it was moved to Friday.",
        "It should have been moved to Thursday.",
        "The person wanted it scheduled on a Thursday.",
        "Their meeting is on Thursday.",
        "2025-10-31 is the Friday that was meant.",
        "The wrong event was moved.",
        "",
    ],
)
def test_a_finding_that_gets_it_right_or_says_nothing_of_it_stands(issue: str) -> None:
    assert contradict_finding(finding(issue), known(FRIDAY)) is None


def test_the_calendar_needs_no_fact() -> None:
    fix = finding("Wrong day.", "Change the date to 2025-10-25 which is the actual Friday")

    assert contradict_correction(fix, known()) == "date.weekday"
    assert contradict_finding(fix, known()) is None


@pytest.mark.parametrize(
    ("issue", "kind"),
    [
        ("2025-10-24T23:30:00Z is a Saturday where they are.", None),
        ("2025-10-24T23:30:00Z is a Friday.", "date.weekday"),
        ("2025-10-24T22:15:00Z is a Saturday.", None),
    ],
)
def test_which_day_an_instant_is_on_only_a_fact_knows(issue: str, kind: str | None) -> None:
    about = known(LATE, used=("2025-10-24T23:30:00Z",))

    assert contradict_finding(finding(issue), about) == kind


@pytest.mark.parametrize(
    ("issue", "area", "kind"),
    [
        (f"The id {EVENT} does not exist.", "id", "id.exists"),
        (f"{EVENT} looks fabricated.", "other", "id.exists"),
        ("The event id is malformed.", "id", "id.exists"),
        (f"There is no such event as {GLUED}.", "id", None),
        (f"{GLUED} is invalid, unlike {EVENT}.", "id", None),
        (f"{EVENT} is the dentist, not the dinner.", "id", None),
        ("The address is invalid.", "place", None),
    ],
)
def test_an_id_that_was_read_cannot_be_called_missing(
    issue: str, area: str, kind: str | None
) -> None:
    about = known(THERE, ABSENT, used=(EVENT,))

    assert contradict_finding(finding(issue, area=area), about) == kind


@pytest.mark.parametrize(
    ("correction", "kind"),
    [
        (f"Use the event id {GLUED}.", "id.exists"),
        (f"Change it to '{GLUED}'", "id.exists"),
        (f"Replace {GLUED} with the id that the search gave.", None),
        (f"Use {EVENT} instead of {GLUED}.", None),
        (f"Use {EVENT}.", None),
    ],
)
def test_an_id_that_is_not_there_cannot_be_proposed(correction: str, kind: str | None) -> None:
    wrong_id = finding("The wrong event was moved.", correction, area="id")

    assert contradict_correction(wrong_id, known(THERE, ABSENT)) == kind


@pytest.mark.parametrize(
    ("used", "said", "issue", "kind"),
    [
        (ADDRESS, "Game night at home", "Home should be the Home Depot.", "place.home"),
        (ADDRESS, "At our place", f"{ADDRESS} is not where they live.", "place.home"),
        (ADDRESS, "At school, please", f"{ADDRESS} is not the school.", None),
        (ADDRESS, "Game night at home", "The restaurant is in another town.", None),
        ("Home Depot, 1 Main St", "Game night at home", "Home is not Home Depot.", None),
    ],
)
def test_home_is_where_the_person_lives(used: str, said: str, issue: str, kind: str | None) -> None:
    about = known(HOME, used=(used,), said=said)

    assert contradict_finding(finding(issue, area="place"), about) == kind


@pytest.mark.parametrize(
    ("used", "correction", "denied", "correction_denied"),
    [
        ("2025-10-24", "Use 2025-10-25.", True, True),
        ("2025-10-24", "Use 2025-10-31.", False, False),
        ("2025-10-23", "Use 2025-10-25.", False, True),
        ("2025-10-23", "Use 2025-10-24.", False, False),
        ("2025-10-23", "Use October 31.", False, False),
        ("2025-10-23", None, False, False),
    ],
)
def test_what_a_phrase_was_computed_to_mean_outranks_what_a_model_makes_of_it(
    used: str, correction: str | None, denied: bool, correction_denied: bool
) -> None:
    about = known(MEANT, used=(used,))
    said = finding("The date is wrong.", correction)

    assert (contradict_finding(said, about) == "date.means") is denied
    assert (contradict_correction(said, about) == "date.means") is correction_denied


@pytest.mark.parametrize(
    ("facts", "said", "right"),
    [
        ([MEANT], finding("No calculate_datetime call was made.", "Call it first."), True),
        ([MEANT], finding("It looks off."), True),
        ([], finding("It looks off."), False),
        ([], finding("No lookup.", "Look it up, then use 2025-10-24."), True),
        ([], finding("Wrong time.", "Use 2025-10-24 at 20:00."), False),
        ([], finding("Wrong date.", "Use 2025-10-31."), False),
        ([MEANT], finding("Wrong event.", "Move the other one.", area="id"), False),
    ],
)
def test_sloppy_work_with_the_right_date_is_told_from_a_wrong_date(
    facts: list[Fact], said: Finding, right: bool
) -> None:
    assert is_outcome_right(said, known(*facts)) is right


def test_an_instant_is_not_taken_for_the_day_it_has_in_utc() -> None:
    about = known(MEANT, used=("2025-10-24T23:30:00Z",))
    said = finding("Where they are that is the 25th.", "Use 2025-10-23.")

    assert contradict_finding(said, about) is None
    assert not is_outcome_right(finding("It is the 25th there."), about)
