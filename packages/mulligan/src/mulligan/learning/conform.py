"""Changes arguments that break their schema as little as needed to make them fit.

A call is changed only where its schema leaves no doubt: it is invalid as written, and valid after
the change. Nothing is guessed, and no value changes.

Stricter than a suggestion after a failure: here the tool has not refused the call, and nothing asks
for confirmation before it is made.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from msgspec import Struct

from mulligan.learning.closeness import is_slip, loses_words, match_name, match_part, pick_only
from mulligan.learning.coerce import (
    NOTHING,
    NOTHING_SAID,
    coerce,
    coerce_value,
    from_text,
    list_types,
    may_be_two,
    read_date,
)
from mulligan.learning.model_output import ARGUMENT_KEYS, WrittenCall, read_calls
from mulligan.learning.parsing import (
    Formula,
    is_like,
    match_tool,
    match_tool_name,
    normalize_spelling,
    read_json,
)
from mulligan.learning.protected_fields import find_locked_changes
from mulligan.learning.schema import Schema, read_schema
from mulligan.learning.values import is_small, join_path
from mulligan.types.errors import NoSchemaError
from mulligan.types.lesson import Kind
from mulligan_dates.text import fold_name, shorten

MOST_CHARACTERS = 20_000


def rejoin_pieces(pieces: list[object]) -> list[object] | None:
    """The objects that the pieces were split from, or `None` when they do not form any.

    A parser that split `[{"a": "x", "b": 1}]` at `", "` leaves `'{"a": "x'` and `'b": 1}]'`.
    """
    texts = [piece.strip() for piece in pieces if isinstance(piece, str)]
    if len(texts) != len(pieces) or not texts or not texts[0].startswith(("{", "[")):
        return None
    whole = texts[0]
    for before, after in pairwise(texts):
        whole += (", " if before.endswith("}") and after.startswith("{") else '", "') + after
    if len(whole) > MOST_CHARACTERS:
        return None
    # A writer that loses track of its brackets opens the list inside the first object.
    whole = whole.removeprefix("[").removesuffix("]").strip().replace("{[", "{", 1)
    found = from_text(f"[{whole}]")
    objects = isinstance(found, list) and bool(found) and all(isinstance(o, dict) for o in found)
    return found if objects and isinstance(found, list) else None


DEEPEST = 12


class Conformed(Struct, frozen=True):
    """Arguments that fit, what was done to them, and a sentence for each change."""

    arguments: dict[str, object]
    kinds: tuple[Kind, ...]
    notes: tuple[str, ...]
    unasked: tuple[str, ...] = ()
    """What the change no longer asks for: an argument that the tool does not have, or one under a
    name with less meaning."""


def conform(arguments: Mapping[str, object], schema: Schema) -> Conformed | None:
    """The arguments changed to fit their schema; `None` if they fit already or cannot be made to.

    Only invalid parts are changed, and only if everything is valid afterwards.
    """
    if schema.fits(arguments) or not is_small(arguments):
        return None
    work = _Work(schema)
    fixed = work.conform_mapping(dict(arguments), schema.tree, at="", closed=schema.closed, depth=0)
    if not work.kinds or not schema.fits(fixed):
        return None
    return Conformed(
        fixed, tuple(dict.fromkeys(work.kinds)), tuple(work.notes), tuple(work.unasked)
    )


@dataclass(slots=True)
class _Work:
    """One pass over the arguments, and the changes it made."""

    schema: Schema
    kinds: list[Kind] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unasked: list[str] = field(default_factory=list)

    def conform_value(self, value: object, part: dict[str, Any], *, at: str, depth: int) -> object:
        part = self.schema.resolve(part)
        if depth > DEEPEST or self._accepts(value, part):
            return value
        for alternative in part.get("anyOf") or part.get("oneOf") or ():
            trial = _Work(self.schema)
            found = trial.conform_value(value, alternative, at=at, depth=depth + 1)
            if self._accepts(found, part):
                self.kinds += trial.kinds
                self.notes += trial.notes
                self.unasked += trial.unasked
                return found
        wanted = list_types(part)
        if isinstance(value, dict) and (not wanted or "object" in wanted):
            closed = part.get("additionalProperties") is False
            return self.conform_mapping(value, part, at=at, closed=closed, depth=depth + 1)
        if isinstance(value, list) and (not wanted or "array" in wanted):
            return self._conform_array(value, part, at=at, depth=depth + 1)
        return self._conform_scalar(value, part, at=at, depth=depth)

    def conform_mapping(
        self, value: dict[str, Any], part: dict[str, Any], *, at: str, closed: bool, depth: int
    ) -> dict[str, object]:
        named = part.get("properties") or {}
        value = self._unwrap_arguments(value, named, at=at)
        value = self._rename_keys(value, part, closed=closed, at=at)
        if closed:
            value = self._drop_unknown(value, named, at=at)
        found = {
            name: self.conform_value(
                held, named.get(name, {}), at=join_path(at, name), depth=depth + 1
            )
            for name, held in self._drop_nulls(value, part, at=at).items()
        }
        return self._fill_defaults(found, part, at=at)

    def _drop_unknown(
        self, value: dict[str, Any], named: Mapping[str, Any], *, at: str
    ) -> dict[str, Any]:
        """Without unknown arguments. Dropping one with a value makes another request."""
        for name, held in value.items():
            if name not in named and held in NOTHING_SAID:
                self._note(Kind.DROP, f"{join_path(at, name)} is not an argument")
            elif name not in named:
                self._note(Kind.OTHER, f"{join_path(at, name)} is not an argument")
                self.unasked.append(join_path(at, name))
        return {name: held for name, held in value.items() if name in named}

    def _drop_nulls(
        self, value: dict[str, Any], part: dict[str, Any], *, at: str
    ) -> dict[str, Any]:
        """Drop a null that is not allowed in an optional property."""
        named, required = part.get("properties") or {}, part.get("required") or ()
        kept = {}
        for name, held in value.items():
            optional = name in named and name not in required
            if held is None and optional and not self._accepts(None, named[name]):
                self._note(Kind.DROP, f"{join_path(at, name)} was null, so it is left out")
            else:
                kept[name] = held
        return kept

    def _fill_defaults(
        self, value: dict[str, object], part: dict[str, Any], *, at: str
    ) -> dict[str, object]:
        """Fill in the defaults of missing properties."""
        named = part.get("properties") or {}
        for name in part.get("required") or ():
            default = self.schema.resolve(named.get(name)).get("default", NOTHING)
            if name not in value and default is not NOTHING:
                value = {**value, name: default}
                self._note(Kind.DEFAULT, f"{join_path(at, name)} has the default {default!r}")
        return value

    def _conform_array(
        self, value: list[Any], part: dict[str, Any], *, at: str, depth: int
    ) -> object:
        items = part.get("items")
        if not isinstance(items, dict):
            return value
        joined = (
            rejoin_pieces(value) if "object" in list_types(self.schema.resolve(items)) else None
        )
        if joined is not None:
            self._note(Kind.REFORMAT, f"{at} was one text split into pieces")
            value = joined
        return [
            self.conform_value(item, items, at=f"{at}[{index}]", depth=depth)
            for index, item in enumerate(value)
        ]

    def _conform_scalar(
        self, value: object, part: dict[str, Any], *, at: str, depth: int
    ) -> object:
        repaired = coerce_value(value, part, accepts=lambda found: self._accepts(found, part))
        if repaired is not None:
            now, before = (shorten(repr(each), most=MOST_SHOWN) for each in (repaired[0], value))
            self._note(repaired[1], f"{at} is {now} instead of {before}")
            return repaired[0]
        structure = from_text(value) if isinstance(value, str) else NOTHING
        if structure is not NOTHING and {"array", "object"} & set(list_types(part)):
            self._note(Kind.COERCE, f"{at} was a text")
            return self.conform_value(structure, part, at=at, depth=depth + 1)
        return value

    def _unwrap_arguments(
        self, value: dict[str, Any], named: Mapping[str, Any], *, at: str
    ) -> dict[str, Any]:
        inner = _find_wrapped(value, named) if not set(value) & set(named) else None
        if inner is None:
            return value
        [wrapper] = value
        self._note(Kind.REFORMAT, f"the arguments were inside {join_path(at, wrapper)}")
        return inner

    def _rename_keys(
        self, value: dict[str, Any], part: dict[str, Any], *, closed: bool, at: str
    ) -> dict[str, Any]:
        """Rename unknown keys to a missing property, where only one can be meant."""
        named = part.get("properties") or {}
        free = [name for name in named if name not in value]
        needed = [name for name in part.get("required") or () if name in free]
        new_names: dict[str, str] = {}
        for name in (key for key in value if key not in named):
            # A key may stay if the schema does not forbid it, unless something needed is missing.
            same = match_name(name, free if closed else needed)
            match = same or match_part(name, needed)
            if match is None or match in new_names.values():
                continue
            new_names[name] = match
            kind, verb = (Kind.RENAME, "is") if same else (Kind.OTHER, "may be")
            self._note(kind, f"{join_path(at, name)} {verb} called {match}")
            if not same and loses_words(name, match):
                self.unasked.append(join_path(at, name))
        return {new_names.get(name, name): held for name, held in value.items()}

    def _accepts(self, value: object, part: dict[str, Any]) -> bool:
        try:
            tree = self.schema.tree
            defined = {key: tree[key] for key in tree if key in ("$defs", "definitions")}
            return read_schema({**defined, **part}).accepts(value)
        except NoSchemaError:
            return False

    def _note(self, kind: Kind, note: str) -> None:
        self.kinds.append(kind)
        self.notes.append(note)


def _find_wrapped(value: Mapping[str, Any], named: Collection[str]) -> dict[str, Any] | None:
    """All the arguments, where they are inside a sole one: `{"params": {…}}`."""
    inner = next(iter(value.values()), None) if len(value) == 1 else None
    inner = _parse(inner) if isinstance(inner, str) else inner
    return inner if isinstance(inner, dict) and inner and set(inner) <= set(named) else None


_LONGEST_DEBRIS = 500

_TOKENS = re.compile(r"<\|[^|<>]{0,40}\|>(?:commentary|analysis|final|assistant|json)?")
_OWN_KEY = re.compile(
    r"[\s\"'{]*+(?P<key>[A-Za-z_]\w*+)\s*+[\"']\s*+[:=]\s*+[\"']?(?P<value>[^\"']++)[\"'\s,}\]]*+"
)
_AROUND = re.compile(r"[\s\"'`]*+(?P<value>[^\s\"'`,;{}\[\]]++)[\s\"'`,;]*+")
"""One word with stray quotes or commas around it. In prose they are left alone."""


def strip_debris(arguments: Mapping[str, object]) -> dict[str, object]:
    """The arguments with stray syntax removed and split lists joined."""
    cleaned = {
        name: _clean_text(name, value) if isinstance(value, str) else value
        for name, value in arguments.items()
    }
    joined = {name: rejoin_pieces(held) for name, held in cleaned.items() if isinstance(held, list)}
    return {**cleaned, **{name: whole for name, whole in joined.items() if whole is not None}}


def clean_name(name: str) -> str:
    """A tool's name without leftover tokens."""
    return _TOKENS.sub("", name).strip()


