"""Values of any shape: read without running their code, what a key says, stubs in their place."""

from __future__ import annotations

from collections import UserDict, UserList, UserString, deque
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from hashlib import blake2s
from itertools import islice
from pathlib import PurePath
from types import MemberDescriptorType
from typing import Any, NamedTuple
from uuid import UUID

from mulligan.redaction.names import (
    Secrecy,
    classify_name,
    looks_like_field,
    names_ids,
    names_phone,
)
from mulligan.redaction.scrub import scrub
from mulligan.redaction.secrets import remember_named
from mulligan.types.errors import ConfigurationError

class_dict: Callable[[type], Mapping[str, Any]] = type.__dict__["__dict__"].__get__
class_order: Callable[[type], tuple[type, ...]] = type.__dict__["__mro__"].__get__

_MARKS = (
    "__dataclass_fields__",
    "__pydantic_fields__",
    "__pydantic_core_schema__",
    "__fields__",
    "__attrs_attrs__",
    "__struct_fields__",
)
"""What classes carry whose attributes are their data: dataclasses, pydantic, attrs, msgspec."""


def is_record(kind: type) -> bool:
    """Whether the attributes of such objects are their data."""
    return any(mark in class_dict(cls) for cls in class_order(kind)[:-1] for mark in _MARKS)


def read_attributes(value: object) -> dict[str, object]:
    """The plain attributes and slots of an object; properties are left alone."""
    found: dict[str, object] = {}
    for cls in reversed(class_order(type(value))[:-1]):
        for name, member in tuple(class_dict(cls).items()):
            if type(member) is MemberDescriptorType:
                try:
                    found[name] = member.__get__(value)
                except AttributeError:
                    continue
    own = _read_dict(value)
    if own is not None:
        found.update(own)
    return found


def _read_dict(value: object) -> dict[str, object] | None:
    # Found on the class first, so that a `__dict__` the class defines itself is not called.
    for cls in class_order(type(value))[:-1]:
        member = class_dict(cls).get("__dict__")
        if member is not None:
            own = member.__get__(value) if type(member) is _DICT_SLOT else None
            return own if type(own) is dict else None
    return None


class _DictHolder:
    pass


_DICT_SLOT = type(_DictHolder.__dict__["__dict__"])


def read_tuple_names(kind: type) -> tuple[str, ...] | None:
    """The field names of a named tuple's class."""
    for cls in class_order(kind):
        names = class_dict(cls).get("_fields")
        if type(names) is tuple and all(type(name) is str for name in names):
            return names
    return None


def read_enum_value(value: object) -> object:
    """The value behind an Enum member, without asking the member."""
    own = _read_dict(value)
    return None if own is None else own.get("_value_")


_WHOLE = 65_536
_END = 4_096
_SHORTEST_KEY = 16
_LONGEST_KEY = 32
_MOST_DIGITS_BITS = 512
UUID_LENGTH = 36
"""A string of this length may be an id, which is shown where its name says so."""
SHORT = 1_024
OPENINGS = tuple(f"<str {size} #" for size in range(SHORT + 1))
"""How the stubs of short strings begin, by length."""

class_name: Callable[[type], str] = type.__dict__["__name__"].__get__
"""The real name of a class, whatever its metaclass says."""


@lru_cache(maxsize=1024)
def _format_name(name: str) -> str:
    return name if looks_like_field(name) and scrub(name) == name else "object"


def format_class(kind: type) -> str:
    """The name of a class as it may be logged."""
    name = class_name(kind)
    return _format_name(name) if len(name) <= 64 else "object"


def fit_key(key: bytes) -> bytes:
    """The key as the hash takes it; one that is too short to be safe is refused."""
    if len(key) < _SHORTEST_KEY:
        raise ConfigurationError(
            f"The redaction key has {len(key)} bytes; with fewer than {_SHORTEST_KEY} its "
            "hashes could be guessed. Pass the store's secret()."
        )
    return blake2s(key).digest() if len(key) > _LONGEST_KEY else key


