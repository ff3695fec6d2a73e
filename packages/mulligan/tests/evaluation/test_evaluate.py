"""Evaluations: the cases, who writes, and what a run of them reports."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from mulligan import Mulligan
from mulligan.checks.file import preset
from mulligan.checks.grounding import grounded
from mulligan.checks.text import avoids
from mulligan.codec import encode_json
from mulligan.evaluation.evaluate import (
    MISTAKES,
    Case,
    ScriptedWriter,
    Written,
    build_replay_writer,
    compose,
    evaluate,
    evaluate_both,
    load_golden_cases,
    read_cases,
    run_cases,
    write_page,
)
from mulligan.evaluation.report import ChangeSafety, Report, compare, summary
from mulligan.loops.checking import run_checks_now
from mulligan.loops.drafts import DraftRules
from mulligan.loops.replies import ReplyRules
from mulligan.types.adapter import AgentWriter
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Correction, Severity, Standing
from mulligan.types.limits import Budget
from mulligan.types.reply import Draft, Reply


def test_the_golden_set_has_at_least_forty_questions_each_once_and_with_context() -> None:
    cases = load_golden_cases()

    assert len(cases) >= 40
    assert len({case.id for case in cases}) == len({case.question for case in cases}) == len(cases)
    assert all(case.context and case.answer for case in cases)


@pytest.mark.parametrize("case", load_golden_cases(), ids=lambda case: case.id)
def test_the_right_answer_to_every_question_passes_every_check(case: Case) -> None:
    reply = Reply(text=compose(case, set()), query=case.question, context=case.context)

    assert run_checks_now(reply, preset("marketing")) == ([], True)


def test_cases_are_read_as_they_were_written(tmp_path: Path) -> None:
    cases = (
        Case(id="a", question="Où?", context=("ici",), recorded=("là", "ici")),
        Case(id="b", question="Who?"),
    )

    lines = [encode_json(case).decode() for case in cases]
    (tmp_path / "cases.jsonl").write_text("\n".join(lines), encoding="utf-8")

    assert read_cases(tmp_path / "cases.jsonl") == cases


def test_one_text_is_one_passage_and_a_typo_or_a_second_id_is_named(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text('{"question": "Why?", "context": "One text.", "topic": "any", "id": 7}\n')
    assert read_cases(file) == (Case(id="7", question="Why?", context=("One text.",)),)

    lines = ['{"id": "a", "question": "?"}', '{"id": "a", "question": "?"}', '{"question": " "}']
    lines += ['{"question": "?", "contexts": ["x"]}'] * 6
    file.write_text("\n".join(lines))
    with pytest.raises(ConfigurationError) as raised:
        read_cases(file)

    said = str(raised.value)
    assert "line 2: its id 'a' is already used in line 1" in said
    assert "line 3: it has no question" in said
    assert "line 4: 'contexts' is not a field; did you mean 'context'?" in said
    assert "and 3 more lines" in said


@pytest.mark.parametrize("mark", ["\u0085", "\u2028", "\u2029", "\x1c", "\x0b", "\x0c"])
def test_only_a_line_feed_ends_a_line(tmp_path: Path, mark: str) -> None:
    file = tmp_path / "cases.jsonl"
    asked = [f"Why{mark}so?", "And then?"]
    lines = (json.dumps({"question": each}, ensure_ascii=False) for each in asked)
    file.write_bytes("\r\n".join(lines).encode())

    assert [case.question for case in read_cases(file)] == asked


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"question": "one", "question": "two"}', "it has 'question' more than once"),
        ('{"id": 1, "question": "one", "id": 2}', "it has 'id' more than once"),
        ("[" * 100_000, "it is not JSON"),
        ("{", "it is not JSON"),
        ("[]", "it is a list, not an object"),
        ('{"context": []}', "it has no question"),
        ('{"question": "?", "context": 3}', "context is 3, not a text"),
    ],
)
def test_a_line_that_says_two_things_or_none_is_named(tmp_path: Path, line: str, why: str) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(line)

    with pytest.raises(ConfigurationError, match=f"line 1: {why}"):
        read_cases(file)


PRICED = next(case for case in load_golden_cases() if case.id == "price_all")


@pytest.mark.parametrize("mistake", MISTAKES)
def test_every_mistake_of_the_scripted_writer_is_noticed_by_its_rule(mistake: str) -> None:
    text = compose(PRICED, {mistake})
    reply = Reply(text=text, query=PRICED.question, context=PRICED.context)

    findings, _ = run_checks_now(reply, preset("marketing"))

    assert any(each.rule.startswith(MISTAKES[mistake]) for each in findings)


RULES = ReplyRules(checks=[avoids(words=["delve"])])


async def test_a_case_is_reported_with_what_was_found_first_and_last() -> None:
    cases = [
        Case(id="good", question="?", recorded=("fine",)),
        Case(id="fixed", question="?", recorded=("we delve", "we look")),
        Case(id="never", question="?", recorded=("we delve",)),
    ]
    clock = itertools.count()

    good, fixed, never = await run_cases(
        cases, write=build_replay_writer(), rules=RULES, monotonic=lambda: float(next(clock))
    )

    assert (good.iterations, good.reflected, good.first_findings) == (1, False, ())
    assert (fixed.iterations, fixed.reflected, fixed.bound_reached) == (2, True, False)
    assert (fixed.first_findings, fixed.last_findings) == (("text.unwanted_word",), ())
    assert (never.iterations, never.bound_reached) == (3, True)
    assert never.last_findings == ("text.unwanted_word",)
    assert (fixed.first_text, fixed.text) == ("we delve", "we look")
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


async def test_the_golden_set_with_typical_mistakes_is_fixed_within_the_targets() -> None:
    rules = ReplyRules(checks=preset("marketing"))

    results = await run_cases(load_golden_cases(), write=ScriptedWriter(), rules=rules)

    report = Report(results=results)
    assert 0.20 <= report.reflection_rate <= 0.40
    assert all(r.standing is Standing.ACCEPTED for r in results if not r.bound_reached)
    assert report.bound_rate < report.reflection_rate


async def test_a_limit_takes_the_first_cases_and_each_is_announced() -> None:
    seen: list[str] = []

    report = await evaluate(limit=3, step=lambda case: seen.append(case.id))

    assert [result.case for result in report.results] == seen
    assert len(seen) == 3


async def test_two_files_are_compared_on_the_same_cases_and_written_as_a_page(tmp_path) -> None:
    loose, strict = tmp_path / "loose.toml", tmp_path / "strict.toml"
    loose.write_text('preset = "default"\n')
    strict.write_text('preset = "default"\n[checks.too_long]\nat_most = 30\n')

    comparison = await evaluate_both(str(loose), str(strict))
    write_page(comparison, tmp_path / "page.html")

    assert comparison.verdict is ChangeSafety.UNSAFE
    page = (tmp_path / "page.html").read_text()
    assert comparison.sentence in page
    assert "loose" in page
    assert "strict" in page


class CarelessWriter:
    """Uses the unwanted word in every second reply, by chance; a new one begins as any other."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.firsts = 0

    def __call__(self, case: Case, correction: Correction | None) -> str:
        self.firsts += correction is None
        return "we delve" if self.chance.random() < 0.5 else "we look"


