"""What an adapter of a framework or of a durable engine is: all that its author reads."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypedDict

from msgspec import Struct

from mulligan.types.call import Execution
from mulligan.types.errors import (
    AlreadyDoneError,
    FlaggedCallError,
    HeldError,
    OwnParameterError,
    StuckError,
    UnfinishedRunError,
)
from mulligan.types.finding import Confidence, Finding, Standing
from mulligan.types.turn import History
from mulligan.types.values import hide_fields

NOT_MADE = (AlreadyDoneError, FlaggedCallError, OwnParameterError, StuckError, UnfinishedRunError)
"""What `HostRun.call` raises of a call that was not made, or that had another agent act that did
not finish, as text for its agent: a framework that ends its run with an exception is given them as
the result."""


class StepTools(Protocol):
    """The tools that an agent may be given beside its own, and where all its calls are told."""

    @property
    def functions(self) -> Mapping[str, Callable[..., object]]:
        """Tools by name, sync or async, for the agent to call through `make`."""

    async def make(
        self,
        name: str,
        *,
        arguments: Mapping[str, object],
        run: Callable[[], Awaitable[object]],
    ) -> object:
        """Make a call of any tool, the agent's own too, as a step that is counted and told."""

    def begin(self, name: str, *, arguments: Mapping[str, object]) -> int:
        """The same in two halves, for frameworks that only tell of calls: the number of the step.

        `OutOfStepsError` where there are none left: then the call is not to be made.
        """

    def end(self, name: str, *, step: int, result: object = None, error: str = "") -> None:
        """Its result, or the kind of its failure."""


class Assignment(Protocol):
    """One text to be written, as an agent sees it: a draft, a reply, a run of a task."""

    @property
    def prompt(self) -> str:
        """The question; for a revision also the text, and what was said of it."""

    @property
    def steps(self) -> int | None:
        """How many calls of tools the agent may make; 0: run it without them, `None`: any."""

    @property
    def tools(self) -> StepTools:
        """What the agent may be given beside its own tools, where its framework allows that."""

    def spend(self, *, tokens: int = 0, money: float = 0.0) -> None:
        """Report what a run took, also one that failed: budgets are held against it."""


WriteText = Callable[[Assignment], Awaitable[str]]
"""Writes one text. `OutOfStepsError` when the agent wants more tools than it may call; whatever
else it raises is the text's failure."""


class AgentWriter(Struct, frozen=True):
    """An agent or a model that writes what it is assigned, in whichever loop."""

    write: WriteText
    name: str = ""
    """As reports call it."""


class Adapter(Protocol):
    """A framework whose agents can write texts. A module is one, by having these functions."""

    def is_agent(self, source: object) -> bool:
        """Whether this is an agent of the framework. Told by its class, without an import."""

    def build_writer(self, source: object) -> WriteText:
        """A writer that runs the agent."""


MakeInHost = Callable[[Mapping[str, object]], Awaitable[object]]
"""Makes a call in the framework, with these arguments, and answers with what its tool returned as
plain values. A failure that the framework returns is raised; what steers the framework is too."""

CheckInHost = Callable[[Mapping[str, object]], Awaitable[object]]
"""Raises what a framework answers arguments with that a tool does not take, as it would say it. The
tool is not entered by it."""


@hide_fields("schema", "description", "function")
class HostCall(Struct, frozen=True, kw_only=True):
    """A call as a framework is about to make it."""

    tool: str
    arguments: Mapping[str, object]
    make: MakeInHost
    """Called again where another try is safe, with other arguments if they were repaired. What it
    raises may come from after the effect, whatever its class and its words are."""
    check: CheckInHost | None = None
    """What it raises is known before the tool is entered: nothing was done, and no person is asked
    to approve such a call. `None`: the framework tells only once it makes the call."""
    id: str = ""
    """The framework's own id of the call, the same when it goes on after an approval. Empty: it has
    none, and the next call with the same arguments goes on."""
    approved: bool | None = None
    """What a person has said in the framework's own way. `None`: not asked there. Approved with
    other arguments than it was held with, it is another call in the place of that one."""
    edited: bool = False
    """The arguments are those of a person, who has changed them before anything was held here."""
    reason: str = ""
    """Why the person does not want it, in their words."""
    schema: Mapping[str, object] = {}
    """Of the arguments."""
    description: str = ""
    server: str = ""
    """Where the tool lives. One that is declared without a server is meant wherever it lives."""
    function: object = None
    """What the framework calls, as far as it can be seen: one of the application's own tools is
    known by it, whatever the framework calls it."""
    remote: bool = False
    """The tool runs in another process: no tool of the application's own is inside."""
    once: bool = False
    """The framework makes a call once and never again: a fix is told to the agent, not tried."""
    reported: bool = False
    """It was made elsewhere, as a client says: it is never held, and what it says of its tool
    counts for no call that is made here."""


