from __future__ import annotations

from msgspec.structs import replace

from mulligan.learning.fingerprint import MOST_PATTERNS, MOST_PEOPLE, KnownPatterns, find_alike
from mulligan.types.failure import ErrorClass
from mulligan.types.lesson import Pattern

KNOWN = [
    Pattern(
        fingerprint="1", tool="pay", error_class=ErrorClass.RULE, template="the card was refused"
    ),
    Pattern(
        fingerprint="2", tool="find", error_class=ErrorClass.MISSING, template="no order found"
    ),
]


def _unknown(template: str) -> Pattern:
    return Pattern(fingerprint="3", tool="pay", error_class=ErrorClass.UNKNOWN, template=template)


def test_the_most_alike_pattern_is_offered_with_how_alike_it_is() -> None:
    found = find_alike(_unknown("this card was refused"), KNOWN)

    assert found is not None
    assert found.pattern.fingerprint == "1"
    assert 0.5 <= found.score < 1


def test_nothing_near_is_nothing() -> None:
    assert find_alike(_unknown("the weather service sleeps"), KNOWN) is None
    assert find_alike(_unknown("anything"), []) is None


def test_another_measure_can_take_its_place() -> None:
    found = find_alike(_unknown("x"), KNOWN, similarity=lambda _, others: [0.1, 0.9][: len(others)])

    assert found is not None
    assert found.pattern.fingerprint == "2"


def test_what_is_understood_is_not_compared_and_what_is_not_stays_a_pattern_of_its_own() -> None:
    known = KnownPatterns()
    strange = _unknown("this card was refused")

    assert [known.meet(each) for each in (*KNOWN, KNOWN[0])] == [None, None, None]
    offered = [known.meet(strange) for _ in range(2)]

    assert [each and each.pattern.fingerprint for each in offered] == ["1", "1"]
    assert offered[0] is not None
    assert offered[0].pattern.count == 2


def test_only_so_many_patterns_are_remembered() -> None:
    known = KnownPatterns()
    known.meet(KNOWN[0])

    for number in range(MOST_PATTERNS):
        known.meet(replace(KNOWN[1], fingerprint=f"n{number}", template=f"n{number}"))

    strange = replace(KNOWN[0], fingerprint="x", error_class=ErrorClass.UNKNOWN)
    assert known.meet(strange) is None


def test_what_one_person_met_is_told_to_no_other_person_or_tenant() -> None:
    known = KnownPatterns()
    strange = replace(KNOWN[0], fingerprint="x", error_class=ErrorClass.UNKNOWN)

    known.meet(KNOWN[0], whose=("acme", "ann"))

    assert known.meet(strange, whose=("acme", "bob")) is None
    assert known.meet(strange, whose=("beta", "ann")) is None
    assert known.meet(strange) is None
    assert known.meet(strange, whose=("acme", "ann")) is not None


def test_only_so_many_people_are_remembered() -> None:
    known = KnownPatterns()
    known.meet(KNOWN[0], whose=("acme", "ann"))

    for number in range(MOST_PEOPLE):
        known.meet(KNOWN[1], whose=("acme", f"p{number}"))

    strange = replace(KNOWN[0], fingerprint="x", error_class=ErrorClass.UNKNOWN)
    assert known.meet(strange, whose=("acme", "ann")) is None
