"""Replies and drafts of an application: who verifies them, what the log says, what is kept."""

from __future__ import annotations

import json
import logging
from datetime import timedelta

import pytest

from mulligan import Effect, Mulligan
from mulligan.app.texts import RECENT_REPLIES, STEPS
from mulligan.checks.content import pii
from mulligan.checks.grounding import Claims, Verification
from mulligan.checks.text import avoids
from mulligan.insights.figures import estimate_share
from mulligan.insights.texts import LoopShare, describe_health
from mulligan.loops.briefs import Brief
from mulligan.loops.drafts import DraftRules
from mulligan.loops.replies import ReplyRules
from mulligan.types.call import OWN
from mulligan.types.errors import ConfigurationError
from mulligan.types.events import Happened, Reflected, Responded, RewriteRateMoved
from mulligan.types.finding import Confidence, Severity, Standing
from mulligan.types.limits import Budget
from mulligan.types.log import LogQuery
from mulligan.types.reply import Claim, Critique, OnFail, Support, Written
from mulligan_testing.fakes import ScriptedJudge

CONTEXT = ("We serve 100+ clients in Leeds.",)
POLITE = ReplyRules(checks=[avoids(words=["delve"])])


def rows(m: Mulligan, tool: str = "") -> list:
    m.flush()
    found = m.insights.log(LogQuery(server=OWN, oldest_first=True))
    return [row for row in found if row.tool.startswith(tool)]


def shown(row) -> dict:
    return json.loads(row.parameters)


def writes(*texts: object):
    left = list(texts)

    async def write(correction):
        return left.pop(0) if len(left) > 1 else left[0]

    return write


def supported(question) -> Claims:
    text = "We serve clients in Leeds."
    claim = Claim(text=text, support=Support.SUPPORTED, passage="clients in Leeds")
    return Claims(claims=(claim,))


def unsupported(question) -> Claims:
    return Claims(claims=(Claim(text="We are in York.", support=Support.UNSUPPORTED),))


# -- claims are verified by the application's judge -----------------------------------------------


async def test_where_claims_are_to_be_verified_the_applications_judge_is_asked_once() -> None:
    judge = ScriptedJudge(supported)
    rules = ReplyRules(verify=Verification())

    async with Mulligan("memory:", judge=judge) as m:
        write = writes("We serve clients in Leeds.")
        first = await m.reply(write, context=CONTEXT, rules=rules)
        again = await m.reply(write, context=CONTEXT, rules=rules)

    assert (first.standing, first.confidence) == (Standing.ACCEPTED, Confidence.HIGH)
    assert first.metadata["judge"] == {"asked": 1, "recalled": 0}
    assert again.metadata["judge"] == {"asked": 0, "recalled": 1}
    assert first.checks_run == ("verified",)
    assert len(judge.questions) == 1


@pytest.mark.parametrize("said", ["{}", '{"verdict": "fine"}', "fine", None, 7])
async def test_a_judge_that_says_nothing_of_claims_has_not_answered(said: object) -> None:
    rules = ReplyRules(verify=Verification())

    async with Mulligan("memory:", judge=lambda _: said) as m:
        replied = await m.reply(writes("We serve clients."), context=CONTEXT, rules=rules)

    assert replied.standing is Standing.UNREVIEWED


async def test_a_file_switches_the_verification_on_and_says_how_much_it_weighs(tmp_path) -> None:
    strict, lenient, off = (tmp_path / f"{name}.toml" for name in ("strict", "lenient", "off"))
    strict.write_text("[checks.verified]\n")
    lenient.write_text('[checks.verified]\nseverity = "warning"\n')
    off.write_text('preset = "marketing"\n[checks.verified]\non = false\n')

    async with Mulligan("memory:", judge=ScriptedJudge(unsupported)) as m:
        write = writes("We are in York.")
        one, other, none = [
            await m.reply(write, context=CONTEXT, rules=str(path))
            for path in (strict, lenient, off)
        ]

    assert (one.standing, other.standing) == (Standing.REJECTED, Standing.ACCEPTED)
    assert [finding.severity for finding in other.findings] == [Severity.WARNING]
    assert "verified" not in none.checks_run


async def test_another_model_than_the_applications_can_verify(tmp_path) -> None:
    pytest.importorskip("pydantic_ai")
    rules = tmp_path / "rules.toml"
    rules.write_text('[checks.verified]\njudge = "test"\n')
    judge = ScriptedJudge([])

    async with Mulligan("memory:", judge=judge) as m:
        replied = await m.reply(writes("We are in York."), context=CONTEXT, rules=str(rules))

    assert replied.judge_asked == 1
    assert judge.questions == []