class MeantCall(NamedTuple):
    """A call that a model has only written, where it could not make it."""

    id: str
    tool: str
    arguments: dict[str, object]


class Answer(Struct, frozen=True, kw_only=True):
    """What happens to a reply: it goes out, or its agent is told what is wrong and tries again."""

    reply: object
    """What the person reads: the reply with the note under it where that is text, or a question in
    its place."""
    standing: Standing
    confidence: Confidence | None
    """`None`: not reviewed, or not yet."""
    findings: tuple[Finding, ...] = ()
    note: str = ""
    """What the person must know beside the reply. Show it where that is not text."""
    feedback: str = ""
    """What to tell the agent. Empty: nothing, and the reply goes out."""
    undone: bool = False
    """What the agent did was rejected, and undone as far as it could be: the messages of that
    attempt leave what the model sees next, and the feedback or the reply says what of it is still
    there. Otherwise only the reply is written again, or goes out."""
    stands: bool = True
    """What was done was neither rejected nor undone."""
    finished: bool = True
    """It was kept, and no call of it is awaiting approval: what the agent's output says is done."""
    unfinished: UnfinishedRunError | None = None
    """Raise this in the place of an output that is no text, or say it in the framework's own way.
    `None`: it is finished, or the application wants the output anyway."""

    @property
    def refusal(self) -> str:
        """What a rejected call says to a caller that will make no other attempt."""
        question = self.reply if isinstance(self.reply, str) else self.note
        return self.feedback or question or " ".join(finding.issue for finding in self.findings)


class Called(Struct, frozen=True, kw_only=True):
    """The result of a call that a framework has made."""

    result: object
    note: str = ""
    """What its agent is told beside the result: that the call was repaired, or what would help if
    the result is a failure. Empty, or in the result already, mostly."""

    def join_note(self) -> object:
        """Both as one value, for a framework that hands on no more than that."""
        if not self.note:
            return self.result
        if isinstance(self.result, str):
            return f"{self.result}\n\n{self.note}"
        return {"result": self.result, "note": self.note}


def read_written(text: str) -> object:
    """A value that a framework has made text of: an object or a list, else the text itself."""
    try:
        # A number or a word may be text that was meant as such, like an id.
        return json.loads(text) if text.lstrip()[:1] in ("{", "[") else text
    except (ValueError, RecursionError):
        return text


def write_value(value: object) -> str:
    """A value as an agent reads it."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def read_arguments(said: object) -> dict[str, Any] | None:
    """Arguments as a model wrote them, by name; `None` where they are not even that."""
    try:
        read = json.loads(said.strip() or "{}") if isinstance(said, str) else said
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) else None


class HostRun(Protocol):
    """One run of a framework's agent, which is a turn."""

    @property
    def id(self) -> str:
        """The turn's, as on every row of the log."""

    @property
    def is_full(self) -> bool:
        """Whether the next call is the last that is kept of it: for a framework whose clients name
        their turns, and may never end one."""

    def note_tools(self, count: int) -> None:
        """How many tools its agent has, where the framework tells: a part of its context."""

    async def call(self, call: HostCall) -> Called:
        """Make a call: logged, repaired, journaled or held as its tool was declared.

        Its own error comes through, with advice on it (`Host.read_advice`). `HeldError`: it waits
        for a person, and nothing was done.
        """

    def list_actions(self) -> tuple[str, ...]:
        """The ids of all that was done or tried so far and is on record."""

    def may_hold(self, call: HostCall) -> bool:
        """Whether calls of a tool may have to wait, for a framework that asks before it calls:
        whatever their arguments are."""

    async def hold(self, call: HostCall) -> HeldError | None:
        """For such a framework: put a call on hold if it has to wait. Nothing is made of it.

        `None`: it need not wait, or no longer, so `call` it. With `decided`, it will never be made;
        `call` says so.
        """

    async def is_released(self, call: HostCall) -> bool:
        """Whether a call was held and may be made now, as a person has said, wherever that was.

        `HeldError`: it still waits, or with `decided` it will never be made.
        """

    async def review(self, reply: object, *, last: bool = False) -> Answer:
        """Review what was done since the last review, and the reply, before it is shown.

        With `feedback`, have the agent go on and bring its next reply; `last`: it cannot go on.
        """

    async def review_failed(self) -> str:
        """Why the effect of a failed call was undone; empty where it was not."""

    def deliver(self, reply: object) -> Answer:
        """In the place of `review`, where the reply is out already and its agent cannot go on: what
        was done is reviewed later, and a person is asked before anything of it is undone."""

    def make_current(self) -> AbstractContextManager[None]:
        """What is done in here belongs to the turn, also what is not brought as a call: runs that
        are opened by agents which are called as tools, and decorated tools."""

    def add_instructions(self, text: str) -> None:
        """What the framework shows its model beside messages, such as a system prompt: a value that
        stands there was not made up."""

    def list_returned(self) -> Sequence[Execution]:
        """The calls of the run that stand, for a framework that has no conversation of its own."""

    async def keep_dropped(self, messages: bytes) -> None:
        """Keep the messages of a rejected attempt, which the model is not to see any more, for a
        later look at the turn."""

    async def leave(self, *, failed: bool = False) -> None:
        """The run is over. What was not reviewed goes to a later review.

        `failed`: it ended without an answer, and nothing is kept of what was said in it, so that
        what turns out to be wrong is undone. Otherwise others may build on it, and a person is
        asked.
        """


