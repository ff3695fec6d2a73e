"""What is kept beside the journal: arguments and results of calls, what reviews found and said,
and what a late review will need.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import asdict, replace

from mulligan.codec import (
    LostValueError,
    Names,
    UndecodableError,
    decode_json,
    decode_named,
    decode_record,
    decode_value,
    encode_json,
    encode_named,
    encode_record,
    encode_value,
    from_plain,
    is_identical,
    print_value,
    read_edited,
    replace_lost,
    to_record,
)
from mulligan.runtime.declaration import Declaration
from mulligan.runtime.live_action import LiveAction
from mulligan.types.action import Action, Kept, Opening
from mulligan.types.call import Call, Execution, Outcome, Record, Snapshot
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Finding, Verdict
from mulligan.types.interfaces import Vault
from mulligan.types.reply import Reply
from mulligan.types.turn import NO_HISTORY, History, Speaker, Turn, Utterance

EXACT = ".exact"
"""Of the name of a row: the same value with all its types, where its annotations do not tell."""
LOST = b"null"
"""In the place of such a row: it cannot be had back."""


ASKED = "asked"
"""What an agent had asked for, where a person has approved its call with other arguments."""
ASKED_SAID = "asked said"
"""The sentence that its tool had for it then."""


def keep_arguments(action: LiveAction, *, to_run: bool = False) -> list[Kept]:
    """What its call was given. `to_run`: it is still to be made, with exactly that."""
    given, row = dict(action.record.arguments), Kept(owner=action.id, name="arguments", value=b"")
    hints = _find_argument_hints(action.declaration, action.opening)
    return _keep(action, row, value=given, hints=hints, to_run=to_run)


def keep_before(action: LiveAction) -> list[Kept]:
    """Its snapshot, where one was taken."""
    snapshot = action.record.snapshot
    if snapshot is None:
        return []
    row = Kept(owner=action.id, name="before", value=b"")
    return _keep(action, row, value=snapshot.state, hints={None: action.declaration.hints.before})


def keep_outcome(action: LiveAction, row: Kept, *, whole: bool = True) -> list[Kept]:
    """What it returned and the version it left, in a row of its own or in one of all its bulk."""
    version = {"version": action.record.version}
    came = {"result": action.record.result, **version} if whole else version
    hints = {"result": action.declaration.hints.result}
    try:
        return _keep(action, row, value=came, hints=hints)
    except ConfigurationError:
        # It has happened, and that is what must be written; some of it is known only here.
        action.originals[row.name] = came
        left = {name: replace_lost(value) for name, value in came.items()}
        shown = replace(row, value=encode_value(left))
        return [shown, _build_row(row, encode_named(left, at=row.name))]


def restore_edited(
    changes: Mapping[str, object], declaration: Declaration, opening: Opening
) -> tuple[dict[str, Any], list[str]]:
    """Arguments that a person has written, as the call will be given them, and a sentence for each
    that the annotations of the tool do not take, or not exactly."""
    hints = _find_argument_hints(declaration, opening)
    found, wrong = dict[str, Any](), list[str]()
    for name, value in changes.items():
        try:
            found[name] = read_edited(value, hints.get(name))
        except UndecodableError as error:
            wrong.append(f"{name}: {error}.")
    return found, wrong


def load_edited(vault: Vault, action: str) -> tuple[dict[str, object], dict[str, object]] | None:
    """What a person has changed of a call, and what it was given before, both as they are kept;
    `None`: it is as it was asked for."""
    kept = [vault.get(action, name) for name in (ASKED, "arguments")]
    before, after = (None if row is None else decode_value(row) for row in kept)
    if not isinstance(before, dict) or not isinstance(after, dict):
        return None
    changed = {n: v for n, v in after.items() if n not in before or not is_identical(before[n], v)}
    return changed, before


def keep_as_asked(vault: Vault, action: str, before: Mapping[str, object]) -> list[Kept]:
    """A call as its agent had asked for it, in place of what a person has made of it."""
    sentence = vault.get(action, ASKED_SAID)
    rows = {"arguments": encode_value(before), "said": sentence, ASKED: encode_value(None)}
    return [Kept(owner=action, name=n, value=v) for n, v in rows.items() if v is not None]


def is_exact(action: LiveAction) -> bool:
    """Whether another process could make its call with what it was given."""
    keep_arguments(action, to_run=True)
    return "arguments" not in action.originals


def load_record(
    action: Action, declaration: Declaration, *, vault: Vault, originals: Mapping[str, object]
) -> Record:
    """A call as its own process knew it; a `LostValueError` where that cannot be had."""
    opening = action.opening

    def load(name: str, hints: Names) -> Any:
        return originals[name] if name in originals else _load(vault, action.id, name, hints)

    given = load("arguments", _find_argument_hints(declaration, opening)) or {}
    outcome = {"result": declaration.hints.result}
    came = _load_outcome(vault, action.id, hints=outcome, originals=originals)
    if "result" not in came and opening.parent:
        came = _load_outcome(vault, opening.parent, hints=outcome, originals=originals) | came
    version = came.get("version")
    taken = "before" in originals or vault.get(action.id, "before") is not None
    return Record(
        # Earlier versions kept what is ours here too.
        arguments={name: value for name, value in given.items() if name not in declaration.ours},
        key=opening.key or action.id,
        result=came.get("result"),
        snapshot=Snapshot(load("before", {None: declaration.hints.before})) if taken else None,
        version=None if version is None else str(version),
    )


def _load_outcome(
    vault: Vault, owner: str, *, hints: Names, originals: Mapping[str, object]
) -> dict[str, object]:
    found = originals.get("result") or _load(vault, owner, "result", hints)
    return dict(found) if isinstance(found, dict) else {}


def _load(vault: Vault, owner: str, name: str, hints: Names) -> object:
    exact = vault.get(owner, name + EXACT)
    if exact == LOST:
        raise LostValueError(
            f"The {name} of {owner} cannot be restored from the store, and only the process that "
            "made the call has them: it needs attention. Annotate the tool's parameters."
        )
    changed = {} if exact is None else _load_exact(exact, hints)
    if None in changed:
        return changed[None]
    kept = vault.get(owner, name)
    back: Any = None if kept is None else _restore(decode_value(kept), hints)
    return {**back, **changed} if changed else back


def _load_exact(exact: bytes, hints: Names) -> dict[str | None, Any]:
    return decode_named(exact, lambda name, plain: from_plain(plain, hints.get(name)))


def _keep(
    action: LiveAction, row: Kept, *, value: object, hints: Names, to_run: bool = False
) -> list[Kept]:
    """A value as a person reads it, and exactly where that alone does not bring it back."""
    shown = replace(row, value=encode_value(value))
    changed = _find_changed(value, _restore(decode_value(shown.value), hints))
    if not changed:
        return [shown]
    exact = encode_named(changed, at=row.name)
    if not is_identical(_load_exact(exact, hints), changed):
        action.originals[row.name] = value
        exact = LOST if to_run else exact
    return [shown, _build_row(row, exact)]


def _find_changed(value: Any, back: Any) -> dict[str | None, object]:
    """What does not come back as it was, by name where there are names; `None`: all of it."""
    named = type(value) is dict and all(isinstance(name, str) for name in value)
    if not named or not isinstance(back, dict) or value.keys() != back.keys():
        return {} if is_identical(back, value) else {None: value}
    return {name: held for name, held in value.items() if not is_identical(back[name], held)}


def _build_row(row: Kept, value: bytes) -> Kept:
    return replace(row, name=row.name + EXACT, value=value)


def _restore(plain: object, hints: Names) -> object:
    if None in hints:
        return from_plain(plain, hints[None])
    if not isinstance(plain, dict):
        return plain
    return {name: from_plain(value, hints.get(name)) for name, value in plain.items()}


def _find_argument_hints(declaration: Declaration, opening: Opening) -> Names:
    """Of one element of a bulk, that of an element."""
    return declaration.hints.arguments if opening.parent else declaration.hints.call


_NAME = "findings"


class Rejection(str):
    """Reads as the names of the rules; whoever keeps it asks for what was found.

    A string, so that wherever a reason is written, joined or logged, no more than these names is.
    """

    __slots__ = ("found",)

    found: str
    """Quotes what was said and done."""

    def __new__(cls, findings: Iterable[Finding]) -> Self:
        """Say it in one line each way."""
        listed = list(findings)
        rejection = super().__new__(cls, "; ".join(dict.fromkeys(each.rule for each in listed)))
        rejection.found = "; ".join(f"{each.rule}: {each.describe()}" for each in listed)
        return rejection

    def with_lead(self, lead: str) -> Self:
        """The same behind a sentence that quotes nothing."""
        led = str.__new__(type(self), f"{lead} {self}")
        led.found = f"{lead} {self.found}"
        return led


def keep_findings(
    why: str, actions: Iterable[LiveAction], *, scrub: Callable[[str], str], until: datetime
) -> Sequence[Kept]:
    """What is kept of a rejection of actions, for the entry that each has next.

    Of a bulk once, and then until a time of its own.
    """
    if not isinstance(why, Rejection):
        return ()
    value = scrub(why.found).encode("utf-8", "replace")
    owners = {
        (each.opening.parent or each.id, each.version + 1): each.opening.parent is not None
        for each in actions
    }
    return [
        Kept(
            owner=owner,
            name=f"{_NAME} {version}",
            value=value,
            expires_at=until if shared else None,
        )
        for (owner, version), shared in owners.items()
    ]


def load_findings(vault: Vault, action: str, *, opening: Opening, version: int) -> str | None:
    """What was found, for the entry with that number; `None` when there was nothing or it ended."""
    kept = vault.get(opening.parent or action, f"{_NAME} {version}")
    return None if kept is None else kept.decode()


MOST = 20
"""Facts and findings of one review, the first."""
LONGEST = 2_000
LONGEST_CORRECTION = 8_000
MOST_ATTEMPTS = 50
"""Of one turn, whose reviews are looked for."""


class KeptFinding(Struct, frozen=True, kw_only=True):
    """One thing that was found."""

    rule: str
    severity: str
    source: str
    issue: str
    correction: str


class KeptReview(Struct, frozen=True, kw_only=True):
    """One review of one attempt."""

    attempt: int
    at: datetime
    late: bool
    """It was made after the turn had ended."""
    standing: str
    confidence: str
    """Empty: not reviewed, or no verdict."""
    by: tuple[str, ...]
    facts: tuple[str, ...]
    findings: tuple[KeptFinding, ...]
    told: str
    """The correction that the attempt was begun with; empty: it was the first."""


def keep_review(
    verdict: Verdict,
    *,
    turn: str,
    attempt: int,
    told: str,
    late: bool,
    at: datetime,
    until: datetime,
    scrub: Callable[[str], str],
) -> Kept:
    """A review as a value that ends."""

    def show(text: str | None, most: int = LONGEST) -> str:
        return scrub(text)[:most].encode("utf-8", "replace").decode() if text else ""

    kept = KeptReview(
        attempt=attempt,
        at=at,
        late=late,
        standing=verdict.standing.value,
        confidence=verdict.shown_confidence or "",
        by=verdict.by,
        facts=tuple(show(fact.about) for fact in verdict.facts[:MOST]),
        findings=tuple(
            KeptFinding(
                rule=show(each.rule),
                severity=each.severity.value,
                source=each.source.value,
                issue=show(each.describe()),
                correction=show(each.correction),
            )
            for each in verdict.findings[:MOST]
        ),
        told=show(told, LONGEST_CORRECTION),
    )
    name, value = _name_review(attempt, late=late), encode_record(kept).encode()
    return Kept(owner=turn, name=name, value=value, expires_at=until)


def load_reviews(vault: Vault, turn: str, *, attempts: int) -> Sequence[KeptReview]:
    """Every review of a turn that is still kept, in order; `attempts` are known to be there."""
    return sorted(_list_reviews(vault, turn, attempts=attempts), key=lambda each: each.at)


def _list_reviews(vault: Vault, turn: str, *, attempts: int) -> Iterator[KeptReview]:
    for number in range(1, MOST_ATTEMPTS + 1):
        found = [vault.get(turn, _name_review(number, late=late)) for late in (False, True)]
        if number > attempts and not any(found):
            return
        yield from (decode_record(KeptReview, each) for each in found if each is not None)


def _name_review(attempt: int, *, late: bool) -> str:
    return f"{'late ' if late else ''}review {attempt}"


MOST_EVIDENCE = 256 * 1024
"""Bytes of one action's evidence. What comes last is kept: it led to the action."""

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
    told = asdict(turn)
    del told["history"]
    if turn.vouched:
        del told["vouched"]
    head = encode_value(told | {"now": turn.now.isoformat()})
    now = _pack_executions(executions, room=MOST_EVIDENCE - len(head))
    before = _pack_executions(earlier, room=MOST_EVIDENCE - len(head) - len(now))
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


