from __future__ import annotations

import pytest

from mulligan.insights.filters import ViewRequest, Window
from mulligan.types.errors import ConfigurationError
from mulligan_dashboard.sections import parse_query


def test_an_empty_address_asks_for_a_week_of_everything() -> None:
    assert parse_query({}) == ViewRequest()
    assert parse_query({"tool": "", "window": "", "page": ""}) == ViewRequest()


def test_an_address_says_all_that_is_asked_for() -> None:
    asked = parse_query({"window": "30d", "tool": "find", "page": "3", "state": "held"}, id_="7")

    assert asked.filter.window is Window.MONTH
    assert (asked.filter.tool, asked.page, asked.id) == ("find", 3, "7")
    assert asked.words == {"state": "held"}


@pytest.mark.parametrize(
    "params",
    [
        {"window": "1y"},
        {"page": "-1"},
        {"page": "٣"},
        {"page": "9" * 30},
        {"page": "000000001" + "9" * 400},
        {"agent": "x" * 513},
    ],
)
def test_a_word_that_means_nothing_is_an_error(params: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError):
        parse_query(params)
