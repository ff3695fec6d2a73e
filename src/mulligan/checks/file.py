"""Checks of replies from a TOML file: a preset, its settings changed, and checks of one's own.

preset = "marketing"

[checks.too_long]
at_most = 3000

[checks.follow_ups]
on = false

[checks.no_jargon]
kind = "avoids"
words = ["leverage", "synergy"]
severity = "warning"
"""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from mulligan.checks import text
from mulligan.checks.grounding import grounded
from mulligan.checks.grounding.verified import Verification
from mulligan.core.errors import ConfigurationError
from mulligan.core.finding import Severity
from mulligan.core.text import Reply, TextCheck

DEFAULT = "default"

KINDS: Mapping[str, Callable[..., TextCheck]] = {
    "avoids": text.avoids,
    "call_to_action": text.call_to_action,
    "ends_with": text.ends_with,
    "follow_ups": text.follow_ups,
    "grounded": grounded,
    "length": text.length,
    "list_items": text.list_items,
    "mentions": text.mentions,
    "retired": text.retired,
    "structure": text.structure,
}
"""The checks there are, by the name a file gives them."""

VERIFIED = "verified"
"""The check that takes a judge, so it is made by whoever has one."""

CONDITIONS: Mapping[str, Callable[[Reply], bool]] = {"small_talk": text.is_small_talk}
"""What a check may be switched off for, by the name a file gives it."""

SETTINGS = frozenset({"preset", "checks", "attempts", "mend"})
"""What a file may set. The last two are the reply loop's."""

_Table = dict[str, Any]
_Made = TypeVar("_Made")


def preset(name: str = DEFAULT) -> tuple[TextCheck, ...]:
    """The checks of a preset: `default` (length and structure) or `marketing` (all of them)."""
    return make_checks({"preset": name})


def read_checks(path: Path) -> tuple[TextCheck, ...]:
    """The checks that a TOML file asks for."""
    return make_checks(read_table(path))


def read_table(path: Path) -> dict[str, Any]:
    """What a TOML file says."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(
            f"{path} cannot be read ({error.strerror}). Name a TOML file with [checks.…] tables."
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} is not TOML: {error}. Mend that line.") from error


def make_checks(asked: Mapping[str, Any]) -> tuple[TextCheck, ...]:
    """The checks of a table such as a file holds."""
    if unknown := sorted(asked.keys() - SETTINGS):
        known = ", ".join(sorted(SETTINGS))
        raise ConfigurationError(f"There is no setting {unknown[0]!r}. There are: {known}.")
    tables = _tables(asked)
    tables.pop(VERIFIED, None)
    return tuple(_make(name, table) for name, table in tables.items())


def make_verification(asked: Mapping[str, Any]) -> Verification | None:
    """What a table says about claims that a judge verifies; `None`: nothing, or to leave it."""
    table = _tables(asked).get(VERIFIED)
    if table is None:
        return None
    return _made(Verification, dict(table), name=VERIFIED)


def _tables(asked: Mapping[str, Any]) -> dict[str, _Table]:
    """The checks that are on: those of the preset, changed and added to."""
    tables = _preset_tables(asked["preset"]) if "preset" in asked else {}
    for name, table in asked.get("checks", {}).items():
        if not isinstance(table, dict):
            raise ConfigurationError(f"checks.{name} is {table!r}; write it as [checks.{name}].")
        tables[name] = tables.get(name, {}) | table
    return {name: table for name, table in tables.items() if table.pop("on", True) is True}


def _preset_tables(name: str) -> dict[str, _Table]:
    shipped = files("mulligan.checks.presets")
    known = sorted(f.name.removesuffix(".toml") for f in shipped.iterdir() if ".toml" in f.name)
    if name not in known:
        raise ConfigurationError(f"There is no preset {name!r}. There are: {', '.join(known)}.")
    found = tomllib.loads(shipped.joinpath(f"{name}.toml").read_text(encoding="utf-8"))
    tables: dict[str, _Table] = found["checks"]
    return tables


def _make(name: str, table: Mapping[str, Any]) -> TextCheck:
    settings = dict(table)
    kind = settings.pop("kind", name)
    if kind not in KINDS:
        raise ConfigurationError(
            f"checks.{name} is of kind {kind!r}. There are: {', '.join(sorted(KINDS))}."
        )
    unless = _condition(name, settings.pop("unless", None))
    check = _made(KINDS[kind], settings, name=name)
    return replace(check, name=name, unless=unless)


def _made(make: Callable[..., _Made], settings: _Table, *, name: str) -> _Made:
    """What a table asks for, or a sentence about the setting that cannot be."""
    known = inspect.signature(make).parameters
    if unknown := sorted(settings.keys() - known.keys()):
        raise ConfigurationError(
            f"checks.{name} has no setting {unknown[0]!r}. There are: {', '.join(known)}."
        )
    try:
        if "severity" in settings:
            settings["severity"] = Severity(settings["severity"])
        return make(**settings)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"checks.{name} cannot be made: {error}.") from error


def _condition(name: str, wanted: str | None) -> Callable[[Reply], bool] | None:
    if wanted is None:
        return None
    if wanted not in CONDITIONS:
        raise ConfigurationError(
            f"checks.{name} has unless = {wanted!r}. There are: {', '.join(CONDITIONS)}."
        )
    return CONDITIONS[wanted]
