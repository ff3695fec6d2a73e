"""Functions of users that hang, exit, cancel or answer with nonsense, in every place for one.

`python -m bench.hostile LOOP FIRST [--short]` runs the cases of one loop in this process, with a
line of JSON for each, so that a parent sees which of them hangs, and how long it takes to end.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
import threading
import time
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from typing import Any, NamedTuple, NoReturn

from mulligan import Effect, Failures, JudgeLimits, Mulligan, Remote
from mulligan.checks.grounding import Verification
from mulligan.loops.drafts import DraftRules
from mulligan.loops.replies import ReplyRules
from mulligan.stores.opening import open_store
from mulligan.types.limits import Budget
from mulligan.types.reply import Critique
from mulligan.types.task import Reflect, Task

Function = Callable[..., Any]
Story = Callable[[Mulligan, Function], Awaitable[object]]

LIMIT = timedelta(seconds=0.2)
"""For every function that has one."""
ANSWERED = timedelta(seconds=5)
"""An answer that takes longer than this counts as a hang."""

_over = threading.Event()
"""Ends a function that spins, once its case is over."""


class Nonsense:
    """An answer that fails whatever is done with it."""

    def _fail(self, *_: object) -> NoReturn:
        raise SystemExit("nonsense")

    __bool__ = __eq__ = __float__ = __int__ = __iter__ = __len__ = __lt__ = _fail
    __str__ = __repr__ = __getitem__ = __contains__ = __format__ = _fail
    __hash__ = None  # type: ignore[assignment]


class MuteError(Exception):
    """An error that cannot be shown."""

    def __str__(self) -> str:
        raise SystemExit("mute")

    __repr__ = __str__


def _raise(error: BaseException) -> NoReturn:
    raise error


def _recurse() -> NoReturn:
    _recurse()


def _spin() -> None:
    while not _over.is_set():
        pass


def _yield_for_ever() -> Iterator[str]:
    while not _over.is_set():
        yield "one more"


async def _yield_for_ever_async() -> AsyncIterator[str]:
    while not _over.is_set():
        await asyncio.sleep(0)
        yield "one more"


def _yield_and(act: Callable[[], object]) -> Iterator[object]:
    yield "At 5. "
    yield act()


async def _yield_and_resist() -> AsyncIterator[str]:
    try:
        yield "At 5. Or"
        await _hang()
    finally:
        await _resist()


async def _hang() -> NoReturn:
    await asyncio.Event().wait()
    raise AssertionError


async def _resist() -> None:
    while not _over.is_set():
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(0.05)


async def _raise_later(error: BaseException) -> NoReturn:
    await asyncio.sleep(0)
    raise error


async def _return_later(answer: object) -> object:
    await asyncio.sleep(0)
    return answer


PLAIN: dict[str, Callable[[], object]] = {
    "hangs": lambda: threading.Event().wait(),
    "spins": _spin,
    "exits": lambda: sys.exit(3),
    "interrupts": lambda: _raise(KeyboardInterrupt()),
    "cancels": lambda: _raise(asyncio.CancelledError()),
    "closes": lambda: _raise(GeneratorExit()),
    "groups": lambda: _raise(BaseExceptionGroup("several", [SystemExit()])),
    "stops": lambda: _raise(StopIteration()),
    "recurses": _recurse,
    "is mute": lambda: _raise(MuteError()),
    "answers nonsense": Nonsense,
    "answers for ever": _yield_for_ever,
    "answers for ever, async": _yield_for_ever_async,
    "answers in part and hangs": lambda: _yield_and(threading.Event().wait),
    "answers in part and exits": lambda: _yield_and(sys.exit),
    "answers in part with nonsense": lambda: _yield_and(Nonsense),
    "answers in part and resists": _yield_and_resist,
    "answers with one that hangs": _hang,
    "answers with one that exits": lambda: _raise_later(SystemExit()),
    "answers with one that resists": _resist,
    "answers with bytes": lambda: b"\xff" * 1_000_000,
    "answers with itself": lambda: PLAIN,
}
"""What a plain function does, by a name for it."""

ASYNC: dict[str, Callable[[], Awaitable[object]]] = {
    "hangs": _hang,
    "resists": _resist,
    "exits": lambda: _raise_later(SystemExit()),
    "cancels": lambda: _raise_later(asyncio.CancelledError()),
    "closes": lambda: _raise_later(GeneratorExit()),
    "groups": lambda: _raise_later(BaseExceptionGroup("several", [SystemExit()])),
    "is mute": lambda: _raise_later(MuteError()),
    "answers nonsense": lambda: _return_later(Nonsense()),
    "answers with one that hangs": lambda: _return_later(_hang()),
}

ON_CALLERS_THREAD = ("hangs", "spins", "interrupts", "answers with one that resists")
"""What no limit reaches in a function that belongs to the thread and the task of its caller, and
what only a person does there."""


WORST = ("hangs", "exits", "cancels", "answers nonsense")
WORST_ASYNC = ("resists",)
"""One of each kind, where the long form has all of them."""


def make_plain(act: Callable[[], object]) -> Function:
    def hostile(*_: object, **__: object) -> object:
        return act()

    return hostile


def make_async(act: Callable[[], Awaitable[object]]) -> Function:
    async def hostile(*_: object, **__: object) -> object:
        return await act()

    return hostile


class Asked:
    """A judge whose `ask` is a hostile function."""

    name = "hostile"

    def __init__(self, function: Function) -> None:
        self.ask = function


class Place(NamedTuple):
    """Where a hostile function is called, and what may come of it."""

    run: Story
    raises: tuple[type[BaseException], ...] = ()
    """What the caller may get: for functions whose own errors are the caller's."""
    here: bool = False
    """It is called on its caller's thread, as it may belong to that."""


