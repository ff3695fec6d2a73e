"""Claims that a judge verifies, one by one."""

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


REPLY = "We serve 100+ clients. It was founded in 2015, in Ghent."
CLIENTS, FOUNDED = "We serve 100+ clients", "founded in 2015, in Ghent"


def claims(*each: tuple[Support, str] | tuple[Support, str, str]) -> Claims:
    """Claims with their passages, about the clients where nothing else is said."""
    made = [(*given, CLIENTS)[:3] for given in each]
    return Claims(claims=tuple(Claim(text=t, support=s, passage=p) for s, p, t in made))


@pytest.mark.parametrize(
    ("answer", "found", "confirmed"),
    [
        (claims(), [], False),
        (claims((YES, "We serve 100+ clients.")), [], True),
        (claims((YES, "Founded in 2015 - in Ghent", FOUNDED)), [], True),
        (claims((YES, "“100+ clients”")), [], True),
        (claims((YES, "We serve 500+ clients.")), ["unclear"], False),
        (claims((YES, "")), ["unclear"], False),
        (claims((YES, "lients")), ["unclear"], False),
        (claims((NO, "")), ["unsupported"], False),
        (claims((NO, "We serve 100+ clients.")), ["unsupported"], False),
        (claims((UNSURE, "")), ["unclear"], False),
        (claims((YES, "100+ clients"), (YES, "Founded in 2015 in Ghent", FOUNDED)), [], True),
        (claims((YES, "100+ clients"), (NO, "")), ["unsupported"], False),
        (claims((NO, ""), (NO, "")), ["unsupported", "unsupported"], False),
        (claims((YES, "nowhere"), (NO, "")), ["unclear", "unsupported"], False),
        # One word says nothing, and neither does what is about something else.
        (claims((YES, "clients")), ["unclear"], False),
        (claims((YES, "2015", FOUNDED)), ["unclear"], False),
        (claims((YES, "Founded in 2015")), ["unclear"], False),
        (claims((YES, "We serve")), ["unclear"], False),
        # What the reply never said counts neither for it nor against it.
        (claims((YES, "100+ clients"), (NO, "", "We sell boats to Norway")), [], True),
    ],
)
async def test_claims_are_taken_one_by_one_and_only_with_a_passage_that_is_there(
    answer: Claims, found: list[str], confirmed: bool
) -> None:
    verifier = Verifier(ScriptedJudge(answer))

    verified = await verifier.verify(Reply(text=REPLY, context=CONTEXT))

    assert verified is not None
    findings = list(verifier.list_findings(verified.claims))
    assert [each.rule for each in findings] == [f"grounding.{name}_claim" for name in found]
    assert verified.confirmed is confirmed
    assert all(each.source is Source.JUDGE for each in findings)


async def test_a_judge_that_speaks_only_of_what_the_reply_never_said_has_not_answered() -> None:
    answer = claims((NO, "", "We sell boats to Norway"), (YES, "100+ clients", "boats are red"))

    assert await Verifier(ScriptedJudge(answer)).verify(Reply(text=REPLY, context=CONTEXT)) is None


@pytest.mark.parametrize(
    ("text", "claim", "passage"),
    [
        ("Wir haben 100 Kunden in Gent.", "Wir haben 100 Kunden", "mehr als 100 Kunden betreut"),
        ("我们有一百个客户。", "我们有一百个客户", "一百个客户"),
    ],
)
async def test_a_claim_in_another_language_is_confirmed_by_its_passage(
    text: str, claim: str, passage: str
) -> None:
    said = Claims(claims=(Claim(text=claim, support=YES, passage=passage),))

    verified = await Verifier(ScriptedJudge(said)).verify(Reply(text=text, context=(passage,)))

    assert verified is not None
    assert verified.confirmed


@pytest.mark.parametrize(
    ("claim", "passage", "confirmed"),
    [
        ("The shop is closed on holidays.", "The shop sells flowers and seeds.", False),
        ("Delivery to Norway is free.", "Norway has many fjords.", False),
        ("Der Laden hat an Feiertagen zu.", "Der Laden verkauft Blumen und Samen.", False),
        ("我们有客户。", "我们的船很快。", False),
        ("Delivery to Norway is free.", "We charge nothing for delivery to Norway.", True),
        ("It is free.", "All of this is free of charge.", True),
        ("Wir betreuen 100 Kunden in Gent.", "We serve 100+ clients from our office.", True),
    ],
)
async def test_a_passage_that_shares_one_word_with_a_claim_does_not_support_it(
    claim: str, passage: str, confirmed: bool
) -> None:
    said = Claims(claims=(Claim(text=claim, support=YES, passage=passage),))

    verified = await Verifier(ScriptedJudge(said)).verify(Reply(text=claim, context=(passage,)))

    assert verified is not None
    assert verified.confirmed is confirmed


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

    verified = await verifier.verify(Reply(text=REPLY, context=CONTEXT))

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
