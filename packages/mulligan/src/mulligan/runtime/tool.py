"""A declared tool, all that its calls share, and what it needs from the application around it."""

from __future__ import annotations

import logging
import random
import time
import weakref
from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from typing import Any, cast

from msgspec import Struct, field

from mulligan.checks.parameters import ToolShape
from mulligan.codec import from_plain
from mulligan.learning.classify import build_classifier, classify
from mulligan.learning.fingerprint import KnownPatterns
from mulligan.learning.soft_errors import IsKnown, is_known
from mulligan.loops.calls import TrafficByTenant, UnloggedCalls
from mulligan.process.event_loop import call_on_fork
from mulligan.process.user_functions import await_value, call_here
from mulligan.redaction import Redactor
from mulligan.redaction.fast import find_form
from mulligan.runtime.context import Labels
from mulligan.runtime.declaration import Declaration, find_definition, list_functions
from mulligan.runtime.journal import JournalWriter
from mulligan.runtime.lookup import Recall
from mulligan.runtime.outside_calls import HostCalls, OutsideCalls
from mulligan.runtime.promises import build_shape, describe_binding
from mulligan.runtime.results import Results
from mulligan.runtime.signature import read_signature
from mulligan.runtime.tool_identity import find_binding
from mulligan.telemetry.events import Events
from mulligan.telemetry.writer import LogWriter, RowQueue
from mulligan.types.call import Record, RecordFunction, Watched
from mulligan.types.effect import Effect, Mode, Precheck
from mulligan.types.errors import ConfigurationError, NoSchemaError, NothingDone
from mulligan.types.interfaces import Classify, Judge
from mulligan.types.lesson import NO_SCHEMA, ErrorRule
from mulligan.types.limits import STUCK_AFTER, Backoff, JudgeLimits
from mulligan.types.values import RANDOM_BITS, make_uuid7

_chances: weakref.WeakSet[random.Random] = weakref.WeakSet()


def make_chance() -> random.Random:
    """A source of chance that no other process shares: two children of a fork never draw alike."""
    chance = random.Random()  # noqa: S311 - ids and pauses, not secrets
    _chances.add(chance)
    return chance


def _draw_anew() -> None:
    for chance in _chances:
        chance.seed()


call_on_fork(after_in_child=_draw_anew)


MOST_HELD = 1_000
"""Held calls of one process that keep what they were given; each lives for minutes."""

Make = Callable[..., Awaitable[Any]]
"""Makes a call once; what it is given by name reaches the tool beside what the agent passed."""


MOST_OPEN_ACTIONS = 10_000
"""Open actions that keep the tool which made them, and what it was given."""


class ActionTools:
    """The tools that made actions, and what only this process knows of these, while they are open.

    What is no longer kept is found by its mark or not at all: never by its name alone.
    """

    def __init__(self) -> None:
        self._found: dict[str, tuple[Any, dict[str, object]]] = {}

    def keep(self, action: str, *, tool: object, originals: dict[str, object]) -> None:
        """Remember whose an action is; of very many the oldest go."""
        self._found[action] = tool, originals
        while len(self._found) > MOST_OPEN_ACTIONS:
            self._found.pop(next(iter(self._found)))

    def find(self, action: str) -> tuple[Any, dict[str, object]] | None:
        """The tool that made an action in this process, and what cannot be written of its call."""
        return self._found.get(action)

    def forget(self, action: str) -> None:
        """An action is settled, so that nothing more is done about it."""
        self._found.pop(action, None)


def read_wall_us() -> int:
    """Now, in microseconds since the epoch."""
    return time.time_ns() // 1000


COPIED = 64
"""Entries of an argument that is copied: a larger one takes too long."""
_MUTABLE = frozenset({dict, list, set, bytearray})
_OPENINGS = "{["


