from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from mulligan.checks.file import preset
from mulligan.checks.grounding import Claims, Verifier
from mulligan.checks.text import avoids, call_to_action, length
from mulligan.loops.replies import FALLBACK, ReplyRules, load_reply_rules, write_reply
from mulligan.types.adapter import AgentWriter
from mulligan.types.display import Question
from mulligan.types.errors import ConfigurationError
from mulligan.types.events import ReplyChecked, ReplySettled
from mulligan.types.finding import Confidence, Correction, Finding, Severity, Standing
from mulligan.types.reply import Claim, Reply, Support, Written

NO_DELVING = ReplyRules(checks=[avoids(words=["delve"]), length(at_least=10)])


class Writer:
    """Writes what it was given, one text after the other; an exception is raised."""

    def __init__(self, *texts: str | Exception | Reply) -> None:
        self.texts = list(texts)
        self.told: list[Correction | None] = []

    async def __call__(self, correction: Correction | None) -> str | Reply:
        self.told.append(correction)
        text = self.texts[min(len(self.told), len(self.texts)) - 1]
        if isinstance(text, Exception):
            raise text
        return text


class ClaimsJudge:
    """Answers with the same claims every time, or not at all."""

    def __init__(self, claims: Claims | None) -> None:
        self.claims = claims
        self.questions: list[Question] = []

    async def ask(self, question: Question):
        self.questions.append(question)
        return self.claims


def supported(*texts: str) -> Claims:
    return Claims(claims=tuple(Claim(text=t, support=Support.SUPPORTED, passage=t) for t in texts))


async def test_a_good_reply_goes_out_as_it_is() -> None:
    writer = Writer("A good and plain answer.")

    replied = await write_reply(writer, rules=NO_DELVING)

    assert replied.text == "A good and plain answer."
    assert (replied.standing, replied.confidence) == (Standing.ACCEPTED, Confidence.MEDIUM)
    assert replied.metadata["iteration_count"] == 1
    assert replied.metadata["reflection_feedback"] == ""
    assert writer.told == [None]


async def test_a_bad_reply_is_written_again_with_what_is_wrong_where_and_how_to_mend_it() -> None:
    writer = Writer("Let us delve into prices.", "Let us look at prices.")

    replied = await write_reply(writer, rules=NO_DELVING)

    assert replied.text == "Let us look at prices."
    assert replied.standing is Standing.ACCEPTED
    feedback = writer.told[1]
    assert feedback is not None
    assert "The reply uses 'delve'" in feedback.text
    assert "Where: “Let us delve into prices.”" in feedback.text
    assert "Fix: Say it without 'delve'." in feedback.text
    assert "Requirements:\n- Do not use: delve." in feedback.text
    assert replied.metadata["iteration_count"] == 2
    assert replied.metadata["reflection_feedback"] == feedback.text
    assert [len(found) for found in replied.metadata["findings"]] == [1, 0]
    assert replied.metadata["checks_run"] == ["avoids", "length"]


@pytest.mark.parametrize("attempts", [1, 2, 3, 10])
async def test_at_the_bound_the_best_reply_goes_out_marked(attempts: int) -> None:
    two = ReplyRules(
        checks=[avoids(words=["delve", "realm of"]), length(at_least=10)], attempts=attempts
    )
    writer = Writer("delve, realm of", "we delve here", *["delve realm of"] * 10)

    replied = await write_reply(writer, rules=two)

    assert len(writer.told) == attempts
    assert replied.text == ("delve, realm of" if attempts == 1 else "we delve here")
    assert (replied.standing, replied.confidence) == (Standing.REJECTED, Confidence.LOW)
    assert replied.bound_reached
    assert replied.metadata["bound_reached"] is True


async def test_three_attempts_are_the_default() -> None:
    writer = Writer("we delve here")

    await write_reply(writer, rules=NO_DELVING)

    assert len(writer.told) == 3


async def test_of_equal_replies_an_error_outweighs_warnings_and_the_last_wins() -> None:
    rules = ReplyRules(
        checks=[
            avoids(words=["awful"]),
            avoids(words=["meh", "so", "hm"], severity=Severity.WARNING),
            length(at_least=50),
        ]
    )
    writer = Writer("awful", "meh so hm", "so meh hm")

    assert (await write_reply(writer, rules=rules)).text == "so meh hm"


async def test_warnings_alone_reject_nothing() -> None:
    rules = ReplyRules(checks=[avoids(words=["delve"], severity=Severity.WARNING)])
    writer = Writer("we delve")

    replied = await write_reply(writer, rules=rules)

    assert (replied.standing, len(replied.findings)) == (Standing.ACCEPTED, 1)


