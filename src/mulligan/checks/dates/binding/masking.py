"""Names that hold words of time: game night, Monday review."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import cache
from itertools import islice

from mulligan.checks.language.lexicon import join_words
from mulligan.checks.subject.values import list_records
from mulligan.core.call import Call, Execution
from mulligan.core.display.escape import format_value
from mulligan.core.finding import Fact
from mulligan.core.runtime.dataclass import dataclass

_ID = re.compile(r"(?:^|[_.-])(?:id|uid|uuid|key|number|ID)$|[a-z](?:Id|ID)$")
_FEWEST_WORDS = 2
_LONGEST = 80
"""Characters of a name; what is longer is a text."""
_MOST_RECORDS = 2_000
_MOST = 200
"""Names that are looked for in a message."""


@dataclass(frozen=True, slots=True)
class NamedRecords:
    """What tools returned in a turn: what things are called, and which id is whose."""

    titles: frozenset[str] = frozenset()
    by_id: Mapping[str | int, list[Mapping[str, object]]] = field(default_factory=dict)


def read_known(executions: Iterable[Execution], facts: Iterable[Fact]) -> NamedRecords:
    """All that is told of things in results and facts, read once; of very many, the first."""
    titles: set[str] = set()
    by_id: dict[str | int, list[Mapping[str, object]]] = defaultdict(list)
    records = (r for each in executions if each.result for r in list_records(each.result))
    for record in islice(records, _MOST_RECORDS):
        for name, value in ((format_value(key), value) for key, value in record.items()):
            if isinstance(value, str) and _compile_title().search(name):
                titles.add(" ".join(value.lower().split()))
            elif isinstance(value, str | int) and _ID.search(name):
                by_id[value].append(record)
    for fact in facts:
        if _compile_title().search(fact.kind) and isinstance(fact.value, str):
            titles.add(" ".join(fact.value.lower().split()))
    return NamedRecords(frozenset(titles), by_id)


def find_names(message: str, known: NamedRecords) -> list[str]:
    """What things are called, in several words, where the message says it."""
    lowered = message.lower()
    found = {
        name
        for name in known.titles
        if len(name) <= _LONGEST and len(name.split()) >= _FEWEST_WORDS and name in lowered
    }
    return sorted(found, key=lambda name: (-len(name), name))[:_MOST]


def find_known_records(call: Call, known: NamedRecords) -> list[Mapping[str, object]]:
    """What was returned of the objects that a call names by their ids."""
    given = (value for value in call.arguments.values() if isinstance(value, str | int))
    return [record for value in given for record in known.by_id.get(value, ())]


def is_on_object(call: Call) -> bool:
    """Whether a call is given the id of something: it may be there to change that."""
    return any(_ID.search(name) and value for name, value in call.arguments.items())


@cache
def _compile_title() -> re.Pattern[str]:
    """How a field is called that says what a thing is called."""
    return re.compile(rf"(?:^|[._ ])(?:{join_words('fields', 'called')})$", re.IGNORECASE)
