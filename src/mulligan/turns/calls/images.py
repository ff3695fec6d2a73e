"""The actions that a call consists of: their pre-images, and the condition it is made under."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from mulligan.core.action import Opening
from mulligan.core.display.size import is_tame
from mulligan.core.effect import Effect
from mulligan.core.errors import ConfigurationError
from mulligan.core.record import Image, Record
from mulligan.core.runtime.points import Point, reach
from mulligan.turns.calls.live import LiveCall
from mulligan.turns.calls.rows import log_settled
from mulligan.turns.journal.live_action import LiveAction
from mulligan.turns.turn.context import OpenTurn, name_outer_attempt
from mulligan.undo.abilities import call_ability, read_version


async def read_images(call: LiveCall, turn: OpenTurn) -> list[LiveAction]:
    """The actions a reversible call consists of, each with its pre-image."""
    each, runtime = call.tool.declaration.each, call.tool.runtime
    given = dict(call.arguments)
    elements = given.get(each) if each is not None else None
    if each is None or not isinstance(elements, (list, tuple)) or not elements:
        parts, ids, parent = [given], [call.id], None
    else:
        parts = [given | {each: element} for element in elements]
        ids = [runtime.make_id(runtime.wall_us()) for _ in parts]
        parent = call.id
    actions = [
        build_action(call, turn, arguments=part, id=name, parent=parent)
        for part, name in zip(parts, ids, strict=True)
    ]
    before, within = (
        call.tool.declaration.abilities.before,
        call.tool.declaration.answers_within,
    )
    if before is not None:
        for action in actions:
            # A copy: the tool may change the very object that it was read from.
            seen = copy_value(await call_ability(before, action.record, within=within))
            action.record = replace(action.record, image=Image(seen))
    if len(actions) == 1:
        call.record = actions[0].record
    await reach(Point.IMAGED)
    return actions


async def require_version(call: LiveCall, actions: Sequence[LiveAction]) -> None:
    """Have the call refused unless all is as its pre-images were read, where its tool can say so.

    Where nothing was there, the condition is that nothing is: else the call must not go on.
    """
    declared = call.tool.declaration
    name = declared.if_version
    if name is None:
        return
    versions = [
        await read_version(action.record.before, record=action.record, abilities=action.abilities)
        for action in actions
    ]
    absent = [action.record.before is None for action in actions]
    if any(absent):
        if declared.if_absent is None:
            raise ConfigurationError(
                f"nothing is there that {declared.tool} could be bound to, and it declares no "
                "if_absent=… by which it must stay so"
            )
        call.add_argument(declared.if_absent, absent if _is_bulk(actions) else absent[0])
    for action, version in zip(actions, versions, strict=True):
        action.if_version = version
    call.add_argument(name, versions if _is_bulk(actions) else versions[0])


def build_action(
    call: LiveCall,
    turn: OpenTurn,
    *,
    arguments: Mapping[str, object],
    id: str,  # noqa: A002
    effect: Effect = Effect.REVERSIBLE,
    parent: str | None = None,
) -> LiveAction:
    """One action of a call, with copies of all that it was given."""
    declaration = call.tool.declaration
    opening = Opening(
        tool=declaration.tool,
        server=declaration.server,
        effect=effect,
        repeat=declaration.repeat,
        agent=call.labels.agent,
        tenant=call.labels.tenant,
        turn=turn.id,
        attempt=turn.attempt.number,
        outer=name_outer_attempt(turn),
        call=call.id,
        parent=parent,
        key=call.key,
        binding=call.tool.mark,
        durable=turn.root.durable,
    )
    return LiveAction(
        id=id,
        opening=opening,
        declaration=declaration,
        record=Record(arguments=copy_value(dict(arguments)), key=opening.key or id),
        opened_at=call.tool.runtime.book.clock(),
        call_arguments=call.keep_asked(copy_value),
        on_settled=partial(log_settled, call.tool),
        belongs=call.belongs,
    )


def split_result(result: object, actions: Sequence[LiveAction]) -> list[object]:
    """What a call returned, as our own; of a bulk, by element where it has as many parts."""
    own = copy_value(result)
    if _is_bulk(actions) and isinstance(own, (list, tuple)) and len(own) == len(actions):
        return list(own)
    return [own] * len(actions)


def _is_bulk(actions: Sequence[LiveAction]) -> bool:
    return any(action.opening.parent for action in actions)


def copy_value(value: Any) -> Any:
    """A value that nobody else can change; what cannot be copied comes back as it is."""
    try:
        return copy.deepcopy(value) if is_tame(value) else value
    except Exception:  # noqa: BLE001 - locks, sockets and cursors refuse in ways of their own
        return value