class CallForm(Struct, frozen=True, kw_only=True):
    """What is done at the site of every call: compiled where `mulligan-fast` is installed.

    The pure form says what is right; the compiled one does what is common, and calls it else.
    """

    look_over: Callable[[Mapping[str, Any]], tuple[dict[str, Any], bool]]
    make_uuid7: Callable[[int, int], str]
    is_known: IsKnown
    make_queue: Callable[..., RowQueue]


def look_over(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """Those arguments that a tool can change, as they are; and whether it is worth asking the
    schema, as they may be in a wrapping: written as text, or one level too deep.

    One loop for both. What a tool takes out of its arguments it may quote in its error.
    """
    copies: dict[str, Any] = {}
    wrapped = False
    for name, value in arguments.items():
        kind = type(value)
        if kind is str:
            if value and value[0] in _OPENINGS:
                wrapped = True
        elif kind in _MUTABLE:
            if len(value) <= COPIED:
                copies[name] = value.copy()
            if kind is dict and len(arguments) == 1:
                wrapped = True
    return copies, wrapped


PURE = CallForm(look_over=look_over, make_uuid7=make_uuid7, is_known=is_known, make_queue=RowQueue)


def choose_call_form(*, fast: bool) -> CallForm:
    """The compiled form where it may run and is there, else the pure one."""
    module = find_form().module if fast else None
    return PURE if module is None else build_call_form(module)


def build_call_form(module: Any) -> CallForm:
    """The compiled form, which calls the pure one for what is not common."""
    made = module.Site(look_over=look_over, make_uuid7=make_uuid7, is_known=is_known)
    return CallForm(
        look_over=made.look_over,
        make_uuid7=made.make_uuid7,
        is_known=made.is_known,
        make_queue=module.RowQueue,
    )


class Runtime(Struct, frozen=True, kw_only=True):
    """The parts that every tool of one application shares."""

    redactor: Redactor
    log: LogWriter
    book: JournalWriter
    events: Events
    tenant: str = ""
    unadvised: frozenset[str] = frozenset()
    """Agents that get their errors as they are."""
    unlogged: frozenset[str] = frozenset()
    """Agents whose calls are not logged, as the log would call them."""
    strict: bool = False
    """Hold calls of undeclared tools."""
    stuck_after: int = STUCK_AFTER
    """Identical failures of a call in one turn, after which it is not made again; 0: it is."""
    mode: Mode = Mode.AUTO
    """How far the application goes at most."""
    patterns: KnownPatterns = field(default_factory=KnownPatterns)
    """What has failed before in this process."""
    recall: Recall | None = None
    """What earlier failures say; `None`: the application has no memory."""
    judge: Judge | None = None
    """Asked for corrections by tools that want that."""
    reads_only: dict[str, bool] = field(default_factory=dict)
    """Whether a tool only reads, by its name, in the order they were declared."""
    outside: OutsideCalls | None = None
    """What is done about calls outside any turn; `None`: they are simply made."""
    host_calls: HostCalls = field(default_factory=HostCalls)
    """Calls of these tools that hosts are making at this moment."""
    action_tools: ActionTools = field(default_factory=ActionTools)
    """Which tool made the open actions of this process, where another one might be mistaken for
    it."""
    held: dict[str, Make] = field(default_factory=dict)
    """How to make the calls that await approval in this process, by action."""
    sample: float = 1.0
    """The share of first-try successes that the log keeps, each with the weight of the others."""
    spans: bool | None = None
    """`None`: whenever the application has set up a tracer provider."""
    error_rules: tuple[ErrorRule, ...] = ()
    """The application's own word on errors, asked after a tool's own."""
    judge_limits: JudgeLimits = field(default_factory=JudgeLimits)
    classify: Classify = classify
    backoff: Backoff = field(default_factory=Backoff)
    form: CallForm = PURE
    wall_us: Callable[[], int] = read_wall_us
    monotonic: Callable[[], float] = time.monotonic
    chance: random.Random = field(default_factory=make_chance)
    latest: list[int] = field(default_factory=lambda: [0])
    """When the last id was made, in microseconds."""

    def keep_held(self, action: str, make: Make) -> None:
        """Remember how to make a held call; of those never answered, the oldest go."""
        self.held[action] = make
        while len(self.held) > MOST_HELD:
            self.held.pop(next(iter(self.held)))

    def make_id(self, at_us: int | None = None) -> str:
        """An id that sorts by time, by default now, and above the last one also where the clock was
        set back."""
        if at_us is None:
            at_us = self.wall_us()
        latest = self.latest
        if at_us <= latest[0]:
            at_us = latest[0] + 1
        latest[0] = at_us
        return self.form.make_uuid7(at_us, self.chance.getrandbits(RANDOM_BITS))


_report = logging.getLogger("mulligan")


class Reach(Struct, frozen=True, kw_only=True):
    """How far Mulligan goes with the calls of one tool. An operator may change that while it runs:
    each call keeps what held when it began."""

    mode: Mode
    """The strictest of what its author, the application and an operator say."""
    has_effect: bool
    """What it does in a turn is journaled or held."""
    untracked: bool
    """What it does is on no record but the log, though it may change the world."""
    guarded: bool
    """A call of a turn is looked at or written down before it is made."""


class Tool:
    """One declared tool: what its author says of it, and how its calls have gone."""

    def __init__(
        self, function: Callable[..., Any], *, declaration: Declaration, runtime: Runtime
    ) -> None:
        self.function = function
        self.declaration = declaration
        self.runtime = runtime
        self.signature = read_signature(
            function, ours=declaration.ours, left_out=declaration.arguments.leave_out
        )
        self.plain = not declaration.ours and not declaration.arguments.leave_out
        """A call is what its caller passed, and nothing else."""
        self.definition = find_definition(function)
        self.binding = find_binding(function, list_functions(declaration))
        self.hosted = bool(getattr(function, "made_by_host", False))
        """It has no function of its own: only its host can make its calls."""
        self.mistakable = False
        """Another one of its name is bound to other objects, and no value tells them apart."""
        redact = runtime.redactor.redact_label
        self.name = redact(declaration.tool)
        """As the log shows it, like `server`."""
        self.server = redact(declaration.server) if declaration.server else ""
        self.labels = Labels(tenant=runtime.tenant, agent="", context="", turn=None)
        """Of calls outside any turn."""
        self.changes = (
            runtime.strict
            if declaration.effect is Effect.UNDECLARED
            else declaration.effect is not Effect.READ
        )
        """It changes the world."""
        self.prechecks = declaration.failures.precheck is not Precheck.AFTER
        """Its calls are looked at before they are made."""
        self.limit(Mode.AUTO)
        self.error_rules = (*declaration.failures.error_rules, *runtime.error_rules)
        self.classify = build_classifier(self.error_rules, otherwise=runtime.classify)
        self.results = Results(
            declaration.tool,
            failures=declaration.failures,
            rules=self.error_rules,
            is_known=runtime.form.is_known,
        )
        self.allow = frozenset(declaration.arguments.allow)
        self.redact = runtime.redactor.prepare_parameters(
            enums=self.signature.enums, allow=self.allow
        )
        """Arguments as the log may show them."""
        self.traffic = TrafficByTenant()
        """How its calls have gone, each tenant's for themselves."""
        self.unlogged = UnloggedCalls()
        self._schema: Mapping[str, object] | None = None
        self._said: set[str] = set()

    def limit(self, most: Mode) -> None:
        """Go no further than this with its calls, nor than its author and the application say."""
        mode = self.declaration.mode.limit(self.runtime.mode).limit(most)
        has_effect = self.changes and not mode.only_watches
        self.reach = Reach(
            mode=mode,
            has_effect=has_effect,
            untracked=not has_effect and self.declaration.effect is not Effect.READ,
            guarded=has_effect or self.prechecks,
        )

    def describe_watch(self, arguments: Mapping[str, object], *, mode: Mode) -> Watched | None:
        """What another mode would have done with a call, where this one only watches."""
        if not mode.only_watches:
            return None
        effect = self.declaration.classify_effect(arguments) if mode.reviews else Effect.READ
        held = effect is Effect.IRREVERSIBLE or (effect is Effect.UNDECLARED and self.changes)
        return Watched(mode, held=held, undone=effect is Effect.REVERSIBLE)

    @property
    def bound(self) -> str:
        """Whom it acts for. Where its author says that by its server, nothing else counts."""
        return "" if self.declaration.server else self.binding.mark

    @property
    def mark(self) -> str:
        """What another process finds its actions by; of a tool that may be mistaken, none does."""
        return f"{self.bound}~" if self.mistakable else self.bound

    def advises(self, agent: str) -> bool:
        """Whether this agent wants to be told what would help."""
        return agent not in self.runtime.unadvised

    def load_schema(self) -> Mapping[str, object]:
        """The schema of its arguments, or none if what was declared is none."""
        if self._schema is None:
            from mulligan.learning.schema import read_schema

            self._schema = self.declaration.arguments.schema
            try:
                if self._schema:
                    read_schema(self._schema, tool=self.declaration.tool)
            except NoSchemaError as error:
                self.warn_once(str(error))
                self._schema = NO_SCHEMA
        return self._schema

    @cached_property
    def shape(self) -> ToolShape:
        """What it does and what its parameters hold, for checks that choose themselves."""
        return build_shape(self.declaration, schema=self.load_schema())

    def unwrap(self, arguments: Mapping[str, object]) -> dict[str, object] | None:
        """Arguments out of a wrapping; `None`: as they are, or unknown."""
        from mulligan.learning.conform import unwrap_arguments
        from mulligan.learning.schema import read_schema

        schema = self.load_schema()
        if not schema:
            return None
        meant = unwrap_arguments(arguments, read_schema(schema, tool=self.declaration.tool))
        if meant is None:
            return None
        hints = self.declaration.hints.call
        return {
            name: value if value is arguments.get(name) else from_plain(value, hints.get(name))
            for name, value in meant.items()
        }

    def prepare_call(self, record: Record) -> Make:
        """How to make a call whose arguments were kept by name, with what is provided anew."""
        said = self.declaration
        bound = describe_binding(said)
        if self.hosted:
            raise ConfigurationError(f"{said.tool} is made by its host. Let its run go on there.")
        if bound:
            raise ConfigurationError(f"{bound} Deny it, and have it asked for again.")
        asked = dict(record.arguments)
        if said.key is not None:
            asked[said.key] = record.key

        async def make() -> Any:
            args, kwargs = self.signature.unbind({**asked, **await self._make_provided(record)})
            return await await_value(self.function(*args, **kwargs))

        return make

    async def _make_provided(self, record: Record) -> dict[str, object]:
        """What its framework would have filled, made anew; the tool is not called without it."""
        said = self.declaration
        if said.arguments.provide is None:
            return {}
        provide = cast("RecordFunction", said.arguments.provide)
        try:
            provided: Any = await call_here(provide, record, within=said.remote.answers_within)
            given = dict(provided)
        except Exception as error:
            raise NothingDone(
                f"{said.tool} was not called: its provide=… failed with {type(error).__name__}."
            ) from error
        missing = sorted(said.needs - given.keys())
        if missing:
            raise NothingDone(f"{said.tool} was not called: its provide=… has no {missing[0]!r}.")
        return given

    def warn(self, what: str, error: Exception) -> None:
        """Say what went wrong in here. Only the type: the rest may quote the tool's own error."""
        _report.warning(f"{what} (%s).", self.name, type(error).__name__)

    def warn_once(self, what: str) -> None:
        """Say what is wrong with a declaration: in full, but not at every call."""
        if what not in self._said:
            self._said.add(what)
            _report.warning("%s", what)
