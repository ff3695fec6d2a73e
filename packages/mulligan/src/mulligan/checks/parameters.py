"""What choosing checks needs of a tool: what its calls do, and what each parameter holds."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from typing import NamedTuple

from msgspec import Struct, field

from mulligan.types.call import Call
from mulligan.types.effect import Effect
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Severity
from mulligan.types.values import set_enums
from mulligan_dates.lexicon import join_words, load_words
from mulligan_dates.text import split_name


class ParameterKind(StrEnum):
    """What a parameter holds."""

    ID = "id"
    """Names one object, as the system that has it does."""
    PERSON = "person"
    """Names a person by a name."""
    ADDRESS = "address"
    """Where something goes: a mailbox, an account, a telephone."""
    DATE = "date"
    START = "start"
    END = "end"
    AMOUNT = "amount"
    PLACE = "place"
    TEXT = "text"
    LINK = "link"
    FLAG = "flag"
    """Yes or no, or one of a few words."""
    OTHER = "other"
    """Unknown; no check looks at it."""


class Chosen(NamedTuple):
    """The kind of a parameter, and where it comes from."""

    kind: ParameterKind
    why: str


Schema = Mapping[str, object]

_FORMATS = {
    "date": ParameterKind.DATE,
    "date-time": ParameterKind.DATE,
    "email": ParameterKind.ADDRESS,
    "idn-email": ParameterKind.ADDRESS,
    "iri": ParameterKind.LINK,
    "phone": ParameterKind.ADDRESS,
    "uri": ParameterKind.LINK,
    "uri-reference": ParameterKind.LINK,
    "url": ParameterKind.LINK,
    "uuid": ParameterKind.ID,
}
_NUMBERS = {"number", "integer"}

_ANY_CASE = re.IGNORECASE
_SAID_OF = {
    ParameterKind.ADDRESS: "address",
    ParameterKind.LINK: "link",
    ParameterKind.ID: "id",
    ParameterKind.DATE: "date",
}
"""Words of a description, for a parameter whose name does not say."""

_LOOKS: tuple[tuple[ParameterKind, re.Pattern[str]], ...] = (
    (ParameterKind.LINK, re.compile(r"(?:https?://|www\.)\S+", _ANY_CASE)),
    (ParameterKind.ADDRESS, re.compile(r"(?<![^@\s<>])[^@\s<>]++@[^@\s<>]+\.[^@\s<>]+")),
    (ParameterKind.ADDRESS, re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")),
    (ParameterKind.DATE, re.compile(r"(?:19|20)\d\d-\d\d-\d\d(?:[T ]\d\d:\d\d\S*)?")),
    (ParameterKind.ID, re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", _ANY_CASE)),
)
"""What a value looks like, whole."""


def find_kind(name: str, schema: Schema | None = None, *, tool: str = "") -> Chosen:
    """What a parameter of this name and schema holds; a field has no tool."""
    forms = list(_list_forms(schema or {}))
    for form in forms:
        if (found := _FORMATS.get(str(form.get("format")))) is not None:
            return Chosen(_place_in_time(found, name), f"its format is {form['format']}")
    types = {str(form.get("type")) for form in forms} - {"null", "array", "None"}
    if types == {"boolean"} or any("enum" in form or "const" in form for form in forms):
        return Chosen(ParameterKind.FLAG, "it is one of a few values")
    if types & {"object"}:
        return Chosen(ParameterKind.OTHER, "it is a structure")
    said = str((schema or {}).get("description") or "")
    parts = split_name(name)
    if (found := _read_name(parts, said=said, types=types)) is not None:
        return Chosen(found, f"it is called {name}")
    for kind, words in _SAID_OF.items():
        if not types & _NUMBERS and (named := _compile_said(words).search(said)):
            return Chosen(_place_in_time(kind, name), f"its description says {named.group()!r}")
    if tool and _is_number_of(name, tool):
        return Chosen(ParameterKind.ID, "it is the number of one thing")
    return Chosen(ParameterKind.OTHER, "its schema and its name do not say")


def parse_kinds(given: object, *, of: str) -> Mapping[str, ParameterKind]:
    """What an author says that parameters hold, by their names."""
    if not isinstance(given, Mapping):
        raise ConfigurationError(
            f"kinds={given!r} of {of} is not a mapping: kinds={{'reference': 'id'}} says that "
            "reference holds an id."
        )
    return {str(name): _parse_kind(kind, of=f"{of}.{name}") for name, kind in given.items()}


def _parse_kind(given: object, *, of: str) -> ParameterKind:
    try:
        return ParameterKind(given)  # type: ignore[arg-type]
    except ValueError:
        known = ", ".join(each.value for each in ParameterKind)
        raise ConfigurationError(f"{of}: there is no kind {given!r}. There are: {known}.") from None


def find_kind_of_value(value: object) -> Chosen | None:
    """The kind of a value by its form, where its parameter does not say."""
    text = str(value).strip() if isinstance(value, str) else ""
    for kind, pattern in _LOOKS:
        if text and pattern.fullmatch(text):
            return Chosen(kind, "its value looks like one")
    return None


def _read_name(words: Sequence[str], *, said: str, types: set[str]) -> ParameterKind | None:
    """The kind that a name implies; its last word counts most."""
    if not words:
        return None
    last, named = words[-1], set(words)
    if last in _load("id"):
        return ParameterKind.ID
    if types and types <= _NUMBERS:
        return ParameterKind.AMOUNT if named & _load("amount") else None
    if named & _load("address") or last in _load("account"):
        return ParameterKind.ADDRESS
    if named & _load("receives") or (len(words) == 1 and words[0] in _load("receives_alone")):
        return (
            ParameterKind.ADDRESS if _compile_said("address").search(said) else ParameterKind.PERSON
        )
    if last in _load("link"):
        return ParameterKind.LINK
    if named & _load("date") or last in _load("bound"):
        return _place_in_time(ParameterKind.DATE, "_".join(words))
    return _read_last(last, named)


def _read_last(last: str, named: set[str]) -> ParameterKind | None:
    if last in _load("amount"):
        return ParameterKind.AMOUNT
    if last in _load("place"):
        return ParameterKind.PLACE
    if last in _load("person") or (last == "name" and named & {*_load("person"), "first"}):
        return ParameterKind.PERSON
    return ParameterKind.TEXT if last in _load("text") or last.endswith("name") else None


def _load(name: str) -> frozenset[str]:
    return load_words("kinds", name)


@cache
def _compile_said(name: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{join_words('described', name)})\b", re.IGNORECASE)


def _place_in_time(kind: ParameterKind, name: str) -> ParameterKind:
    """Which end of a stretch of time a date is, by its name."""
    if kind is not ParameterKind.DATE:
        return kind
    named = set(split_name(name))
    if named & _load("start"):
        return ParameterKind.START
    return ParameterKind.END if named & _load("end") else kind


def _list_forms(schema: Schema) -> Iterator[Schema]:
    """A schema and the ones it is one of: `string or null`, a list's elements."""
    yield schema
    for key in ("anyOf", "oneOf", "allOf"):
        for each in _as_list(schema.get(key)):
            if isinstance(each, Mapping):
                yield from _list_forms(each)
    if isinstance(items := schema.get("items"), Mapping):
        yield from _list_forms(items)


