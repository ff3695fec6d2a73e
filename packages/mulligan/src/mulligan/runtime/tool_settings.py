"""How what a tool's author says is read: by the name of each field, its type, or its reader."""

from __future__ import annotations

import inspect
import math
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from enum import StrEnum
from functools import cache, partial
from typing import Any, NamedTuple, TypeVar, cast

from msgspec import Struct, field
from msgspec.structs import replace

from mulligan.checks.custom import read_severity
from mulligan.checks.parameters import ParameterKind, parse_kinds
from mulligan.codec import read_hints, to_arguments_schema, to_schema
from mulligan.redaction import Hide
from mulligan.redaction.scrub import scrub, scrub_schema
from mulligan.runtime.signature import find_injected, list_parameters
from mulligan.types.call import Record
from mulligan.types.display import Describe, list_places
from mulligan.types.effect import Effect, ProbeBy
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Severity
from mulligan.types.lesson import ErrorRule, read_error_rules
from mulligan.types.values import require_bool
from mulligan_dates.text import is_number

_TOLD = {"in_progress": ("error",), "same": ("state", "other"), "with_note": ("result", "note")}
"""What they are called with, where that is not the record of a call."""


def require_function(function: object, *, name: str, of: str) -> None:
    """Refuse what could not be called on the day that it is needed. `of`: the tool."""
    told = _TOLD.get(name, ("record",))
    wanted = f"a function of {len(told)} argument{'s' * (len(told) > 1)} ({', '.join(told)})"
    if not callable(function):
        raise ConfigurationError(f"{name}={function!r} of {of} is no function. Pass {wanted}.")
    try:
        signature = inspect.signature(function)
    except ValueError:
        return  # a built-in that does not say what it takes
    try:
        signature.bind(*told)
    except TypeError:
        raise ConfigurationError(
            f"{name} of {of} takes {signature}, so that it could not be called. Pass {wanted}."
        ) from None


E = TypeVar("E", bound=StrEnum)

OURS = ("key", "if_version", "if_absent")
"""What names a parameter that only we fill, at every call."""

_REVIEWED = frozenset({Effect.REVERSIBLE, Effect.IRREVERSIBLE})


class Said(NamedTuple):
    """What was said under one name, and of which tool."""

    tool: Callable[..., Any]
    called: str
    """What the log calls the tool."""
    name: str
    declared: Mapping[str, Any]
    """Everything that was said of it."""

    @property
    def value(self) -> Any:
        """What was said; `None` where nothing was."""
        return self.declared.get(self.name)


class ReadBy(NamedTuple):
    """Reads what was said under a field's name; the field has its default where nothing was."""

    read: Callable[[Said], object]


class FoundBy(NamedTuple):
    """Finds what follows from the tool and from all that was said of it."""

    find: Callable[[Said], object]


class Hints(Struct, frozen=True, kw_only=True):
    """The types that kept values get back."""

    call: Mapping[str, object] = field(default_factory=dict)
    """Of the arguments, as the tool takes them."""
    arguments: Mapping[str, object] = field(default_factory=dict)
    """The same as one action has them: of a bulk, the type of an element."""
    result: object = None
    """Of what it returns; of a bulk, of an element of that."""
    whole: object = None
    """Of what it returns, as it is annotated."""
    before: object = None


def read_fields(
    owner: type, tool: Callable[..., Any], *, declared: Mapping[str, Any], called: str
) -> dict[str, Any]:
    """The fields of a declaration, by their names and in their order, as its author filled them."""
    read: dict[str, Any] = {}
    for name, how in _list_readers(owner).items():
        said = Said(tool, called, name, declared)
        try:
            if isinstance(how, FoundBy):
                read[name] = how.find(said)
            elif name in declared:
                read[name] = how.read(said)
        except TypeError as error:
            raise ConfigurationError(
                f"{name}={said.value!r} of {called} cannot be read: {error}."
            ) from error
        except ConfigurationError as error:
            if name in declared and name not in str(error):
                raise ConfigurationError(f"{name} of {called}: {error}") from error
            raise
    return read


