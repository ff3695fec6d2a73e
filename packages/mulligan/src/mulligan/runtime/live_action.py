"""An action while a process works on it: what it is, in words, in which order it stands, and which
objects at which versions it concerns.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypeVar

from msgspec.structs import replace

from mulligan.codec import encode_value
from mulligan.process.user_functions import call_here
from mulligan.redaction.redactor import hide_in_arguments, hide_secrets
from mulligan.runtime.declaration import Declaration
from mulligan.runtime.waiting import BootTime
from mulligan.types.action import Action, By, Kept, Opening, State, UndoResult
from mulligan.types.call import Call, Execution, Outcome, Record, ToolCallbacks
from mulligan.types.display import format_value, is_tame, quote_value, render_sentence, show_name
from mulligan.types.turn import Turn

T = TypeVar("T")

_CAME_BACK = (State.EXECUTED, State.UNCHECKED, State.VERIFIED)

_SHOWN = 60
"""Characters of a value, where a call is put into a few words."""


@dataclass(slots=True, kw_only=True, eq=False)
class LiveAction:
    """An action while this process works on it."""

    id: str
    opening: Opening
    declaration: Declaration
    record: Record
    opened_at: datetime
    state: State | None = None
    version: int = 0
    """How many entries it has in the journal."""
    by: By = By.OWNER
    """Who this process is to it, until it has written an entry: then it is its owner."""
    tries: int = 0
    """How often it was tried to find out its result, or to undo it."""
    given_up: BootTime | None = None
    """When it was first written that its result is unknown: no try was sent later."""
    unheard_since: BootTime | None = None
    """When it was made again after a try that gave no answer, where that one may still land."""
    after: tuple[str, ...] = ()
    """Ids of later actions that are undone before it: on the same object, or on what it made."""
    undo_begun: bool = False
    """An undo of it was sent, and its result is not recorded."""
    seen: bool = False
    """What it left was seen by an undo, so that its absence later is proof."""
    claimed: bool = False
    """A person has looked, and says that what is there was written by its call."""
    claimed_at: str | None = None
    """The version of what was there when an undo first went by that: no later one is meant."""
    accepted: bool = False
    """The review of a turn inside another was content with it."""
    looked: tuple[str, ...] = ()
    """Its reviewers when its attempt was reviewed; empty: not reviewed."""
    call_failed: bool = False
    """It happened, though its caller was told that the call failed."""
    refused: bool = False
    """Its caller was answered with an error, rather than with nothing: no try is running."""
    call_arguments: Mapping[str, object] = field(default_factory=dict)
    """Of the whole call: of a bulk, the list that it is one element of."""
    undone: UndoResult | None = None
    """The result of its undo, where that was tried."""
    undone_why: str = ""
    """The same in a few words, where the result alone would say too much."""
    on_settled: Callable[[LiveAction], None] = lambda _: None
    """Called once a look has settled its result, so that the log says so too."""
    looked_up: bool = False
    """It gave no answer, and a look has found that it happened."""
    placed: frozenset[tuple[str, str]] | None = None
    """Its objects among whose calls it has a place already; `None`: another process knows."""
    if_version: str | None = None
    """The version that its call was made under, where its tool says so to the remote."""
    belongs: tuple[object, ...] = ()
    """The objects whose call it is: of a method, of what its tool closes over."""
    originals: dict[str, object] = field(default_factory=dict)
    """What of it cannot be written down as it is, by name: only this process knows it."""
    under_way: bool = False
    """Its call was made and has not come back, perhaps on a thread that outlives the turn."""

    @property
    def came_back(self) -> bool:
        """Whether its caller was told that it happened."""
        return self.state in _CAME_BACK and not (self.call_failed or self.under_way)

    @property
    def objects(self) -> frozenset[tuple[str, str]]:
        """What it concerns, by server and id; nothing where its tool does not say."""
        return self._find_objects(self.record)

    def take_new_objects(self, state: State) -> frozenset[tuple[str, str]]:
        """Those objects that are known of it only now that it reaches a state; then they are known.

        What a call has written to may be known only once it came back, whatever it has returned.
        """
        says = self.callbacks.about is not None
        if not says or state not in (State.INTENT, State.UNKNOWN, State.EXECUTED):
            return frozenset()
        if self.placed is None and state is not State.INTENT:
            self.placed = self._find_objects(replace(self.record, result=None))
        new = self.objects - (self.placed or frozenset())
        self.placed = (self.placed or frozenset()) | new
        return new

    def _find_objects(self, record: Record) -> frozenset[tuple[str, str]]:
        found, tenant = find_objects(record, self.declaration), self.opening.tenant
        # What two tenants call by one id is two objects: neither waits for the other's calls, nor
        # takes a version that the other's undo has written for its own.
        return frozenset((f"{tenant}:{where}", name) for where, name in found) if tenant else found

    @property
    def callbacks(self) -> ToolCallbacks:
        """What its tool can do about it."""
        return self.declaration.callbacks

    @property
    def what(self) -> str:
        """The call in a few words, as it was asked for."""
        given = {k: v for k, v in self.record.arguments.items() if v is not None}
        told = hide_in_arguments(given).items()
        shown = ", ".join(f"{show_name(k)}={quote_value(v, most=_SHOWN)}" for k, v in told)
        return f"{show_name(self.opening.tool)}({shown})"

    @property
    def said(self) -> str:
        """What it does, as a sentence for a person."""
        ours = (self.declaration.key, self.opening.call)
        given = {k: v for k, v in self.record.arguments.items() if (k, v) != ours}
        record = replace(self.record, arguments=hide_in_arguments(given))
        said = render_sentence(self.opening.tool, record, describe=self.declaration.describe)
        return hide_secrets(said, given)


def read_order(action: Action | LiveAction) -> tuple[datetime, str]:
    """By which actions are in the order in which they took effect, as far as that is known."""
    return action.opened_at, action.id


def keep_said(action: LiveAction) -> list[Kept]:
    """What its tool says of it, for surfaces that have not its code; by its names they can."""
    if action.declaration.describe is None:
        return []
    return [Kept(owner=action.id, name="said", value=encode_value(action.said))]


def as_execution(action: LiveAction, turn: Turn) -> Execution:
    """A call that happened, told from its action alone: no process was there for its answer."""
    opening = action.opening
    return Execution(
        call=Call(
            id=opening.call or action.id,
            tool=opening.tool,
            server=opening.server,
            arguments=action.record.arguments,
            agent=turn.agent,
            context=turn.context,
            tenant=turn.tenant,
            turn=turn.id,
        ),
        outcome=Outcome.SUCCESS,
        at=action.opened_at,
        duration=timedelta(),
        result=action.record.result,
    )


def copy_value(value: T) -> T:
    """A value that no other code can change; what cannot be copied comes back as it is."""
    try:
        return copy.deepcopy(value) if is_tame(value) else value
    except Exception:  # noqa: BLE001 - locks, sockets and cursors refuse in ways of their own
        return value


async def read_version(
    state: object, *, record: Record, callbacks: ToolCallbacks, within: timedelta | None = None
) -> str | None:
    """The version of a state that was read, where the tool has versions."""
    if state is None:
        return None
    return await read_left_version(
        replace(record, result=state), callbacks=callbacks, within=within
    )


async def read_left_version(
    record: Record, *, callbacks: ToolCallbacks, within: timedelta | None = None
) -> str | None:
    """The version that a call has left, by what it returned: if only nothing, as its tool may know
    of it in another way."""
    if callbacks.version is None:
        return None
    version = await call_here(callbacks.version, record, within=within)
    return None if version is None else format_value(version)


def find_objects(record: Record, declaration: Declaration) -> frozenset[tuple[str, str]]:
    """The objects of a call by server and id; none where its tool does not say, or not yet."""
    about = declaration.callbacks.about
    if about is None:
        return frozenset()
    try:
        named = about(record)
    except Exception:  # noqa: BLE001 - a user's function, which may need a result there is not yet
        return frozenset()
    several = isinstance(named, Iterable) and not isinstance(named, str | bytes)
    found = list(named) if several else [named]  # type: ignore[call-overload]
    return frozenset((declaration.server, format_value(each)) for each in found if each is not None)
