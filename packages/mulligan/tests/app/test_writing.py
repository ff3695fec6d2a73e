from __future__ import annotations

from datetime import timedelta

import pytest

from mulligan import Mulligan
from mulligan.app.texts import STEPS
from mulligan.checks.grounding import Verification
from mulligan.checks.text import avoids
from mulligan.loops.drafts import DraftRules
from mulligan.loops.replies import ReplyRules
from mulligan.types.errors import ConfigurationError
from mulligan.types.events import Happened
from mulligan.types.reply import Critique
from mulligan_testing.fakes import ScriptedJudge

POLITE = ReplyRules(checks=[avoids(words=["delve"])])
DAY = timedelta(days=1)


async def test_every_step_carries_the_id_of_its_reply_or_draft() -> None:
    heard: list[Happened] = []
    async with Mulligan("memory:") as m:
        m.subscribe(heard.append)
        replied = await m.reply(lambda _: "we look", rules=POLITE)
        rules = DraftRules(critics=[lambda *_: Critique(score=9)])
        drafted = await m.draft(lambda brief: "text", question="?", rules=rules)
        m.flush()

    ids = [event.id for event in heard if isinstance(event, STEPS)]
    assert replied.id != drafted.id
    assert ids == [replied.id] * 2 + [drafted.id] * 3


async def test_replies_drafts_and_thumbs_are_in_the_figures() -> None:
    async with Mulligan("memory:") as m:
        async with m.turn("?", agent="sales"):
            bad = await m.reply(lambda _: "we delve", rules=POLITE)
        await m.reply(lambda told: "we delve" if told is None else "we look", rules=POLITE)
        await m.reply(lambda _: "we look", rules=POLITE)
        await m.reply(lambda _: "we look", rules=POLITE)
        await m.draft(
            lambda brief: "text",
            question="?",
            rules=DraftRules(critics=[lambda *_: Critique(score=9)]),
        )
        m.rate(bad.id, up=False, note="Mail ann@example.com about it")
        m.flush()
        figures = m.insights.figures(DAY).texts
        found = m.insights.text_list.find(bad.id)
        assert found is not None
        story = m.insights.text_list.read_story(found)

    assert (figures.replies.replies, figures.replies.reflected.figure) == (4, 0.5)
    assert (figures.replies.tries, figures.replies.bound.figure) == (1.75, 0.25)
    assert figures.by_check == {"text.unwanted_word": 0.5}
    assert [share.name for share in figures.by_agent] == ["(nobody named)", "sales"]
    assert sum(share.replies for share in figures.by_hour) == 4
    assert (figures.drafts, figures.accepted.figure, figures.score) == (1, 1.0, 9)
    assert (figures.rated_up.figure, figures.rated_up.n) == (0.0, 1)
    assert "50% of the replies were written again (healthy: 20% to 40%)" in figures.health
    assert story.written is not None
    assert story.written.tries == ("we delve",) * 3
    assert [rating.up for rating in story.ratings] == [False]
    assert "ann@example.com" not in story.ratings[0].note
    assert len(story.steps) == 3


async def test_a_thumb_for_nothing_is_refused() -> None:
    async with Mulligan("memory:") as m:
        with pytest.raises(ConfigurationError, match="needs the id"):
            m.rate("", up=True)
        with pytest.raises(ConfigurationError, match="There is no reply, draft or run 'abc'"):
            m.insights.text_list.rate("abc", up=True)


async def test_rules_are_loaded_as_production_has_them() -> None:
    m = Mulligan("memory:", judge=ScriptedJudge(lambda question: None), replies=POLITE)

    assert m.load_rules().checks == POLITE.checks
    assert m.load_rules(ReplyRules(verify=Verification())).verifier is not None
    assert Mulligan("memory:").load_rules(ReplyRules(verify=Verification())).verifier is None
