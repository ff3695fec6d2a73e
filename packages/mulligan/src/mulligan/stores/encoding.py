"""Words of the journal, the log and the failure store as tables hold them, and back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from msgspec import Struct

from mulligan.codec import (
    UndecodableError,
    decode_json,
    decode_record,
    encode_json,
    encode_record,
    encode_sorted,
    to_record,
)
from mulligan.stores.database import UnreadableError
from mulligan.types.action import SETTLED, Action, Entry, Opening, State
from mulligan.types.call import LogRow
from mulligan.types.display import escape
from mulligan.types.errors import ConfigurationError, JournalError, StoreError
from mulligan.types.failure import ErrorClass
from mulligan.types.interfaces import KnownTool
from mulligan.types.lesson import Episode, Lesson, Pattern, Use, read_error_rules
from mulligan.types.log import PatternCount, PatternSeen
from mulligan.types.values import from_us, to_us
from mulligan_dates.text import split_words


def decode_log_row(row: Sequence[Any]) -> LogRow:
    """A row of the log; columns that a later version has added come last, and are left out."""
    return LogRow._make(row[: len(LogRow._fields)])


class EncodedEntry(Struct, frozen=True, kw_only=True):
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


class _Body(Struct, frozen=True, kw_only=True):
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
    """An action's state and version, from its row's columns; none when it has no row."""
    if row is None:
        return None, 0
    with report_unreadable(f"Action {action}"):
        return State(row[0]), row[1]


def read_row(kind: type[S], row: Sequence[Any], *, what: str, **more: Any) -> S:
    """A record from columns in the order of its fields; `what` it is, where it makes no sense."""
    with report_unreadable(what):
        names = (name for name in kind.__struct_fields__ if name not in more)
        return to_record(kind, dict(zip(names, row, strict=False)) | more)


def encode_tool(tool: KnownTool) -> str:
    """A declared tool as JSON."""
    return encode_record(tool, otherwise=str)


def decode_tool(text: str) -> KnownTool:
    """A declared tool from its JSON; what only a later Mulligan understands is left aside."""
    with report_unreadable("A declared tool"):
        content = decode_json(text)
        rules = [rule for rule in content.get("error_rules", ()) if _is_rule(rule)]
        earlier = {"callbacks": content.pop("abilities", ())}  # as earlier versions have written it
        return to_record(KnownTool, earlier | content | {"error_rules": rules})


def _is_rule(given: object) -> bool:
    try:
        return bool(read_error_rules([given]))
    except ConfigurationError:
        # It is for whoever wrote it, and no damage.
        return False


@contextmanager
def report_unreadable(what: str) -> Iterator[None]:
    """Turn every decoding error in here into one that says the store is damaged."""
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


W = TypeVar("W", Episode, Lesson, Use)
S = TypeVar("S", bound=Struct)

_LONGEST = 64
"""What is longer is no word, and an index has no room for it."""


def encode_word(word: Episode | Lesson | Use) -> str:
    """A word of the failure store as JSON, or one sentence on why it cannot be kept."""
    try:
        return encode_record(word)
    except (TypeError, ValueError) as error:
        raise StoreError(
            f"{_describe_word(word)} cannot be kept, because it is not JSON ({error}): give "
            "transformations strings, numbers, lists and mappings."
        ) from error


def decode_word(kind: type[W], row: tuple[str, str]) -> W:
    """A word of the failure store from its id, of a use that of its lesson, and its body."""
    name = "A use of lesson" if issubclass(kind, Use) else kind.__name__
    with report_unreadable(f"{name} {row[0]}"):
        return decode_record(kind, row[1])


def index_words(text: str) -> frozenset[str]:
    """The words that texts are compared by; names are taken apart at their underscores."""
    return frozenset(word for word in split_words(escape(text)) if len(word) <= _LONGEST)


def list_lesson_words(lesson: Lesson) -> frozenset[str]:
    """What a lesson is found by."""
    said = (lesson.tool, lesson.when, lesson.statement, lesson.mistake, lesson.correction)
    return index_words(" ".join(said))


def _describe_word(word: Episode | Lesson | Use) -> str:
    match word:
        case Episode():
            return f"Episode {word.id}"
        case Lesson():
            return f"Version {word.version} of lesson {word.id}"
        case Use():
            return f"The use of lesson {word.lesson} in call {word.call}"


def build_pattern(
    tool: str, fingerprint: str, *, counted: PatternCount, agents: Iterable[str]
) -> PatternSeen:
    """A pattern with its counts, and the agents that met it."""
    with report_unreadable(f"What is known of failures of {tool}"):
        return PatternSeen(
            pattern=Pattern(
                fingerprint=fingerprint,
                tool=tool,
                error_class=ErrorClass(counted.error_class),
                template=counted.template,
                count=int(counted.failures),
            ),
            first_at=from_us(counted.first_us),
            last_at=from_us(counted.last_us),
            agents=tuple(sorted({agent for agent in agents if agent})),
            example=counted.example,
        )


def dump_counts(counts: Mapping[int, float]) -> str:
    """The column's text."""
    return encode_json(counts).decode()


def load_counts(text: str) -> dict[int, float]:
    """The counts in a column, or in several that are joined by commas."""
    return {int(bucket): calls for bucket, calls in _sum(text).items()}


def add_counts(*columns: Any) -> str:
    """Columns added up, bucket by bucket: how SQLite updates a roll-up."""
    return encode_json(_sum(",".join(columns))).decode()


def _sum(text: str) -> dict[str, float]:
    total: defaultdict[str, float] = defaultdict(float)
    for each in decode_json(f"[{text}]"):
        for bucket, calls in each.items():
            total[bucket] += calls
    return total
