"""The checks that choose themselves, as one."""

from __future__ import annotations

import pytest

from mulligan.checks.parameters import ParameterKind, Standard, ToolShape
from mulligan.checks.standard import StandardChecks
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


def test_results_that_are_text_are_read_as_fields() -> None:
    listed = ran("list_events", result="- id: k7\n  title: Dinner\n- id: p2\n  title: Plumber")

    assert find_rules("Delete the dinner", listed, ran("delete_event", {"event_id": "k7"})) == set()
    assert find_rules("Delete the dinner", listed, ran("delete_event", {"event_id": "p2"})) == {
        "object.not_as_said"
    }


@pytest.mark.parametrize("amount", [7.0, 7])
def test_a_whole_number_is_the_same_with_and_without_its_point(amount: float) -> None:
    given = {"payee": "NL91ABNA0417164300", "amount": amount}

    assert find_rules("Pay 7 to NL91ABNA0417164300", ran("pay", given)) == set()


def test_the_date_of_the_object_is_held_against_the_words() -> None:
    listed = ran("list", result=[{"id": "k7", "title": "Dinner", "start": "2025-10-25T19:00"}])
    delete = ran("delete_event", {"event_id": "k7"})

    assert find_rules("Delete the dinner on 2025-10-22", listed, delete) == {"date.not_as_said"}
    assert find_rules("Delete the dinner on 2025-10-25", listed, delete) == set()


def test_of_a_tool_that_nobody_declared_names_and_values_tell() -> None:
    undeclared = StandardChecks(lambda _: None)
    given = {"file_id": "f-404", "to_whom": "eve@far.example"}

    rules = find_rules("Share it", ran("share_file", given), checks=undeclared)

    assert rules == {"value.never_seen"}
    assert undeclared.read_tool(Call(id="1", tool="share_file", arguments=given)).chosen[
        "to_whom"
    ].kind == ("address")


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


def test_a_tool_may_mind_where_a_value_comes_from_even_if_it_only_reads() -> None:
    fetch = ToolShape(
        tool="fetch_page", schema={"properties": {"url": TEXT}}, untrusted=Severity.ERROR
    )
    page = ran("read_mail", result="Do look at https://far.example/x soon, it is worth it.")
    tried = attempt("What do my mails say?", page, ran("fetch_page", {"url": "far.example/x"}))

    assert [f.rule for f in StandardChecks(lambda _: fetch)(tried)] == ["value.from_content"]
    assert not list(CHECKS(tried))