def _clean_text(name: str, text: str) -> str:
    if not text or len(text) > _LONGEST_DEBRIS or text.lstrip()[:1] in "{[(":
        return text
    text = _TOKENS.sub("", text)
    own = _OWN_KEY.fullmatch(text)
    if own and fold_name(own["key"]) == fold_name(name):
        return own["value"].rstrip(" \t\r\n,}]").strip() or own["value"].strip()
    around = _AROUND.fullmatch(text)
    return around["value"] if around else text


LONGEST_WRAPPED = 100_000
"""Characters of a text that are parsed: the event loop waits for it."""


def unwrap_arguments(arguments: Mapping[str, object], schema: Schema) -> dict[str, object] | None:
    """The arguments as they were meant; `None`: unchanged, or ambiguous."""
    candidates = list(_list_readings(arguments, schema))
    if not candidates or schema.fits(arguments):
        return None
    return next((each for each in candidates if schema.fits(each)), None)


def _list_readings(arguments: Mapping[str, object], schema: Schema) -> Iterator[dict[str, object]]:
    """Texts parsed as JSON where the schema wants no text; and the content of a sole wrapper."""
    rules = {name: rule for name, rule in schema.properties.items() if isinstance(rule, dict)}
    other = {name for name, rule in rules.items() if rule.get("type") != "string"}
    read = {name: _parse(held) for name, held in arguments.items() if name in other}
    found = {name: value for name, value in read.items() if value is not None}
    if found:
        yield {**arguments, **found}
    if (inner := _find_wrapped(arguments, schema.properties)) is not None:
        yield inner


