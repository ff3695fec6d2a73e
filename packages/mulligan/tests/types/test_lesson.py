"""Lessons, corrections and ratings as values."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from mulligan.types.errors import ConfigurationError
from mulligan.types.lesson import (
    Balance,
    Benefit,
    Patch,
    Use,
    build_episode_slot,
    compute_balance,
    hash_schema,
)
from mulligan.types.reply import LONGEST_NOTE, RATED, Rating, build_rating_row, read_rating
from tests.learning.cases import episode

NOW = datetime(2026, 11, 15, 9, tzinfo=UTC)


def use(number: int, benefit: Benefit = Benefit.HELPED, **who: str) -> Use:
    at = NOW + timedelta(hours=number)
    return Use(lesson="l", version=1, call=f"c{number}", at=at, benefit=benefit, **who)


def test_turns_and_people_count_once_and_only_where_it_helped() -> None:
    uses = [
        use(1, turn="t1", principal="ann"),
        use(2, turn="t1", principal="bob"),
        use(3),
        use(4, Benefit.HARMED, turn="t2", principal="eve"),
        use(5, Benefit.HARMED, turn="t3", principal="eve"),
        use(0, turn="t1", principal="ann"),
    ]

    late = compute_balance(uses, since=NOW + timedelta(hours=3))

    assert compute_balance(uses) == Balance(helped=3, harmed=1, turns=1, principals=2, uses=6)
    assert late == Balance(helped=1, harmed=1, uses=3)


def test_a_schema_is_another_one_when_it_says_something_else() -> None:
    one = {"type": "object", "required": ["a"]}

    assert hash_schema(one) == hash_schema({"required": ["a"], "type": "object"})
    assert hash_schema(one) != hash_schema({"type": "object", "required": ["b"]})


def test_an_episode_counts_on_its_day_in_utc() -> None:
    late = datetime(2026, 11, 15, 23, tzinfo=timezone(timedelta(hours=-5)))

    assert build_episode_slot(episode(1, at=late)).day == date(2026, 11, 16)


def test_a_patch_changes_what_it_names_and_leaves_the_rest() -> None:
    patch = Patch(changes={"zip": "10116"}, drops=("ZIP", "gone"))

    assert patch.apply({"ZIP": "10116", "city": "Bonn"}) == {"city": "Bonn", "zip": "10116"}


def test_a_rating_comes_back_from_its_row() -> None:
    rating = Rating(of="a1", up=False, note="wrong price")

    row = build_rating_row(rating, row_id="b2", at_us=1_000_000, tenant="t")
    read = read_rating(row)

    assert (row.tool, row.parent, row.tenant) == (RATED, "a1", "t")
    assert (read.of, read.up, read.note) == ("a1", False, "wrong price")


def test_a_note_is_no_letter() -> None:
    rating = Rating(of="a", up=True, note="x" * 9_999)

    row = build_rating_row(rating, row_id="b", at_us=0, tenant="")

    assert len(read_rating(row).note) == LONGEST_NOTE


@pytest.mark.parametrize("wrong", [{"of": "", "up": True}, {"of": "a", "up": "yes"}])
def test_a_rating_of_nothing_or_of_neither_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError):
        Rating(**wrong)  # type: ignore[arg-type]
