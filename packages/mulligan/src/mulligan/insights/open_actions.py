"""Actions that need attention: the list, one action with its history, and decisions about it.

Every decision is an entry in the journal. Undoing and running need the tool's code, so a process
that has it carries them out: the entry is the request, and recovery acts on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from difflib import get_close_matches
from enum import StrEnum
from typing import Any, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from mulligan.codec import decode_json, decode_value, encode_json
from mulligan.insights.edits import build_edit, list_editable, parse_changes
from mulligan.insights.figures import UNNAMED
from mulligan.insights.filters import (
    ActOrder,
    NameLookup,
    Paging,
    ViewFilter,
    ViewRequest,
    sort_out,
)
from mulligan.insights.reader import StoreReader
from mulligan.redaction.redactor import hide_secrets
from mulligan.runtime.payloads import (
    KeptReview,
    load_edited,
    load_evidence,
    load_findings,
    load_reviews,
)
from mulligan.types.action import (
    AT_WORK,
    HOLDS,
    NOTHING_THERE,
    SYNCED,
    Action,
    ActionQuery,
    By,
    Entry,
    Kept,
    Opening,
    State,
    check_step,
    find_expiry,
    has_expired,
    leads_to,
)
from mulligan.types.call import Record
from mulligan.types.display import render_recipe, render_sentence
from mulligan.types.effect import Effect
from mulligan.types.errors import (
    ConfigurationError,
    IllegalTransitionError,
    StaleEntryError,
    StoreError,
)
from mulligan_dates.text import shorten

MOST_LISTED = 1_000

E = TypeVar("E", Action, Entry)

OF_BEGUN = frozenset({"undo_begun", "seen", "claimed", "claimed_at"})
"""What an entry says of an undo that was begun."""

_EXPIRED = "It has expired and cannot run any more. Have the agent ask again."
_LEFT_EMPTY: Mapping[object, str] = {None: "none", "": "empty"}

REJECTED = frozenset({State.UNDOING, State.DISPUTED, State.DENIED, State.NEEDS_HUMAN})
"""States into which a rejection leads; the last where a call failed and is not declared."""


class ActionStory(Struct, frozen=True, kw_only=True):
    """An action and everything that happened to it."""

    action: Action
    entries: tuple[Entry, ...]
    what: str
    """What it does, as a sentence, less secrets."""
    recipe: tuple[str, ...]
    """What a person can do about it, a sentence with a command each."""
    contents: Mapping[str, object] = field(default_factory=dict)
    """What was there `before`, what is `ours`, and in a conflict what is
    `theirs` and stands, `None` for nothing; as long as they are kept, less secrets."""


class OpenList:
    """What the journal owes an answer for."""

    def __init__(self, ask: StoreReader, *, people: bool = False) -> None:
        self._ask = ask
        self._journal = ask.store.journal
        self._vault = ask.store.vault
        self._clock = ask.clock
        shown = ask.settings.build_redactor(ask.store, to_decide=True) if people else None
        self._redactor = shown or ask.redactor

    def show_people(self) -> OpenList:
        """This list for a person who decides: names are shown, unless `hide` is `all`."""
        return OpenList(self._ask, people=True)

    def actions(self, *, limit: int = MOST_LISTED) -> list[Action]:
        """Open actions, oldest first, each with what was found as long as that is kept."""
        found = self._journal.list_open_actions(limit=limit)
        return [self.with_findings(action) for action in found]

    def read_story(self, id_or_prefix: str) -> ActionStory:
        """One action with its history, settled or not."""
        action = self.find(id_or_prefix)
        entries = tuple(self._journal.list_entries(action.id))
        approved = [each.version for each in entries if each.state is State.APPROVED]
        return ActionStory(
            action=self.with_findings(action),
            entries=tuple(
                self._explain(
                    # Of an earlier approval only what the log may show is kept.
                    self._tell_changes(entry) if [entry.version] == approved[-1:] else entry,
                    of=action.id,
                    opening=action.opening,
                )
                for entry in entries
            ),
            what=self.describe(action),
            recipe=() if self.is_expired(action) else render_recipe(action),
            contents=self._read_contents(action),
        )

    def describe(self, action: Action) -> str:
        """What an action does, as a sentence for a person: its tool's own, or by its names."""
        opening, said = action.opening, self._read_kept(action, "said")
        if isinstance(said, str):
            return self._redactor.redact_text(said)
        kept = self._read_kept(action, "arguments")
        given = kept if isinstance(kept, dict) else {}
        ours = (opening.key, opening.call)
        shown = {n: value for n, value in given.items() if value is None or value not in ours}
        # What a person has taken out has its place in the sentence that they approve.
        changed, _ = load_edited(self._vault, action.id) or ({}, {})
        shown |= {n: _LEFT_EMPTY[v] for n, v in changed.items() if v in (None, "")}
        redacted = self._redactor.redact_value(shown)
        known: dict[str, Any] = redacted if isinstance(redacted, dict) else {}
        record: Record = Record(arguments=known)
        return render_sentence(opening.tool, record)

    def with_findings(self, action: Action) -> Action:
        """The action with what a review found, as long as that is kept."""
        if self.is_expired(action):
            return replace(action, detail={**action.detail, "why": _EXPIRED})
        return self._explain(action, of=action.id, opening=action.opening)

    def is_expired(self, action: Action) -> bool:
        """Whether it is a hold whose time is up, and which no process has ended yet."""
        is_hold = action.state in HOLDS
        return is_hold and has_expired(
            action.detail, changed_at=action.changed_at, now=self._clock()
        )

    def _explain(self, entry: E, *, of: str, opening: Opening) -> E:
        """With what a review found, where an entry has only the names of its rules."""
        try:
            said = (
                load_findings(self._vault, of, opening=opening, version=entry.version)
                if entry.state in REJECTED
                else None
            )
        except StoreError:
            # Without the key, or where it is damaged, the names of the rules are left.
            said = None
        if said is None:
            return entry
        # An attempt is rejected as a whole: what was found may be about another call of it.
        return replace(entry, detail={**entry.detail, "why": f"Found in its attempt: {said}"})

    def _tell_changes(self, entry: Entry) -> Entry:
        """With what a person has changed, for whoever reads it, as long as that is kept."""
        changed = entry.detail.get("changed")
        kept = load_edited(self._vault, entry.action) if isinstance(changed, dict) else None
        if kept is None:
            return entry
        after, before = kept
        told = {
            name: self._redactor.redact_value({"from": before.get(name), "to": value})
            for name, value in after.items()
        }
        return replace(entry, detail={**entry.detail, "changed": told})

    def _read_contents(self, action: Action) -> dict[str, object]:
        """What a person chooses between: what the call returned as `ours`, else as `given` what it
        was given."""
        contents: dict[str, object] = {}
        if self._vault.get(action.id, "before") is not None:
            contents["before"] = self._read_kept(action, "before")
        if action.state not in NOTHING_THERE:
            came = self._read_kept(action, "result")
            ours = came.get("result") if isinstance(came, dict) else None
            if ours is None:
                contents["given"] = self._read_kept(action, "arguments")
            else:
                contents["ours"] = ours
        over = action.state in (State.UNDOING, State.UNDONE)
        if not over and self._vault.get(action.id, "theirs") is not None:
            contents["theirs"] = self._read_kept(action, "theirs")
        return {name: self._redactor.redact_value(content) for name, content in contents.items()}

    def read_arguments(self, action: Action) -> dict[str, object]:
        """What its call was given, as long as that is kept, less secrets."""
        kept = self._read_kept(action, "arguments")
        redacted = self._redactor.redact_value(kept) if isinstance(kept, dict) else {}
        return redacted if isinstance(redacted, dict) else {}

    def read_request(self, action: Action) -> str:
        """What the person had asked for, as long as that is kept, less secrets."""
        kept = load_evidence(self._vault, action.opening, action=action.id)
        told = None if kept is None else decode_json(kept).get("turn")
        message = told.get("message") if isinstance(told, dict) else ""
        return self._redactor.redact_text(str(message or ""))

    def read_reviews(self, turn: str, *, attempts: int) -> Sequence[KeptReview]:
        """What reviews of a turn came to, as long as that is kept; it was scrubbed before."""
        try:
            return load_reviews(self._vault, turn, attempts=attempts)
        except (StoreError, ValueError):
            # Without the key, or where it is damaged, the states of its actions are left.
            return ()

    def _read_kept(self, action: Action, name: str) -> object:
        kept = self._vault.get(action.id, name)
        return None if kept is None else decode_value(kept)

    def settle(self, id_or_prefix: str, *, note: str) -> Action:
        """Close an open action: a person has seen to it, and says how."""
        action = self.find(id_or_prefix)
        if action.settled:
            raise ConfigurationError(
                f"{action.id} is already {action.state}: there is nothing to settle."
            )
        if not note.strip():
            raise ConfigurationError("A note is required: say what was done about it.")
        if action.state in SYNCED:
            # In any other state nothing is being sent, and whoever goes on finds it closed.
            self._refuse_work_in_progress(action)
        return self._submit(self.build_move(action, State.CLOSED, note=note.strip()))

    def approve(
        self,
        id_or_prefix: str,
        *,
        by: str,
        version: int | None = None,
        changes: Mapping[str, object] | None = None,
    ) -> Action:
        """Let a held call run. The process that has its code runs it, once.

        `version`: of the action as it was shown; if it has moved on since, nothing is approved.
        `changes`: arguments that the person has changed. They are held against the tool's schema
        and, where its code is here, the checks; what these refuse is not approved.
        """
        action = self._require_held(id_or_prefix)
        if version not in (None, action.version):
            raise ConfigurationError(
                f"{action.id} was shown at version {version} and is at {action.version}: it has "
                f"changed since. Check it again: mulligan show {action.id}"
            )
        told: dict[str, object] = {"by": by, "expires_at": self._find_last_run(action).isoformat()}
        shown = self.read_arguments(action) if changes else {}
        edit = build_edit(self._ask, action, changes, shown=shown) if changes else None
        if edit is not None:
            told |= {"changed": edit.changed, "checked": list(edit.checked)}
        keep = () if edit is None else edit.keep
        return self._submit(self.build_move(action, State.APPROVED, **told), keep=keep)

    def _find_last_run(self, held: Action) -> datetime:
        """Until when a held call can run that is approved now."""
        held_until = find_expiry(held.detail, changed_at=held.changed_at)
        return max(held_until, self._clock() + self._ask.settings.hold_life)

    def list_choices(self, action: Action) -> tuple[Choice, ...]:
        """What a person may do about an action now, the most likely first."""
        if action.state is State.HELD:
            acts = [] if self.is_expired(action) else [Act.APPROVE, Act.DENY]
        else:
            reversible = action.opening.effect is Effect.REVERSIBLE
            undoable = reversible and leads_to(action.state, State.UNDOING, by=By.PERSON)
            acts = [Act.UNDO] if undoable and action.state not in AT_WORK else []
            acts += [] if action.settled else [Act.SETTLE]
        until = f"{self._find_last_run(action):%Y-%m-%d %H:%M} UTC"
        does = {act: _NAMED.get((act, action.state), _DOES[act]) for act in acts}
        return tuple(Choice(act=act, does=text.format(until=until)) for act, text in does.items())

    def deny(self, id_or_prefix: str, *, by: str, note: str = "", replaced_by: str = "") -> Action:
        """Never run a held call. `replaced_by`: the call that was approved in its place."""
        action = self.find(id_or_prefix)
        if action.state is not State.APPROVED:
            # What was approved and not yet made can still be stopped; whoever makes it is quicker
            # or not, and the version says which.
            action = self._require_held(id_or_prefix)
        said = {"note": note, "replaced_by": replaced_by}
        told = {name: value for name, value in said.items() if value}
        return self._submit(self.build_move(action, State.DENIED, by=by, **told))

    def undo(
        self, id_or_prefix: str, *, by: str, ours: bool = False, after: Sequence[str] = ()
    ) -> Action:
        """Request an undo. The process that has the tool's code does it, under its version.

        `ours`: a person checked that a call with an unknown outcome wrote the current value; a
        change made after that check is left alone. `after`: later actions that are undone first.
        """
        action = self.find(id_or_prefix)
        self._require_undoable(action, ours=ours)
        told = {"claimed": True, "claimed_at": action.detail.get("now_at")} if ours else {}
        return self._submit(
            self.build_undo(action, by=by, why="It was asked for.", after=after, **told)
        )

    def build_undo(
        self, action: Action, *, by: str, why: str, after: Sequence[str] = (), **told: object
    ) -> Entry:
        """The request for an undo. One that was sent and failed is sent again, for a person says
        so; of one that was begun and whose end is unknown, what is known of it goes along."""
        before = action.detail.get("after")
        order = [*after, *(before if isinstance(before, list) else ())]
        kept = {"unheard_since"} | (OF_BEGUN if action.state is State.UNDOING else frozenset())
        known = {name: value for name, value in action.detail.items() if name in kept}
        if order:
            known["after"] = list(dict.fromkeys(order))
        return self.build_move(action, State.UNDOING, by=by, why=why, **(known | told))

    def _require_undoable(self, action: Action, *, ours: bool) -> None:
        """Refuse what cannot be undone, each with what can be done instead."""
        settle = f'correct it by hand, then `mulligan settle {action.id} --note "…"`.'
        if not leads_to(action.state, State.UNDOING, by=By.PERSON):
            raise ConfigurationError(
                f"{action.id} is {action.state}: there is nothing to undo. "
                f"`mulligan show {action.id}` says what happened."
            )
        self._refuse_work_in_progress(action)
        if action.opening.effect is not Effect.REVERSIBLE:
            raise ConfigurationError(
                f"{action.opening.tool} cannot be undone: "
                + ("correct it by hand." if action.settled else settle)
            )
        if self._vault.get(action.id, "arguments") is None:
            raise ConfigurationError(
                f"The values that undoing {action.id} needs have expired: "
                + ("correct it by hand." if action.settled else settle)
            )
        if action.state is State.NEEDS_HUMAN and not ours:
            raise ConfigurationError(
                f"It is unknown whether {action.id} happened. Check the current value: if this "
                f"call wrote it, `mulligan undo {action.id} --ours` restores the value before; "
                f"else {settle}"
            )
        if ours and action.state is not State.NEEDS_HUMAN:
            raise ConfigurationError(
                f"{action.id} is {action.state}, and what it wrote is known: leave out --ours."
            )

    def refuse_undo(self, action: Action) -> str:
        """Why a person's undo of it would be refused; empty: it would not."""
        try:
            self._require_undoable(action, ours=False)
        except ConfigurationError as error:
            return str(error)
        return ""

    def find(self, id_or_prefix: str) -> Action:
        """The action that an id, or the beginning of one, names; of several, the only open one."""
        wanted = id_or_prefix.strip().replace("-", "").lower()
        action = self._journal.find_action(wanted)
        if action is not None:
            return action
        near = self.search(ActionQuery(id_prefix=wanted, limit=MOST_LISTED)) if wanted else []
        open_ones = [each for each in near if not each.settled]
        for found in (open_ones, near):
            if len(found) == 1:
                return found[0]
        raise ConfigurationError(
            f"{id_or_prefix!r}: {self._describe_near(wanted, open_ones or near)}"
        )

    def search(self, query: ActionQuery) -> list[Action]:
        """Actions as a query wants them, settled or not, the newest first."""
        names, agent = NameLookup(self._redactor), query.agent
        whose = replace(
            query,
            tenant=names.find_tenant(query.tenant),
            agent=None if agent is None else names.find_label(agent),
        )
        return self._journal.list_actions(whose)

    def read_states(self, calls: Iterable[str]) -> dict[str, State]:
        """Where the actions of calls stand now, by the calls' ids; those of reads have none."""
        found = ((call, self._journal.find_action(call)) for call in calls)
        return {call: action.state for call, action in found if action is not None}

    def _describe_near(self, wanted: str, near: Sequence[Action]) -> str:
        if near:
            ids = ", ".join(each.id for each in near[:3])
            more = ", …" if near[3:] else ""
            return f"{len(near)} actions start with it ({ids}{more}): give more of the id."
        if wanted and self.search(ActionQuery(parent=wanted, limit=1)):
            return f"that is a bulk; its elements are actions: mulligan actions --bulk {wanted}"
        known = [each.id for each in self.search(ActionQuery(limit=MOST_LISTED))]
        # Most ids are given by their beginning, and are like the beginnings of others.
        begun = {each[: max(len(wanted), 1)]: each for each in reversed(known)}
        like = get_close_matches(wanted, begun, n=1, cutoff=0.75)
        hint = f" Did you mean {begun[like[0]]}?" if like else ""
        return (
            f"there is no such action.{hint} `mulligan open` and `mulligan actions` list the ids."
        )

    def _require_held(self, id_or_prefix: str) -> Action:
        action = self.find(id_or_prefix)
        if action.state is not State.HELD:
            who = f" It was decided by {by}." if (by := action.detail.get("by")) else ""
            raise ConfigurationError(f"{action.id} is {action.state}, not awaiting approval.{who}")
        if self.is_expired(action):
            raise ConfigurationError(f"{action.id}: {_EXPIRED}")
        return action

    def _refuse_work_in_progress(self, action: Action) -> None:
        # A requested undo belongs to no process until one starts it.
        at_work = action.state in AT_WORK and "by" not in action.detail
        if at_work and not self._journal.find_dead_writers({action.writer}):
            raise ConfigurationError(
                f"{action.id} is {action.state}, and a running application is working on it. "
                "Try again in a moment."
            )

    def build_move(self, action: Action, state: State, **detail: object) -> Entry:
        """What a person has decided, as the journal takes it."""
        check_step(action.id, action.state, state, by=By.PERSON)
        if not str(detail.get("by", "someone")).strip():
            raise ConfigurationError(f"Say who decides about {action.id}: by=… is empty.")
        # A person's own words may hold whatever they have just looked up.
        said = {k: hide_secrets(v) if isinstance(v, str) else v for k, v in detail.items()}
        at, version = self._clock(), action.version + 1
        return Entry(action=action.id, state=state, at=at, version=version, detail=said)

    def _submit(self, entry: Entry, *, keep: Sequence[Kept] = ()) -> Action:
        try:
            self._journal.submit([entry], keep=keep).result()
        except (StaleEntryError, IllegalTransitionError) as error:
            now = self.find(entry.action)
            who = f" by {by}" if (by := now.detail.get("by")) else ""
            raise type(error)(
                f"{now.id} was decided meanwhile: it is {now.state}{who}. What you decided was not "
                f"recorded. Details: mulligan show {now.id}"
            ) from error
        return self.find(entry.action)


