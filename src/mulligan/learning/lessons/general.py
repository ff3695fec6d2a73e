"""Remedies without the names of one tool: what helps against errors in the same words, anywhere.

The arguments that an error is about lose their names and become one subject; a remedy in which they
are not all treated alike is no general one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from mulligan.core.lesson import How, Prerequisite, Remedy, Transformation
from mulligan.core.suggestion import FailedCall
from mulligan.learning.lessons.ways.place import ArgumentPlace
from mulligan.learning.lessons.ways.table import make
from mulligan.learning.shape.coerce import NOTHING
from mulligan.learning.values.closeness import tokenize

SUBJECT = "value"
"""Stands for every argument that an error is about."""

ALIKE = 0.5
"""Share of words that two errors have in common to be about the same thing."""

SHORTEST_WORD = 4
"""Letters; shorter words say nothing by themselves."""

_NAMES = ("of", "asked", "holds")
"""What names an argument of the failing call in what a way is given."""
_MASKS = frozenset({"value", "path", "text", "number", "file", "id", "time", "email", "url", "hex"})


def generalise(remedy: Remedy) -> Remedy | None:
    """The remedy about its subject; `None` where it needs names."""
    subjects = {name for each in _list_transformations(remedy) for name in _list_names(each)}
    changed = {each.argument for each in remedy.changes}
    if any(each.how is How.FROM_ARGUMENT for each in remedy.changes):
        return None
    if not remedy.changes and not remedy.first:
        return None
    if changed and subjects - changed:
        return None
    alike = {_strip_names(each) for each in remedy.changes}
    if len(alike) > 1:
        return None
    changes = tuple(_rename_change(each, SUBJECT) for each in remedy.changes[:1])
    return Remedy(changes=changes, first=tuple(map(_generalise_call, remedy.first)))


def specialise(remedy: Remedy, failed: FailedCall, *, about: Sequence[str]) -> Remedy | None:
    """A general remedy for the arguments that this error is about; `None`: it speaks of none."""
    speaks = bool(remedy.changes) or any(
        _list_names(each) for each in _list_transformations(remedy)
    )
    subjects = [name for name in about if _can_be(remedy, name, failed)]
    if speaks and not subjects:
        return None
    changes = tuple(_rename_change(each, name) for name in subjects for each in remedy.changes)
    first = tuple(_rename_call(call, subjects[0]) if speaks else call for call in remedy.first)
    return Remedy(changes=changes, first=first)


def _can_be(remedy: Remedy, name: str, failed: FailedCall) -> bool:
    """Whether the changes can be made of this argument."""
    place = ArgumentPlace(argument=name, failed=failed, schema=failed.schema)
    made = (_rename_change(each, name) for each in remedy.changes if each.how is not How.DROP)
    return all(make(each, place) is not NOTHING for each in made)


def extract_words(template: str, tool: str) -> frozenset[str]:
    """What an error says, without its tool's name and without its values."""
    said = frozenset(word for word in tokenize(template) if len(word) >= SHORTEST_WORD)
    return said - frozenset(tokenize(tool)) - _MASKS


def are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two errors say about the same."""
    return bool(one and other) and len(one & other) >= ALIKE * len(one | other)


def cluster_words(said: Iterable[frozenset[str]]) -> dict[frozenset[str], frozenset[str]]:
    """Each set of words with the one that stands for it: the first, in order, that is like it."""
    found: dict[frozenset[str], frozenset[str]] = {}
    heads: list[frozenset[str]] = []
    for words in sorted(set(said), key=lambda each: (len(each), sorted(each))):
        head = next((each for each in heads if are_alike(each, words)), None)
        if head is None:
            heads.append(words)
        found[words] = head or words
    return found


def _list_transformations(remedy: Remedy) -> Iterator[Transformation]:
    yield from remedy.changes
    for call in remedy.first:
        yield from call.arguments


def _list_names(made: Transformation) -> list[str]:
    return [str(made.given[word]) for word in _NAMES if word in made.given]


def _strip_names(made: Transformation) -> str:
    return repr((made.how, sorted((k, repr(v)) for k, v in made.given.items() if k not in _NAMES)))


def _rename_change(made: Transformation, name: str) -> Transformation:
    return Transformation(argument=name, how=made.how, given=_rename_given(made.given, name))


def _rename_given(given: Mapping[str, object], name: str) -> dict[str, object]:
    return {word: name if word in _NAMES else value for word, value in given.items()}


def _generalise_call(call: Prerequisite) -> Prerequisite:
    return _rename_call(call, SUBJECT)


def _rename_call(call: Prerequisite, name: str) -> Prerequisite:
    made = tuple(replace(each, given=_rename_given(each.given, name)) for each in call.arguments)
    return replace(call, arguments=made)