async def test_without_a_judge_the_other_checks_still_run() -> None:
    async with Mulligan("memory:") as m:
        replied = await m.reply(writes("Hello there!"), query="Hi", rules="marketing")

    assert replied.standing is Standing.ACCEPTED
    assert "verified" not in replied.checks_run
    assert "too_short" in replied.checks_run


async def test_checks_alone_are_rules_enough() -> None:
    checks = [avoids(words=["delve"])]

    async with Mulligan("memory:", replies=checks) as m:
        replied = await m.reply(writes("Let's delve in.", "It costs £9."))
        asked = m.requirements([avoids(words=["realm"])])

    assert replied.metadata["iteration_count"] == 2
    assert asked == "- Do not use: realm."


# -- the log --------------------------------------------------------------------------------------


async def test_every_try_of_a_reply_is_in_the_log_and_none_of_its_words() -> None:
    async with Mulligan("memory:") as m:
        async with m.turn("What do you cost?", agent="sales", context="answer a mail") as turn:
            await m.reply(writes("Let's delve in.", "It costs £9."), rules=POLITE)
        settled, first, second = rows(m, "reply.")

    assert [shown(row)["standing"] for row in (first, second)] == ["rejected", "accepted"]
    assert shown(first)["rules"] == ["text.unwanted_word"]
    assert (settled.tool, settled.outcome, settled.turn) == ("reply.settled", "success", turn.id)
    assert (first.parent, second.parent, settled.parent) == (settled.id, settled.id, None)
    assert (settled.agent, settled.context) == ("sales", "answer a mail")
    assert "delve" not in str([first, second, settled])


async def test_a_reply_that_was_sent_although_rejected_can_be_found(caplog) -> None:
    async with Mulligan("memory:") as m:
        with caplog.at_level(logging.WARNING, "mulligan"):
            replied = await m.reply(writes("Let's delve in."), rules=POLITE)
        m.flush()
        [found] = m.insights.log(LogQuery(outcome="failure"))

    assert replied.bound_reached
    assert (found.error_type, found.error_message) == ("ReplyRejected", "text.unwanted_word")
    assert "although its 3 attempts were rejected" in caplog.text


async def test_steps_of_our_own_loops_are_not_counted_as_calls_of_tools() -> None:
    async with Mulligan("memory:") as m:
        await m.reply(writes("Let's delve in."), rules=POLITE)
        m.flush()
        diagnosis = m.insights.diagnose()

    assert (diagnosis.calls, diagnosis.failures) == (0, 0)
    assert m.insights.patterns(diagnosis.retention.log) == []


async def test_every_step_of_a_draft_is_in_the_log_and_told() -> None:
    async def write(brief):
        brief.meter.spend(tokens=10, money=0.5)
        if brief.draft is None:
            return f"It is {await brief.tools.call('look_up', word='secret word')}."
        return "It is a better one."

    def critic(question, draft):
        return Critique(score=9 if draft.number > 1 else 4, issues=("vague",))

    rules = DraftRules(critics=[critic], tools={"look_up": lambda word: f"about {word}"})
    told: list = []

    async with Mulligan("memory:") as m:
        m.subscribe(told.append)
        drafted = await m.draft(write, question="What is it?", rules=rules)
        found = rows(m, "draft.")

    assert drafted.text == "It is a better one."
    assert [row.tool.removeprefix("draft.") for row in found] == [
        "responded",
        "tool_called",
        "tool_answered",
        "thought",
        "reflected",
        "thought",
        "reflected",
    ]
    assert [shown(row)["score"] for row in found if row.tool == "draft.reflected"] == [4, 9]
    last = shown(found[0])
    assert (last["accepted"], last["tokens"], last["money"]) == (True, 20, 1.0)
    assert "secret word" not in str(found)
    assert {row.parent for row in found[1:]} == {found[0].id}
    assert [type(event) for event in told if isinstance(event, Reflected | Responded)] == [
        Reflected,
        Reflected,
        Responded,
    ]


async def test_a_tool_of_a_draft_that_fails_is_a_failure_in_the_log() -> None:
    def broken(word):
        raise KeyError(word)

    async def write(brief):
        return str(await brief.tools.call("look_up", word="x"))

    rules = DraftRules(critics=[lambda *_: Critique(score=9)], tools={"look_up": broken})

    async with Mulligan("memory:") as m:
        await m.draft(write, question="What is it?", rules=rules)
        failed = [row for row in rows(m, "draft.") if row.outcome == "failure"]

    assert {(row.tool, row.error_type) for row in failed} == {("draft.tool_answered", "KeyError")}


