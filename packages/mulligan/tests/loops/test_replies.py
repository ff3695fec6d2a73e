from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from mulligan.checks.file import preset
from mulligan.checks.grounding import Claims, Verification, Verifier, grounded
from mulligan.checks.text import avoids, call_to_action, length
from mulligan.loops.replies import (
    FALLBACK,
    ReplyRules,
    load_reply_rules,
    read_reply_rules,
    warn_at_the_bound,
    write_reply,
)
from mulligan.types.adapter import AgentWriter
from mulligan.types.display import Question
from mulligan.types.errors import ConfigurationError
from mulligan.types.events import ReplyChecked, ReplySettled
from mulligan.types.finding import Confidence, Correction, Finding, Severity, Standing
from mulligan.types.limits import Budget
from mulligan.types.reply import Claim, Reply, Support, TextCheck, Written

NO_DELVING = ReplyRules(checks=[avoids(words=["delve"]), length(at_least=10)])


class Writer:
    """Writes what it was given, one text after the other; an exception is raised."""

    def __init__(self, *texts: str | BaseException | Reply) -> None:
        self.texts = list(texts)
        self.told: list[Correction | None] = []

    async def __call__(self, correction: Correction | None) -> str | Reply:
        self.told.append(correction)
        text = self.texts[min(len(self.told), len(self.texts)) - 1]
        if isinstance(text, BaseException):
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


async def test_a_bad_reply_is_written_again_with_what_is_wrong_where_and_how_to_fix_it() -> None:
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


@pytest.mark.parametrize("attempts", [1, 2, 10])
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


async def test_what_cannot_be_called_is_refused_at_once() -> None:
    with pytest.raises(ConfigurationError, match="str cannot write replies"):
        await write_reply("We open at nine.", rules=ReplyRules())
    with pytest.raises(ConfigurationError, match="Writer cannot write replies"):
        await write_reply(Writer, rules=ReplyRules())


@pytest.mark.parametrize(
    "asked",
    [{"query": 3}]
    + [{"context": wrong} for wrong in ((3,), ("a", None), 3, None, b"a", {"a": "b"})],
)
async def test_a_question_or_context_that_is_no_text_is_refused_at_once(asked) -> None:
    with pytest.raises(ConfigurationError, match="query and context are texts"):
        await write_reply(Writer("text"), rules=ReplyRules(), **asked)


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


async def test_what_can_be_fixed_by_rule_is_fixed_only_where_that_was_asked_for() -> None:
    checks = [call_to_action(add="Contact us."), avoids(words=["delve"])]
    priced = "It costs $5."

    fixed = await write_reply(Writer(priced), rules=ReplyRules(checks=checks, fix=True))
    asked = await write_reply(Writer(priced), rules=ReplyRules(checks=checks))

    assert fixed.text == "It costs $5.\n\nContact us."
    assert fixed.metadata["iteration_count"] == 1
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
    file.write_text('preset = "default"\nattempts = 10\nfix = true\nseconds = 9\n')

    mine, marketing = load_reply_rules(str(file)), load_reply_rules("marketing")

    assert (mine.attempts, mine.fix, len(mine.checks)) == (10, True, 3)
    assert mine.budget.time == timedelta(seconds=9)
    assert (marketing.attempts, marketing.fix, len(marketing.checks)) == (3, False, 8)


