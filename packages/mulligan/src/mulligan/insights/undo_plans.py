"""Undo of a turn, a session, or all that an agent did since a time: the plan, and the request.

The plan says the order, what cannot be undone, what somebody has changed since, and what later work
builds on. The request is one transaction of the journal: an application that has the tools carries
it out, and goes on with it after a crash.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from mulligan.insights.filters import ActOrder, ViewRequest
from mulligan.insights.open_actions import OpenList
from mulligan.insights.reader import StoreReader
from mulligan.runtime.live_action import read_order
from mulligan.runtime.undo_group import REQUEST, keep_members
from mulligan.types.action import HOLDS, NOTHING_THERE, Action, ActionQuery, State, read_all
from mulligan.types.effect import Effect
from mulligan.types.errors import ConfigurationError, JournalError
from mulligan.types.log import LogQuery
from mulligan.types.values import RANDOM_BITS, from_us, make_uuid7, to_us

MOST_TOGETHER = 1_000
"""Actions of one request; of more the person names a shorter time."""
DAY = timedelta(days=1)
"""What an agent did in it is shown, where nothing is said of the time."""
MOST_CALLS = 5_000
"""Rows of the log that are looked through for calls that nothing is known to undo."""


class UndoStep(StrEnum):
    """What the request does with one action."""

    UNDO = "undo"
    DENY = "deny"
    """It was never made, and will not be."""
    LEAVE = "leave"
    """It stays as it is; `why` says for what reason."""
    DONE = "done"
    """Nothing of it is there, or it is being undone already."""


class UndoScope(Struct, frozen=True, kw_only=True):
    """Whose actions are meant: exactly one of the three names."""

    turn: str = ""
    session: str = ""
    agent: str = ""
    since: datetime | None = None
    tenant: str | None = None
    """By its name or identity; `None`: of every tenant."""

    def __str__(self) -> str:
        named = [(n, v) for n in ("turn", "session", "agent") if (v := getattr(self, n))]
        if len(named) != 1:
            raise ConfigurationError("Name one of these: a turn, a session, or an agent.")
        (kind, name), since = named[0], self.since
        if kind == "agent" and since is None:
            raise ConfigurationError("Say since when: all that an agent ever did is never meant.")
        return f"{kind} {name}" + (f" since {since:%Y-%m-%d %H:%M:%S} UTC" if since else "")


class PlannedUndo(Struct, frozen=True, kw_only=True):
    """One action of a plan."""

    id: str
    what: str
    tool: str
    agent: str
    tenant: str
    turn: str | None
    at: datetime
    state: State
    version: int
    does: UndoStep
    expected: State | None
    """Where an undo would end, as things are now; `None`: only its application can look."""
    why: str


class UndoPlan(Struct, frozen=True, kw_only=True):
    """What undoing some actions would do, in the order in which it is done."""

    about: str
    """Whose actions these are."""
    scope: UndoScope
    steps: tuple[PlannedUndo, ...]
    counts: Mapping[str, int]
    """How many steps there are of each kind, and where undos are expected to end."""
    untracked: Mapping[str, int]
    """Calls in it of tools that declare no effect, by tool: nothing is known to undo them."""
    every_call: bool
    """`False`: there are more calls than were looked through for these, earlier ones."""
    looked: bool
    """The tools' own functions have looked at what is there now."""
    mark: str
    """Of the steps as shown: a request for others is refused."""

    @property
    def tenants(self) -> list[str]:
        """Whose actions it would undo or deny; the empty one is a tenant, too."""
        acts = (UndoStep.UNDO, UndoStep.DENY)
        return sorted({each.tenant for each in self.steps if each.does in acts})


def plan_undo(ask: StoreReader, scope: UndoScope) -> UndoPlan:
    """What a request would do now."""
    return _plan(ask, scope, _list_actions(ask, scope), look=True)