def is_derived(owner: type, name: str) -> bool:
    """Whether a field follows from the tool, so that it has no default of its own."""
    return isinstance(_list_readers(owner).get(name), FoundBy)


@cache
def _list_readers(owner: type) -> Mapping[str, ReadBy | FoundBy]:
    hints = typing.get_type_hints(owner, include_extras=True)
    return {name: _choose_reader(hint) for name, hint in hints.items()}


def _choose_reader(hint: object) -> ReadBy | FoundBy:
    """What its annotation names, or its type tells; anything else as it was said."""
    for note in getattr(hint, "__metadata__", ()):
        if isinstance(note, ReadBy | FoundBy):
            return note
    if isinstance(hint, type) and issubclass(hint, Struct):
        return FoundBy(lambda said: _read_group(hint, said))
    for kind in (hint, *typing.get_args(hint)):  # with its words, as a type checker knows them
        if isinstance(kind, type) and issubclass(kind, StrEnum):
            return ReadBy(partial(_parse_choice, kind))
    if any(typing.get_origin(each) is Callable for each in typing.get_args(hint)):
        return ReadBy(_read_function)
    return _BY_TYPE.get(hint) or ReadBy(lambda said: said.value)


def _read_group(kind: type[Struct], said: Said) -> Struct:
    return kind(**read_fields(kind, said.tool, declared=said.declared, called=said.called))


def _read_seconds(said: Said) -> timedelta:
    """A length of time; a plain number is one of seconds."""
    given = said.value
    if is_number(given) and math.isfinite(given):
        given = timedelta(seconds=given)
    least = timedelta() if said.name in _MAY_BE_NONE else timedelta(microseconds=1)
    if not isinstance(given, timedelta) or given < least:
        raise ConfigurationError(
            f"{said.name}={said.value!r} is no time that {said.called} could keep to. Pass a "
            f"timedelta or seconds, {'0 or more' if said.name in _MAY_BE_NONE else 'above 0'}."
        )
    return given


_MAY_BE_NONE = frozenset({"lands_within", "settles_within"})


def read_requests(said: Said) -> int:
    """1, or 0 where not given."""
    if said.value not in (0, 1) or isinstance(said.value, bool):
        raise ConfigurationError(
            f"requests={said.value!r} says nothing that could be kept. Say requests=1 of a tool "
            "whose call is one request, and leave it out of any other."
        )
    return int(said.value)


def read_name(tool: object) -> str:
    """What a function, or an object that is called like one, goes by."""
    return str(getattr(tool, "__name__", type(tool).__name__))


def read_effect(said: Said) -> Effect:
    """The gravest, where a function says it for each call."""
    if callable(said.value):
        require_function(said.value, name=said.name, of=said.called)
    return Effect.IRREVERSIBLE if callable(said.value) else _parse_choice(Effect, said)


def find_effect_of(said: Said) -> Callable[[Record], Effect] | None:
    """The function that says the effect of each call, where one does."""
    effect = said.declared.get("effect")
    return effect if callable(effect) else None


def find_probe_by(said: Said) -> ProbeBy:
    """As it was said; else a probe goes by the call only where a key tells it from others."""
    if said.name in said.declared:
        return _parse_choice(ProbeBy, said)
    return ProbeBy.CALL if said.declared.get("key") else ProbeBy.STATE


def read_classes(said: Said) -> tuple[type[BaseException], ...]:
    """Exception classes, one or several."""
    given = said.value if isinstance(said.value, tuple) else (said.value,)
    for each in given:
        if not (isinstance(each, type) and issubclass(each, BaseException)):
            raise ConfigurationError(
                f"{said.name} takes exception classes, such as ValueError; {each!r} is none."
            )
    return given