class RunOptions(TypedDict, total=False):
    """What may be said of all runs of an adapter, where its framework does not know it."""

    agent: str
    """The agent's name; else as the framework calls it."""
    context: str
    tenant: str
    principal: str
    timezone: str | None
    about: Callable[[Any], Mapping[str, Any]]
    """The same for one run: a function of what the framework knows of it, such as its context."""
    pitfalls: bool
    """Put what is known to go wrong into the prompt, or into the descriptions of tools."""
    written_calls: bool
    """Make the calls that a model has written into its text, as one does that cannot call tools."""
    hold_back: bool
    """A stream gives what was reviewed, and nothing before that."""
    keep_unfinished: bool
    """Hand out an output that is no text though its run was rejected or is awaiting approval: the
    application then checks the standing in `on_answer`."""
    on_answer: Callable[[Answer], object]
    """Told the result of each reply that went out, with its standing and confidence. The reply goes
    out whatever this raises."""


class Host(Protocol):
    """The application, as an adapter works with it."""

    @property
    def options(self) -> RunOptions:
        """What was said of all runs."""

    @property
    def application(self) -> object:
        """The same for all adapters of one application, which may meet in one call."""

    def is_declared(self, tool: str) -> bool:
        """Whether something was said of a tool by its name. An agent that is called as a tool does
        what its own calls do; only where it was declared itself it is brought as a call too."""

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
        """A run begins.

        `agent`, `principal` and `context` are as the framework calls them, where nothing else was
        said; without a context, one is derived for the log. `history` is the conversation before
        the message. Not `vouched`: a client only reports what the person said, and the client is
        unknown. `given` is what it knows of the run, for the option `about`; `thread` is what its
        ids of calls are unique in, such as a conversation. `kept`: the framework keeps what tools
        return as the run goes on, so that it may be taken up after its process was killed.
        """

    async def make_step(
        self, step: dict[str, Any], *, tools: Mapping[str, Callable[..., object]]
    ) -> dict[str, Any]:
        """Make a step of a turn that a durable engine keeps (`DurableTurn`), in whichever
        process; one that was made before is not made again, but told."""

    async def keep_word(self, thread: str, text: str) -> None:
        """Keep what the agent is to be told when a conversation goes on that cannot be changed:
        what it did last was undone. `thread` is the framework's own id, unique everywhere."""

    async def take_word(self, thread: str) -> str:
        """The same, once; empty if there is nothing."""

    def read_advice(self, error: BaseException) -> str:
        """What an agent is told about a call that failed beside its error; empty if nothing."""

    def describe_pitfalls(self, tools: Iterable[str] | None, *, agent: str = "") -> str:
        """What is known to go wrong with tools, as a section for a prompt; empty if nothing.

        `None`: with any tool, for a framework that does not say which there are.
        """

    def read_calls(
        self, text: str, tools: Mapping[str, Mapping[str, object]]
    ) -> Sequence[MeantCall]:
        """The calls that a model wrote into a text, of tools that are given with their schemas.

        Only those that are surely meant, with arguments that fit; none unless they are asked for.
        """

    def run_sync(self, work: Callable[[], Awaitable[Any]]) -> Any:
        """Wait for one of the above on a thread without an event loop, as a sync framework does.

        What `bring_here` made runs on this very thread meanwhile.
        """

    def bring_here(self, function: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
        """A plain function of a sync framework as one to await, on the thread that waits."""


Plain = dict[str, Any]
"""JSON values alone: engines write steps down."""

Tools = Mapping[str, Callable[..., object]]
"""What steps can call, by name."""

WAITS = (1.0, 2.0, 5.0, 15.0)
"""Seconds between one look at a call that is awaiting approval and the next, where there is no
signal."""


class CallRefusedError(Exception):
    """A call of a durable turn was not made, or failed: as text for its agent."""


class Engine(Protocol):
    """What keeps a workflow: its steps and its waits are its own."""

    async def make_step(self, name: str, step: Plain) -> Plain:
        """Make a step, or give the result it had before."""

    async def wait_for_word(self, action: str, seconds: float) -> None:
        """Wait for a signal about an action, or so long; a crash begins no wait anew."""


@dataclass(slots=True, kw_only=True)
class DurableTurn:
    """One turn, as the agent in a workflow sees it. It is made anew whenever the engine goes on."""

    engine: Engine
    about: Plain
    """`id`, `message`, `now` and what else is known: the same whenever the engine goes on."""
    attempt: int = 1
    correction: str = ""
    """What was wrong with the attempt before this one, and what is true now; empty at first."""
    _steps: list[Plain] = field(default_factory=list)
    """The calls so far, as they ended."""
    _made: int = 0

    @property
    def message(self) -> str:
        """What the person said."""
        return str(self.about["message"])

    async def call(self, tool: str | Callable[..., object], /, **arguments: object) -> Any:
        """Call a tool, once, whatever happens to the process that does.

        One that cannot be undone waits here for a person, as long as that takes. What is not made,
        or fails, is a `CallRefusedError` with a text for the agent.
        """
        name = tool if isinstance(tool, str) else getattr(tool, "__name__", str(tool))
        self._made += 1
        asked: Plain = {
            "kind": "call", "number": self._made, "tool": name, "arguments": arguments
        }  # fmt: skip
        came = await self._make(f"call {name}", asked)
        looks = 0
        while "waits" in came:
            seconds = WAITS[min(looks, len(WAITS) - 1)]
            await self.engine.wait_for_word(str(came["waits"]), seconds)
            looks += 1
            came = await self._make(f"look {name}", asked | {"kind": "look", "look": looks})
        taken = {"id": came["id"], "tool": name, "arguments": arguments, "attempt": self.attempt}
        if "refused" in came:
            # It may still have had an effect, which belongs to the attempt.
            self._steps.append(taken | {"failed": True})
            raise CallRefusedError(str(came["refused"]))
        self._steps.append(taken | {"result": came["result"]})
        return came["result"]

    async def review(self, reply: object) -> Plain:
        """Review the attempt and its reply; with `feedback`, the agent is to try again."""
        answer = await self._make(f"review {self.attempt}", {"kind": "review", "reply": reply})
        if answer["feedback"]:
            self.attempt += 1
            self.correction = str(answer["feedback"])
        return answer

    async def _make(self, name: str, step: Plain) -> Plain:
        whole = {"turn": self.about, "attempt": self.attempt, "steps": list(self._steps)}
        return await self.engine.make_step(name, whole | step)


DurableAgent = Callable[[DurableTurn], Awaitable[object]]
"""What acts: it is told the turn, calls tools by it, and gives a reply. All else that it does and
that is not the same every time, such as asking a model, is a step of the engine's own."""


async def run_turn(agent: DurableAgent, turn: DurableTurn) -> Plain:
    """Attempt, review, and once more, until a reply goes out. The result, as plain values."""
    while True:
        reply = await agent(turn)
        answer = await turn.review(reply)
        if not answer["feedback"]:
            return answer


def name_tools(tools: Iterable[Callable[..., object]]) -> Tools:
    """Tools by the names that turns call them by."""
    return {str(getattr(tool, "__name__", tool)): tool for tool in tools}


def describe_turn(id: str, message: str, *, now: str, about: Mapping[str, object]) -> Plain:  # noqa: A002
    """What is known of a turn, in the form in which engines keep it."""
    return {**about, "id": id, "message": message, "now": now}
