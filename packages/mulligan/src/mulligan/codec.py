"""What is stored, as JSON and back by its hints; annotations as schemas."""

from __future__ import annotations

import base64
import inspect
import json
import re
import threading
import types
import typing
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import cache
from hashlib import sha256
from ipaddress import (
    IPv4Address,
    IPv4Interface,
    IPv4Network,
    IPv6Address,
    IPv6Interface,
    IPv6Network,
)
from math import isfinite
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import EllipsisType, MappingProxyType
from typing import Any, NoReturn, TypeVar, cast, get_type_hints
from uuid import UUID

import msgspec

from mulligan.process.event_loop import call_on_fork
from mulligan.types.display import format_value, is_tangled
from mulligan.types.errors import ConfigurationError
from mulligan.types.values import from_us, read_fields, to_us

Simplify = Callable[[Any], object]
"""Says in simpler terms what is no JSON, or raises a `TypeError`."""


def to_builtin(value: object) -> object:
    """A relative of one of JSON's types as that type; a `TypeError` names what is none."""
    for kind in (str, int, float):
        if isinstance(value, kind):
            return kind(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no JSON")


_encode = msgspec.json.Encoder(enc_hook=to_builtin).encode
_encode_sorted = msgspec.json.Encoder(enc_hook=to_builtin, order="sorted").encode
_decode = msgspec.json.Decoder().decode


def encode_json(value: object) -> bytes:
    """JSON in the fewest bytes; a `TypeError` where there is none."""
    try:
        return _encode(value)
    except ValueError:  # a lone surrogate, or an integer of too many digits
        return dump_json(msgspec.to_builtins(value, enc_hook=to_builtin)).encode()


def encode_sorted(value: object) -> bytes:
    """JSON with one spelling for each value: fields and keys in order."""
    try:
        return _encode_sorted(value)
    except (ValueError, TypeError):
        plain = msgspec.to_builtins(value, enc_hook=to_builtin)
        return dump_json(plain, sort_keys=True).encode()


def dump_json(plain: object, **options: Any) -> str:
    """JSON as `json` writes it, with long integers as text."""
    options = {"separators": (",", ":"), **options}
    try:
        return json.dumps(plain, **options)
    except ValueError:
        return json.dumps(_spell_integers(plain), **options)


def _spell_integers(value: object) -> object:
    """The same with each integer that is too long to be written in decimal as its hex digits."""
    if isinstance(value, dict):
        return {_spell_integers(key): _spell_integers(held) for key, held in value.items()}
    if isinstance(value, list | tuple):
        return list(map(_spell_integers, value))
    return hex(value) if isinstance(value, int) and value.bit_length() > LONGEST_BITS else value


LONGEST_BITS = 640 * 3
"""Of an integer that Python writes in decimal, however low its limit on digits is set."""


def split_json_lines(text: str) -> list[str]:
    """The lines of a file of JSON lines, which end at a line feed and nowhere else.

    What other scripts break lines with (U+0085, U+2028) stands in JSON as it is.
    """
    return text.replace("\r\n", "\n").split("\n")


def decode_json(text: str | bytes) -> Any:
    """JSON in Python's own types; a `ValueError` where it is none, or nested too deeply."""
    try:
        try:
            return _decode(text)
        except (msgspec.DecodeError, UnicodeEncodeError):
            return json.loads(text)
    except RecursionError:
        raise UndecodableError("It is nested too deeply") from None


def decode_typed(text: str) -> Any:
    """JSON that a person has written, without losing anything of it; else a `ValueError` says
    what it is that Python would read otherwise."""
    try:
        return json.loads(
            text,
            parse_float=_read_float,
            parse_constant=_refuse_constant,
            object_pairs_hook=_read_object,
        )
    except RecursionError:
        raise UndecodableError("it is nested too deeply") from None


def _read_float(text: str) -> float:
    read = float(text)
    if not isfinite(read) or Decimal(text) != Decimal(repr(read)):
        raise UndecodableError(f"{text} is too large or too precise for a number; write it as text")
    return read


def _refuse_constant(text: str) -> NoReturn:
    raise UndecodableError(f"{text} is no number in JSON")


def _read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) < len(pairs):
        name = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise UndecodableError(f"{name!r} is given more than once")
    return read


R = TypeVar("R")

_MICROSECOND = timedelta(microseconds=1)
_TIMES = (datetime, timedelta)