async def test_two_identical_sets_show_no_difference_whatever_a_writer_does_by_chance() -> None:
    cases = [Case(id=str(n), question="?") for n in range(40)]
    verdicts = Counter()
    for seed in range(10):
        writer = CarelessWriter(random.Random(seed))

        compared = await evaluate_both(RULES, RULES, cases=cases, write=lambda w=writer: w)

        verdicts[compared.verdict] += 1
        assert writer.firsts == len(cases), "the first replies are written once for both"

    assert verdicts == {ChangeSafety.SAME: 10}


async def test_an_agents_first_replies_are_shared_too_and_count_on_both_sides() -> None:
    asked: list[bool] = []

    async def write(brief) -> str:
        asked.append(brief.correction is None)
        brief.spend(tokens=7)
        return "we delve" if brief.correction is None else "we look"

    agent = AgentWriter(write, name="an agent")
    compared = await evaluate_both(
        RULES, ReplyRules(), cases=[Case(id="a", question="?")], write=lambda: agent
    )

    assert asked == [True, False]
    assert (compared.before.tokens, compared.after.tokens) == (14, 7)
    assert compared.after.results[0].text == "we delve"


async def test_a_set_of_ones_own_needs_a_writer_of_ones_own() -> None:
    cases = [Case(id="a", question="?")]

    for run in (evaluate(RULES, cases=cases), evaluate_both(RULES, RULES, cases=cases)):
        with pytest.raises(ConfigurationError, match="This set needs a writer"):
            await run