# -- how drafts are made --------------------------------------------------------------------------


async def test_without_a_critic_the_error_says_what_to_do() -> None:
    async with Mulligan("memory:") as m:
        with pytest.raises(ConfigurationError, match="give the application a judge"):
            await m.draft(writes("x"), question="Why?")


# -- what is kept for later -----------------------------------------------------------------------


async def test_replies_are_kept_as_cases_with_all_their_tries() -> None:
    async with Mulligan("memory:") as m:
        write = writes("Let's delve in.", "It costs £9.")
        await m.reply(write, query="What does it cost?", context=CONTEXT, rules=POLITE)
        await m.reply(writes("We do."), query="Do you ship?", rules=POLITE)
        m.flush()
        newest, oldest = m.insights.text_list.list_cases()
        [latest] = m.insights.text_list.list_cases(limit=1)

    assert (newest.question, newest.recorded) == ("Do you ship?", ("We do.",))
    assert oldest.recorded == ("Let's delve in.", "It costs £9.")
    assert (oldest.question, oldest.context) == ("What does it cost?", CONTEXT)
    assert latest == newest


async def test_the_reply_of_a_turn_is_kept_under_the_turn_with_what_its_tools_returned() -> None:
    async with Mulligan("memory:", replies=POLITE) as m:

        @m.tool(effect="read")
        def price(item: str) -> str:
            return "£9 each"

        async def agent(turn):
            return f"It is {price('oar')}."

        done = await m.act("What is an oar?", agent)
        m.flush()
        [case] = m.insights.text_list.list_cases()
        [settled] = rows(m, "reply.settled")

    assert done.reply == "It is £9 each."
    assert case.id == settled.turn
    assert case.context == ("What is an oar?", "£9 each")
    assert case.recorded == ("It is £9 each.",)


async def test_an_application_may_keep_no_replies() -> None:
    async with Mulligan("memory:", keep_replies=False) as m:
        await m.reply(writes("We do."), rules=POLITE)
        m.flush()
        recorded = m.insights.text_list.list_cases()

    assert recorded == ()


async def test_a_reply_goes_out_also_where_it_cannot_be_kept(caplog) -> None:
    async with Mulligan("memory:") as m:
        m.insights.store.vault.put = lambda kept: 1 / 0
        with caplog.at_level(logging.WARNING, "mulligan"):
            replied = await m.reply(writes("We do."), rules=POLITE)
        m.flush()
        recorded = m.insights.text_list.list_cases()

    assert replied.text == "We do."
    assert recorded == ()
    assert "not kept for later (ZeroDivisionError)" in caplog.text


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

    replies, drafts = figures.replies, figures.drafts.all
    assert (replies.all.n, replies.all.reflected.figure) == (4, 0.5)
    assert (replies.all.tries, replies.all.bound.figure) == (1.75, 0.25)
    assert replies.by_check == {"text.unwanted_word": 0.5}
    assert [share.name for share in replies.by_agent] == ["(unnamed)", "sales"]
    assert sum(share.n for share in replies.by_hour) == 4
    assert (drafts.n, figures.accepted.figure, drafts.score) == (1, 1.0, 9)
    assert (figures.rated_up.figure, figures.rated_up.n) == (0.0, 1)
    assert "50% of the replies were rewritten (healthy: 20% to 40%)" in figures.health
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


# -- what judges and critics take counts too ------------------------------------------------------

CLAIMS = '{"claims": [{"text": "we look", "support": "supported", "passage": "we look"}]}'


async def test_what_a_judge_takes_is_in_the_totals_of_a_reply_and_in_its_budget() -> None:
    tries: list[object] = []

    def write(told: object) -> Written:
        tries.append(told)
        return Written(text="we look" + "!" * len(tries), tokens=10, money=0.1)

    def judge(prompt: str) -> Written:
        said = CLAIMS if tries[-1] is not None else CLAIMS.replace("supported", "unsupported", 1)
        return Written(text=said, tokens=100, money=0.5)

    async with Mulligan("memory:", judge=judge) as m:
        rules = ReplyRules(verify=Verification())
        free = await m.reply(write, context="we look", rules=rules)
        tries.clear()
        rules = ReplyRules(verify=Verification(prompt="Claims?"), budget=Budget(tokens=110))
        bound = await m.reply(write, context="we look", rules=rules)

    assert (free.tokens, round(free.money, 6)) == (220, 1.2)
    spent = [free.metadata[name] for name in ("tokens", "money")]
    assert spent == [free.tokens, free.money]
    assert free.metadata["seconds"] == free.seconds > 0
    assert (len(bound.iterations), bound.limit, bound.tokens) == (1, "tokens", 110)


