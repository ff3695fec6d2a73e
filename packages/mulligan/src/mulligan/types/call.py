"""A tool invocation, its result, its row in the log, and the record its undo functions get."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypedDict, cast

from msgspec import Struct, field

from mulligan.types.effect import Mode
from mulligan.types.failure import ErrorClass
from mulligan.types.values import hide_fields, set_enums

OWN = "(mulligan)"
"""The server of rows that tell steps of our own loops. They are no calls of any tool."""

DERIVED = "derived: "
"""How a context begins that was not given: it was put together from what is known of the turn."""

ToolFunction = Callable[..., Any]
"""A tool as its author writes it: any function, sync or async."""


class Outcome(StrEnum):
    """The result of a call."""

    SUCCESS = "success"
    FAILURE = "failure"
    UNKNOWN = "unknown"
    """It may or may not have landed: a timeout, a reset, a death."""
    CANCELLED = "cancelled"


@hide_fields("arguments")
class Call(Struct, frozen=True, kw_only=True):
    """One tool invocation: which tool, with what, by whom, and what for."""

    id: str
    tool: str
    server: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """Raw. They never reach the log like this."""
    agent: str = ""
    context: str = ""
    tenant: str = ""
    turn: str | None = None
    parent: str | None = None
    """Id of the first try, where this is a later one."""


@hide_fields("said", "now")
class Failure(Struct, frozen=True, kw_only=True):
    """How a call failed."""

    error_class: ErrorClass
    error: BaseException | None = None
    """The exception itself, in process only; `None` where a result was the failure."""
    said: str = ""
    """What a result said went wrong, where nothing was raised."""
    by_words: bool = False
    """Only what a result says of itself gave the class: it proves nothing of an effect."""
    retry_after: timedelta | None = None
    """How long the remote asked us to wait."""
    answered: bool = False
    """The remote itself said so: the error came with a code of its protocol."""
    nothing_done: bool = False
    """It is proven that this try changed nothing: never made or sent, or its tool's own word."""
    refused: bool = False
    """A rule or the tool says that it changed nothing, which a look has to agree with, where there
    is one."""
    acted_within: bool = False
    """Calls that this one has made itself may have changed something: it is not made again."""
    landed: bool = False
    """The remote has said, or a look has found, that the call took effect: its tool failed after
    that."""
    now: object = None
    """What is there now, where a conflict was followed by a look."""

    def __post_init__(self) -> None:
        set_enums(self, error_class=ErrorClass)


class Watched(NamedTuple):
    """A call of a tool that is only watched: it was made as it is, whatever its review finds."""

    mode: Mode
    held: bool
    """In another mode it would have been held."""
    undone: bool
    """In another mode it would have been undone, were its attempt rejected."""


@hide_fields("result")
class Execution(Struct, frozen=True, kw_only=True):
    """A call and its result, with raw values. It never leaves the process."""

    call: Call
    outcome: Outcome
    at: datetime
    duration: timedelta
    result: Any = None
    failure: Failure | None = None
    try_number: int = 1
    approved: bool = False
    """A person has seen what it was to be made with, and let it run."""
    watched: Watched | None = None
    """`None`: a rejection may undo it, and have it made again."""

    def __post_init__(self) -> None:
        set_enums(self, outcome=Outcome)


class LogRow(NamedTuple):
    """One execution as the log keeps it: redacted, flat, in the order of the table's columns.

    A tuple and not a dataclass: it goes to the driver as it is, a hundred thousand a second.
    """

    id: str
    """Time-ordered, so that the primary key is also the index by time."""
    at_us: int
    """Microseconds since the epoch."""
    tenant: str
    agent: str
    server: str
    tool: str
    parameters: str
    """Redacted JSON."""
    context: str
    outcome: str
    duration_us: int
    error_class: str | None = None
    error_type: str | None = None
    error_message: str | None = None
    error_code: str | None = None
    error_at: str | None = None
    """`file:line` of every frame, the innermost first, with ` < ` between them; no values."""
    result: str | None = None
    """Redacted JSON summary."""
    try_number: int = 1
    parent: str | None = None
    turn: str | None = None
    weight: float = 1.0
    """How many calls this row stands for: itself, and those before it that no row is kept of."""


@hide_fields("state")
class Snapshot(Struct, frozen=True):
    """What was there before a call, as it was read: a snapshot that was taken."""

    state: object
    """`None`: it was looked, and nothing was there."""


if TYPE_CHECKING:
    from typing_extensions import TypeVar

    Args = TypeVar("Args", default=Mapping[str, Any])
    Before = TypeVar("Before", default=Any)
else:
    from typing import TypeVar

    Args, Before = TypeVar("Args"), TypeVar("Before")


@hide_fields("arguments", "result", "snapshot")
class Record(Struct, Generic[Args, Before], frozen=True, kw_only=True):
    """One call of a tool, as its `before`, `undo`, `read`, `probe` and `version` get it."""

    arguments: Args
    """By name. Of a bulk, one element stands where the list of them stood."""
    key: str = ""
    """What the remote may know this call by: the same on every try, and of no other call."""
    result: Any = None
    """What the tool returned; for `version`, also what `read` or `before` returned."""
    snapshot: Snapshot | None = None
    """The snapshot; `None`: none was taken, and the state before is unknown."""
    version: str | None = None
    """The version we wrote, as text whatever `version` returned: undo only what is still at it."""

    @property
    def before(self) -> Before:
        """What was there before the call, where that was read; `None` also if nothing was."""
        return cast("Before", None if self.snapshot is None else self.snapshot.state)


RecordFunction = Callable[[Record[Any, Any]], object | Awaitable[object]]
"""A function of one record, sync or async."""


class DeclaredCallbacks(TypedDict, total=False):
    """The functions that `@m.tool(…)` takes."""

    before: RecordFunction
    """Read what is there before the call: the snapshot."""
    undo: RecordFunction
    """Undo the effect, only if it is still at `record.version`; else raise `ConflictError`."""
    read: RecordFunction
    """Read what is there now, `None` if nothing is. By default `before` does it."""
    probe: RecordFunction
    """Find out whether a call landed that gave no answer: what it returned or would have, or `None`
    if it did not. `probe_by` says what it goes by."""
    version: RecordFunction
    """The version in `record.result`, such as an ETag."""
    about: Callable[[Record[Any, Any]], object]
    """The object a call concerns, by its id, or a list of several: what is undone after what, and
    what is our own later work rather than a person's edit, goes by it. Undeclared, nothing is
    guessed. A plain function; it may need the result, as of a create."""


class ToolCallbacks(Struct, frozen=True, kw_only=True):
    """What a tool can do about its own effect: the functions that it was declared with."""

    before: RecordFunction | None = None
    undo: RecordFunction | None = None
    read: RecordFunction | None = None
    probe: RecordFunction | None = None
    version: RecordFunction | None = None
    refresh: RecordFunction | None = None
    in_progress: Callable[[BaseException], bool] | None = None
    same: Callable[[object, object], bool] | None = None
    about: Callable[[Record[Any, Any]], object] | None = None

    @property
    def reader(self) -> RecordFunction | None:
        """How the state is read for verification: `read`, else `before`, which reads the same
        thing."""
        return self.read or self.before