class Act(StrEnum):
    """What a person may do about an open action."""

    APPROVE = "approve"
    DENY = "deny"
    UNDO = "undo"
    SETTLE = "settle"


class Choice(Struct, frozen=True, kw_only=True):
    """One thing that a person may do now, and what that will do."""

    act: Act
    does: str


class OpenItem(Struct, frozen=True, kw_only=True):
    """An open action as text."""

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
    """The detail of its latest entry."""
    expires_at: str
    """When a held call expires; else empty."""
    version: int
    """As it was shown: what has changed since is not approved."""
    choices: tuple[Choice, ...]


class OpenPage(Struct, frozen=True, kw_only=True):
    """Some of what needs attention, or of all that was done."""

    asked: ViewFilter
    paging: Paging
    states: Mapping[str, int]
    """How many stand where."""
    items: tuple[OpenItem, ...]


class Difference(Struct, frozen=True, kw_only=True):
    """One value that is not the same in every version."""

    name: str
    before: str
    ours: str
    theirs: str


class HistoryStep(Struct, frozen=True, kw_only=True):
    """One entry of the journal."""

    at: datetime
    state: State
    said: Mapping[str, Any]


class BriefLine(Struct, frozen=True, kw_only=True):
    """One thing that a person has to know before they decide."""

    name: str
    text: str