async def test_what_critics_take_is_in_the_totals_of_a_draft_and_in_its_budget() -> None:
    def write(brief: Brief) -> Written:
        return Written(text="text", tokens=10)

    def judge(prompt: str) -> Written:
        return Written(text='{"score": 5}', tokens=100, money=0.5)

    async with Mulligan("memory:", judge=judge) as m:
        whole = await m.draft(write, question="?")
        bound = await m.draft(write, question="?", rules=DraftRules(budget=Budget(tokens=110)))
        own = await m.draft(
            write,
            question="?",
            rules=DraftRules(critics=[lambda *_: {"score": 9, "tokens": 7, "money": 0.25}]),
        )

    assert (whole.tokens, whole.money, len(whole.drafts)) == (330, 1.5, 3)
    assert (bound.tokens, bound.limit, len(bound.drafts)) == (110, "tokens", 1)
    assert (own.tokens, own.money) == (17, 0.25)
    assert own.seconds > 0


@pytest.mark.parametrize(
    ("reflected", "tries", "said"),
    [
        (6, 1.6, "; healthy."),
        (6, 1.27, "; the rate is healthy, and rewrites mostly succeed at once."),
        (6, 2.6, "; the rate is healthy, but rewrites seldom succeed"),
    ],
)
def test_healthy_is_said_only_where_rate_and_tries_are(reflected, tries, said) -> None:
    share = LoopShare(
        name="all",
        n=20,
        reflected=estimate_share(reflected, 20),
        tries=tries,
        bound=estimate_share(0, 20),
        score=None,
        noted=estimate_share(0, 20),
    )

    assert said in describe_health(share)


# -- the rate of rewritten replies ----------------------------------------------------------------


async def test_listeners_are_told_once_when_the_rate_of_rewrites_leaves_its_band(caplog) -> None:
    heard: list[RewriteRateMoved] = []

    async with Mulligan("memory:") as m:
        m.subscribe(lambda event: isinstance(event, RewriteRateMoved) and heard.append(event))

        async def send(count: int, *, rewritten: int) -> None:
            for number in range(count):
                first = "we delve" if number % 10 < rewritten else "we look"
                await m.reply(writes(first, "we look"), rules=POLITE)

        await send(50, rewritten=3)
        m.flush()
        assert heard == []
        await send(50, rewritten=9)
        m.flush()
        (left,) = heard
        await send(50, rewritten=3)
        m.flush()

    assert (left.rate > 0.4, left.healthy, left.replies) == (True, False, RECENT_REPLIES)
    assert left.rules == ("text.unwanted_word",)
    assert [event.healthy for event in heard] == [False, True]
    assert "of the last 50 replies were rewritten" in caplog.text


async def test_the_reply_of_a_turn_is_withheld_too_and_the_log_says_so() -> None:
    rules = ReplyRules(checks=[pii()], fallback="Please call the office.")

    async with Mulligan("memory:", replies=rules) as m:
        done = await m.act("How do I reach Ann?", lambda turn: "Call +1 (555) 010-9999.")
        [settled] = rows(m, "reply.settled")

    assert done.reply == "Please call the office."
    assert done.standing is Standing.REJECTED
    assert (settled.error_type, shown(settled)["withheld"]) == ("ReplyWithheld", "fallback")


# -- what a policy keeps back ----------------------------------------------------------------------


@pytest.mark.parametrize("approved", [True, False])
async def test_a_reply_on_hold_is_released_or_dropped_as_any_held_call(approved: bool) -> None:
    sent: list[str] = []
    rules = [avoids(words=["delve"]).if_failed("hold")]
    async with Mulligan("memory:", recover=False) as m:

        @m.tool(effect=Effect.IRREVERSIBLE)
        def send(text: str) -> None:
            sent.append(text)

        replied = await m.reply(writes("We delve.", "We still delve."), rules=rules)
        assert replied.withheld is OnFail.HOLD
        assert replied.kept_back is not None
        send(text=replied.kept_back.text)
        [held] = m.insights.open_list.actions()
        before = list(sent)
        decide = m.insights.open_list.approve if approved else m.insights.open_list.deny
        decide(held.id, by="Mum")
        await m.recover()

    assert before == []
    assert sent == (["We still delve."] if approved else [])
