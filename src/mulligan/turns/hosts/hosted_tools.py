"""Tools that a host brings and makes: declared by their names, without their functions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from mulligan.core.adapter import CheckInHost, HostCall, MakeInHost
from mulligan.core.effect import Effect
from mulligan.core.errors import ConfigurationError, NothingDone
from mulligan.turns.calls.runtime import Runtime
from mulligan.turns.calls.tool import Tool
from mulligan.turns.calls.toolbox import Toolbox
from mulligan.turns.calls.wrapper import wrap_tool
from mulligan.turns.tools.declaration import Declared, declare, hide_names

Hosted = Callable[..., Awaitable[object]]
"""A tool of a host, wrapped: what it does is what its host makes of the call."""

ANYTHING: Mapping[str, object] = {"type": "object"}
"""The schema of a tool whose host says nothing of its arguments."""


class InHost(NamedTuple):
    """How a host makes a call, and how it looks at the arguments before."""

    make: MakeInHost
    check: CheckInHost | None = None


_making: ContextVar[InHost | None] = ContextVar("mulligan_making", default=None)


class HostedTools:
    """The tools of an application that its hosts make."""

    def __init__(self, *, runtime: Runtime, box: Toolbox) -> None:
        self._runtime = runtime
        self._box = box
        self._wrapped: dict[tuple[str, str], Hosted] = {}
        self._said: dict[tuple[str, str], Declared] = {}
        self._schemas: dict[tuple[str, str], Mapping[str, object]] = {}
        """As hosts have shown them last."""

    def declare(self, name: str, declared: Declared) -> None:
        """Say what a tool does that is brought by a host."""
        if not isinstance(name, str) or not name.strip():
            raise ConfigurationError(f"{name!r} is no name of a tool, such as 'send_email'.")
        key = declared.get("server", ""), name
        self._wrapped[key] = self._wrap(name, declared)
        self._said[key] = declared

    def find(self, call: HostCall) -> Hosted | None:
        """The tool of a call; `None` where the application's own decorator has it already."""
        server = self._locate(call)
        key = server, call.tool
        found = self._wrapped.get(key)
        if found is not None and self._schemas.get(key) == call.schema:
            return found
        if found is None and self._box.find_by_name(call.tool, server=server) is not None:
            return None
        said = self._said.get(key, Declared()).copy()
        said["server"] = server
        if call.schema:
            said.setdefault("schema", call.schema)
        if call.description:
            said.setdefault("docs", call.description)
        self._schemas[key] = call.schema
        self._wrapped[key] = self._wrap(call.tool, said)
        return self._wrapped[key]

    def find_tool(self, call: HostCall) -> Tool | None:
        """The same as its calls know it, also of one that the application has decorated."""
        return self._box.find_by_name(call.tool, server=self._locate(call))

    def _locate(self, call: HostCall) -> str:
        """The server that a tool is known by: its own, unless it was said of the name alone."""
        own, anywhere = (call.server, call.tool), ("", call.tool)
        if own in self._said or self._box.find_by_name(call.tool, server=call.server) is not None:
            return call.server
        decorated = anywhere not in self._wrapped and self._box.find_by_name(call.tool, server="")
        return "" if anywhere in self._said or decorated else call.server

    def is_declared(self, tool: str) -> bool:
        """Whether something was said of a tool by its name, wherever it lives."""
        return ("", tool) in self._said

    def may_hold(self, tool: str, *, server: str) -> bool:
        """Whether calls that a host makes may be held; of one of the application's own functions
        the decorator knows, once it is entered."""
        found = self._box.find_by_name(tool, server=server)
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