class Stubs:
    """Makes stubs. Same value and key, same stub, in every process."""

    __slots__ = ("_keyed", "copy")

    def __init__(self, key: bytes) -> None:
        self._keyed = blake2s(key=fit_key(key), digest_size=6)
        # The key is mixed in once; each hash starts from a copy.
        self.copy = self._keyed.copy

    def hash_short(self, value: str) -> str:
        """A stub of a string of at most `SHORT` characters: `text`, for the loops."""
        digest = self.copy()
        try:
            digest.update(value.encode())
        except UnicodeEncodeError:
            digest.update(value.encode("utf-8", "surrogatepass"))
        return OPENINGS[len(value)] + digest.hexdigest() + ">"

    def hash_text(self, value: str, *, name: str = "str") -> str:
        """A stub of text, or of what is known by its text. Very long text counts by its ends."""
        size = len(value)
        if size > _WHOLE:
            value = f"{size} {value[:_END]}{value[-_END:]}"
        digest = self.copy()
        digest.update(value.encode("utf-8", "surrogatepass"))
        return f"<{name} {size} #{digest.hexdigest()}>"

    def hash_bytes(self, value: bytes, *, name: str) -> str:
        """A stub of bytes."""
        size = len(value)
        digest = self.copy()
        if size > _WHOLE:
            digest.update(b"%d " % size + value[:_END] + value[-_END:])
        else:
            digest.update(value)
        return f"<{name} {size} #{digest.hexdigest()}>"

    def hash_integer(self, value: int) -> str:
        """A stub of a number with many digits; no decimal form is made of a huge one."""
        bits = value.bit_length()
        if bits <= _MOST_DIGITS_BITS:
            return self.hash_text(str(value), name="int")
        ends = (value & ((1 << _MOST_DIGITS_BITS) - 1), abs(value) >> (bits - _MOST_DIGITS_BITS))
        digest = self.copy()
        digest.update(f"{bits} {ends[0]:x} {ends[1]:x}".encode())
        return f"<int {bits} bits #{digest.hexdigest()}>"


_MOST = 4096
_LONGEST = 80
_SMALL = 10_000
BIG = 10**8
"""From here on a number may be a card or a phone, and is looked at."""
NUMBERS = frozenset({int, float})


class Key(NamedTuple):
    """How a key is shown, and what it says about its value."""

    shown: str
    secrecy: Secrecy
    ids: bool
    plain: bool
    """It is shown as it is, so no other key of the same dictionary is shown alike."""
    phone: bool = False

    def hides(self, value: Any) -> bool:
        """Whether it calls this value a secret: a small number is none where it is a count."""
        if self.secrecy is Secrecy.COUNT and type(value) in NUMBERS:
            return not -BIG < value < BIG
        return bool(self.secrecy)

    def choose_label(self, beside: Mapping[str, object]) -> str:
        """How it is shown beside others, numbered where two look alike."""
        if self.plain or self.shown not in beside:
            return self.shown
        return f"{self.shown} {len(beside)}"


class Keys:
    """Judges keys, and remembers a bounded number of them."""

    __slots__ = ("_known", "_stubs", "ids", "open")

    def __init__(self, stubs: Stubs) -> None:
        self._stubs = stubs
        self._known: dict[str, Key] = {}
        self.open: set[str] = set()
        """Keys that were seen, are shown as they are, and hide nothing."""
        self.ids: set[str] = set()
        """Those of them whose values are ids."""

    def classify(self, name: Any) -> Key:
        """The decision for a key of any type."""
        kind = type(name)
        if kind is str:
            key = self._known.get(name)
            return self._judge(name) if key is None else key
        if issubclass(kind, str):
            return self._judge(str.__str__(name))
        if name is None or kind is bool or (kind is int and -_SMALL < name < _SMALL):
            return Key(str(name), Secrecy.OPEN, ids=False, plain=False)
        if kind is int:
            return Key(self._stubs.hash_integer(name), Secrecy.OPEN, ids=False, plain=False)
        return Key(f"<{format_class(kind)}>", Secrecy.OPEN, ids=False, plain=False)

    def _judge(self, name: str) -> Key:
        plain = looks_like_field(name) and scrub(name) == name
        shown = name if plain else self._stubs.hash_text(name)
        judged = classify_name(name)
        key = Key(shown, judged, names_ids(name), plain, names_phone(name))
        if len(name) <= _LONGEST:
            if len(self._known) >= _MOST:
                self._known.clear()
                self.open.clear()
                self.ids.clear()
            self._known[name] = key
            if plain and not judged and not key.phone:
                # First: a reader that finds it among the open keys looks here next.
                if key.ids:
                    self.ids.add(name)
                self.open.add(name)
        return key


