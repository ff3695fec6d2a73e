"""What a late review will need: the turn, and what its calls had shown, kept with an action."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any

import orjson

from mulligan.core.call import Call, Execution, Outcome
from mulligan.core.turn import Turn
from mulligan.turns.tools.kept_values import to_plain

MOST_BYTES = 256 * 1024
"""Of one action's evidence. What comes last is kept: it led to the action."""


def pack_evidence(
    turn: Turn, executions: Sequence[Execution], *, earlier: Sequence[Execution] = ()
) -> bytes:
    """The turn and what its calls returned, as far as that is JSON and fits.

    `earlier`: the calls of attempts before this one, which the agent has seen too.
    """
    head = _dumps({each.name: getattr(turn, each.name) for each in fields(turn)})
    now = _packed(executions, room=MOST_BYTES - len(head))
    before = _packed(earlier, room=MOST_BYTES - len(head) - len(now))
    return b'{"turn":' + head + b',"executions":' + now + b',"earlier":' + before + b"}"


def _packed(executions: Sequence[Execution], *, room: int) -> bytes:
    kept: list[bytes] = []
    for execution in reversed(executions):
        text = _dumps(_shown(execution))
        room -= len(text)
        if room < 0:
            break
        kept.insert(0, text)
    return b"[" + b",".join(kept) + b"]"


def turn_of(evidence: bytes) -> Turn:
    """The turn as it was."""
    about: dict[str, Any] = orjson.loads(evidence)["turn"]
    return Turn(**(about | {"now": datetime.fromisoformat(about["now"])}))


def executions_of(evidence: bytes, *, part: str = "executions") -> Iterable[Execution]:
    """The calls before the action, or those of `earlier` attempts, with what they returned."""
    turn = turn_of(evidence)
    for shown in orjson.loads(evidence).get(part, ()):
        yield execution_of(turn, shown)


def execution_of(turn: Turn, shown: Mapping[str, Any]) -> Execution:
    """An execution from its plain form."""
    return Execution(
        call=Call(
            id=shown["id"],
            tool=shown["tool"],
            server=shown["server"],
            arguments=shown["arguments"],
            agent=turn.agent,
            context=turn.context,
            tenant=turn.tenant,
            turn=turn.id,
        ),
        outcome=Outcome(shown["outcome"]),
        at=datetime.fromisoformat(shown["at"]),
        duration=timedelta(),
        result=shown["result"],
    )


def _shown(execution: Execution) -> dict[str, object]:
    call = execution.call
    return {
        "id": call.id,
        "tool": call.tool,
        "server": call.server,
        "arguments": call.arguments,
        "outcome": execution.outcome.value,
        "at": execution.at,
        "result": execution.result,
    }


def _dumps(value: Mapping[str, object]) -> bytes:
    try:
        return orjson.dumps(value, default=_as_text, option=orjson.OPT_NON_STR_KEYS)
    except (TypeError, RecursionError):
        # Lone surrogates, integers beyond 64 bits, depth without end: text will do.
        return orjson.dumps({name: _printable(part) for name, part in value.items()})


def _printable(value: object) -> object:
    if isinstance(value, Mapping):
        return {_text(name): _text(part) for name, part in value.items()}
    return _text(value)


def _text(value: object) -> str:
    return str(value)[:1000].encode("utf-8", "replace").decode()


def _as_text(value: object) -> object:
    """A value of any kind. What is no JSON becomes text: a review can still look for it there."""
    try:
        return to_plain(value)
    except TypeError:
        return _text(value)