class ActionPage(Struct, frozen=True, kw_only=True):
    """One action with all that a person needs in order to decide."""

    item: OpenItem
    brief: tuple[BriefLine, ...]
    """What is decided about, the same on every surface: the request, who asked, what is given, what
    would change, whether it can be undone, until when."""
    settled: bool
    request: str
    """What the person had asked for, as long as that is kept, less secrets."""
    arguments: Mapping[str, Any]
    """Less secrets, as long as they are kept."""
    history: tuple[HistoryStep, ...]
    differences: tuple[Difference, ...]
    """The values before, ours, and in a conflict theirs; of a call that was not made: what is there
    now, and what it would write."""
    commands: tuple[str, ...]
    """The same choices as commands, a sentence each."""
    attempt: int = 1
    session: str = ""
    call: str | None = None
    contents: Mapping[str, Any] = field(default_factory=dict)
    editable: tuple[str, ...] = ()
    """The arguments with which it may be approved otherwise than it was asked for."""


WHO_RUNS = (
    "A running application that has its tool makes the call once, within seconds; while none is "
    "running, it waits for the next. A host whose agent has paused makes it when the agent goes on."
)
WHO_UNDOES = (
    "A running application that has its tool undoes it within seconds and verifies it; while none "
    "is running, it waits for the next."
)

