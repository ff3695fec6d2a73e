from __future__ import annotations

import pytest

from mulligan.checks.file import preset
from mulligan.evaluation.cases import Case, load_golden_cases
from mulligan.evaluation.writers import MISTAKES, ScriptedWriter, build_replay_writer, compose
from mulligan.loops.checking import run_checks_now
from mulligan.types.finding import Correction
from mulligan.types.reply import Reply

PRICED = next(case for case in load_golden_cases() if case.id == "price_all")


@pytest.mark.parametrize("mistake", MISTAKES)
def test_every_mistake_of_the_scripted_writer_is_noticed_by_its_rule(mistake: str) -> None:
    text = compose(PRICED, {mistake})
    reply = Reply(text=text, query=PRICED.question, context=PRICED.context)

    findings, _ = run_checks_now(reply, preset("marketing"))

    assert any(each.rule.startswith(MISTAKES[mistake]) for each in findings)


async def test_the_scripted_writer_makes_the_same_mistakes_every_time() -> None:
    async def first_replies(seed: int) -> list[str]:
        writer = ScriptedWriter(seed=seed)
        return [(await writer(case, None)).text for case in load_golden_cases()]

    assert await first_replies(1) == await first_replies(1)
    assert await first_replies(1) != await first_replies(2)


async def test_a_recording_is_played_try_by_try_and_ends_with_the_last() -> None:
    case = Case(id="a", question="?", recorded=("one", "two"))
    play, again = build_replay_writer(), Correction(text="again")

    texts = [(await play(case, each)).text for each in (None, again, again, None)]

    assert texts == ["one", "two", "two", "one"]