def _parse(text: object) -> object:
    if not isinstance(text, str) or len(text) > LONGEST_WRAPPED or text[:1] not in ("{", "["):
        return None
    strict, value = read_json(text)
    return value if strict and isinstance(value, dict | list) else None


_QUOTES = " \t\r\n\"'`"


def says_same_in_shape(before: object, after: object) -> bool:
    """Whether every value is kept, and only type, case or separators differ."""
    if repr(before) == repr(after):
        return True
    match before, after:
        case Mapping(), Mapping():
            return _says_same_by_name(before, after)
        case list(), list():
            alike = zip(before, after, strict=False)
            return len(before) == len(after) and all(says_same_in_shape(*pair) for pair in alike)
        case [only], _:
            return says_same_in_shape(only, after)
        case str(), list() | Mapping() if before.lstrip()[:1] in ("[", "{", "("):
            return says_same_in_shape(from_text(before), after)
        case _, [only]:
            return says_same_in_shape(before, only)
        case _:
            return _says_same_value(before, after)


def _says_same_by_name(before: Mapping[str, object], after: Mapping[str, object]) -> bool:
    """Under the same names, but for spelling; a null may be left out, a default be put in."""
    spelled = {normalize_spelling(str(name)): name for name in after}
    for name, held in before.items():
        new = name if name in after else spelled.get(normalize_spelling(str(name)))
        if new is None and held is not None:
            return False
        if new is not None and not says_same_in_shape(held, after[new]):
            return False
    return True