_DOES: Mapping[Act, str] = {
    Act.APPROVE: f"{WHO_RUNS} If it has not run by {{until}}, it expires.",
    Act.DENY: "The call is never made.",
    Act.UNDO: f"{WHO_UNDOES} Another person's edit is never overwritten: then the action becomes a "
    "conflict.",
    Act.SETTLE: "The action is closed with your note. Nothing else changes.",
}
_NAMED: Mapping[tuple[Act, State], str] = {
    (Act.SETTLE, State.CONFLICT): "Their version stays, and the action is closed with your note.",
    (Act.SETTLE, State.DISPUTED): "It stays as it is, and the action is closed with your note.",
    (Act.SETTLE, State.APPROVED): "The approved call is never made.",
    (Act.UNDO, State.UNDO_FAILED): "The undo is tried again and verified.",
    (Act.UNDO, State.NEEDS_HUMAN): "If you checked that this call wrote the current value: the "
    "value before it is restored and verified.",
}


def build_item(listed: OpenList, action: Action) -> OpenItem:
    """An action as a line of the list."""
    action = listed.with_findings(action)
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
        version=action.version,
        choices=listed.list_choices(action),
    )


def read_open(ask: StoreReader, asked: ViewRequest) -> OpenPage:
    """One page of what needs attention."""
    listed, found = OpenList(ask, people=asked.decides), ask.list_open(asked.filter)
    return _build_page(listed, found, asked, whole=ask.has_all_open())


