"""Calls that will fail, noticed before they are made: by their shape and by what is known."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from mulligan.core.finding import Finding, Severity
from mulligan.core.lesson import Planned
from mulligan.learning.closeness import fold, tokens
from mulligan.learning.from_turn import points
from mulligan.learning.knowledge import Knowledge, records_of, structure_of
from mulligan.learning.leaves import Path, is_small, key_of, leaves
from mulligan.learning.shape.schema import schema_of

MOST_ARGUMENTS = 200
SHORTEST_ID = 4
AVAILABLE = frozenset({"available", "in_stock", "instock", "enabled", "active", "exists", "valid"})
STATE = frozenset({"status", "state"})
IDENTITY = frozenset({"id", "ids", "uuid", "number", "key"})
BALANCE = frozenset({"amount", "balance", "remaining", "available"})
PEOPLE = frozenset(
    {"first", "last", "full", "given", "family", "sur", "person", "customer", "user"}
)
PLACEHOLDERS = frozenset(
    {"unknown", "none", "null", "na", "tbd", "todo", "placeholder", "example", "test", "missing"}
    | {
        "notprovided",
        "notspecified",
        "undefined",
        "xxx",
        "xxxx",
        "johndoe",
        "janedoe",
        "foo",
        "bar",
    }
)
_PLACEHOLDER = re.compile(
    r"<[^<>]+>|\{[^{}]+\}|your[_ -]\w+|(?:some|any)[_ -]\w+|0{4,}", re.IGNORECASE
)
NEW = frozenset({"new", "next", "replacement", "target"})


def precheck(planned: Planned) -> list[Finding]:
    """Why a call will fail, one finding for each reason; empty when nothing speaks against it."""
    known = Knowledge(planned.said, planned.earlier)
    return [finding for rule in RULES for finding in rule(planned, known)]


def _finding(rule: str, issue: str, correction: str) -> Finding:
    return Finding(rule=rule, severity=Severity.ERROR, issue=issue, correction=correction)


def _unknown_tool(planned: Planned, known: Knowledge) -> Iterator[Finding]:  # noqa: ARG001
    if planned.tools and planned.call.tool not in planned.tools:
        issue = f"There is no tool {planned.call.tool!r}."
        yield _finding("call.unknown_tool", issue, "Call one of the tools there are.")


def _shape(planned: Planned, known: Knowledge) -> Iterator[Finding]:  # noqa: ARG001
    if not planned.schema or not is_small(planned.call.arguments, parts=50_000, text=10**8):
        return
    schema = schema_of(planned.schema, tool=planned.call.tool)
    for problem in schema.problems(planned.call.arguments)[:5]:
        where = ".".join(map(str, problem.path)) or "arguments"
        yield _finding("call.shape", f"{where}: {problem.message}", "Bring it into the schema.")


def _failed_before(planned: Planned, known: Knowledge) -> Iterator[Finding]:  # noqa: ARG001
    """The identical call failed and nothing but reading has happened since."""
    for made in reversed(planned.earlier):
        if made.tool == planned.call.tool and dict(made.arguments) == dict(planned.call.arguments):
            if made.failed:
                issue = f"The same call of {made.tool} failed earlier in this turn."
                yield _finding("call.failed_before", issue, "Change something before trying again.")
            return


def _never_seen(planned: Planned, known: Knowledge) -> Iterator[Finding]:
    """An identifier that nobody mentioned and no call brought: it is made up.

    A result that breaks off may have held it, and then nobody can say.
    """
    if known.incomplete:
        return
    for path, value in leaves(planned.call.arguments, most=MOST_ARGUMENTS):
        if _is_identifier(path, value) and not _seen(str(value), known):
            issue = f"{key_of(path)} {str(value)[:60]!r} was never mentioned in this turn."
            yield _finding("call.id_never_seen", issue, "Look it up or ask for it.")


def _is_identifier(path: Path, value: object) -> bool:
    if not isinstance(value, str) or not points(key_of(path)) or len(fold(value)) < SHORTEST_ID:
        return False
    named = {"name"} & set(tokens(key_of(path))) and PEOPLE & set(tokens(key_of(path)))
    coded = " " not in value.strip() and any(sign.isdigit() or sign == "@" for sign in value)
    return coded or bool(named)


def _seen(value: str, known: Knowledge) -> bool:
    """Whether all of it was: several identifiers may stand in one text."""
    pieces = [piece for piece in re.split(r"[\s,;\[\]\"']+", value) if fold(piece)]
    return known.was_seen(value) or all(known.was_seen(piece) for piece in pieces)


def _placeholder(planned: Planned, known: Knowledge) -> Iterator[Finding]:
    """A word that stands where a value should be."""
    for path, value in leaves(planned.call.arguments, most=MOST_ARGUMENTS):
        if not isinstance(value, str) or not points(key_of(path)) or known.was_said(value):
            continue
        empty = not fold(value) or (path[-1] != key_of(path) and not value.strip())
        if empty or fold(value) in PLACEHOLDERS or _PLACEHOLDER.fullmatch(value.strip()):
            issue = f"{key_of(path)} is {value[:60]!r}, which stands for a value and is none."
            yield _finding("call.placeholder", issue, "Look the value up or ask for it.")


def _wrong_state(planned: Planned, known: Knowledge) -> Iterator[Finding]:  # noqa: ARG001
    """The tool's name asks for a state (`cancel_pending_order`) that the thing is not in."""
    for path, value in leaves(planned.call.arguments, most=MOST_ARGUMENTS):
        key = key_of(path)
        wanted = _state_named(planned.call.tool, key) if isinstance(value, str) else None
        state = _last_state(planned, key, str(value)) if wanted else None
        if wanted and state and wanted not in tokens(state):
            issue = f"{str(value)[:60]!r} is {state}; {planned.call.tool} is for {wanted} ones."
            yield _finding(
                "call.wrong_state", issue, "Use the tool for that state, or tell the person."
            )