class UndeclaredCall(Struct, frozen=True, kw_only=True):
    """A call of which its effect is not declared, as the evidence of another has it."""

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
    """The calls of undeclared tools."""
    for shown in decode_json(evidence).get("undeclared", ()):
        yield to_record(UndeclaredCall, shown)


def _encode_undeclared(call: UndeclaredCall) -> bytes:
    head = encode_json({"id": call.id, "opening": call.opening, "came_back": call.came_back})
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


REPLY = "reply"
"""Of a reply among what is kept for a turn."""
MOST_RECORDED = 256 * 1024
"""Bytes of one recording. What a context holds beyond that is left out, from its end."""


class RecordedReply(Struct, frozen=True, kw_only=True):
    """What was asked, what was known, and what was written, try by try."""

    query: str
    context: tuple[str, ...]
    tries: tuple[str, ...]


def pack_reply(asked: Reply, tries: tuple[str, ...]) -> bytes:
    """A recording as the vault keeps it."""
    room = MOST_RECORDED - sum(len(text.encode(errors="replace")) for text in (asked.query, *tries))
    context: list[str] = []
    for passage in asked.context:
        room -= len(passage.encode(errors="replace"))
        if room < 0:
            break
        context.append(passage)
    return encode_json(
        RecordedReply(
            query=_replace_surrogates(asked.query),
            context=tuple(map(_replace_surrogates, context)),
            tries=tuple(map(_replace_surrogates, tries)),
        )
    )


def unpack_reply(kept: bytes) -> RecordedReply:
    """The recording as it was."""
    return decode_record(RecordedReply, kept)


def _replace_surrogates(text: str) -> str:
    # A lone surrogate has no bytes of its own.
    return text.encode("utf-8", "replace").decode()