@pytest.mark.parametrize(
    "line", ["attempts = 0", "attempts = true", "fix = 1", "seconds = true", "seconds = '9'"]
)
def test_a_setting_that_cannot_be_is_refused(tmp_path: Path, line: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(line)

    with pytest.raises(ConfigurationError, match=line.split()[0]):
        load_reply_rules(str(file))


@pytest.mark.parametrize("rules", [7, {"checks": []}])
def test_what_is_no_set_of_rules_is_refused_with_what_to_write(rules) -> None:
    with pytest.raises(ConfigurationError, match=r"is no set of rules\. Name a preset"):
        read_reply_rules(rules)


@pytest.mark.parametrize(
    "mistaken",
    [
        {"attempts": 0},
        {"attempts": "3"},
        {"fallback": " \u200b"},
        {"checks": iter(())},
        {"checks": "marketing"},
        {"checks": [length(at_least=5), "marketing"]},
        {"checks": [avoids]},
        {"budget": timedelta(seconds=3)},
        {"fix": "yes"},
        {"verify": "hold"},
    ],
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


@pytest.mark.parametrize("text", ["", "  \n", "\u200b\u200b", RuntimeError("model down"), 7])
async def test_there_is_always_a_reply_and_never_an_exception(text: object) -> None:
    writer = Writer(text)

    replied = await write_reply(writer, rules=NO_DELVING)

    assert (replied.text, replied.bound_reached) == (FALLBACK, True)
    assert replied.standing is Standing.REJECTED
    assert replied.findings[0].rule == "reply.empty"
    assert len(writer.told) == 3, "three attempts are the default"


@pytest.mark.parametrize("error", [RuntimeError("model down"), asyncio.CancelledError()])
async def test_what_was_written_before_the_writer_failed_is_kept(error: BaseException) -> None:
    replied = await write_reply(Writer("we delve here", error), rules=NO_DELVING)

    assert (replied.text, replied.bound_reached) == ("we delve here", True)


async def test_warnings_reject_nothing_and_of_equal_replies_an_error_outweighs_them() -> None:
    warned = avoids(words=["meh", "so", "hm"], severity=Severity.WARNING)
    strict = ReplyRules(checks=[avoids(words=["awful"]), warned, length(at_least=50)])

    alone = await write_reply(Writer("so, so"), rules=ReplyRules(checks=[warned]))
    best = await write_reply(Writer("awful", "meh so hm", "so meh hm"), rules=strict)

    assert (alone.standing, len(alone.findings)) == (Standing.ACCEPTED, 1)
    assert best.text == "so meh hm"


class BrokenJudge:
    async def ask(self, question: Question):
        raise ConnectionError("gone")


def broken(reply: Reply) -> Iterator[Finding]:
    raise ValueError("oops")


@pytest.mark.parametrize(
    "rules",
    [
        ReplyRules(verifier=Verifier(ClaimsJudge(None))),
        ReplyRules(verifier=Verifier(BrokenJudge())),
        ReplyRules(checks=[broken]),
    ],
    ids=["a judge without an answer", "a judge that breaks", "a check that breaks"],
)
async def test_what_nobody_could_review_is_never_a_pass(rules: ReplyRules) -> None:
    replied = await write_reply(lambda correction: "text", rules=rules, context=("text",))

    assert replied.text == "text"
    assert (replied.standing, replied.confidence) == (Standing.UNREVIEWED, None)
    assert not replied.bound_reached


class CountingJudge:
    """Finds every `lie` of a reply unsupported; `asked` counts its questions."""

    def __init__(self) -> None:
        self.asked = 0

    async def ask(self, question: Question) -> Claims:
        self.asked += 1
        lies = question.untrusted["reply 1"].split().count("lie")
        return Claims(claims=(Claim(text="lie", support=Support.UNSUPPORTED),) * lies)


def count_defects(text: str) -> int:
    return text.split().count("lie") + sum(word in text.split() for word in ("bad", "ugly", "dull"))


async def test_with_a_judge_no_try_has_fewer_defects_than_the_reply_that_is_sent() -> None:
    chance = random.Random(41)
    worse = []
    for _ in range(100):
        tries = [
            " ".join(["text", *chance.sample(["bad", "ugly", "dull"], chance.choice((0, 0, 1, 2)))])
            + " lie" * chance.choice((0, 1, 1, 2, 3))
            for _ in range(chance.randint(2, 4))
        ]
        rules = ReplyRules(
            checks=[avoids(words=["bad", "ugly", "dull"], inflect=False)],
            verifier=Verifier(CountingJudge()),
            attempts=len(tries),
        )

        replied = await write_reply(Writer(*tries), rules=rules, context="Some context.")

        written = tries[: len(replied.iterations)]
        if count_defects(replied.text) > min(map(count_defects, written)):
            worse.append((written, replied.text))

    assert worse == []


async def test_a_try_that_rules_reject_is_shown_to_the_judge_only_where_it_may_be_the_best() -> (
    None
):
    judge = CountingJudge()
    rules = ReplyRules(
        checks=[avoids(words=["bad", "ugly", "dull"], inflect=False)], verifier=Verifier(judge)
    )

    replied = await write_reply(
        Writer("bad text lie lie", "bad ugly dull text", "text lie lie"),
        rules=rules,
        context="Some context.",
    )

    assert replied.text == "text lie lie"
    assert judge.asked == replied.judge_asked == 2
    assert len(replied.iterations[0].verdict.errors) == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("It costs 500 EUR.", ("There is no context, so '500 EUR' was not looked at.",)),
        ("We build fine boats.", ()),
    ],
)
async def test_what_was_not_looked_at_is_said_and_never_called_more_than_unsure(text, said) -> None:
    rules = ReplyRules(checks=[grounded()])

    replied = await write_reply(Writer(text), rules=rules)

    assert replied.standing is Standing.ACCEPTED
    assert replied.not_looked_at == said
    assert replied.metadata["not_looked_at"] == list(said)
    assert replied.confidence is (Confidence.LOW if said else Confidence.MEDIUM)


async def test_a_check_that_cannot_say_what_it_skips_does_not_break_the_reply(caplog) -> None:
    broken = replace(grounded(), skips=lambda reply: 1 / 0)

    replied = await write_reply(Writer("We build boats."), rules=ReplyRules(checks=[broken]))

    assert replied.text == "We build boats."
    assert replied.confidence is Confidence.LOW


# -- what is done with a reply that fails a check --------------------------------------------------


def has_phone(policy: str) -> ReplyRules:
    checks = [avoids(words=["phone"]).if_failed(policy), avoids(words=["delve", "realm"])]
    return ReplyRules(checks=checks, fallback="We will call you back.")


