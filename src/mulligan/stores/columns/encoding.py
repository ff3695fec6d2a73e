"""Words of the journal as the tables hold them, and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

from mulligan.codec.json_text import decode_json, encode_sorted
from mulligan.codec.records import UndecodableError, decode_record, encode_record, to_record
from mulligan.core.action import SETTLED, Action, Entry, Opening, State
from mulligan.core.call import LogRow
from mulligan.core.errors import ConfigurationError, JournalError
from mulligan.core.failures.suggestion import ErrorRule, read_error_rules
from mulligan.core.interfaces import KnownTool
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.storage.instants import from_us, to_us
from mulligan.stores.database.driver import UnreadableError


def decode_log_row(row: Sequence[Any]) -> LogRow:
    """A row of the log; columns that a later version has added come last, and are left out."""
    return LogRow._make(row[: len(LogRow._fields)])


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Body:
    opening: Opening | None
    detail: Mapping[str, object]


def encode_entry(entry: Entry) -> EncodedEntry:
    """Encode an entry, or say in a `JournalError` why it cannot be kept."""
    opening = None if entry.opening is None else _encode(entry.opening, entry=entry)
    detail = _encode(dict(entry.detail), entry=entry)
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
        content = decode_record(_Body, body)
        return Entry(
            action=action,
            state=State(state),
            at=from_us(at_us),
            version=version,
            detail=content.detail,
            opening=content.opening,
        )


def decode_action(row: tuple[Any, ...]) -> Action:
    """An action from the columns of the query `action`."""
    action, opening, state, version, opened_us, changed_us, detail, writer = row
    with report_unreadable(f"Action {action}"):
        return Action(
            id=action,
            opening=decode_record(Opening, opening),
            state=State(state),
            version=version,
            opened_at=from_us(opened_us),
            changed_at=from_us(changed_us),
            writer=writer or "",
            detail=decode_json(detail),
        )


def decode_standing(action: str, row: tuple[Any, ...] | None) -> tuple[State | None, int]:
    """Where an action stands, from the columns state, version; nowhere when it has no row."""
    if row is None:
        return None, 0
    with report_unreadable(f"Action {action}"):
        return State(row[0]), row[1]


def encode_tool(tool: KnownTool) -> str:
    """A declared tool as JSON, with nothing for which an earlier Mulligan would drop a rule."""
    told = {each.name: getattr(tool, each.name) for each in fields(tool)}
    told["error_rules"] = [_encode_rule(rule) for rule in tool.error_rules]
    return encode_record(told, otherwise=str)


def _encode_rule(rule: ErrorRule) -> dict[str, object]:
    told = {each.name: getattr(rule, each.name) for each in fields(rule)}
    return {name: value for name, value in told.items() if (name, value) != ("nothing_done", False)}


def decode_tool(text: str) -> KnownTool:
    """A declared tool from its JSON; what only a later Mulligan understands is left aside."""
    with report_unreadable("A declared tool"):
        content = decode_json(text)
        rules = [rule for rule in content.get("error_rules", ()) if _is_rule(rule)]
        return to_record(KnownTool, content | {"error_rules": rules})


def _is_rule(given: object) -> bool:
    try:
        return bool(read_error_rules([given]))
    except ConfigurationError:
        # It is for whoever wrote it, and no damage.
        return False


@contextmanager
def report_unreadable(what: str) -> Iterator[None]:
    """Say of whatever cannot be made sense of in here that the store is damaged."""
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
        why = str(error) if isinstance(error, UndecodableError) else type(error).__name__
        raise UnreadableError(
            f"{what} cannot be read, because the store is damaged ({why}): see "
            "what is left with `mulligan doctor`, or restore the store from a backup."
        ) from error


def _encode(content: object, *, entry: Entry) -> str:
    # Lone surrogates and huge integers too: the journal does not refuse an effect for those.
    try:
        return encode_sorted(content).decode()
    except (TypeError, ValueError) as error:
        raise JournalError(
            f"The entry {entry.state} of action {entry.action} cannot be kept, because its detail "
            f"is not JSON ({error}): pass strings, numbers, lists and mappings."
        ) from error
