"""What a client over HTTP is sent: each answer on the connection that asked for it.

What a server says before an answer goes the same way. What it says by itself goes to a connection
that waits for an answer, else to the one that listens, and if there is none, it is kept for the
next one; of one who never listens, only the last words are kept.
"""

from __future__ import annotations

import asyncio
from collections import deque

from mulligan.gateway.protocol.frames import build_error, read_frame, write_error
from mulligan.gateway.protocol.limits import MEBI, Limits

MOST_KEPT = 256
"""Messages for a client that nobody of it has come for yet."""
MOST_KEPT_BYTES = 1_048_576
MOST_QUEUED = 1_000
"""Messages on one connection that its client has not taken yet; then it is given up."""
MOST_QUEUED_BYTES = 8 * MEBI
"""Their bytes; a message that comes when nothing waits may be as long as messages may."""

CANCELLED = -32800
"""What ends the connection of a request that has no answer, where it must end with one."""


class _Frames(asyncio.Queue[bytes | None]):
    """Messages in order, which knows how long they are together."""

    length = 0

    def _put(self, item: bytes | None) -> None:
        self.length += len(item or b"")
        super()._put(item)

    def _get(self) -> bytes | None:
        item = super()._get()
        self.length -= len(item or b"")
        return item

    @property
    def is_full(self) -> bool:
        """Whether its client takes too little."""
        return self.qsize() >= MOST_QUEUED or self.length >= MOST_QUEUED_BYTES


class Stream:
    """One connection of a client, until its answer has come."""

    def __init__(self) -> None:
        self.queue = _Frames()
        self.ended = False
        """Nothing comes any more but what is in the queue."""

    def put(self, frame: bytes, *, last: bool = False) -> None:
        """Send a message; the last one is the answer."""
        if self.ended:
            return
        if self.queue.is_full:
            last = True
        else:
            self.queue.put_nowait(frame)
        if last:
            self.ended = True
            self.queue.put_nowait(None)

    def send(self, frame: bytes) -> None:
        """Send a message to who has only this one connection."""
        self.put(frame, last=is_answer(frame))


class Streams:
    """The connections of one client that are open now."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._waiting: dict[bytes, Stream] = {}
        self._listening: Stream | None = None
        self._kept: deque[bytes] = deque(maxlen=MOST_KEPT)

    def open(self, key: bytes) -> Stream | None:
        """A request has come, whose answer goes back the same way; `None`: its id is in use."""
        if key in self._waiting:
            return None
        stream = self._waiting[key] = Stream()
        return stream

    def listen(self) -> Stream | None:
        """The client wants to hear what servers say by themselves; `None`: it does already."""
        if self._listening is not None:
            return None
        self._listening = Stream()
        while self._kept:
            self._listening.put(self._kept.popleft())
        return self._listening

    def close(self, stream: Stream) -> None:
        """A connection is gone."""
        if self._listening is stream:
            self._listening = None
        for key in [key for key, each in self._waiting.items() if each is stream]:
            del self._waiting[key]

    def cancel(self, key: bytes) -> None:
        """A request has no answer, for its client has cancelled it: its connection ends."""
        stream = self._waiting.pop(key, None)
        if stream is not None:
            stream.put(write_error(key, build_error(CANCELLED, "Request cancelled")), last=True)

    def send(self, frame: bytes, *, during: bytes = b"") -> None:
        """Send a message where it belongs: to the request that it goes with, if that is known."""
        read = read_frame(frame, self._limits)
        if not read.method:
            stream = self._waiting.pop(read.key, None)
            if stream is not None:
                stream.put(frame, last=True)
            return
        # What a server says while it works comes before its answer only on the same connection.
        stream = self._waiting.get(during) or next(reversed(self._waiting.values()), None)
        stream = stream or self._listening
        if stream is None:
            self._kept.append(frame)
            while sum(map(len, self._kept)) > MOST_KEPT_BYTES:
                self._kept.popleft()
        else:
            stream.put(frame)


def is_answer(frame: bytes) -> bool:
    """Whether a message is an answer, as we have written it."""
    head = frame[:400]
    return b'"method"' not in head.partition(b'"result":')[0].partition(b'"error":')[0]
