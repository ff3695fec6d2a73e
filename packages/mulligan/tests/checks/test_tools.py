"""Tools as choosing checks needs them."""

from __future__ import annotations

import pytest

from mulligan.checks.custom import load_checks
from mulligan.checks.dates import dates_as_said
from mulligan.checks.parameters import (
    ParameterKind,
    Standard,
    ToolShape,
    ToolVerb,
    find_verb,
    list_checks_of,
    read_kinds,
    select_kinds,
)
from mulligan.checks.standard import StandardChecks
from mulligan.types.effect import Effect
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Severity

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
        ("calendar.delete_event", "remove"),
        ("sendEmail", "make"),
        ("reschedule_event", "change"),
        ("frobnicate", "change"),
    ],
)
def test_a_name_tells_what_a_tool_does_that_nobody_declared(tool: str, verb: str) -> None:
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


def test_checks_look_at_tools_that_change_something() -> None:
    writes, reads = (read_kinds(ToolShape(tool=t, schema=SCHEMA)) for t in ("move_it", "get_it"))

    assert "ids_seen" in list_checks_of(writes, "event_id")
    assert list_checks_of(reads, "event_id") == ()


def test_standard_is_named_alone_or_beside_checks_of_ones_own() -> None:
    own = dates_as_said()

    alone, chosen = load_checks("standard", find_tool=lambda _: None)
    both, also = load_checks([own, Standard(only_asked=Severity.ERROR)], find_tool=lambda _: None)
    plain, none = load_checks([own], find_tool=lambda _: None)

    assert (chosen, also, none) == (True, True, False)
    assert [type(each) for each in alone] == [StandardChecks]
    assert both[0] is own
    assert isinstance(both[1], StandardChecks)
    assert plain == [own]


@pytest.mark.parametrize("given", ["standart", ["strict"], [7], 7])
def test_what_names_no_checks_is_refused(given: object) -> None:
    with pytest.raises(ConfigurationError, match="checks"):
        load_checks(given, find_tool=lambda _: None)  # type: ignore[arg-type]


def test_a_severity_may_be_given_by_its_name() -> None:
    assert Standard(only_asked="error").only_asked is Severity.ERROR  # type: ignore[arg-type]
