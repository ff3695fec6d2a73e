"""Checks of replies from a TOML file: a preset, changed settings, and your own checks.

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
import re
import tomllib
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from msgspec.structs import replace

from mulligan.checks import text
from mulligan.checks.grounding import Verification
from mulligan.checks.registry import GROUP, MakeCheck, load_kinds, validate_settings
from mulligan.extensions import describe_known, find_extensions
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Severity
from mulligan.types.reply import Reply, TextCheck, read_on_fail
from mulligan_dates.lexicon import detect_language, list_languages

DEFAULT = "default"

KINDS = load_kinds()
"""The checks of ours, by the name a file gives them."""

VERIFIED = "verified"
"""The check that needs a judge, so the reply loop makes it."""

CONDITIONS: Mapping[str, Callable[[Reply], bool]] = {"small_talk": text.is_small_talk}
"""What a check may be switched off for, by the name a file gives it."""

_LANGUAGE = "language:"
"""Before the languages of replies that a check leaves alone."""

SETTINGS = frozenset({"preset", "checks", "attempts", "fallback", "fix", "seconds"})
"""What a file may set. The last three are the reply loop's."""

_Table = dict[str, Any]
_Made = TypeVar("_Made")


def preset(name: str = DEFAULT) -> tuple[TextCheck, ...]:
    """The checks of a preset: `default` (length and structure) or `marketing` (all of them)."""
    return make_checks({"preset": name})


def read_table(path: Path) -> dict[str, Any]:
    """What a TOML file says."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(
            f"{path} cannot be read ({error.strerror}). Name a TOML file with [checks.…] tables."
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigurationError(f"{path} is not TOML: {error}. Fix that line.") from error


def make_checks(asked: Mapping[str, Any]) -> tuple[TextCheck, ...]:
    """The checks of a table such as a file holds."""
    if unknown := sorted(asked.keys() - SETTINGS):
        known = ", ".join(sorted(SETTINGS))
        raise ConfigurationError(f"There is no setting {unknown[0]!r}. There are: {known}.")
    tables = _merge_tables(asked)
    tables.pop(VERIFIED, None)
    return tuple(_make_check(name, table) for name, table in tables.items())


def make_verification(asked: Mapping[str, Any]) -> Verification | None:
    """What a table says about claims that a judge verifies; `None`: nothing, or to leave it."""
    table = _merge_tables(asked).get(VERIFIED)
    if table is None:
        return None
    return _make_validated(Verification, dict(table), name=VERIFIED)


def _merge_tables(asked: Mapping[str, Any]) -> dict[str, _Table]:
    """The checks that are on: those of the preset, changed and added to."""
    tables = _load_preset(asked["preset"]) if "preset" in asked else {}
    changed = asked.get("checks", {})
    if not isinstance(changed, dict):
        raise ConfigurationError(f"checks is {changed!r}; write each as a table [checks.NAME].")
    for name, table in changed.items():
        if not isinstance(table, dict):
            raise ConfigurationError(f"checks.{name} is {table!r}; write it as [checks.{name}].")
        tables[name] = tables.get(name, {}) | table
    return {name: table for name, table in tables.items() if _is_on(name, table)}


def _is_on(name: str, table: _Table) -> bool:
    on = table.pop("on", True)
    if type(on) is not bool:
        raise ConfigurationError(f"checks.{name} has on = {on!r}; write true or false.")
    return on


def _load_preset(name: str) -> dict[str, _Table]:
    shipped = files("mulligan.checks").joinpath("presets")
    known = sorted(f.name.removesuffix(".toml") for f in shipped.iterdir() if ".toml" in f.name)
    if name not in known:
        raise ConfigurationError(f"There is no preset {name!r}. There are: {', '.join(known)}.")
    found = tomllib.loads(shipped.joinpath(f"{name}.toml").read_text(encoding="utf-8"))
    tables: dict[str, _Table] = found["checks"]
    return tables


def _make_check(name: str, table: Mapping[str, Any]) -> TextCheck:
    settings = dict(table)
    kind = settings.pop("kind", name)
    make = _find_kind(kind)
    if make is None:
        raise ConfigurationError(
            f"checks.{name} is of kind {kind!r}. {describe_known(GROUP, KINDS)}"
        )
    unless = _read_condition(name, settings.pop("unless", None))
    on_fail = settings.pop("on_fail", None)
    check = _make_validated(make, settings, name=name)
    if not isinstance(check, TextCheck):
        raise ConfigurationError(f"checks.{name} is of kind {kind!r}, which makes no TextCheck.")
    policy = check.on_fail if on_fail is None else read_on_fail(on_fail, name=f"checks.{name}")
    return replace(check, name=name, unless=unless, on_fail=policy)


def _find_kind(kind: object) -> MakeCheck | None:
    if not isinstance(kind, str):
        return None
    if kind in KINDS:
        return KINDS[kind]
    found = find_extensions(GROUP).get(kind)
    return None if found is None else found.load_function()


def _make_validated(make: Callable[..., _Made], settings: _Table, *, name: str) -> _Made:
    """What a table asks for, or a sentence about the setting that cannot be."""
    known = inspect.signature(make).parameters
    if unknown := sorted(settings.keys() - known.keys()):
        raise ConfigurationError(
            f"checks.{name} has no setting {unknown[0]!r}. There are: {', '.join(known)}."
        )
    validate_settings(make, settings, where=f"checks.{name}")
    try:
        if "severity" in settings:
            settings["severity"] = Severity(settings["severity"])
        return make(**settings)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"checks.{name} cannot be made: {error}.") from error


def _read_condition(name: str, wanted: object) -> Callable[[Reply], bool] | None:
    if wanted is None:
        return None
    if isinstance(wanted, str) and wanted.startswith(_LANGUAGE):
        codes = frozenset(re.findall("[a-z]+", wanted.removeprefix(_LANGUAGE)))
        if not codes or not codes <= list_languages():
            raise ConfigurationError(
                f"checks.{name} has unless = {wanted!r}. "
                f"There are: {', '.join(sorted(list_languages()))}."
            )
        return lambda reply: detect_language(reply.text) in codes
    if not isinstance(wanted, str) or wanted not in CONDITIONS:
        raise ConfigurationError(
            f"checks.{name} has unless = {wanted!r}. There are: {', '.join(CONDITIONS)}, "
            "and languages such as 'language: de, fr'."
        )
    return CONDITIONS[wanted]
