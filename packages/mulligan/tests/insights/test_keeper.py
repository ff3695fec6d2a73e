from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from mulligan.insights.cache import LONG, MOST_ANSWERS, SHORT, AnswerCache
from mulligan_testing.fakes import FixedClock


def test_an_answer_is_kept_for_a_while_and_no_longer() -> None:
    clock, answers = FixedClock(), iter(range(9))
    cache = AnswerCache(clock)

    def read() -> int:
        return next(answers)

    first = [cache.keep("x", read), cache.keep("x", read), cache.keep("y", read)]
    clock.move(SHORT + timedelta(seconds=1))
    later = cache.keep("x", read)
    cache.forget()

    assert (first, later, cache.keep("x", read)) == ([0, 0, 1], 2, 3)


def test_what_is_kept_has_an_end() -> None:
    cache = AnswerCache(FixedClock())

    for number in range(MOST_ANSWERS * 3):
        cache.keep(number, lambda: "x")

    assert len(cache._kept) <= MOST_ANSWERS


def test_news_outlive_only_what_is_kept_for_long() -> None:
    cache, answers = AnswerCache(FixedClock()), iter(range(9))

    def read() -> int:
        return next(answers)

    before = cache.keep("open", read), cache.keep("month", read, life=LONG)
    cache.forget_short()
    after = cache.keep("open", read), cache.keep("month", read, life=LONG)

    assert (before, after) == ((0, 1), (2, 1))


@pytest.mark.parametrize("change", [AnswerCache.forget, AnswerCache.forget_short])
def test_what_was_read_before_a_change_is_shown_to_nobody_after_it(
    change: Callable[[AnswerCache], None],
) -> None:
    cache = AnswerCache(FixedClock())

    def read_slowly() -> str:
        change(cache)
        return "before"

    asked = cache.keep("open", read_slowly)
    later = cache.keep("open", lambda: "after")

    assert (asked, later) == ("before", "after")
