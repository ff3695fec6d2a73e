"""`Mulligan` for agents of other frameworks: one line each, and one place for their tools."""

from __future__ import annotations

import asyncio
import hashlib
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Unpack, cast, get_origin, get_type_hints
from uuid import uuid4

from msgspec import Struct
from msgspec.structs import replace

from mulligan.app.turn_factory import About, TurnFactory
from mulligan.app.wiring import Parts
from mulligan.extensions import describe_known, find_extensions
from mulligan.process.event_loop import WaitingThread, find_waiting_thread
from mulligan.process.user_functions import call_aside
from mulligan.runtime.advice import read_advised
from mulligan.runtime.context import (
    OpenTurn,
    TurnOrigin,
    find_current_turn,
)
from mulligan.runtime.declaration import Declared
from mulligan.runtime.host_tools import Decides, HostedTools, HostHolds
from mulligan.runtime.tool_settings import read_name
from mulligan.runtime.waiting import LOOP
from mulligan.types.action import Kept
from mulligan.types.adapter import Host, HostRun, MeantCall, Plain, RunOptions
from mulligan.types.errors import ConfigurationError, MissingExtraError, UnknownHostError
from mulligan.types.interfaces import Clock
from mulligan.types.turn import Entry, History, Speaker, Utterance
from mulligan.types.values import require_bool

if TYPE_CHECKING:
    from mulligan.hosts.dbos import DbosTurns
    from mulligan.hosts.fastmcp import ReviewedCalls
    from mulligan.hosts.google_adk import AdkPlugin
    from mulligan.hosts.langchain import TurnMiddleware
    from mulligan.hosts.openai_agents import ReviewedRunner
    from mulligan.hosts.pydantic_ai import Reflection
    from mulligan.hosts.strands import StrandsHooks
    from mulligan.hosts.temporal import TemporalTurns
    from mulligan.learning.conform import Meant
    from mulligan.runtime.host_run import Run
    from mulligan.types.reply import Replied

    CheckText = Callable[..., Awaitable[Replied]]


GROUP = "mulligan.hosts"
"""The entry points of packages that bring hosts: each names a module with `build(host)` in it."""


