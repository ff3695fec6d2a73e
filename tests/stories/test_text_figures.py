"""Figures about texts are those that the rows would give; thumbs of people only propose."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from datetime import timedelta

import pytest

from mulligan import Mulligan
from mulligan.checks.text import avoids
from mulligan.insights.texts import LEAST, CheckProposal, TextFigures, read_text_figures
from mulligan.loops.replies import ReplyRules
from mulligan.stores.opening import open_store
from mulligan.types.call import LogRow
from mulligan.types.finding import Finding, Severity
from mulligan.types.limits import Budget
from mulligan.types.log import (
    DRAFT_RESPONDED,
    REPLY_CHECKED,
    REPLY_SETTLED,
    TASK_RAN,
    TASK_REFLECTED,
    Batch,
    LogQuery,
    read_facts,
)
from mulligan.types.notes import Refinement
from mulligan.types.reply import RATED
from mulligan.types.task import Reflect, Task
from mulligan_testing.store_contract.contract import DAY, HOUR, NOW
from mulligan_testing.store_contract.logs import make_step, make_texts


def list_facts(rows: Sequence[LogRow], tool: str) -> list[dict]:
    return [read_facts(row) for row in rows if row.tool == tool]


def read_stored(rows: Sequence[LogRow]) -> TextFigures:
    store = open_store("memory:")
    for start in range(0, len(rows), 1_000):
        store.log.write(Batch(rows=rows[start : start + 1_000]))
    return read_text_figures(store.log, since=NOW - DAY, until=NOW + DAY)


@pytest.mark.parametrize("seed", range(2))
def test_figures_are_those_of_a_recount_from_the_rows(seed: int) -> None:
    rows = make_texts(random.Random(seed), count=600)

    figures = read_stored(rows)

    settled, drafts, runs = (
        list_facts(rows, tool) for tool in (REPLY_SETTLED, DRAFT_RESPONDED, TASK_RAN)
    )
    firsts = [facts for facts in list_facts(rows, REPLY_CHECKED) if facts["number"] == 1]
    again = sum(facts["standing"] == "rejected" for facts in firsts)
    alone = [facts for facts in runs if not facts["beside"]]
    scores = [facts["score"] for facts in alone if facts["score"] is not None]
    thumbs = [facts["up"] for facts in list_facts(rows, RATED)]
    assert figures.replies.all.n == len(settled)
    assert figures.replies.all.reflected.figure == pytest.approx(again / len(settled))
    assert figures.replies.all.tries == pytest.approx(
        sum(facts["iterations"] for facts in settled) / len(settled)
    )
    assert figures.replies.all.bound.figure == pytest.approx(
        sum(facts["bound_reached"] for facts in settled) / len(settled)
    )
    assert figures.replies.by_check == pytest.approx(
        {
            rule: sum(rule in facts["rules"] for facts in firsts) / len(settled)
            for rule in figures.replies.by_check
        }
    )
    assert sum(share.n for share in figures.replies.by_agent) == len(settled)
    assert sum(share.n for share in figures.replies.by_hour) == len(settled)
    assert figures.drafts.all.n == len(drafts)
    assert figures.accepted.figure == pytest.approx(
        sum(facts["accepted"] for facts in drafts) / len(drafts)
    )
    assert figures.tasks.all.n == len(alone)
    assert figures.tasks.all.tries == pytest.approx(len(runs) / len(alone))
    assert figures.tasks.all.score == pytest.approx(sum(scores) / len(scores))
    assert figures.tasks.all.noted.figure == pytest.approx(
        sum(facts["version"] > 0 for facts in alone) / len(alone)
    )
    assert figures.rated_up.figure == pytest.approx(sum(thumbs) / len(thumbs))


@pytest.mark.full
def test_more_replies_than_any_list_holds_are_all_counted() -> None:
    rows = [
        make_step(n, REPLY_SETTLED, iterations=1 + n % 2, agent="", at=NOW + n % 3 * HOUR)
        for n in range(60_000)
    ]

    figures = read_stored(rows)

    assert (figures.replies.all.n, figures.replies.all.tries) == (60_000, 1.5)
    assert [share.n for share in figures.replies.by_hour] == [20_000] * 3


def test_runs_of_tasks_are_rows_and_figures_like_replies() -> None:
    async def run() -> tuple[TextFigures, list[LogRow], str]:
        async with Mulligan("memory:") as m:
            task = Task(
                id="orders",
                description="Sum the orders up.",
                checks=(refuse_short,),
                reflect=Reflect(gate="accept", strategy=propose),
            )
            done = await m.run_task(task, lambda _: "a whole sentence")
            await m.run_task(task, lambda _: "no")
            with pytest.raises(ZeroDivisionError):
                await m.run_task(Task(id="orders", description="Fail."), lambda _: 1 // 0)
            m.flush()
            rows = m.insights.store.log.list_rows(LogQuery(oldest_first=True))
            return m.insights.figures(timedelta(days=1)).texts, rows, done.id

    figures, rows, first = asyncio.run(run())

    ran = [row for row in rows if row.tool == TASK_RAN]
    assert (ran[0].id, [row.outcome for row in ran]) == (first, ["success", "failure", "failure"])
    assert [row.parent for row in rows if row.tool == TASK_REFLECTED] == [first]
    assert figures.tasks.all.n == 3
    assert figures.tasks.by_check == {"run.short": pytest.approx(1 / 3)}
    assert figures.tasks.all.bound.figure == pytest.approx(2 / 3)
    assert figures.tasks.all.noted.figure == pytest.approx(1 / 3)
    assert figures.tasks.all.reflected.figure == pytest.approx(1 / 3)


def test_a_run_that_hangs_ends_with_its_budget_and_counts_as_failed() -> None:
    async def run() -> TextFigures:
        async with Mulligan("memory:") as m:
            task = Task(description="Hang.", budget=Budget(time=timedelta(milliseconds=50)))
            with pytest.raises(TimeoutError, match=r"took more than 0:00:00\.05"):
                await m.run_task(task, hang)
            m.flush()
            return m.insights.figures(timedelta(days=1)).texts

    figures = asyncio.run(run())

    assert (figures.tasks.all.n, figures.tasks.all.bound.figure) == (1, 1.0)


def refuse_short(output: object) -> Finding | None:
    if len(str(output)) > 5:
        return None
    return Finding(rule="run.short", severity=Severity.ERROR, issue="It is too short.")


def propose(experience) -> Refinement:
    return Refinement(suggestions=(f"After run {experience.runs}: write a whole sentence.",))


async def hang(_prompt: str) -> str:
    await asyncio.sleep(60)
    return "too late"


GRAND = ReplyRules(checks=[avoids(words=["delve"], severity=Severity.WARNING)])
OTHER = ReplyRules(checks=[avoids(words=["delve"])], attempts=1)


async def collect_proposals(
    votes: list[bool], *, rules: ReplyRules = GRAND
) -> tuple[CheckProposal, ...]:
    async with Mulligan("memory:") as m:
        for up in votes:
            replied = await m.reply(lambda _: "we delve", rules=rules)
            m.flush()
            m.rate(replied.id, up=up)
        await m.reply(lambda _: "we delve", rules=rules)
        m.flush()
        return m.insights.figures(timedelta(days=1)).texts.proposals


@pytest.mark.parametrize(
    ("votes", "said"),
    [
        ([True] * 10, "people liked 10 of 10 replies that text.unwanted_word flagged"),
        ([True] * 12 + [False] * 2, "too strict"),
        ([False] * 12 + [True] * 2, "people liked 2 of 14"),
        ([False] * 10, "keep more of them back"),
    ],
)
def test_what_most_people_clearly_think_is_proposed(votes: list[bool], said: str) -> None:
    [proposal] = asyncio.run(collect_proposals(votes))

    assert proposal.rule == "text.unwanted_word"
    assert said in proposal.text
    assert proposal.liked.n == len(votes)


@pytest.mark.parametrize("votes", [[True] * (LEAST - 1), [True, False] * 8, []])
def test_few_thumbs_or_divided_ones_propose_nothing(votes: list[bool]) -> None:
    assert asyncio.run(collect_proposals(votes)) == ()


def test_of_several_thumbs_for_one_reply_the_last_counts() -> None:
    async def rate_again() -> tuple[CheckProposal, ...]:
        async with Mulligan("memory:") as m:
            for _ in range(LEAST):
                replied = await m.reply(lambda _: "we delve", rules=OTHER)
                m.flush()
                m.rate(replied.id, up=True)
                m.rate(replied.id, up=False)
            m.flush()
            return m.insights.figures(timedelta(days=1)).texts.proposals

    [proposal] = asyncio.run(rate_again())

    assert (proposal.liked.figure, proposal.liked.n) == (0.0, LEAST)
