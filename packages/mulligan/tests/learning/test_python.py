from __future__ import annotations

import pytest

from mulligan.learning.model_output import LONGEST_PYTHON, parse_python
from mulligan.learning.parsing import Named


def test_calls_are_read_as_they_are_written() -> None:
    text = "[find(1, limit=(2, 3)), weather.get(where={'a': {4}})]"

    assert parse_python(text) == [
        Named("find", [1], {"limit": [2, 3]}),
        Named("weather.get", [], {"where": {"a": [4]}}),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "find",
        "find(1) and more",
        "find(**x)",
        "find(other())",
        "find(1",
        "find(1,000)",
        "[find(1), 2]",
        "find('a\\d')",
        "find(1" + " " * LONGEST_PYTHON + ")",
    ],
)
def test_anything_else_is_left_to_a_reader_that_tolerates_it(text: str) -> None:
    assert parse_python(text) == []
