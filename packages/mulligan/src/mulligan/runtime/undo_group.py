"""Actions that a person wants undone together: which waits for which, and what each would come to.

The request is on disk as a whole before anything is sent, and recovery carries it out: a process
that is killed in the middle leaves the rest to the next one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace as replace_live
from datetime import datetime

from msgspec.structs import replace

from mulligan.codec import decode_json, encode_json
from mulligan.runtime.context import leave_turns
from mulligan.runtime.journal import SHARED_LIFE, JournalWriter
from mulligan.runtime.live_action import LiveAction, read_order
from mulligan.runtime.rollback import assess_undo, is_told_by_version, line_up, list_outer
from mulligan.runtime.toolbox import Toolbox
from mulligan.runtime.undo import find_made_ids, find_named_ids
from mulligan.types.action import (
    GONE,
    STILL_THERE,
    Action,
    ActionQuery,
    Foreseen,
    Kept,
    State,
    read_all,
)

REQUEST = "request"
"""By what name an entry says which request it belongs to."""
_MEMBERS = "members"


def keep_members(request: str, names: Sequence[str], *, now: datetime) -> Kept:
    """Which actions were asked for together, for whoever carries it out."""
    value, until = encode_json(list(names)), now + SHARED_LIFE
    return Kept(owner=request, name=_MEMBERS, value=value, expires_at=until)


def order_requested(
    due: Sequence[Action], *, book: JournalWriter, toolbox: Toolbox
) -> list[Action]:
    """The same actions. Those of a request learn what they wait for, by what their tools know."""
    requests = {str(name) for each in due if (name := each.detail.get(REQUEST))}
    waits: dict[str, tuple[str, ...]] = {}
    for request in requests:
        kept = book.vault.get(request, _MEMBERS)
        members = [] if kept is None else [str(each) for each in decode_json(kept)]
        found = [book.journal.find_action(each) for each in members]
        group = _take_up([each for each in found if each is not None], book=book, toolbox=toolbox)
        known = {each.id for each in group}
        for action in group:
            # Of what this application has not, nothing says that it is about another object.
            strange = [each for each in members if each not in known and each > action.id]
            waits[action.id] = (*action.after, *strange)
    return [
        replace(each, detail={**each.detail, "after": list(waits[each.id])})
        if each.id in waits and each.detail.get(REQUEST)
        else each
        for each in due
    ]


async def foresee(
    actions: Sequence[Action], *, book: JournalWriter, toolbox: Toolbox
) -> dict[str, Foreseen]:
    """What an undo of all of them would come to, by looking at what is there; nothing is sent.

    What this application has no code for is left out.
    """
    group = await asyncio.to_thread(_take_up, actions, book=book, toolbox=toolbox)
    among = {each.id: each for each in group}
    seen: dict[str, Foreseen] = {}
    with leave_turns():
        for place, action in enumerate(group):
            blocked = await asyncio.to_thread(_find_blocker, action, seen, book)
            if blocked:
                why = f"{blocked} came after it and would not be undone."
                seen[action.id] = Foreseen(state=State.UNDO_FAILED, why=why)
                continue
            later = next((e for e in reversed(group[:place]) if e.objects & action.objects), None)
            shown = action if later is None else _show(later.record.before, to=action)
            state, why = await assess_undo(shown, among=among, book=book)
            seen[action.id] = Foreseen(state=state, why=book.scrub(why))
    return seen


def _take_up(
    actions: Sequence[Action], *, book: JournalWriter, toolbox: Toolbox
) -> list[LiveAction]:
    """The latest first, each with those that it waits for: of the group, and of what came later."""
    ordered = sorted(actions, key=read_order, reverse=True)
    taken = [toolbox.take_up(each, book.vault) for each in ordered]
    group = [each for each in taken if each is not None]
    if not group:
        return []
    line_up(group)
    names = {each.id for each in group}
    for tenant in {each.opening.tenant for each in group}:
        query = ActionQuery(tenant=tenant, since=group[-1].opened_at, states=STILL_THERE)
        every = read_all(book.journal.list_actions, query)
        found = (each for each in every if each.id not in names)
        others = [o for each in found if (o := toolbox.take_up(each, book.vault)) is not None]
        for action in group:
            built = [other.id for other in others if _builds_on(other, action)]
            action.after = tuple(dict.fromkeys((*action.after, *built)))
    return group


def _builds_on(later: LiveAction, action: LiveAction) -> bool:
    """Whether a call came after another and is about its object, one in it, or what it made."""
    if read_order(later) <= read_order(action) or later.opening.tenant != action.opening.tenant:
        return False
    about = later.objects | set(list_outer(later.objects))
    if about & action.objects:
        return True
    if later.opening.server != action.opening.server:
        return False
    if not (action.objects or later.objects or is_told_by_version(action)):
        # Neither says what it is about, and no version would tell: it may be the same.
        return True
    return bool(find_made_ids(action.record) & find_named_ids(later.record))


def _find_blocker(action: LiveAction, seen: Mapping[str, Foreseen], book: JournalWriter) -> str:
    """The tool of a call that it waits for in vain; empty: none."""
    for name in action.after:
        later = book.journal.find_action(name)
        if later is None or later.state in GONE:
            continue
        if name not in seen or seen[name].state is not State.UNDONE:
            return later.opening.tool
    return ""


def _show(before: object, *, to: LiveAction) -> LiveAction:
    """An action that finds what a later one had found, as once that one is undone."""
    callbacks = replace(to.callbacks, read=lambda _: before)
    return replace_live(to, declaration=replace(to.declaration, callbacks=callbacks))
