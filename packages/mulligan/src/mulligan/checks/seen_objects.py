"""The objects that tools returned before a call: by their ids, and by what stood beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import islice
from typing import Any, NamedTuple

from mulligan.checks.provenance import Returned, SeenValues, fold_value
from mulligan.checks.subject import Argument, Subject, recall
from mulligan.checks.tool_outputs import (
    Found,
    get_id_of,
    get_title_of,
    list_id_keys,
    list_texts,
    walk,
)
from mulligan_dates.lexicon import ends_in, load_words
from mulligan_dates.text import split_letters, split_name, stem

MOST_RECORDS = 2_000
MOST_GROUPS = 200
FEWEST_LISTED = 2
DEEPEST = 4
"""Levels above some objects at which the name of what they all are may stand."""


@lru_cache(maxsize=1_024)
def find_noun(name: str) -> str:
    """What a field or a parameter is of: `item` for `order_item_ids` and for `items`."""
    words = [word for word in split_name(name) if word not in load_words("kinds", "id")]
    return stem(words[-1]) if words else ""


class Siblings(NamedTuple):
    """Objects that stand side by side in a result, and what they are all kinds of."""

    around: tuple[object, ...]
    """What holds them, the nearest first."""
    members: Mapping[str, Found]
    """By their own ids: a record that only refers to an object is none of it."""

    @property
    def title(self) -> str:
        """The name of what they all are; empty where there is none."""
        titles = (get_title_of(each) for each in self.around if isinstance(each, dict))
        return next(filter(None, titles), "")


class SeenObjects:
    """The objects that were read before a call, by their ids, each with those beside it."""

    def __init__(self, subject: Subject, seen: SeenValues) -> None:
        self.seen = seen
        self._subject = subject
        self._answers = [
            recall(subject, ("ids", id(each.structure)), partial(_index, each))
            for each in seen.answers
        ]

    @property
    def groups(self) -> Iterator[Siblings]:
        """All objects that stood side by side."""
        return (group for answer in self._answers for group in answer.groups)

    def find_records(self, argument: Argument) -> list[Found]:
        """All that was returned of an object."""
        wanted = argument.value.casefold()
        found = (each for answer in self._answers for each in answer.records.get(wanted, ()))
        return [each for each in found if _is_meant(each, argument)]

    def find_nouns(self, value: str) -> set[str]:
        """What an id was returned as the id of; an empty noun is a field that does not say."""
        wanted = value.casefold()
        return {find_noun(key) for answer in self._answers for key in answer.keys.get(wanted, ())}

    def are_apart(self, noun: str, other: str) -> bool:
        """Whether ids of both sorts stand in one record, and no id is of both sorts."""
        held: dict[str, set[str]] = {noun: set(), other: set()}
        beside = False
        for answer in self._answers:
            for value, keys in answer.keys.items():
                for each in {noun, other}.intersection(map(find_noun, keys)):
                    held[each].add(value)
            beside = beside or any(
                {noun, other} <= {find_noun(key) for key, _ in _list_ids(record)}
                for value in held[other]
                for record in answer.records.get(value, ())
            )
        return beside and held[noun].isdisjoint(held[other])

    def stands_alone(self, value: str) -> bool:
        """Whether a value was returned without a field's name: in a list, or as a key."""
        held = (each for answer in self.seen.answers for each in walk(answer.structure))
        return any(isinstance(each, dict | list) and value in each for each in held)

    def find_state(self, argument: Argument) -> str:
        """The state that an object was last returned in; empty where that may be over."""
        wanted = fold_value(argument.value)
        for at in reversed(range(len(self._answers))):
            if self.seen.was_tried(wanted, after=at + 1):
                break
            records = self._answers[at].records.get(argument.value.casefold(), ())
            states = [_read_state(each) for each in records if _is_meant(each, argument)]
            if any(states):
                return next(filter(None, reversed(states)))
            if wanted in map(fold_value, list_texts(list(self.seen.answers[at].given.values()))):
                break
        return ""

    def has_other_in_state(self, argument: Argument, state: str) -> bool:
        """Whether another object of that sort was returned in a state."""
        return any(
            state in split_letters(_read_state(record))
            and (held := get_id_of(record, name=argument.name)) is not None
            and fold_value(held) != fold_value(argument.value)
            for answer in self._answers
            for records in answer.records.values()
            for record in records
        )

    def find_part_titles(self, argument: Argument) -> Mapping[str, set[str]]:
        """By object of that sort, what its parts are called."""
        found: dict[str, set[str]] = {}
        for answer in self._answers:
            read = partial(_find_part_titles, answer.wholes, argument.name)
            key = "titles", id(answer), argument.name
            for whole, titles in recall(self._subject, key, read).items():
                found.setdefault(whole, set()).update(titles)
        return found

    def find_groups(self, argument: Argument) -> Iterator[tuple[Siblings, Found]]:
        """Where an object stood beside others of its sort."""
        wanted = argument.value.casefold()
        for answer in self._answers:
            for group, own in answer.places.get(wanted, ()):
                if _is_meant(own, argument):
                    yield group, own

    def find_titles(self, argument: Argument) -> set[str]:
        """What an object is called, itself or with all of its sort."""
        own = map(get_title_of, self.find_records(argument))
        return {*own, *(group.title for group, _ in self.find_groups(argument))} - {""}

    def find_homes(self, whole: str, part: str) -> Mapping[str, set[str]]:
        """By object that was read with parts, the ids of these."""
        homes: dict[str, set[str]] = {}
        for answer in self._answers:
            read = partial(_find_homes, answer.wholes, whole, part)
            for home, parts in recall(
                self._subject, ("homes", id(answer), whole, part), read
            ).items():
                homes.setdefault(home, set()).update(parts)
        return homes

    def read_attributes(self, record: Found) -> dict[str, str]:
        """The words that a record has under a name, its own and those one level down."""
        key = "attributes", id(record)
        return recall(self._subject, key, partial(_read_attributes, record))

    def is_elsewhere(self, value: str, group: Siblings) -> bool:
        """Whether a word is an attribute of other sorts of things too."""
        return any(
            value in self.read_attributes(member).values()
            for other in self.groups
            if other.title != group.title
            for member in other.members.values()
        )


