"""A call outside any turn: a turn of its own, without a message."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import Context, copy_context
from dataclasses import dataclass
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from mulligan.loops.actions import Attempted, Reviewers, gather_facts
from mulligan.loops.checking import run_checks
from mulligan.runtime.context import (
    OpenTurn,
    Reviewed,
    TurnsUnderWay,
    carry,
    gather_existing_ids,
    read_context,
)
from mulligan.runtime.journal import JournalWriter
from mulligan.runtime.payloads import Rejection
from mulligan.runtime.rollback import dispute_all
from mulligan.runtime.waiting import run_apart
from mulligan.types.action import State
from mulligan.types.effect import Outside
from mulligan.types.errors import OutsideTurnError, RejectedError
from mulligan.types.finding import Finding, Severity
from mulligan.types.turn import Turn

_UNSEEN = "It could not be reviewed, and its tool requires a review."
_GONE = frozenset({State.UNDONE, State.NOT_EXECUTED, State.DENIED})

HOW = "Call it inside `with m.turn(…)`; hand work to other threads with `turn.bind(function)`."


@dataclass(slots=True, kw_only=True)
class OutsideCalls:
    """What an application does about calls that belong to no turn."""

    rule: Outside = Outside.TURN
    reviewers: Reviewers
    book: JournalWriter
    under_way: TurnsUnderWay
    """The turns that people wait for in this process."""
    open_turn: Callable[[Turn | None], OpenTurn] | None = None
    """A turn for one call, which knows what another one does, or nothing. `None`: the application
    cannot open one, and then a call is simply made."""

    def begin(self, tool: str, *, warn: Callable[[str], None]) -> LoneCall | None:
        """A tool is called outside any turn: its turn, or `None` where it is simply made."""
        if self.open_turn is None or self.rule is Outside.RUN:
            return None
        if self.rule is Outside.REFUSE:
            raise OutsideTurnError(
                f"{tool} was called outside any turn, and nothing was done, as the setting outside "
                f"says 'refuse'. {HOW}"
            )
        others = self.under_way.list_turns()
        if others:
            warn(
                f"{tool} was called outside any turn while one is going on, perhaps from a thread "
                f"that has lost it. {HOW}"
            )
        known = others[0].turn if len(others) == 1 else None
        return LoneCall(turn=self.open_turn(known), outside=self, others=others)


Identity = tuple[str, str]
"""What a tool is known by: its server and its name, as its author declares them."""


class HostCallUnderWay(Struct, frozen=True, kw_only=True, eq=False):
    """A call of one of the application's own tools that a host is making."""

    tools: frozenset[Identity]
    """Those that it may enter."""
    arguments: Mapping[str, object]
    turn: OpenTurn
    context: Context = field(default_factory=copy_context)

    @contextmanager
    def enter(self) -> Iterator[None]:
        """In here it is as where the host began the call: in its turn, with its approval."""
        ours = [(var, value) for var, value in self.context.items() if var.name.startswith(OURS)]
        tokens = [(var, var.set(value)) for var, value in ours]
        try:
            yield
        finally:
            for var, token in tokens:
                var.reset(token)


OURS = "mulligan_"
"""What the names of our own context variables begin with; all others stay as they are."""


class HostCalls:
    """Such calls, perhaps made where nothing tells of their turns, as in a task of a server: the
    tool that is entered for one finds it here."""

    def __init__(self) -> None:
        self.under_way: list[HostCallUnderWay] = []
        """Those whose tool was not entered yet."""

    @contextmanager
    def expect(
        self, tools: Iterable[Identity], arguments: Mapping[str, object], *, turn: OpenTurn
    ) -> Iterator[None]:
        """A host makes a call of one of these in here."""
        call = HostCallUnderWay(tools=frozenset(tools), arguments=arguments, turn=turn)
        self.under_way.append(call)
        try:
            with carry(read_context().put(HostCallUnderWay, call)):
                yield
        finally:
            self._drop(call)

    def note_entered(self, tool: Identity) -> None:
        """A tool is entered where its turn is known: a call elsewhere is a different call."""
        call = read_context().of(HostCallUnderWay)
        if call is not None and tool in call.tools:
            self._drop(call)

    def claim(
        self,
        tool: Identity,
        arguments: Mapping[str, object],
        *,
        defaults: Mapping[str, object],
        warn: Callable[[str], None],
    ) -> HostCallUnderWay | None:
        """The call that a tool is entered for, by what its host makes it with; once for each.

        `None` where it may be that of several turns, for one of them may be another person's.
        """
        near = [call for call in self.under_way if tool in call.tools]
        given = {**defaults, **arguments}
        found = [call for call in near if {**defaults, **call.arguments} == given]
        if found and all(call.turn is found[0].turn for call in found):
            # Equal calls of one turn are interchangeable; another thread may have been quicker.
            return next((call for call in found if self._drop(call)), None)
        if near:
            why = "several turns make such a call" if found else "with other arguments than theirs"
            warn(
                f"{tool[1]} was called where nothing tells of its turn, while hosts call it: "
                f"{why}, so that it belongs to none. {HOW}"
            )
        return None

    def _drop(self, call: HostCallUnderWay) -> bool:
        """Whether it was still there."""
        try:
            self.under_way.remove(call)
        except ValueError:
            return False
        return True


