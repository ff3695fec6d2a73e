"""What a tool's author says of it, checked when it is said."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import timedelta
from difflib import get_close_matches
from typing import Annotated, Any, Literal, ParamSpec, Protocol, TypeVar, Unpack

from msgspec import Struct, field
from msgspec.structs import asdict, astuple, replace

from mulligan.codec import read_hints
from mulligan.process.user_functions import is_async
from mulligan.redaction import Hide
from mulligan.redaction.scrub import scrub
from mulligan.runtime.signature import list_parameters
from mulligan.runtime.tool_settings import (
    OURS,
    FoundBy,
    Hints,
    ReadBy,
    find_docs,
    find_effect_of,
    find_hints,
    find_judged,
    find_left_out,
    find_needs,
    find_probe_by,
    find_schema,
    read_classes,
    read_description,
    read_effect,
    read_fields,
    read_name,
    read_parameter,
    read_parameter_kinds,
    read_parameters,
    read_provided,
    read_requests,
    read_rules,
    read_schema,
    read_server,
    read_weight,
    scrub_label,
)
from mulligan.types.call import DeclaredCallbacks, Record, RecordFunction, ToolCallbacks
from mulligan.types.display import Describe
from mulligan.types.effect import (
    Effect,
    EffectName,
    Mode,
    ModeName,
    NoVerdict,
    Precheck,
    ProbeBy,
    ProbeName,
    Release,
    Repeat,
    RepeatName,
)
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import SeverityName
from mulligan.types.lesson import ErrorRule
from mulligan.types.values import hide_fields


def find_misfit(
    tool: Callable[..., object], named: Mapping[str, str], *, taken: Collection[str | None]
) -> str:
    """Why a parameter cannot be ours to fill; empty if all can.

    `named`: what was declared, such as `key`, and the parameter. `taken`: those others fill.
    """
    parameters = {p.name: p for p in list_parameters(tool) or ()}
    has_rest = any(p.kind is p.VAR_POSITIONAL for p in parameters.values())
    hints = read_hints(tool)
    seen: set[str] = set()
    for said, name in named.items():
        found = parameters.get(name)
        if name in seen or name in taken:
            return f"names {name!r} twice: {said}=… needs a parameter of its own"
        seen.add(name)
        if said == "key" and not _admits_text(hints.get(name)):
            return f"has a key that is no text: annotate {name!r} with str"
        if found is not None and (trouble := _describe_place(said, found, has_rest=has_rest)):
            return trouble
    return ""


def _describe_place(said: str, parameter: inspect.Parameter, *, has_rest: bool) -> str:
    name, kind = parameter.name, parameter.kind
    if kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        return f"has a {said} without a name of its own: {name!r} takes any number of values"
    if kind is parameter.POSITIONAL_ONLY or (has_rest and kind is parameter.POSITIONAL_OR_KEYWORD):
        return f"takes {name!r} by its position, where a caller could pass it: put a * before it"
    if said != "key" and parameter.default is parameter.empty:
        return (
            f"has no default for {name!r}, and not every call is bound to a version, such as one "
            "that is only logged. Give it one"
        )
    return ""


def _admits_text(hint: object) -> bool:
    """Whether text may be passed, as far as an annotation says."""
    hint = getattr(hint, "__supertype__", hint)
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return any(map(_admits_text, typing.get_args(hint)))
    if hint is type(None):
        return False
    return not isinstance(hint, type) or issubclass(str, hint) or issubclass(hint, str)


Around = Callable[[Sequence[Record]], AbstractContextManager[object]]
"""Makes what a try of a call is made inside of."""


@hide_fields("schema")
class Arguments(Struct, frozen=True, kw_only=True):
    """What a tool is called with."""

    schema: Annotated[Mapping[str, object], FoundBy(find_schema)] = field(default_factory=dict)
    """Their JSON Schema; by default what the annotations of the tool say."""
    allow: Annotated[Collection[str], ReadBy(read_parameters)] = frozenset()
    """Parameters that the log shows as they are, less secrets."""
    kinds: Annotated[Mapping[str, str], ReadBy(read_parameter_kinds)] = field(default_factory=dict)
    """What parameters hold, for checks that choose themselves, where their names and schema tell it
    wrong: `{"reference": "id"}`."""
    leave_out: Annotated[Collection[str], FoundBy(find_left_out)] = frozenset()
    """Parameters that a framework fills, such as a context: no part of what was asked, so they are
    not kept, logged, checked or shown. Those of known frameworks are found by their types."""
    provide: Annotated[Mapping[str, object] | RecordFunction | None, ReadBy(read_provided)] = None
    """What to call it with in their place where a held call runs later: by name, or a function of
    the record that makes it. Without it, only the process that held a call can run it."""


class Remote(Struct, frozen=True, kw_only=True):
    """How the system that a tool calls behaves. A duration may also be a number of seconds."""

    lands_within: timedelta = timedelta(seconds=30)
    """How late a call can take effect after its answer was given up."""
    settles_within: timedelta = timedelta()
    """How long a read may still show what was before a write, as replicas do. A read that is to
    prove something is made after that."""
    answers_within: timedelta = timedelta(seconds=30)
    """How long the tool's own functions (undo, read, probe, …) may take."""
    key_life: timedelta = timedelta(days=1)
    """How long it remembers a key."""
    requests: Annotated[int, ReadBy(read_requests)] = 0
    """1: a call is one request, so that "it was never sent" is proof that nothing happened. By
    default that is not declared, and an earlier request of the same call may have landed."""
    not_processed: bool = False
    """It documents that a call which it answered with a rate limit has had no effect."""
    binds: bool = False
    """`True`: what a call is made inside of (`around`) refuses it once its snapshot has been
    changed, so that no `if_version` is needed."""
    refresh: RecordFunction | None = None
    """Get new credentials: run once after a 401, and the call is made again."""
    in_progress: Callable[[BaseException], bool] | None = None
    """Whether a conflict says that our own first call, under the same key, is still running:
    then it is asked for again, under that key."""