class UndecodableError(ValueError):
    """JSON that is no such record; the text says where and why."""


def encode_record(record: object, *, otherwise: Simplify = to_builtin) -> str:
    """A record as JSON in plain ASCII, so that it holds what a database cannot."""

    def simplify(part: Any) -> object:
        # Not msgspec: it would spell times in its own way, and let a set become a list.
        match part:
            case datetime():
                return to_us(part, name="The time of what is kept")
            case timedelta():
                return part // _MICROSECOND
            case _ if (held := read_fields(part)) is not None:
                return held
            case _:
                return otherwise(part)

    return json.dumps(record, default=simplify)


def decode_record(kind: type[R], text: str | bytes) -> R:
    """The record again; fields of a later Mulligan are left aside, a missing one is an error."""
    return to_record(kind, decode_json(text))


def describe_record(kind: type) -> dict[str, Any]:
    """The JSON schema of a record: as given to its writer."""
    return msgspec.json.schema(kind)


def to_record(kind: type[R], plain: object, *, strict: bool = True) -> R:
    """A record out of JSON that has been read; not `strict`: also with a number as text."""
    if isinstance(plain, dict):
        times = _find_times(cast("Any", kind))
        plain = plain | {
            name: _read_time(plain[name], kind=times[name], name=name)
            for name in times
            if name in plain
        }
    if kind in _learned:
        return _convert(plain, kind, strict=strict)
    # msgspec learns a type when it is first read, and two threads that do so at once crash it.
    with _learning:
        try:
            return _convert(plain, kind, strict=strict)
        finally:
            _learned.add(kind)


def _convert(plain: object, kind: type[R], *, strict: bool) -> R:
    try:
        return msgspec.convert(plain, kind, strict=strict)
    except msgspec.ValidationError as error:
        raise UndecodableError(str(error)) from None


_learned: set[type] = set()
_learning = threading.RLock()
# A child must not be left with a type that a thread of its parent had half learned.
call_on_fork(
    before=_learning.acquire, after_in_parent=_learning.release, after_in_child=_learning.release
)


@cache
def _find_times(kind: Any) -> dict[str, type]:
    return {name: hint for name, hint in get_type_hints(kind).items() if hint in _TIMES}


def _read_time(value: Any, *, kind: type, name: str) -> datetime | timedelta:
    # Exactly: a truth value is no number, though Python calls it one.
    if type(value) is not int:
        raise UndecodableError(
            f"Expected microseconds, got `{type(value).__name__}` - at `$.{name}`"
        )
    return from_us(value) if kind is datetime else timedelta(microseconds=value)


Names = Mapping[Any, object]
"""Values by their names, which are text; `None`: all there is."""
FromPlain = Callable[[str | None, object], object]
"""Gives what is called so its own class back."""


class LostValueError(ConfigurationError):
    """Only the process that made a call knows what it was made with."""


class LostValue:
    """In the place of a result that could not be encoded: reading it says so."""

    def __init__(self, kind: str = "value") -> None:
        self.kind = kind
        self.shown = f"<{kind}, not kept>"

    def _refuse(self, *_: object) -> NoReturn:
        raise LostValueError(
            f"The result of the call could not be kept over a restart: {self.shown}. Return "
            f"{_PLAIN_DATA}."
        )

    __getattr__ = __getitem__ = __iter__ = __len__ = __bool__ = __str__ = __call__ = _refuse
    __eq__ = __hash__ = __contains__ = _refuse


_PLAIN_DATA = (
    "plain data in its place (text, numbers, bytes, dates, paths, lists, sets, dicts, and "
    "dataclasses or pydantic models that the tool's annotations name)"
)


def encode_exact(value: object) -> bytes | None:
    """A value as JSON that names every type which JSON has not; `None`: it cannot be had back."""
    try:
        text = dump_json(_Writer().write(value)).encode()
        return text if is_identical(decode_exact(text), value) else None
    except Exception:  # noqa: BLE001 - a user's class may raise anything
        return None


def decode_exact(text: bytes) -> Any:
    """The value as it was."""
    return _read(json.loads(text))


