"""The open list as a page shows it: a sentence each, and what a person may do about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import Any

from mulligan.app.insights.open_list import OpenList
from mulligan.app.insights.views.filters import ViewFilter
from mulligan.app.insights.views.paging import Paging
from mulligan.core.action import AT_WORK, Action, By, State, leads_to
from mulligan.core.effect import Effect
from mulligan.core.runtime.dataclass import dataclass


class Act(StrEnum):
    """What a person may do about an open action."""

    APPROVE = "approve"
    DENY = "deny"
    UNDO = "undo"
    SETTLE = "settle"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One thing that a person may do now, and what that will do."""

    act: Act
    does: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenItem:
    """An open action in words."""

    id: str
    what: str
    """What it does, as a sentence, less secrets."""
    tool: str
    server: str
    agent: str
    tenant: str
    turn: str | None
    effect: Effect
    state: State
    since: datetime
    why: str
    """What was said when it came to stand there."""
    expires_at: str
    """Where it waits for a word: until when. Else empty."""
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenPage:
    """Some of what needs a person, the oldest first."""

    asked: ViewFilter
    paging: Paging
    states: Mapping[str, int]
    """How many stand where."""
    items: tuple[OpenItem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One value that is not the same in every version."""

    name: str
    before: str
    ours: str
    theirs: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryStep:
    """One entry of the journal."""

    at: datetime
    state: State
    said: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionPage:
    """One action with all that a person needs in order to decide."""

    item: OpenItem
    settled: bool
    request: str
    """What the person had asked for, as long as that is kept, less secrets."""
    arguments: Mapping[str, Any]
    """Less secrets, as long as they are kept."""
    history: tuple[HistoryStep, ...]
    differences: tuple[Difference, ...]
    """Where somebody else was there too: what was there, what is ours, and what is theirs."""
    commands: tuple[str, ...]
    """The same choices as commands, a sentence each."""
    attempt: int = 1
    call: str | None = None
    contents: Mapping[str, Any] = field(default_factory=dict)


_DOES: Mapping[Act, str] = {
    Act.APPROVE: "The call is made once, by the application that has its tool.",
    Act.DENY: "The call is never made.",
    Act.UNDO: "What it did is taken back and read back. Another person's edit is never "
    "overwritten: then it stays, as a conflict.",
    Act.SETTLE: "It leaves this list with your note. Nothing is changed outside.",
}
_NAMED: Mapping[tuple[Act, State], str] = {
    (Act.SETTLE, State.CONFLICT): "Their version stands, and this leaves the list with your note.",
    (Act.SETTLE, State.DISPUTED): "It stands as it is, and leaves the list with your note.",
    (Act.SETTLE, State.APPROVED): "It is not waited for any more, and never made.",
    (Act.UNDO, State.UNDO_FAILED): "The undo is tried again, and read back.",
    (Act.UNDO, State.NEEDS_HUMAN): "You have looked, and this call wrote what is there: what was "
    "there before is put back, and read back.",
}


def list_choices(action: Action) -> tuple[Choice, ...]:
    """What a person may do about an action now, the most likely first."""
    if action.state is State.HELD:
        acts = [Act.APPROVE, Act.DENY]
    else:
        reversible = action.opening.effect is Effect.REVERSIBLE
        undoable = reversible and leads_to(action.state, State.UNDOING, by=By.PERSON)
        acts = [Act.UNDO] if undoable and action.state not in AT_WORK else []
        acts += [] if action.settled else [Act.SETTLE]
    return tuple(Choice(act=act, does=_NAMED.get((act, action.state), _DOES[act])) for act in acts)


def build_item(listed: OpenList, action: Action) -> OpenItem:
    """An action as a line of the list."""
    opening, detail = action.opening, action.detail
    return OpenItem(
        id=action.id,
        what=listed.describe(action),
        tool=opening.tool,
        server=opening.server,
        agent=opening.agent,
        tenant=opening.tenant,
        turn=opening.turn,
        effect=opening.effect,
        state=action.state,
        since=action.opened_at,
        why=str(detail.get("why") or detail.get("reason") or ""),
        expires_at=str(detail.get("expires_at") or ""),
        choices=list_choices(action),
    )


def read_action_page(listed: OpenList, id_or_prefix: str) -> ActionPage:
    """One action, settled or not."""
    story = listed.read_story(id_or_prefix)
    action = story.action
    return ActionPage(
        item=build_item(listed, action),
        settled=action.settled,
        request=listed.read_request(action),
        arguments=listed.read_arguments(action),
        history=tuple(
            HistoryStep(at=entry.at, state=entry.state, said=dict(entry.detail))
            for entry in story.entries
        ),
        differences=compare_contents(story.contents),
        commands=story.recipe,
        attempt=action.opening.attempt,
        call=action.opening.call,
        contents=dict(story.contents),
    )


def compare_contents(contents: Mapping[str, object]) -> tuple[Difference, ...]:
    """Versions side by side, each value that differs between any two of them."""
    if len(contents) < 2:
        return ()
    versions = ("before", "ours", "theirs")
    flat = {n: flatten_value(contents[n]) if n in contents else {} for n in versions}
    names = dict.fromkeys(name for version in flat.values() for name in version)
    rows = (
        Difference(name=name, **{whose: version.get(name, "") for whose, version in flat.items()})
        for name in names
    )
    return tuple(row for row in rows if len({row.before, row.ours, row.theirs}) > 1)


def flatten_value(value: object, *, under: str = "") -> dict[str, str]:
    """A value's parts by their path, each as text."""
    if isinstance(value, Mapping):
        parts: dict[str, str] = {}
        for name, part in value.items():
            parts |= flatten_value(part, under=f"{under}.{name}" if under else str(name))
        return parts
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        parts = {}
        for number, part in enumerate(value):
            parts |= flatten_value(part, under=f"{under}[{number}]")
        return parts
    return {under or "value": "nothing" if value is None else str(value)}
