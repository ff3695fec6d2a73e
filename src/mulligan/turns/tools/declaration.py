"""What a tool's author says of it, checked when it is said."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import timedelta
from enum import StrEnum
from typing import Any, TypedDict, TypeVar, Unpack

from mulligan.core.effect import Effect, Mode, NoVerdict, Precheck, Release, Repeat
from mulligan.core.errors import ConfigurationError
from mulligan.core.record import Abilities, Record, Told
from mulligan.core.suggestion import ErrorRule, read_error_rules
from mulligan.turns.tools.argument_schema import build_hint_schema, build_schema
from mulligan.turns.tools.kept_values import resolve_hints

E = TypeVar("E", bound=StrEnum)


class Declared(TypedDict, total=False):
    """What `@m.tool(…)` takes."""

    name: str
    """What the tool is called in the log; the function's own name by default."""
    server: str
    """Where the tool lives, when tools of several servers share names."""
    effect: Effect | Callable[[Record], Effect]
    """What a call can do to the world; a function, where that depends on its arguments."""
    repeat: Repeat
    mode: Mode
    allow: Iterable[str]
    """Parameters that the log shows as they are, less secrets."""
    before: Told
    """Read what is there before the call: the pre-image."""
    undo: Told
    """Take the effect back, only if it is still at `record.version`; else `ConflictError`."""
    read: Told
    """Read what is there now, `None` if nothing is. By default `before` does it."""
    probe: Told
    """Find out whether a call landed that gave no answer: its result, or `None` if it did not."""
    refresh: Told
    """Get new credentials: run once after a 401, and the call is made again."""
    in_progress: Callable[[BaseException], bool]
    """Whether a conflict says that our own first call, under the same key, is still on its way:
    then it is asked for again, under that key."""
    not_processed: bool
    """The remote documents that a call it answered with a rate limit has had no effect."""
    version: Told
    """The version in `record.result`, such as an ETag."""
    if_version: str
    """The parameter that carries the version of the pre-image: a call that comes after somebody
    else's edit is refused, and no undo goes back to before that edit. Of a bulk, a list."""
    same: Callable[[object, object], bool]
    """Whether two states are equal for all that matters."""
    key: str
    """The parameter that carries our key: an idempotency key, or an id that the client chooses."""
    key_life: timedelta
    """How long the remote remembers a key; a day unless said otherwise."""
    lands_within: timedelta
    """How late a call can take effect after its answer was given up; 30 seconds unless said."""
    each: str
    """The parameter that holds the elements of a bulk: each is an action of its own."""
    sequential: bool
    """A bulk is one request, or makes one after the other: refused, nothing of it is on its way."""
    deletes: bool
    """The call makes something go away, so that it is done when nothing is there."""
    schema: Mapping[str, object]
    """The JSON Schema of its arguments; by default what its annotations say."""
    returns: Mapping[str, object] | type
    """What it returns, as a JSON Schema or a type: a result that breaks it is a failure."""
    may_be_empty: bool
    """`False`: an empty result is a failure of this tool, and not an answer."""
    error_rules: Iterable[ErrorRule | Mapping[str, object]]
    """Which class and pattern its errors are, in your own words; asked before anything else."""
    precheck: Precheck
    """When it is said that a call will fail by all that is known: `after` it did, `before` each
    call of a turn, or `refuse`: such a call is not made."""
    docs: str | Iterable[str]
    """What is written about it, beside its docstring; a judge reads what is nearest to an error."""
    ask_judge: bool
    """Whether a judge is asked for a correction where nothing else has one. Async tools only."""
    review: bool
    """Whether a judge is asked about its calls; by default those that change something."""
    on_no_verdict: NoVerdict
    """What becomes of its effect when nobody can say: `proceed` (the default) or `undo`."""
    release: Release
    """Who lets a held call run: a `person` (the default), or the `checks`, if all are content."""
    loses: Iterable[str]
    """What an undo does not bring back: invitations sent, answers given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """The types that kept values get back."""

    call: Mapping[str, object] = field(default_factory=dict)
    """Of the arguments, as the tool takes them."""
    arguments: Mapping[str, object] = field(default_factory=dict)
    """The same as one action has them: of a bulk, the type of an element."""
    result: object = None
    before: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """What is known about a tool."""

    tool: str
    server: str = ""
    effect: Effect = Effect.UNDECLARED
    """The gravest it can have, where it depends on the arguments."""
    effect_of: Callable[[Record], Effect] | None = None
    repeat: Repeat = Repeat.ONCE
    mode: Mode = Mode.SUGGEST
    allow: frozenset[str] = frozenset()
    abilities: Abilities = field(default_factory=Abilities)
    hints: Hints = field(default_factory=Hints)
    key: str | None = None
    key_life: timedelta = timedelta(days=1)
    if_version: str | None = None
    lands_within: timedelta = timedelta(seconds=30)
    each: str | None = None
    sequential: bool = False
    deletes: bool = False
    not_processed: bool = False
    loses: tuple[str, ...] = ()
    schema: Mapping[str, object] = field(default_factory=dict, repr=False)
    returns: Mapping[str, object] = field(default_factory=dict, repr=False)
    may_be_empty: bool = True
    error_rules: tuple[ErrorRule, ...] = ()
    precheck: Precheck = Precheck.AFTER
    docs: tuple[str, ...] = field(default=(), repr=False)
    ask_judge: bool = False
    review: bool = False
    on_no_verdict: NoVerdict = NoVerdict.PROCEED
    release: Release = Release.PERSON

    def classify_effect(self, arguments: Mapping[str, object]) -> Effect:
        """What a call with these arguments can do; where nobody can tell, the gravest."""
        if self.effect_of is None:
            return self.effect
        try:
            effect = Effect(self.effect_of(Record(arguments=arguments)))
        except Exception:  # noqa: BLE001 - a user's function; holding the call is always safe
            return Effect.IRREVERSIBLE
        if effect is Effect.REVERSIBLE and self.abilities.undo is None:
            return Effect.IRREVERSIBLE
        return effect


_REVIEWED = frozenset({Effect.REVERSIBLE, Effect.IRREVERSIBLE})


def declare(tool: Callable[..., Any], **declared: Unpack[Declared]) -> Declaration:
    """Read a declaration, or refuse what it cannot keep."""
    _refuse_unknown(tool, declared)
    declaration = Declaration(
        tool=declared.get("name") or read_name(tool),
        server=declared.get("server", ""),
        effect=_parse_effect(declared),
        effect_of=_read_effect_function(declared),
        repeat=_parse_choice(Repeat, declared.get("repeat", Repeat.ONCE)),
        mode=_parse_choice(Mode, declared.get("mode", Mode.SUGGEST)),
        allow=_validate_names(declared.get("allow", ()), tool),
        abilities=_read_abilities(declared),
        hints=_read_hints(tool, declared),
        key=_validate_parameter("key", declared.get("key"), tool),
        key_life=declared.get("key_life", timedelta(days=1)),
        if_version=_validate_parameter("if_version", declared.get("if_version"), tool),
        lands_within=declared.get("lands_within", timedelta(seconds=30)),
        each=_validate_parameter("each", declared.get("each"), tool),
        sequential=declared.get("sequential", False),
        deletes=declared.get("deletes", False),
        not_processed=declared.get("not_processed", False),
        loses=_list_sentences(declared.get("loses", ())),
        schema=_read_schema("schema", declared.get("schema")) or build_schema(tool),
        returns=_read_schema("returns", declared.get("returns")),
        may_be_empty=declared.get("may_be_empty", True),
        error_rules=_bind_error_rules(declared, tool=declared.get("name") or read_name(tool)),
        precheck=_parse_choice(Precheck, declared.get("precheck", Precheck.AFTER)),
        docs=(
            *_list_sentences(inspect.getdoc(tool) or ()),
            *_list_sentences(declared.get("docs", ())),
        ),
        ask_judge=declared.get("ask_judge", False),
        review=declared.get("review", _parse_effect(declared) in _REVIEWED),
        on_no_verdict=_parse_choice(NoVerdict, declared.get("on_no_verdict", NoVerdict.PROCEED)),
        release=_parse_choice(Release, declared.get("release", Release.PERSON)),
    )
    _refuse_empty_promises(tool, declaration)
    return declaration


def _validate_names(allow: Iterable[str], tool: Callable[..., Any]) -> frozenset[str]:
    if isinstance(allow, str):
        raise ConfigurationError(
            f"allow={allow!r} is text; it is a list of parameter names: allow=[{allow!r}]."
        )
    names = frozenset(allow)
    unknown = sorted(names - (_list_parameters(tool) or names))
    if unknown:
        raise ConfigurationError(
            f"allow names {unknown[0]!r}, which is no parameter of {read_name(tool)}."
        )
    return names


def _validate_parameter(what: str, name: str | None, tool: Callable[..., Any]) -> str | None:
    if name is not None and name not in (_list_parameters(tool) or (name,)):
        raise ConfigurationError(
            f"{what} names {name!r}, which is no parameter of {read_name(tool)}."
        )
    return name


def _parse_effect(declared: Declared) -> Effect:
    effect = declared.get("effect", Effect.UNDECLARED)
    return Effect.IRREVERSIBLE if callable(effect) else _parse_choice(Effect, effect)


def _read_effect_function(declared: Declared) -> Callable[[Record], Effect] | None:
    effect = declared.get("effect", Effect.UNDECLARED)
    return effect if callable(effect) else None


def _read_schema(what: str, given: Mapping[str, object] | type | None) -> Mapping[str, object]:
    """A schema as it was given. Whether it is one shows when it is needed: that takes a library."""
    if given is None or isinstance(given, Mapping):
        return given or {}
    described = build_hint_schema(given) if what == "returns" else {}
    if not described:
        raise ConfigurationError(
            f"{what}={given!r} is no schema. Pass a JSON Schema such as "
            "{'type': 'object', 'required': ['id']}."
        )
    return described


def _bind_error_rules(declared: Declared, *, tool: str) -> tuple[ErrorRule, ...]:
    rules = read_error_rules(declared.get("error_rules", ()))
    return tuple(replace(rule, tool=tool) for rule in rules)


def _list_sentences(loses: Iterable[str]) -> tuple[str, ...]:
    return (loses,) if isinstance(loses, str) else tuple(loses)


def _list_parameters(tool: Callable[..., Any]) -> frozenset[str] | None:
    """The names of a tool's parameters; `None` when it takes any."""
    try:
        found = inspect.signature(tool).parameters
    except (TypeError, ValueError):
        # Some built-ins have no signature, and may take anything.
        return None
    takes_any = any(p.kind is p.VAR_KEYWORD for p in found.values())
    return None if takes_any else frozenset(found)


