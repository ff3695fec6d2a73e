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
from mulligan_packs.http.written import write_form

TYPES: Mapping[str, Any] = {
    "text": str,
    "number": int,
    "switch": bool,
    "table": dict[str, Any],
    "texts": list[str],
    "tables": list[dict[str, Any]],
    "fields": dict[str, Any],
}
"""What a parameter may be, by the word that a table has for it. Of `fields`, those that a call does
not name stay as they are."""
KEY = "idempotency_key"
"""The argument that a service's `key_header` carries."""
MISSING = object()
"""Of a place that leads nowhere."""
_PLACE = re.compile(r"\{\+?([a-z_]+(?:\.\w+)*)\}")
"""A value in a path or a body; with a plus, its slashes stay."""
_LESS = re.compile(r"\{([a-z_.]+) - ([a-z_.]+)\}")
"""What is in one list, and not in the other."""


class TableEntry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of a file: what it does not know is a mistake."""


class ObjectParts(TableEntry, frozen=True, kw_only=True):
    """Other objects that belong to one, such as the exceptions of a series."""

    when: str
    """The field that an object has if it has parts."""
    read: tuple[str, ...]
    """The paths that list them."""
    take: str
    of: str
    """The field of a part that says which object it belongs to."""
    by: str = ""
    """The field that says who wrote an object or a part last: parts of what is new are the call's
    own where that is the same."""


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
    gone: dict[str, Any] = field(default_factory=dict)
    """Field values that say that it was deleted; of a list, what it has in it then."""
    own: tuple[str, ...] = ()
    """Fields that the service sets by itself, or that no request can set: `files.*.url`."""
    keep: dict[str, str] = field(default_factory=dict)
    """The only fields that matter, each with its path; of a list, `labels.*.name`."""
    sets: tuple[str, ...] = ()
    """Those of them that are lists whose order says nothing."""
    lists: str = ""
    """What a list in an answer is called."""
    defaults: dict[str, Any] = field(default_factory=dict)
    """What the service writes where nothing was said, or has where it shows nothing."""
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


class WayBack(TableEntry, frozen=True, kw_only=True):
    """What only the service knows of how to take a call back: one of a list, as `found`."""

    read: str
    take: str
    field: str
    """The field of it that has a value."""
    value: str


class Undo(TableEntry, frozen=True, kw_only=True):
    """The request that takes a call back."""

    send: str
    body: Any = None
    """A value with places in it: of arguments, of what is there `now`, or of what was `before`,
    where what stands for an argument that was not given is left out. `{before.labels - now.labels}`
    is what one list has and the other has not."""
    find: WayBack | None = None


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
    """What the body is, where it is not simply the arguments by their names. What stands for an
    argument that was not given is left out."""
    key: str = ""
    """The argument that names what is made, and that the service takes from us. Of what it `makes`
    by a name of its own: what tells a repeated request from a new one."""
    makes: bool = False
    """It makes something that the service names."""
    deletes: bool = False
    members: dict[str, str | tuple[str, ...]] = field(default_factory=dict)
    """A field that holds a list, and what is added to it: an argument, or values."""
    without: dict[str, str | tuple[str, ...]] = field(default_factory=dict)
    """The same, of what is taken from it. Nobody else's is to come or go with it."""
    touches: tuple[str, ...] = ()
    """Fields that it changes, and that no argument is called like."""
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
    """The row as which each element of the argument `needs` is made: a call of its own, or, with
    `each_is`, what this one request does to many."""
    each_is: str = ""
    """The argument of that row which each element is."""
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
    isolated: dict[str, Any] = field(default_factory=dict)
    """Field values by which a place says that nothing in its account is real."""
    clean: dict[str, ProofStep]
    """By the kind of object, the call that clears it away, or out of sight: it is `{made}`."""
    cases: tuple[ProofCase, ...]


class ServiceTable(TableEntry, frozen=True, kw_only=True):
    """All that is said of a service."""

    title: str
    base_url: str
    docs: str
    permissions: str
    scratch: tuple[str, ...]
    """The arguments that name the place where a proof may write, or what it has made there."""
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
    form: bool = False
    """Whether bodies are forms, and not JSON."""
    key_header: str = ""
    """Where a `POST` carries a key, by which the service makes it once: `idempotency_key`."""
    proof: ServiceProof

    def list_elements(self, row: Operation, given: Mapping[str, Any]) -> list[dict[str, Any]]:
        """What each element of a bulk is called with."""
        many, rest = row.needs[0], {n: v for n, v in given.items() if n != row.needs[0]}
        return [{**rest, **name_element(row, each)} for each in given[many]]

    def spell(self, name: str) -> str:
        """A parameter as the service writes it."""
        first, *rest = name.split("_")
        return first + "".join(map(str.capitalize, rest)) if self.camel else name

    def read_type(self, name: str) -> Any:
        """The type of a parameter."""
        return TYPES[self.parameters[name].partition(":")[0]]

    def find_key(self, row: Operation) -> str:
        """The argument of an operation that carries our key."""
        return KEY if self.key_header and row.send.startswith("POST") else row.key

    def write_body(self, body: object) -> dict[str, Any]:
        """How a request sends a body."""
        return {"data": write_form(body)} if self.form else {"json": body}

    def is_fields(self, name: str) -> bool:
        """Whether a parameter names only some fields of what is there."""
        return self.parameters.get(name, "").startswith("fields")

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
    """A value with its places filled: one that stands alone keeps the type of its value, and is
    left out of a list or a mapping where it leads nowhere."""
    if isinstance(said, Mapping):
        filled = {str(fill(name, values)): fill(each, values) for name, each in said.items()}
        return {name: each for name, each in filled.items() if each is not MISSING}
    if isinstance(said, list):
        return [each for each in (fill(one, values) for one in said) if each is not MISSING]
    if not isinstance(said, str):
        return said
    less = _LESS.fullmatch(said)
    if less:
        one, other = follow(values, less[1]) or (), follow(values, less[2]) or ()
        return [each for each in one if each not in other]
    alone = _PLACE.fullmatch(said)
    if alone:
        return follow(values, alone[1], MISSING)
    return _PLACE.sub(lambda found: str(follow(values, found[1])), said)


