"""Names that hold words of time: game night, Monday review."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from mulligan.checks.values import list_records
from mulligan.core.call import Call, Execution
from mulligan.core.finding import Fact

_TITLE = re.compile(r"(?:^|[._ ])(?:title|name|summary|subject|label|topic)$", re.IGNORECASE)
"""How a field is called that says what a thing is called."""
_ID = re.compile(r"(?:^|[_.-])(?:id|uid|uuid|key|number|ID)$|[a-z](?:Id|ID)$")
_LETTER = re.compile(r"\w")
_FEWEST_WORDS = 2
_LONGEST = 80
"""Characters of a name; what is longer is a text."""
_MOST = 200
"""Names that are looked for in a message."""


def mask_names(message: str, names: Collection[str]) -> str:
    """The message with every such name made unreadable, character by character."""
    for name in names:
        whole = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
        message = whole.sub(lambda found: _LETTER.sub("x", found.group()), message)
    return message


def find_names(message: str, executions: Iterable[Execution], facts: Iterable[Fact]) -> list[str]:
    """What things that tools returned are called, in several words, where the message says it."""
    lowered = message.lower()
    found = {
        name
        for name in (*_list_titles(executions), *_list_told(facts))
        if len(name.split()) >= _FEWEST_WORDS and len(name) <= _LONGEST and name in lowered
    }
    return sorted(found, key=lambda name: (-len(name), name))[:_MOST]


def find_known_records(call: Call, executions: Iterable[Execution]) -> list[Mapping[str, object]]:
    """What tools returned of the objects that a call names by their ids."""
    named = {value for value in call.arguments.values() if isinstance(value, str | int)}
    return [
        record
        for execution in executions
        if execution.call is not call
        for record in list_records(execution.result)
        if any(_ID.search(str(key)) and held in named for key, held in _list_plain(record))
    ]


def names_object(call: Call) -> bool:
    """Whether a call is given the id of something: it may be there to change that."""
    return any(_ID.search(name) and value for name, value in call.arguments.items())


def _list_plain(record: Mapping[str, object]) -> Iterator[tuple[str, str | int]]:
    return ((k, v) for k, v in record.items() if isinstance(v, str | int) and v not in ("", None))


def _list_titles(executions: Iterable[Execution]) -> Iterator[str]:
    for execution in executions:
        for record in list_records(execution.result):
            for key, value in record.items():
                if isinstance(value, str) and _TITLE.search(str(key)):
                    yield " ".join(value.lower().split())


def _list_told(facts: Iterable[Fact]) -> Iterator[str]:
    for fact in facts:
        if _TITLE.search(fact.kind) and isinstance(fact.value, str):
            yield " ".join(fact.value.lower().split())