def read_done(ask: StoreReader, asked: ViewRequest) -> OpenPage:
    """One page of what agents changed in a span of time, settled or not, the newest first."""
    listed, whose = OpenList(ask, people=asked.decides), asked.filter
    query = ActionQuery(
        tenant=whose.tenant,
        tool=whose.tool_name,
        agent=None if whose.agent == UNNAMED else whose.agent,
        since=ask.clock() - whose.window.length,
        limit=MOST_LISTED,
    )
    found = listed.search(query)
    fitting = [each for each in found if whose.fits(each.opening)]
    return _build_page(listed, fitting, asked, whole=len(found) < MOST_LISTED)


def _build_page(
    listed: OpenList, found: Sequence[Action], asked: ViewRequest, *, whole: bool
) -> OpenPage:
    states, paging, shown = sort_out(found, lambda action: action.state.value, asked=asked)
    items = tuple(build_item(listed, action) for action in shown)
    paging = replace(paging, whole=whole)
    return OpenPage(asked=asked.filter, paging=paging, states=states, items=items)


def read_action(ask: StoreReader, asked: ViewRequest) -> ActionPage:
    """One action, settled or not, with all that a person needs in order to decide."""
    listed = OpenList(ask, people=asked.decides)
    story = listed.read_story(asked.id)
    action = story.action
    arguments, contents = listed.read_arguments(action), dict(story.contents)
    unread = ""
    if action.state is State.HELD and asked.decides and ask.read_now is not None:
        try:
            contents["now"] = ask.read_now(action)
        except ConfigurationError as error:
            unread = str(error)
    differences = (
        compare_with_now(contents["now"], arguments)
        if "now" in contents
        else compare_contents(contents)
    )
    item, request = build_item(listed, action), listed.read_request(action)
    decides = any(each.act is Act.APPROVE for each in item.choices) and asked.decides
    return ActionPage(
        item=item,
        brief=(
            *_describe_call(item, request=request, arguments=arguments),
            *_describe_change(differences, contents, unread=unread),
            *_describe_effect(item, expired=listed.is_expired(action)),
        ),
        settled=action.settled,
        request=request,
        arguments=arguments,
        history=build_history(story),
        differences=differences,
        commands=story.recipe,
        attempt=action.opening.attempt,
        session=action.opening.session,
        call=action.opening.call,
        contents=contents,
        editable=tuple(list_editable(ask, action, shown=arguments))
        if decides and arguments
        else (),
    )