@hide_fields("returns", "docs")
class Failures(Struct, frozen=True, kw_only=True):
    """What a failure of a tool is, and what is done about one."""

    returns: Annotated[Mapping[str, object] | type, ReadBy(read_schema)] = field(
        default_factory=dict
    )
    """What it returns, as a JSON Schema or a type: a result that breaks it is a failure."""
    may_be_empty: bool = True
    """`False`: an empty result is a failure of this tool, and not an answer."""
    error_rules: Annotated[Sequence[ErrorRule], ReadBy(read_rules)] = ()
    """Which class and pattern its errors are, in your own words; asked before anything else."""
    precheck: Precheck | Literal["after", "before", "refuse"] = Precheck.AFTER
    """When it is said that a call will fail by all that is known: `after` it did, `before` each
    call of a turn, or `refuse`: such a call is not made."""
    docs: Annotated[Sequence[str], FoundBy(find_docs)] = ()
    """What is written about it, beside its docstring; a judge reads what is nearest to an error."""
    ask_judge: bool = False
    """Whether a judge is asked for a correction where nothing else has one. Async tools only."""
    with_note: Callable[[Any, str], Any] | None = None
    """Where a result tells its agent that the call was repaired: a function of the result and the
    note, which returns the result. By default a line stands under a text, and nothing elsewhere."""


class Review(Struct, frozen=True, kw_only=True):
    """What of a tool's calls is judged, and what follows from it."""

    judged: Annotated[bool | None, FoundBy(find_judged)] = None
    """Whether a judge is asked about its calls; by default about those that change something."""
    on_no_verdict: NoVerdict | Literal["proceed", "undo"] = NoVerdict.PROCEED
    """What happens to its effect without a verdict: `proceed` or `undo`."""
    release: Release | Literal["person", "checks"] = Release.PERSON
    """Who lets a held call run: a `person`, or the `checks`, if all are content."""
    untrusted: Annotated[SeverityName | None, ReadBy(read_weight)] = None
    """What it comes to if a recipient, account, link or id stems only from a text that a tool
    returned: a `warning` (the default, of calls that change something), or an `error`, of any."""


class Undoing(Struct, frozen=True, kw_only=True):
    """How far an undo brings back what was there, and how that is known."""

    same: Callable[[object, object], bool] | None = None
    """Whether two states are equal for all that matters. By default: equal but for the version."""
    compares: bool = True
    """`False`: the remote of its undo compares no versions. Only a look right before says that what
    the call left is still there, and an edit made in that moment can be lost."""
    loses: Sequence[str] = ()
    """What an undo does not bring back: invitations sent, answers given."""
    rests_on: Sequence[str] = ()
    """What an undo takes for granted, or waits for a person without, as sentences for a person."""