def _says_same_value(before: object, after: object) -> bool:
    if isinstance(after, bool):
        return coerce(before, "boolean") is after
    if isinstance(before, bool):
        return isinstance(after, str) and after.casefold() == str(before).casefold()
    if isinstance(after, int | float):
        return _says_number(before, after)
    if isinstance(before, int) and isinstance(after, str):
        # A parsed number no longer shows how it was written: 1.10 is 1.1 by now.
        return after == str(before)
    if not isinstance(before, str) or not isinstance(after, str):
        return False
    if (day := read_date(before)) is not None:
        return day == read_date(after)
    plain = normalize_spelling(before.strip(_QUOTES))
    return bool(plain) and plain == normalize_spelling(after)


def _says_number(before: object, after: float) -> bool:
    if isinstance(before, str):
        if may_be_two(before):
            return False
        try:
            return float(before.replace(",", "")) == after
        except ValueError:
            return False
    return isinstance(before, int | float) and before == after


_NAMESPACE = re.compile(r"[./]")
MOST_SHOWN = 60
"""Characters of a value in a sentence about it."""


class Meant(Struct, frozen=True):
    """One call as it was meant."""

    tool: str
    """One of the offered tools; else the name as written."""
    arguments: dict[str, Any]
    kinds: tuple[Kind, ...] = ()
    """What was changed; empty when the call was right as written."""
    fits: bool = True
    """Whether this is certainly a call of the tool, with valid arguments."""
    problems: tuple[str, ...] = ()
    """Why it is not valid, a sentence each."""


