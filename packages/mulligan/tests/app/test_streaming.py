"""Replies and drafts while they are written: what is shown, what is cleared, how it ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from datetime import timedelta

import pytest

from mulligan import Mulligan
from mulligan.drafts import DraftRules
from mulligan.replies import (
    Budget,
    Finished,
    Replied,
    ReplyRules,
    StartOver,
    TextPiece,
    Written,
    avoids,
    grounded,
    length,
    mentions,
    pii,
)

BAD = ("We have boats. ", "Let us delve ", "into it. ", "Call us.")
GOOD = ("We have boats. ", "Four of ", "them.")


def async_pieces(*tries: Iterable[object]):
    left = list(tries)

    async def write(_) -> AsyncIterator[object]:
        for piece in left.pop(0) if len(left) > 1 else left[0]:
            await asyncio.sleep(0)
            yield piece

    return write


def plain_pieces(*tries: Iterable[object]):
    left = list(tries)

    def write(_):
        yield from left.pop(0) if len(left) > 1 else left[0]

    return write


def whole(*tries: Iterable[str]):
    left = list(tries)

    async def write(_) -> str:
        return "".join(left.pop(0) if len(left) > 1 else left[0])

    return write


EVERY_WRITER = pytest.mark.parametrize("made", [async_pieces, plain_pieces, whole])


class Screen:
    """A consumer that does as it is told, and remembers everything that was ever on it."""

    def __init__(self) -> None:
        self.text = ""
        self.seen: list[str] = []
        self.result: object = None

    async def follow(self, events: AsyncIterator[object]) -> Screen:
        async for event in events:
            assert self.result is None, "nothing comes after the end"
            match event:
                case TextPiece(text=text):
                    self.text += text
                case StartOver():
                    self.text = ""
                case Finished(result=result):
                    self.result = result
            self.seen.append(self.text)
        return self


async def stream(write: Callable, **given: object) -> Screen:
    async with Mulligan("memory:") as m:
        return await Screen().follow(m.stream_reply(write, **given))


@EVERY_WRITER
async def test_what_was_rejected_is_never_shown(made) -> None:
    rules = [avoids(words=["delve"]), mentions(words=["Four"])]

    screen = await stream(made(BAD, ("We have boats.",), GOOD), rules=rules)

    assert set(screen.seen) == {"".join(GOOD)}
    assert isinstance(screen.result, Replied)
    assert screen.result.text == screen.text
    assert len(screen.result.iterations) == 3


async def test_sentences_are_shown_on_the_way_where_every_check_can_decide_on_the_way() -> None:
    rules = [avoids(words=["delve"]), length(at_most=500), pii(), grounded()]

    screen = await stream(async_pieces(BAD, GOOD), rules=rules)

    on_the_way, _, again, *_ = screen.seen
    assert (on_the_way, again) == ("We have boats. ", "We have boats. ")
    assert screen.seen[1] == ""
    assert not any("delve" in seen for seen in screen.seen)
    assert screen.text == screen.result.text == "".join(GOOD)


@EVERY_WRITER
async def test_an_optimistic_consumer_sees_everything_and_is_told_to_start_over(made) -> None:
    rules = [mentions(words=["Four"])]

    screen = await stream(made(BAD, GOOD), rules=rules, optimistic=True)

    assert "".join(BAD) in screen.seen
    assert screen.seen.count("") == 1
    assert screen.text == screen.result.text == "".join(GOOD)


async def test_an_optimistic_consumer_is_told_as_soon_as_a_check_can_decide() -> None:
    rules = [avoids(words=["delve"]), mentions(words=["Four"])]

    screen = await stream(async_pieces(BAD, GOOD), rules=rules, optimistic=True)

    assert "".join(BAD) not in screen.seen
    assert "".join(BAD[:2]) in screen.seen
    assert "'Four'" in screen.result.iterations[0].feedback, "the try was written to its end"


async def test_what_is_sent_at_the_bound_is_what_is_shown_in_the_end() -> None:
    rules = ReplyRules(checks=[mentions(words=["Four", "boats"])], attempts=2)

    screen = await stream(
        async_pieces(("Four.",), ("Something else.",)), rules=rules, optimistic=True
    )

    assert screen.result.bound_reached
    assert screen.text == screen.result.text == "Four."


async def test_what_is_withheld_is_shown_to_nobody() -> None:
    screen = await stream(async_pieces(("Call ", "+49 30 901820 now. ", "Bye.")), rules=[pii()])

    assert screen.result.withheld
    assert screen.text == screen.result.text
    assert not any("901820" in seen for seen in screen.seen)


async def test_a_repaired_text_replaces_the_one_that_was_shown() -> None:
    rules = [length(at_most=20, cut=True).if_failed("repair")]

    screen = await stream(async_pieces(GOOD), rules=rules, optimistic=True)

    assert screen.text == screen.result.text == "We have boats."


async def test_a_writer_that_breaks_off_is_asked_again() -> None:
    asked = []

    async def write(feedback) -> AsyncIterator[str]:
        asked.append(feedback)
        yield "We have boats. "
        if feedback is None:
            raise ConnectionError
        yield "Four of them."

    screen = await stream(write, rules=[avoids(words=["delve"])])

    assert (len(asked), screen.text) == (2, "We have boats. Four of them.")


async def test_a_writer_that_never_ends_is_cut_off_by_the_time() -> None:
    async def write(_) -> AsyncIterator[str]:
        while True:
            yield "More. "

    rules = ReplyRules(
        checks=[mentions(words=["Four"])], budget=Budget(time=timedelta(seconds=0.1))
    )

    screen = await stream(write, rules=rules)

    assert (screen.result.limit, screen.text) == ("time", screen.result.text)


async def test_pieces_are_joined_where_nobody_listens_and_the_last_may_say_what_it_took() -> None:
    async with Mulligan("memory:") as m:
        write = async_pieces(("We have ", "boats.", Written(text="", tokens=7)))
        replied = await m.reply(write, rules=[avoids(words=["delve"])])
        drafted = await m.draft(write, question="q", rules=DraftRules(critics=[lambda *_: 9]))

    assert (replied.text, replied.tokens) == ("We have boats.", 7)
    assert (drafted.text, drafted.tokens) == ("We have boats.", 7)


@EVERY_WRITER
@pytest.mark.parametrize("optimistic", [False, True])
async def test_a_draft_ends_with_the_best_one_on_the_screen(made, optimistic) -> None:
    scores = iter([3, 6, 5])
    rules = DraftRules(critics=[lambda *_: next(scores)])
    write = made(("One. ", "1"), ("Two. ", "2"), ("Three. ", "3"))

    async with Mulligan("memory:") as m:
        events = m.stream_draft(write, question="q", rules=rules, optimistic=optimistic)
        screen = await Screen().follow(events)

    assert screen.text == screen.result.text == "Two. 2"
    assert ("One. 1" in screen.seen) is optimistic
    assert ("" in screen.seen) is optimistic


async def test_a_consumer_that_leaves_stops_the_writer() -> None:
    stopped = asyncio.Event()

    async def write(_) -> AsyncIterator[str]:
        try:
            yield "We have boats. Four"
            await asyncio.Event().wait()
        finally:
            stopped.set()

    async with Mulligan("memory:") as m:
        events = m.stream_reply(write, rules=[avoids(words=["delve"])])
        assert await anext(events) == TextPiece(text="We have boats. ")
        await events.aclose()

        assert stopped.is_set()
