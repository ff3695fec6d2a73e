"""The user's own word on errors: it wins over every rule of ours, in class and in pattern."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from mulligan import Effect, Failures, Mulligan, Settings
from mulligan.insights.filters import Window
from mulligan.insights.insights import Insights
from mulligan.types.errors import ConfigurationError
from mulligan.types.failure import ErrorClass
from mulligan.types.lesson import ErrorRule
from mulligan.types.limits import Backoff
from mulligan.types.log import LogQuery

AT_ONCE = Backoff(first=Backoff().first * 0)
SOLD_OUT = ErrorRule(says="sold out", error_class=ErrorClass.RULE, pattern="sold out")


def booking(m: Mulligan, **declared):
    @m.tool(effect=Effect.READ, **declared)
    def seats(show: str) -> list[str]:
        raise TimeoutError(f"{show} is sold out")

    return seats


def logged(m: Mulligan) -> list[str | None]:
    m.flush()
    return [row.error_class for row in m.insights.log(LogQuery())]


@pytest.mark.parametrize(
    "rule",
    [
        SOLD_OUT,
        {"says": "^TimeoutError: .*sold out", "error_class": "rule"},
        {"says": "sold out", "error_class": "rule", "tool": "seats"},
    ],
)
def test_a_class_of_the_users_own_decides_whether_a_call_is_made_again(rule) -> None:
    with Mulligan("memory:", error_rules=[rule], backoff=AT_ONCE) as m:
        with pytest.raises(TimeoutError):
            booking(m)("Hamlet")

        assert logged(m) == ["rule"]


def test_a_tools_own_rule_is_asked_before_the_applications() -> None:
    other = {"says": "sold out", "error_class": "policy"}
    with Mulligan("memory:", error_rules=[SOLD_OUT]) as m:
        with pytest.raises(TimeoutError):
            booking(m, failures=Failures(error_rules=[other]))("Hamlet")

        assert logged(m) == ["policy"]


def test_a_rule_also_speaks_of_results_that_are_errors() -> None:
    with Mulligan("memory:", error_rules=[SOLD_OUT]) as m:

        @m.tool(effect=Effect.READ)
        def seats(show: str) -> dict[str, object]:
            return {"isError": True, "content": [{"type": "text", "text": "sold out"}]}

        seats("Hamlet")

        assert logged(m) == ["rule"]


def test_patterns_bear_the_names_that_users_gave_them(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/a.db"
    with Mulligan(url, error_rules=[SOLD_OUT]) as m:
        own = {"says": "sold out", "pattern": "no seats"}
        tools = booking(m), booking(m, name="boxes", failures=Failures(error_rules=[own]))
        for seats, show in itertools.product(tools, ("Hamlet", "Macbeth on ice")):
            with m.turn("Seats"), pytest.raises(TimeoutError):
                seats(show)

    with Insights.open(Settings(store=url, error_rules=(SOLD_OUT,))) as insights:
        seen = insights.patterns(Window.DAY.length)

    named = {(each.pattern.tool, each.pattern.template) for each in seen}
    assert named == {("seats", "sold out"), ("boxes", "no seats")}


def test_rules_can_stand_in_the_settings_of_a_project(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        "[[tool.mulligan.error_rules]]\nsays = 'sold out'\nerror_class = 'rule'\n"
        "pattern = 'sold out'\n"
    )

    assert Settings.load(folder=tmp_path, environment={}).error_rules == (SOLD_OUT,)


@pytest.mark.parametrize(
    "wrong",
    [
        "sold out",
        [{"says": "sold out"}],
        [{"says": "(sold", "pattern": "x"}],
        [{"says": "x", "error_class": "sold out"}],
        [{"say": "x", "pattern": "x"}],
        [7],
        {"says": "x", "pattern": "x"},
    ],
)
def test_a_rule_that_is_none_is_refused_in_one_sentence(wrong) -> None:
    with pytest.raises(ConfigurationError, match="rule"):
        Mulligan("memory:", error_rules=wrong)
