"""Tools that a host brings and makes: declared by their names, without their functions."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from mulligan.core.adapter import CheckInHost, HostCall, MakeInHost
from mulligan.core.effect import Effect, Mode
from mulligan.core.errors import ConfigurationError, NothingDone
from mulligan.core.history import CallKey
from mulligan.learning.closeness import find_typo
from mulligan.turns.calls.runtime import Runtime
from mulligan.turns.calls.tool import Tool
from mulligan.turns.calls.toolbox import Toolbox
from mulligan.turns.calls.wrapper import find_wrapped, wrap_tool
from mulligan.turns.tools.declaration import Declared, declare, hide_names
from mulligan.turns.turn.context import OpenTurn
from mulligan.turns.turn.outside_calls import Identity

_report = logging.getLogger("mulligan")

Hosted = Callable[..., Awaitable[object]]
"""A tool of a host, wrapped: what it does is what its host makes of the call."""

ANYTHING: Mapping[str, object] = {"type": "object"}
"""The schema of a tool whose host says nothing of its arguments."""


class InHost(NamedTuple):
    """How a host makes a call, and how it looks at the arguments before."""

    make: MakeInHost
    check: CheckInHost | None = None


_making: ContextVar[InHost | None] = ContextVar("mulligan_making", default=None)


MOST_OUTCOMES = 10_000
"""Calls whose outcome is remembered for later messages of their conversations."""


class HostedTools:
    """The tools of an application that its hosts make."""

    def __init__(self, *, runtime: Runtime, box: Toolbox) -> None:
        self._runtime = runtime
        self._box = box
        self._wrapped: dict[Identity, Hosted] = {}
        self._said: dict[Identity, Declared] = {}
        self._schemas: dict[Identity, Mapping[str, object]] = {}
        """As hosts have shown them last."""
        self._reported: dict[Identity, tuple[Mapping[str, object], Hosted]] = {}
        """Tools that are known by reports of clients alone, each with its schema."""
        self._unheard: set[Identity] = set()
        """Of what was declared, that which no host has brought yet."""
        self._warned: set[str] = set()
        self.outcomes: dict[CallKey, bool] = {}
        """Whether calls of earlier runs stand, or were undone: their hosts may still have them in a
        conversation."""

    def note_outcomes(self, calls: Iterable[CallKey], *, stands: bool) -> None:
        """What became of some calls; the oldest are forgotten."""
        self.outcomes.update(dict.fromkeys(calls, stands))
        for oldest in list(self.outcomes)[: max(0, len(self.outcomes) - MOST_OUTCOMES)]:
            del self.outcomes[oldest]

    def declare(self, name: str, declared: Declared) -> None:
        """Say what a tool does that is brought by a host."""
        if not isinstance(name, str) or not name.strip():
            raise ConfigurationError(f"{name!r} is no name of a tool, such as 'send_email'.")
        key = declared.get("server", ""), name
        self._wrapped[key] = self._wrap(name, declared)
        self._said[key] = declared
        self._unheard.add(key)

    def find(self, call: HostCall) -> Hosted | None:
        """The tool of a call; `None` where one of the application's own is inside, whose calls are
        its own to log and to journal."""
        if self._find_own(call):
            return None
        key = self._locate(call)
        found = self._wrapped.get(key)
        if call.reported:
            return found or self._find_reported(key, call)
        if found is not None and self._schemas.get(key) == call.schema:
            return found
        self._note_came(key)
        said = self._said.get(key, Declared()).copy()
        said["server"] = key[0]
        if call.schema:
            said.setdefault("schema", call.schema)
        if call.description:
            said.setdefault("docs", call.description)
        self._schemas[key] = call.schema
        self._wrapped[key] = self._wrap(call.tool, said)
        return self._wrapped[key]

    def _find_reported(self, key: Identity, call: HostCall) -> Hosted:
        """A tool that nobody has brought or declared here: its calls are logged and reviewed."""
        schema, found = self._reported.get(key, (None, None))
        if found is None or schema != call.schema:
            mode = Mode.OBSERVE if self._runtime.strict else Mode.SUGGEST
            said = Declared(server=key[0], mode=mode)
            if call.schema:
                said["schema"] = call.schema
            reads = self._runtime.reads_only.get(call.tool, False)
            found = self._wrap(call.tool, said)
            # One that is declared under this name elsewhere is what it was.
            self._runtime.reads_only[call.tool] = reads
            self._reported[key] = call.schema, found
        return found

    def _note_came(self, key: Identity) -> None:
        """A declaration whose tool never comes has no effect, and nobody would notice."""
        if key in self._said:
            self._unheard.discard(key)
            return
        server, tool = key
        elsewhere = [each for each, name in self._unheard if name == tool]
        if elsewhere and server:
            self._warn_once(
                f"{tool} is declared for the server {elsewhere[0]!r}, and its host calls it on "
                f"{server!r}, so that nothing of it counts. Declare it for that one, or without "
                "server=…."
            )
        near = find_typo(tool, [name for _, name in self._unheard])
        if near is not None and not elsewhere:
            self._warn_once(
                f"{near} is declared, and no host has brought a tool of that name; {tool} is "
                "called, and nobody has declared it. If they are one, mend the name in "
                f"m.declare({near!r}, …)."
            )

    def find_tool(self, call: HostCall) -> Tool | None:
        """The same as its calls know it, also of one that the application has decorated; `None` of
        one that is only reported."""
        own = self._find_own(call)
        if own:
            return next((tool for tool in own if tool.acts), own[0])
        return find_wrapped(self._wrapped.get(self._locate(call)))

    @contextmanager
    def expect(self, call: HostCall, *, turn: OpenTurn) -> Iterator[None]:
        """In here a host makes a call that enters one of the application's own tools."""
        own = self._find_own(call)
        counts = [tool.traffic.find(turn.labels.tenant) for tool in own]
        before = [count.calls for count in counts]
        names = [(tool.declaration.server, tool.declaration.tool) for tool in own]
        with self._runtime.host_calls.expect(names, call.arguments, turn=turn):
            yield
        if find_wrapped(call.function) is None and [each.calls for each in counts] == before:
            own[0].warn_once(
                f"A host has called another {call.tool} than the tool that is declared here as "
                f"{own[0].definition}, so that the call is on no record. Give one of them another "
                f"name, or say what the host's does: m.declare({call.tool!r}, server=…)."
            )

    def _find_own(self, call: HostCall) -> Sequence[Tool]:
        """The application's own tool that a host's call enters, by the function that the host
        calls. Where that cannot be seen, or is somebody's function around it, those of the name:
        which one it is shows when it is entered."""
        seen = find_wrapped(call.function)
        if seen is not None and seen.runtime is self._runtime:
            return [seen]
        if self._locate(call) in self._said:
            return []
        own = [tool for tool in self._box.list_named(call.tool) if not tool.hosted]
        near = [tool for tool in own if tool.declaration.server in (call.server, "")]
        return near if near or call.remote else own

    def _locate(self, call: HostCall) -> Identity:
        """What a tool is known by that a host brings: its server and name, unless it was said of
        the name alone, or of one server where the host tells of none."""
        keys = [(call.server, call.tool), ("", call.tool)]
        if not call.server:
            named = [key for key in self._said if key[1] == call.tool]
            keys += named if len(named) == 1 else []
            if len(named) > 1 and keys[0] not in named:
                self._warn_once(
                    f"{call.tool} is declared for several servers, and its host does not say which "
                    "of them it calls, so that nothing of it counts. Declare it without server=…, "
                    "or give the host tools that @m.tool has decorated."
                )
        return next((key for key in keys if key in self._said), keys[0])

    def is_declared(self, tool: str) -> bool:
        """Whether something was said of a tool by its name, wherever it lives."""
        return any(name == tool for _, name in self._said)

    def may_hold(self, call: HostCall) -> bool:
        """Whether calls that a host makes may be held; of one of the application's own functions
        the decorator knows, once it is entered."""
        found = self.find_tool(call)
        if found is None:
            return self._runtime.strict
        said = found.declaration
        always_undone = said.effect is Effect.REVERSIBLE and said.effect_of is None
        return found.hosted and found.acts and not always_undone

    def _wrap(self, name: str, said: Declared) -> Hosted:
        function, named = _build_function(name), said.copy()
        named["name"] = name
        # Whatever its arguments are, they are not those of our function.
        named.setdefault("schema", ANYTHING)
        declaration = hide_names(declare(function, **named), hide=self._runtime.redactor.hide)
        return wrap_tool(function, declaration=declaration, runtime=self._runtime, box=self._box)

    def _warn_once(self, what: str) -> None:
        if what not in self._warned:
            self._warned.add(what)
            _report.warning("%s", what)


