"""What this turn knows: the person's words, and every value that an earlier call brought."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from mulligan.core.failures.suggestion import Earlier
from mulligan.core.runtime.dataclass import dataclass
from mulligan.learning.values.closeness import fold
from mulligan.learning.values.leaves import find_key, list_leaves
from mulligan.learning.written.whole import read_json

MOST_TEXT = 200_000
"""Characters of one result, and of the person's words, that are looked at."""
MOST_VALUES = 5_000

_WORD = re.compile(r"[#@]?[\w](?:[\w.@+&'/:-]*[\w])?")


@dataclass(frozen=True, slots=True)
class Value:
    """A value and the name it stood under."""

    key: str
    text: str


class Knowledge:
    """Looked through once, then asked as often as needed."""

    def __init__(self, said: Sequence[str], earlier: Sequence[Earlier]) -> None:
        self._said = said
        self._earlier = earlier

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The person's words, each once, in order."""
        text = "\n".join(self._said)[:MOST_TEXT]
        return tuple(dict.fromkeys(found.group() for found in _WORD.finditer(text)))

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """Every value of the results so far, and every key in them that is itself a value."""
        found: dict[Value, None] = {}
        for made in self._earlier:
            if not made.failed and len(found) < MOST_VALUES:
                found |= dict.fromkeys(_list_values(made.result))
        return tuple(found)

    @cached_property
    def tried(self) -> frozenset[str]:
        """What stood in the arguments of calls that failed."""
        failed = (made.arguments for made in self._earlier if made.failed)
        return frozenset(
            fold(str(value)) for held in failed for _, value in list_leaves(held, most=200)
        )

    @cached_property
    def _folded_words(self) -> tuple[str, ...]:
        return tuple(fold(text[:MOST_TEXT]) for text in self._said)

    @cached_property
    def _folded(self) -> str:
        """Everything said and seen, in one searchable text."""
        parts: list[str] = []
        for made in self._earlier:
            if not made.failed:
                parts.append(as_text(made.result)[:MOST_TEXT])
                parts += [str(value)[:1_000] for _, value in list_leaves(made.arguments, most=200)]
        return "\n".join((*self._folded_words, *map(fold, parts)))

    @cached_property
    def incomplete(self) -> bool:
        """Whether a result broke off, so that what it held is not all known."""
        results = (made.result for made in self._earlier if not made.failed)
        return any(isinstance(held, str) and _breaks_off(held) for held in results)

    def was_said(self, value: object) -> bool:
        """Whether the person gave this value, in whatever form."""
        folded = fold(str(value))
        return bool(folded) and any(folded in text for text in self._folded_words)

    def was_seen(self, value: object) -> bool:
        """Whether the person said it or an earlier call brought it or worked with it."""
        folded = fold(str(value))
        return bool(folded) and folded in self._folded


def parse_result(result: object) -> object:
    """A result that came as JSON text, as what it says; else the result itself."""
    if isinstance(result, str) and result[:1] in "{[" and len(result) <= MOST_TEXT:
        strict, value = read_json(result)
        return value if strict else result
    return result


def _breaks_off(result: str) -> bool:
    if len(result) > MOST_TEXT:
        return True
    return result[:1] in ("{", "[") and isinstance(parse_result(result), str)


def as_text(result: object) -> str:
    """A result as text to search in."""
    return result if isinstance(result, str) else repr(result)


def _list_values(result: object) -> Iterator[Value]:
    held = parse_result(result)
    if isinstance(held, str):
        for found in _WORD.finditer(held[:20_000]):
            if any(sign.isdigit() for sign in found.group()):
                yield Value("", found.group())
        return
    for path, value in list_leaves(held, most=MOST_VALUES):
        for at, step in enumerate(path):
            if isinstance(step, str) and any(sign.isdigit() for sign in step):
                yield Value(find_key(path[:at]), step)
        if isinstance(value, str | int) and not isinstance(value, bool):
            yield Value(find_key(path), str(value))


def find_records(held: object, name: str) -> Iterator[Mapping[str, object]]:
    """The objects in a result that bear a name: in a field, or as the key they stand under."""
    waiting: list[tuple[str, object]] = [("", held)]
    seen = 0
    while waiting and seen < MOST_VALUES:
        key, value = waiting.pop()
        seen += 1
        if isinstance(value, Mapping):
            if key == name or name in (each for each in value.values() if isinstance(each, str)):
                yield value
            waiting.extend((str(inner), each) for inner, each in value.items())
        elif isinstance(value, list | tuple):
            waiting.extend(("", each) for each in value)
