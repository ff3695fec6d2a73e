"""What a tool's author says its parameters hold, for checks that choose themselves."""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.checks.standard.kind import Kind
from mulligan.core.errors import ConfigurationError
from mulligan.core.finding import Severity
from mulligan.turns.tools.readers import Said


def read_kinds(said: Said) -> Mapping[str, Kind]:
    """By the name of a parameter, what it holds."""
    if not isinstance(said.value, Mapping):
        raise ConfigurationError(
            f"kinds={said.value!r} of {said.called} is no mapping: "
            "kinds={'reference': 'id'} says that reference holds an id."
        )
    return {
        str(name): parse_kind(kind, of=f"{said.called}.{name}") for name, kind in said.value.items()
    }


def parse_kind(given: object, *, of: str) -> Kind:
    """A kind by its name."""
    try:
        return Kind(given)  # type: ignore[arg-type]
    except ValueError:
        known = ", ".join(each.value for each in Kind)
        raise ConfigurationError(f"{of} holds no {given!r}. There are: {known}.") from None


def read_untrusted(said: Said) -> Severity:
    """How much it weighs that a value stems from a text."""
    try:
        return Severity(said.value)
    except ValueError:
        known = " or ".join(repr(each.value) for each in Severity)
        raise ConfigurationError(
            f"untrusted={said.value!r} of {said.called} is no severity. Use {known}."
        ) from None
