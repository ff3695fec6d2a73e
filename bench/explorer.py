"""Every history of one action that the journal's table allows: two processes, a remote, a person.

Which state follows on which, who may take the step and what is on disk before anything is sent are
read from `types/action.JOURNAL`. What follows from an error, a look, a review or an undo is asked
of the functions that turns and recovery ask. Written here is only in which order a process asks,
and what may come between: a crash, a power cut, a lease that runs out, an edit, a late or lost
answer.

It rests on what the promises rest on: a request lands within `lands_within` or never, and a process
that was given up between its last look at its lease and the sending lives until it has told.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from msgspec import Struct

from mulligan.runtime import undo as undoing
from mulligan.runtime.assessment import (
    Undone,
    UndoPolicy,
    assess_current,
    doubt_restored,
    find_contradiction,
)
from mulligan.runtime.declaration import Declaration
from mulligan.runtime.probe import ProbeResult, conclude, probe
from mulligan.runtime.recovery import UNDER_UNDO, is_left_behind
from mulligan.types import action
from mulligan.types.action import AWAITING_REVIEW, HOLDS, UNCERTAIN, By, Request, State, UndoResult
from mulligan.types.call import Record, Snapshot, ToolCallbacks
from mulligan.types.effect import Effect, ProbeBy, Repeat
from mulligan.types.errors import ConflictError
from mulligan.types.failure import ErrorClass, Move
from mulligan.types.finding import Confidence, Finding, Severity, Source, Standing, Verdict
from mulligan.types.policy import Failed, Step, choose_move, decide

NOBODY, A_PERSON = -1, 2
MOST_TRIES = 2
"""Of a call, and of recovery, which makes five: those after the second are like it."""
OURS, THEIRS, BEFORE = "ours", "theirs", "before"
SILENT, REFUSED = "silent", "refused"
FOR_A_PERSON = frozenset({State.DISPUTED, State.CONFLICT, State.NEEDS_HUMAN})


class Kept(NamedTuple):
    """The action's row in the journal, with what its entries keep."""

    state: State | None = None
    writer: int = NOBODY
    tries: int = 0
    left: int | None = None
    """The version that its call left, where that is known."""
    unheard: bool = False
    """A try of it gave no answer, and the remote does not tell it from another one."""
    final: bool = False
    """It was given up so long ago that nothing of it is on its way any more."""
    begun: bool = False
    seen: bool = False
    for_a_person: bool = False
    approved: bool = False
    delivered: bool = False


class Remote(NamedTuple):
    """The object, and what really happened to it."""

    content: str = BEFORE
    version: int = 1
    made: int = 0
    """How often the call took effect."""
    overwritten: bool = False
    """A person's edit is gone, by an undo of ours."""

    def tell(self) -> dict[str, str]:
        """What a read returns."""
        return {"title": self.content, "version": str(self.version)}


class Sent(NamedTuple):
    """A request on its way."""

    what: Request
    by: int
    """Who waits for its answer."""
    version: int | None
    """The version that it is bound to."""
    given_up: bool = False
    """Who sent it had been given up, and has not told of it."""


class Process(NamedTuple):
    """What one process is about to do, and what it believes."""

    at: str = "idle"
    state: State | None = None
    by: str = "OWNER"
    fresh: bool = True
    """Nobody else has written since it read or wrote: the version of its next entry fits."""
    given_up: bool = False
    tries: int = 0
    heard: Any = None
    """An answer, what an undo found before it, or what is to be written next."""
    in_turn: bool = False


