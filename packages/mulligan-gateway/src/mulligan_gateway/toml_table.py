"""A table of a file that a person wrote: every key is known, of its type, or refused by name."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TypeVar

from mulligan.types.errors import ConfigurationError

T = TypeVar("T")

_TYPES: Mapping[type, str] = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    dict: "a table",
    list: "a list",
}


class WrittenTable:
    """One table and its path. Whoever has taken all that it knows says `finish`."""

    def __init__(self, given: object, *, where: str) -> None:
        if not isinstance(given, Mapping):
            raise ConfigurationError(f"{where} is {given!r}; it is a table.")
        self.where = where
        self._given = dict(given)
        self._known: list[str] = []

    def __contains__(self, name: str) -> bool:
        return name in self._given

    def fail(self, why: str) -> ConfigurationError:
        """An error that names the place."""
        return ConfigurationError(f"{self.where}: {why}")

    def take(self, name: str, kind: type[T], *, default: T) -> T:
        """A value of one type."""
        value = self.take_any(name, default=default)
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        # For Python a boolean is a number.
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.fail(f"{name} is {value!r}; it is {_TYPES[kind]}.")
        return value

    def take_any(self, name: str, *, default: object = None) -> object:
        """A value, unchanged."""
        self._known.append(name)
        return self._given.pop(name, default)

    def take_texts(self, name: str) -> tuple[str, ...]:
        """A list of texts, or one."""
        value = self.take_any(name, default=[])
        if isinstance(value, str):
            return (value,)
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise self.fail(f"{name} is {value!r}; it is a list of texts.")
        return tuple(value)

    def take_all_texts(self) -> dict[str, tuple[str, ...]]:
        """Every key, each with a list of texts, or one."""
        return {name: self.take_texts(name) for name in list(self._given)}

    def take_table(self, name: str) -> WrittenTable | None:
        """A table within; `None` where there is none."""
        value = self.take_any(name)
        return None if value is None else WrittenTable(value, where=f"{self.where}.{name}")

    def take_tables(self, name: str) -> list[tuple[str, WrittenTable]]:
        """Tables within one, by their names."""
        inside = self.take_table(name)
        given = {} if inside is None else inside._given  # noqa: SLF001 - it is one of these
        where = f"{self.where}.{name}"
        return [(k, WrittenTable(each, where=f"{where}.{k}")) for k, each in given.items()]

    def take_list(self, name: str) -> list[WrittenTable]:
        """A list of tables."""
        value = self.take(name, list, default=[])
        return [
            WrittenTable(each, where=f"{self.where}.{name}[{number}]")
            for number, each in enumerate(value)
        ]

    def take_rest(self, known: Iterable[str]) -> dict[str, object]:
        """All that is left of these names, unchanged."""
        found = {name: self.take_any(name) for name in known}
        return {name: value for name, value in found.items() if value is not None}

    def finish(self) -> None:
        """Refuse unknown keys."""
        if self._given:
            raise self.fail(describe_unknown(min(self._given), self._known))


def describe_unknown(name: str, known: Iterable[str]) -> str:
    """That a key is unknown, and which one was probably meant."""
    known = sorted(set(known))
    near = get_close_matches(name, known, n=1)
    meant = f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(known)}."
    return f"{name!r} is unknown. {meant}"


def read_toml(path: Path) -> dict[str, object]:
    """A file of tables."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ConfigurationError(f"There is no file {path}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError, RecursionError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}.") from error


def take_enum(
    table: WrittenTable, name: str, *, read: Callable[[str], T], known: Iterable[str]
) -> T:
    """A text that is one of a few."""
    said = table.take(name, str, default="")
    try:
        return read(said)
    except (KeyError, ValueError) as error:
        raise table.fail(f"{name} is {said!r}; it is one of {', '.join(known)}.") from error