class Hosts:
    """The forms of `Mulligan` that a framework takes: one for each, all with the same options."""

    @abstractmethod
    def _build_host(self, options: RunOptions, *, name: str = "host") -> ApplicationHost:
        """The application, as an adapter works with it; `name` is the framework's, for the log."""

    def declare(self, name: str, /, **declared: Unpack[Declared]) -> None:
        """Say what a tool does that a framework brings, such as one of an MCP server or a toolkit.

        It takes what `@m.tool` takes. What is undone, read or looked for is said by functions of
        the record, which need no framework.
        """
        self._build_host({}).tools.declare(name, declared)

    def for_pydantic_ai(self, **options: Unpack[RunOptions]) -> Reflection:
        """A capability: `Agent(…, capabilities=[m.for_pydantic_ai()])`."""
        return cast("Reflection", self._adapt("pydantic_ai", options))

    def for_langchain(self, **options: Unpack[RunOptions]) -> TurnMiddleware:
        """A middleware: `create_agent(model, tools, middleware=[m.for_langchain()])`."""
        return cast("TurnMiddleware", self._adapt("langchain", options))

    def for_openai_agents(self, **options: Unpack[RunOptions]) -> ReviewedRunner:
        """A runner in the place of `Runner`: `await m.for_openai_agents().run(agent, "…")`."""
        return cast("ReviewedRunner", self._adapt("openai_agents", options))

    def for_fastmcp(self, **options: Unpack[RunOptions]) -> ReviewedCalls:
        """A middleware of a server: `mcp.add_middleware(m.for_fastmcp())`."""
        return cast("ReviewedCalls", self._adapt("fastmcp", options))

    def for_strands(self, **options: Unpack[RunOptions]) -> StrandsHooks:
        """A provider of hooks: `Agent(…, hooks=[m.for_strands()])`."""
        return cast("StrandsHooks", self._adapt("strands", options))

    def for_google_adk(self, **options: Unpack[RunOptions]) -> AdkPlugin:
        """A plugin: `App(…, plugins=[m.for_google_adk()])`, for its runner."""
        return cast("AdkPlugin", self._adapt("google_adk", options))

    def for_claude_agent(self, **options: Unpack[RunOptions]) -> Any:
        """Hooks: `ClaudeAgentOptions(hooks=m.for_claude_agent())`."""
        return self._adapt("claude_agent", options)

    def for_dbos(self, **options: Unpack[RunOptions]) -> DbosTurns:
        """Turns as workflows of DBOS: `m.for_dbos().make_workflow(plan, tools=[…])`."""
        return cast("DbosTurns", self._adapt("dbos", options))

    def for_temporal(self, **options: Unpack[RunOptions]) -> TemporalTurns:
        """Turns as workflows of Temporal, whose worker takes its `list_activities([…])`."""
        return cast("TemporalTurns", self._adapt("temporal", options))

    def for_host(
        self, adapter: str | Callable[[Host], Any], /, **options: Unpack[RunOptions]
    ) -> Any:
        """The same for any framework: the name of a host, ours or one that a package brings, or
        your own function that builds what the framework takes."""
        return self._adapt(adapter, options)

    if not TYPE_CHECKING:  # else a type checker would take every misspelt name for a method

        def __getattr__(self, name: str) -> Any:
            """`m.for_NAME(…)` of a host that a package brings."""
            host = name.removeprefix("for_")
            if host == name:
                return object.__getattribute__(self, name)
            _load_adapter(host)
            return partial(self.for_host, host)

    def _adapt(self, name: str | Callable[[Host], Any], options: RunOptions) -> Any:
        unknown = sorted(set(options) - set(RunOptions.__annotations__))
        if unknown:
            known = ", ".join(RunOptions.__annotations__)
            raise ConfigurationError(f"An adapter knows no {unknown[0]!r}. It knows: {known}.")
        for option, value in options.items():
            _require_fit(option, value)
        if callable(name):
            return name(self._build_host(options, name=read_name(name)))
        adapter = _load_adapter(name)
        for option, reason in getattr(adapter, "CANNOT", {}).items():
            if options.get(option):
                raise ConfigurationError(f"{name} has no power for {option!r}. {reason}")
        return adapter.build(self._build_host(options, name=name.rpartition(".")[2]))


_INSTEAD = "What you did last was rejected. In the place of your reply the person was told:"


