"""Values that nobody composes: they were said, returned, or made up."""

from __future__ import annotations

import pytest

from mulligan.checks.parameters import ToolShape
from mulligan.checks.standard import StandardChecks
from mulligan.types.effect import Effect
from mulligan.types.finding import Finding, Severity
from mulligan.types.turn import History, Turn
from tests.checks.attempts import NOW, Attempt, attempt, ran

CHECKS = StandardChecks(
    lambda call: ToolShape(
        tool=call.tool,
        effect=Effect.READ if call.tool.startswith("get") else Effect.REVERSIBLE,
    )
)


def look(said: str, *executions) -> list[Finding]:
    return [each for each in CHECKS(attempt(said, *executions)) if each.rule.startswith("value")]


SENT = {"address1": "12 Elm St", "city": "Springfield", "zip": "62701"}


@pytest.mark.parametrize(
    ("said", "tool", "given"),
    [
        ("My name is Ann Lee", "register_user", {"name": "Tobias Quill"}),
        ("Book a visit for Ann", "book_visit", {"patient_name": "Ines Harrow"}),
        ("Delete the scene Bedtime", "delete_scene", {"name": "Marlene"}),
        ("Send it to 12 Elm St, 62702", "change_address", SENT),
        ("Send it to 14 Elm St, 62701", "change_address", SENT),
        ("Log me in, the password is abc123", "log_in", {"password": "abd124"}),
    ],
)
def test_what_is_always_copied_and_was_never_said_is_flagged(said: str, tool: str, given) -> None:
    (found,) = look(said, ran(tool, given))

    assert found.rule == "value.never_seen"
    assert found.severity is Severity.ERROR


@pytest.mark.parametrize(
    ("said", "tool", "given"),
    [
        ("My name is Ann Lee", "register_user", {"name": "Lee, Ann"}),
        ("Make a list for the party", "create_list", {"name": "Party shopping"}),
        ("Delete the scene Bedtime", "delete_scene", {"name": "bedtime"}),
        ("Send it to 12 Elm Street in Springfield, 62701", "change_address", SENT),
        ("The password is abc123", "log_in", {"password": "abc123"}),
        ("Register me with a random password", "register_user", {"password": "x7!pQ"}),
    ],
)
def test_what_was_said_or_may_be_composed_is_not(said: str, tool: str, given) -> None:
    assert look(said, ran(tool, given)) == []


def test_what_a_tool_returned_may_be_given_on() -> None:
    profile = ran("get_profile", result={"name": "Ann Lee", **SENT})

    assert look("Send it to my home", profile, ran("change_address", SENT)) == []


def test_the_name_on_a_record_that_is_kept_for_the_person_is_only_doubted() -> None:
    (found,) = look("I have moved", ran("update_user_info", {"first_name": "Emma"}))

    assert found.severity is Severity.WARNING


def test_no_finding_quotes_a_credential() -> None:
    (found,) = look("Log me in", ran("log_in", {"password": "hunter2-secret"}))

    assert "hunter2" not in f"{found.issue} {found.correction}"


@pytest.mark.parametrize(
    ("said", "given", "found"),
    [
        ("The time is 2025-10-21 09:30:00.", "2025-10-21 10:30:00", {"time.not_as_said"}),
        ("The time is 2025-10-21 09:30:00.", "2025-10-21 09:30:00", set()),
        ("An hour before 2025-10-21 09:30:00.", "2025-10-21 08:30:00", set()),
        ("On 2025-10-21 from 09:30 to 11:00.", "2025-10-21 11:00:00", set()),
    ],
)
def test_a_time_that_was_written_out_is_given_as_it_was(said: str, given: str, found) -> None:
    tried = attempt(f"Delete my alarm. {said}", ran("delete_alarm", {"time": given}), zone="UTC")

    assert {each.rule for each in CHECKS(tried)} & {"time.not_as_said"} == found