class World(NamedTuple):
    """All of it at one moment."""

    row: Kept = Kept()
    synced: Kept = Kept()
    """What a power cut leaves of the row."""
    remote: Remote = Remote()
    net: tuple[Sent, ...] = ()
    processes: tuple[Process, Process] = (Process(at="open", in_turn=True), Process())
    blows: int = 2
    """How often something may come between: a crash, a sleep, an edit, a decision of a person."""

    def move(self, who: int, **changes: Any) -> World:
        """The same with one process elsewhere."""
        first, second = self.processes
        if who:
            return self._replace(processes=(first, second._replace(**changes)))
        return self._replace(processes=(first._replace(**changes), second))

    def kill(self, who: int) -> World:
        """A process ends, and another is started in its place."""
        row = self.row._replace(writer=NOBODY) if self.row.writer == who else self.row
        return self._replace(row=row).stop_waiting(who).move(who, **Process()._asdict())

    def stop_waiting(self, who: int) -> World:
        """What it sent is on its way, and it does not wait for the answer."""
        net = (each._replace(by=NOBODY) if each.by == who else each for each in self.net)
        return self._replace(net=tuple(net))

    def is_under_way(self, *, in_time: bool = False) -> bool:
        """Whether a call is on its way: one that lands in time, or any."""
        calls = [each for each in self.net if each.what is Request.CALL]
        return any(not (in_time and each.given_up) for each in calls)

    def owes_word(self, who: int) -> bool:
        """Whether a process has sent its call and will still tell its result."""
        process = self.processes[who]
        trying = process.at in ("check", "send") and process.tries > 0
        return trying or process.at in ("wait", "failed", "probe", "answered", "late")


Steps = Iterator[tuple[str, World]]


class BrokenError(Exception):
    """A promise, or a rule of the journal, that did not hold."""


class Tool(Struct, frozen=True, kw_only=True, dict=True):
    """What the tool of the action is like."""

    effect: Effect = Effect.REVERSIBLE
    repeat: Repeat = Repeat.ONCE
    versioned: bool = True
    probed: bool = False
    bound: bool = True
    """Its call is refused where the object is not as it was read."""
    compares: bool = True
    """Its undo is refused where the object is not as the call left it."""

    @cached_property
    def declaration(self) -> Declaration:
        """As its author would declare it."""
        callbacks = ToolCallbacks(
            before=lambda _: _there[0].tell(),
            undo=lambda _: None,
            probe=(lambda _: _there[0].tell() if _there[0].made else None) if self.probed else None,
            version=(lambda record: dict(record.result)["version"]) if self.versioned else None,
        )
        by = ProbeBy.CALL if self.probed else ProbeBy.STATE
        return Declaration(
            tool="move", effect=self.effect, repeat=self.repeat, callbacks=callbacks, probe_by=by
        )


TOOLS: Mapping[str, Tool] = {
    "versioned": Tool(),
    "keyed": Tool(repeat=Repeat.KEYED, probed=True, bound=False),
    "idempotent": Tool(repeat=Repeat.IDEMPOTENT, bound=False),
    "unversioned": Tool(versioned=False, bound=False),
    "irreversible": Tool(effect=Effect.IRREVERSIBLE, probed=True, bound=False),
}

_there: list[Remote] = [Remote()]
"""What the tool's own functions find: they are called in the middle of a step, and at once."""


def _run(work: Coroutine[Any, Any, Any], remote: Remote) -> Any:
    """Run something of ours that waits for nothing but its tool."""
    _there[0] = remote
    try:
        work.send(None)
    except StopIteration as done:
        return done.value
    raise BrokenError("a step of the model waited for something else than its tool")


def _reject(source: Source) -> Verdict:
    wrong = Finding(
        rule="event.wrong", severity=Severity.ERROR, issue="It is wrong.", source=source
    )
    return Verdict(standing=Standing.REJECTED, findings=(wrong,), confidence=Confidence.HIGH)