@pytest.mark.parametrize("text", ["", "  \n", "​​", RuntimeError("model down")])
async def test_there_is_always_a_reply_and_never_an_exception(text: str | Exception) -> None:
    replied = await write_reply(Writer(text), rules=NO_DELVING)

    assert replied.text == FALLBACK
    assert replied.standing is Standing.REJECTED
    assert replied.findings[0].rule == "reply.empty"


@pytest.mark.parametrize("written", [None, 7, b"bytes", ["text"], Reply(text=None)])
async def test_a_writer_that_returns_no_text_is_told_apart_and_the_next_try_counts(
    written: object, caplog
) -> None:
    answers = [written, "We open at nine, every day of the week."]

    async def write(correction):
        return answers.pop(0)

    with caplog.at_level(logging.WARNING, "mulligan"):
        replied = await write_reply(write, rules=ReplyRules(checks=preset()))

    assert replied.text == "We open at nine, every day of the week."
    [finding] = replied.iterations[0].verdict.findings
    assert f"returned {type(written).__name__}, not text" in finding.issue
    assert "not text" in caplog.text


async def test_a_writer_that_never_returns_text_still_leaves_an_answer() -> None:
    async def write(correction):
        return object()

    replied = await write_reply(write, rules=ReplyRules(checks=preset(), fallback="Sorry."))

    assert (replied.text, replied.bound_reached) == ("Sorry.", True)


async def test_a_plain_function_can_write() -> None:
    replied = await write_reply(
        lambda correction: "We open at nine, every day.", rules=ReplyRules(checks=preset())
    )

    assert replied.text == "We open at nine, every day."


async def test_what_cannot_be_called_is_refused_at_once() -> None:
    with pytest.raises(ConfigurationError, match="str cannot write replies"):
        await write_reply("We open at nine.", rules=ReplyRules())


async def test_what_was_written_before_the_writer_failed_is_kept() -> None:
    writer = Writer("we delve here", RuntimeError("model down"))

    replied = await write_reply(writer, rules=NO_DELVING)

    assert replied.text == "we delve here"
    assert replied.bound_reached


async def test_whoever_waits_can_be_cancelled() -> None:
    begun = asyncio.Event()

    async def hangs(correction: Correction | None) -> str:
        begun.set()
        await asyncio.Event().wait()
        return ""

    waiting = asyncio.create_task(write_reply(hangs, rules=NO_DELVING))
    await begun.wait()
    waiting.cancel()

    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_a_writer_that_cancels_itself_has_failed_like_any_other() -> None:
    class Cancels(Writer):
        async def __call__(self, correction: Correction | None) -> str | Reply:
            if correction is not None:
                raise asyncio.CancelledError
            return await super().__call__(correction)

    replied = await write_reply(Cancels("we delve here"), rules=NO_DELVING)

    assert (replied.text, replied.bound_reached) == ("we delve here", True)


async def test_a_broken_check_is_never_a_pass() -> None:
    def broken(reply: Reply) -> Iterator[Finding]:
        raise ValueError("oops")

    replied = await write_reply(Writer("fine"), rules=ReplyRules(checks=[broken]))

    assert (replied.standing, replied.confidence) == (Standing.UNREVIEWED, None)
    assert replied.metadata["checks_run"] == ["broken"]


async def test_what_can_be_mended_by_rule_is_mended_only_where_that_was_asked_for() -> None:
    checks = [call_to_action(add="Contact us."), avoids(words=["delve"])]
    priced = "It costs $5."

    mended = await write_reply(Writer(priced), rules=ReplyRules(checks=checks, mend=True))
    asked = await write_reply(Writer(priced), rules=ReplyRules(checks=checks))

    assert mended.text == "It costs $5.\n\nContact us."
    assert mended.metadata["iteration_count"] == 1
    assert asked.bound_reached


async def test_the_judge_is_asked_only_when_the_checks_pass_and_once_for_equal_claims() -> None:
    judge = ClaimsJudge(supported("we have two offices"))
    rules = ReplyRules(checks=NO_DELVING.checks, verifier=Verifier(judge))
    good = Reply(text="we have  two offices", query="?", context=("we have two offices",))

    first = await write_reply(Writer("we delve here", good), rules=rules)
    second = await write_reply(Writer(good), rules=rules)

    assert len(judge.questions) == 1
    assert first.confidence is Confidence.HIGH
    assert first.metadata["judge"] == {"asked": 1, "recalled": 0}
    assert second.metadata["judge"] == {"asked": 0, "recalled": 1}


async def test_an_unsupported_claim_is_told_to_the_writer_with_the_passage() -> None:
    claim = Claim(
        text="500+ clients", support=Support.UNSUPPORTED, passage="We serve 100+ clients."
    )
    rules = ReplyRules(verifier=Verifier(ClaimsJudge(Claims(claims=(claim,)))))
    writer = Writer("We have 500+ clients.")

    replied = await write_reply(writer, rules=rules, context=("We serve 100+ clients.",))

    assert replied.findings[0].rule == "grounding.unsupported_claim"
    assert writer.told[1] is not None
    assert "We serve 100+ clients." in writer.told[1].text