def talk(*lines: str) -> Turn:
    """A conversation, the person's lines and the agent's in turn; the person's last one asks."""
    *before, message = lines
    roles = ("user", "assistant")
    said = [{"role": roles[n % 2], "content": line} for n, line in enumerate(before)]
    return Turn(id="t", message=message, now=NOW, timezone="UTC", history=History(said))


def rules_of(turn: Turn, *executions) -> set[str]:
    return {each.rule for each in CHECKS(Attempt(turn=turn, executions=executions))}


@pytest.mark.parametrize(
    ("lines", "given", "found"),
    [
        # The day was said before, and the last message only adds something.
        (
            ("A room from June 1st, please", "For how many?", "Two adults"),
            "2026-06-02",
            {"date.not_as_said"},
        ),
        (("A room from June 1st, please", "For how many?", "Two adults"), "2026-06-01", set()),
        (
            ("Note the visit of 2025-12-04", "Who came?", "Ann Lee"),
            "2025-12-11",
            {"date.not_as_said"},
        ),
        (("Note the visit of 2025-12-04", "Who came?", "Ann Lee"), "2025-12-04", set()),
        (("Bill them on 11/28", "Which client?", "Acme"), "2025-12-28", {"date.not_as_said"}),
        (("Bill them on 11/28", "Which client?", "Acme"), "2025-11-28", set()),
        # The agent named it.
        (("When is it?", "On January 14th. Shall I book?", "Two seats"), "2026-01-14", set()),
        # Of these, a day may be counted, or nobody knows from when.
        (("It is on January 14th", "And?", "Remind me the evening before"), "2026-01-13", set()),
        (("Every Monday from 2026-01-05", "Where?", "Room 2"), "2026-01-12", set()),
        (("I was there yesterday, not on 2025-10-01", "And?", "Log it"), "2025-10-09", set()),
        # The agent's own choice of today, and what the message itself says.
        (("My trip is on June 1st", "Nice", "Note that I want a window seat"), "2025-10-20", set()),
        (("My trip is on June 1st", "Nice", "Note it for June 3rd"), "2026-06-03", set()),
        # Nothing was said of days.
        (("A room, please", "For how many?", "Two adults"), "2026-06-02", set()),
    ],
)
def test_a_day_that_was_said_before_is_given_as_it_was(lines, given: str, found) -> None:
    booked = ran("book", {"date": given})

    assert rules_of(talk(*lines), booked) & {"date.not_as_said"} == found


def test_a_day_that_a_tool_returned_may_be_given() -> None:
    turn = talk("A room from June 1st, please", "For how many?", "Two. Or what is free then")
    free = ran("get_rooms", result=[{"room": "12", "free_on": "2026-06-05"}])

    assert rules_of(turn, free, ran("book", {"date": "2026-06-05"})) == set()


@pytest.mark.parametrize(
    ("said", "given", "found"),
    [
        # Half of the day, and minutes that look like an hour.
        ("Call John at 3 pm", "03:00", {"time.not_as_said"}),
        ("Call John at 3 pm", "15:00", set()),
        ("The gym is at 10:00 AM", "12:00", {"time.not_as_said"}),
        ("The gym is at 10:00 AM", "10:00", set()),
        ("Lunch at 12:15 pm, talk at 1", "13:00", set()),
        ("Lunch at 12:15 pm, talk at 1", "00:15", {"time.not_as_said"}),
        ("Land at 00:30, train at 6", "06:00", set()),
        ("Land at 00:30, train at 6", "18:00", set()),
        ("Land at 00:30, train at 6", "00:30", set()),
    ],
)
def test_a_time_is_of_the_half_of_the_day_that_was_said(said: str, given: str, found) -> None:
    turn = talk(f"{said} on 2025-10-22", "For whom?", "Ann Lee")
    made = ran("add_entry", {"date": f"2025-10-22 {given}:00"})

    assert rules_of(turn, made) & {"time.not_as_said"} == found