class Declared(DeclaredCallbacks, total=False):
    """What `@m.tool(…)` takes: what is said of a tool here, and what it can do by its functions.

    A new name is a field of the group that it belongs to, which says how it is kept and read.
    """

    name: str
    """What the tool is called in the log; the function's own name by default."""
    server: str
    """Where the tool lives, when tools of several servers share names."""
    effect: EffectName | Callable[[Record], EffectName]
    """What a call can do to the world; a function, where that depends on its arguments."""
    repeat: RepeatName
    """What happens if a call is made twice."""
    mode: ModeName
    """How far Mulligan goes with it: only watch, also help, also correct."""
    key: str
    """The parameter that carries our key: an idempotency key, or an id that the client chooses."""
    if_version: str
    """The parameter that carries the version of the snapshot: a call that comes after another
    writer's edit is refused, and no undo goes back to before that edit. Of a bulk, a
    list."""
    if_absent: str
    """The parameter that is `True` where the snapshot was nothing: the object must not exist.
    Without it, such a call of a tool with `if_version` is held."""
    each: str
    """The parameter that holds the elements of a bulk: each is an action of its own."""
    deletes: bool
    """The call makes something go away, so that it is done when nothing is there."""
    refuses: type[BaseException] | tuple[type[BaseException], ...]
    """Exceptions by which the tool says that nothing was done. It may also raise `NothingDone`."""
    probe_by: ProbeName
    """What `probe` goes by: this very `call`, a `receipt` that the call left with the version it
    wrote, or only the `state` that is there. By default the call if there is a `key`, else the
    state."""
    around: Around
    """What each try of a call is made inside of, such as a transaction that leaves a mark: given
    the call's record, of a bulk one for each element. Journaled calls only."""
    describe: str | Callable[[Record], str]
    """What a call does, as a sentence for a person: "Move {event_id} to {day}", or a function of
    the record. By default its names and arguments."""
    arguments: Arguments
    """What it is called with: their schema, what the log shows, what a framework fills."""
    remote: Remote
    """How the system behaves that it calls: how late a call lands, how long a key is known."""
    failures: Failures
    """What a failure of it is, and what is done about one."""
    review: Review
    """What of its calls is judged, and what follows from it."""
    undoing: Undoing
    """How far an undo brings back what was there: what it loses, what it rests on."""


GROUPS: Mapping[str, type[Struct]] = {
    "arguments": Arguments,
    "remote": Remote,
    "failures": Failures,
    "review": Review,
    "undoing": Undoing,
}
"""What `@m.tool(…)` takes several names in, each an object or a table."""

HOMES: Mapping[str, str] = {
    name: group for group, kind in GROUPS.items() for name in kind.__struct_fields__
}
"""The group that each of those names stands in."""


class Declaration(Struct, frozen=True, kw_only=True):
    """What is known about a tool: by the names of `Declared`, each read as its type or its reader
    says, and what follows from several of them."""

    tool: Annotated[str, FoundBy(lambda said: said.called)]
    server: Annotated[str, ReadBy(read_server)] = ""
    effect: Annotated[Effect, ReadBy(read_effect)] = Effect.UNDECLARED
    """The gravest it can have, where it depends on the arguments."""
    effect_of: Annotated[Callable[[Record], Effect] | None, FoundBy(find_effect_of)] = None
    repeat: Repeat = Repeat.ONCE
    mode: Mode = Mode.SUGGEST
    callbacks: ToolCallbacks = field(default_factory=ToolCallbacks)
    hints: Annotated[Hints, FoundBy(find_hints)] = field(default_factory=Hints)
    key: Annotated[str | None, ReadBy(read_parameter)] = None
    if_version: Annotated[str | None, ReadBy(read_parameter)] = None
    if_absent: Annotated[str | None, ReadBy(read_parameter)] = None
    each: Annotated[str | None, ReadBy(read_parameter)] = None
    deletes: bool = False
    refuses: Annotated[tuple[type[BaseException], ...], ReadBy(read_classes)] = ()
    probe_by: Annotated[ProbeBy, FoundBy(find_probe_by)] = ProbeBy.STATE
    around: Around | None = None
    describe: Annotated[Describe | None, ReadBy(read_description)] = None
    needs: Annotated[frozenset[str], FoundBy(find_needs)] = frozenset()
    """Of what is left out, that without which it cannot be called."""
    arguments: Arguments = field(default_factory=Arguments)
    remote: Remote = field(default_factory=Remote)
    failures: Failures = field(default_factory=Failures)
    review: Review = field(default_factory=Review)
    undoing: Undoing = field(default_factory=Undoing)

    @property
    def ours(self) -> tuple[str, ...]:
        """The parameters that only we fill."""
        return tuple(name for name in (self.key, self.if_version, self.if_absent) if name)

    def classify_effect(self, arguments: Mapping[str, object]) -> Effect:
        """What a call with these arguments can do; where that is unknown, the gravest."""
        if self.effect_of is None:
            return self.effect
        try:
            effect = Effect(self.effect_of(Record(arguments=arguments)))
        except Exception:  # noqa: BLE001 - a user's function; holding the call is always safe
            return Effect.IRREVERSIBLE
        if effect is Effect.REVERSIBLE and self.callbacks.undo is None:
            return Effect.IRREVERSIBLE
        return effect