def _state_named(tool: str, key: str) -> str | None:
    """The participle before a thing in a tool's name: `pending` for `order_id` in the above."""
    things = set(tokens(key)) - IDENTITY if IDENTITY & set(tokens(key)) else set()
    words = tokens(tool)
    for word, thing in pairwise(words[1:]):
        if thing in things and len(word) > 5 and word.endswith(("ed", "ing")):
            return word
    return None


def _last_state(planned: Planned, key: str, name: str) -> str | None:
    """The state that the newest record of this very thing holds."""
    for made in reversed(planned.earlier):
        if made.failed:
            continue
        for record in records_of(structure_of(made.result), name):
            own = record.get(key) == name or record.get("id") == name
            state = next((v for k, v in record.items() if k.casefold() in STATE), None)
            if own and isinstance(state, str):
                return state
    return None


def _unavailable(planned: Planned, known: Knowledge) -> Iterator[Finding]:  # noqa: ARG001
    """Something wanted anew that a result of this turn calls unavailable."""
    for path, value in leaves(planned.call.arguments, most=MOST_ARGUMENTS):
        if not isinstance(value, str) or not NEW & set(tokens(key_of(path))):
            continue
        for made in reversed(planned.earlier):
            records = [] if made.failed else list(records_of(structure_of(made.result), value))
            if any(_says_no(record) for record in records):
                issue = f"{key_of(path)} {value[:60]!r} is not available."
                yield _finding("call.unavailable", issue, "Choose one that is.")
            if records:
                break


def _says_no(record: object) -> bool:
    held = record.items() if isinstance(record, dict) else ()
    return any(str(key).casefold() in AVAILABLE and value is False for key, value in held)


def _lists_differ(planned: Planned, known: Knowledge) -> Iterator[Finding]:  # noqa: ARG001
    """`things` and `new_things` are pairs: as many of one as of the other."""
    arguments = planned.call.arguments
    for name, value in arguments.items():
        other = arguments.get(f"new_{name}")
        if isinstance(value, list) and isinstance(other, list) and len(value) != len(other):
            issue = f"{name} has {len(value)} items, new_{name} {len(other)}."
            yield _finding("call.lists_differ", issue, "Give one new item for each old one.")


def _exceeds(planned: Planned, known: Knowledge) -> Iterator[Finding]:  # noqa: ARG001
    """More is to be taken from something than the newest record of it holds."""
    for part in _objects(planned.call.arguments):
        amount = next((v for k, v in part.items() if {"amount"} & set(tokens(k))), None)
        names = [v for k, v in part.items() if points(k) and isinstance(v, str)]
        if not isinstance(amount, int | float) or isinstance(amount, bool):
            continue
        for name in names:
            held = _last_balance(planned, name)
            if held is not None and amount > held:
                issue = f"{amount} is to come from {name[:60]!r}, which holds {held}."
                yield _finding("call.exceeds", issue, "Take less of it, and the rest elsewhere.")


def _objects(value: object) -> Iterator[dict[str, object]]:
    waiting = [value]
    while waiting:
        held = waiting.pop()
        if isinstance(held, dict):
            yield held
            waiting.extend(held.values())
        elif isinstance(held, list):
            waiting.extend(held[:MOST_ARGUMENTS])


def _last_balance(planned: Planned, name: str) -> float | None:
    for made in reversed(planned.earlier):
        for record in () if made.failed else records_of(structure_of(made.result), name):
            for key, value in record.items():
                number = isinstance(value, int | float) and not isinstance(value, bool)
                own = name in (record.get("id"), record.get("number"))
                if own and number and BALANCE & set(tokens(key)) and isinstance(value, int | float):
                    return value
    return None


Rule = Callable[[Planned, Knowledge], Iterator[Finding]]
RULES: tuple[Rule, ...] = (
    _unknown_tool,
    _shape,
    _failed_before,
    _never_seen,
    _placeholder,
    _wrong_state,
    _unavailable,
    _lists_differ,
    _exceeds,
)
