"""Small values: options as people give them, times as rows hold them, ids, and identities."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from hashlib import blake2s
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import asdict, force_setattr

from mulligan.types.errors import ConfigurationError, NaiveTimeError

R = TypeVar("R", bound=Struct)


def hide_fields(*names: str) -> Callable[[type[R]], type[R]]:
    """Leave fields out of a record's `repr`: secrets, and what would fill a screen."""

    def list_shown(record: Struct) -> Iterator[tuple[str, object]]:
        for name in record.__struct_fields__:
            if name not in names:
                yield name, getattr(record, name)

    def show(record: Struct) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in list_shown(record))
        return f"{type(record).__name__}({shown})"

    def hide(kind: type[R]) -> type[R]:
        methods: dict[str, object] = {"__repr__": show, "__rich_repr__": list_shown}
        for name, method in methods.items():
            setattr(kind, name, method)
        return kind

    return hide


def read_fields(value: object) -> dict[str, Any] | None:
    """A record, or a user's dataclass, by the names of its fields; `None` of all else."""
    if isinstance(value, Struct):
        return asdict(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    return None


def set_enums(made: Struct, **kinds: type[StrEnum]) -> None:
    """Have the named fields of a frozen record hold members, also where text was given.

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
        force_setattr(made, name, member)


def require_bool(value: object, *, name: str) -> bool:
    """True or False, and nothing that only counts as one: the text "no" would be taken for yes."""
    if not isinstance(value, bool):
        raise ConfigurationError(f"{name}={value!r} is not True or False.")
    return value


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def require_aware(value: datetime, *, name: str) -> datetime:
    """Return `value` unchanged, or raise if it has no zone."""
    if value.tzinfo is None or value.utcoffset() is None:
        raise NaiveTimeError(name=name, value=value)
    return value


def to_us(at: datetime, *, name: str) -> int:
    """Microseconds since the epoch; a time without a zone is refused by name."""
    return (require_aware(at, name=name) - _EPOCH) // _MICROSECOND


def from_us(at_us: int) -> datetime:
    """The instant, aware and in UTC. No float is involved, so nothing is rounded."""
    return _EPOCH + timedelta(microseconds=at_us)


RANDOM_BITS = 62


def make_uuid7(at_us: int, chance: int) -> str:
    """A version 7 UUID as 32 hexadecimal digits: milliseconds, then microseconds, then chance.

    `at_us` is microseconds since the epoch, `chance` an integer of `RANDOM_BITS` random bits.
    """
    milliseconds, rest = divmod(at_us, 1000)
    number = milliseconds << 80 | 7 << 76 | rest << 64 | 1 << 63 | chance
    return number.to_bytes(16, "big").hex()


DIGITS = 20
"""Hexadecimal digits of the hash: it is infeasible to find a second name for it, or to guess a
name's."""
MARK = "~"
_MOST_KNOWN = 4_096
_LONGEST_KNOWN = 200
_LONGEST_KEY = 32

# Frozen: what the label shows is a part of what is stored, so that it must not change with the
# rules of redaction.
_PLAIN = re.compile(r"[A-Za-z]{1,20}(?:[ ._-][A-Za-z]{1,20}){0,3}")
_SHOWN = re.compile(rf"[A-Za-z][A-Za-z ._-]{{0,82}}{MARK}[0-9a-f]{{{DIGITS}}}")


class IdentityKind(StrEnum):
    """Whose name it is: the same name of two kinds is two identities."""

    TENANT = "tenant"
    PRINCIPAL = "person"
    AGENT = "agent"


class Identities:
    """Names to identities, by one key: the same in every process that shares a store."""

    def __init__(self, key: bytes) -> None:
        self._key = key if len(key) <= _LONGEST_KEY else blake2s(key).digest()
        self._known: dict[tuple[IdentityKind, str], str] = {}

    def identify(self, name: str, kind: IdentityKind) -> str:
        """`acme~…` of a plain name, `tenant~…` of any other; an empty name stays empty."""
        if not name:
            return ""
        known = self._known.get((kind, name))
        if known is not None:
            return known
        made = self._hash_name(str.__str__(name), kind)
        if len(name) <= _LONGEST_KNOWN:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[kind, name] = made
        return made

    def _hash_name(self, name: str, kind: IdentityKind) -> str:
        digest = blake2s(key=self._key, person=kind.encode())
        # Not replaced: two names that no text can carry are two names.
        digest.update(name.encode("utf-8", "surrogatepass"))
        shown = kind is not IdentityKind.PRINCIPAL and _PLAIN.fullmatch(name)
        return f"{name if shown else kind}{MARK}{digest.hexdigest()[:DIGITS]}"


def is_identity(text: str) -> bool:
    """Whether a text is an identity as a surface shows it, and not a name."""
    return _SHOWN.fullmatch(text) is not None


def read_label(identity: str) -> str:
    """What people may read of an identity: a plain name, or what kind of name it is."""
    return identity.rpartition(MARK)[0] or identity


_DOUBLED = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)


def has_luhn(digits: str) -> bool:
    """The check digit of cards, and of Swedish and Canadian ids."""
    plain = sum(map(int, digits[-1::-2]))
    return (plain + sum(_DOUBLED[int(digit)] for digit in digits[-2::-2])) % 10 == 0


def has_iban(account: str) -> bool:
    """The remainder that every country's IBAN has."""
    moved = account[4:] + account[:4]
    return int("".join(str(int(letter, 36)) for letter in moved)) % 97 == 1
