from __future__ import annotations

import argparse
import getpass
from datetime import UTC, datetime, timedelta

import pytest

from mulligan.cli.options import complete_id, find_user, parse_count, parse_moment
from mulligan.types.errors import ConfigurationError


def test_a_span_is_that_long_ago_and_a_time_is_itself() -> None:
    then = parse_moment("2h")
    ago = datetime.now(UTC) - then

    assert timedelta(hours=2) <= ago < timedelta(hours=2, minutes=1)
    assert parse_moment("2026-11-14T09:00+01:00") == datetime(2026, 11, 14, 8, tzinfo=UTC)


@pytest.mark.parametrize("text", ["yesterday", "2", "2y", "-3d", "9999999w", "2026-11-14T09:00"])
def test_what_is_no_moment_is_refused_with_the_way_to_write_one(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=r"30m, 2h or 7d"):
        parse_moment(text)


def test_a_count_is_a_whole_number_within_bounds() -> None:
    assert (parse_count("1"), parse_count("1000000")) == (1, 1_000_000)
    for text in ("0", "1000001", "1.5", "-1", "", "\u0661"):
        with pytest.raises(argparse.ArgumentTypeError, match="whole number"):
            parse_count(text)


def test_a_user_without_a_name_still_decides_as_somebody(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> str:
        raise KeyError("uid not found")

    monkeypatch.setattr(getpass, "getuser", nobody)

    assert find_user() == "somebody at the command line"


ONE, OTHER = "01a1e46309a472768601d79ed8e515f8", "01a1e46309a47280a84cf5f8fb667596"


@pytest.mark.parametrize(
    ("given", "whole"),
    [
        ("01a1e46309a47276", ONE),
        ("01A1E463-09A4-7276", ONE),
        (ONE, ONE),
        ("99", "99"),
        (None, None),
        ("", None),
    ],
)
def test_an_id_may_be_given_by_its_beginning(given: str | None, whole: str | None) -> None:
    assert complete_id(given, lambda: [ONE, OTHER, None, ONE]) == whole


def test_a_beginning_of_two_is_refused_with_both() -> None:
    with pytest.raises(ConfigurationError, match=f"2 start so .*{OTHER}"):
        complete_id("01a1", lambda: [ONE, OTHER])