def encode_named(values: Names, *, at: str) -> bytes:
    """The same of values by their names: an object of a class as what its annotation can read.

    A `ConfigurationError` says where `at` something cannot be kept at all, and what to do.
    """
    try:
        written = [[name, _write_named(held)] for name, held in values.items()]
        text = dump_json(_tag(dict, written)).encode()
        decode_exact(text)
    except Exception as error:
        path, part = _find_unkept(values, at)
        why = f"is of the type {type(part).__name__}"
        if isinstance(error, RecursionError):
            why = "holds itself, or is nested too deeply"
        raise ConfigurationError(
            f"{path} cannot be kept for an undo, for it {why}. Use {_PLAIN_DATA}, and make such an "
            "object inside the tool."
        ) from error
    return text


def decode_named(text: bytes, from_plain: FromPlain) -> dict[str | None, Any]:
    """The values as they were; `from_plain` gives objects of a class theirs back."""
    return {
        name: from_plain(name, _read(held))
        if isinstance(held, dict) and held["type"] == _OBJECT
        else _read(held)
        for name, held in json.loads(text)["value"]
    }


def replace_lost(value: object) -> Any:
    """The value as another process could have it: what cannot be kept is a `LostValue`."""
    try:
        return _read(_Writer(apart=True, lost=True).write(value))
    except Exception:  # noqa: BLE001 - it holds itself, or is a key that cannot be one
        return LostValue(type(value).__name__)


def is_known(value: object) -> bool:
    """Whether it is of a type that is written by its name."""
    return type(value) in _KINDS


def is_identical(one: object, other: object) -> bool:
    """Whether two values are equal in every part, and of the same types."""
    if type(one) is not type(other):
        return False
    if type(one) is str:
        return one == other
    try:
        return _compare(one, other)
    except Exception:  # noqa: BLE001 - values that cannot even be compared
        return False


def _compare(one: Any, other: Any) -> bool:
    if isinstance(one, Mapping):
        pairs = zip(one.items(), other.items(), strict=True)
        return all(is_identical(k, n) and is_identical(v, w) for (k, v), (n, w) in pairs)
    if isinstance(one, deque) and one.maxlen != other.maxlen:
        return False
    if isinstance(one, list | tuple | deque):
        return len(one) == len(other) and all(map(is_identical, one, other))
    if isinstance(one, set | frozenset):
        return bool(one == other) and {(type(e), e) for e in one} == {(type(e), e) for e in other}
    if isinstance(one, float | complex | datetime | time | Decimal):
        return repr(one) == repr(other)  # also not a number, a minus before zero, and the zone
    return bool(one == other)


def _write_time(value: datetime | time) -> object:
    """With the name of its zone, where it has one: the distance from UTC says less."""
    zone = getattr(value.tzinfo, "key", None)
    return [value.replace(tzinfo=None).isoformat(), zone, value.fold] if zone else value.isoformat()


def _make_time_reader(kind: type[datetime | time]) -> Callable[[Any], object]:
    def read(held: Any) -> object:
        if isinstance(held, str):
            return kind.fromisoformat(held)
        from zoneinfo import ZoneInfo  # some milliseconds, for few

        text, zone, fold = held
        return kind.fromisoformat(text).replace(tzinfo=ZoneInfo(zone), fold=fold)

    return read


_KINDS: Mapping[type, tuple[Callable[[Any], object], Callable[[Any], object]]] = {
    tuple: (list, tuple),
    set: (list, set),
    frozenset: (list, frozenset),
    deque: (lambda value: [value.maxlen, *value], lambda held: deque(held[1:], held[0])),
    dict: (lambda value: [list(pair) for pair in value.items()], dict),
    OrderedDict: (lambda value: [list(pair) for pair in value.items()], OrderedDict),
    Counter: (dict, Counter),
    MappingProxyType: (dict, MappingProxyType),
    range: (lambda value: [value.start, value.stop, value.step], lambda held: range(*held)),
    bytes: (lambda value: base64.b64encode(value).decode(), base64.b64decode),
    bytearray: (bytes, bytearray),
    memoryview: (bytes, memoryview),
    int: (hex, lambda held: int(held, 16)),
    complex: (lambda value: [value.real, value.imag], lambda held: complex(*held)),
    Fraction: (lambda value: list(value.as_integer_ratio()), lambda held: Fraction(*held)),
    Decimal: (str, Decimal),
    UUID: (str, UUID),
    date: (date.isoformat, date.fromisoformat),
    datetime: (_write_time, _make_time_reader(datetime)),
    time: (_write_time, _make_time_reader(time)),
    timedelta: (
        lambda value: [value.days, value.seconds, value.microseconds],
        lambda held: timedelta(*held),
    ),
    timezone: (lambda value: value.utcoffset(None), timezone),
    type(Path()): (str, Path),
    PurePosixPath: (str, PurePosixPath),
    PureWindowsPath: (str, PureWindowsPath),
    re.Pattern: (
        lambda value: [value.pattern, value.flags],
        lambda held: re.compile(held[0], held[1]),
    ),
    EllipsisType: (lambda _: None, lambda _: ...),
    LostValue: (lambda value: value.kind, LostValue),
    **{
        kind: (str, kind)
        for kind in (
            IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network
        )
    },
}  # fmt: skip
"""How a value of a type is taken apart into what can be written, and built again of that."""