async def test_a_judge_without_an_answer_leaves_the_reply_unreviewed() -> None:
    rules = ReplyRules(verifier=Verifier(ClaimsJudge(None)))

    replied = await write_reply(Writer("text"), rules=rules, context=("text",))

    assert (replied.standing, replied.confidence) == (Standing.UNREVIEWED, None)
    assert not replied.bound_reached


async def test_a_judge_that_breaks_has_not_answered() -> None:
    class BrokenJudge:
        async def ask(self, question: Question):
            raise ConnectionError("gone")

    rules = ReplyRules(verifier=Verifier(BrokenJudge()))

    replied = await write_reply(Writer("text"), rules=rules, context=("text",))

    assert replied.standing is Standing.UNREVIEWED


async def test_a_reply_is_held_against_the_context_it_brings() -> None:
    writer = Writer(Reply(text="We have 100+ clients, at your service.", context=("100+ clients",)))

    replied = await write_reply(writer, rules=ReplyRules(checks=preset("marketing")[4:5]))

    assert replied.standing is Standing.ACCEPTED


async def test_what_happens_is_told_without_the_text() -> None:
    heard: list[ReplyChecked | ReplySettled] = []

    await write_reply(
        Writer("we delve here", "we look here"),
        rules=NO_DELVING,
        turn="t1",
        announce=heard.append,
    )

    assert [type(event) for event in heard] == [ReplyChecked, ReplyChecked, ReplySettled]
    assert heard[0].rules == ("text.unwanted_word",)
    assert heard[-1] == ReplySettled(
        turn="t1", iterations=2, standing=Standing.ACCEPTED, bound_reached=False, rules=()
    )
    assert "delve" not in repr(heard)


def test_rules_come_from_a_preset_or_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('preset = "default"\nattempts = 10\nmend = true\nseconds = 9\n')

    mine, marketing = load_reply_rules(str(file)), load_reply_rules("marketing")

    assert (mine.attempts, mine.mend, len(mine.checks)) == (10, True, 3)
    assert mine.budget.time == timedelta(seconds=9)
    assert (marketing.attempts, marketing.mend, len(marketing.checks)) == (3, False, 8)


@pytest.mark.parametrize(
    "line", ["attempts = 0", "attempts = true", "mend = 1", "seconds = true", "seconds = '9'"]
)
def test_a_setting_that_cannot_be_is_refused(tmp_path: Path, line: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(line)

    with pytest.raises(ConfigurationError, match=line.split()[0]):
        load_reply_rules(str(file))


@pytest.mark.parametrize(
    "mistaken",
    [{"attempts": 0}, {"attempts": "3"}, {"fallback": " \u200b"}, {"checks": iter(())}],
)
def test_rules_that_could_leave_a_person_without_an_answer_are_refused(mistaken) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(mistaken))):
        ReplyRules(**mistaken)


async def test_a_check_may_quote_a_number() -> None:
    def counts(reply: Reply) -> Iterator[Finding]:
        yield Finding(rule="own.count", severity=Severity.ERROR, issue="Wrong.", quote=500)  # type: ignore[arg-type]

    replied = await write_reply(Writer("A plain answer."), rules=ReplyRules(checks=[counts]))

    assert replied.text == "A plain answer."
    assert "Where: “500”" in str(replied.metadata["reflection_feedback"])


async def test_an_agent_is_told_all_that_a_function_could_know() -> None:
    prompts: list[str] = []

    async def write(asked) -> str:
        prompts.append(asked.prompt)
        asked.spend(tokens=5)
        return "we delve here" if len(prompts) == 1 else "we look here"

    replied = await write_reply(
        AgentWriter(write), rules=NO_DELVING, query="What do you do?", context="We look."
    )

    assert (replied.text, replied.tokens) == ("we look here", 10)
    for words in ("What do you do?", "# Context 1\n\nWe look.", "# Requirements", "delve"):
        assert words in prompts[0]
    for words in ("# Your last reply\n\nwe delve here", "What is wrong:"):
        assert words in prompts[1]


async def test_a_text_of_somebodys_own_class_is_read_for_its_characters() -> None:
    class Odd(str):
        __slots__ = ()

        def split(self, *_: object, **__: object) -> list[str]:
            raise OSError("not now")

        def __contains__(self, _: object) -> bool:
            raise OSError("not now")

    replied = await write_reply(
        lambda _: Written(text=Odd("A plain answer.")),
        rules=ReplyRules(checks=[length(at_least=5)]),
    )

    assert (type(replied.text), replied.text) == (str, "A plain answer.")