def request_undo(ask: StoreReader, scope: UndoScope, *, by: str, mark: str = "") -> UndoPlan:
    """Ask for the undo of all that a plan undoes, as one transaction. Returns that plan.

    `mark`: of the plan that was shown. If it is another one by now, nothing is asked for.
    """
    actions = _list_actions(ask, scope)
    # What a person has not been shown needs no look: the undo itself looks again.
    plan = _plan(ask, scope, actions, look=bool(mark))
    changed = f"What there is to undo of {plan.about} has changed since the plan was made: look at "
    if mark not in ("", plan.mark):
        raise ConfigurationError(changed + "the new plan first.")
    if scope.tenant is None and len(plan.tenants) > 1:
        whose = ", ".join(each or "none" for each in plan.tenants)
        raise ConfigurationError(
            f"{plan.about[0].upper()}{plan.about[1:]} did this for {len(plan.tenants)} tenants "
            f"({whose}): name one of them with --tenant, or by tenant=… of the page."
        )
    names = [each.id for each in plan.steps if each.does is UndoStep.UNDO]
    at = ask.clock()
    request = make_uuid7(to_us(at, name="now"), secrets.randbits(RANDOM_BITS))
    why = f"A person asked for the undo of {plan.about}."
    listed, by_id = OpenList(ask, people=True), {action.id: action for action in actions}
    entries = []
    for step in plan.steps:
        action = by_id[step.id]
        if step.does is UndoStep.UNDO:
            entries.append(listed.build_undo(action, by=by, why=why, **{REQUEST: request}))
        elif step.does is UndoStep.DENY:
            entries.append(listed.build_move(action, State.DENIED, by=by, note=why))

    def submit() -> None:
        keep = [keep_members(request, names, now=at)]
        try:
            ask.store.journal.submit(entries, keep=keep).result()
        except JournalError as error:
            raise ConfigurationError(changed + "the plan again.") from error

    if entries:
        ask.acts.record(submit, by=by, what=f"undo {plan.about}")
        ask.cache.forget()
    return plan


def read_undo(ask: StoreReader, asked: ViewRequest) -> UndoPlan:
    """The plan for a page: `id` is turn, session or agent, `of` names it."""
    words = {"tenant": asked.filter.tenant or "", **asked.words}
    if asked.id == "agent" and not words.get("since"):
        words["since"] = (ask.clock() - DAY).isoformat(timespec="seconds")
    return plan_undo(ask, _read_scope(asked.id, words))


def decide_undo(ask: StoreReader, order: ActOrder) -> UndoPlan:
    """Ask for what a page has shown."""
    scope = _read_scope(order.id, order.words)
    if not order.words.get("mark"):
        raise ConfigurationError("Name the plan that was shown, by its mark.")
    request_undo(ask, scope, by=order.by, mark=order.words["mark"])
    return plan_undo(ask, scope)


def _read_scope(kind: str, words: Mapping[str, str]) -> UndoScope:
    since, of = words.get("since", ""), words.get("of", "")
    try:
        at = datetime.fromisoformat(since) if since else None
    except ValueError:
        at = None
    if since and (at is None or at.tzinfo is None):
        raise ConfigurationError(f"{since!r} is no time; write it as 2026-11-16T14:00:00+00:00.")
    if kind not in ("turn", "session", "agent") or not of:
        raise ConfigurationError("Name a turn, a session or an agent: /undo/turn?of=ID.")
    tenant = words.get("tenant") or None
    return UndoScope(**{kind: of, "since": at, "tenant": tenant})  # type: ignore[arg-type]


def _list_actions(ask: StoreReader, scope: UndoScope) -> list[Action]:
    """The actions that are meant, the latest first."""
    about, listed = str(scope), OpenList(ask)
    label = ask.names.find_label
    found = listed.search(
        ActionQuery(
            turn=scope.turn or None,
            session=label(scope.session) if scope.session else None,
            agent=scope.agent or None,
            tenant=scope.tenant,
            since=scope.since,
            limit=MOST_TOGETHER + 1,
        )
    )
    if scope.turn:
        # Turns that were opened inside it are part of it.
        wanted = ActionQuery(since=scope.since or _find_begin(scope.turn), tenant=scope.tenant)
        inner = [
            a
            for a in read_all(listed.search, wanted)
            if (a.opening.outer or "").startswith(f"{scope.turn}/")
        ]
        found = list({a.id: a for a in (*found, *inner)}.values())
    if not found:
        raise ConfigurationError(f"The journal has no actions of {about}: `mulligan actions` has.")
    if len(found) > MOST_TOGETHER:
        raise ConfigurationError(
            f"{about[0].upper()}{about[1:]} has more than {MOST_TOGETHER:,} actions: say since "
            "when, and undo them in parts, the latest first."
        )
    return sorted(found, key=read_order, reverse=True)


