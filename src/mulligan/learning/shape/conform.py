"""Arguments that break their schema, changed as little as it takes to fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from mulligan.core.errors import NoSchemaError
from mulligan.core.failures.suggestion import Kind
from mulligan.core.runtime.dataclass import dataclass
from mulligan.learning.shape.coerce import NOTHING, from_text
from mulligan.learning.shape.form import NOTHING_SAID
from mulligan.learning.shape.scalars import list_types, mend_value
from mulligan.learning.shape.schema import Schema, read_schema
from mulligan.learning.shape.split import rejoin_pieces
from mulligan.learning.values.argument_names import loses_words, match_name, match_part
from mulligan.learning.values.leaves import is_small

DEEPEST = 12


@dataclass(frozen=True, slots=True)
class Conformed:
    """Arguments that fit, what was done to them, and a sentence for each change."""

    arguments: dict[str, object]
    kinds: tuple[Kind, ...]
    notes: tuple[str, ...]
    unasked: tuple[str, ...] = ()
    """What was asked for and is no longer: an argument that the tool does not have, or one
    under a name that says less."""


def conform(arguments: Mapping[str, object], schema: Schema) -> Conformed | None:
    """The arguments in the shape of their schema; `None` if they fit already or cannot be made to.

    Only what breaks the schema is touched, and only if everything fits afterwards.
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
    """One walk through the arguments, and what it did on the way."""

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
            name: self.conform_value(held, named.get(name, {}), at=_join(at, name), depth=depth + 1)
            for name, held in self._drop_nulls(value, part, at=at).items()
        }
        return self._fill_defaults(found, part, at=at)

    def _drop_unknown(
        self, value: dict[str, Any], named: Mapping[str, Any], *, at: str
    ) -> dict[str, Any]:
        """Without what is no argument. Left out where it said something, it is another request."""
        for name, held in value.items():
            if name not in named and held in NOTHING_SAID:
                self._note(Kind.DROP, f"{_join(at, name)} is no argument")
            elif name not in named:
                self._note(Kind.OTHER, f"{_join(at, name)} is no argument")
                self.unasked.append(_join(at, name))
        return {name: held for name, held in value.items() if name in named}

    def _drop_nulls(
        self, value: dict[str, Any], part: dict[str, Any], *, at: str
    ) -> dict[str, Any]:
        """A null where none is allowed, in a property that may be left out, is left out."""
        named, required = part.get("properties") or {}, part.get("required") or ()
        kept = {}
        for name, held in value.items():
            optional = name in named and name not in required
            if held is None and optional and not self._accepts(None, named[name]):
                self._note(Kind.DROP, f"{_join(at, name)} was null, which is as if left out")
            else:
                kept[name] = held
        return kept

    def _fill_defaults(
        self, value: dict[str, object], part: dict[str, Any], *, at: str
    ) -> dict[str, object]:
        """What is missing and has a default, with that."""
        named = part.get("properties") or {}
        for name in part.get("required") or ():
            default = self.schema.resolve(named.get(name)).get("default", NOTHING)
            if name not in value and default is not NOTHING:
                value = {**value, name: default}
                self._note(Kind.DEFAULT, f"{_join(at, name)} has the default {default!r}")
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
            self._note(Kind.REFORMAT, f"{at} was one text cut into pieces")
            value = joined
        return [
            self.conform_value(item, items, at=f"{at}[{index}]", depth=depth)
            for index, item in enumerate(value)
        ]

    def _conform_scalar(
        self, value: object, part: dict[str, Any], *, at: str, depth: int
    ) -> object:
        mended = mend_value(value, part, accepts=lambda found: self._accepts(found, part))
        if mended is not None:
            self._note(mended[1], f"{at} is {_shorten(mended[0])} instead of {_shorten(value)}")
            return mended[0]
        structure = from_text(value) if isinstance(value, str) else NOTHING
        if structure is not NOTHING and {"array", "object"} & set(list_types(part)):
            self._note(Kind.COERCE, f"{at} came as text")
            return self.conform_value(structure, part, at=at, depth=depth + 1)
        return value

    def _unwrap_arguments(
        self, value: dict[str, Any], named: Mapping[str, Any], *, at: str
    ) -> dict[str, Any]:
        """A sole unknown key that holds all the arguments: `{"params": {…}}`."""
        inner = next(iter(value.values()), None) if len(value) == 1 else None
        wraps = isinstance(inner, dict) and inner and not set(value) & set(named)
        if wraps and isinstance(inner, dict) and set(inner) <= set(named):
            self._note(Kind.REFORMAT, f"the arguments stood inside {_join(at, next(iter(value)))}")
            return inner
        return value

    def _rename_keys(
        self, value: dict[str, Any], part: dict[str, Any], *, closed: bool, at: str
    ) -> dict[str, Any]:
        """Unknown keys under the name of a missing property, where one alone can be meant."""
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
            self._note(kind, f"{_join(at, name)} {verb} called {match}")
            if not same and loses_words(name, match):
                self.unasked.append(_join(at, name))
        return {new_names.get(name, name): held for name, held in value.items()}

    def _accepts(self, value: object, part: dict[str, Any]) -> bool:
        try:
            return read_schema({**_read_definitions(self.schema.tree), **part}).accepts(value)
        except NoSchemaError:
            return False

    def _note(self, kind: Kind, note: str) -> None:
        self.kinds.append(kind)
        self.notes.append(note)


def _read_definitions(tree: dict[str, Any]) -> dict[str, Any]:
    return {key: tree[key] for key in ("$defs", "definitions") if key in tree}


def _join(at: str, name: object) -> str:
    return f"{at}.{name}" if at else str(name)


def _shorten(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