def find_judged(said: Said) -> bool:
    """As it was said; else whatever changes something is."""
    if said.name in said.declared:
        return require_bool(said.value, name=said.name)
    effect = said.declared.get("effect")
    return callable(effect) or effect in _REVIEWED


def find_hints(said: Said) -> Hints:
    """The types of its arguments and its result, and of what its reader returns."""
    call = read_hints(said.tool)
    result = whole = call.pop("return", None)
    arguments = dict(call)
    each = said.declared.get("each")
    if each is not None:
        arguments[each] = _read_element_type(arguments.get(each))
        result = _read_element_type(result)
    reader = said.declared.get("before") or said.declared.get("read")
    return Hints(
        call=call,
        arguments=arguments,
        result=result,
        whole=whole,
        before=read_hints(reader).get("return") if reader is not None else None,
    )


def _read_element_type(hint: object) -> object:
    """What a list holds, as far as its annotation says."""
    inside = typing.get_args(hint)
    return inside[0] if inside else None


def read_parameters(said: Said) -> frozenset[str]:
    """Names of parameters that the tool has."""
    if isinstance(said.value, str):
        raise ConfigurationError(
            f"{said.name}={said.value!r} is text; it is a list of parameter names: "
            f"{said.name}=[{said.value!r}]."
        )
    if not isinstance(said.value, Iterable):
        raise ConfigurationError(f"{said.name}={said.value!r} is no list of parameter names.")
    names = frozenset(said.value)
    known = _list_names(said.tool) or names
    for name in sorted(names, key=str):
        if not isinstance(name, str) or name not in known:
            raise _build_parameter_error(said, name)
    return names


def read_parameter(said: Said) -> str | None:
    """The name of a parameter that the tool has."""
    name: object = said.value
    if name is None or (isinstance(name, str) and name in (_list_names(said.tool) or (name,))):
        return name
    raise _build_parameter_error(said, name)


def _build_parameter_error(said: Said, name: object) -> ConfigurationError:
    tool, has = read_name(said.tool), ", ".join(sorted(_list_names(said.tool) or ())) or "none"
    return ConfigurationError(
        f"{said.name} names {name!r}, which is no parameter of {tool}. It has: {has}."
    )


def _list_names(tool: Callable[..., Any]) -> frozenset[str] | None:
    """The names of a tool's parameters; `None` when it takes any."""
    found = list_parameters(tool)
    if found is None or any(p.kind is p.VAR_KEYWORD for p in found):
        return None
    return frozenset(p.name for p in found)


def _read_function(said: Said) -> Callable[..., Any] | None:
    if said.value is not None:
        require_function(said.value, name=said.name, of=said.called)
    return cast("Callable[..., Any] | None", said.value)


def read_description(said: Said) -> Describe:
    """A text with room for arguments that the tool has, or a function of the record."""
    given: Describe = said.value
    if callable(given):
        require_function(given, name=said.name, of=said.called)
        return given
    if not isinstance(given, str) or not given.strip():
        raise ConfigurationError(
            f"describe={given!r} says nothing. Pass a sentence such as 'Move {{event_id}} to "
            "{day}', or a function of the record."
        )
    try:
        named = list_places(given)
    except ValueError as error:
        raise ConfigurationError(f"describe={given!r} cannot be filled in: {error}.") from error
    unknown = sorted(set(named) - (_list_names(said.tool) or set(named)))
    if unknown:
        raise _build_parameter_error(said, unknown[0])
    return given


def read_schema(said: Said) -> Mapping[str, object]:
    """A schema as it was given. Whether it is one shows when it is needed: that takes a library."""
    given = said.value
    if given is None or isinstance(given, Mapping):
        return given or {}
    described = to_schema(given) if said.name == "returns" else {}
    if not described:
        raise ConfigurationError(
            f"{said.name}={given!r} is no schema. Pass a JSON Schema such as "
            "{'type': 'object', 'required': ['id']}."
        )
    return described


