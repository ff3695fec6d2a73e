"""Attempt, review, decide, undo, correct, and again."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from mulligan.types.engine import Loop, run_loop
from mulligan.types.finding import Finding, Severity, reach_verdict
from mulligan.types.policy import Step, decide

WRONG = Finding(rule="date.wrong", severity=Severity.ERROR, issue="It is the wrong Friday.")


@dataclass
class Story:
    """A loop whose reviews are scripted, and everything it did, in order."""

    reviews: list[str]
    """`ok`, `wrong` or `silent`, one for each attempt."""
    attempts: int = 2
    speechless: bool = False
    """There is nothing to tell the agent."""
    breaks_at: str = ""
    """The function that raises."""
    did: list[tuple[object, ...]] = field(default_factory=list)

    def note(self, what: str, *details: object) -> None:
        self.did.append((what, *details))
        if self.breaks_at == what:
            raise OSError(what)

    async def attempt(self, number, correction):
        self.note("attempt", number, correction)
        return f"try {number}"

    async def review(self, subject):
        self.note("review", subject)
        said = self.reviews[sum(what == "review" for what, *_ in self.did) - 1]
        return reach_verdict([WRONG] if said == "wrong" else [], answered=said != "silent")

    def decide(self, subject, verdict, number):
        self.note("decide", subject, number)
        return decide(verdict, attempt=number, attempts=self.attempts)

    async def undo(self, subject, verdict):
        self.note("undo", subject)

    async def correct(self, subject, verdict):
        self.note("correct", subject)
        return None if self.speechless else f"not {subject}"

    async def run(self, **given):
        loop = Loop(
            attempt=self.attempt,
            review=self.review,
            decide=self.decide,
            undo=self.undo,
            correct=self.correct,
        )
        return await run_loop(loop, **given)


def steps(rounds):
    return [(r.number, r.subject, r.step) for r in rounds]


async def test_what_is_accepted_at_once_is_neither_undone_nor_corrected():
    story = Story(["ok"])

    rounds = await story.run()

    assert steps(rounds) == [(1, "try 1", Step.ACCEPT)]
    assert story.did == [("attempt", 1, None), ("review", "try 1"), ("decide", "try 1", 1)]


async def test_a_rejected_attempt_is_undone_then_corrected_then_made_again():
    story = Story(["wrong", "ok"])

    rounds = await story.run()

    assert steps(rounds) == [(1, "try 1", Step.RETRY), (2, "try 2", Step.ACCEPT)]
    assert [r.verdict.findings for r in rounds] == [(WRONG,), ()]
    assert story.did == [
        ("attempt", 1, None),
        ("review", "try 1"),
        ("decide", "try 1", 1),
        ("undo", "try 1"),
        ("correct", "try 1"),
        ("attempt", 2, "not try 1"),
        ("review", "try 2"),
        ("decide", "try 2", 2),
    ]


@pytest.mark.parametrize("attempts", [1, 2, 5])
async def test_giving_up_undoes_every_rejected_attempt_exactly_once(attempts):
    story = Story(["wrong"] * attempts, attempts=attempts)

    rounds = await story.run()

    undone = [subject for what, subject, *_ in story.did if what == "undo"]
    assert undone == [f"try {n}" for n in range(1, attempts + 1)]
    assert [r.step for r in rounds] == [Step.RETRY] * (attempts - 1) + [Step.GIVE_UP]
    corrected = [subject for what, subject, *_ in story.did if what == "correct"]
    assert corrected == undone[:-1]


async def test_with_nothing_to_say_there_is_no_next_attempt():
    story = Story(["wrong", "ok"], speechless=True)

    rounds = await story.run()

    assert steps(rounds) == [(1, "try 1", Step.GIVE_UP)]
    assert [what for what, *_ in story.did].count("undo") == 1


async def test_a_first_subject_that_is_there_already_is_not_made_again():
    story = Story(["wrong", "ok"])

    rounds = await story.run(first="given")

    assert steps(rounds) == [(1, "given", Step.RETRY), (2, "try 2", Step.ACCEPT)]
    assert ("attempt", 1, None) not in story.did
    assert ("attempt", 2, "not given") in story.did


@pytest.mark.parametrize(
    ("reviews", "undone"), [(["silent"], []), (["wrong", "silent"], ["try 1"])]
)
async def test_what_nobody_could_review_is_deferred_and_not_undone(reviews, undone):
    story = Story(reviews)

    rounds = await story.run()

    assert rounds[-1].step is Step.DEFER
    assert [subject for what, subject, *_ in story.did if what == "undo"] == undone


@pytest.mark.parametrize("part", ["attempt", "review", "decide", "undo", "correct"])
async def test_what_a_part_raises_ends_the_loop_there_and_reaches_the_caller(part):
    story = Story(["wrong", "ok"], breaks_at=part)

    with pytest.raises(OSError, match=part):
        await story.run()

    assert [what for what, *_ in story.did].count(part) == 1
    assert story.did[-1][0] == part
