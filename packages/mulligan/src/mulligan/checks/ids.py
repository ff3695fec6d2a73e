"""Ids: is the form possible, was it built from other values, does the object exist?"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from mulligan.checks.provenance import suggest_id, with_seen
from mulligan.checks.subject import (
    EXISTS,
    Argument,
    Parameters,
    Subject,
    limit_to_parameters,
    list_arguments,
    select_arguments,
)
from mulligan.checks.tool_outputs import (
    as_record,
    list_texts,
)
from mulligan.process.user_functions import await_value
from mulligan.types.call import Call, Outcome
from mulligan.types.finding import Fact, Finding
from mulligan.types.interfaces import Check, Gather
from mulligan.types.turn import Turn
from mulligan_dates.text import split_letters

OBJECT = "object."
"""How the kind of a fact about an object begins; the name of its field follows."""

Read = Callable[[str], object | Awaitable[object]]
"""Reads the object of an id; `None` means that there is none."""


class Form(Struct, frozen=True, kw_only=True):
    """What every id of a provider looks like."""

    name: str
    """With its article, as a sentence needs it."""
    pattern: str
    """The whole id, as a regular expression."""


GOOGLE_CALENDAR = Form(
    name="a Google Calendar event id",
    # Base32hex, 5 to 1024 characters; an imported event begins with an underscore, and an
    # instance of a series ends with the time it was first meant for.
    pattern=r"_?[a-v0-9]{5,1024}(_R?\d{8}(T\d{6}Z?)?)*",
)
MICROSOFT_GRAPH = Form(name="a Microsoft Graph id", pattern=r"[A-Za-z0-9_\-+/]{40,}={0,2}")
UUID = Form(name="a UUID", pattern=r"(?i)[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}")
EMAIL = Form(name="an e-mail address", pattern=r"[^@\s<>]+@[^@\s<>]+")
"""An address is an id too: that of a mailbox."""

_DATE = re.compile(r"(?<!\d)(19|20)\d\d[-_]?(0[1-9]|1[0-2])[-_]?(0[1-9]|[12]\d|3[01])(?!\d)")


def well_formed(form: Form, parameters: Parameters) -> Check[Subject]:
    """Flag an id that this provider can never have issued."""
    whole = re.compile(form.pattern)

    @limit_to_parameters(parameters)
    def check(subject: Subject) -> Iterator[Finding]:
        for argument in select_arguments(subject, parameters):
            if not whole.fullmatch(argument.value):
                yield argument.build_finding(
                    "id.impossible",
                    issue=f"which cannot be {form.name}.",
                    correction=f"Look it up, and give {argument.label} as the tool returned it.",
                )

    return check


def not_glued(parameters: Parameters) -> Check[Subject]:
    """Flag an id built from words and dates of the request, unless it was seen before.

    Some systems do have such ids, and then a tool has returned it.
    """

    @limit_to_parameters(parameters)
    def check(subject: Subject) -> Iterator[Finding]:
        for execution, seen in with_seen(subject):
            for argument in list_arguments(execution, parameters.get(execution.call.tool, ())):
                glue = _find_glue(argument, subject.turn)
                if glue and not seen.was_met(argument.value):
                    look_up = f"Look it up: {argument.label} is never built from other values."
                    yield argument.build_finding(
                        "id.glued",
                        issue=f"which is built from {glue!r}.",
                        correction=suggest_id(argument, subject) or look_up,
                    )

    return check


def _find_glue(argument: Argument, turn: Turn) -> str | None:
    """The date or the word of the request that an id has in it."""
    if dated := _DATE.search(argument.value):
        return dated.group()
    others = {k: v for k, v in argument.execution.call.arguments.items() if k != argument.name}
    spoken = split_letters(" ".join((turn.message, *list_texts(others))), shortest=4)
    inside = argument.value.casefold()
    return next((word for word in spoken if word in inside and word != inside), None)


def ids_read(parameters: Parameters, *, read: Read, fields: Iterable[str] = ()) -> Gather:
    """Read each object that a call names: whether it exists, and what these fields hold.

    A reader that fails gives no fact. It must show what was there *before* the calls, as a
    snapshot does: after a delete the object is gone, and that is correct.
    """
    wanted = tuple(fields)

    async def gather(_turn: Turn, calls: Sequence[Call]) -> Iterable[Fact]:
        facts: list[Fact] = []
        for value in dict.fromkeys(list_ids(calls, parameters)):
            try:
                found = await await_value(read(value))
            except Exception:  # noqa: BLE001, S112 - a reader that fails gives no fact
                continue
            facts.extend(_build_facts(value, found, wanted))
        return facts

    return gather


def list_ids(calls: Iterable[Call], parameters: Parameters) -> Iterator[str]:
    """The ids that calls were given, in order."""
    for call in calls:
        for name in parameters.get(call.tool, ()):
            yield from list_texts(call.arguments.get(name))


def _build_facts(value: str, found: object, wanted: Iterable[str]) -> Iterator[Fact]:
    there = found is not None
    yield Fact(
        kind=EXISTS,
        subject=value,
        value="yes" if there else "no",
        about=f"There is {'an' if there else 'no'} object with the id {value!r}.",
    )
    record: Mapping[str, object] = as_record(found)
    for name in wanted:
        if record.get(name) is not None:
            held = str(record[name])
            about = f"{name} of {value!r} is {held!r}."
            yield Fact(kind=f"{OBJECT}{name}", subject=value, value=held, about=about)


def exists(parameters: Parameters) -> Check[Subject]:
    """Flag a call about to act on an object that does not exist, as `ids_read` found.

    A call that has run is left alone: the reader may have run after it.
    """

    @limit_to_parameters(parameters)
    def check(subject: Subject) -> Iterator[Finding]:
        missing = {f.subject for f in subject.facts if f.kind == EXISTS and f.value == "no"}
        for argument in select_arguments(subject, parameters):
            if argument.value in missing and argument.execution.outcome is Outcome.UNKNOWN:
                yield argument.build_finding(
                    "id.unknown",
                    issue="and there is no such object.",
                    correction=f"Look {argument.label} up first.",
                )

    return check
