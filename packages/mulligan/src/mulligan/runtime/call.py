"""A call under way: the one object that goes from the wrapper to the tool and back."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from datetime import timedelta
from functools import partial
from types import AsyncGeneratorType, GeneratorType
from typing import TYPE_CHECKING, Any

from mulligan.runtime.context import UNDER_WAY, Labels, OpenTurn, find_current_turn, read_context
from mulligan.runtime.episodes import SuggestedCall
from mulligan.runtime.live_action import copy_value
from mulligan.runtime.outside_calls import HostCallUnderWay
from mulligan.runtime.signature import list_parameters
from mulligan.runtime.tool import Make, Tool
from mulligan.runtime.waiting import ON_LOOP, Waiter
from mulligan.types.call import Call, Execution, Outcome, Record
from mulligan.types.effect import Effect
from mulligan.types.errors import ConfigurationError, UnawaitedError
from mulligan.types.values import from_us

if TYPE_CHECKING:
    from mulligan.telemetry.spans import ToolSpan


_LAZY = (
    GeneratorType, map, filter, zip, enumerate, itertools.accumulate, itertools.chain,
    itertools.compress, itertools.dropwhile, itertools.filterfalse, itertools.groupby,
    itertools.islice, itertools.pairwise, itertools.starmap, itertools.takewhile,
    itertools.zip_longest,
)  # fmt: skip
"""Answers that may not have begun: what they do is done where they are gone through."""

MOST_GONE_THROUGH = 100_000
"""Elements of such an answer."""

Given = tuple[tuple[object, ...], dict[str, object]]
"""What a call was given, by position and by name."""


class ActiveCall:
    """One try of a call: its tool, its turn, what it was given, how it is made and waited for."""

    start: int
    arguments: Mapping[str, object]
    """What was asked for, by name: neither what we fill nor what a framework does."""
    given: Given
    """As the function takes it: also with what is ours, and with what its framework fills."""
    _make: Make
    result: object
    """What it came back with, once it did, like `duration_us`."""
    duration_us: int
    key: str | None = None
    """What the remote may know it by, the same on every try; `None`: its tool takes none."""
    brought: str | None = None
    """A parameter that is ours to fill, where the caller gave it a value of its own."""
    parameters: str | None = None
    """Redacted before the tool can change what it was given; `None`: not sampled."""
    parent: str | None = None
    acted_within = False
    """Calls that it has made itself may have changed something."""
    acting_within: set[ActiveCall] | None = None
    """Calls that it has made itself, may change something, and have not come back."""
    over = False
    """It has failed, having made no call that may have changed something: it makes none now."""
    follows: SuggestedCall | None = None
    """The correction that this call is."""
    span: ToolSpan | None = None
    step = ""
    """Which call of its turn it is, as its derived context says it; else nothing."""
    try_number = 1
    record: Record | None = None
    """What its tool's own functions are given of it, once its snapshot was taken."""
    records: tuple[Record, ...] = ()
    """The same of every action that it consists of, once they are on record."""
    require_lease: Callable[[], None] | None = None
    """Raises where it may not be sent any more, once it is on record: before every try."""
    _asked: Mapping[str, object] | None = None

    # By position: a class that is called by names takes half as long again, at every call.
    def __init__(self, tool: Tool, turn: OpenTurn | None, waiter: Waiter) -> None:
        runtime = tool.runtime
        self.tool = tool
        self.reach = tool.reach
        self.turn = turn
        self.waiter = waiter
        self.count_for(tool.labels if turn is None else turn.labels)
        self.at_us = at_us = runtime.wall_us()
        waiting = read_context().next_call
        known = waiting.pop() if waiting else None
        self.id = known.id if known is not None and known.id else runtime.make_id(at_us)
        self.took_us = None if known is None else known.took_us
        """How long it took where its client has made it already."""
        self.advised = known is None or known.advised
        self.outer = UNDER_WAY.get()
        """The call of a tool that makes this one, if one does."""

    def count_for(self, labels: Labels) -> None:
        """Whose call it is in the log, and in how calls of its tool by the same tenant go."""
        self.labels = labels
        self.traffic = self.tool.traffic.find(labels.tenant)

    def take(self, arguments: Mapping[str, Any]) -> bool:
        """Set what the call is made with. Whether that may be wrapped, as its schema will tell."""
        self.arguments = arguments
        self._copies, wrapped = self.tool.runtime.form.look_over(arguments)
        return wrapped

    def follow(self, corrected: SuggestedCall) -> None:
        """This call is a later try of one that failed, with corrected arguments."""
        first = corrected.execution
        self.follows = corrected
        self.parent = first.call.parent or first.call.id
        self.try_number = first.try_number + 1

    def with_maker(self, make: Make) -> ActiveCall:
        """The same call, with the way it is made: what most calls never need to be told."""
        self._make = make
        return self

    def add_argument(self, name: str, value: object) -> None:
        """Give the tool something beside what the agent passed."""
        self._make = partial(self._make, **{name: value})

    async def make(self) -> Any:
        """Make it once."""
        around = self.tool.declaration.around
        self.enter()
        try:
            with around(self.records) if around and self.records else nullcontext():
                answer = await self._make()
                return await self._go_through(answer) if self.reach.has_effect else answer
        finally:
            UNDER_WAY.set(self.outer)

    async def _go_through(self, answer: Any) -> Any:
        """An answer with all that it does: gone through later, that would come after the review."""
        found: list[object] = []
        if isinstance(answer, AsyncGeneratorType):
            if self.waiter is not ON_LOOP:
                raise UnawaitedError(self.tool.declaration.tool)
            async for each in answer:
                found.append(each)
                if len(found) > MOST_GONE_THROUGH:
                    break
        elif isinstance(answer, _LAZY):
            found += itertools.islice(answer, MOST_GONE_THROUGH + 1)
        else:
            return answer
        if len(found) > MOST_GONE_THROUGH:
            raise ConfigurationError(
                f"{self.tool.declaration.tool} answered with more than {MOST_GONE_THROUGH:,} "
                "elements one by one, and the end cannot be awaited. Return a list."
            )
        return found

    def enter(self) -> None:
        """It is made now. What it may change counts for the calls that it is made by."""
        UNDER_WAY.set(self)
        if self.outer is not None:
            self.begin()

    def begin(self) -> None:
        """From here on the calls that make it may have changed something, whatever it does."""
        for outer in self._list_outer():
            if outer.acting_within is None:
                outer.acting_within = set()
            outer.acting_within.add(self)

    def is_late(self) -> bool:
        """Whether a call that makes it has failed meanwhile, and may be made again: by a task that
        had not begun yet, or a thread. Asked once it has begun, so that one of the two is seen."""
        return any(outer.over for outer in self._list_outer())

    def note_end(self, *, acted: bool) -> None:
        """It came back, having changed something or not."""
        for outer in self._list_outer():
            if outer.acting_within is not None:
                outer.acting_within.discard(self)
            outer.acted_within |= acted

    def _list_outer(self) -> Iterator[ActiveCall]:
        """The calls that it is made by, if it may change anything."""
        outer = self.outer
        if outer is None or self.tool.declaration.classify_effect(self.arguments) is Effect.READ:
            return
        while outer is not None:
            yield outer
            outer = outer.outer

    def list_makers(self) -> list[str]:
        """The ids of the calls that it is made by; of a later try, that of the first one too."""
        return [each for o in self._list_outer() for each in (o.id, o.parent) if each is not None]

    def as_given(self) -> Mapping[str, object]:
        """The arguments as they were when the call was made."""
        return {**self.arguments, **self._copies} if self._copies else self.arguments

    def copy_asked(self) -> Mapping[str, object]:
        """What was asked for, as it is now: one copy for all its actions."""
        if self._asked is None:
            self._asked = copy_value(dict(self.arguments))
        return self._asked

    @property
    def belongs(self) -> tuple[object, ...]:
        """Whose call it is, beside what was asked for: a tool's and a method's own objects."""
        owner = self.tool.signature.find_left_out(*self.given)
        return (*self.tool.binding.objects, owner.get("self", owner.get("cls")))

    def has_changed(self) -> bool:
        """Whether the tool has changed what it was given, so that the same call cannot be made."""
        try:
            return any(self.arguments[name] != copy for name, copy in self._copies.items())
        except Exception:  # noqa: BLE001 - values that cannot even be compared
            return True

    def begin_again(self, *, try_number: int) -> ActiveCall:
        """Start a later try of the same call."""
        again = ActiveCall(self.tool, self.turn, self.waiter)
        again.reach = self.reach
        again.count_for(self.labels)
        again.take(self.arguments)
        again.given = self.given
        again.parameters = self.parameters
        again.records = self.records
        again._make = self._make
        again.parent = self.parent or self.id
        again.step = self.step
        again.try_number = try_number
        again.start_span()
        return again

    def start_span(self) -> None:
        """It is about to be made: its span opens, if tracing is on, and its clock runs."""
        wanted = self.tool.runtime.spans
        # Importing OpenTelemetry takes 9 ms. Who has set up tracing has imported it already.
        if wanted or (wanted is None and "opentelemetry.trace" in sys.modules):
            self.span = _open_span(self.tool, call=self.id, agent=self.labels.agent)
        self.start = time.perf_counter_ns()

    def stop_clock(self) -> None:
        """It came back: what is loaded and read from here on is not its time."""
        if self.took_us is None:
            self.took_us = (time.perf_counter_ns() - self.start) // 1000

    def describe(self) -> Call:
        """The call as the log, the checks and the journal know it."""
        turn, tool = self.turn.turn if self.turn is not None else None, self.tool
        return Call(
            id=self.id,
            tool=tool.declaration.tool,
            server=tool.declaration.server,
            arguments=self.arguments,
            agent=turn.agent if turn else "",
            context=turn.context if turn else "",
            tenant=turn.tenant if turn else tool.runtime.tenant,
            turn=turn.id if turn else None,
            parent=self.parent,
        )

    def describe_success(self) -> Execution:
        """Its result, once it answered."""
        return Execution(
            call=self.describe(),
            outcome=Outcome.SUCCESS,
            at=from_us(self.at_us),
            duration=timedelta(microseconds=self.duration_us),
            result=self.result,
            try_number=self.try_number,
            watched=self.tool.describe_watch(self.arguments, mode=self.reach.mode),
        )