VERDICTS = (
    Verdict(standing=Standing.ACCEPTED, confidence=Confidence.HIGH),
    Verdict(standing=Standing.UNCHECKED, confidence=None),
    Verdict(standing=Standing.UNREVIEWED, confidence=None),
    _reject(Source.CHECK),
    _reject(Source.JUDGE),
)


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What the model goes by: table and decisions as they are, or with a mistake in them."""

    table: Mapping[State | None, action.Row] = field(default_factory=lambda: action.JOURNAL)
    synced: Collection[State] = action.SYNCED
    state_after: Mapping[UndoResult, State] = field(default_factory=lambda: action.STATE_AFTER)
    look: Callable[..., Any] = probe
    conclude: Callable[..., State | None] = conclude
    choose_move: Callable[[Failed], Move] = choose_move
    decide: Callable[..., Step] = decide
    is_left_behind: Callable[..., bool] = is_left_behind
    assess_current: Callable[..., Undone | None] = assess_current
    prove: Callable[..., Any] = undoing.verify
    doubt_restored: Callable[[Undone], Undone] = doubt_restored
    find_contradiction: Callable[..., str] = find_contradiction
    fenced: bool = True
    """The journal refuses an entry whose version does not fit, and one of who was given up."""
    leased: Collection[str] = ("first", "later", "undo")
    """Before which requests it is looked at the lease: a first try, a later one, an undo."""
    told: bool = True
    """A call that comes back to who was given up is told of."""
    restamped: bool = True
    """And it counts as given up only then."""
    tool: Callable[[Tool], Tool] = lambda tool: tool


class Model:
    """The steps of one tool's action under some rules."""

    def __init__(self, tool: Tool, rules: Rules) -> None:
        self.tool, self.rules = rules.tool(tool), rules
        self._answers: dict[Any, Any] = {}
        self._allowed = {
            (str(by.name), state): [after for after, takers in row.to.items() if by in takers]
            for by in By
            for state, row in rules.table.items()
        }
        self._unsettled = {state for state, row in rules.table.items() if state and not row.settled}

    def go_on(self, world: World) -> Steps:
        """What follows by itself, without a blow or a decision of a person."""
        for who, process in enumerate(world.processes):
            for name, after in getattr(self, f"_{process.at}")(world, who, process):
                yield f"{who} {name}", after
        yield from self._deliver(world)
        row = world.row
        waits = not row.final and (row.state is State.UNKNOWN or row.unheard)
        if waits and not world.is_under_way(in_time=True):
            yield "time passes", world._replace(row=row._replace(final=True))

    def _write(
        self, world: World, who: int, after: State, then: str = "idle", *, refused: str = "idle",
        heard: Any = None, **kept: Any,
    ) -> World:  # fmt: skip
        """An entry of a process, which goes on at `then`; at `refused`, if it is not accepted."""
        process = world.processes[who]
        if after not in self._allowed[process.by, process.state]:
            raise BrokenError(
                f"{process.by} takes it from {process.state} to {after}: no such step"
            )
        stale = process.given_up and process.by == "OWNER"
        if self.rules.fenced and (stale or not process.fresh):
            return world.move(who, at=refused if self.rules.told else "idle", in_turn=False)
        if stale:
            raise BrokenError(f"{after} is written by a process that was given up")
        before = world.row.state
        owed = before is None or before in self._unsettled or before is State.NOT_EXECUTED
        if not owed:
            raise BrokenError(f"{after} is written over {before}, which is settled")
        world = self._enter(world, who, after, **kept)
        return world.move(
            who, at=then, state=after, by="OWNER", fresh=True, given_up=False, heard=heard, tries=0,
            in_turn=process.in_turn and then != "idle",
        )  # fmt: skip

    def _enter(self, world: World, writer: int, after: State, **kept: Any) -> World:
        row = world.row._replace(state=after, writer=writer, **kept)
        first, second = (each._replace(fresh=False) for each in world.processes)
        synced = row._replace(writer=NOBODY) if after in self.rules.synced else world.synced
        return world._replace(row=row, synced=synced, processes=(first, second))

    def _ask(self, *question: Any, answer: Callable[[], Any]) -> Any:
        """What the code answers, asked once."""
        if question not in self._answers:
            self._answers[question] = answer()
        return self._answers[question]

    # A call or an undo on its way

    def _open(self, world: World, who: int, _: Process) -> Steps:
        if self.rules.table[None].sends:
            yield "writes nothing", world.move(who, at="check")
        elif self.tool.effect is Effect.IRREVERSIBLE:
            yield "holds it", self._write(world, who, State.HELD)
        else:
            yield "intends", self._write(world, who, State.INTENT, "check")

    def _check(self, world: World, who: int, process: Process) -> Steps:
        undoes = process.state is State.UNDOING
        kind = "undo" if undoes else "later" if process.tries else "first"
        if process.given_up and kind in self.rules.leased:
            at = "late" if kind == "later" else "idle"
            yield "sends nothing", world.move(who, at=at, in_turn=False)
        else:
            yield "has its lease", world.move(who, at="send")

    def _send(self, world: World, who: int, process: Process) -> Steps:
        what = self.rules.table[process.state].sends
        if what is None:
            raise BrokenError(f"something is sent from {process.state}")
        bound = 1 if self.tool.bound else None
        if what is Request.UNDO:
            bound = world.row.left if self.tool.versioned and self.tool.compares else None
        if len(world.net) < MOST_TRIES:
            sent = Sent(what, who, bound, process.given_up and what is Request.CALL)
            tries = process.tries + (what is Request.CALL)
            world = world._replace(net=(*world.net, sent))
            yield f"sends the {what}", world.move(who, at="wait", tries=tries)

    def _wait(self, world: World, who: int, _: Process) -> Steps:
        sent = next(each for each in world.net if each.by == who)
        yield "times out", self._hear(world.stop_waiting(who), sent, SILENT)

    def _hear(self, world: World, sent: Sent, told: Any) -> World:
        if sent.by == NOBODY:
            return world
        if sent.what is Request.UNDO:
            before, _ = world.processes[sent.by].heard
            return world.move(sent.by, at="prove", heard=(before, told))
        return world.move(
            sent.by, at="failed" if told in (SILENT, REFUSED) else "answered", heard=told
        )

    def _deliver(self, world: World) -> Steps:
        for number, sent in enumerate(world.net):
            lost = world._replace(net=world.net[:number] + world.net[number + 1 :])
            refused = sent.version is not None and sent.version != world.remote.version
            landed = lost if refused else lost._replace(remote=self._apply(world.remote, sent.what))
            told = REFUSED if refused else landed.remote
            yield f"the {sent.what} lands", self._hear(landed, sent, told)
            yield f"the {sent.what} is lost", self._hear(lost, sent, SILENT)
            if sent.by != NOBODY:
                yield f"the {sent.what} lands unheard", self._hear(landed, sent, SILENT)

    def _apply(self, remote: Remote, what: Request) -> Remote:
        version = remote.version + 1
        if what is Request.UNDO:
            lost = remote.overwritten or remote.content == THEIRS
            return remote._replace(content=BEFORE, version=version, overwritten=lost)
        if remote.made and self.tool.repeat is Repeat.KEYED:
            return remote
        return remote._replace(content=OURS, version=version, made=remote.made + 1)

    def _failed(self, world: World, who: int, process: Process) -> Steps:
        refused, tries = process.heard == REFUSED, process.tries
        failed = Failed(
            error_class=ErrorClass.CONFLICT if refused else ErrorClass.AMBIGUOUS,
            effect=self.tool.effect,
            repeat=self.tool.repeat,
            tries=tries,
            made=tries - 1,
            can_probe=self.tool.probed,
            key_alive=self.tool.repeat is Repeat.KEYED,
            nothing_done=refused and tries == 1,
        )
        move = self._ask("move", refused, tries, answer=lambda: self.rules.choose_move(failed))
        if move in (Move.SAME, Move.PROBE) and tries < MOST_TRIES:
            yield f"tries {move}", world.move(who, at="check" if move is Move.SAME else "probe")
        elif failed.nothing_done:
            yield "was refused", self._write(world, who, State.NOT_EXECUTED, refused="late")
        else:
            yield "knows nothing", self._write(world, who, State.UNKNOWN, "look", refused="late")

    def _probe(self, world: World, who: int, _: Process) -> Steps:
        seen = self._find(world.remote)
        if seen.found is ProbeResult.LANDED:
            yield "finds it", world.move(who, at="answered", heard=world.remote)
        elif seen.found is ProbeResult.UNSURE:
            yield "is unsure", self._write(world, who, State.UNKNOWN, "look", refused="late")
        elif self.tool.repeat is Repeat.KEYED or not world.is_under_way():
            yield "finds nothing", world.move(who, at="check")

    def _answered(self, world: World, who: int, process: Process) -> Steps:
        if process.state is None:
            yield "intends", self._write(world, who, State.INTENT, "answered", heard=process.heard)
            return
        again, found = process.tries > 1, process.heard.tell()
        keyed = self.tool.repeat is Repeat.KEYED
        doubted = again and keyed and self.rules.find_contradiction({"title": OURS}, found)
        unheard = again and self.tool.repeat is Repeat.IDEMPOTENT and not self.tool.bound
        yield "writes executed", self._write(
            world, who, State.EXECUTED,
            "settle" if self.tool.effect is Effect.IRREVERSIBLE else "review",
            refused="late", heard=(State.UNCHECKED,), unheard=unheard,
            left=None if doubted else process.heard.version,
        )  # fmt: skip

    def _late(self, world: World, who: int, _: Process) -> Steps:
        state = world.row.state
        after = next(iter(self._allowed["LATE", state]), None)
        if after is None:
            yield "need not tell", world.move(who, at="idle")
            return
        if self.rules.restamped:
            net = tuple(each._replace(given_up=False) for each in world.net)
            world = world._replace(net=net, row=world.row._replace(final=False))
        world = world.move(who, state=state, by="LATE", fresh=True)
        yield "tells", self._write(world, who, after)

    # The result, and what follows

    def _find(self, remote: Remote) -> Any:
        record = Record(arguments={"title": OURS}, snapshot=Snapshot(Remote().tell()))
        work = self.rules.look
        return self._ask(
            "look", remote, answer=lambda: _run(work(record, self.tool.declaration), remote)
        )

    def _look(self, world: World, who: int, _: Process) -> Steps:
        seen, row = self._find(world.remote), world.row
        absent = State.NEEDS_HUMAN if row.approved else State.NOT_EXECUTED
        after = self.rules.conclude(seen, final=row.final, absent=absent)
        kept = {"left": world.remote.version} if after is State.EXECUTED else {}
        at = "idle" if after is None else "settle"
        yield (
            f"sees it {seen.found}",
            world.move(who, at=at, heard=(after, *kept.items()), in_turn=False),
        )

    def _review(self, world: World, who: int, process: Process) -> Steps:
        delivered = process.in_turn or world.row.delivered
        for verdict in VERDICTS:
            kept: dict[str, Any] = {}
            match self.rules.decide(verdict, attempt=1, attempts=2):
                case Step.ACCEPT:
                    nobody = verdict.standing is Standing.UNCHECKED
                    after = State.UNCHECKED if nobody else State.VERIFIED
                    if verdict.confidence is None and not nobody:
                        raise BrokenError("what nobody could review is called verified")
                case Step.DEFER:
                    after, kept = State.PENDING_REVIEW, {"delivered": delivered}
                case Step.DISPUTE:
                    after = State.DISPUTED
                case Step.RETRY | Step.GIVE_UP:
                    after = State.DISPUTED if world.row.delivered else State.UNDOING
                    kept = {"tries": 0} if after is State.UNDOING else {}
            yield (
                f"finds it {verdict.standing}",
                world.move(who, at="settle", heard=(after, *kept.items())),
            )

    def _settle(self, world: World, who: int, process: Process) -> Steps:
        after, *kept = process.heard
        then = "undo" if after is State.UNDOING else "idle"
        yield f"writes {after}", self._write(world, who, after, then, **dict(kept))

    # An undo

    def _undo(self, world: World, who: int, _: Process) -> Steps:
        row, remote = world.row, world.remote

        def assess() -> tuple[bool, Undone | None]:
            record, policy = self._recall(row)
            first = _run(undoing.read_current(record, policy), remote)
            return first.ours, self.rules.assess_current(record, first, policy=policy)

        ours, undone = self._ask("undo", row.left, row.begun, row.seen, remote, answer=assess)
        if undone is not None:
            yield f"sees it {undone.result}", self._end_undo(world, who, undone)
        else:
            yield "is to undo it", self._write(
                world, who, State.UNDOING, "check", heard=(remote, None), begun=True,
                seen=row.seen or ours,
            )  # fmt: skip

    def _recall(self, row: Kept) -> tuple[Record, UndoPolicy]:
        left = None if row.left is None else str(row.left)
        record: Record = Record(
            arguments={"title": OURS},
            result={"title": OURS, "version": left},
            snapshot=Snapshot(Remote().tell()),
            version=left if self.tool.versioned else None,
        )
        can = self.tool.declaration.callbacks
        return record, UndoPolicy(callbacks=can, begun=row.begun, seen=row.seen)

    def _prove(self, world: World, who: int, process: Process) -> Steps:
        row, remote, (before, told) = world.row, world.remote, process.heard

        def prove() -> Undone:
            record, policy = self._recall(row)
            first = _run(undoing.read_current(record, policy), before)
            failure = {SILENT: TimeoutError(), REFUSED: ConflictError("changed")}.get(told)
            proof: Undone = _run(
                self.rules.prove(record, policy, first=first, failure=failure), remote
            )
            return proof

        said = told if told in (SILENT, REFUSED) else None
        undone = self._ask("proof", row.left, row.seen, before, said, remote, answer=prove)
        yield f"reads it back {undone.result}", self._end_undo(world, who, undone)

    def _end_undo(self, world: World, who: int, undone: Undone) -> World:
        row = world.row
        if row.unheard and not row.final:
            undone = self.rules.doubt_restored(undone)
        after = self.rules.state_after[undone.result]
        person = undone.for_a_person or not self.tool.versioned
        if after is State.UNDONE and world.remote.content == OURS:
            raise BrokenError("undone is said of what reads as the call left it")
        return world.move(who, at="settle", heard=(after, ("for_a_person", person)))

    # Recovery, a person, and what befalls them

    def _is_over(self, row: Kept) -> bool:
        """Whether recovery leaves it: it is settled, for a person, or was tried often enough."""
        if row.state in (State.UNDO_FAILED, State.PENDING_REVIEW):
            return row.for_a_person or row.tries > MOST_TRIES
        return row.state not in self._unsettled or row.state in FOR_A_PERSON

    def _idle(self, world: World, who: int, _: Process) -> Steps:
        row = world.row
        if row.state is None or self._is_over(row):
            return
        gone = row.writer in (NOBODY, A_PERSON)
        if self.rules.is_left_behind(row.state, mine=row.writer == who, gone=gone):
            fresh = Process(at="take_up", state=row.state, by="RECOVERY", heard=row.tries)
            yield "takes it up", world.move(who, **fresh._asdict())

    def _take_up(self, world: World, who: int, process: Process) -> Steps:
        state, tries = process.state, process.heard
        spent = tries > MOST_TRIES
        if state in HOLDS:
            yield "lets it expire", self._write(world, who, State.EXPIRED)
        if state is State.APPROVED:
            yield "runs it", self._write(world, who, State.INTENT, "check", approved=True)
        elif state in UNCERTAIN and spent and state is not State.INTENT:
            yield "gives up", self._write(world, who, State.NEEDS_HUMAN)
        elif state in UNCERTAIN:
            yield "looks for it", self._write(world, who, State.UNKNOWN, "look", tries=tries + 1)
        elif state in UNDER_UNDO and spent:
            yield "gives up", self._write(world, who, State.UNDO_FAILED)
        elif state in UNDER_UNDO:
            yield "undoes it", self._write(world, who, State.UNDOING, "undo", tries=tries + 1)
        elif state in AWAITING_REVIEW and world.row.approved:
            yield "settles it", self._write(world, who, State.UNCHECKED)
        elif state in AWAITING_REVIEW:
            after = State.PENDING_REVIEW
            yield "reviews it", self._write(world, who, after, "review", tries=tries + 1)

    def disturb(self, world: World) -> Steps:
        """What follows by a blow or a decision of a person."""
        if not world.blows:
            return
        world = world._replace(blows=world.blows - 1)
        row, remote = world.row, world.remote
        edited = remote._replace(content=THEIRS, version=remote.version + 1)
        yield "a person edits it", world._replace(remote=edited)
        for who, process in enumerate(world.processes):
            if process.at == "idle":
                continue
            if not (process.given_up and world.owes_word(who)):
                yield f"{who} is killed", world.kill(who)
            if not process.given_up:
                gone = row._replace(writer=NOBODY) if row.writer == who else row
                slept = world._replace(row=gone).move(who, given_up=True)
                yield f"{who} sleeps past its lease", slept
        behind = [*(s.given_up for s in world.net), *(p.given_up for p in world.processes)]
        if not any(behind):
            left = world._replace(row=world.synced)
            yield "the power fails", left.kill(0).kill(1)
        for after in self._list_words(row):
            fresh = Kept() if after is State.UNDOING else row
            said = fresh._replace(left=row.left, unheard=row.unheard, final=row.final)
            yield (
                f"a person has it {after}",
                self._enter(
                    world._replace(row=said._replace(approved=row.approved)), A_PERSON, after
                ),
            )

    def _list_words(self, row: Kept) -> list[State]:
        """What a person may say of it now."""
        at_work = row.state in action.AT_WORK and row.writer != NOBODY
        words = [] if row.state is None else [*self._allowed["PERSON", row.state]]
        if at_work or row.left is None:
            words = [each for each in words if each is not State.UNDOING]
        return [*words, State.CLOSED] if row.state in self._unsettled else words

    # The promises

    def check(self, world: World) -> None:
        """Raise where a promise does not hold."""
        state, remote = world.row.state, world.remote
        stands = remote.content == OURS
        if remote.made > 1 and self.tool.repeat is not Repeat.IDEMPOTENT:
            raise BrokenError("it was made twice")
        if remote.overwritten and self.tool.versioned:
            raise BrokenError("a person's edit was overwritten")
        if stands and state is State.UNDONE:
            raise BrokenError("it stands, and is called undone")
        admitted = state is not None and state not in action.NOTHING_THERE
        if stands and not admitted and not any(map(world.owes_word, (0, 1))):
            raise BrokenError(f"it stands, and the journal has it {state}")
        if remote.content == BEFORE and state in (State.VERIFIED, State.UNCHECKED):
            raise BrokenError(f"it is not there, and is called {state}")

    def check_end(self, world: World) -> None:
        """Raise where nothing goes on by itself, and what is open is nobody's."""
        if world.row.state is not None and not self._is_over(world.row):
            raise BrokenError(f"it is left {world.row.state}, and nobody takes it up")