def read_name(tool: object) -> str:
    """What a function, or an object that is called like one, goes by."""
    return str(getattr(tool, "__name__", type(tool).__name__))


def _read_abilities(declared: Mapping[str, Any]) -> Abilities:
    names = [each.name for each in fields(Abilities)]
    return Abilities(**{name: declared[name] for name in names if name in declared})


def _read_hints(tool: Callable[..., Any], declared: Declared) -> Hints:
    call = resolve_hints(tool)
    result = call.pop("return", None)
    arguments = dict(call)
    each = declared.get("each")
    if each is not None:
        arguments[each], result = (
            _find_element_hint(arguments.get(each)),
            _find_element_hint(result),
        )
    reader = declared.get("before") or declared.get("read")
    return Hints(
        call=call,
        arguments=arguments,
        result=result,
        before=resolve_hints(reader).get("return") if reader is not None else None,
    )


def _find_element_hint(hint: object) -> object:
    """What a list holds, as far as its annotation says."""
    inside = typing.get_args(hint)
    return inside[0] if inside else None


def _refuse_unknown(tool: object, declared: Mapping[str, object]) -> None:
    if not callable(tool):
        raise ConfigurationError(
            f"@m.tool needs a function, not {type(tool).__name__}. "
            "Write @m.tool or @m.tool(effect=Effect.READ) above a def."
        )
    if inspect.isgeneratorfunction(tool) or inspect.isasyncgenfunction(tool):
        raise ConfigurationError(
            f"{read_name(tool)} is a generator, whose end nobody could see. "
            "Wrap a function that returns what it yields, such as a list."
        )
    unknown = sorted(set(declared) - set(Declared.__annotations__))
    if unknown:
        known = ", ".join(Declared.__annotations__)
        raise ConfigurationError(f"@m.tool knows no {unknown[0]!r}. It knows: {known}.")


def _refuse_empty_promises(tool: Callable[..., Any], said: Declaration) -> None:
    """A declaration that nothing could keep is refused now, not on the first bad day."""
    can = said.abilities
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
            said.ask_judge and not is_async(tool)
        ),
        "has in_progress, but no key that a second try would go under. Declare key=… and KEYED": (
            can.in_progress is not None and said.repeat is not Repeat.KEYED
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


def is_async(function: Callable[..., object]) -> bool:
    """Whether calling it gives something to await: a coroutine function, or an object like one."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
        getattr(function, "__call__", None)  # noqa: B004 - an object with an async __call__
    )


def _parse_choice(kind: type[E], value: str) -> E:
    try:
        return kind(value)
    except ValueError as error:
        known = ", ".join(member.value for member in kind)
        raise ConfigurationError(
            f"There is no {_describe_kind(kind)} {value!r}. There are: {known}."
        ) from error


def _describe_kind(kind: type[StrEnum]) -> str:
    """`NoVerdict` is "no verdict"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind.__name__).lower()