@pytest.mark.parametrize(
    ("policy", "tries", "text", "written", "withheld"),
    [
        ("retry", ["phone 1", "phone 2", "phone 3"], "phone 3", 3, None),
        ("send", ["phone 1", "phone 2"], "phone 1", 1, None),
        ("fallback", ["phone 1", "phone 2", "phone 3"], "We will call you back.", 3, "fallback"),
        ("hold", ["phone 1", "phone 2", "phone 3"], "We will call you back.", 3, "hold"),
        ("hold", ["phone 1", "all fine"], "all fine", 2, None),
        # What may go out goes out, however much else is wrong with it.
        ("fallback", ["phone 1", "delve realm", "phone 3"], "delve realm", 3, None),
        ("send", ["phone delve", "phone 2"], "phone 2", 2, None),
    ],
)
async def test_a_check_says_what_becomes_of_a_reply_that_fails_it(
    policy, tries, text, written, withheld
) -> None:
    writer = Writer(*tries)

    replied = await write_reply(writer, rules=has_phone(policy))

    assert (replied.text, len(writer.told), replied.withheld) == (text, written, withheld)
    assert replied.metadata["withheld"] == withheld
    assert replied.bound_reached is (replied.standing is Standing.REJECTED and withheld is None)


@pytest.mark.parametrize("policy", ["hold", "fallback"])
@pytest.mark.parametrize("why", ["raises", "hangs", "time"])
async def test_a_reply_that_a_withholding_check_could_not_look_at_is_withheld(policy, why) -> None:
    async def look(reply: Reply) -> list[Finding]:
        if why == "raises":
            raise OSError
        await asyncio.Event().wait()
        return []

    check = TextCheck(name="slow", look=look, asks="", on_fail=policy)
    budget = Budget(time=timedelta(milliseconds=30))

    replied = await write_reply(Writer("phone"), rules=ReplyRules(checks=[check], budget=budget))

    assert (replied.text, replied.withheld) == (FALLBACK, policy)


async def test_a_reply_is_repaired_in_place_where_its_check_says_so() -> None:
    checks = [call_to_action(add="Contact us.").if_failed("repair"), length(at_most=9, cut=True)]
    rules = ReplyRules(checks=checks, attempts=1)

    replied = await write_reply(Writer("It costs $5."), rules=rules)

    assert replied.text == "It costs $5.\n\nContact us."
    with pytest.raises(ConfigurationError, match="cannot repair"):
        avoids(words=["phone"]).if_failed("repair")
    with pytest.raises(ConfigurationError, match="There are: retry, repair, hold, fallback, send"):
        avoids(words=["phone"]).if_failed("burn")


async def test_a_claim_that_a_judge_denies_can_be_withheld_too() -> None:
    rules = ReplyRules(
        verifier=Verifier(CountingJudge()), verify=Verification(on_fail="hold"), attempts=2
    )

    replied = await write_reply(Writer("a lie"), rules=rules, context="Some context.")

    assert (replied.text, replied.withheld) == (FALLBACK, "hold")


class SilentJudge:
    """A judge that gives no answer."""

    async def ask(self, question: object) -> None:
        return None


@pytest.mark.parametrize("text", ["a lie", "a bad lie"])
@pytest.mark.parametrize("verifier", [None, Verifier(SilentJudge())], ids=["none", "silent"])
async def test_claims_that_no_judge_looked_at_are_withheld_also_where_rules_reject_the_text(
    verifier, text: str
) -> None:
    rules = ReplyRules(
        checks=[avoids(words=["bad"])], verifier=verifier, verify=Verification(on_fail="hold")
    )

    replied = await write_reply(Writer(text), rules=rules, context="Some context.")

    assert (replied.text, replied.withheld) == (FALLBACK, "hold")


async def test_a_file_says_it_too_and_listeners_are_told(tmp_path: Path, caplog) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(
        'fallback = "Later."\n[checks.avoids]\nwords = ["phone"]\non_fail = "fallback"\n'
    )
    heard: list[ReplyChecked | ReplySettled] = []

    replied = await write_reply(
        Writer("phone"), rules=load_reply_rules(str(file)), announce=heard.append
    )
    warn_at_the_bound(heard[-1])

    assert (replied.text, heard[-1].withheld) == ("Later.", "fallback")
    assert "A reply is not sent" in caplog.text
    file.write_text('[checks.avoids]\nwords = ["phone"]\non_fail = "burn"\n')
    with pytest.raises(ConfigurationError, match=r"checks.avoids.*on_fail = 'burn'"):
        load_reply_rules(str(file))


async def test_no_random_history_sends_what_a_check_withholds() -> None:
    chance = random.Random(41)
    for _ in range(100):
        tries = [
            " ".join(chance.sample(["phone", "delve", "realm", "fine"], chance.randint(1, 3)))
            for _ in range(3)
        ]

        policy = chance.choice(("hold", "fallback"))
        replied = await write_reply(Writer(*tries), rules=has_phone(policy))

        assert "phone" not in replied.text
        assert (replied.withheld is not None) is all("phone" in each for each in tries)