def brief_held(listed: OpenList, action: Action) -> tuple[BriefLine, ...]:
    """What is decided about, as far as the store alone knows it: for a list of several."""
    item, given = build_item(listed, action), listed.read_arguments(action)
    request = listed.read_request(action)
    return (
        *_describe_call(item, request=request, arguments=given),
        *_describe_effect(item, expired=listed.is_expired(action)),
    )


def _describe_call(
    item: OpenItem, *, request: str, arguments: Mapping[str, object]
) -> Iterator[BriefLine]:
    yield BriefLine(name="What", text=item.what)
    yield BriefLine(name="Asked for", text=request or "nothing that is on record")
    whose = f", for the tenant {item.tenant}" if item.tenant else ""
    yield BriefLine(name="By", text=f"{item.agent or 'an unnamed agent'}{whose}")
    for name, value in arguments.items():
        yield BriefLine(name=f"Given {name}", text=_format_part(value))


def _describe_change(
    differences: Sequence[Difference], contents: Mapping[str, object], *, unread: str
) -> Iterator[BriefLine]:
    for each in differences:
        if each.ours and each.before:
            yield BriefLine(name=f"Changes {each.name}", text=f"{each.before} → {each.ours}")
    if "now" in contents and not differences:
        now = contents["now"]
        there = "nothing" if now is None else shorten(_format_part(now), most=MOST_SHOWN)
        yield BriefLine(name="There now", text=there)
    if unread:
        yield BriefLine(name="There now", text=unread)