@pytest.mark.parametrize(
    "wrong",
    [
        {"checks": 3},
        {"cases": "abc"},
        {"cases": [{"id": "a", "question": "?"}]},
        {"limit": 0},
        {"limit": "3"},
        {"write": 3},
        {"write": lambda: "text"},
    ],
)
async def test_what_cannot_be_evaluated_is_refused_with_a_sentence(wrong) -> None:
    given = {
        "checks": RULES,
        "cases": [Case(id="a", question="?")],
        "write": lambda case, told: "x",
    }

    with pytest.raises(ConfigurationError, match=r"is no |write"):
        await evaluate(**{**given, **wrong})


async def test_a_list_of_checks_is_evaluated_and_one_text_of_a_case_is_one_passage() -> None:
    case = Case(id="a", question="?", context="We have 100 boats.")

    report = await evaluate([grounded()], cases=[case], write=lambda case, told: "We have 500.")

    assert case.context == ("We have 100 boats.",)
    assert report.reflection_rate == 1.0
    assert str(report).startswith("Cases: 1\nReflection rate: 100.0%")


async def test_the_expected_answers_of_a_set_are_scored() -> None:
    answer = ("The Heron costs 480 EUR.", "It seats four people.")
    sent = {
        "whole": "It seats four people; 480 EUR is what the Heron costs.",
        "half": "The Heron costs 480 EUR.",
        "wrong": "The Heron costs 840 EUR. It seats five people.",
    }
    cases = [Case(id=name, question="?", answer=answer, recorded=(sent[name],)) for name in sent]
    cases.append(Case(id="unknown", question="?", recorded=("Anything.",)))

    report = await evaluate(ReplyRules(), cases=cases, write=build_replay_writer())

    assert [result.expected for result in report.results] == [1.0, 0.5, 0.0, None]
    assert report.expected == 0.5
    assert report.as_plain()["expected"] == 0.5
    assert ("Expected answers given", "50.0%", "") in summary(report)


async def test_a_comparison_is_told_how_to_make_a_writer_not_the_writer_itself() -> None:
    def reply(case: Case, correction: Correction | None) -> str:
        return "fine"

    for write in (reply, AgentWriter(reply)):
        with pytest.raises(ConfigurationError, match="lambda: reply"):
            await evaluate_both(RULES, RULES, cases=[Case(id="a", question="?")], write=write)


# -- drafts ---------------------------------------------------------------------------------------


async def test_drafts_are_evaluated_with_scores_revisions_and_expected_answers() -> None:
    cases = [
        Case(id="right", question="When?", answer=("We open at 9.",)),
        Case(id="wrong", question="Where?", answer=("We are in Leeds.",)),
    ]

    def critic(question: str, draft: Draft) -> int:
        return 9 if "9" in draft.text else 4

    rules = DraftRules(critics=[critic], reflections=1)
    async with Mulligan("memory:") as m:
        report = await m.evaluate_draft(lambda brief: "We open at 9.", cases, rules=rules)
        worse = await m.evaluate_draft(lambda brief: "Who knows.", cases, rules=rules)

    assert (report.reflection_rate, report.score, report.expected) == (0.0, 9.0, 0.5)
    assert (worse.reflection_rate, worse.score, worse.bound_rate) == (1.0, 4.0, 1.0)
    assert [result.iterations for result in worse.results] == [2, 2]
    assert ("Critics' score", "9.0 of 10", "") in summary(report)
    assert compare(report, worse).verdict is ChangeSafety.UNSAFE


async def test_a_draft_that_nobody_judged_is_no_evidence() -> None:
    rules = DraftRules(critics=[lambda *_: None])
    async with Mulligan("memory:") as m:
        report = await m.evaluate_draft(lambda _: "?", [Case(id="a", question="?")], rules=rules)

    assert (report.gaps.unknown, report.gaps.unreviewed, report.score) == (1, 1, None)