def read_meant(written: object, tools: Mapping[str, Schema]) -> list[Meant]:
    """The calls a model made, in order, from whatever it wrote; none when there is no call in it.

    Doubtful calls and calls of unknown tools are among them, marked as invalid.
    """
    names = tuple(tools)
    calls = [_resolve_call(call, tools) for call in read_calls(written, tools=names)]
    if not any(call.tool in tools or suggest_tool(call.tool, names) for call in calls):
        calls = [call for call in calls if is_like(call.tool, names)]
    # A call repeated word for word in a text is one call; a list of calls is taken as written.
    once = {repr(call): call for call in calls}
    return list(once.values()) if isinstance(written, str) else calls


def suggest_tool(name: str, tools: Sequence[str]) -> str | None:
    """The tool that may be meant: the same, one letter away, or without its namespace."""
    last = pick_only(tool for tool in tools if match_tool_name(name, [_NAMESPACE.split(tool)[-1]]))
    return match_tool(name, tools) or last or pick_only(t for t in tools if is_slip(name, t))


def _resolve_call(call: WrittenCall, tools: Mapping[str, Schema]) -> Meant:
    tool = match_tool(call.name, tuple(tools))
    if tool is None:
        near = suggest_tool(call.name, tuple(tools))
        said = f"{call.name!r} is not a tool" + (f"; did you mean {near!r}?" if near else "")
        return Meant(call.name, _show_plain(call.arguments), fits=False, problems=(said,))
    schema, given = tools[tool], call.arguments
    names = list(schema.properties)
    if len(given) == 1:
        # A sole name around all arguments may be a wrapper: `{"params": {…}}`.
        [(sole, inner)] = given.items()
        wraps = sole in ARGUMENT_KEYS and sole not in names
        given = inner if wraps and isinstance(inner, dict) else given
    named = {match_tool_name(name, names) or name: held for name, held in given.items()}
    # Two never become one.
    named = named if len(named) == len(given) else given
    arguments = {**dict(zip(names, call.values, strict=False)), **named}
    if problems := (*_list_unplaced(call, named, schema), *call.doubts):
        return Meant(tool, _show_plain(arguments), fits=False, problems=problems)
    changed = {
        Kind.TOOL: normalize_spelling(tool) != normalize_spelling(call.name),
        Kind.REFORMAT: given is not call.arguments,
        Kind.RENAME: list(named) != list(given),
    }
    kinds = tuple(kind for kind in changed if changed[kind])
    fixed = conform(arguments, schema)
    if fixed is not None and _only_reads(arguments, fixed):
        return Meant(tool, fixed.arguments, tuple(dict.fromkeys((*kinds, *fixed.kinds))))
    problems = tuple(_list_problems(arguments, schema))
    return Meant(tool, arguments, kinds, fits=not problems, problems=problems)


def _only_reads(arguments: Mapping[str, object], fixed: Conformed) -> bool:
    """Only parse a call that was not made yet: nothing is dropped, guessed or redirected."""
    locked = find_locked_changes(arguments, fixed.arguments)
    return not locked and says_same_in_shape(arguments, fixed.arguments)


def _list_unplaced(call: WrittenCall, named: Mapping[str, object], schema: Schema) -> Iterator[str]:
    """Given values that have no argument in the schema."""
    names = list(schema.properties)
    for name in names[: len(call.values)]:
        if name in named:
            yield f"{name} is given twice, once by position"
    for value in call.values[len(names) :]:
        yield f"{shorten(repr(value), most=MOST_SHOWN)} does not belong to any argument"
    for name in named:
        if schema.closed and name not in names:
            yield f"{name}={shorten(repr(named[name]), most=MOST_SHOWN)} is not an argument of it"


def _list_problems(arguments: Mapping[str, object], schema: Schema) -> Iterator[str]:
    for problem in schema.list_problems(arguments):
        at = ".".join(map(str, problem.path))
        yield f"{at}: {problem.message}" if at else problem.message
        value = arguments.get(at)
        if problem.rule == "type" and isinstance(value, str) and may_be_two(value):
            yield f"{at}: {value!r} can be read as two numbers"


def _show_plain(arguments: Mapping[str, object]) -> dict[str, object]:
    """Expressions as the text they were written in."""
    return {
        name: str(held) if isinstance(held, Formula) else held for name, held in arguments.items()
    }
