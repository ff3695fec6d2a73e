"""Fields that a server sets by itself with every write, told from written content."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from datetime import datetime
from decimal import Decimal

from msgspec import Struct

from mulligan.runtime.assessment import SELF_CHANGING, list_given, normalize_name

NOTHING = object()
"""Of a write that has sent no body, or was answered without one."""

_CHANGED = frozenset({"updated", "updatedat", "modified", "modifiedat", "lastmodified"})
"""Names of times that a server sets with every write."""
_MADE = frozenset({"created", "createdat"})
_COUNTS = frozenset({"version", "revision", "rev", "sequence"})
"""Names of numbers that a server counts up with every write."""
_OTHERS = SELF_CHANGING - _CHANGED - {"version"}
"""Names of what it sets to anything; a version that is no number may be what people write."""


class ServerFields(Struct, frozen=True, kw_only=True):
    """Tells fields that a server sets by itself from written content."""

    before: object
    given: Mapping[str, object]
    """What the call itself was to write."""
    made_id: str

    def has_no_other(self, expected: object, now: object) -> bool:
        """Whether they are all in which what is there differs from what is expected."""
        if not isinstance(expected, Mapping) or not isinstance(now, Mapping):
            return is_equal(expected, now)
        return all(
            self.is_own(name, now)
            or is_equal(expected.get(name, NOTHING), now.get(name, NOTHING))
            or (name in self.given and name in now and is_rewritten(self.given[name], now[name]))
            for name in {*expected, *now}
        )

    def is_own(self, name: str, now: Mapping[str, object]) -> bool:
        """Whether the server has set a field, by all that its name and value tell."""
        was = self.before.get(name) if isinstance(self.before, Mapping) else None
        called, value, new = normalize_name(name), now.get(name), self.before is None
        if any(normalize_name(each) == called and sent != was for each, sent in self.given.items()):
            return False
        if called in _CHANGED or (called in _MADE and new):
            return _is_time(value)
        if called in _COUNTS and isinstance(value, int):
            # Two further on: there was another write as well.
            return value == was + 1 if isinstance(was, int) else new
        named = called.endswith("id") and str(value) == self.made_id
        return called in _OTHERS or (named and (new or value == was))


def find_given(now: object, *, sent: object, arguments: Mapping[str, object]) -> list[str]:
    """Fields that hold what a call has sent for them; where that is unknown, a text
    that it was given."""
    if not isinstance(now, Mapping):
        return []
    if isinstance(sent, Mapping):
        both = [name for name in now if name in sent]
        return [n for n in both if is_equal(sent[n], now[n]) or is_rewritten(sent[n], now[n])]
    texts = [value for _, value in list_given(arguments) if isinstance(value, str)]
    return [name for name, value in now.items() if isinstance(value, str) and value in texts]


def is_alike(before: object, now: object, *, content: Collection[str] = ()) -> bool:
    """Whether two contents say the same, but for what a server sets by itself.

    `content`: fields that it has not, whatever they are called.
    """
    if not isinstance(before, Mapping) or not isinstance(now, Mapping):
        return is_equal(before, now)
    return {*before} == {*now} and all(
        is_equal(was, now[name])
        or (name not in content and _has_moved_on(normalize_name(name), was, now[name]))
        for name, was in before.items()
    )


def _has_moved_on(called: str, was: object, value: object) -> bool:
    if called in _COUNTS and isinstance(was, int):
        return isinstance(value, int) and value > was
    if called in _CHANGED | _MADE:
        # What was deleted and is put back is made anew.
        return _is_time(was) and _is_time(value)
    return called in _OTHERS


def _is_time(value: object) -> bool:
    if isinstance(value, str):
        try:
            return bool(datetime.fromisoformat(value))
        except ValueError:
            return False
    return isinstance(value, int | float)


def is_rewritten(sent: object, shown: object) -> bool:
    """Whether a server shows the very value that it was sent, written in its own way: a number as
    text, a time in another zone, an address with a slash at its end."""
    if not isinstance(sent, str) or not isinstance(shown, str):
        number = _read_number(sent)
        return number is not None and number == _read_number(shown)
    if "://" in sent:
        return sent.rstrip("/") == shown.rstrip("/")
    times = [_read_time(each) for each in (sent, shown)]
    return None not in times and times[0] == times[1]


def may_be_adjusted(sent: object, shown: object) -> bool:
    """Whether a server may have made one value of another by its own rules: a day that is none, a
    number out of bounds, a text that is too long. It may have been edited as well."""
    for read in (_read_number, _read_day):
        if None not in (read(sent), read(shown)):
            return True
    texts = [each.strip().casefold() for each in (sent, shown) if isinstance(each, str)]
    return len(texts) == 2 and (texts[0] in texts[1] or texts[1] in texts[0])


def _read_number(value: object) -> Decimal | None:
    try:
        return None if isinstance(value, bool) else Decimal(str(value))
    except ArithmeticError:
        return None


def _read_time(value: str) -> datetime | None:
    """A time with its zone; without one it is not known to be the same."""
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        return None
    return found if found.tzinfo else None


def _read_day(value: object) -> str | None:
    """What is written as a day, also as one that no month has."""
    found = re.match(r"\d{4}-\d\d-\d\d", value) if isinstance(value, str) else None
    return found and found[0]


def is_equal(one: object, other: object) -> bool:
    """Whether two contents are the same, as JSON has it, where 1 is not true."""
    plain = not any(each is NOTHING or isinstance(each, bytes) for each in (one, other))
    if plain:
        return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    return one is other or one == other