@contextmanager
def make_with(call: HostCall) -> Iterator[None]:
    """Calls in here are made by a host in this way."""
    token = _making.set(InHost(call.make, call.check))
    try:
        yield
    finally:
        _making.reset(token)


def _build_function(name: str) -> Callable[..., Awaitable[Any]]:
    """A function of that name, which closes over nothing: the tool is the same in all processes."""

    async def call_host(**arguments: object) -> object:
        host = _making.get()
        if host is None:
            raise NothingDone(
                "It is made by its host, and no run of that goes on here. Let the run go on there."
            )
        # What is called inside is not made in the same way.
        token = _making.set(None)
        try:
            await _check(host, arguments)
            return await host.make(arguments)
        finally:
            _making.reset(token)

    async def check_first(arguments: Mapping[str, object]) -> None:
        host = _making.get()
        if host is not None:
            await _check(host, arguments)

    call_host.__name__ = call_host.__qualname__ = name
    call_host.made_by_host = True  # type: ignore[attr-defined]
    call_host.check_first = check_first  # type: ignore[attr-defined]
    return call_host


async def _check(host: InHost, arguments: Mapping[str, object]) -> None:
    """Refuse what the tool does not take: it was not entered, which its own errors cannot prove."""
    if host.check is None:
        return
    try:
        await host.check(arguments)
    except NothingDone:
        raise
    except Exception as error:
        raise NothingDone(str(error)) from error
