"""How a setting is given: as itself, or as text of a file or the environment."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from enum import StrEnum
from functools import partial
from typing import Annotated, NamedTuple

from mulligan.core.effect import Outside
from mulligan.core.failures.suggestion import ErrorRule, read_error_rules
from mulligan.core.interfaces import Similarity
from mulligan.core.storage.retention import Retention
from mulligan.core.waiting.limits import Backoff
from mulligan.redaction import Capture, Hide

IN_PYTHON = "in Python only"

Seconds = Annotated[timedelta, "seconds"]
"""A setting that is given in seconds, where a plain duration is given in days."""


def _parse_text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("it must be text")
    return value


def _parse_bool(value: object) -> bool:
    if isinstance(value, bool):
        return value
    match str(value).strip().lower():
        case "1" | "true" | "yes" | "on":
            return True
        case "0" | "false" | "no" | "off":
            return False
        case _:
            raise ValueError("say true or false")


def _parse_names(value: object) -> frozenset[str]:
    if isinstance(value, str):
        return frozenset(part.strip() for part in value.split(",") if part.strip())
    if isinstance(value, (list, tuple, set, frozenset)):
        return frozenset(_parse_text(part) for part in value)
    raise TypeError("it must be a list of names")


def _parse_number(value: object) -> float:
    if isinstance(value, (int, float, str)) and not isinstance(value, bool):
        return float(value)
    raise TypeError("it must be a number")


def _parse_days(value: object) -> timedelta:
    if isinstance(value, timedelta):
        return value
    days = _parse_number(value)
    if days <= 0:
        raise ValueError("it must be more than 0 days")
    return timedelta(days=days)


def _parse_seconds(value: object) -> timedelta:
    return value if isinstance(value, timedelta) else timedelta(seconds=_parse_number(value))


def _parse_key(value: object) -> bytes | None:
    if value is None or isinstance(value, bytes):
        return value
    return base64.b64decode(_parse_text(value), validate=True)


def _parse_retention(value: object) -> Retention:
    if not isinstance(value, Retention):
        raise TypeError("it must be a Retention; as text use log_days and the like")
    return value


def _parse_backoff(value: object) -> Backoff:
    if not isinstance(value, Backoff):
        raise TypeError("it must be a Backoff")
    return value


def _parse_error_rules(value: object) -> tuple[ErrorRule, ...]:
    return read_error_rules(json.loads(value) if isinstance(value, str) else value)


def _parse_whole_number(value: object) -> int:
    number = _parse_number(value)
    if number != int(number):
        raise ValueError("it must be a whole number")
    return int(number)


def _parse_choice(kind: type[StrEnum], value: object) -> StrEnum:
    try:
        return kind(str(value))
    except ValueError as error:
        known = ", ".join(repr(each.value) for each in kind)
        raise ValueError(f"say one of {known}") from error


class SettingForm(NamedTuple):
    """How values of one type are given."""

    says: str
    """To a person: how it is written in a file or in the environment."""
    read: Callable[[object], object]


def _build_choice(kind: type[StrEnum]) -> SettingForm:
    return SettingForm(" or ".join(f"`{each}`" for each in kind), partial(_parse_choice, kind))


FORMS: Mapping[object, SettingForm] = {
    str: SettingForm("text", _parse_text),
    bool: SettingForm("`true` or `false`", _parse_bool),
    bool | None: SettingForm(
        "`true` or `false`", lambda value: None if value is None else _parse_bool(value)
    ),
    float: SettingForm("a number", _parse_number),
    int: SettingForm("a whole number", _parse_whole_number),
    frozenset[str]: SettingForm("a list of names; as text with commas between them", _parse_names),
    bytes | None: SettingForm("base64", _parse_key),
    timedelta: SettingForm("days", _parse_days),
    Seconds: SettingForm("seconds", _parse_seconds),
    timedelta | None: SettingForm("days", _parse_days),
    Capture: _build_choice(Capture),
    Hide: _build_choice(Hide),
    Outside: _build_choice(Outside),
    Retention: SettingForm(IN_PYTHON, _parse_retention),
    Backoff: SettingForm(IN_PYTHON, _parse_backoff),
    tuple[ErrorRule, ...]: SettingForm("a list of tables; as text in JSON", _parse_error_rules),
    str | Similarity: SettingForm(
        "text; in Python also a function",
        lambda value: value if callable(value) else _parse_text(value),
    ),
}
"""How each type of setting is given: a new setting of one of these types is a field, no more."""