def _describe_effect(item: OpenItem, *, expired: bool) -> Iterator[BriefLine]:
    yield BriefLine(name="Effect", text=_EFFECTS[item.effect])
    if item.expires_at:
        until = datetime.fromisoformat(item.expires_at).astimezone(UTC)
        then = _EXPIRED if expired else "then it expires"
        yield BriefLine(name="Until", text=f"{until:%Y-%m-%d %H:%M} UTC; {then}")


_EFFECTS: Mapping[Effect, str] = {
    Effect.READ: "changes nothing itself",
    Effect.REVERSIBLE: "reversible: it can be undone while nobody has changed it since",
    Effect.IRREVERSIBLE: "irreversible: once made, it cannot be undone",
    Effect.UNDECLARED: "undeclared: nothing is known to undo it",
}
MOST_SHOWN = 1_000
"""Characters of what is there now."""


def _format_part(value: object) -> str:
    return value if isinstance(value, str) else encode_json(value).decode()


def compare_with_now(now: object, arguments: Mapping[str, object]) -> tuple[Difference, ...]:
    """What is there beside what a call was given for it, each value of the same name that
    differs."""
    there, given = flatten_value(now), flatten_value(arguments)
    return tuple(
        Difference(name=name, before=there[name], ours=value, theirs="")
        for name, value in given.items()
        if name in there and there[name] != value
    )