class _Objects(NamedTuple):
    """What one call returned, by the ids in it."""

    records: Mapping[str, list[Found]]
    keys: Mapping[str, set[str]]
    """By id, the fields that held it."""
    groups: tuple[Siblings, ...]
    places: Mapping[str, list[tuple[Siblings, Found]]]
    """Where an object stood beside others."""
    wholes: Sequence[Found]
    """Objects that may have parts."""


def _index(answer: Returned) -> _Objects:
    groups = tuple(islice(_walk_groups(answer.structure), MOST_GROUPS))
    records: dict[str, list[Found]] = {}
    keys: dict[str, set[str]] = {}
    places: dict[str, list[tuple[Siblings, Found]]] = {}
    wholes = []
    for record in islice(answer.records, MOST_RECORDS):
        ids = _list_ids(record)
        for key, held in ids:
            records.setdefault(held, []).append(record)
            keys.setdefault(held, set()).add(key)
        if ids and any(type(each) in (dict, list) for each in record.values()):
            wholes.append(record)
    for group in groups:
        for held, member in group.members.items():
            places.setdefault(held, []).append((group, member))
    return _Objects(records, keys, groups, places, wholes)


def _list_ids(record: Found) -> list[tuple[str, str]]:
    return [
        (str(key), str(held).casefold())
        for key, held in record.items()
        if (type(held) is str or type(held) is int) and names_id(key)
    ]


@lru_cache(maxsize=4_096)
def names_id(field: object) -> bool:
    """Whether a field holds what a thing is known by."""
    return ends_in(str(field), "kinds", "id") or split_name(str(field))[-1:] == ("key",)