def find_schema(said: Said) -> Mapping[str, object]:
    """The schema of its arguments; by default what its annotations say.

    What we fill, or a framework does, is no part of it: no caller passes that.
    """
    hidden = find_left_out(said) | {said.declared.get(name) for name in OURS}
    schema = dict(read_schema(said) or to_arguments_schema(said.tool, without=hidden))
    properties, required = schema.get("properties"), schema.get("required")
    if isinstance(properties, Mapping):
        schema["properties"] = {n: each for n, each in properties.items() if n not in hidden}
    if isinstance(required, (list, tuple)):
        schema["required"] = [name for name in required if name not in hidden]
    return scrub_schema(schema)


def read_server(said: Said) -> str:
    """The name of a server, often its address: without a login or a token in it."""
    if not isinstance(said.value, str):
        raise ConfigurationError(f"server={said.value!r} is no text. Pass a name.")
    return scrub_label(said.value)


def scrub_label(name: str) -> str:
    """A name as others may read it, wherever it goes from here."""
    return scrub(name, hide=Hide.SECRETS)


def find_left_out(said: Said) -> frozenset[str]:
    """What a framework fills, by its type or as it was said."""
    declared = Said(said.tool, said.called, "leave_out", said.declared)
    named = frozenset() if declared.value is None else read_parameters(declared)
    return named | find_injected(said.tool)


def find_needs(said: Said) -> frozenset[str]:
    """Of what is left out, that which has no default."""
    found = list_parameters(said.tool) or ()
    return find_left_out(said) & {p.name for p in found if p.default is p.empty}


def read_provided(said: Said) -> Callable[[Record], object]:
    """A function of the record that returns the values by name; a mapping is one already."""
    given = said.value
    if callable(given):
        require_function(given, name=said.name, of=said.called)
        return cast("Callable[[Record], object]", given)
    left_out, needs = find_left_out(said), find_needs(said)
    if not isinstance(given, Mapping) or not left_out >= given.keys() >= needs:
        raise ConfigurationError(
            f"provide is a function of the record, or a mapping of what a framework fills: "
            f"{', '.join(sorted(left_out)) or 'nothing, here'}."
        )
    return lambda _: given


def read_rules(said: Said) -> tuple[ErrorRule, ...]:
    """Rules for errors of this tool alone."""
    return tuple(replace(rule, tool=said.called) for rule in read_error_rules(said.value))


def read_parameter_kinds(said: Said) -> Mapping[str, ParameterKind]:
    """What parameters hold, by their names."""
    return parse_kinds(said.value, of=said.called)


def read_weight(said: Said) -> Severity:
    """How much something weighs."""
    return read_severity(said.value)


def find_docs(said: Said) -> tuple[str, ...]:
    """Its docstring, and what else is written about it."""
    written = said.declared.get(said.name, ())
    own = inspect.getdoc(said.tool)
    return (*([own] if own else ()), *_list_sentences(said, written))


def _list_sentences(said: Said, given: Iterable[str]) -> tuple[str, ...]:
    """Several sentences, or one."""
    sentences = (given,) if isinstance(given, str) else tuple(given)
    for each in sentences:
        if not isinstance(each, str):
            raise ConfigurationError(f"{said.name} of {said.called} takes texts; {each!r} is none.")
    return sentences


def _parse_choice(kind: type[E], said: Said) -> E:
    try:
        return kind(said.value)
    except ValueError as error:
        known = ", ".join(repr(member.value) for member in kind)
        raise ConfigurationError(
            f"{said.name}={said.value!r} is nothing that {said.called} could be. Use one of: "
            f"{known}."
        ) from error


_BY_TYPE: Mapping[object, ReadBy] = {
    bool: ReadBy(lambda said: require_bool(said.value, name=said.name)),
    timedelta: ReadBy(_read_seconds),
    Sequence[str]: ReadBy(lambda said: _list_sentences(said, said.value)),
}