_NODES = 10_000
_DEPTH = 32


class _Node(NamedTuple):
    value: Any
    name: str
    """The nearest one above that names a secret."""
    depth: int


class ValueReading:
    """Reads the strings out of values, within bounds that hold for all of them."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._left = _NODES
        self._seen: dict[tuple[int, str], object] = {}
        self.whole = True
        """No bound was met."""

    def find_strings(self, value: Any, *, name: str = "") -> Iterator[tuple[str, str]]:
        """Every string in a value, and the name above it that says it is a secret, if any does."""
        queue = deque([_Node(value, name, 0)])
        while queue:
            node = queue.popleft()
            self._left -= 1
            if self._left < 0:
                self.whole = False
                return
            texts = _read_texts(node.value, secret=bool(node.name))
            if texts is None:
                queue.extend(self._list_inside(node))
                continue
            for text in texts:
                yield text, node.name

    def _list_inside(self, node: _Node) -> Iterator[_Node]:
        value, above, depth = node
        if (id(value), above) in self._seen:
            return
        # Kept, so that no other object gets the same id.
        self._seen[id(value), above] = value
        for name, item in islice(_list_entries(value), max(self._left + 1, 0)):
            if depth >= _DEPTH:
                self.whole = False
                return
            key = None if name is _NAMELESS else self._keys.classify(name)
            hides = key is not None and key.hides(item)
            yield _Node(item, str.__str__(name) if hides else above, depth + 1)
            if key is not None and not key.plain:
                yield _Node(name, above, depth + 1)


_NAMELESS = object()
_SEQUENCES: tuple[Any, ...] = (list, tuple, set, frozenset, deque)


def _read_texts(value: Any, *, secret: bool) -> tuple[str, ...] | None:
    """The forms of a value that is text or stands for some; `None` where it may hold others."""
    kind = type(value)
    if issubclass(kind, str):
        return (str.__str__(value),)
    if value is None or kind is bool:
        return ()
    if issubclass(kind, int):
        return (int.__repr__(value),) if secret and int.bit_length(value) < 256 else ()
    if issubclass(kind, bytes | bytearray):
        raw = bytes(memoryview(value))
        return tuple({raw.decode("latin-1"), raw.decode("utf-8", "replace")})
    if issubclass(kind, PurePath):
        return (PurePath.__str__(value),)
    if issubclass(kind, float):
        number = float.__repr__(value)
        return (number, number.removesuffix(".0")) if secret else ()
    if issubclass(kind, Decimal):
        return (Decimal.__str__(value),) if secret else ()
    if kind is UUID:
        return (str(value),) if secret else ()
    return None


def _list_entries(value: Any) -> Iterator[tuple[Any, Any]]:
    """What a container holds, by name where it has names."""
    kind = type(value)
    names = read_tuple_names(kind) if issubclass(kind, tuple) else None
    if names:
        yield from zip(names, tuple.__iter__(value), strict=False)
        return
    for container in _SEQUENCES:
        if issubclass(kind, container):
            yield from ((_NAMELESS, item) for item in container.__iter__(value))
            return
    if issubclass(kind, dict):
        yield from list(dict.items(value))
    elif issubclass(kind, UserDict | UserList | UserString):
        yield _NAMELESS, read_attributes(value).get("data")
    elif is_record(kind):
        yield from read_attributes(value).items()
    elif issubclass(kind, Mapping):
        yield from islice(value.items(), _NODES + 1)


_NAMES = frozenset({str})
_FLAT = frozenset({str, int, float, bool, type(None)})


def is_open(value: object, *, keys: Keys) -> bool:
    """Whether a value is flat and all its names are known to hide nothing, as in most calls."""
    return (
        type(value) is dict
        and _NAMES.issuperset(map(type, value))
        and value.keys() <= keys.open
        and _FLAT.issuperset(map(type, value.values()))
    )


def remember_inside(
    value: Any, known: set[str], *, keys: Keys, name: str = "", most: int = _NODES
) -> None:
    """Add what a value holds under names of secrets, or all of it where it has such a name."""
    for text, secret in ValueReading(keys).find_strings(value, name=name):
        if len(known) >= most:
            return
        if secret:
            remember_named(text, known, name=secret)
