from __future__ import annotations

import itertools

from mulligan.checks.file import preset
from mulligan.checks.text import avoids
from mulligan.core.finding import Correction, Standing
from mulligan.evaluation.cases import Case, load_golden_cases
from mulligan.evaluation.report import Report
from mulligan.evaluation.run import run_cases
from mulligan.evaluation.writers import ScriptedWriter, Written, build_replay_writer
from mulligan.loops.replies import ReplyRules

RULES = ReplyRules(checks=[avoids(words=["delve"])])


async def test_a_case_is_reported_with_what_was_found_first_and_last() -> None:
    cases = [
        Case(id="good", question="?", recorded=("fine",)),
        Case(id="mended", question="?", recorded=("we delve", "we look")),
        Case(id="never", question="?", recorded=("we delve",)),
    ]
    clock = itertools.count()

    good, mended, never = await run_cases(
        cases, write=build_replay_writer(), rules=RULES, monotonic=lambda: float(next(clock))
    )

    assert (good.iterations, good.reflected, good.first_findings) == (1, False, ())
    assert (mended.iterations, mended.reflected, mended.bound_reached) == (2, True, False)
    assert (mended.first_findings, mended.last_findings) == (("text.unwanted_word",), ())
    assert (never.iterations, never.bound_reached) == (3, True)
    assert never.last_findings == ("text.unwanted_word",)
    assert good.seconds == 1.0


async def test_a_reply_function_may_be_any_async_callable_and_count_its_tokens() -> None:
    async def counting(case: Case, correction: Correction | None) -> Written:
        return Written(text="we delve" if correction is None else "we look", tokens=7)

    async def plain(case: Case, correction: Correction | None) -> str:
        return "fine"

    case = Case(id="a", question="?")
    (counted,) = await run_cases([case], write=counting, rules=RULES)
    (uncounted,) = await run_cases([case], write=plain, rules=RULES)

    assert (counted.tokens, uncounted.tokens) == (14, 0)


async def test_each_case_is_announced_before_it_runs() -> None:
    seen: list[str] = []

    await run_cases(
        load_golden_cases()[:3],
        write=ScriptedWriter(),
        rules=RULES,
        step=lambda case: seen.append(case.id),
    )

    assert seen == [case.id for case in load_golden_cases()[:3]]


async def test_the_golden_set_with_typical_mistakes_is_mended_within_the_targets() -> None:
    rules = ReplyRules(checks=preset("marketing"))

    results = await run_cases(load_golden_cases(), write=ScriptedWriter(), rules=rules)

    report = Report(results=results)
    assert 0.20 <= report.reflection_rate <= 0.40
    assert all(r.standing is Standing.ACCEPTED for r in results if not r.bound_reached)
    assert report.bound_rate < report.reflection_rate
