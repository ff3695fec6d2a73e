"""Options as people give them: `severity="error"` is as good as `Severity.ERROR`, but "no" is not
False."""

from __future__ import annotations

from enum import StrEnum

from mulligan.core.errors import ConfigurationError


def set_enums(made: object, **kinds: type[StrEnum]) -> None:
    """Have the named fields of a frozen dataclass hold members, also where text was given.

    Code that compares by identity would else take a plain "error" for no error at all.
    """
    for name, kind in kinds.items():
        given = getattr(made, name)
        if type(given) is kind:
            continue
        try:
            member = kind(given)
        except ValueError:
            known = " or ".join(repr(each.value) for each in kind)
            raise ConfigurationError(
                f"{type(made).__name__}({name}={given!r}): there is no such {name}. Use {known}."
            ) from None
        object.__setattr__(made, name, member)


def require_bool(value: object, *, name: str) -> bool:
    """True or False, and nothing that only counts as one: the text "no" would be taken for yes."""
    if not isinstance(value, bool):
        raise ConfigurationError(f"{name}={value!r} is not True or False.")
    return value
