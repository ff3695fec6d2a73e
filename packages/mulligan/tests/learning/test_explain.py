"""How corrected calls are understood, and made once more where every value is another."""

from __future__ import annotations

from typing import Any

import pytest

from mulligan.learning.lessons import build_patch
from mulligan.learning.mining import find_remedies
from mulligan.types.lesson import Earlier, FirstCall, How
from tests.learning.failures import failed

MODE = {"properties": {"mode": {"type": "string", "description": "Either fast or slow."}}}


@pytest.mark.parametrize(
    ("how", "before", "after", "then", "expected"),
    [
        (How.PREFIX, {"id": "W1"}, {"id": "#W1"}, {"id": "X27"}, {"id": "#X27"}),
        (How.PREFIX, {"id": "./a"}, {"id": "a"}, {"id": "./b"}, {"id": "b"}),
        (How.SUFFIX, {"name": "memo"}, {"name": "memo/"}, {"name": "b"}, {"name": "b/"}),
        (How.CASE, {"code": "ber"}, {"code": "BER"}, {"code": "muc"}, {"code": "MUC"}),
        (How.PART, {"to": "tmp/a.csv"}, {"to": "a.csv"}, {"to": "x/y/b"}, {"to": "b"}),
        (How.PART, {"to": "tmp/a.csv"}, {"to": "tmp"}, {"to": "x/b"}, {"to": "x"}),
        (How.SCALE, {"cents": 3}, {"cents": 300}, {"cents": 12}, {"cents": 1200}),
        (How.LIST, {"tags": "a"}, {"tags": ["a"]}, {"tags": "b"}, {"tags": ["b"]}),
        (How.SCALAR, {"tag": ["a"]}, {"tag": "a"}, {"tag": ["b"]}, {"tag": "b"}),
        (How.COERCE, {"top": "3"}, {"top": 3}, {"top": "14"}, {"top": 14}),
        (How.COERCE, {"top": "60"}, {"top": 60.0}, {"top": "14"}, {"top": 14}),
        (
            How.FORMAT,
            {"day": "24/12/2026"},
            {"day": "2026-12-24"},
            {"day": "31/12/2026"},
            {"day": "2026-12-31"},
        ),
        (How.FORMAT, {"mode": "fast\u00a0"}, {"mode": "fast"}, {"mode": " slow"}, {"mode": "slow"}),
        (How.FROM_ARGUMENT, {"path": "a"}, {"folder": "a"}, {"path": "b"}, {"folder": "b"}),
        (How.DROP, {"a": True, "x": 9}, {"a": True}, {"a": False, "x": 1}, {"a": False}),
        (How.PREFIX, {"t": ["a", "b"]}, {"t": ["#a", "#b"]}, {"t": ["c"]}, {"t": ["#c"]}),
    ],
)
def test_a_change_is_understood_and_made_with_other_values(
    how: How,
    before: dict[str, Any],
    after: dict[str, Any],
    then: dict[str, Any],
    expected: dict[str, Any],
) -> None:
    found = find_remedies(failed(before, error="no"), after)

    patch = build_patch(found[0], failed(then, error="no"))

    assert how in {each.how for each in found[0].changes}
    assert patch is not None
    assert patch.apply(then) == expected


