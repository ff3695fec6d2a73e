"""A service as a table: its objects, a row for each operation, and what an undo of one sends.

The tables are the `.toml` files beside this module. They hold facts of the services' public
documentation, each with the page that it is from.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from importlib.resources import files
from typing import Any, NamedTuple
from urllib.parse import quote

from msgspec import Struct, field

from mulligan.codec import to_record
from mulligan.types.call import Record
from mulligan.types.errors import ConfigurationError

TYPES: Mapping[str, Any] = {
    "text": str,
    "number": int,
    "switch": bool,
    "table": dict[str, Any],
    "texts": list[str],
    "tables": list[dict[str, Any]],
}
"""What a parameter may be, by the word that a table has for it."""
_PLACE = re.compile(r"\{\+?([a-z_]+(?:\.\w+)*)\}")
"""A value in a path or a body; with a plus, its slashes stay."""


class TableEntry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of a file: what it does not know is a mistake."""


class ObjectParts(TableEntry, frozen=True, kw_only=True):
    """Other objects that belong to one, such as the exceptions of a series."""

    when: str
    """The field that an object has if it has parts."""
    read: str
    take: str
    of: str
    """The field of a part that says which object it belongs to."""


class ObjectKind(TableEntry, frozen=True, kw_only=True):
    """One kind of object, and how it is read."""

    read: str
    """The path that shows it, with places for what names it: the last is its own id."""
    page: str
    take: str = ""
    """Where it stands in an answer, by a path with dots."""
    answered: str | None = None
    """Where it stands in the answer to a write, if elsewhere."""
    match: dict[str, str] = field(default_factory=dict)
    """Of a list, which one it is: a field, and the parameter of the request that says it."""
    id: str = "id"
    version: str = ""
    """The field that holds its version; without one, a hash of its content is its version."""
    binds: str = ""
    """Where a write carries the version that it is conditional on: `header` or `body`."""
    gone: dict[str, str] = field(default_factory=dict)
    """Field values that say that it was deleted."""
    own: tuple[str, ...] = ()
    """Fields that the service sets by itself, or that no request can set."""
    keep: dict[str, str] = field(default_factory=dict)
    """The only fields that matter, each with its path; of a list, `labels.*.name`."""
    lists: str = ""
    """What a list in an answer is called."""
    defaults: dict[str, Any] = field(default_factory=dict)
    """What the service writes where nothing was said."""
    incomplete: dict[str, Any] = field(default_factory=dict)
    """Field values by which the service says that it has left something out: a call is held."""
    parts: ObjectParts | None = None

    @property
    def path_in_answer(self) -> str:
        """Where it stands in the answer to a write."""
        return self.take if self.answered is None else self.answered


class HoldRule(TableEntry, frozen=True, kw_only=True):
    """When a call cannot be undone, and waits for a person: all that is said here is true of it."""

    because: str
    given: tuple[str, ...] = ()
    """One of these arguments is there, and not empty."""
    among: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """An argument has one of these values."""
    matches: dict[str, str] = field(default_factory=dict)
    """An argument's text has this pattern in it."""
    before: str = ""
    """The object had this field before the call, and it was not empty."""

    def applies(self, arguments: Mapping[str, object]) -> bool:
        """Whether the arguments say so; what was there before is another question."""
        said = [
            not self.given or any(arguments.get(name) for name in self.given),
            *(arguments.get(name) in values for name, values in self.among.items()),
            *(_has(pattern, arguments.get(name)) for name, pattern in self.matches.items()),
        ]
        return all(said)


class Undo(TableEntry, frozen=True, kw_only=True):
    """The request that takes a call back."""

    send: str
    body: Any = None
    """A value with places in it: of arguments, or of what was `before`."""


class Operation(TableEntry, frozen=True, kw_only=True):
    """One operation."""

    says: str
    page: str
    object: str = ""
    send: str
    needs: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    query: tuple[str, ...] = ()
    """Arguments that go into the address; the others are the body."""
    body: Any = None
    """What the body is, where it is not simply the arguments by their names."""
    key: str = ""
    """The argument that names what is made, and that the service takes from us."""
    makes: bool = False
    """It makes something that the service names."""
    deletes: bool = False
    members: dict[str, str] = field(default_factory=dict)
    """A field that holds a list, to which an argument is added; by a `DELETE`, from which it is
    taken. Nobody else's is to go with it."""
    moves_to: str = ""
    """The argument that is to stand in the object's address in the place of another."""
    moves: str = ""
    undo: Undo | None = None
    """Without one, the call only reads, or is always held."""
    adds: bool = False
    """It makes something at an address that its arguments name, and only if nothing is there."""
    sole: bool = False
    """It is refused where it would change nothing, and its undo takes back no more than it did."""
    bound_by: str = ""
    """The argument that carries the version of the snapshot, where no header does."""
    reads: bool = False
    each: str = ""
    """The argument that holds a list of calls, each as the row of this name has it."""
    held: tuple[HoldRule, ...] = ()
    loses: tuple[str, ...] = ()


class ProofStep(TableEntry, frozen=True, kw_only=True):
    """A call that a proof makes. Its values may have places: `{place}`, `{other}`, `{name}`."""

    operation: str
    arguments: dict[str, Any] = field(default_factory=dict)
    saves: str = ""
    """The name that the id of what it makes has from then on."""
    once: bool = False
    """What it makes serves all steps."""