def list_functions(said: Declaration) -> list[Callable[..., object]]:
    """The functions that a tool is declared with beside its own."""
    provide, more = said.arguments.provide, (said.effect_of, said.describe, said.around)
    given = (*astuple(said.callbacks), provide, *more)
    return [each for each in given if callable(each)]


def declare(tool: Callable[..., Any], **declared: Unpack[Declared]) -> Declaration:
    """Read a declaration, or refuse what it cannot keep."""
    return read_declaration(tool, ungroup(declared))


def ungroup(declared: Declared) -> dict[str, Any]:
    """Everything that is said of a tool, each under its own name; unknown names are refused."""
    said: dict[str, Any] = {}
    for name, value in declared.items():
        if name in HOMES:
            group = HOMES[name]
            said_so = f"{group}={GROUPS[group].__name__}({name}=…)"
            raise ConfigurationError(f"@m.tool takes {name} in a group: {said_so}.")
        if name not in Declared.__annotations__:
            known = sorted(Declared.__annotations__)
            near = "".join(f" Did you mean {each!r}?" for each in get_close_matches(name, known, 1))
            raise ConfigurationError(
                f"@m.tool knows no {name!r}.{near} It knows: {', '.join(known)}."
            )
        said |= _list_said(name, value) if name in GROUPS else {name: value}
    return said


def _list_said(group: str, given: object) -> Mapping[str, object]:
    """What was said in a group, which may be a table of a file."""
    kind = GROUPS[group]
    if isinstance(given, kind):
        plain = kind()
        return {name: v for name, v in asdict(given).items() if v != getattr(plain, name)}
    if not isinstance(given, Mapping) or not given.keys() <= set(kind.__struct_fields__):
        has = ", ".join(kind.__struct_fields__)
        raise ConfigurationError(f"{group}={given!r} is no {kind.__name__}, which has: {has}.")
    return given


def read_declaration(tool: Callable[..., Any], said: Mapping[str, Any]) -> Declaration:
    """The same of what was said without groups."""
    _refuse_unusable(tool)
    named = said.get("name") or read_name(tool)
    if not isinstance(named, str):
        raise ConfigurationError(f"name={named!r} is no text. Leave it out, or pass a name.")
    called = scrub_label(named)
    declaration = Declaration(**read_fields(Declaration, tool, declared=said, called=called))
    _refuse_empty_promises(tool, declaration)
    _refuse_unfillable(tool, declaration)
    return declaration


def hide_names(declaration: Declaration, *, hide: Hide) -> Declaration:
    """The declaration with its names as this application shows text: less what it hides."""
    tool, server = (scrub(name, hide=hide) for name in (declaration.tool, declaration.server))
    if (tool, server) == (declaration.tool, declaration.server):
        return declaration
    return replace(declaration, tool=tool, server=server)


def _refuse_unusable(tool: object) -> None:
    if not callable(tool):
        raise ConfigurationError(
            f"@m.tool needs a function, not {type(tool).__name__}. "
            "Write @m.tool or @m.tool(effect=Effect.READ) above a def."
        )
    if inspect.isgeneratorfunction(tool) or inspect.isasyncgenfunction(tool):
        raise ConfigurationError(
            f"{read_name(tool)} is a generator, and its end cannot be seen. Wrap a function that "
            "returns what it yields, such as a list."
        )