class ApplicationHost(Struct, frozen=True, kw_only=True):
    """One application, as an adapter works with it."""

    name: str
    """What the log calls the framework."""
    options: RunOptions
    turn_factory: TurnFactory
    parts: Parts
    tools: HostedTools
    decide: Callable[[], Decides]
    pitfalls: Callable[..., str]
    read_written: Callable[..., list[Meant]]
    clock: Clock
    kept_for: timedelta
    check: CheckText | None
    """Checks a text, and has it rewritten, for a `turn`; `None`: there are no rules for replies."""

    @property
    def application(self) -> object:
        """The same for all adapters."""
        return self.tools

    def is_declared(self, tool: str) -> bool:
        """Whether something was said of a tool by its name."""
        return self.tools.is_declared(tool)

    def open(
        self,
        message: str,
        *,
        agent: str = "",
        principal: str = "",
        given: object = None,
        history: History | None = None,
        vouched: bool = True,
        thread: str = "",
        kept: bool = False,
        context: str = "",
    ) -> HostRun:
        """A run begins."""
        about = self._read_about(given)
        about.setdefault("agent", agent)
        about.setdefault("context", context)
        about.setdefault("principal", principal)
        about.setdefault("session", thread)
        outer = find_current_turn(self.parts.runtime.redactor)
        # One of its own for each run: what a model is shown is added to it as it goes on.
        heard = History() if history is None else history
        if outer is not None and not outer.over:
            # An agent that is a tool of another is told the other's words, which are no person's.
            around, returned = outer.turn.history.entries, outer.list_standing()
            asked = [Utterance(by=Speaker.AGENT, text=message), *map(_as_agents, heard.entries)]
            heard = History(around, since=[*returned, *asked])
            about.setdefault("known", outer.turn.known)
            about.setdefault("principal", outer.turn.principal)
            message = outer.message
        heard.outcomes = self.tools.outcomes
        about.setdefault("history", heard)
        about.setdefault("vouched", vouched if outer is None else outer.turn.vouched)
        turn = self.turn_factory.open(message, about, origin=TurnOrigin(host=self.name)).turn
        turn.kept = kept
        return self._build_run(turn, self._build_holds(turn, thread))

    async def make_step(self, step: Plain, *, tools: Mapping[str, Callable[..., object]]) -> Plain:
        """Make a step of a turn that an engine keeps, as far as it was not made before."""
        from mulligan.runtime.steps import StepMaker, compute_id

        told = dict(step["turn"])
        named = (*_ABOUT, "known", "history")
        given, thread = {name: told[name] for name in named if name in told}, str(told["id"])
        about = self._read_about(None) | cast("About", given)
        about["now"] = datetime.fromisoformat(str(told["now"]))
        name = compute_id(told, "turn")
        origin = TurnOrigin(host=self.name, tools=len(tools))
        turn = self.turn_factory.open(str(told["message"]), about, id=name, origin=origin).turn
        turn.durable = True
        holds = self._build_holds(turn, thread)
        run = self._build_run(turn, holds)
        maker = StepMaker(run=run, holds=holds, recovery=self.parts.recovery, step=step)
        return await maker.make(tools)

    def _build_holds(self, turn: OpenTurn, thread: str) -> HostHolds:
        # An agent may be called otherwise when its conversation goes on, as after a variable.
        agent = turn.home.redact_label(turn.turn.agent)
        whose = (turn.labels.tenant, turn.principal, thread or agent)
        return HostHolds(
            book=self.parts.runtime.book,
            toolbox=self.parts.toolbox,
            vault=self.parts.store.vault,
            decide=self.decide,
            hold_again=self.parts.inspector.hold_again,
            whose=hashlib.sha256("\0".join(whose).encode(errors="replace")).hexdigest(),
        )

    def _build_run(self, turn: OpenTurn, holds: HostHolds) -> Run:
        # Loaded with the first run of a host: it brings along all that rewrites replies.
        from mulligan.runtime.host_run import Run

        return Run(
            turn,
            tools=self.tools,
            holds=holds,
            keep=self._keep,
            check=None if self.check is None else partial(self.check, turn=turn),
            on_answer=self.options.get("on_answer"),
            keep_unfinished=self.options.get("keep_unfinished", False),
        )

    async def keep_word(self, thread: str, text: str) -> None:
        """Keep what the agent is to be told when a conversation goes on that cannot be changed."""
        await self._keep(Kept(owner=f"thread {thread}", name=self.name, value=text.encode()))

    async def take_word(self, thread: str) -> str:
        """The same, once; empty if there is nothing."""
        vault, owner = self.parts.store.vault, f"thread {thread}"
        kept = await asyncio.to_thread(vault.get, owner, self.name) if thread else None
        if kept is None:
            return ""
        await asyncio.to_thread(vault.expire, owner, at=self.clock())
        return f"{_INSTEAD}\n\n{kept.decode()}"

    def read_advice(self, error: BaseException) -> str:
        """What an agent is told about a call that failed beside its error; empty if nothing."""
        advised = read_advised(error)
        return "" if advised is None else str(advised)

    def describe_pitfalls(self, tools: Iterable[str] | None, *, agent: str = "") -> str:
        """What is known to go wrong with tools, as a section for a prompt; empty if nothing."""
        if not self.options.get("pitfalls"):
            return ""
        tenant = self.options.get("tenant", "")
        asked = (None,) if tools is None else tools
        found = [self.pitfalls(tool, agent=agent, tenant=tenant) for tool in asked]
        return "\n\n".join(dict.fromkeys(filter(None, found)))

    def read_calls(
        self, text: str, tools: Mapping[str, Mapping[str, object]]
    ) -> Sequence[MeantCall]:
        """The calls that a model wrote into a text, where that was asked for."""
        if not self.options.get("written_calls") or not text.strip():
            return ()
        found = self.read_written(text, tools)
        # Told apart from the framework's own, and from those of any other text.
        return [
            MeantCall(f"written-{uuid4().hex}", each.tool, each.arguments)
            for each in found
            if each.fits
        ]

    def run_sync(self, work: Callable[[], Awaitable[Any]]) -> Any:
        """Wait on a thread without an event loop, as a sync framework does."""
        here = WaitingThread()

        async def run_work() -> Any:
            return await work()

        return here.run_on(LOOP.load(), run_work())

    def bring_here(self, function: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
        """A plain function as one to await, on the thread that waits; else on one beside."""

        async def call(*args: Any, **kwargs: Any) -> Any:
            here = find_waiting_thread()
            if here is None:
                return await call_aside(partial(function, *args, **kwargs))
            return await here.bring(function)(*args, **kwargs)

        return call

    async def _keep(self, row: Kept) -> None:
        expires_at = self.clock() + self.kept_for
        await asyncio.to_thread(self.parts.store.vault.put, replace(row, expires_at=expires_at))

    def _read_about(self, given: object) -> About:
        said = {name: self.options[name] for name in _ABOUT if name in self.options}  # type: ignore[literal-required]
        about = self.options.get("about")
        if about is not None and given is not None:
            said.update(about(given))
        return cast("About", said)


def _require_fit(option: str, value: object) -> None:
    """Refuse a value of another type than the option's, which would be taken for something else."""
    hint = get_type_hints(RunOptions)[option]
    if hint is bool:
        require_bool(value, name=option)
    elif hint is str and not isinstance(value, str):
        raise ConfigurationError(f"{option}={value!r} is no text.")
    elif get_origin(hint) is Callable and not callable(value):
        raise ConfigurationError(f"{option}={value!r} is no function.")


def _load_adapter(name: str) -> Any:
    try:
        return import_module(f"mulligan.hosts.{name}")
    except ModuleNotFoundError as missing:
        if missing.name == f"mulligan.hosts.{name}":
            return _load_theirs(name)
        last = name.rpartition(".")[2]
        form = f"m.for_{last}()" if hasattr(Hosts, f"for_{last}") else f"m.for_host({name!r})"
        raise MissingExtraError(need=form, extra=last.replace("_", "-")) from missing


def _load_theirs(name: str) -> Any:
    extension = find_extensions(GROUP).get(name)
    if extension is None:
        ours = [each.removeprefix("for_") for each in vars(Hosts) if each.startswith("for_")]
        raise UnknownHostError(
            f"There is no host {name!r}. {describe_known(GROUP, {*ours} - {'host'})} A "
            "framework needs none where you decorate its tools with @m.tool and run its agent in "
            "m.act. Or pass a function that builds what your framework takes: m.for_host(build)."
        )
    adapter = extension.load()
    if not callable(getattr(adapter, "build", None)):
        raise ConfigurationError(
            f"The host {name!r} of {extension.describe_packages()} has no function `build`. "
            "Update that package, or uninstall it."
        )
    return adapter


def _as_agents(entry: Entry) -> Entry:
    """What is said to an agent inside another's turn is that other agent's."""
    if isinstance(entry, Utterance) and entry.by is Speaker.PERSON:
        return replace(entry, by=Speaker.AGENT)
    return entry


_ABOUT = ("agent", "context", "tenant", "principal", "timezone")
