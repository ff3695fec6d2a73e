"""`Mulligan`: the one object an application makes, with an event loop or without."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar, Unpack, cast, overload

from mulligan.app.hosts import ApplicationHost, Hosts
from mulligan.app.turn_factory import About, TurnFactory
from mulligan.app.wiring import Asked, Parts, assemble, on_brief_loop, refuse_running_loop
from mulligan.app.writing import Writing
from mulligan.checks.custom import Checks
from mulligan.process.event_loop import LateModules, WaitingThread, read_utc_now, run_on_own_loop
from mulligan.process.user_functions import call_aside, is_async
from mulligan.runtime.context import OpenTurn, TurnOrigin, leave_turns, name_caller
from mulligan.runtime.declaration import Declared, declare, hide_names
from mulligan.runtime.host_tools import HostedTools
from mulligan.runtime.signature import Offered, read_offered
from mulligan.runtime.tool_settings import read_name
from mulligan.runtime.turn import Agent, Done
from mulligan.runtime.wrapper import wrap_tool
from mulligan.settings import Settings, say_memory_once
from mulligan.telemetry.shutdown import closer
from mulligan.types.action import Action, Foreseen
from mulligan.types.adapter import RunOptions
from mulligan.types.errors import ConfigurationError, StoreError
from mulligan.types.finding import Severity, SeverityName
from mulligan.types.interfaces import Clock, Gather, Store, Subscriber, TaskVersions
from mulligan.types.values import IdentityKind

if TYPE_CHECKING:
    from mulligan.app.writing import Rules
    from mulligan.insights.insights import Insights
    from mulligan.learning.conform import Meant
    from mulligan.loops.tasks import TaskDone, Work
    from mulligan.runtime.reply import Rewrite
    from mulligan.types.adapter import AgentWriter
    from mulligan.types.reply import Replied
    from mulligan.types.task import Task


AnyAgent = Callable[[OpenTurn], object]
"""What acts: a plain function or an async one."""


def as_async(agent: AnyAgent, here: WaitingThread | None = None) -> Agent:
    """The agent as one to await: a plain function runs in its turn on the thread that waits `here`,
    else on one of its own."""
    call_plain = partial(call_aside, agent) if here is None else here.bring(agent)

    async def call_beside(turn: OpenTurn) -> object:
        return await _await_answer(await call_plain(turn))

    async def call_here(turn: OpenTurn) -> object:
        return await _await_answer(agent(turn))

    return call_here if is_async(agent) else call_beside


def _refuse_misfit(agent: AnyAgent, error: TypeError) -> None:
    """Say that an agent takes the turn, if that is why it could not be called."""
    try:
        inspect.signature(agent).bind(None)
    except TypeError:
        name = read_name(agent)
        raise ConfigurationError(
            f"The agent {name} is called with one argument, the turn, and cannot take it. Give it "
            "one parameter, such as `turn`: turn.message is the request."
        ) from error
    except ValueError:  # a built-in function that says nothing of its parameters
        return


async def _await_answer(answer: object) -> object:
    reply = await answer if isinstance(answer, Awaitable) else answer
    if inspect.isgenerator(reply) or inspect.isasyncgen(reply):
        # It has done nothing yet, and would do it outside of its turn, without a review.
        raise ConfigurationError(
            "An agent gives its reply once, so that it can be reviewed before it is shown, and "
            "this one yields. It was not started. Collect what it yields, and return it."
        )
    return reply


# Most applications use one loop or two: the others are loaded where they are first asked for.
TEXTS = LateModules("mulligan.app.texts", "mulligan.runtime.reply")
"""What checks a reply."""

P = ParamSpec("P")
R = TypeVar("R")


class Mulligan(Hosts, Writing):
    """Gives an application's agents a second shot: review, undo, correct, try again, remember.

    `Mulligan("sqlite:///family.db")` opens a store; a store of your own is taken as it is.
    Without one, settings come from the environment and pyproject.toml, and by default everything
    stays in memory. Any setting can also be given by name; `task_versions=` is where what
    is learned about tasks is kept, if not in the store. `checks` ("standard", names of checks that
    packages bring, functions of your own) and `facts` review what agents do; a `judge`, such as
    "anthropic:…", is asked where they have not settled it.
    """

    def __init__(
        self,
        store: str | Store | None = None,
        *,
        checks: Checks | None = None,
        facts: Iterable[Gather] = (),
        judge: object = None,
        replies: Rules = None,
        settings: Settings | None = None,
        clock: Clock = read_utc_now,
        **changes: object,
    ) -> None:
        task_versions = cast("TaskVersions | None", changes.pop("task_versions", None))
        loaded = Settings.load() if settings is None else settings
        if isinstance(store, str):
            changes["store"] = store
        self.settings = loaded.with_values(**changes)
        self._replies = self._read_rules(replies)
        self._clock = clock
        checks = sorted(self.settings.checks) if checks is None else checks
        own = None if isinstance(store, str) else store
        self._parts: Parts = assemble(
            self.settings,
            store=own,
            asked=Asked(checks=checks, facts=facts, judge=judge, task_versions=task_versions),
            clock=clock,
        )
        self._turn_factory = TurnFactory(self._parts, settings=self.settings, clock=clock)
        # What keeps the application alive: this object, its tools and its turns.
        self._unused = closer.watch(
            self._turn_factory, self._parts.list_closes(own=own is not None)
        )
        if store is None and self.settings.store == Settings().store:
            say_memory_once()

    @overload
    def tool(self, function: Callable[P, R], /) -> Callable[P, R]: ...

    @overload
    def tool(
        self, /, **declared: Unpack[Declared]
    ) -> Callable[[Callable[P, R]], Callable[P, R]]: ...

    def tool(
        self, function: Callable[..., Any] | None = None, /, **declared: Unpack[Declared]
    ) -> Any:
        """Declare a tool, sync or async: `@m.tool` or `@m.tool(effect=…)`.

        Its calls are logged, and made again after a failure where the declaration makes that
        harmless. In a turn its effect is journaled, or held where it cannot be undone. Its name,
        signature, result and errors stay as they are, but for parameters that are ours to fill.
        """

        def wrap(tool: Callable[P, R]) -> Callable[P, R]:
            declaration = hide_names(
                declare(tool, **declared), hide=self._parts.runtime.redactor.hide
            )
            return wrap_tool(
                tool,
                declaration=declaration,
                runtime=self._parts.runtime,
                box=self._parts.toolbox,
            )

        return wrap if function is None else wrap(function)

    @overload
    def check(self, function: Callable[P, R], /) -> Callable[P, R]: ...

    @overload
    def check(
        self, /, *tools: str, severity: SeverityName = Severity.ERROR
    ) -> Callable[[Callable[P, R]], Callable[P, R]]: ...

    def check(self, /, *tools: Any, severity: SeverityName = Severity.ERROR) -> Any:
        """Have a plain function look at each call of some tools: `@m.check("update_task")`.

        It asks for what it needs by the names of its parameters (`call`, `turn`, `result`, `facts`,
        `executions`), sync or async, and answers with nothing, a sentence that says what is wrong,
        a finding, or several. A sentence is an error, unless the severity is another.
        """
        function = tools[0] if len(tools) == 1 and callable(tools[0]) else None

        def add(check: Callable[P, R]) -> Callable[P, R]:
            named = () if function is not None else tools
            self._parts.add_check(check, tools=named, severity=severity)
            return check

        return add if function is None else add(function)

    def turn(self, message: str = "", **about: Unpack[About]) -> OpenTurn:
        """One request of one person: `async with m.turn("…", agent="planner") as turn:`.

        Calls made inside know their turn, agent and context, and what they do is journaled; review
        it with `await turn.review(reply)` before you show the reply. `now` must be aware, and the
        time zone one that there is. Without an agent's name, the log has the function that it is
        opened in.
        """
        return self._turn_factory.open(message, about, origin=TurnOrigin(within=name_caller())).turn

    @overload
    async def act(
        self,
        message: str,
        agent: Callable[[OpenTurn], Awaitable[R]],
        /,
        *,
        rewrite: Rewrite | object = None,
        **about: Unpack[About],
    ) -> Done[R]: ...

    @overload
    async def act(
        self,
        message: str,
        agent: Callable[[OpenTurn], R],
        /,
        *,
        rewrite: Rewrite | object = None,
        **about: Unpack[About],
    ) -> Done[R]: ...

    async def act(
        self,
        message: str,
        agent: AnyAgent,
        /,
        *,
        rewrite: Rewrite | object = None,
        **about: Unpack[About],
    ) -> Done[Any]:
        """Let an agent act on a request, and review what it did before the reply is shown.

        `agent` is any function of the turn that gives a reply, async or plain; a plain one runs in
        a thread, so that it holds up no event loop. A rejected attempt is undone as a whole; the
        agent is told why in `turn.correction`, and tries once more. With rules for replies, a text
        reply is then held against what the tools returned, and written again by `rewrite` if it is
        wrong: a function of what was wrong, sync or async, an agent, a runnable, a model or its
        name. It writes words only: a tool that may change something is refused there. Without
        rules it would never be asked, and is refused before the agent acts.
        """
        rewriter = None if rewrite is None else self._find_rewriter(rewrite)
        about.setdefault("agent", read_name(agent))
        loop = self._turn_factory.open(message, about, origin=TurnOrigin(within="act"))
        try:
            done = await loop.run(as_async(agent))
        except TypeError as error:
            _refuse_misfit(agent, error)
            raise
        await self._parts.timer.wait_for_pass()
        if self._replies is None or not isinstance(done.output, str) or not done.stands:
            return done
        replied = await self._check_text(done.output, rewriter, turn=loop.turn)
        from mulligan.runtime.reply import with_replied

        return with_replied(done, replied)

    def read_calls(self, written: object, tools: Offered | None = None) -> list[Meant]:
        """The calls that a model made in what it wrote, in order, if it cannot call tools itself.

        Fenced, tagged, as JSON, as Python, with talk around them. Each has the `tool` that was
        meant, its `arguments` in the shape of its schema, whether it `fits`, the `problems` if not,
        and the `kinds` of what was changed; nothing is cut down, guessed or sent elsewhere, and
        nothing is called. What is thought, refused, quoted or an example is no call.
        `tools`: names or functions of declared tools, definitions as models are given them, or
        schemas by name; else all that were declared.
        """
        from mulligan.learning.conform import read_meant
        from mulligan.learning.schema import read_schema

        declared = {each.declaration.tool: each.load_schema() for each in self._parts.toolbox}
        offered = read_offered(tools, declared=declared)
        return read_meant(
            written, {name: read_schema(schema, tool=name) for name, schema in offered.items()}
        )

    def pitfalls(
        self, tool: str | None = None, *, agent: str = "", tokens: int = 400, tenant: str = ""
    ) -> str:
        """What is known to go wrong, as a short section for a prompt; empty if nothing.

        Of a tool, of every tool that has failed an agent, or of one tool with one agent. It says
        how corrections work, what tools want, who may not, and what to try when it fails. Only the
        tenant's own failures are told; without one, those of the tenant in the settings. A store
        that is down is no reason for an agent to have no prompt: then there are none.
        """
        redactor = self._parts.runtime.redactor
        try:
            return self._ask_about(tenant).lesson_list.describe_pitfalls(
                () if tool is None else (tool,),
                # By its identity, for an agent may have any name, also one that looks like one.
                agent=redactor.identify(agent, IdentityKind.AGENT) if agent else None,
                label=redactor.redact_label(agent),
                tokens=tokens,
            )
        except StoreError as error:
            logging.getLogger("mulligan").warning("Pitfalls could not be read: %s", error)
            return ""

    async def recover(self) -> int:
        """Look after what crashes, cancelled turns and people left, now. How much was taken up.

        This runs automatically while turns do: at the first, at the end of each, and on a timer.
        """
        with leave_turns():
            return await self._parts.recovery.run()

    @overload
    def act_sync(
        self,
        message: str,
        agent: Callable[[OpenTurn], Awaitable[R]],
        /,
        *,
        rewrite: Rewrite | object = None,
        **about: Unpack[About],
    ) -> Done[R]: ...

    @overload
    def act_sync(
        self,
        message: str,
        agent: Callable[[OpenTurn], R],
        /,
        *,
        rewrite: Rewrite | object = None,
        **about: Unpack[About],
    ) -> Done[R]: ...

    def act_sync(
        self,
        message: str,
        agent: AnyAgent,
        /,
        *,
        rewrite: Rewrite | object = None,
        **about: Unpack[About],
    ) -> Done[Any]:
        """`act` for a program without an event loop.

        A plain agent runs on the thread that calls this, where no event loop runs, so that it may
        use what belongs to that thread and call what brings a loop of its own. What a turn leaves
        open is handled by a thread in the background.
        """
        refuse_running_loop(instead="await m.act(…)")
        about.setdefault("agent", read_name(agent))
        here = None if is_async(agent) else WaitingThread()
        called = as_async(agent, here)

        async def act_alone() -> Done[Any]:
            # The loop ends with this turn, and so would recovery on it: it is waited for.
            if self._parts.recover:
                await self._parts.timer.run_once()
            done = await self.act(message, called, rewrite=rewrite, **about)
            if done.open_actions:
                await self._parts.timer.run_once(done.open_actions)
            return done

        with on_brief_loop():
            try:
                return run_on_own_loop(act_alone()) if here is None else here.run(act_alone)
            except TypeError as error:
                _refuse_misfit(agent, error)
                raise

    def recover_sync(self) -> int:
        """`recover` for a program without an event loop."""
        refuse_running_loop(instead="await m.recover()")
        with on_brief_loop():
            return run_on_own_loop(self.recover())

    def run_task_sync(
        self,
        task: Task,
        work: Work | object,
        /,
        *,
        input: object = None,  # noqa: A002 - the field's word
    ) -> TaskDone:
        """`run_task` for a program without an event loop; it waits for the reflection too."""
        refuse_running_loop(instead="await m.run_task(…)")

        async def run_alone() -> TaskDone:
            done = await self.run_task(task, work, input=input)
            await self._parts.learning.afterwards.finish()
            return done

        with on_brief_loop():
            return run_on_own_loop(run_alone())

    @property
    def insights(self) -> Insights:
        """Every question about what was logged and done, and every act a person may take.

        About everybody, or about the tenant in the settings alone, where there is one.
        """
        return self._ask_about() if self.settings.tenant else self._build_insights(None)

    def _ask_about(self, tenant: str = "") -> Insights:
        """Questions about one tenant, else about that of the settings, which may be none."""
        identify = self._parts.runtime.redactor.identify
        return self._build_insights(identify(tenant or self.settings.tenant, IdentityKind.TENANT))

    def _build_insights(self, tenant: str | None) -> Insights:
        from mulligan.insights.insights import Insights

        return Insights(
            self._parts.store,
            settings=self.settings,
            clock=self._clock,
            tally=self._turn_factory.tally,
            declared=self._parts.describe_tools,
            foresee=self._foresee,
            read_now=self._read_now,
            check_edited=self._check_edited,
            tenant=tenant,
        )

    def _foresee(self, actions: Sequence[Action]) -> Mapping[str, Foreseen]:
        from mulligan.runtime.undo_group import foresee

        refuse_running_loop(instead="await asyncio.to_thread(plan_undo, …)")
        look = foresee(actions, book=self._parts.recovery.book, toolbox=self._parts.toolbox)
        with on_brief_loop():
            return run_on_own_loop(look)

    def _read_now(self, action: Action) -> object:
        refuse_running_loop(instead="await asyncio.to_thread(read_action, …)")
        parts = self._parts
        with on_brief_loop():
            found = run_on_own_loop(parts.inspector.read_now(action))
        return self.settings.build_redactor(parts.store, to_decide=True).redact_value(found)

    def _check_edited(self, action: Action, changes: Mapping[str, object]) -> Sequence[str] | None:
        refuse_running_loop(instead="await asyncio.to_thread(open_list.approve, …)")
        with on_brief_loop():
            return run_on_own_loop(self._parts.inspector.check_edited(action, changes))

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Get every event as it happens; the answer ends the subscription."""
        return self._parts.runtime.events.subscribe(subscriber)

    def flush(self) -> bool:
        """Store everything logged so far, and hand on every event. False if it took too long."""
        memory = self._parts.memory
        remembered = memory is None or memory.flush()
        stored = self._parts.runtime.log.flush() and remembered
        return self._parts.runtime.events.flush() and stored

    def close(self) -> None:
        """Store what is left and let go of everything. Twice is fine."""
        self._unused.detach()
        self._parts.close()

    def _build_host(self, options: RunOptions, *, name: str = "host") -> ApplicationHost:
        return ApplicationHost(
            name=name,
            options=options,
            turn_factory=self._turn_factory,
            parts=self._parts,
            tools=self._hosted,
            # A turn may be of another tenant than that of the settings.
            decide=lambda: self._build_insights(None).open_list,
            pitfalls=self.pitfalls,
            read_written=self.read_calls,
            clock=self._clock,
            kept_for=self.settings.retention.kept,
            check=None if self._replies is None else self._check_text,
        )

    async def _check_text(
        self, reply: str, rewrite: Rewrite | AgentWriter | None, *, turn: OpenTurn
    ) -> Replied:
        if not TEXTS.loaded:
            await TEXTS.load_beside_loop()
        rules = self._choose_rules()
        return await self._texts.answer(reply, turn, rules=rules, rewrite=rewrite)

    @cached_property
    def _hosted(self) -> HostedTools:
        return HostedTools(runtime=self._parts.runtime, box=self._parts.toolbox)

    def __enter__(self) -> Self:
        self._parts.begin()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        self._parts.begin()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._parts.learning.afterwards.finish()
        await self._parts.timer.stop()
        # Closing waits for the disk, which an event loop must not.
        await asyncio.to_thread(self.close)