def refuse_in_words(tool: str) -> OutsideTurnError:
    """What a tool that may change something answers where a reply is only written again."""
    return OutsideTurnError(
        f"{tool} was called while a reply was being rewritten, and nothing was done: the turn's "
        "actions were reviewed already, so only text may change there. Let the agent call it."
    )


async def call_alone(
    lone: LoneCall | HostCallUnderWay | None, make: Callable[[], Awaitable[Any]]
) -> Any:
    """Make a call in its turn, and check it; that of a host is checked there, and without a turn it
    is simply made."""
    if lone is None:
        return await make()
    if isinstance(lone, HostCallUnderWay):
        with lone.enter():
            return await make()
    async with lone.turn:
        answer = await make()
        await lone.review(answer)
    return answer


def call_alone_here(lone: LoneCall | HostCallUnderWay | None, make: Callable[[], Any]) -> Any:
    """The same for a plain function."""
    if lone is None:
        return make()
    if isinstance(lone, HostCallUnderWay):
        with lone.enter():
            return make()
    with lone.turn:
        answer = make()
        if lone.has_effect():
            # Facts, checks and undo may be async; an event loop that runs here is left alone.
            run_apart(lone.review(answer))
    return answer


class LoneCall(Struct, frozen=True, kw_only=True):
    """One call in a turn of its own."""

    turn: OpenTurn
    outside: OutsideCalls
    others: Sequence[OpenTurn]
    """Turns that it may have come from, as far as is known."""

    def has_effect(self) -> bool:
        """Whether it has left anything that can be looked at."""
        done = (State.EXECUTED, State.UNKNOWN)
        made = any(action.state in done for action in self.turn.list_actions())
        return made or self.is_only_watched()

    def is_only_watched(self) -> bool:
        """Whether it was made in shadow mode: its review is only reported."""
        return bool(self.turn.attempt.untracked)

    async def review(self, answer: object) -> None:
        """Check what was done as far as the checks can; there is no request, so no judge is
        asked."""
        if not self.has_effect():
            return
        if len(self.others) > 1 and not self.is_only_watched():
            doubt = await self._find_doubt(answer)
            if doubt is not None:
                await self._put_before_a_person(doubt)
                return
        self.turn.attempt.asks = False
        reviewed = await self.turn.review(answer)
        if not reviewed.stands:
            correction = reviewed.correction
            text = self._describe_end(reviewed) if correction is None else correction.text
            raise RejectedError(text, findings=reviewed.findings)

    def _describe_end(self, reviewed: Reviewed) -> str:
        """What was wrong and what is true now, where there is no second attempt."""
        lines = [f"- {finding.describe()}" for finding in reviewed.findings]
        left = [action for action in self.turn.list_actions() if action.state not in _GONE]
        stands = [f"- {action.what} ({action.state})" for action in left]
        lost = {each: "" for a in self.turn.list_actions() for each in a.declaration.undoing.loses}
        which = (
            f"Everything was undone but {', '.join(lost)}." if lost else "Everything was undone."
        )
        end = ["Not undone:", *stands] if stands else [which]
        begin = ["This call was reviewed and rejected:", *lines] if lines else [_UNSEEN]
        return "\n".join([*begin, *end])

    async def _find_doubt(self, answer: object) -> Finding | None:
        """What would be wrong with it in one of the turns that it may belong to."""
        by, attempt = self.outside.reviewers, self.turn.attempt
        attempted = Attempted(
            turn=self.turn.turn,
            executions=attempt.list_executions(),
            reply=answer,
            facts=gather_existing_ids(attempt.actions),
        )
        for other in self.others:
            there = replace(attempted, turn=other.turn)
            there = replace(there, facts=await gather_facts(there, by.gathers))
            findings, _ = await run_checks(there, by.checks)
            for finding in findings:
                if finding.severity is Severity.ERROR:
                    return finding
        return None

    async def _put_before_a_person(self, doubt: Finding) -> None:
        why = (
            f"It was called outside any turn while {len(self.others)} were going on, and for one "
            f"of them it would be wrong: {doubt.describe()}"
        )
        said = Rejection([replace(doubt, issue=why)])
        await dispute_all(self.turn.attempt, book=self.outside.book, why=said)
