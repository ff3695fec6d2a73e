from __future__ import annotations

import asyncio
import itertools
from datetime import timedelta

from mulligan.checks.file import preset
from mulligan.checks.text import avoids
from mulligan.evaluation.cases import Case, load_golden_cases
from mulligan.evaluation.evaluate import run_cases
from mulligan.evaluation.report import Report
from mulligan.evaluation.writers import ScriptedWriter, Written, build_replay_writer
from mulligan.loops.replies import ReplyRules
from mulligan.types.adapter import AgentWriter
from mulligan.types.finding import Correction, Severity, Standing
from mulligan.types.limits import Budget

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
    assert (mended.first_text, mended.text) == ("we delve", "we look")
    assert good.seconds > 0


async def test_a_reply_function_may_be_any_async_callable_and_count_its_tokens() -> None:
    async def counting(case: Case, correction: Correction | None) -> Written:
        return Written(text="we delve" if correction is None else "we look", tokens=7)

    async def plain(case: Case, correction: Correction | None) -> str:
        return "fine"

    case = Case(id="a", question="?")
    (counted,) = await run_cases([case], write=counting, rules=RULES)
    (uncounted,) = await run_cases([case], write=plain, rules=RULES)

    assert (counted.tokens, uncounted.tokens) == (14, 0)


async def test_a_plain_function_and_an_agent_write_too() -> None:
    prompts: list[str] = []

    async def write(asked) -> str:
        prompts.append(asked.prompt)
        return "fine"

    cases = [Case(id="a", question="Why?", context=("Because.",))]
    (plain,) = await run_cases(cases, write=lambda case, correction: "fine", rules=RULES)
    (agent,) = await run_cases(cases, write=AgentWriter(write), rules=RULES)

    assert (plain.text, agent.text) == ("fine", "fine")
    # The same as in production: question, context, and from the first what is asked for.
    assert all(words in prompts[0] for words in ("Why?", "Because.", "# Requirements"))


async def test_warnings_reject_nothing() -> None:
    rules = ReplyRules(checks=[avoids(words=["delve"], severity=Severity.WARNING)])

    (result,) = await run_cases(
        [Case(id="a", question="?", recorded=("we delve",))],
        write=build_replay_writer(),
        rules=rules,
    )

    assert (result.reflected, result.first_findings) == (False, ())
    assert result.first_warnings == ("text.unwanted_word",)


async def test_cases_run_beside_each_other_and_come_back_in_their_order() -> None:
    under_way, most, all_in = 0, 0, asyncio.Event()

    async def write(case: Case, correction: Correction | None) -> str:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        if under_way == 3:
            all_in.set()
        await all_in.wait()
        under_way -= 1
        return f"reply {case.id}"

    cases = [Case(id=str(n), question="?") for n in range(6)]
    results = await run_cases(cases, write=write, rules=ReplyRules(), at_once=3)

    assert most == 3
    assert [result.text for result in results] == [f"reply {n}" for n in range(6)]


async def test_a_writer_that_hangs_costs_its_case_and_no_other() -> None:
    async def write(case: Case, correction: Correction | None) -> str:
        if case.id == "0":
            await asyncio.Event().wait()
        return "fine"

    rules = ReplyRules(budget=Budget(time=timedelta(milliseconds=50)))
    hung, other = await run_cases(
        [Case(id=str(n), question="?") for n in range(2)], write=write, rules=rules
    )

    assert (hung.limit, other.text) == ("time", "fine")


async def test_each_case_is_announced_when_it_is_done() -> None:
    seen: list[str] = []

    await run_cases(
        load_golden_cases()[:3],
        write=ScriptedWriter(),
        rules=RULES,
        step=lambda case: seen.append(case.id),
    )

    assert sorted(seen) == sorted(case.id for case in load_golden_cases()[:3])


async def test_the_golden_set_with_typical_mistakes_is_mended_within_the_targets() -> None:
    rules = ReplyRules(checks=preset("marketing"))

    results = await run_cases(load_golden_cases(), write=ScriptedWriter(), rules=rules)

    report = Report(results=results)
    assert 0.20 <= report.reflection_rate <= 0.40
    assert all(r.standing is Standing.ACCEPTED for r in results if not r.bound_reached)
    assert report.bound_rate < report.reflection_rate
