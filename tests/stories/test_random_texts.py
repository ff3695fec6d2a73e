"""Whoever writes, checks and criticises, and whatever they do: the best judged text, in time."""

from __future__ import annotations

import logging

import pytest

from tests.stories.random_rewrites import JUDGES, REWRITERS, WRITERS
from tests.stories.random_texts import LOOKS, MOVES, SCORES, THOUGHTS, run

pytestmark = pytest.mark.promise(9)


@pytest.mark.full
def test_there_is_always_the_best_judged_text_in_time_and_within_the_bounds(caplog) -> None:
    caplog.set_level(logging.CRITICAL, "mulligan")

    met, wrong = run(400)

    assert wrong == []
    wanted = [("writer", MOVES), ("check", LOOKS), ("critic", SCORES)]
    wanted += [("reflector", THOUGHTS), ("rewriter", REWRITERS), ("evaluation", WRITERS)]
    wanted.append(("evaluation judge", JUDGES))
    assert met.keys() >= {f"{who} {move}" for who, moves in wanted for move in moves}