async def _act(m: Mulligan, **declared: Any) -> object:
    kept: dict[str, str] = {}

    def add(title: str) -> dict[str, str]:
        kept["title"] = title
        return {"id": "1", "title": title}

    usual: dict[str, Any] = {
        "effect": Effect.REVERSIBLE,
        "undo": lambda _: kept.clear(),
        "read": lambda _: kept or None,
    }
    remote = Remote(answers_within=LIMIT)
    tool = m.tool(**usual | declared, remote=remote)(add)

    async def agent(_: object) -> str:
        tool(title="Dinner")
        return "Added."

    return await m.act("Add dinner.", agent)


async def _act_checked(m: Mulligan, check: Function) -> object:
    m.check("add")(lambda call: check(call))
    return await _act(m)


async def _act_checked_async(m: Mulligan, check: Function) -> object:
    async def look(call: object) -> object:
        return check(call)

    m.check("add")(look)
    return await _act(m)


def _with(**changes: Any) -> Callable[[Story], Story]:
    """The story in an application of its own."""

    def change(story: Story) -> Story:
        async def run(_: Mulligan, function: Function) -> object:
            given = {name: make(function) for name, make in changes.items()}
            async with open_application(**given) as m:
                return await story(m, function)

        return run

    return change


def open_application(**given: Any) -> Mulligan:
    limits = JudgeLimits(timeout=LIMIT)
    return Mulligan(open_store("memory:"), judge_limits=limits, **given)


async def _undo(m: Mulligan, function: Function, name: str) -> object:
    m.check("add")(lambda call: f"{call.tool} is wrong.")
    return await _act(m, **{name: function})


async def _call(m: Mulligan, function: Function) -> object:
    """A tool's own answer and errors are its caller's: they come through as they are."""
    return m.tool(effect=Effect.READ)(function)()


async def _fail_and_ask(m: Mulligan, _: Function) -> object:
    @m.tool(effect=Effect.READ, failures=Failures(ask_judge=True))
    async def find(day: str) -> str:
        raise ValueError(f"{day} is no day")

    with suppress(ValueError):
        await find(day="3rd")
    return "failed as it should"


BUDGET = Budget(time=LIMIT)


async def _reply(m: Mulligan, write: Function, **rules: Any) -> object:
    held = ReplyRules(budget=BUDGET, attempts=2, **rules)
    return await m.reply(write, query="When?", context="At 5.", rules=held)


async def _stream_reply(m: Mulligan, write: Function) -> object:
    held = ReplyRules(budget=BUDGET, attempts=2)
    return [event async for event in m.stream_reply(write, query="When?", rules=held)]


async def _stream_draft(m: Mulligan, write: Function) -> object:
    rules = DraftRules(critics=[_criticise], budget=BUDGET, reflections=1)
    events = m.stream_draft(write, question="When?", rules=rules, optimistic=True)
    return [event async for event in events]


def _say(*_: object) -> str:
    return "At 5."


async def _draft(m: Mulligan, write: Function, **rules: Any) -> object:
    usual = {"critics": [_criticise], "budget": BUDGET, "reflections": 1}
    return await m.draft(write, question="When?", rules=DraftRules(**{**usual, **rules}))


def _criticise(*_: object) -> Critique:
    return Critique(score=9.0)


async def _draft_with_tool(m: Mulligan, tool: Function) -> object:
    async def write(brief: Any) -> str:
        return str(await brief.tools.call("find"))

    return await _draft(m, write, tools={"find": tool})


def _task(**reflect: Any) -> Task:
    gate = "accept" if "score" not in reflect else "evidence"
    settings = Reflect(**{"gate": gate, "every": 1, "timeout": LIMIT, **reflect})
    return Task(description="Sum it up.", reflect=settings, budget=Budget(time=5 * LIMIT))


