"""An outline of names and values, one to a line, as many tools print what they found.

It is the part of YAML that programs write, read without a library; where it is not quite that, it
is nobody's outline, and stays a text.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from mulligan.core.runtime.late_pattern import compile_late

_KEY = compile_late(r"(?P<name>[\w@.+-](?:[\w @.+/-]{0,60}[\w@.+)-])?):(?:\s+(?P<rest>.*))?$")
_ITEM = compile_late(r"-(?:\s+(?P<rest>.*))?$")
_BLOCK = compile_late(r"[|>][+-]?\s*$")
_NUMBER = compile_late(r"-?(?:0|[1-9]\d*)(?:\.\d+)?")
MOST_LINES = 5_000
DEEPEST = 20


class _OutlineLine(NamedTuple):
    depth: int
    text: str


class _NoOutlineError(Exception):
    """The text is something else."""


def read_outline(text: str) -> object:
    """The lists and records of an outline; `None` where the text is none."""
    lines = [
        _OutlineLine(len(each) - len(each.lstrip(" ")), each.strip()) for each in text.splitlines()
    ]
    first = next((each for each in lines if each.text), None)
    if first is None or len(lines) > MOST_LINES or not _begins(first.text):
        return None
    if len(lines) == 1 and not _ITEM.match(first.text):
        # "Note: it rains" is a sentence.
        return None
    reader = _Outline(lines)
    try:
        found = reader.read(first.depth, deep=0)
    except _NoOutlineError:
        return None
    return found if reader.is_done() else None


def _begins(text: str) -> bool:
    return bool(_ITEM.match(text) or _KEY.match(text))


class _Outline:
    def __init__(self, lines: list[_OutlineLine]) -> None:
        self._lines = lines
        self._at = 0

    def is_done(self) -> bool:
        return self._peek() is None

    def read(self, depth: int, *, deep: int) -> object:
        line = self._peek()
        if line is None or deep > DEEPEST:
            raise _NoOutlineError
        if _ITEM.match(line.text):
            return self._read_list(depth, deep=deep)
        return self._read_record(depth, deep=deep)

    def _peek(self) -> _OutlineLine | None:
        while self._at < len(self._lines) and not self._lines[self._at].text:
            self._at += 1
        return self._lines[self._at] if self._at < len(self._lines) else None

    def _read_list(self, depth: int, *, deep: int) -> list[object]:
        found: list[object] = []
        while (line := self._peek()) is not None and line.depth == depth:
            item = _ITEM.match(line.text)
            if item is None:
                break
            rest = item["rest"] or ""
            if _KEY.match(rest) or _ITEM.match(rest):
                # What follows the dash stands where it would on a line of its own.
                inner = depth + len(line.text) - len(rest)
                self._lines[self._at] = _OutlineLine(inner, rest)
                found.append(self.read(inner, deep=deep + 1))
            else:
                self._at += 1
                found.append(self._read_value(rest, depth))
        return found

    def _read_record(self, depth: int, *, deep: int) -> dict[str, object]:
        found: dict[str, object] = {}
        while (line := self._peek()) is not None and line.depth == depth:
            key = _KEY.match(line.text)
            if key is None:
                break
            self._at += 1
            rest = key["rest"] or ""
            found[key["name"]] = (
                self._read_value(rest, depth) if rest else self._read_below(depth, deep=deep)
            )
        if not found:
            raise _NoOutlineError
        return found

    def _read_below(self, depth: int, *, deep: int) -> object:
        """What stands under a name: something further in, or a list right below it."""
        line = self._peek()
        if line is None or line.depth < depth:
            return None
        if line.depth == depth:
            return self._read_list(depth, deep=deep + 1) if _ITEM.match(line.text) else None
        return self.read(line.depth, deep=deep + 1) if _begins(line.text) else self._join(depth)

    def _read_value(self, rest: str, depth: int) -> object:
        if _BLOCK.fullmatch(rest):
            return self._join(depth)
        if rest[:1] in ("'", '"'):
            return self._read_quoted(rest)
        more = self._join(depth)
        if more:
            return f"{rest} {more}"
        return _read_scalar(rest)

    def _join(self, depth: int) -> str:
        """The lines that go on further in, as one text."""
        parts = []
        while (line := self._peek()) is not None and line.depth > depth:
            parts.append(line.text)
            self._at += 1
        return " ".join(parts)

    def _read_quoted(self, rest: str) -> str:
        """A text in quotation marks, over as many lines as it takes."""
        mark, parts = rest[0], [rest[1:]]
        quotes = parts[0].count(mark)
        while not _is_closed(parts[-1], mark, quotes=quotes):
            if self._at >= len(self._lines):
                # Somebody has cut it: what is left of the text is a text still.
                return "\n".join(parts)
            parts.append(self._lines[self._at].text)
            quotes += parts[-1].count(mark)
            self._at += 1
        inner = "\n".join(parts)[:-1]
        if mark == "'":
            return inner.replace("''", "'")
        return re.sub(r"\\\s*\n\s*\\?", "", inner).replace("\\n", "\n").replace('\\"', '"')


def _is_closed(line: str, mark: str, *, quotes: int) -> bool:
    """Whether a text ends with its last line; `quotes` are the marks in all of its lines."""
    if not line.endswith(mark):
        return False
    if mark == "'":
        return quotes % 2 == 1
    before = line[:-1]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 0


def _read_scalar(text: str) -> object:
    if text in ("[]", "{}"):
        return []
    if text in ("null", "None", "~"):
        return None
    if text in ("true", "false"):
        return text == "true"
    if _NUMBER.fullmatch(text) and len(text) < 16:
        return float(text) if "." in text else int(text)
    return text
