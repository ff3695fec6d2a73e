"""Everything said and everything returned before a call, and where a value of it came from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from mulligan.checks.returned.records import get_id_of
from mulligan.checks.returned.structure import read_structure
from mulligan.checks.subject.mailboxes import find_addresses
from mulligan.checks.subject.subject import (
    Heard,
    Subject,
    find_agreed,
    fold_answer,
    hear_said,
    list_given,
    list_spellings,
)
from mulligan.checks.subject.values import list_records, list_texts
from mulligan.core.call import Execution, Outcome


class ValueOrigin(StrEnum):
    """Where a value was before a call had it."""

    SAID = "said"
    """By the person, or the application knew it."""
    FIELD = "field"
    """A tool returned it, in a field of its own."""
    CONTENT = "content"
    """It stood in a text that a tool returned or the agent was given, and whoever wrote that put it
    there."""
    AGREED = "agreed"
    """The agent showed it, and the person said yes to that."""
    NOWHERE = "nowhere"


class Returned(NamedTuple):
    """What one call returned, read once, and what it was given."""

    structure: object
    fields: frozenset[str]
    records: tuple[Mapping[str, object], ...]
    given: Mapping[str, object]
    """What it may only have repeated."""
    echoed: Heard
    """The same, to look a value up in."""


class SeenValues:
    """What could be known right before a call was made."""

    def __init__(self, subject: Subject) -> None:
        self.said = hear_said(subject)
        self.agreed = Heard(find_agreed(subject.turn))
        self.returned = Heard(subject.turn.history.instructions)
        self.answers: list[Returned] = []
        self._subject = subject

    def add(self, execution: Execution) -> None:
        """A call has come back: its result, or an error that may name the right value."""
        self.returned.add_answer(fold_answer(self._subject, execution))
        if not (execution.failure and execution.failure.error):
            self.answers.append(self._read(execution))

    def _read(self, execution: Execution) -> Returned:
        memo: dict[object, Returned] = getattr(self._subject, "memo", {})
        key = "returned", id(execution)
        if key not in memo:
            structure = read_structure(execution.result)
            memo[key] = Returned(
                structure,
                frozenset(fold_value(each) for each in list_texts(structure)),
                tuple(list_records(structure)),
                given := list_given(execution),
                Heard(list(given.values())),
            )
        return memo[key]

    def find_origin(self, value: str) -> ValueOrigin:
        """Where a value was first met, the best of its origins."""
        if _has_heard(self.said, value):
            return ValueOrigin.SAID
        if self._is_in_field(value):
            return ValueOrigin.FIELD
        if _has_heard(self.returned, value):
            return ValueOrigin.CONTENT
        return ValueOrigin.AGREED if _has_heard(self.agreed, value) else ValueOrigin.NOWHERE

    def has_word(self, word: str) -> bool:
        """Whether a word was said or returned anywhere."""
        return word in self.said or word in self.returned or word in self.agreed

    def was_returned(self, words: str) -> bool:
        """Whether some words stood anywhere in what tools returned."""
        return words in self.returned

    def has_written(self, value: str) -> bool:
        """Whether a value was met in another spacing: `GB29 NWBK …`, `+49-30-…`."""
        heard = (self.said, self.returned, self.agreed)
        return any(each.has_squeezed(value) for each in heard)

    def list_records(self) -> Iterator[Mapping[str, object]]:
        """Every record that was returned."""
        return (record for answer in self.answers for record in answer.records)

    def find_record(self, value: str, *, name: str) -> Mapping[str, object]:
        """What was last returned of the object that an id names; empty where nothing was."""
        known: dict[str, object] = {}
        for record in self.list_records():
            held = get_id_of(record, name=name)
            if held is not None and fold_value(held) == fold_value(value):
                known.update(record)
        return known

    def _is_in_field(self, value: str) -> bool:
        """Whether a call that was not given it returned it in a field, or in a list of addresses
        that a field holds."""
        folded, wanted = fold_value(value), value.casefold()
        return any(
            (folded in answer.fields or ("@" in value and _is_listed(wanted, answer.fields)))
            and not _has_heard(answer.echoed, value)
            for answer in self.answers
        )


def _is_listed(wanted: str, fields: Iterable[str]) -> bool:
    return any(
        wanted == address.casefold()
        for field in fields
        if wanted in field
        for address in find_addresses(field, name="")
    )


def with_seen(subject: Subject) -> Iterator[tuple[Execution, SeenValues]]:
    """Each call that may have changed something, with what was seen before it was made."""
    seen = SeenValues(subject)
    for execution in subject.earlier:
        seen.add(execution)
    for execution in subject.executions:
        if execution.outcome is not Outcome.FAILURE:
            yield execution, seen
        seen.add(execution)


def fold_value(value: str) -> str:
    """A value as it is compared: without case, a link's scheme, or a whole number's `.0`."""
    return list_spellings(value.strip())[-1].removeprefix("www.").rstrip("/")


def _has_heard(heard: Heard, value: str) -> bool:
    return heard.has_address(value) if "@" in value else value in heard
