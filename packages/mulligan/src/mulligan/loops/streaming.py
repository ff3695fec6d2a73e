"""Text while it is written: what is shown on the way, what is cleared, and how it ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Any, Generic, TypeVar

from msgspec import Struct

from mulligan.checks.words import split_sentences
from mulligan.types.reply import Written

R = TypeVar("R")


class TextPiece(Struct, frozen=True, kw_only=True):
    """The next piece of the text."""

    text: str


class StartOver(Struct, frozen=True):
    """What was shown so far is not sent: clear it, the text begins anew."""


class Finished(Struct, Generic[R], frozen=True, kw_only=True):
    """The end: its text is what all pieces since the last `StartOver` make up."""

    result: R


Tell = Callable[[Any], None]
Look = Callable[[str], Awaitable[bool]]
"""Whether a beginning of a text passes everything that can decide on the way."""


class Stream:
    """Where the text of a loop goes; `optimistic`: also what is not reviewed yet."""

    def __init__(self, tell: Tell, *, optimistic: bool = False) -> None:
        self._tell = tell
        self._shown = ""
        self.optimistic = optimistic

    def show(self, text: str) -> None:
        """Have exactly this on the screen, surrounding space aside."""
        if text.strip() == self._shown.strip():
            return
        if not text.startswith(self._shown):
            self.clear()
        self._tell(TextPiece(text=text[len(self._shown) :]))
        self._shown = text

    def clear(self) -> None:
        """Remove what is on the screen."""
        if self._shown:
            self._shown = ""
            self._tell(StartOver())


class _Passage:
    """One try under way: shown as far as it may be."""

    def __init__(self, stream: Stream, *, look: Look | None, releases: bool) -> None:
        stream.clear()
        self._stream = stream
        self._look = look
        self._releases = releases
        self._text = ""
        self._looked = 0
        self._passes = True

    async def add(self, piece: str) -> None:
        """Show what may be shown, and look at every sentence that has ended."""
        self._text += piece
        new = self._text[self._looked :]
        *ended, begun = split_sentences(new) or [""]
        if ended and self._passes and self._look is not None:
            self._looked += new.rindex(begun)
            self._passes = await self._look(self._text[: self._looked])
        if not self._passes:
            self._stream.clear()
        elif self._stream.optimistic:
            self._stream.show(self._text)
        elif self._releases:
            self._stream.show(self._text[: self._looked])


async def collect_text(
    pieces: AsyncIterator[object],
    stream: Stream | None,
    *,
    look: Look | None = None,
    releases: bool = False,
) -> object:
    """What a writer wrote: its pieces in one, or whatever it answered instead.

    `look` is asked about every beginning that ends with a sentence; `releases`: nothing else
    decides, so that what passes it may be shown.
    """
    passage = None if stream is None else _Passage(stream, look=look, releases=releases)
    parts: list[object] = []
    async for piece in pieces:
        parts.append(piece)
        if passage is not None and isinstance(piece, str):
            await passage.add(piece)
    if len(parts) == 1:
        return parts[0]
    if not all(isinstance(each, str | Written) for each in parts):
        return parts
    written = [each if isinstance(each, Written) else Written(text=str(each)) for each in parts]
    return Written(
        text="".join(each.text for each in written),
        tokens=sum(each.tokens for each in written),
        money=sum(each.money for each in written),
    )


async def follow(work: Callable[[Tell], Awaitable[R]]) -> AsyncGenerator[Any, None]:
    """What work tells, then `Finished` with its result; it ends with its consumer."""
    told: asyncio.Queue[object] = asyncio.Queue()
    end = object()
    working = asyncio.ensure_future(work(told.put_nowait))
    working.add_done_callback(lambda _: told.put_nowait(end))
    try:
        while (event := await told.get()) is not end:
            yield event
        yield Finished(result=await working)
    finally:
        working.cancel()
        # The consumer has stopped: cancel the work.
        with suppress(asyncio.CancelledError):
            await working
