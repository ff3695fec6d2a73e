"""Whether what differs between two states of an object is the work of known calls, and all of it.

States and arguments are plain values here: what JSON can say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal

from mulligan.core.display.escape import format_value

Given = Mapping[str, object]
"""The arguments of a call, by name."""


def is_work_of(calls: Sequence[Given], *, before: object, now: object, version: str = "") -> bool:
    """Whether calls, in their order, account for a change: every new value was given to one of
    them, and whatever one was given for a field of the object stands there.

    `version` is the field that every write changes.
    """
    given = {name: value for call in calls for name, value in _list_given(call)}
    values = [value for call in calls for _, value in _list_given(call)]
    if not isinstance(before, Mapping) or not isinstance(now, Mapping):
        return now is not None and now != before and now in values
    names = {*before, *now} - {version}
    changed = [name for name in names if before.get(name) != now.get(name)]
    kept = all(now[name] == value for name, value in given.items() if name in now)
    return kept and bool(changed) and all(now.get(name) in values for name in changed)


def _list_given(call: Given) -> Iterator[tuple[str, object]]:
    """What a call was given or has left, also inside a value that holds several fields."""
    for name, value in call.items():
        yield name, value
        if isinstance(value, Mapping):
            yield from ((str(part), inner) for part, inner in value.items())


def find_contradiction(given: object, found: object) -> str:
    """A field of what was found that is not as a call was given it, by name; else nothing.

    A remote may write a value in another way: only what is plain on both sides is compared.
    """
    if not isinstance(given, Mapping) or not isinstance(found, Mapping):
        return ""
    plain = [(name, value) for name, value in _list_given(given) if isinstance(value, _PLAIN)]
    for name in dict(plain):
        # What the object itself says of it; only without that, what the things in it say.
        values = [found[name]] if name in found else [v for n, v in _list_given(found) if n == name]
        there = [value for value in values if isinstance(value, _PLAIN)]
        # Under another name it was given all the same: what was moved has its new path as its path.
        if there and not any(_may_be(value, each) for _, value in plain for each in there):
            return name
    return ""


_PLAIN = (str, int, float)


def _may_be(given: object, there: object) -> bool:
    """Whether two values may be one, however each side writes it: blanks and case, a number as
    text, a time with its zone or without."""
    if given == there:
        return True
    one, other = (" ".join(format_value(each).casefold().split()) for each in (given, there))
    return one == other or _read_number(one) == _read_number(other) or _is_moment(one, other)


def _read_number(text: str) -> object:
    try:
        return Decimal(text)
    except ArithmeticError:
        return {"true": Decimal(1), "false": Decimal(0)}.get(text, text)


def _is_moment(one: str, other: str) -> bool:
    """Whether both say one time; without a zone, or an hour, a text says less and not another."""
    try:
        first, second = (datetime.fromisoformat(each.upper()) for each in (one, other))
    except ValueError:
        return False
    if "t" not in one or "t" not in other:
        return first.date() == second.date()
    if first.tzinfo and second.tzinfo:
        return first == second
    return first.replace(tzinfo=None) == second.replace(tzinfo=None)


def is_edit_of(given: Given, *, before: str, now: str) -> bool:
    """Whether a text is another with the replacements made in it that a call was given.

    Those are arguments, or tables in a list of them, whose names begin with `old` and `new`.
    """
    pairs = [*_list_replacements(given)]
    for text in (before, before.replace("\r\n", "\n")) if pairs else ():
        for old, new in pairs:
            text = text.replace(old, new, 1)
        if text == now:
            return True
    return False


def _list_replacements(given: Given) -> Iterator[tuple[str, str]]:
    lists = [value for value in given.values() if isinstance(value, list)]
    tables = [each for found in lists for each in found if isinstance(each, Mapping)]
    for table in (given, *tables):
        named = {str(name)[:3]: value for name, value in table.items()}
        old, new = named.get("old"), named.get("new")
        if isinstance(old, str) and isinstance(new, str):
            yield old, new