def _walk_groups(structure: object) -> Iterator[Siblings]:
    ahead: list[tuple[Any, str, tuple[object, ...]]] = [(structure, "", ())]
    if type(structure) not in (dict, list):
        return
    for _ in range(MOST_RECORDS):
        if not ahead:
            return
        value, name, around = ahead.pop()
        named = value.items() if isinstance(value, dict) else ((name, e) for e in value)
        held = [(str(key), each) for key, each in named if type(each) in (dict, list)]
        inside = (value, *around[:DEEPEST])
        members: dict[str, Found] = {
            own: each
            for key, each in held
            if isinstance(each, dict) and (own := _find_own_id(each, key, name)) is not None
        }
        members = members if len(members) > 1 else _find_listed(value)
        if members:
            yield Siblings(inside, members)
        ahead += [(each, key, inside) for key, each in held]


def _find_listed(value: object) -> dict[str, Found]:
    """The records of a list by the first id that each has, where no two have the same.

    So a bare list tells what its objects are: nothing that holds it is called after them.
    """
    if not isinstance(value, list) or len(value) < FEWEST_LISTED:
        return {}
    first = value[0]
    key = next(filter(names_id, first), None) if isinstance(first, dict) else None
    if key is None:
        return {}
    members: dict[str, Found] = {
        str(each[key]).casefold(): each
        for each in value
        if isinstance(each, dict) and type(each.get(key)) in (str, int)
    }
    return members if len(members) == len(value) else {}


def _find_own_id(record: Found, key: str, name: str) -> str | None:
    """The id of a record itself: its key, or named after what holds it."""
    for field, held in record.items():
        if type(held) in (str, int) and names_id(field):
            noun = find_noun(str(field))
            if str(held) == key or not noun or noun == find_noun(name):
                return str(held).casefold()
    return None


def _is_meant(record: Found, argument: Argument) -> bool:
    held = get_id_of(record, name=argument.name)
    return held is not None and fold_value(held) == fold_value(argument.value)


def _find_homes(records: Sequence[Found], whole: str, part: str) -> dict[str, set[str]]:
    homes: dict[str, set[str]] = {}
    keys, noun = list_id_keys(part), find_noun(part)
    for record in records if noun else ():
        held = next((record[key] for key in list_id_keys(whole) if key in record), None)
        if not isinstance(held, str | int):
            continue
        for name, value in record.items():
            if type(value) in (list, dict) and find_noun(str(name)) == noun:
                inside = (each for each in _list_inner(value) if isinstance(each, dict))
                ids = {fold_value(str(r[key])) for r in inside for key in keys if r.get(key)}
                homes.setdefault(fold_value(str(held)), set()).update(ids)
    return homes


def _find_part_titles(records: Sequence[Found], whole: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    keys = list_id_keys(whole)
    for record in records:
        held = next((record[key] for key in keys if key in record), None)
        if isinstance(held, str | int):
            inside = (part for value in record.values() for part in _list_inner(value))
            titles = {get_title_of(part) for part in inside if isinstance(part, dict)}
            found.setdefault(fold_value(str(held)), set()).update(titles - {""})
    return found


def _list_inner(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _read_state(record: Found) -> str:
    told = (held for key, held in record.items() if ends_in(str(key), "fields", "state"))
    return next((held for held in told if isinstance(held, str)), "")


def _read_attributes(record: Found) -> dict[str, str]:
    """The words that a record has under a name, its own and those one level down."""
    inner = [each for each in record.values() if isinstance(each, dict)]
    return {
        str(key): held.casefold().replace("_", " ")
        for each in (record, *inner)
        for key, held in each.items()
        if isinstance(held, str)
        and not (ends_in(str(key), "kinds", "id") or ends_in(str(key), "fields", "called"))
        and _NAMING.search(held)
    }


_NAMING = re.compile(r"[^\W\d_]|\d{4}")
"""A word, or figures that only one thing has, such as the last ones of a card."""