async def _run(m: Mulligan, work: Function = _say, **about: Any) -> object:
    from msgspec.structs import replace

    checks = about.pop("checks", ())
    task = replace(_task(**{"strategy": lambda _: None, **about}), checks=checks)
    return await m.run_task(task, work)


class Shelf:
    """Task versions, each method of which is a hostile function."""

    def __init__(self, function: Function) -> None:
        self._function = function

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._function


async def _listen(m: Mulligan, subscriber: Function) -> object:
    m.subscribe(subscriber)
    return await _act(m)


LOOPS: dict[str, dict[str, Place]] = {
    "actions": {
        "check": Place(_act_checked),
        "async check": Place(_act_checked_async, here=True),
        "facts": Place(_with(facts=lambda f: [f])(lambda m, _: _act(m))),
        "judge": Place(_with(judge=Asked)(lambda m, _: _act(m))),
        "read": Place(lambda m, f: _undo(m, f, "read"), here=True),
        "undo": Place(lambda m, f: _undo(m, f, "undo"), here=True),
        "subscriber": Place(_listen),
    },
    "calls": {
        "tool": Place(_call, raises=(BaseException,), here=True),
        "judge": Place(_with(judge=Asked)(_fail_and_ask)),
    },
    "replies": {
        "writer": Place(_reply),
        "streaming writer": Place(_stream_reply),
        "check": Place(lambda m, f: _reply(m, _say, checks=[f])),
        "judge": Place(
            _with(judge=Asked)(lambda m, _: _reply(m, _say, verify=Verification())),
        ),
    },
    "drafts": {
        "writer": Place(_draft),
        "streaming writer": Place(_stream_draft),
        "critic": Place(lambda m, f: _draft(m, _say, critics=[f])),
        "judge": Place(lambda m, f: _draft(m, _say, critics=[Asked(f)])),
        "tool": Place(_draft_with_tool),
        "combine": Place(lambda m, f: _draft(m, _say, combine=f)),
    },
    "tasks": {
        "work": Place(_run, raises=(Exception,)),
        "check": Place(lambda m, f: _run(m, checks=(f,))),
        "score": Place(lambda m, f: _run(m, score=f)),
        "strategy": Place(lambda m, f: _run(m, strategy=f)),
        "judge": Place(lambda m, f: _run(m, strategy=None, judge=Asked(f))),
        "versions": Place(_with(task_versions=Shelf)(lambda m, _: _run(m))),
    },
}


class Case(NamedTuple):
    """One hostile function in one place."""

    loop: str
    place: str
    kind: str
    act: str

    def __str__(self) -> str:
        return f"{self.loop}: {self.kind} {self.place} {self.act}"


def list_cases(loop: str, *, short: bool = False) -> list[Case]:
    """Every case of a loop, in order; in short, all in its first place and the worst elsewhere."""
    found = []
    first = next(iter(LOOPS[loop]))
    for name, place in LOOPS[loop].items():
        plain, later = (WORST, WORST_ASYNC) if short and name != first else (PLAIN, ASYNC)
        found += [
            Case(loop, name, "plain", act)
            for act in plain
            if not (place.here and act in ON_CALLERS_THREAD)
        ]
        found += [Case(loop, name, "async", act) for act in later if not place.here]
    return found


def run_case(case: Case) -> str:
    """What is wrong with how a case ended, or nothing."""
    place = LOOPS[case.loop][case.place]
    function = make_plain(PLAIN[case.act]) if case.kind == "plain" else make_async(ASYNC[case.act])

    async def tell() -> str:
        began = time.monotonic()
        try:
            async with open_application() as m:
                await place.run(m, function)
        except BaseException as error:
            if not isinstance(error, place.raises):
                return f"{type(error).__name__} escaped"
        took = time.monotonic() - began
        late = took > ANSWERED.total_seconds() * measure_load()
        return f"answered after {took:.1f} s" if late else ""

    _over.clear()
    try:
        return asyncio.run(tell())
    except BaseException as error:
        return f"{type(error).__name__} ended the event loop"
    finally:
        _over.set()


def measure_load() -> float:
    """How many times longer than alone everything takes on this machine now, at least 1."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def _shorten_limits() -> None:
    """Limits that no setting changes, where they stand."""
    for name, module in list(sys.modules.items()):
        if name.startswith("mulligan.") and hasattr(module, "ANSWERS_WITHIN"):
            module.ANSWERS_WITHIN = LIMIT  # type: ignore[attr-defined]


def main(loop: str, first: int, *, short: bool) -> None:
    logging.disable()
    warnings.simplefilter("ignore")
    for number, case in list(enumerate(list_cases(loop, short=short)))[first:]:
        print(json.dumps({"begun": number, "case": str(case)}), flush=True)
        _shorten_limits()
        wrong = run_case(case)
        print(json.dumps({"ended": number, "wrong": wrong}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), short="--short" in sys.argv)
