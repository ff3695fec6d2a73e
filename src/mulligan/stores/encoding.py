"""Words of the journal as the tables hold them, and back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from typing import Any

import orjson

from mulligan.core.action import SETTLED, Action, Entry, Opening, State
from mulligan.core.effect import Effect, Repeat
from mulligan.core.errors import ConfigurationError, JournalError
from mulligan.core.instants import from_us, to_us
from mulligan.core.interfaces import KnownTool
from mulligan.core.suggestion import ErrorRule, read_error_rules
from mulligan.stores.driver import UnreadableError

_OPENING_FIELDS = tuple(field.name for field in fields(Opening))


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodedEntry:
    """An entry made ready on the caller's thread, so that the writing thread only writes."""

    entry: Entry
    at_us: int
    opening: str | None
    detail: str
    body: str
    """What the chain protects besides the columns: opening and detail in one JSON text."""

    @property
    def settles(self) -> bool:
        """Whether nothing more is owed after this entry."""
        return self.entry.state in SETTLED


def encode_entry(entry: Entry) -> EncodedEntry:
    """Encode an entry, or say in a `JournalError` why it cannot be kept."""
    opening = None if entry.opening is None else _dump(_encode_opening(entry.opening), entry=entry)
    detail = _dump(dict(entry.detail), entry=entry)
    return EncodedEntry(
        entry=entry,
        at_us=to_us(entry.at, name="The time of an entry"),
        opening=opening,
        detail=detail,
        body=f'{{"opening":{opening or "null"},"detail":{detail}}}',
    )


def decode_entry(row: tuple[Any, ...]) -> Entry:
    """An entry as it was submitted, from the columns action, version, state, at_us, body."""
    action, version, state, at_us, body = row
    with report_unreadable(f"Entry {version} of action {action}"):
        content = load(body)
        opening = content["opening"]
        return Entry(
            action=action,
            state=State(state),
            at=from_us(at_us),
            version=version,
            detail=content["detail"],
            opening=None if opening is None else decode_opening(opening),
        )


def decode_action(row: tuple[Any, ...]) -> Action:
    """An action from the columns of the query `action`."""
    action, opening, state, version, opened_us, changed_us, detail, writer = row
    with report_unreadable(f"Action {action}"):
        return Action(
            id=action,
            opening=decode_opening(load(opening)),
            state=State(state),
            version=version,
            opened_at=from_us(opened_us),
            changed_at=from_us(changed_us),
            writer=writer or "",
            detail=load(detail),
        )


def decode_standing(action: str, row: tuple[Any, ...] | None) -> tuple[State | None, int]:
    """Where an action stands, from the columns state, version; nowhere when it has no row."""
    if row is None:
        return None, 0
    with report_unreadable(f"Action {action}"):
        return State(row[0]), row[1]


def decode_opening(content: Mapping[str, Any]) -> Opening:
    """An opening from its JSON; fields of a later Mulligan are left aside."""
    known = {name: content[name] for name in _OPENING_FIELDS if name in content}
    known["effect"] = Effect(known["effect"])
    known["repeat"] = Repeat(known["repeat"])
    return Opening(**known)


def encode_tool(tool: KnownTool) -> str:
    """A declared tool as JSON."""
    about = {each.name: getattr(tool, each.name) for each in fields(tool)}
    about["error_rules"] = [asdict(rule) for rule in tool.error_rules]
    return json.dumps(about, default=str)


def decode_tool(text: str) -> KnownTool:
    """A declared tool from its JSON; fields of a later Mulligan are left aside."""
    with report_unreadable("A declared tool"):
        content = load(text)
        names = [each.name for each in fields(KnownTool) if each.name in content]
        found = {name: content[name] for name in names}
        lists = {name: tuple(found.get(name, ())) for name in ("abilities", "promises")}
        rules = {"error_rules": tuple(_decode_error_rules(found.get("error_rules", ())))}
        return KnownTool(**(found | lists | rules))


def _decode_error_rules(given: list[object]) -> Iterator[ErrorRule]:
    """Rules for errors; those that only a later Mulligan understands are left aside."""
    for each in given:
        with suppress(ConfigurationError):  # it is for whoever wrote it, and no damage
            yield from read_error_rules([each])


def load(text: str) -> Any:
    """JSON, also with the lone surrogates that only the standard library takes."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return json.loads(text)


@contextmanager
def report_unreadable(what: str) -> Iterator[None]:
    """Say of whatever cannot be made sense of in here that the store is damaged."""
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
        raise UnreadableError(
            f"{what} cannot be read, because the store is damaged ({type(error).__name__}): see "
            "what is left with `mulligan doctor`, or restore the store from a backup."
        ) from error


def _encode_opening(opening: Opening) -> dict[str, object]:
    return {name: getattr(opening, name) for name in _OPENING_FIELDS}


def _dump(content: Mapping[str, object], *, entry: Entry) -> str:
    try:
        return orjson.dumps(content, option=orjson.OPT_SORT_KEYS).decode()
    except TypeError:
        return _dump_slowly(content, entry=entry)


def _dump_slowly(content: Mapping[str, object], *, entry: Entry) -> str:
    """Lone surrogates and huge integers: the journal does not refuse an effect for those."""
    try:
        return json.dumps(content, sort_keys=True, separators=(",", ":"))
    except (TypeError, ValueError) as error:
        raise JournalError(
            f"The entry {entry.state} of action {entry.action} cannot be kept, because its detail "
            f"is not JSON ({error}): pass strings, numbers, lists and mappings."
        ) from error
