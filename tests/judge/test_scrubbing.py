from __future__ import annotations

from datetime import UTC, datetime

from mulligan import Effect, Mulligan
from mulligan.core.display.question import Question
from mulligan.core.display.quoted import Ours
from mulligan.judge.scrubbing import NOT_SCRUBBED, ScrubbedJudge, scrub_question
from mulligan.loops.review import Opinion
from mulligan.testing.judge import ScriptedJudge

KEY = "sk-live-4f9a8b7c6d5e4f3a2b1c0d9e"
ASKED = Question(
    prompt="review_actions",
    values={"message": Ours(f"With {KEY}")},
    untrusted={"result": f"key {KEY}"},
    answer=Opinion,
    purpose="test",
)


def hide(text: str) -> str:
    return text.replace(KEY, "<hidden>")


def test_what_is_ours_and_what_others_wrote_both_lose_their_secrets() -> None:
    asked = scrub_question(ASKED, hide)

    assert asked.values == {"message": "With <hidden>"}
    assert asked.untrusted == {"result": "key <hidden>"}


def test_what_cannot_be_scrubbed_is_not_sent() -> None:
    def fail(text: str) -> str:
        raise ValueError(text)

    asked = scrub_question(ASKED, fail)

    assert [*asked.values.values(), *asked.untrusted.values()] == [NOT_SCRUBBED] * 2


async def test_a_judge_of_ones_own_answers_the_scrubbed_question() -> None:
    content, asked = Opinion(findings=(), confirmed=True), []

    class Own:
        async def ask(self, question: Question[Opinion]) -> Opinion:
            asked.append(question)
            return content

    answer = await ScrubbedJudge(Own(), scrub=hide).ask(ASKED)

    assert answer is content
    assert KEY not in str([asked[0].values, asked[0].untrusted])


async def test_an_application_asks_its_own_judge_without_secrets_in_message_error_and_known() -> (
    None
):
    judge = ScriptedJudge(lambda _: Opinion(findings=(), confirmed=True))
    with Mulligan("memory:", judge=judge) as m:

        @m.tool(effect=Effect.READ)
        def look() -> str:
            raise ValueError(f"no access with {KEY}")

        @m.tool(effect=Effect.REVERSIBLE, undo=lambda _: None, read=lambda _: None)
        def write() -> str:
            return "ok"

        async def agent(turn: object) -> str:
            try:
                look()
            except ValueError:
                write()
            return "Done."

        about = {"now": datetime(2026, 11, 15, tzinfo=UTC), "timezone": "Europe/Berlin"}
        known = {"home": f"12 Elm St, {KEY}"}
        await m.act(f"Go home with {KEY}", agent, known=known, **about)

    asked = str([(each.values, each.untrusted) for each in judge.questions])
    assert judge.questions
    assert "no access with" in asked
    assert "12 Elm St" in asked
    assert KEY not in asked