_OBJECT = "object"
_READERS: Mapping[str, Callable[[Any], object]] = {
    **{kind.__name__: build for kind, (_, build) in _KINDS.items()},
    _OBJECT: lambda held: held,
}


class _Writer:
    def __init__(self, *, apart: bool = False, lost: bool = False) -> None:
        self._apart = apart
        """Objects of a class are written as what they consist of."""
        self._lost = lost
        """What cannot be written at all leaves its place empty."""

    def write(self, value: Any) -> object:
        kind = type(value)
        long = kind is int and value.bit_length() > LONGEST_BITS
        if value is None or (kind in (str, int, float, bool) and not long):
            return value
        if kind is list:
            return [self.write(each) for each in value]
        if kind in _KINDS:
            take_apart, _ = _KINDS[kind]
            return _tag(kind, self.write(take_apart(value)))
        try:
            return self.write(_take_apart(value) if self._apart else _refuse(value))
        except TypeError:
            if not self._lost:
                raise
            return self.write(LostValue(kind.__name__))


def _take_apart(value: Any) -> object:
    """What an object of a class consists of, as its annotation can read it."""
    if isinstance(value, type):
        _refuse(value)
    if isinstance(value, Enum):
        return value.value
    if (held := read_fields(value)) is not None:
        return held
    if hasattr(value, "model_dump"):
        plain: object = value.model_dump()
        try:
            _Writer(apart=True).write(plain)
        except TypeError:
            # A type of its own, such as one that hides a secret: it knows what may be written.
            plain = value.model_dump(mode="json")
        return plain
    if hasattr(value, "__attrs_attrs__"):
        return {each.name: getattr(value, each.name) for each in value.__attrs_attrs__}
    for base in type(value).__mro__:
        if base in _KINDS:
            take_apart, build = _KINDS[base]
            return build(take_apart(value))
    return list(value) if isinstance(value, list) else to_builtin(value)


def _refuse(value: object) -> NoReturn:
    raise TypeError(f"it is of the type {type(value).__name__}")


def _write_named(value: object) -> object:
    text = encode_exact(value)
    if text is not None:
        return json.loads(text)
    return {"type": _OBJECT, "value": _Writer(apart=True).write(value)}


def _tag(kind: type, held: object) -> dict[str, object]:
    return {"type": kind.__name__, "value": held}


def _read(written: Any) -> Any:
    if isinstance(written, list):
        return [_read(each) for each in written]
    if isinstance(written, dict):
        return _READERS[written["type"]](_read(written["value"]))
    return written


_DEEPEST = 8
"""Of the path to what cannot be kept."""


def _find_unkept(
    value: object, path: str, *, within: tuple[object, ...] = ()
) -> tuple[str, object]:
    """The innermost part that cannot be written, and where it is."""
    within = (*within, value)
    for step, part in _list_parts(value) if len(within) <= _DEEPEST else ():
        if any(part is each for each in within):
            break
        if not _can_be_written(part):
            return _find_unkept(part, f"{path}{step}", within=within)
    return path, value


def _list_parts(value: Any) -> Iterator[tuple[str, object]]:
    try:
        parts = value if type(value) in (dict, list, tuple) else _take_apart(value)
    except Exception:  # noqa: BLE001 - a user's class may raise anything
        return
    if isinstance(parts, Mapping):
        for name, part in parts.items():
            yield ("" if name is None else f".{name}"), part
            yield " (a key)", name
    elif isinstance(parts, list | tuple):
        yield from ((f"[{place}]", part) for place, part in enumerate(parts))