@dataclass(frozen=True, kw_only=True)
class Explored:
    """What an exploration came to."""

    worlds: int
    steps: int
    broken: str = ""
    """The first promise that did not hold."""
    way: tuple[str, ...] = ()
    """How it came to that: the shortest way there is."""


def explore(model: Model, first: World) -> Explored:
    """Visit every world that can be reached, the nearest first, until a promise breaks."""
    came_from, waiting, steps = {hash(first): 0}, deque([first]), 0
    while waiting:
        world = waiting.popleft()
        try:
            model.check(world)
            following = list(model.go_on(world))
            if not following:
                model.check_end(world)
            following += model.disturb(world)
        except BrokenError as broken:
            way = _find_way(model, first, hash(world), came_from)
            return Explored(worlds=len(came_from), steps=steps, broken=str(broken), way=way)
        steps += len(following)
        for _, after in following:
            # Only its hash is kept: of a few million, two alike are not to be expected.
            if (name := hash(after)) not in came_from:
                came_from[name] = hash(world)
                waiting.append(after)
    return Explored(worlds=len(came_from), steps=steps)


def _find_way(model: Model, first: World, last: int, came_from: dict[int, int]) -> tuple[str, ...]:
    """The steps from the first world to one, found again along the worlds between."""
    names = [last]
    while names[-1] != hash(first):
        names.append(came_from[names[-1]])
    world, way = first, []
    for name in reversed(names[:-1]):
        following = chain(model.go_on(world), model.disturb(world))
        said, world = next(each for each in following if hash(each[1]) == name)
        way.append(said)
    return tuple(way)
