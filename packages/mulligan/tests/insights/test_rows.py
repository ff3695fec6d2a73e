from __future__ import annotations

import pytest

from mulligan.insights.turns import build_call, parse_parameters
from mulligan.types.log import LogQuery
from tests.dashboard.stage import Stage


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ('{"limit": 3}', {"limit": 3}),
        ("[1]", {"value": [1]}),
        ('{"limit": "cut', {"cut short": '{"limit": "cut'}),
        ("[" * 50_000, {"cut short": "[" * 50_000}),
    ],
)
def test_what_a_call_was_given(text: str, read: dict[str, object]) -> None:
    assert parse_parameters(text) == read


def test_a_row_says_what_went_wrong(filled: Stage) -> None:
    (row,) = filled.m.insights.log(LogQuery(tool="share_file"))

    seen = build_call(row)

    assert seen.error.startswith("PermissionError: not for")
    assert (seen.agent, seen.outcome, seen.error_class) == ("helper", "failure", "policy")
