"""What a late review will need: the turn, and what its calls had shown, kept with an action."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any

from mulligan.codec.json_text import decode_json, encode_json
from mulligan.codec.values import encode_value, print_value
from mulligan.core.action import Opening
from mulligan.core.call import Call, Execution, Outcome
from mulligan.core.effect import Effect, Repeat
from mulligan.core.history import NO_HISTORY, History, Speaker, Utterance
from mulligan.core.interfaces import Vault
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.turn import Turn

MOST_BYTES = 256 * 1024
"""Of one action's evidence. What comes last is kept: it led to the action."""

MOST_CONVERSATION = 64 * 1024
"""Of the conversation before a turn, the newest of it."""

_MOST_ARGUMENTS = 64 * 1024
"""Of what one undeclared call was given, before it is cut."""


def pack_evidence(
    turn: Turn,
    executions: Sequence[Execution],
    *,
    earlier: Sequence[Execution] = (),
    history: History = NO_HISTORY,
    undeclared: Sequence[UndeclaredCall] = (),
    previous: str | None = None,
) -> bytes:
    """The turn and what its calls returned, as far as that is JSON and fits.

    `earlier`: the calls of attempts before this one, which the agent has seen too; `history`: the
    conversation before the turn. `undeclared`:
    what stands and is on no record, should the attempt be rejected. `previous`: whose evidence goes
    before this.
    """
    told = {each.name: getattr(turn, each.name) for each in fields(turn) if each.name != "history"}
    if turn.vouched:
        del told["vouched"]
    head = encode_value(told | {"now": turn.now.isoformat()})
    now = _pack_executions(executions, room=MOST_BYTES - len(head))
    before = _pack_executions(earlier, room=MOST_BYTES - len(head) - len(now))
    more = _pack_history(history) if history else b""
    if undeclared:
        more += b',"undeclared":[' + b",".join(map(_encode_undeclared, undeclared)) + b"]"
    if previous is not None:
        more += b',"previous":' + encode_json(previous)
    return b'{"turn":' + head + b',"executions":' + now + b',"earlier":' + before + more + b"}"


def _pack_executions(executions: Sequence[Execution], *, room: int) -> bytes:
    return (
        b"["
        + b",".join(_fit((_encode_execution(each) for each in reversed(executions)), room))
        + b"]"
    )


def _pack_history(history: History) -> bytes:
    plain = (
        {"by": each.by.value, "text": each.text}
        if isinstance(each, Utterance)
        else _encode_execution(each)
        for each in reversed(history.entries)
    )
    told = [{"by": Speaker.APPLICATION.value, "text": text} for text in history.told]
    kept = _fit((*told, *plain), MOST_CONVERSATION)
    left_out = history.left_out + len(history.entries) + len(told) - len(kept)
    left_out = max(left_out, int(history.is_partial))
    return b',"history":[' + b",".join(kept) + b'],"left_out":' + encode_json(left_out)


def _fit(newest_first: Iterable[Mapping[str, object]], room: int) -> list[bytes]:
    """As many as there is room for, the oldest of them first."""
    kept: list[bytes] = []
    for plain in newest_first:
        text = encode_value(plain)
        room -= len(text)
        if room < 0:
            break
        kept.insert(0, text)
    return kept


@dataclass(frozen=True, slots=True, kw_only=True)
class UndeclaredCall:
    """A call of which nobody declared what it does, as the evidence of another has it."""

    id: str
    opening: Opening
    arguments: Mapping[str, object]
    came_back: bool


def load_trail(vault: Vault, owners: Iterable[str]) -> list[bytes]:
    """All evidence of an attempt that some of its actions lead to, also by way of those that have
    come to nothing since."""
    left, seen, found = list(owners), set[str](), list[bytes]()
    while left:
        owner = left.pop()
        evidence = None if owner in seen else vault.get(owner, "evidence")
        seen.add(owner)
        if evidence is None:
            continue
        parts = [evidence]
        while (part := vault.get(owner, name_trail(len(parts)))) is not None:
            parts.append(part)
        following = vault.get(owner, FOLLOWING)
        previous = decode_json(evidence).get("previous")
        left += [previous] if previous else []
        left += [following.decode()] if following is not None else []
        found += parts
    return found


LET_RUN = "let run"
"""By what name it is kept with an action that a person has let it run, where it was not held."""

FOLLOWING = "following"
"""By what name it is kept whose evidence goes on where an action's ends."""


def name_trail(number: int) -> str:
    """By what name it is kept what came after the evidence of an action, the first as number 1."""
    return f"trail {number}"


def decode_undeclared(evidence: bytes) -> Iterator[UndeclaredCall]:
    """The calls of which nobody declared what they do."""
    for shown in decode_json(evidence).get("undeclared", ()):
        about = shown["opening"]
        effect, repeat = Effect(about["effect"]), Repeat(about["repeat"])
        yield UndeclaredCall(
            id=shown["id"],
            opening=Opening(**(about | {"effect": effect, "repeat": repeat})),
            arguments=shown["arguments"],
            came_back=shown["came_back"],
        )


def _encode_undeclared(call: UndeclaredCall) -> bytes:
    opening = call.opening
    about = {each.name: getattr(opening, each.name) for each in fields(opening)}
    about |= {"effect": opening.effect.value, "repeat": opening.repeat.value}
    head = encode_json({"id": call.id, "opening": about, "came_back": call.came_back})
    given = encode_value(dict(call.arguments))
    if len(given) > _MOST_ARGUMENTS:
        given = encode_json({name: print_value(part) for name, part in call.arguments.items()})
    return head[:-1] + b',"arguments":' + given + b"}"


def decode_turn(evidence: bytes) -> Turn:
    """The turn as it was."""
    about: dict[str, Any] = decode_json(evidence)["turn"]
    return Turn(**(about | {"now": datetime.fromisoformat(about["now"])}))


def decode_history(evidence: bytes, turn: Turn) -> History:
    """The conversation before the turn, as far as it was kept with this evidence."""
    plain = decode_json(evidence)
    entries = (
        Utterance(by=Speaker(shown["by"]), text=shown["text"])
        if "by" in shown
        else _decode_execution(turn, shown)
        for shown in plain.get("history", ())
    )
    return History(entries, left_out=plain.get("left_out", 0))


def decode_executions(evidence: bytes, *, part: str = "executions") -> Iterable[Execution]:
    """The calls before the action, or those of `earlier` attempts, with what they returned."""
    turn = decode_turn(evidence)
    for shown in decode_json(evidence).get(part, ()):
        yield _decode_execution(turn, shown)


def _decode_execution(turn: Turn, shown: Mapping[str, Any]) -> Execution:
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


def _encode_execution(execution: Execution) -> dict[str, object]:
    call = execution.call
    return {
        "id": call.id,
        "tool": call.tool,
        "server": call.server,
        "arguments": call.arguments,
        "outcome": execution.outcome.value,
        "at": execution.at.isoformat(),
        "result": execution.result,
    }


def load_evidence(vault: Vault, opening: Opening, *, action: str) -> bytes | None:
    """What was kept for a late review of an action; of a bulk, once for all its elements."""
    own = vault.get(action, "evidence")
    return vault.get(opening.parent, "evidence") if own is None and opening.parent else own