def _can_be_written(value: object) -> bool:
    try:
        _read(_Writer(apart=True).write(value))
    except Exception:  # noqa: BLE001 - a user's class may raise anything
        return False
    return True


_SPELLED_BY_US = (datetime, timedelta, bytes, bytearray, memoryview)
"""What msgspec would spell in its own way."""
_LONGEST_TEXT = 1_000
"""Of a value that only says of itself what it is."""
_DEEPEST_SHOWN = 12
"""Of what is written part by part."""


def encode_value(value: object) -> bytes:
    """A value as JSON for a person to read. What JSON has no word for is text: nothing fails."""
    try:
        return encode_plain(value, simplify=_make_printable)
    except Exception:  # noqa: BLE001 - keys of any kind, depth without end, a user's code
        return encode_json(_print_parts(value))


def decode_value(text: bytes, hint: object = None) -> object:
    """A kept value, given back its declared type where it has one we know."""
    return from_plain(decode_json(text), hint)


def encode_plain(value: object, *, simplify: Simplify | None = None) -> bytes:
    """A value as JSON; what is none is as `simplify` says, or a `TypeError` that names it."""
    with suppress(TypeError):  # then it takes a simpler word for something in there
        # What msgspec leaves as it is, is JSON: it had no time, set or bytes to spell.
        if msgspec.to_builtins(value) == value:
            return encode_json(value)
    simplify = simplify or simplify_value
    try:
        plain = msgspec.to_builtins(value, builtin_types=_SPELLED_BY_US, enc_hook=simplify)
        text = dump_json(plain, default=simplify)
    except TypeError:
        # As a key, a time has no other spelling than msgspec's.
        plain = msgspec.to_builtins(value, builtin_types=_SPELLED_BY_US[1:], enc_hook=simplify)
        text = dump_json(plain, default=simplify)
    return text.encode()


def to_plain(value: object) -> object:
    """A value in JSON's own types: a model or a dataclass as the object it represents."""
    return decode_json(encode_plain(value))


def simplify_value(value: Any) -> object:
    """What JSON has no word for, in the next simpler terms; a `TypeError` if there are none."""
    match value:
        case LostValue():
            return value.shown
        case datetime():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case bytes() | bytearray() | memoryview():
            # Text as the text it is, so that what is secret in it is seen; of others, which.
            try:
                return bytes(value).decode()
            except UnicodeDecodeError:
                return f"<{len(bytes(value))} bytes, sha256 {sha256(value).hexdigest()}>"
        case deque() | range():
            return list(value)
        case Mapping():
            return dict(value)
        case _ if is_known(value):
            return format_value(value)
        case _ if not isinstance(value, type) and hasattr(value, "model_dump"):
            plain: object = value.model_dump(mode="json")
            return plain
        case _:
            return to_builtin(value)


def _make_printable(value: object) -> object:
    try:
        return simplify_value(value)
    except Exception:  # noqa: BLE001 - a model's own dump may raise anything
        return print_value(value)


def print_value(value: object) -> str:
    """What a value prints as, cut, and without what no store takes."""
    return format_value(value)[:_LONGEST_TEXT].encode("utf-8", "replace").decode()


def _print_parts(value: object, *, depth: int = 0) -> object:
    """The same part by part, for a value that cannot be written in one go."""
    if depth > _DEEPEST_SHOWN:
        return "<… deeper>"
    if depth and is_tangled(value):
        return print_value(value)
    if value is None or type(value) in (str, int, float, bool):
        return value
    if type(value) is dict:  # one of a kind of its own may refuse to be gone through
        return {
            name if type(name) is str else print_value(name): _print_parts(part, depth=depth + 1)
            for name, part in value.items()
        }
    if type(value) in (list, tuple, set, frozenset):
        parts: Any = value
        return [_print_parts(part, depth=depth + 1) for part in parts]
    simple = _make_printable(value)
    return simple if isinstance(simple, str) else _print_parts(simple, depth=depth + 1)


def from_plain(value: object, hint: object) -> object:
    """Turn plain JSON back into what the annotation says; what does not fit stays as it is."""
    if hint is None or value is None:
        return value
    try:
        return _convert_plain(value, hint)
    except Exception:  # noqa: BLE001 - msgspec has no such type, or a model refuses
        return value


