"""Bytes as they come out of a pipe, cut into lines; one that is too long is passed over."""

from __future__ import annotations

from collections.abc import Callable

HEAD = 256
"""Bytes of a line that is too long by which it may still be known whose it is."""


class LineCutter:
    """Cuts a stream into lines and keeps no more than one unfinished line."""

    def __init__(
        self,
        on_line: Callable[[bytes], None],
        *,
        longest: int,
        on_too_long: Callable[[bytes], object],
        blank: bool = False,
    ) -> None:
        self._on_line = on_line
        self._on_too_long = on_too_long
        self._longest = longest
        self._blank = blank
        """Empty lines mean something."""
        self._parts: list[bytes] = []
        self._length = 0
        self._head = b""
        self._skips = False
        """The rest of a line that is too long is still coming."""

    def take(self, data: bytes) -> None:
        """Take what came."""
        first, *rest = data.split(b"\n")
        self._keep(first)
        for part in rest:
            self._end()
            self._keep(part)

    def finish(self) -> None:
        """The stream has ended: what is left is a line too."""
        if self._parts or self._skips:
            self._end()

    def _keep(self, part: bytes) -> None:
        if not part or self._skips:
            return
        self._length += len(part)
        if self._length > self._longest:
            self._head = b"".join([*self._parts, part])[:HEAD]
            self._parts, self._skips = [], True
        else:
            self._parts.append(part)

    def _end(self) -> None:
        parts, too_long = self._parts, self._skips
        line = parts[0] if len(parts) == 1 else b"".join(parts)
        self._parts, self._length, self._skips = [], 0, False
        if too_long:
            self._on_too_long(self._head)
        elif self._blank or (line and not line.isspace()):
            self._on_line(line)
