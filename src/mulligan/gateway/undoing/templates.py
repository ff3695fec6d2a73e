"""Arguments as a recipe writes them: values with places for what a call was given and returned."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from mulligan.core.errors import ConfigurationError
from mulligan.core.record import Record
from mulligan.core.runtime.dataclass import dataclass

SOURCES = ("arguments", "before", "result", "version", "key")
"""What a place may name: what the call was given, what was there before, what it returned, the
version that it left, and its key."""

_PLACE = re.compile(r"\{\{|\}\}|\{([^{}]*+)\}|[{}]")
_NAME = re.compile(r"([a-z]++)((?:\.[^.{}?]++)*+)(\?)?")


class MissingValueError(LookupError):
    """A place names something that is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplatePlace:
    """One place: where its value comes from."""

    source: str
    way: tuple[str, ...] = ()
    optional: bool = False
    """Where it is not there, or null, the argument is left out."""

    def read(self, values: Mapping[str, object]) -> object:
        """Its value; `MissingValueError` where there is none."""
        found = follow_path(values.get(self.source), self.way)
        if found is None and (self.optional or not self.way):
            raise MissingValueError(f"There is no {self.source}.")
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentTemplate:
    """A value with places in it, at any depth."""

    said: object

    @classmethod
    def read(cls, said: object, *, where: str) -> ArgumentTemplate:
        """A template whose places are all known ones."""
        template = cls(said=said)
        for _ in template.list_places(where=where):
            pass
        return template

    @property
    def sources(self) -> frozenset[str]:
        """What it takes its values from."""
        return frozenset(place.source for place in self.list_places(where=""))

    def list_places(self, *, where: str) -> Iterator[TemplatePlace]:
        """Every place in it."""
        for text in _list_texts(self.said):
            for found in _PLACE.finditer(text):
                if found[0] not in ("{{", "}}"):
                    yield _read_place(found, where=where)

    def fill(self, record: Record, *, before: object = None) -> object:
        """The value for one call."""
        values = {
            "arguments": record.arguments,
            "before": before,
            "result": record.result,
            "version": record.version,
            "key": record.key,
        }
        return _fill(self.said, values)


_LEFT_OUT = object()


def follow_path(value: object, way: tuple[str, ...]) -> object:
    """What stands at the end of a path; `MissingValueError` where it leads nowhere."""
    for step in way:
        if isinstance(value, Mapping) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            raise MissingValueError(f"There is no {step!r} in what was to have {'.'.join(way)!r}.")
    return value


def _fill(said: object, values: Mapping[str, object]) -> object:
    if isinstance(said, str):
        return _fill_text(said, values)
    if isinstance(said, Mapping):
        filled = {key: _fill(each, values) for key, each in said.items()}
        return {key: each for key, each in filled.items() if each is not _LEFT_OUT}
    if isinstance(said, list):
        return [each for each in (_fill(each, values) for each in said) if each is not _LEFT_OUT]
    return said


def _fill_text(said: str, values: Mapping[str, object]) -> object:
    whole = _PLACE.fullmatch(said)
    if whole is not None and whole[1] is not None:
        # A place that stands alone keeps the type of its value.
        place = _read_place(whole, where="")
        try:
            return place.read(values)
        except MissingValueError:
            if place.optional:
                return _LEFT_OUT
            raise
    return _PLACE.sub(lambda found: _write_place(found, values), said)


def _write_place(found: re.Match[str], values: Mapping[str, object]) -> str:
    if found[1] is None:
        return found[0][0]
    value = _read_place(found, where="").read(values)
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        raise MissingValueError(f"{found[0]} is no text or number that could stand inside a text.")
    return str(value)


def _read_place(found: re.Match[str], *, where: str) -> TemplatePlace:
    named = _NAME.fullmatch(found[1] or "")
    if named is None or named[1] not in SOURCES:
        raise ConfigurationError(
            f"{where}: {found[0]!r} is no place. Places are "
            f"{', '.join('{' + each + '}' for each in SOURCES)}, such as {{arguments.path}} or "
            "{before.title?}; a brace itself is written twice."
        )
    if named[1] == "arguments" and not named[2]:
        raise ConfigurationError(f"{where}: {found[0]!r} names no argument, as {{arguments.path}}.")
    way = tuple(named[2].split(".")[1:])
    return TemplatePlace(source=named[1], way=way, optional=named[3] is not None)


def _list_texts(said: object) -> Iterator[str]:
    if isinstance(said, str):
        yield said
    elif isinstance(said, Mapping):
        for each in said.values():
            yield from _list_texts(each)
    elif isinstance(said, list):
        for each in said:
            yield from _list_texts(each)
