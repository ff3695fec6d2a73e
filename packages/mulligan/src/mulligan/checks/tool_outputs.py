"""What tools returned, as values, fields and records.

Many return text that has JSON or Python in it, or an outline: the part of YAML that programs
write, read without a library. Anything else stays a text.
"""

from __future__ import annotations

import ast
import json
import operator
import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from math import isfinite
from typing import NamedTuple

from mulligan.types.values import read_fields
from mulligan_dates.lexicon import list_in_order

_SINGLE = frozenset({str, int, float, bool, bytes, type(None)})
"""The types of most values in a result: they have no parts."""


def list_texts(value: object) -> Iterator[str]:
    """Every text and number in a value, as text."""
    return (
        str(leaf) for leaf in list_scalars(value) if leaf is not None and not isinstance(leaf, bool)
    )


def list_numbers(value: object) -> Iterator[float]:
    """Every number in a value that is a number there, not text that looks like one."""
    for leaf in list_scalars(value):
        match leaf:
            case bool():
                continue
            case int():
                yield leaf
            case float() if isfinite(leaf):
                yield leaf


def list_scalars(value: object) -> Iterator[object]:
    """Every single thing in a value, however deeply it is nested."""
    if type(value) in _SINGLE:
        return iter((value,))
    return (each for each in walk(value) if type(each) in _SINGLE or list_parts(each) is None)


def list_records(value: object) -> Iterator[Mapping[str, object]]:
    """Every record in a value: a mapping, or an object seen as one, at any depth."""
    if type(value) in _SINGLE:
        return iter(())
    held = (each for each in walk(value) if type(each) not in _SINGLE)
    return (record for each in held if (record := as_record(each)))


def read_whole(value: object) -> tuple[list[str], list[Mapping[str, object]]]:
    """The texts and the records of a value, in one walk through it."""
    texts: list[str] = []
    records: list[Mapping[str, object]] = []
    for each in walk(value):
        if type(each) in _SINGLE:
            if each is not None and type(each) is not bool:
                texts.append(str(each))
        elif record := as_record(each):
            records.append(record)
        elif list_parts(each) is None:
            texts.append(str(each))
    return texts, records


def walk(value: object) -> Iterator[object]:
    """A value and all that is in it, in order; what holds something only once, so cycles end."""
    ahead, met = [value], set[int]()
    while ahead:
        each = ahead.pop()
        if type(each) in _SINGLE:
            yield each
            continue
        inner = list_parts(each)
        if inner is not None and id(each) in met:
            continue
        yield each
        if inner is not None:
            met.add(id(each))
            ahead.extend(reversed([*inner]))


def list_parts(value: object) -> Collection[object] | None:
    """What a value consists of; `None` when it is one thing."""
    if type(value) in _SINGLE:
        return None
    if type(value) is dict:
        return [*value, *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return value
    if record := as_record(value):
        return [*record.keys(), *record.values()]
    return () if isinstance(value, Mapping) else None


def as_plain(value: object) -> object:
    """A structure with its records as mappings, as one that came as JSON has them."""
    if type(value) is dict or type(value) in _SINGLE:
        return value
    if isinstance(value, list | tuple):
        return [as_plain(each) for each in value]
    record = as_record(value)
    return {name: as_plain(held) for name, held in record.items()} if record else value


def as_record(value: object) -> Mapping[str, object]:
    """A mapping, a record or a plain object by the names of its fields; empty for the rest."""
    if type(value) is dict or isinstance(value, Mapping):
        return value
    if type(value) in _SINGLE or isinstance(value, type):
        return {}
    if (held := read_fields(value)) is not None:
        return held
    inside = getattr(value, "__dict__", {})
    return {name: part for name, part in inside.items() if not name.startswith("_")}


_KEY = re.compile(r"(?P<name>[\w@.+-](?:[\w @.+/-]{0,60}[\w@.+)-])?):(?:\s+(?P<rest>.*))?$")
_ITEM = re.compile(r"-(?:\s+(?P<rest>.*))?$")
_BLOCK = re.compile(r"[|>][+-]?\s*$")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?")
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
                # The text was cut off: the rest is still a text.
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


LONGEST_OUTPUT = 200_000
"""Length from which a text is not parsed: it would delay the turn."""

_FENCE = re.compile(
    r"\A\s*(?:```\w*\n(?P<code>.*)\n```|<{1,3}(?P<marked>[^<].*[^>])>{1,3})\s*\Z", re.DOTALL
)
"""Delimiters that some tools put around a result."""
_NAN = re.compile(r"\bnan\b")


def read_structure(result: object) -> object:
    """A result with its texts parsed into fields."""
    if isinstance(result, str):
        return _read_text(result) if len(result) <= LONGEST_OUTPUT else result
    if isinstance(result, Mapping):
        text = result.get("text")
        if result.get("type") == "text" and isinstance(text, str):
            return read_structure(text)
        return result
    if isinstance(result, list | tuple):
        read = [read_structure(each) if _is_block(each) else each for each in result]
        # What has nothing to parse stays the same, so that it is walked through only once.
        same = isinstance(result, list) and all(map(operator.is_, read, result))
        return result if same else read
    return result


def _is_block(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, Mapping) and value.get("type") == "text")


@lru_cache(maxsize=256)
def _read_text(text: str) -> object:
    fenced = _FENCE.match(text)
    bare = (fenced["code"] or fenced["marked"] or "") if fenced else text
    stripped = bare.strip()
    if stripped[:1] in ("{", "["):
        found = _read_json(stripped) or _read_literal(stripped)
        if found is not None:
            return found
    outlined = read_outline(stripped)
    return bare if outlined is None else outlined


def _read_json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _read_literal(text: str) -> object:
    try:
        return ast.literal_eval(_NAN.sub("None", text))
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None


Found = Mapping[str, object]

_IDS = ("id", "id_", "_id", "uid", "uuid", "key")


@lru_cache(maxsize=1_024)
def list_id_keys(name: str) -> tuple[str, ...]:
    """The fields that hold what a parameter names: `new_item_ids` are the `item_id` of records."""
    one = name.removesuffix("s") if name.endswith(("ids", "Ids", "IDs")) else name
    return tuple(dict.fromkeys((name, one, one.removeprefix("new_"))))


def get_id_of(record: Found, *, name: str) -> str | None:
    """The id of a record, by the name of the parameter that it would be given as."""
    for key in (*list_id_keys(name), *_IDS):
        held = record.get(key)
        if isinstance(held, str | int) and not isinstance(held, bool) and held != "":
            return str(held)
    return None


def get_title_of(record: Found) -> str:
    """What a record is called; empty where it has no name."""
    for wanted in list_in_order("fields", "title"):
        for key, held in record.items():
            if str(key).casefold().endswith(wanted) and isinstance(held, str) and held.strip():
                return held.strip()
    return ""


def join_texts(record: Found) -> str:
    """All that the fields of a record say, without their names."""
    return " ".join(text for held in record.values() for text in list_texts(held))