def decide_action(ask: StoreReader, order: ActOrder) -> ActionPage:
    """Approve, deny, undo or settle; the log records who did."""
    listed, by, note = OpenList(ask, people=True), order.by, order.words.get("note", "")
    acts: dict[Act, Callable[[], Action]] = {
        Act.APPROVE: lambda: listed.approve(
            order.id,
            by=by,
            version=_read_version(order),
            changes=parse_changes(order.words.get("changes", "")),
        ),
        Act.DENY: lambda: listed.deny(order.id, by=by, note=note),
        Act.UNDO: lambda: listed.undo(
            order.id, by=by, ours=listed.find(order.id).state is State.NEEDS_HUMAN
        ),
        Act.SETTLE: lambda: listed.settle(order.id, note=note),
    }
    done = ask.acts.record(acts[Act(order.act)], by=by, what=f"{order.act} {order.id}")
    ask.cache.forget()
    return read_action(ask, ViewRequest(id=done.id, decides=True))


def _read_version(order: ActOrder) -> int | None:
    said = order.words.get("version", "")
    if said and not (said.isascii() and said.isdecimal()):
        raise ConfigurationError(f"{said!r} is no version; a page and its JSON show it.")
    return int(said) if said else None


def build_history(story: ActionStory) -> tuple[HistoryStep, ...]:
    """All that happened to an action."""
    return tuple(
        HistoryStep(at=e.at, state=e.state, said=drop_bookkeeping(e.detail)) for e in story.entries
    )


_BOOKKEEPING = frozenset(
    {"claimed", "claimed_at", "given_up", "seen", "undo_begun", "unheard_since"}
)
"""Of an entry's detail: what recovery goes on from, and tells no person anything."""


def drop_bookkeeping(detail: Mapping[str, object]) -> dict[str, object]:
    """An entry's detail as people read it."""
    return {name: value for name, value in detail.items() if name not in _BOOKKEEPING}


def compare_contents(contents: Mapping[str, object]) -> tuple[Difference, ...]:
    """Versions side by side, each value that differs between any two of them.

    Of what a call was given in place of a result, only what the others have too: it may be no
    part of what it wrote.
    """
    if len(contents) < 2:
        return ()
    versions = ("before", "ours", "theirs")
    flat = {n: flatten_value(contents[n]) if n in contents else {} for n in versions}
    if "given" in contents:
        there = flat["before"].keys() | flat["theirs"].keys()
        given = flatten_value(contents["given"])
        flat["ours"] = {name: value for name, value in given.items() if name in there}
    names = dict.fromkeys(name for version in flat.values() for name in version)
    rows = (
        Difference(name=name, **{whose: version.get(name, "") for whose, version in flat.items()})
        for name in names
    )
    # A version without a value tells nothing of it: a result is seldom all of what was written.
    return tuple(
        row
        for row in rows
        if (row.ours or row.theirs) and len({row.before, row.ours, row.theirs}) > 1
    )


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