class Route(NamedTuple):
    """A request that writes, and what in it names an object."""

    send: str
    row: Operation
    places: tuple[str, ...]
    """The arguments that do."""
    named: tuple[str, ...]
    """Where one stands in its body, by a path with dots."""

    @property
    def makes(self) -> bool:
        """Whether its answer names something new."""
        return self.row.makes and self.send == self.row.send

    def read_named(self, path: str, given: Mapping[str, object]) -> list[object] | None:
        """The objects that a request to a path names; `None`: it is not one of these."""
        _, _, route = self.send.partition(" ")
        route, _, fixed = route.partition("?")
        literal = _PLACE.split(route)
        pattern = [("(.+)" if at % 2 else re.escape(part)) for at, part in enumerate(literal)]
        found = re.fullmatch("".join(pattern), path)
        if found is None:
            return None
        in_path = zip(literal[1::2], found.groups(), strict=True)
        said: list[object] = [value for name, value in in_path if name in self.places]
        written = dict(part.split("=", 1) for part in fixed.split("&") if part)
        keys = [key for key, each in written.items() if each.strip("{}") in self.places]
        return [*said, *(follow(given, key) for key in (*keys, *self.named))]


def list_routes(table: ServiceTable) -> list[Route]:
    """Every request by which an operation, or its undo, writes."""
    routes = []
    for row in table.operations.values():
        places = (*table.scratch, *filter(None, (row.moves_to,)))
        sent = {*row.needs, *row.takes} - {*list_places(row.send)}
        body = {table.spell(n): f"{{{n}}}" for n in sent} if row.body is None else row.body
        named = tuple(_find_places(body, places))
        routes.append(Route(row.send, row, places, named))
        if row.undo is not None:
            # What was before may name another place, where the call itself could have.
            also = named if row.undo.send == row.send else ()
            named = (*_find_places(row.undo.body, places), *also)
            routes.append(Route(row.undo.send, row, places, named))
    return routes


def _find_places(body: object, places: Collection[str], *path: str) -> Iterator[str]:
    """The paths with dots at which a body names one of some places."""
    if isinstance(body, Mapping):
        for name, each in body.items():
            yield from _find_places(each, places, *path, name)
    elif isinstance(body, str) and body in {f"{{{each}}}" for each in places}:
        yield ".".join(path)


def follow(value: object, path: str, missing: object = None) -> Any:
    """What stands at the end of a path with dots, where `*` is each and a number one of a list;
    `missing` where it leads nowhere."""
    if isinstance(value, Mapping) and path in value:
        return value[path]
    for at, step in enumerate(filter(None, path.split("."))):
        if step == "*":
            rest = ".".join(path.split(".")[at + 1 :])
            each = list(value.values()) if isinstance(value, Mapping) else value
            return [follow(one, rest) for one in each] if isinstance(each, list) else missing
        if isinstance(value, list) and step.isdigit():
            value = dict(enumerate(value)).get(int(step), missing)
        else:
            value = value.get(step, missing) if isinstance(value, Mapping) else missing
    return value


def drop(value: Any, path: str) -> Any:
    """A value without what stands at the end of a path with dots, where `*` is each."""
    step, _, rest = path.partition(".")
    if isinstance(value, list) and step == "*":
        return [drop(each, rest) for each in value]
    if not isinstance(value, Mapping):
        return value
    if not rest:
        return {name: each for name, each in value.items() if name != step}
    return {name: drop(each, rest) if step in ("*", name) else each for name, each in value.items()}


def list_places(path: str) -> Iterator[str]:
    """The names in a path, in their order."""
    yield from _PLACE.findall(path)


def name_element(row: Operation, element: Any) -> Mapping[str, Any]:
    """One element of a bulk, as arguments."""
    return {row.each_is: element} if row.each_is else element


def get_arguments(record: Record, *, bulk: Operation | None = None) -> dict[str, object]:
    """What a call was given; of a bulk, one element of it."""
    given = dict(record.arguments)
    many = bulk.needs[0] if bulk else ""
    if bulk and not isinstance(given.get(many), list | tuple | None):
        given |= name_element(bulk, given.pop(many))
    return {str(name): value for name, value in given.items() if value is not None}


def _has(pattern: str, value: object) -> bool:
    return bool(re.search(pattern, str(value))) if value else False
