"""Replies and drafts of an application: who verifies them, what the log says, what is kept."""

from __future__ import annotations

import json
import logging

import pytest

from mulligan import Mulligan
from mulligan.checks.grounding import Claims, Verification
from mulligan.checks.text import avoids
from mulligan.loops.drafts import DraftRules
from mulligan.loops.replies import ReplyRules
from mulligan.types.call import OWN
from mulligan.types.errors import ConfigurationError
from mulligan.types.events import Reflected, Responded
from mulligan.types.finding import Confidence, Severity, Standing
from mulligan.types.log import LogQuery
from mulligan.types.reply import Claim, Critique, Support
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


async def test_a_context_that_is_one_text_is_one_passage() -> None:
    async with Mulligan("memory:") as m:
        replied = await m.reply(writes("We serve 100+ clients."), context=CONTEXT[0])

    assert replied.reply.context == CONTEXT


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


async def test_a_reply_that_was_sent_although_rejected_can_be_found(
    caplog,
) -> None:
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
        "thought",
        "tool_called",
        "tool_answered",
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


async def test_without_rules_the_applications_judge_is_the_critic() -> None:
    judge = ScriptedJudge([Critique(score=3, issues=("vague",)), Critique(score=9)])

    async with Mulligan("memory:", judge=judge) as m:
        drafted = await m.draft(lambda brief: f"Draft {brief.critique}", question="Why?")

    assert drafted.standing is Standing.ACCEPTED
    assert len(judge.questions) == 2


async def test_without_a_critic_the_error_says_what_to_do() -> None:
    async with Mulligan("memory:") as m:
        with pytest.raises(ConfigurationError, match="give the application a judge"):
            await m.draft(writes("x"), question="Why?")


async def test_a_models_name_is_a_writer() -> None:
    pytest.importorskip("pydantic_ai")
    rules = DraftRules(critics=[lambda *_: Critique(score=9)])

    async with Mulligan("memory:") as m:
        drafted = await m.draft("test", question="Why?", rules=rules)

    assert drafted.standing is Standing.ACCEPTED


async def test_the_loop_is_chosen_by_a_setting() -> None:
    asked: list[str] = []

    def critic(question, draft):
        asked.append(draft.text)
        return Critique(score=1)

    rules = DraftRules(critics=[critic])

    async with Mulligan("memory:", loop="once") as m:
        once = await m.draft(writes("An answer."), question="Why?", rules=rules)
    with pytest.raises(ConfigurationError, match="There are: reflect, once"):
        Mulligan("memory:", loop="twice")

    assert (once.text, once.standing, asked) == ("An answer.", Standing.UNREVIEWED, [])


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
