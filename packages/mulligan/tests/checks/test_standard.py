"""The checks that choose themselves: what each parameter holds, and what looks at it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mulligan.checks.parameters import (
    ParameterKind,
    Standard,
    ToolShape,
    ToolVerb,
    find_kind,
    find_kind_of_value,
    find_verb,
    read_kinds,
    select_kinds,
)
from mulligan.checks.standard import StandardChecks, choose_checks
from mulligan.checks.subject import has_concern
from mulligan.types.call import Call
from mulligan.types.effect import Effect
from mulligan.types.finding import Severity
from tests.checks.attempts import attempt, ran

TEXT = {"type": "string"}
SHAPES = {
    "delete_event": ToolShape(
        tool="delete_event", schema={"properties": {"event_id": TEXT}}, effect=Effect.REVERSIBLE
    ),
    "pay": ToolShape(
        tool="pay",
        schema={"properties": {"payee": TEXT, "amount": {"type": "number"}}},
        kinds={"payee": ParameterKind.ADDRESS},
    ),
}
CHECKS = StandardChecks(lambda call: SHAPES.get(call.tool))


def find_rules(said: str, *executions: object, checks: StandardChecks = CHECKS) -> set[str]:
    return {each.rule for each in checks(attempt(said, *executions))}  # type: ignore[arg-type]


def test_an_id_from_nowhere_is_found_without_a_word_by_hand() -> None:
    rules = find_rules("Delete the dinner", ran("delete_event", {"event_id": "dinner-1"}))

    assert rules == {"value.never_seen", "id.glued"}


def test_an_id_that_a_look_found_exists_wherever_it_is_from() -> None:
    look = ran("get_event", {"event_id": "k7"}, result={"id": "k7", "title": "Tea", "room": 3})
    echo = ran("get_event", {"event_id": "k7"}, result={"id": "k7", "found": False})
    delete = ran("delete_event", {"event_id": "k7"})
    acted = frozenset({delete.call.id})

    for before, severity in ((look, Severity.WARNING), (echo, Severity.ERROR)):
        tried = replace(attempt("Delete that one", before, delete), acted=acted)
        assert [each.severity for each in CHECKS(tried)] == [severity]


def test_results_that_are_text_are_read_as_fields() -> None:
    listed = ran("list_events", result="- id: k7\n  title: Dinner\n- id: p2\n  title: Plumber")

    assert find_rules("Delete the dinner", listed, ran("delete_event", {"event_id": "k7"})) == set()
    assert find_rules("Delete the dinner", listed, ran("delete_event", {"event_id": "p2"})) == {
        "object.not_as_said"
    }


MOVES = StandardChecks(
    lambda call: ToolShape(tool=call.tool, effect=Effect.REVERSIBLE, each="moves")
)


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        ([{"event_id": "k7", "start": "2025-10-24T18:00"}] * 2, set()),
        (
            [
                {"event_id": "k7", "start": "2025-10-24T18:00"},
                {"event_id": "k7", "start": "2025-10-25T18:00"},
            ],
            {"date.not_as_said"},
        ),
        # A late review has the element that is left where the list stood.
        ({"event_id": "k7", "start": "2025-10-25T18:00"}, {"date.not_as_said"}),
        ([{"event_id": "x9", "start": "2025-10-24T18:00"}], {"value.never_seen"}),
        ([], set()),
    ],
)
def test_each_element_of_a_bulk_is_checked_as_a_call_of_its_own(
    moves: object, expected: set[str]
) -> None:
    listed = ran("list_events", result=[{"id": "k7", "title": "Dinner"}])
    moved = ran("move_events", {"moves": moves})

    assert find_rules("Move both to Friday", listed, moved, checks=MOVES) == expected


@pytest.mark.parametrize("amount", [7.0, 7])
def test_a_whole_number_is_the_same_with_and_without_its_point(amount: float) -> None:
    given = {"payee": "NL91ABNA0417164300", "amount": amount}

    assert find_rules("Pay 7 to NL91ABNA0417164300", ran("pay", given)) == set()


def test_the_date_of_the_object_is_held_against_the_words() -> None:
    listed = ran("list", result=[{"id": "k7", "title": "Dinner", "start": "2025-10-25T19:00"}])
    delete = ran("delete_event", {"event_id": "k7"})

    assert find_rules("Delete the dinner on 2025-10-22", listed, delete) == {"date.not_as_said"}
    assert find_rules("Delete the dinner on 2025-10-25", listed, delete) == set()


def test_an_undeclared_tool_is_judged_by_names_and_values() -> None:
    undeclared = StandardChecks(lambda _: None)
    given = {"file_id": "f-404", "to_whom": "eve@far.example"}

    rules = find_rules("Share it", ran("share_file", given), checks=undeclared)

    assert rules == {"value.never_seen"}
    assert undeclared.read_tool(Call(id="1", tool="share_file", arguments=given)).chosen[
        "to_whom"
    ].kind == ("address")


def test_yes_or_no_is_no_address_whatever_its_name() -> None:
    said = "Raise it to 20 from next month"
    raised = ran("update_gift", {"amount": 20, "sendEmail": False})

    assert not list(StandardChecks(lambda _: None)(attempt(said, raised)))


@pytest.mark.parametrize(
    ("tool", "severity"), [("reader/run", Severity.WARNING), ("reader/delete", Severity.ERROR)]
)
def test_a_call_that_may_only_have_looked_is_not_rejected(tool: str, severity: Severity) -> None:
    tried = attempt("Set it up as before", ran(tool, {"run_id": "r-99999"}))

    (finding,) = StandardChecks(lambda _: None)(tried)

    assert finding.severity is severity


def test_it_says_which_calls_it_is_about() -> None:
    tried = attempt("Delete it")

    def is_looked_at(tool: str, **given: object) -> bool:
        call = Call(id="1", tool=tool, arguments=given)
        return has_concern(CHECKS, turn=tried.turn, call=call)

    assert is_looked_at("delete_event", event_id="k7")
    assert not is_looked_at("list_events", day="2025-10-22")


def test_a_question_is_an_error_where_the_house_says_so() -> None:
    strict = StandardChecks(
        lambda call: SHAPES.get(call.tool), options=Standard(only_asked=Severity.ERROR)
    )
    listed = ran("list_events", result=[{"id": "k7", "title": "Dinner"}])
    tried = attempt("When is dinner?", listed, ran("delete_event", {"event_id": "k7"}))

    assert [(f.rule, f.severity.value) for f in strict(tried)] == [("request.only_asked", "error")]
    assert [f.severity.value for f in CHECKS(tried)] == ["warning"]


def test_a_day_of_birth_is_no_plan_for_a_past_day() -> None:
    dates = {"date_of_birth": TEXT, "date": TEXT}
    book = ToolShape(tool="add_passenger", schema={"properties": dates})
    given = {"date_of_birth": "2017-03-04", "date": "2017-03-04"}
    tried = attempt("Add Theo, please", ran("add_passenger", given))

    (finding,) = StandardChecks(lambda _: book)(tried)

    assert finding.rule == "order.in_the_past"
    assert "given date=2017-03-04," in finding.issue


def test_a_tool_may_mind_where_a_value_comes_from_even_if_it_only_reads() -> None:
    fetch = ToolShape(
        tool="fetch_page", schema={"properties": {"url": TEXT}}, untrusted=Severity.ERROR
    )
    page = ran("read_mail", result="Do look at https://far.example/x soon, it is worth it.")
    tried = attempt("What do my mails say?", page, ran("fetch_page", {"url": "far.example/x"}))

    assert [f.rule for f in StandardChecks(lambda _: fetch)(tried)] == ["value.from_content"]
    assert not list(CHECKS(tried))


OBJECT = {"type": "string"}


def list_rules(tool: ToolShape, *executions: object, said: str) -> set[str]:
    checks = choose_checks([read_kinds(tool)], options=Standard())
    tried = attempt(said, *executions)  # type: ignore[arg-type]
    return {finding.rule for check in checks for finding in check(tried)}


def test_a_tool_that_only_reads_is_given_no_check() -> None:
    reads = read_kinds(ToolShape(tool="get_event", schema={"properties": {"event_id": OBJECT}}))

    assert choose_checks([reads], options=Standard()) == []


def test_the_bounds_of_a_search_plan_nothing() -> None:
    tool = ToolShape(
        tool="create_plot", schema={"properties": {"time_min": OBJECT, "time_max": OBJECT}}
    )
    call = ran("create_plot", {"time_min": "2025-10-01", "time_max": "2025-09-01"})

    assert list_rules(tool, call, said="Plot Friday") == {"order.ends_before_start"}


def test_ends_and_starts_are_paired_by_their_names() -> None:
    properties = dict.fromkeys(("new_start_time", "new_end_time", "remind_start"), OBJECT)
    tool = ToolShape(tool="move_event", schema={"properties": properties})
    call = ran(
        "move_event", {"new_start_time": "2025-10-24T10:00", "new_end_time": "2025-10-24T09:00"}
    )

    assert list_rules(tool, call, said="Move it") == {"order.ends_before_start"}


@pytest.mark.parametrize(
    ("name", "schema", "kind"),
    [
        ("task_id", TEXT, "id"),
        ("id", {"type": "integer"}, "id"),
        ("reference", {"type": "string", "description": "The ID of the booking."}, "id"),
        ("to", {"type": "string", "format": "email"}, "address"),
        ("payee", {"type": "string", "description": "IBAN of who is paid"}, "address"),
        ("assignee_email", TEXT, "address"),
        ("recipient", TEXT, "person"),
        ("owner", TEXT, "person"),
        ("start_time", TEXT, "start"),
        ("due_date", TEXT, "date"),
        ("when", {"type": "string", "format": "date-time"}, "date"),
        ("total_price", {"type": "number"}, "amount"),
        ("amount", {"anyOf": [{"type": "number"}, {"type": "null"}]}, "amount"),
        ("limit", {"type": "integer"}, "other"),
        ("venue", TEXT, "place"),
        ("subject", TEXT, "text"),
        ("urgent", {"type": "boolean"}, "flag"),
        ("status", {"type": "string", "enum": ["open", "done"]}, "flag"),
        ("guests", {"type": "array", "items": {"type": "string", "format": "email"}}, "address"),
        ("options", {"type": "object"}, "other"),
    ],
)
def test_a_kind_is_told_from_type_format_description_and_name(
    name: str, schema: dict[str, object], kind: str
) -> None:
    assert find_kind(name, schema).kind == kind


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("https://shop.example/a", "link"),
        ("ann@example.org", "address"),
        ("NL91ABNA0417164300", "address"),
        ("2026-11-20", "date"),
        ("6f1c0f0e-8d0b-4c39-9b1c-2f6f5c1b7a11", "id"),
    ],
)
def test_a_value_tells_by_its_looks_where_nothing_else_does(value: str, kind: str) -> None:
    found = find_kind_of_value(value)

    assert found is not None
    assert found.kind == kind


@pytest.mark.parametrize("value", ["hello", "see https://shop.example", 7, None, ""])
def test_a_value_that_looks_like_nothing_tells_nothing(value: object) -> None:
    assert find_kind_of_value(value) is None


SCHEMA = {
    "properties": {
        "event_id": {"type": "string"},
        "start": {"type": "string"},
        "limit": {"type": "integer", "default": 10},
    }
}


@pytest.mark.parametrize(
    ("tool", "verb"),
    [
        ("search_events", "read"),
        ("sendEmail", "make"),
        ("reschedule_event", "change"),
        ("frobnicate", "change"),
        # A noun that is a verb too, in front of the verb.
        ("mail_search", "read"),
        ("order.cancel", "remove"),
        ("message_mark_read", "change"),
        ("post_read_receipt", "make"),
        ("book_slot", "make"),
        ("oncall.schedule.get", "read"),
    ],
)
def test_the_name_of_an_undeclared_tool_says_what_it_does(tool: str, verb: str) -> None:
    assert find_verb(tool) == verb


def test_what_was_declared_outranks_the_name() -> None:
    assert find_verb("delete_event", effect=Effect.READ) is ToolVerb.READ
    assert find_verb("get_and_lock", effect=Effect.IRREVERSIBLE) is ToolVerb.CHANGE


def test_kinds_come_from_the_schema_and_the_author_has_the_last_word() -> None:
    shape = ToolShape(tool="move_event", schema=SCHEMA, kinds={"limit": ParameterKind.AMOUNT})

    tool = read_kinds(shape)

    kinds = {name: each.kind.value for name, each in tool.chosen.items()}
    assert kinds == {"event_id": "id", "start": "start", "limit": "amount"}
    assert tool.chosen["limit"].why == "its author says so"
    assert tool.defaults == {"limit": 10}
    assert select_kinds([tool], ParameterKind.ID) == {"move_event": ["event_id"]}
