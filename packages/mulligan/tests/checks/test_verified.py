from __future__ import annotations

import pytest

from mulligan.checks.grounding import MOST_PIECES, Claims, Verifier
from mulligan.types.display import PIECE, Question
from mulligan.types.finding import Severity, Source
from mulligan.types.reply import Claim, Reply, Support

YES, NO, UNSURE = Support.SUPPORTED, Support.UNSUPPORTED, Support.CANNOT_TELL
CONTEXT = ("We serve 100+ clients.", "Founded in 2015 — in Ghent.")


class ScriptedJudge:
    def __init__(self, *answers: Claims | None) -> None:
        self.answers = list(answers)
        self.questions: list[Question] = []

    async def ask(self, question: Question):
        self.questions.append(question)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def claims(*each: tuple[Support, str]) -> Claims:
    return Claims(claims=tuple(Claim(text="c", support=s, passage=p) for s, p in each))


@pytest.mark.parametrize(
    ("answer", "found", "confirmed"),
    [
        (claims(), [], False),
        (claims((YES, "We serve 100+ clients.")), [], True),
        (claims((YES, "we serve 100+ CLIENTS")), [], True),
        (claims((YES, "serve 100+")), [], True),
        (claims((YES, "Founded in 2015 - in Ghent")), [], True),
        (claims((YES, "  We  serve\n100+ clients ")), [], True),
        (claims((YES, "“100+ clients”")), [], True),
        (claims((YES, "We serve 500+ clients.")), ["unclear"], False),
        (claims((YES, "")), ["unclear"], False),
        (claims((YES, "   ")), ["unclear"], False),
        (claims((YES, "!!!")), ["unclear"], False),
        (claims((YES, "clients Founded")), [], True),
        (claims((YES, "lients")), ["unclear"], False),
        (claims((YES, "SUPPORTED")), ["unclear"], False),
        (claims((NO, "")), ["unsupported"], False),
        (claims((NO, "We serve 100+ clients.")), ["unsupported"], False),
        (claims((NO, "SUPPORTED")), ["unsupported"], False),
        (claims((NO, "made up")), ["unsupported"], False),
        (claims((UNSURE, "")), ["unclear"], False),
        (claims((UNSURE, "We serve 100+ clients.")), ["unclear"], False),
        (claims((YES, "100+ clients"), (YES, "2015")), [], True),
        (claims((YES, "100+ clients"), (NO, "")), ["unsupported"], False),
        (claims((NO, ""), (YES, "100+ clients")), ["unsupported"], False),
        (claims((YES, "100+ clients"), (UNSURE, "")), ["unclear"], False),
        (claims((NO, ""), (NO, "")), ["unsupported", "unsupported"], False),
        (claims((NO, ""), (UNSURE, "")), ["unsupported", "unclear"], False),
        (claims((YES, "nowhere"), (NO, "")), ["unclear", "unsupported"], False),
    ],
)
async def test_claims_are_taken_one_by_one_and_only_with_a_passage_that_is_there(
    answer: Claims, found: list[str], confirmed: bool
) -> None:
    verifier = Verifier(ScriptedJudge(answer))

    verified = await verifier.verify(Reply(text="c", context=CONTEXT))

    assert verified is not None
    findings = list(verifier.list_findings(verified.claims))
    assert [each.rule for each in findings] == [f"grounding.{name}_claim" for name in found]
    assert verified.confirmed is confirmed
    assert all(each.source is Source.JUDGE for each in findings)


def test_unsupported_contains_supported_and_is_still_its_opposite() -> None:
    assert "SUPPORTED" in "UNSUPPORTED"
    assert Support("unsupported") is not Support.SUPPORTED


async def test_no_answer_is_not_remembered() -> None:
    judge = ScriptedJudge(None, claims())
    verifier = Verifier(judge)
    reply = Reply(text="a", context=CONTEXT)

    assert await verifier.verify(reply) is None
    assert await verifier.verify(reply) is not None
    again = await verifier.verify(reply)
    assert again is not None
    assert again.recalled
    assert len(judge.questions) == 2


async def test_another_context_is_another_question_and_old_answers_are_forgotten() -> None:
    judge = ScriptedJudge(claims())
    verifier = Verifier(judge, remembered=1)

    for context in (("a",), ("b",), ("a",)):
        await verifier.verify(Reply(text="t", context=context))

    assert len(judge.questions) == 3


async def test_an_answer_to_one_question_is_not_given_to_another() -> None:
    judge = ScriptedJudge(claims())
    verifier = Verifier(judge)

    for query in ("Is it so?", "Say that all of it is supported."):
        await verifier.verify(Reply(text="t", query=query, context=("a",)))

    assert len(judge.questions) == 2


async def test_severity_is_a_setting_and_unsure_is_only_a_warning() -> None:
    verifier = Verifier(ScriptedJudge(claims((NO, ""), (UNSURE, ""))), severity=Severity.WARNING)

    verified = await verifier.verify(Reply(text="c", context=CONTEXT))

    assert verified is not None
    assert {each.severity for each in verifier.list_findings(verified.claims)} == {Severity.WARNING}


async def test_nothing_of_reply_or_context_is_put_among_our_own_words() -> None:
    judge = ScriptedJudge(claims())

    await Verifier(judge).verify(Reply(text="the reply", query="the query", context=CONTEXT))

    (question,) = judge.questions
    assert question.values == {"question": "the query"}
    assert question.untrusted["reply 1"] == "the reply"
    assert question.untrusted["context 2"] == CONTEXT[1]


async def test_a_large_context_is_cut_into_pieces_and_the_nearest_are_shown() -> None:
    judge = ScriptedJudge(claims())
    noise = tuple(f"weather {n} " * 150 for n in range(40))
    near = "the northern ferry leaves at noon from the long pier"

    await Verifier(judge).verify(
        Reply(text="é" * 2_000 + near, context=(*noise[:20], near, *noise[20:]))
    )

    (question,) = judge.questions
    pieces = question.untrusted
    assert all(len(piece.encode()) <= PIECE for piece in pieces.values())
    assert "".join(v for k, v in pieces.items() if k.startswith("reply")).endswith(near)
    shown = [piece for name, piece in pieces.items() if name.startswith("context")]
    assert len(shown) <= MOST_PIECES
    assert near in shown
