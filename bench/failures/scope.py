"""Whether a corrected call still asks for the same: measured on values, whoever proposed them.

The product has rules of its own for this. These are other ones on purpose, as plain as they can be,
so that what the product overlooks is seen.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping

from mulligan.types.lesson import FailedCall

LIKE = 0.8
"""How much of a word must be the same for a listed one to be what was meant."""
_GROUPS = re.compile(r"\d+")


def scope_changes(failed: FailedCall, after: Mapping[str, object]) -> list[str]:
    """The arguments by which another thing would be asked for than before.

    An argument is kept if its letters and digits are those it had, or those of an argument that is
    gone, or if its numbers are (a date). It may be made what the person said, a bound that the
    error states, the listed word it is nearly, or the schema's own default; and an argument that
    the error calls missing may be given. All else is another call: a part of a value, also where
    the person said that part, and an argument of the tool's left out.
    """
    before = failed.call.arguments
    changed = [
        name
        for name, value in after.items()
        if not (name in before and _same(before[name], value))
        and not _kept(value, before)
        and not _allowed(name, value, failed)
    ]
    gone = [name for name in before if name not in after and _plain(before[name])]
    return [*changed, *(name for name in gone if _lost(name, after, failed))]


def required_drops(failed: FailedCall, after: Mapping[str, object]) -> list[str]:
    """The arguments that a tool requires, were there, and would be no more."""
    required = failed.schema.get("required")
    names = required if isinstance(required, list) else []
    return [name for name in names if name in failed.call.arguments and name not in after]


def _same(one: object, other: object) -> bool:
    return type(one) is type(other) and one == other


def _kept(value: object, before: Mapping[str, object]) -> bool:
    return any(_says(value, each) for each in before.values())


def _says(one: object, other: object) -> bool:
    left, right = _plain(one), _plain(other)
    if left and left == right:
        return True
    numbers, others = _numbers(one), _numbers(other)
    return len(numbers) > 2 and numbers == others


def _allowed(name: str, value: object, failed: FailedCall) -> bool:
    old = failed.call.arguments.get(name)
    rule = _rule(name, failed)
    missing = not _plain(old)
    if "default" in rule and rule["default"] == value:
        return missing
    if missing and value is not None:
        return _stands(name, failed.error) or _said(value, failed)
    if isinstance(value, int | float) and isinstance(old, int | float | str):
        return bool(_GROUPS.search(str(old))) and _stands(str(value), failed.error)
    listed = _stands(str(value), f"{failed.error} {json.dumps(rule, default=str)}")
    near = difflib.SequenceMatcher(None, _plain(old), _plain(value)).ratio() >= LIKE
    cut = _plain(value) in _plain(old)
    return (_said(value, failed) and not cut) or (listed and near)


def _lost(name: str, after: Mapping[str, object], failed: FailedCall) -> bool:
    if any(_says(failed.call.arguments[name], value) for value in after.values()):
        return False
    known = failed.schema.get("properties")
    if isinstance(known, Mapping):
        return name in known
    return not _stands(name, failed.error)


def _rule(name: str, failed: FailedCall) -> Mapping[str, object]:
    known = failed.schema.get("properties")
    found = known.get(name) if isinstance(known, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _said(value: object, failed: FailedCall) -> bool:
    return any(_stands(str(value), said) for said in failed.said)


def _stands(text: str, told: str) -> bool:
    """Whether a text has another one as a word of its own."""
    if not text.strip():
        return False
    alone = rf"(?<![\w.]){re.escape(text)}(?!\w|\.\w)"
    return re.search(alone, told, re.IGNORECASE) is not None


def _plain(value: object) -> str:
    """The letters and digits of all that a value holds."""
    return "".join(sign for sign in "".join(_texts(value)).casefold() if sign.isalnum())


def _numbers(value: object) -> list[int]:
    """The numbers in a value, without the noughts at the end that a time may have."""
    found = [int(each) for each in _GROUPS.findall(" ".join(_texts(value)))]
    return sorted(each for each in found if each)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, float) and value.is_integer():
        yield str(int(value))
    elif value is not None:
        yield _opened(str(value))


def _opened(text: str) -> str:
    """What a structure that is written as text says, without its names."""
    if text[:1] not in ("{", "["):
        return text
    try:
        return "".join(_texts(json.loads(text)))
    except ValueError:
        return text