def _as_list(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else []


class ToolVerb(StrEnum):
    """What a tool does with the object it is about."""

    READ = "read"
    MAKE = "make"
    """It makes or sends something, and is not idempotent."""
    CHANGE = "change"
    REMOVE = "remove"


class ToolShape(Struct, frozen=True, kw_only=True):
    """What is known of a tool without its code."""

    tool: str
    effect: Effect = Effect.UNDECLARED
    schema: Schema = field(default_factory=dict)
    """The JSON Schema of its arguments."""
    kinds: Mapping[str, ParameterKind] = field(default_factory=dict)
    """What its author says of parameters; outranks everything else."""
    untrusted: Severity | None = None
    """Severity if a value comes from a text; `None`: its author did not say."""
    each: str | None = None
    """The parameter that holds the elements of a bulk."""


class ToolKinds(Struct, frozen=True, kw_only=True):
    """A tool with the kinds of its parameters, and why each was chosen."""

    tool: str
    verb: ToolVerb
    unsure: bool = False
    """Whether nothing says what it does, neither a declaration nor its name."""
    chosen: Mapping[str, Chosen]
    defaults: Mapping[str, object] = field(default_factory=dict)
    untrusted: Severity | None = None

    @property
    def has_effect(self) -> bool:
        """Whether a call may change something."""
        return self.verb is not ToolVerb.READ

    def list_parameters(self, *kinds: ParameterKind) -> list[str]:
        """The parameters that hold one of these kinds, in the order of the schema."""
        return [name for name, each in self.chosen.items() if each.kind in kinds]


FindTool = Callable[[Call], ToolShape | None]
"""What is known of the tool of a call; `None`: nothing was declared."""


def read_kinds(shape: ToolShape) -> ToolKinds:
    """What each parameter in a tool's schema holds."""
    properties = shape.schema.get("properties")
    named: Mapping[str, object] = properties if isinstance(properties, Mapping) else {}
    chosen: dict[str, Chosen] = {}
    for name, said in named.items():
        if name in shape.kinds:
            chosen[name] = Chosen(shape.kinds[name], "its author says so")
        else:
            schema = said if isinstance(said, Mapping) else None
            chosen[name] = find_kind(name, schema, tool=shape.tool)
    return ToolKinds(
        tool=shape.tool,
        verb=find_verb(shape.tool, effect=shape.effect),
        unsure=shape.effect is Effect.UNDECLARED
        and not any(map(find_deed, split_name(shape.tool))),
        chosen=chosen,
        defaults={
            name: said["default"]
            for name, said in named.items()
            if isinstance(said, Mapping) and "default" in said
        },
        untrusted=shape.untrusted,
    )


@lru_cache(maxsize=1_024)
def find_verb(tool: str, *, effect: Effect = Effect.UNDECLARED) -> ToolVerb:
    """What a tool does: as declared, else by the first verb in its name."""
    if effect is Effect.READ:
        return ToolVerb.READ
    acts = effect is not Effect.UNDECLARED
    deeds = (find_deed(word) for word in list_verbs(tool))
    return next((e for e in deeds if e and not (acts and e is ToolVerb.READ)), ToolVerb.CHANGE)


def list_verbs(tool: str) -> Sequence[str]:
    """The words of a tool's name, the likeliest to be its verb first: `mail_search` searches."""
    words = split_name(tool)
    nouns = load_words("deeds", "nouns")
    first = next((word for word in words if word in nouns or find_deed(word)), "")
    if first not in nouns:
        return words
    verbs = [word for word in words if word not in nouns and find_deed(word)]
    # What is read may be the noun's: post_read_receipt.
    sure = [word for word in verbs if word == words[-1] or find_deed(word) is not ToolVerb.READ]
    return [*sure, *words]


def find_deed(word: str) -> ToolVerb | None:
    """What a verb does to an object."""
    return next((deed for deed in ToolVerb if word in load_words("deeds", deed)), None)


def select_kinds(tools: Collection[ToolKinds], *kinds: ParameterKind) -> dict[str, list[str]]:
    """By tool, the parameters of these kinds: what the single checks are told."""
    found = {each.tool: each.list_parameters(*kinds) for each in tools}
    return {tool: names for tool, names in found.items() if names}


@lru_cache(maxsize=1_024)
def _is_number_of(name: str, tool: str) -> bool:
    """Whether a parameter holds what one thing is numbered with: an issue, an order."""
    words = split_name(name)
    of = words[:-1] or split_name(tool)
    return bool(words) and words[-1] == "number" and not _load("numbered").isdisjoint(of)


OF_KIND: Mapping[ParameterKind, tuple[str, ...]] = {
    ParameterKind.ID: ("ids_seen", "not_glued", "exists", "not_from_content", "contrasted"),
    ParameterKind.PERSON: ("not_from_content",),
    ParameterKind.ADDRESS: ("addresses_seen", "targets_seen", "not_from_content"),
    ParameterKind.DATE: ("dates_as_said", "times_as_said", "not_in_the_past", "dates_as_written"),
    ParameterKind.START: (
        "dates_as_said",
        "times_as_said",
        "ends_after_start",
        "alternative_as_said",
        "dates_as_written",
    ),
    ParameterKind.END: ("dates_as_said", "times_as_said", "ends_after_start"),
    ParameterKind.AMOUNT: ("amounts_as_said",),
    ParameterKind.PLACE: ("home_is_home",),
    ParameterKind.TEXT: ("quotes_kept",),
    ParameterKind.LINK: ("targets_seen", "not_from_content"),
}
"""What looks at a parameter of each kind, in a tool that changes something."""


def list_checks_of(tool: ToolKinds, parameter: str) -> tuple[str, ...]:
    """The checks that look at a parameter; of a tool that only reads, none."""
    return OF_KIND.get(tool.chosen[parameter].kind, ()) if tool.has_effect else ()


class Standard(Struct, frozen=True, kw_only=True):
    """How checks choose themselves: `Mulligan(checks=[Standard(only_asked="error"), own])`."""

    only_asked: Severity = Severity.WARNING
    """Severity if something is changed where only a question was asked."""
    unasked: bool = True
    """Look at turns without a message, too: in an application, all that was asked is there."""

    def __post_init__(self) -> None:
        set_enums(self, only_asked=Severity)