def begin_call(
    tool: Tool,
    given: Given,
    *,
    waiter: Waiter,
    corrects: SuggestedCall | None = None,
) -> ActiveCall:
    """Start a first try, or the corrected call after one that failed."""
    runtime = tool.runtime
    turn = find_current_turn(runtime.redactor)
    if runtime.host_calls.under_way:
        if turn is None:
            host_call = claim_host_call(tool, given)
            turn = None if host_call is None else host_call.turn
        else:
            runtime.host_calls.note_entered((tool.declaration.server, tool.declaration.tool))
    call = ActiveCall(tool, turn, waiter)
    arguments = _bind(call, given)
    # Arguments that came as text or one level too deep are read as they were meant.
    if call.take(arguments) and not call.reach.mode.only_watches:
        arguments = _bind_unwrapped(call, given, arguments=arguments)
        call.take(arguments)
    if turn is not None:
        if not turn.turn.context:
            turn.steps += 1
            call.step = f" step={turn.steps}"
        if turn.offers.waiting:
            offered = _match_offer(tool, turn, arguments)
            corrects = corrects or offered
    if corrects is not None:
        call.follow(corrects)
    call.traffic.calls += 1
    sampled = runtime.sample >= 1.0 or runtime.chance.random() < runtime.sample
    try:
        if sampled or corrects is not None:
            call.parameters = tool.redact(arguments)
    except Exception as error:  # noqa: BLE001 - the log may fail, the tool may not
        tool.warn("A call of %s cannot be logged", error)
    call.start_span()
    return call