def _convert_plain(value: object, hint: Any) -> object:
    try:
        return msgspec.convert(value, hint, strict=True, dec_hook=_from_json)
    except msgspec.ValidationError as error:
        # A length of time is kept as seconds, which only a lenient reading takes.
        if "`duration`" not in str(error):
            raise
        return msgspec.convert(value, hint, strict=False, dec_hook=_from_json)


def read_edited(value: object, hint: object) -> object:
    """A value that a person writes for an argument, as `from_plain` will read it once it is kept.

    An `UndecodableError` says why its annotation, or JSON, does not take exactly that.
    """
    plain = to_exact_plain(value)
    if hint is None:
        read = plain
    else:
        try:
            read = _convert_plain(plain, hint)
        except Exception as error:
            raise UndecodableError(_explain_misfit(error, plain, hint)) from error
        if (lost := _find_unwritable(read)) or _is_altered(plain, read):
            as_what = lost or format_value(read)
            raise UndecodableError(f"{format_value(plain)} would be read as {as_what}")
    if not (is_identical(plain, value) or is_identical(read, value)):
        raise UndecodableError(
            f"{format_value(value)} is of the type {type(value).__name__} and would arrive as "
            f"{format_value(read)}"
        )
    return read


def to_exact_plain(value: object) -> object:
    """A value in JSON's own types; an `UndecodableError` where JSON has none for it."""
    try:
        if found := _find_unwritable(value, binary=False):
            raise UndecodableError(f"JSON has no value for {found}")
        return decode_json(encode_plain(value))
    except (TypeError, OverflowError, RecursionError) as error:
        why = "is nested too deeply" if isinstance(error, RecursionError) else "has no JSON"
        raise UndecodableError(f"a value of the type {type(value).__name__} {why}") from error


def _explain_misfit(error: Exception, plain: object, hint: object) -> str:
    wanted = getattr(hint, "__name__", None) or str(hint)
    if isinstance(error, msgspec.ValidationError):
        # A model's own sentences stand in lines, with an address below each.
        lines = [line.strip() for line in str(error).splitlines()]
        said = " ".join(line for line in lines if not line.startswith("For further information"))
        return f"{said} ({format_value(plain)} for {wanted})"
    return f"{format_value(plain)} cannot be read as {wanted} ({type(error).__name__})"


def _find_unwritable(value: object, *, binary: bool = True) -> str:
    """A part that JSON has no value for: no number, or where it is read from text, bytes."""
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return next(filter(None, (_find_unwritable(each, binary=binary) for each in value)), "")
    if isinstance(value, float | Decimal) and not isfinite(value):
        return str(value)
    return "bytes" if binary and isinstance(value, bytes | bytearray | memoryview) else ""


def _read_parts(read: Any) -> Mapping[str, object] | None:
    """A dict, a dataclass or a model by its names; `None`: JSON may have others for them."""
    if isinstance(read, Mapping):
        return read
    fields = getattr(type(read), "model_fields", None)
    if isinstance(fields, dict):
        renamed = any(each.alias or each.validation_alias for each in fields.values())
        return None if renamed else dict(read)
    is_plain = hasattr(read, "__dataclass_fields__") and hasattr(read, "__dict__")
    return vars(read) if is_plain else None


def _is_altered(plain: Any, read: Any) -> bool:
    """Whether some number is another one in what was read, or a part is missing."""
    parts = _read_parts(read) if isinstance(plain, dict) else None
    if parts is not None:
        return any(n not in parts or _is_altered(held, parts[n]) for n, held in plain.items())
    if isinstance(plain, list) and isinstance(read, list | tuple):
        return any(map(_is_altered, plain, read))
    if isinstance(plain, list) and isinstance(read, set | frozenset):
        return len(plain) != len(read)
    numbers = (int, float, Decimal)
    if isinstance(plain, numbers) and isinstance(read, numbers) and type(plain) is not type(read):
        return Decimal(str(plain)) != Decimal(str(read))
    return False


def _from_json(kind: Any, value: object) -> object:
    """Of a type that msgspec does not know: a model, or a relative of a built-in."""
    validate = getattr(kind, "model_validate", None)
    if validate is not None:
        return validate(value)
    return kind(value) if type(value) in kind.__mro__[1:-1] else value


Schema = dict[str, Any]