def test_a_word_of_the_schema_is_kept_as_a_constant() -> None:
    found = find_remedies(failed({"mode": "??"}, schema=MODE, error="bad"), {"mode": "fast"})

    assert [each.how for each in found[0].changes] == [How.CONSTANT]
    assert found[0].changes[0].given == {"value": "fast"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"user_id": "ann"}, {"user_id": "bob"}),
        ({"note": "hello"}, {"note": "good bye"}),
        ({"amount": 12}, {"amount": 50}),
        ({"path": "a"}, {"path": "/etc/passwd"}),
        ({"limit": 5_000}, {"limit": 1_234}),
    ],
)
def test_a_value_from_nowhere_is_never_kept(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert find_remedies(failed(before, error="no"), after) == ()


def test_a_number_of_the_error_is_taken_from_the_next_error() -> None:
    first = failed({"amount": 299}, error="total price is 375, but paid 299")
    then = failed({"amount": 10}, error="total price is 88, but paid 10")

    found = find_remedies(first, {"amount": 375})
    patch = build_patch(found[0], then)

    assert patch is not None
    assert patch.changes == {"amount": 88}


def test_a_call_before_is_learned_with_arguments_of_the_next_call() -> None:
    first = failed({"file": "a.txt", "text": "x"}, error="no such file", tool="write")
    then = failed({"file": "b.txt", "text": "y"}, error="no such file", tool="write")

    found = find_remedies(
        first,
        {"file": "a.txt", "text": "x"},
        between=[Earlier(tool="create", arguments={"name": "a.txt"})],
    )
    patch = build_patch(found[0], then)

    assert patch is not None
    assert patch.first == (FirstCall(tool="create", arguments={"name": "b.txt"}),)


def test_a_looked_up_value_is_looked_up_again_before_it_is_used() -> None:
    first = failed({"origin": "Oslo"}, error="no route", tool="fly")
    found = find_remedies(
        first,
        {"origin": "OSL"},
        between=[Earlier(tool="airport", arguments={"city": "Oslo"}, result={"code": "OSL"})],
    )
    looked_up = Earlier(tool="airport", arguments={"city": "Rome"}, result={"code": "FCO"})

    before = build_patch(found[0], failed({"origin": "Rome"}, error="no route", tool="fly"))
    after = build_patch(
        found[0], failed({"origin": "Rome"}, error="no route", tool="fly", earlier=(looked_up,))
    )

    assert before is not None
    assert before.first == (FirstCall(tool="airport", arguments={"city": "Rome"}),)
    assert before.changes == {}
    assert after is not None
    assert after.first == ()
    assert after.changes == {"origin": "FCO"}


def test_each_step_of_a_cascade_is_kept() -> None:
    start = failed({"mode": "START"}, error="lock the doors", tool="start")
    between = [
        Earlier(tool="lock", arguments={"all": True}),
        Earlier(tool="start", arguments={"mode": "START"}, result="press the brake", failed=True),
        Earlier(tool="brake", arguments={"position": 1.0}),
    ]

    found = find_remedies(start, {"mode": "START"}, between=between)

    assert {tuple(call.tool for call in each.first) for each in found} == {("lock", "brake")}


def test_a_step_that_changed_nothing_is_left_out() -> None:
    start = failed({"mode": "START"}, error="press the brake", tool="start")
    between = [
        Earlier(tool="honk", arguments={}),
        Earlier(tool="start", arguments={"mode": "START"}, result="press the brake", failed=True),
        Earlier(tool="brake", arguments={"position": 1}),
    ]

    found = find_remedies(start, {"mode": "START"}, between=between)

    assert {tuple(call.tool for call in each.first) for each in found} == {("brake",)}


def test_a_long_struggle_is_looked_at_from_its_end() -> None:
    start = failed({"mode": "START"}, error="no 0", tool="start")
    between = [
        made
        for number in range(1, 200)
        for made in (
            *(Earlier(tool=f"try_{number}_{part}", arguments={"n": 1}) for part in range(5)),
            Earlier(tool="start", arguments={}, result=f"no {number}", failed=True),
        )
    ]
    last = Earlier(tool="brake", arguments={"position": 1})

    found = find_remedies(start, {"mode": "START"}, between=[*between, last])

    assert 0 < len(found) <= 40
    assert all(each.first[-1].tool == "brake" for each in found)


def test_a_call_that_was_just_made_in_vain_is_not_asked_for_again() -> None:
    first = failed({"id": "1"}, error="not logged in", tool="send")
    found = find_remedies(first, {"id": "1"}, between=[Earlier(tool="log_in")])
    then = failed(
        {"id": "2"}, error="not logged in", tool="send", earlier=(Earlier(tool="log_in"),)
    )

    assert build_patch(found[0], first) is not None
    assert build_patch(found[0], then) is None
