"""What helps against errors in the same words, also on another tool.

A remedy that is carried over keeps the names of its arguments: it is of use only to a tool that has
the very same. Curated ones speak of one subject, which stands for what an error names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from mulligan.core.failures.lesson import How, Prerequisite, Remedy, Transformation
from mulligan.core.failures.suggestion import FailedCall
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


def is_general(remedy: Remedy) -> bool:
    """Whether a remedy can be of use to another tool: all it speaks of are arguments by name.

    A call to make first that is made of none of them says nothing of a tool with other needs.
    """
    own = all(each.how not in (How.FROM_ARGUMENT, How.DROP) for each in remedy.changes)
    changed = {each.argument for each in remedy.changes}
    return own and bool(list_subjects(remedy)) and (not changed or list_subjects(remedy) == changed)


def list_subjects(remedy: Remedy) -> frozenset[str]:
    """The arguments of the failing call that a remedy changes or makes something of."""
    sources = {name for each in _list_transformations(remedy) for name in _list_names(each)}
    return frozenset(sources | {each.argument for each in remedy.changes})


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


def _rename_change(made: Transformation, name: str) -> Transformation:
    return Transformation(argument=name, how=made.how, given=_rename_given(made.given, name))


def _rename_given(given: Mapping[str, object], name: str) -> dict[str, object]:
    return {word: name if word in _NAMES else value for word, value in given.items()}


def _rename_call(call: Prerequisite, name: str) -> Prerequisite:
    made = tuple(replace(each, given=_rename_given(each.given, name)) for each in call.arguments)
    return replace(call, arguments=made)