_PLAIN: Mapping[object, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    datetime: {"type": "string", "format": "date-time"},
    date: {"type": "string", "format": "date"},
    time: {"type": "string", "format": "time"},
    UUID: {"type": "string", "format": "uuid"},
}
_ARRAY: Schema = {"type": "array"}
_OPEN_FORMATS = ("duration", "decimal")
"""Numbers do for these as well, whatever msgspec says."""


def read_hints(function: object) -> dict[str, object]:
    """A function's annotations by parameter, `return` among them."""
    try:
        return typing.get_type_hints(function)
    except (NameError, TypeError, AttributeError, ValueError):
        # Annotations that only a type checker can resolve: the plain value has to do.
        return {}


def to_arguments_schema(
    function: Callable[..., object], *, without: Collection[object] = ()
) -> Schema:
    """The schema of a function's arguments; what an annotation does not say is left open."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        # Some built-ins have no signature, and may take anything.
        return {}
    hints = read_hints(function)
    # Those without a name for callers too: left out, the next would take their place.
    named = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    named = [p for p in named if p.name not in ("self", "cls") and p.name not in without]
    schema: Schema = {
        "type": "object",
        "properties": {p.name: _describe(p, hints) for p in named},
        "required": [p.name for p in named if p.default is p.empty],
    }
    if not any(p.kind is p.VAR_KEYWORD for p in parameters):
        schema["additionalProperties"] = False
    return _lift_definitions(schema)


def to_schema(hint: object) -> Schema:
    """The schema of a type; an empty one admits anything."""
    return _lift_definitions(_to_schema(hint))


def _describe(parameter: inspect.Parameter, hints: Mapping[str, object]) -> Schema:
    described = _to_schema(hints.get(parameter.name))
    default = parameter.default
    if isinstance(default, (str, int, float, bool)):
        described = {**described, "default": default}
    return described


def _to_schema(hint: object) -> Schema:
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return {"enum": list(inside)}
    if origin in (typing.Union, types.UnionType):
        parts = [_to_schema(part) for part in inside]
        return {"anyOf": parts} if all(parts) else {}
    if origin is tuple and inside[1:] != (...,):
        return _ask_msgspec(hint)
    if origin in (list, set, frozenset, tuple, Sequence):
        return {"type": "array", "items": _to_schema(inside[0])} if inside else _ARRAY
    if origin in (dict, Mapping):
        return {"type": "object"}
    return _describe_class(hint) if isinstance(hint, type) else {}


def _describe_class(kind: Any) -> Schema:
    if issubclass(kind, Enum):
        return {"enum": [member.value for member in kind]}
    if issubclass(kind, (list, set, frozenset)) or kind is tuple:
        return _ARRAY
    # By its keys, for one of `typing_extensions` is none to `typing`.
    if issubclass(kind, dict) and not hasattr(kind, "__required_keys__"):
        return {"type": "object"}
    return _ask_msgspec(kind)


def _ask_msgspec(hint: Any) -> Schema:
    """Of dataclasses, typed dicts, named tuples, and models inside them."""
    try:
        return msgspec.json.schema(hint, schema_hook=_describe_model)
    except (TypeError, NameError, RuntimeError):
        return {}


def _describe_model(kind: Any) -> Schema:
    describe = getattr(kind, "model_json_schema", None)
    return {} if describe is None else describe()


def _lift_definitions(schema: Schema) -> Schema:
    """Definitions belong at the root: that is where references look for them."""
    definitions: Schema = {}
    lifted: Schema = _lift(schema, definitions)
    return {**lifted, "$defs": definitions} if definitions else lifted


def _lift(part: Any, definitions: Schema) -> Any:
    if isinstance(part, list):
        return [_lift(each, definitions) for each in part]
    if not isinstance(part, dict):
        return part
    if part.get("format") in _OPEN_FORMATS or isinstance(part.get("contentEncoding"), str):
        return {}
    for name, each in part.get("$defs", {}).items():
        definitions[name] = _lift(each, definitions)
    return {name: _lift(each, definitions) for name, each in part.items() if name != "$defs"}


def describe_types(kinds: Sequence[Any], *, at: str) -> tuple[list[Schema], Schema]:
    """A schema for each kind, and what they refer to, by name; `at` is where that will stand."""
    schemas, parts = msgspec.json.schema_components(
        kinds, schema_hook=lambda _: {"description": "Any value."}, ref_template=f"{at}{{name}}"
    )
    return list(schemas), parts