def _find_begin(turn: str) -> datetime | None:
    """Before which nothing belongs to a turn, where its name tells that."""
    try:
        name = UUID(turn)
    except ValueError:
        return None
    return from_us((name.int >> 80) * 1_000) if name.version == 7 else None


def _plan(ask: StoreReader, scope: UndoScope, actions: Sequence[Action], *, look: bool) -> UndoPlan:
    listed = OpenList(ask, people=True)
    found = {action.id: _choose(listed, action) for action in actions}
    undone = [action for action in actions if found[action.id][0] is UndoStep.UNDO]
    foresee = ask.foresee if look else None
    seen = foresee(undone) if foresee is not None and undone else {}
    steps = []
    for action in actions:
        (does, why), there = found[action.id], seen.get(action.id)
        steps.append(
            PlannedUndo(
                id=action.id,
                what=listed.describe(action),
                tool=action.opening.tool,
                agent=action.opening.agent,
                tenant=action.opening.tenant,
                turn=action.opening.turn,
                at=action.opened_at,
                state=action.state,
                version=action.version,
                does=does,
                expected=None if there is None else there.state,
                why=why if there is None else there.why,
            )
        )
    shown = " ".join(f"{s.id}.{s.version}.{s.does}.{s.expected}" for s in steps)
    untracked, every_call = _count_untracked(ask, scope, actions)
    ends = Counter(f"expected {s.expected.value}" for s in steps if s.expected is not None)
    return UndoPlan(
        about=str(scope),
        scope=scope,
        steps=tuple(steps),
        counts={**Counter(s.does.value for s in steps), **ends},
        untracked=untracked,
        every_call=every_call,
        looked=foresee is not None,
        mark=hashlib.sha256(shown.encode()).hexdigest()[:16],
    )


def _choose(listed: OpenList, action: Action) -> tuple[UndoStep, str]:
    """What is done with an action, and why not more."""
    if action.state in HOLDS:
        return UndoStep.DENY, "It was not made yet, and will not be."
    if action.state in NOTHING_THERE:
        return UndoStep.DONE, "It was never made."
    if action.state is State.UNDONE:
        return UndoStep.DONE, ""
    if action.state is State.UNDOING and action.detail.get("by"):
        return UndoStep.DONE, "Its undo was asked for already."
    if action.state is State.CONFLICT:
        return UndoStep.LEAVE, "Someone changed it since, and their version stands."
    refused = listed.refuse_undo(action)
    return (UndoStep.LEAVE, refused) if refused else (UndoStep.UNDO, "")


def _count_untracked(
    ask: StoreReader, scope: UndoScope, actions: Sequence[Action]
) -> tuple[dict[str, int], bool]:
    """Calls beside the actions, of tools that do not say what they do; whether these are all."""
    query = LogQuery(since=scope.since, limit=MOST_CALLS)
    if scope.agent:
        query = replace(query, agent=ask.names.find_label(scope.agent))
    else:
        turns = dict.fromkeys(a.opening.turn for a in actions if a.opening.turn)
        query = replace(query, turns=tuple(turns))
    silent = {
        (each.server, each.tool)
        for each in ask.store.catalog.list_tools()
        if each.effect == Effect.UNDECLARED
    }
    rows = ask.store.log.list_rows(query)
    found = Counter(row.tool for row in rows if (row.server, row.tool) in silent)
    return dict(found), len(rows) < MOST_CALLS
