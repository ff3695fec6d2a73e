"""What a server over HTTP says as a stream of events, which may break off and be taken up again."""

from __future__ import annotations

from collections.abc import AsyncIterator

from mulligan.gateway.protocol.line_cutter import LineCutter

RETRY = 1.0
"""Seconds before a stream is taken up again, where the server does not say."""
LONGEST_RETRY = 60.0


class EventReader:
    """Reads events, over one connection or several, and knows where it has come to."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self.last_id = ""
        """Of the last event that has one: a stream can be taken up again behind it."""
        self.retry = RETRY
        """Seconds before it is."""

    async def read(self, parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """The data of each event that has some."""
        lines: list[bytes] = []
        events: list[bytes] = []

        def take(line: bytes) -> None:
            name, _, value = line.rstrip(b"\r").partition(b":")
            value = value.removeprefix(b" ")
            if not line.strip():
                if any(lines):
                    events.append(b"\n".join(lines).strip())
                lines.clear()
            elif name == b"data":
                lines.append(value)
            elif name == b"id" and b"\0" not in value:
                self.last_id = value.decode("latin-1")
            elif name == b"retry" and value.isdigit():
                self.retry = min(int(value[:9]) / 1e3, LONGEST_RETRY)

        cutter = LineCutter(take, longest=self._longest, on_too_long=len, blank=True)
        async for part in parts:
            cutter.take(part)
            while events:
                yield events.pop(0)