class ProofCase(TableEntry, frozen=True, kw_only=True):
    """What a proof does with one operation."""

    operation: str
    of: str = ""
    """Of what, where an operation has several cases."""
    setup: tuple[ProofStep, ...] = ()
    arguments: dict[str, Any]
    edit: ProofStep | None = None
    """What a second person does to the same object."""
    held: dict[str, Any] = field(default_factory=dict)
    """Arguments with which the call is held."""
    needs_other: bool = False
    """It needs a second place."""
    not_possible: str = ""
    """Why no proof can try it."""


class ServiceProof(TableEntry, frozen=True, kw_only=True):
    """How a service is proven on somebody's own account."""

    place: str
    """The path that shows the place."""
    named: str
    """Where its name stands in the answer: it must say that it is for scratch."""
    clean: dict[str, ProofStep]
    """By the kind of object, the call that clears it away, or out of sight: it is `{made}`."""
    cases: tuple[ProofCase, ...]


class ServiceTable(TableEntry, frozen=True, kw_only=True):
    """All that is said of a service."""

    title: str
    base_url: str
    docs: str
    permissions: str
    scratch: str
    """The argument that names the place where a proof may write."""
    parameters: dict[str, str]
    """Each parameter of any operation: what it is, and what it says of itself."""
    objects: dict[str, ObjectKind]
    operations: dict[str, Operation]
    camel: bool = False
    """Whether its fields are written `likeThis`."""
    lands_within: float = 30
    settles_within: float = 0
    errors: dict[str, int] = field(default_factory=dict)
    """The status that an error in an answer's body stands for, where every answer is a 200."""
    headers: dict[str, str] = field(default_factory=dict)
    proof: ServiceProof

    def spell(self, name: str) -> str:
        """A parameter as the service writes it."""
        first, *rest = name.split("_")
        return first + "".join(map(str.capitalize, rest)) if self.camel else name

    def read_type(self, name: str) -> Any:
        """The type of a parameter."""
        return TYPES[self.parameters[name].partition(":")[0]]

    def describe(self, name: str) -> str:
        """What a parameter says of itself."""
        return self.parameters[name].partition(":")[2].strip()


def load_table(name: str) -> ServiceTable:
    """The table of a service by its name, such as `google-calendar`."""
    known = list_services()
    if name not in known:
        raise ConfigurationError(f"There is no service {name!r}. Known: {', '.join(known)}.")
    text = files(__package__).joinpath(f"{name.replace('-', '_')}.toml").read_text("utf-8")
    return to_record(ServiceTable, tomllib.loads(text))


def list_services() -> list[str]:
    """The names of all services that have a table."""
    found = [each.name for each in files(__package__).iterdir() if each.name.endswith(".toml")]
    return sorted(name.removesuffix(".toml").replace("_", "-") for name in found)


def fill_path(path: str, values: Mapping[str, object]) -> str:
    """A path with its places filled."""

    def write(found: re.Match[str]) -> str:
        safe = "/" if found[0].startswith("{+") else ""
        return quote(str(follow(values, found[1])), safe=safe)

    return _PLACE.sub(write, path)


def fill(said: object, values: Mapping[str, object]) -> Any:
    """A value with its places filled: one that stands alone keeps the type of its value."""
    if isinstance(said, Mapping):
        return {name: fill(each, values) for name, each in said.items()}
    if isinstance(said, list):
        return [fill(each, values) for each in said]
    if not isinstance(said, str):
        return said
    alone = _PLACE.fullmatch(said)
    if alone:
        return follow(values, alone[1])
    return _PLACE.sub(lambda found: str(follow(values, found[1])), said)


class Route(NamedTuple):
    """A request that writes, and what in it names a place."""

    send: str
    places: tuple[str, ...]

    def fits(self, method: str, path: str, *, within: Collection[str]) -> bool:
        """Whether a request is one of these, and names only such places in its path."""
        own, _, route = self.send.partition(" ")
        literal = _PLACE.split(route.partition("?")[0])
        named = "|".join(map(re.escape, within))
        pattern = [
            (f"(?:{named})" if part in self.places else ".+") if at % 2 else re.escape(part)
            for at, part in enumerate(literal)
        ]
        return method == own and bool(re.fullmatch("".join(pattern), path))

    def find_named(self, table: ServiceTable, given: Mapping[str, object]) -> list[object]:
        """The places that its query or its body names."""
        _, _, fixed = self.send.partition("?")
        written = dict(part.split("=", 1) for part in fixed.split("&") if part)
        keys = [key for key, said in written.items() if said.strip("{}") in self.places]
        in_address = set(list_places(self.send))
        keys += [table.spell(name) for name in self.places if name not in in_address]
        return [given.get(key) for key in keys]


def list_routes(table: ServiceTable) -> list[Route]:
    """Every request by which an operation, or its undo, writes."""
    return [
        Route(send, tuple(filter(None, (table.scratch, row.moves_to))))
        for row in table.operations.values()
        for send in (row.send, *(() if row.undo is None else (row.undo.send,)))
    ]


def follow(value: object, path: str) -> Any:
    """What stands at the end of a path with dots; `None` where it leads nowhere."""
    for at, step in enumerate(filter(None, path.split("."))):
        if step == "*":
            rest = ".".join(path.split(".")[at + 1 :])
            return [follow(each, rest) for each in value] if isinstance(value, list) else None
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def list_places(path: str) -> Iterator[str]:
    """The names in a path, in their order."""
    yield from _PLACE.findall(path)


def get_arguments(record: Record, *, each: str = "") -> dict[str, object]:
    """What a call was given; of a bulk, one element of it."""
    element = record.arguments.get(each) if each else None
    given = element if isinstance(element, Mapping) else record.arguments
    return {str(name): value for name, value in given.items() if value is not None}


def _has(pattern: str, value: object) -> bool:
    return bool(re.search(pattern, str(value))) if value else False
