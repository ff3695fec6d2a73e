from __future__ import annotations

from mulligan import Mulligan
from mulligan.insights.filters import ViewFilter, ViewRequest, Window
from mulligan.insights.tools import Blame, find_blame, read_tools
from mulligan.types.failure import ErrorClass

MONTH = ViewFilter(window=Window.MONTH)


def test_every_class_of_errors_is_somebodys_fault() -> None:
    blamed = {find_blame(each) for each in ErrorClass}

    assert blamed == set(Blame)
    assert find_blame(ErrorClass.RATE_LIMIT) is Blame.INFRASTRUCTURE


def test_who_fails_more_than_others_comes_first(lived: Mulligan) -> None:
    view = read_tools(lived.insights, ViewRequest(filter=MONTH))

    excess = [row.excess for row in view.tools]
    assert excess == sorted(excess, reverse=True)
    assert excess[0] > 0 > excess[-1]
    assert abs(sum(excess)) < 1
    assert view.faults["infrastructure"] > 0 < view.faults["model"]


def test_the_heat_map_has_a_cell_for_each_pair_that_met(lived: Mulligan) -> None:
    view = read_tools(lived.insights, ViewRequest(filter=MONTH))

    assert {(cell.agent, cell.tool) for cell in view.heat} >= {
        ("billing", "billing/create_invoice")
    }
    assert all(cell.tool in view.heat_tools for cell in view.heat)


def test_a_tool_stands_out_until_what_was_learned_about_it_is_exported(lived: Mulligan) -> None:
    changed = set(read_tools(lived.insights, ViewRequest(filter=MONTH)).changed)
    one = min(changed)

    lived.insights.acts.record_export([one], by="Mum")
    without = set(read_tools(lived.insights, ViewRequest(filter=MONTH)).changed)
    lived.insights.acts.record_export([], by="Mum")

    assert without == changed - {one}
    assert read_tools(lived.insights, ViewRequest(filter=MONTH)).changed == ()


def test_one_tool_alone(lived: Mulligan) -> None:
    view = read_tools(
        lived.insights,
        ViewRequest(filter=ViewFilter(window=Window.MONTH, tool="crm/find_customers")),
    )

    assert [row.name for row in view.tools] == ["crm/find_customers"]
    assert sum(point.calls for point in view.trend) == view.tools[0].share.calls