def claim_host_call(tool: Tool, given: Given) -> HostCallUnderWay | None:
    """The call that a host makes by this one, elsewhere than where its turn is known."""
    calls = tool.runtime.host_calls
    if not calls.under_way:
        return None
    said, parameters = tool.declaration, list_parameters(tool.function) or []
    defaults = {each.name: each.default for each in parameters if each.default is not each.empty}
    asked = tool.signature.bind(*given)
    try:
        return calls.claim((said.server, said.tool), asked, defaults=defaults, warn=tool.warn_once)
    except Exception:  # noqa: BLE001 - arguments that do not fit, or cannot even be compared
        return None


def _bind(call: ActiveCall, given: Given) -> Mapping[str, object]:
    tool = call.tool
    if not tool.plain:
        return _fill(call, given)
    call.given = given
    args, kwargs = given
    return tool.signature.bind(args, kwargs) if args else kwargs


def _bind_unwrapped(
    call: ActiveCall, given: Given, *, arguments: Mapping[str, object]
) -> Mapping[str, object]:
    """A call whose arguments came as text or one level too deep, as it was meant."""
    tool = call.tool
    try:
        meant = tool.unwrap(arguments)
    except Exception as error:  # noqa: BLE001 - values of others may refuse anything
        tool.warn("A call of %s could not be looked at", error)
        meant = None
    if meant is None:
        return arguments
    return _bind(call, tool.signature.unbind({**meant, **tool.signature.find_left_out(*given)}))


def _fill(call: ActiveCall, given: Given) -> Mapping[str, object]:
    """Set apart what was asked for, what is ours to fill, and what a framework has filled."""
    tool = call.tool
    args, kwargs, call.brought = tool.signature.place(*given)
    arguments = tool.signature.bind(args, kwargs)
    key = tool.declaration.key
    if key is not None:
        # The same on every try, so that the remote can tell a second try from a second call.
        call.key = call.id
        kwargs = {**kwargs, key: call.key}
    call.given = args, kwargs
    return arguments


def _match_offer(
    tool: Tool, turn: OpenTurn, arguments: Mapping[str, object]
) -> SuggestedCall | None:
    """What the agent was told to try, if this is it."""
    said = tool.declaration
    try:
        return turn.offers.take(arguments, server=said.server, tool=said.tool)
    except Exception:  # noqa: BLE001 - values that cannot even be compared
        return None


def _open_span(tool: Tool, *, call: str, agent: str) -> ToolSpan | None:
    """A span that lasts as long as the call; `None` where nothing is traced."""
    try:
        from mulligan.telemetry.spans import ToolSpan, has_tracer_provider

        if tool.runtime.spans is None and not has_tracer_provider():
            return None
        return ToolSpan(tool=tool.name, call=call, agent=agent)
    except Exception as error:  # noqa: BLE001 - tracing may fail, the tool may not
        tool.warn("No span for a call of %s", error)
        return None


def end_span(span: ToolSpan, *, tool: Tool, error_type: str | None = None) -> None:
    """The call is back."""
    try:
        span.end(error_type=error_type)
    except Exception as error:  # noqa: BLE001 - tracing may fail, the log and the tool may not
        tool.warn("A span of %s did not end well", error)
