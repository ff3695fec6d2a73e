"""Thumbs of people are held against the checks; what they say is only proposed."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from mulligan import Mulligan
from mulligan.checks.text import avoids
from mulligan.insights.texts import LEAST, CheckProposal
from mulligan.loops.replies import ReplyRules
from mulligan.types.finding import Severity

GRAND = ReplyRules(checks=[avoids(words=["delve"], severity=Severity.WARNING)])
OTHER = ReplyRules(checks=[avoids(words=["delve"])], attempts=1)


async def propose(votes: list[bool], *, rules: ReplyRules = GRAND) -> tuple[CheckProposal, ...]:
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
        ([True] * 10, "people liked 10 of 10 replies that text.unwanted_word spoke up about"),
        ([True] * 12 + [False] * 2, "too strict"),
        ([False] * 12 + [True] * 2, "people liked 2 of 14"),
        ([False] * 10, "keep more of them back"),
    ],
)
def test_what_most_people_clearly_think_is_proposed(votes: list[bool], said: str) -> None:
    [proposal] = asyncio.run(propose(votes))

    assert proposal.rule == "text.unwanted_word"
    assert said in proposal.text
    assert proposal.liked.n == len(votes)


@pytest.mark.parametrize("votes", [[True] * (LEAST - 1), [True, False] * 8, []])
def test_few_thumbs_or_divided_ones_propose_nothing(votes: list[bool]) -> None:
    assert asyncio.run(propose(votes)) == ()


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
