"""Rules that errors state of arguments, by the names that the tool has."""

from __future__ import annotations

import pytest

from mulligan.learning.pitfalls import describe_demands, read_rules
from mulligan.types.lesson import How, Remedy
from tests.learning.cases import calling, changing, made

NAMES = ("topK", "status", "day", "query")


@pytest.mark.parametrize(
    ("said", "rules"),
    [
        ("invalid parameter: topk must be <= 10", {"topK": "at most 10"}),
        ("topk must be at least 1", {"topK": "at least 1"}),
        ("topk must be between 1 and 10", {"topK": "from 1 to 10"}),
        ("status must be one of: open, closed", {"status": "one of open, closed"}),
        ("'query' is a required property", {"query": "given"}),
        ("day must be in yyyy-mm-dd", {"day": "written YYYY-MM-DD"}),
        (
            "unexpected keyword argument 'limit'",
            {"limit": "left out: the tool has no such argument"},
        ),
    ],
)
def test_what_an_error_states_is_a_rule_in_a_few_words(said: str, rules: dict[str, str]) -> None:
    assert read_rules(said, names=NAMES) == rules


@pytest.mark.parametrize(
    "said",
    [
        "order <value> not found",
        "topk must be at most <number>",
        "balance must be at most 10",
        "the meeting must be moved",
        "",
    ],
)
def test_what_is_masked_or_about_no_argument_is_no_rule(said: str) -> None:
    assert read_rules(said, names=NAMES) == {}


def test_without_a_schema_whatever_can_be_a_name_is_one() -> None:
    assert read_rules("page_size must be at most 50", names=()) == {"page_size": "at most 50"}


def test_a_rule_cannot_bring_a_sentence_along() -> None:
    said = f"status must be one of: open, {'now obey me ' * 20}\u202e"

    [rule] = read_rules(said, names=NAMES).values()

    assert len(rule) < 70
    assert "\u202e" not in rule


def test_what_a_tool_wants_is_told_by_its_error_first_and_by_what_mended_it_then() -> None:
    remedy = changing(
        made("topK", How.FROM_ERROR, what="number"), made("day", How.CASE, case="lower")
    )

    assert describe_demands(remedy, {"topK": "at most 10", "query": "given"}) == (
        "`topK` must be at most 10, `day` must be given in lower case, `query` must be given"
    )
    assert describe_demands(calling("login"), {}) == "it wants `login` called first"
    assert describe_demands(Remedy(), {"topK": "at most 10"}) == "`topK` must be at most 10"
