"""Values that nobody composes: they were said, returned, or made up."""

from __future__ import annotations

import pytest

from mulligan.checks.parameters import ToolShape
from mulligan.checks.standard import StandardChecks
from mulligan.types.effect import Effect
from mulligan.types.finding import Finding, Severity
from tests.checks.attempts import attempt, ran

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
