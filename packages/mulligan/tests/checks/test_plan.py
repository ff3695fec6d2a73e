"""Which checks look at which parameters."""

from __future__ import annotations

from mulligan.checks.parameters import Standard, ToolShape, read_kinds
from mulligan.checks.standard import choose_checks
from tests.checks.attempts import attempt, ran

OBJECT = {"type": "string"}


def find_rules(tool: ToolShape, *executions: object, said: str) -> set[str]:
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

    assert find_rules(tool, call, said="Plot Friday") == {"order.ends_before_start"}


def test_ends_and_starts_are_paired_by_their_names() -> None:
    properties = dict.fromkeys(("new_start_time", "new_end_time", "remind_start"), OBJECT)
    tool = ToolShape(tool="move_event", schema={"properties": properties})
    call = ran(
        "move_event",
        {"new_start_time": "2025-10-24T10:00", "new_end_time": "2025-10-24T09:00"},
    )

    assert find_rules(tool, call, said="Move it") == {"order.ends_before_start"}