def _refuse_empty_promises(tool: Callable[..., Any], said: Declaration) -> None:
    """A declaration that nothing could keep is refused now, not on the first bad day."""
    can = said.callbacks
    inside_a_call = (can.before, can.version, can.probe, can.refresh)
    complaints = {
        "is REVERSIBLE but has no undo. Pass undo=…, or declare it IRREVERSIBLE": (
            said.effect is Effect.REVERSIBLE and can.undo is None
        ),
        "has an undo, but no way to prove it. Pass read=… or before=…": (
            can.undo is not None and can.reader is None
        ),
        "has an undo, so it is not READ. Declare it REVERSIBLE": (
            can.undo is not None and said.effect is Effect.READ
        ),
        "is KEYED, but nothing carries the key. Name the parameter that does: key=…": (
            said.repeat is Repeat.KEYED and said.key is None
        ),
        "is synchronous, so it cannot wait for a judge. Make it async, or leave ask_judge out": (
            said.failures.ask_judge and not is_async(tool)
        ),
        "has in_progress, but no key that a second try would go under. Declare key=… and KEYED": (
            can.in_progress is not None and said.repeat is not Repeat.KEYED
        ),
        "has an about that must be awaited. Make it a plain function of the record": (
            can.about is not None and is_async(can.about)
        ),
        "has if_absent, but no if_version that it completes. Pass if_version=…": (
            said.if_absent is not None and said.if_version is None
        ),
        "has if_version, but nothing to take it from. Pass before=… and version=…": (
            said.if_version is not None and not (can.before and can.version)
        ),
        "is READ, so there is no bulk of effects. Leave each=… out": (
            said.each is not None and said.effect is Effect.READ
        ),
        "is synchronous, so its before, version, probe and refresh must be too: it calls them": (
            not is_async(tool) and any(inspect.iscoroutinefunction(each) for each in inside_a_call)
        ),
    }
    for what, wrong in complaints.items():
        if wrong:
            raise ConfigurationError(f"The tool {said.tool!r} {what}.")


def _refuse_unfillable(tool: Callable[..., Any], said: Declaration) -> None:
    """What we or a framework are to fill must be there to be filled."""
    named = {name: getattr(said, name) for name in OURS if getattr(said, name)}
    misfit = find_misfit(tool, named, taken={said.each, *said.arguments.leave_out})
    if said.arguments.provide is not None and not said.arguments.leave_out:
        misfit = "has provide, but nothing that a framework fills. Name it: Arguments(leave_out=…)"
    if misfit:
        raise ConfigurationError(f"The tool {said.tool!r} {misfit}.")


P = ParamSpec("P")
R = TypeVar("R")


class Declares(Protocol):
    """What an application declares its tools with, such as a `Mulligan`."""

    def tool(self, /, **declared: Unpack[Declared]) -> Callable[[Callable[P, R]], Callable[P, R]]:
        """Declare a tool."""


class Definition(Struct, frozen=True, kw_only=True):
    """A function by its place. A cell of a notebook that is run again keeps its place."""

    module: str
    name: str
    around: tuple[str, ...] = ()
    """What it wraps, where a decorator gave several functions one name."""
    line: int = 0
    """Only of a lambda, which has no name that would tell."""
    object: int = 0
    """Which object, where it is one that is called like a function."""

    def __str__(self) -> str:
        return f"{self.name} in {self.module}"


def find_definition(function: Callable[..., object]) -> Definition:
    """Where a function, a method, or an object that is called like one was written."""
    name = getattr(function, "__qualname__", None)
    if name is None:
        kind = type(function)
        return Definition(module=kind.__module__, name=kind.__qualname__, object=id(function))
    code = getattr(function, "__code__", None)
    return Definition(
        module=str(getattr(function, "__module__", "")),
        name=name,
        around=tuple(_list_wrapped(function)),
        line=code.co_firstlineno if code is not None and name.endswith("<lambda>") else 0,
    )


def _list_wrapped(function: Callable[..., object]) -> Iterator[str]:
    """The functions that it closes over, by name."""
    for cell in getattr(function, "__closure__", None) or ():
        try:
            inside = cell.cell_contents
        except ValueError:
            # Not filled yet: the function is being made.
            continue
        if callable(inside) and hasattr(inside, "__qualname__"):
            yield f"{inside.__module__}.{inside.__qualname__}"
