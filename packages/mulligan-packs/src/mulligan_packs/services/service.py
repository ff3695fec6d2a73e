"""The one engine of all services: a row of a table becomes a tool, or what is declared of one.

It is the REST pack with other eyes: where an object stands in an answer, what says that it is gone,
and what its version is, come from the table. What may be undone is decided there as ever.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import re
import uuid
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from functools import partial
from typing import Any, cast
from urllib.parse import unquote

import httpx
from msgspec.structs import replace

from mulligan.runtime.context import carry, read_context
from mulligan.runtime.declaration import Declared, Declares
from mulligan.types.call import Record, ToolFunction
from mulligan.types.effect import Effect, ProbeBy, Repeat
from mulligan.types.errors import ConfigurationError, ConflictError
from mulligan_packs.compose import Composition
from mulligan_packs.http.exchange import CallRequests
from mulligan_packs.http.fields import NOTHING, is_equal, is_rewritten
from mulligan_packs.http.refusals import Refusals, require_done
from mulligan_packs.http.resource import Left, Resource
from mulligan_packs.http.shown import ABSENT, Shown, is_same_content, is_shown, parse_shown
from mulligan_packs.http.written import SentWrite, parse_content, read_written
from mulligan_packs.services.table import (
    ObjectKind,
    Operation,
    ServiceTable,
    fill,
    fill_path,
    follow,
    get_arguments,
    list_places,
    load_table,
)

PARTS = "(parts)"
"""Where the content of an object has that of its parts."""
_MARK = "+"
"""Between the version of an object and that of its parts."""
_RETURNED = (
    "the tool returning what the service has answered, and its parameters having the names of the "
    "table: nothing else says what it has left"
)
_UNBOUND = "an edit between the look before a call and the call itself: it is not noticed there"


class Rows(Resource):
    """All calls of one operation."""

    def __init__(
        self, client: httpx.Client, row: Operation, *, table: ServiceTable, each: str
    ) -> None:
        self._row, self._table, self._each = row, table, each
        self._kind: ObjectKind = table.objects[row.object]
        super().__init__(
            client,
            self._kind.read,
            etags=bool(self._kind.binds),
            key_header=None,
            find=None,
            refused=None,
            lands_within=timedelta(seconds=table.lands_within),
        )

    def declare(self, *, heard: bool) -> Declared:
        """What is said of a tool of this operation; `heard`: its requests go through our client."""
        row = self._row
        # Of what makes, each call makes one: it finds and changes nothing.
        created = None if row.makes else frozenset[int]()
        declared = self._declare(undo=self._undo, loses=row.loses, created=created)
        undoing, remote = declared["undoing"], declared["remote"]
        rests_on = undoing.rests_on if heard else [_RETURNED]
        loses = [*row.loses, *([] if heard else [_UNBOUND])]
        declared |= Declared(
            effect=self._choose_effect,
            before=self._read_before,
            undoing=replace(undoing, same=self._is_same, rests_on=rests_on, loses=loses),
            remote=replace(
                remote,
                binds=self._etags and heard,
                settles_within=timedelta(seconds=self._table.settles_within),
            ),
            describe=row.says,
        )
        if row.deletes:
            declared["version"] = partial(self._read_version, deletes=True)
        if row.key:
            declared |= Declared(repeat=Repeat.KEYED, key=row.key)
            declared |= Declared(probe=self._probe_key, probe_by=ProbeBy.CALL)
        if row.bound_by and heard:
            declared["if_version"] = row.bound_by
        if row.makes:
            declared |= Declared(read=self._read_made, about=self._name_made)
            del declared["before"]
        if self._each:
            declared["each"] = self._each
        return declared

    def look(self, given: Mapping[str, Any]) -> object:
        """What people have written there; `(id)` is the id of what was made."""
        named = {self._names[-1]: given["(id)"]} if "(id)" in given else {}
        return parse_shown(
            self._read(Record(arguments={**given, **named}, key=str(given.get("(id)", ""))))
        )

    def find_version(self, given: Mapping[str, Any]) -> str:
        """At which version it is now."""
        return self._read(Record(arguments=given)).get("at", "")

    def _choose_effect(self, record: Record) -> Effect:
        given = self._get(record)
        stopped = any(not held.before and held.applies(given) for held in self._row.held)
        return Effect.IRREVERSIBLE if stopped else Effect.REVERSIBLE

    def _read_before(self, record: Record) -> Shown:
        """What is there before a call; one that could not be undone then is held."""
        shown, given = self._read(record), self._get(record)
        there = parse_shown(shown)
        for held in self._row.held:
            if held.before and held.applies(given) and follow(there, held.before):
                raise ConflictError(f"This cannot be undone: {held.because}.")
        for name, value in self._kind.incomplete.items():
            if follow(there, name) == value:
                raise ConflictError(f"The service did not show all of it ({name} is {value}).")
        return shown

    def _get(self, record: Record) -> dict[str, object]:
        given = get_arguments(record, each=self._each)
        return given | {self._row.key: record.key} if self._row.key else given

    def _locate_given(self, record: Record) -> str:
        given = self._get(record)
        return "" if {*self._names} - given.keys() else self._build_address(given)

    def _locate_returned(self, record: Record, result: object) -> str:
        found = follow(_read_data(result), self._kind.path_in_answer)
        *parents, own = self._names
        given = self._get(record)
        named = follow(found, self._kind.id) if isinstance(found, Mapping) else None
        if named is None or {*parents} - given.keys():
            return ""
        return self._build_address(given | {own: named})

    def _locate(self, record: Record) -> str:
        if isinstance(record.before, dict) or record.key in self._made:
            return super()._locate(record)
        return self._locate_returned(record, record.result)

    @property
    def _names(self) -> list[str]:
        return [*list_places(self._kind.read)]

    def _build_address(self, given: Mapping[str, object]) -> str:
        return self.place.rstrip("/") + fill_path(self._kind.read, given)

    def _is_about(self, record: Record, request: httpx.Request) -> bool:
        given, (method, path) = self._get(record), self._row.send.split(" ", 1)
        wanted = httpx.URL(self.place.rstrip("/") + fill_path(path, given)).raw_path
        if request.method != method or request.url.raw_path.partition(b"?")[0] != wanted:
            return False
        body = parse_content(request.content)
        named = {self._table.spell(name): given.get(name) for name in self._names}
        return not isinstance(body, Mapping) or all(
            body[name] == value for name, value in named.items() if name in body
        )

    def _find_made(self, record: Record, answer: httpx.Response) -> str:
        return self._locate_returned(record, _read_json(answer))

    def _is_confirmed(self, record: Record, answer: httpx.Response, url: str) -> bool:  # noqa: ARG002
        return bool(url) or isinstance(record.before, dict)

    @contextmanager
    def _enter(
        self, records: Sequence[Record], *, refusals: Refusals, created: frozenset[int] | None
    ) -> Iterator[None]:
        """Each element of a bulk goes under its own condition."""
        if not self._each:
            with super()._enter(records, refusals=refusals, created=created):
                yield
            return
        together = Composition([{"around": None}] * len(records))
        with carry(read_context().put(Composition, together)), ExitStack() as stack:
            for record in records:
                one = super()._enter([record], refusals=refusals, created=created)
                stack.enter_context(one)
            yield

    def _remember(
        self, record: Record, exchange: CallRequests, *, created: frozenset[int] | None
    ) -> None:
        # Of a tool that sends by a client of its own, only what it returns tells what it has left.
        if not exchange.sent:
            return
        super()._remember(record, exchange, created=created)
        left = self._made[record.key]
        if self._each:
            # What the other elements have written to is theirs.
            left = replace(left, others=())
            self._keep(record, left)
        if self._row.key and left.written and isinstance(left.written.sent, Mapping):
            sent = {**self._kind.defaults, **self._strip(left.written.sent)}
            self._keep(record, replace(left, written=replace(left.written, sent=sent)))
        answers = [each for each in exchange.answers if self._is_about(record, each.request)]
        if answers and answers[-1].is_success and not self._is_alone(record, answers[-1]):
            # Somebody has changed it between the look and the call, and was not told of it.
            self._keep(record, replace(self._made[record.key], untold=True))

    def _is_alone(self, record: Record, answer: httpx.Response) -> bool:
        """Whether all that a change was not to touch is as it was before it."""
        before = parse_shown(cast("Shown | None", record.before))
        now = self._project(record, _read_json(answer))
        if answer.request.method == "PUT" or not (before and isinstance(now, Mapping)):
            return True
        was, sent = cast("Mapping[str, Any]", before), parse_content(answer.request.content)
        touched = {*sent} if isinstance(sent, Mapping) else set()
        given = self._get(record)
        for name, argument in self._row.members.items():
            there, told = {*(was.get(name) or ())}, _as_set(given.get(argument))
            expected = there - told if answer.request.method == "DELETE" else there | told
            if {*(now.get(name) or ())} != expected:
                return False
            touched.add(name)
        return all(is_equal(was.get(n), now.get(n)) for n in {*was, *now} - touched)

    def _read(self, record: Record) -> Shown:
        shown = cast("Shown", super()._read(record))
        if self._row.moves and shown["at"] == ABSENT:
            given = self._get(record)
            moved = given | {self._row.moves: given[self._row.moves_to]}
            there = self._ask("GET", self._build_address(moved), check=self._show)
            return shown if there["at"] == ABSENT else there
        return shown

    def _is_same(self, before: object, now: object) -> bool:
        if not (isinstance(before, dict) and isinstance(now, dict)):
            return is_same_content(before, now)
        return is_same_content(before, now) and (not self._row.moves or before["url"] == now["url"])

    def _show(self, answer: httpx.Response) -> Shown:
        if not self._is_home(answer.url):
            raise ConfigurationError(f"{answer.url.host} is another server, and is not asked.")
        url, content = str(answer.url), None
        if answer.status_code not in (404, 410):
            answer.raise_for_status()
            content = self._take(answer)
        if content is None or self._is_gone(content):
            return Shown(url=url, at=ABSENT, kind="", text="", base64="", given=[])
        at, plain = follow(content, self._kind.version), self._strip(content)
        if self._has_parts(content):
            parts = self._read_parts(answer, content)
            plain[PARTS] = {name: self._strip(part) for name, part in parts.items()}
            at = f"{at}{_MARK}{_digest(plain[PARTS])}"
        text = json.dumps(plain, sort_keys=True)
        shown_at = str(at) if self._kind.version else _digest(plain)
        return Shown(url=url, at=shown_at, kind="", text=text, base64="", given=[])

    def _take(self, answer: httpx.Response) -> Mapping[str, Any] | None:
        """The object in the answer to a read."""
        found = follow(answer.json(), self._kind.take)
        for field, parameter in self._kind.match.items():
            wanted = answer.url.params.get(parameter)
            found = next((each for each in found or () if str(follow(each, field)) == wanted), None)
        return found if isinstance(found, Mapping) else None

    def _is_gone(self, content: Mapping[str, Any]) -> bool:
        gone = self._kind.gone
        return bool(gone) and all(content.get(name) == value for name, value in gone.items())

    def _strip(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """What of an object people write, and can be put back."""
        kind = self._kind
        if kind.keep:
            return {name: follow(content, path) for name, path in kind.keep.items()}
        return {name: value for name, value in content.items() if name not in kind.own}

    def _has_parts(self, content: Mapping[str, Any]) -> bool:
        parts = self._kind.parts
        return parts is not None and bool(content.get(parts.when)) and not self._row.moves

    def _read_parts(
        self, answer: httpx.Response, content: Mapping[str, Any]
    ) -> dict[str, Mapping[str, Any]]:
        """Other objects that belong to this one, by their ids, the deleted ones too."""
        parts = self._kind.parts
        if parts is None:
            return {}
        named = self._parse_address(str(answer.url)) | {"ical_uid": content.get("iCalUID")}
        url = self.place.rstrip("/") + fill_path(parts.read, named)
        found = self._ask("GET", url, check=_read_done)
        listed = follow(found, parts.take) or ()
        return {each["id"]: each for each in listed if each.get(parts.of) == content.get("id")}

    def _parse_address(self, url: str) -> dict[str, object]:
        """What names an object, from the address that shows it."""
        said = re.escape(self._kind.read)
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/?&]*)", said)
        pattern = re.sub(r"\\\{\\\+(\w+)\\\}", r"(?P<\1>[^?&]*)", pattern)
        found = re.search(f"{pattern}$", url)
        return {name: unquote(value) for name, value in (found or _NOWHERE).groupdict().items()}

    def _find_etag(self, answer: httpx.Response) -> str | None:
        found = follow(_read_json(answer), self._kind.path_in_answer)
        if not self._etags or not isinstance(found, Mapping) or self._has_parts(found):
            return None
        return cast("str | None", follow(found, self._kind.version))

    def _read_written(
        self, record: Record, request: httpx.Request, answer: httpx.Response
    ) -> SentWrite:
        written = read_written(request, None)
        return SentWrite(
            method=written.method,
            sent=written.sent,
            answered=self._project(record, _read_json(answer)),
        )

    def _project(self, record: Record, result: object) -> object:
        """What was answered, as a read shows it."""
        found = follow(_read_data(result), self._kind.path_in_answer)
        if isinstance(found, list) and self._kind.lists:
            found = {self._kind.lists: found}
        if not isinstance(found, Mapping):
            return NOTHING
        plain = self._strip(found)
        if self._has_parts(found):
            before = parse_shown(cast("Shown | None", record.before))
            plain[PARTS] = follow(before, PARTS) or {}
        return plain

    def _read_version(self, record: Record, *, deletes: bool = False) -> object:
        left = self._made.get(record.key)
        if self._row.sole and not is_shown(record.result):
            # Refused or unanswered, what is there may be somebody else's work.
            told = left is None or not (left.lost or left.refused)
            return self._read(record)["at"] if told else None
        if is_shown(record.result) or left is not None:
            return super()._read_version(record, deletes=deletes)
        return self._judge_returned(record, deletes=deletes)

    def _judge_returned(self, record: Record, *, deletes: bool) -> str | None:
        """The version that is there after a call of which only what it has returned is known."""
        url = self._locate(record)
        if not url:
            return None
        now = self._read(record) if self._row.moves else self._ask("GET", url, check=self._show)
        if now["at"] == ABSENT or deletes:
            return ABSENT if deletes and now["at"] == ABSENT else None
        there, before = parse_shown(now), parse_shown(cast("Shown | None", record.before))
        answered = self._project(record, record.result)
        # Some objects of client libraries still show what was there before.
        silent = answered is NOTHING or is_equal(answered, before)
        told = (silent or is_equal(answered, there)) and _accounts(self._get(record), before, there)
        return now["at"] if told else None

    def _probe_key(self, record: Record) -> object:
        """What a call without an answer has made: nobody else knows its id."""
        shown = self._read(record)
        if shown["at"] == ABSENT:
            return None
        there = cast("dict[str, Any]", parse_shown(shown))
        if record.key not in self._made:
            self._keep(record, Left(url=shown["url"]))
        return there | {self._kind.id: record.key}

    def _undo(self, record: Record) -> None:
        """Send what the table has for it, under the version that the call has left."""
        row, before = self._row, cast("Shown | None", record.before)
        if record.version is None or row.undo is None:
            raise ConflictError("The version that the call left is unknown.")
        was_there = before is not None and before["at"] != ABSENT
        if bool(row.key or row.makes or row.adds) is was_there and not row.sole:
            raise ConflictError("What was there before the call is not what an undo would leave.")
        url = self._require_place(record)
        content = dict(cast("dict[str, Any]", parse_shown(before))) if was_there else {}
        parts = content.pop(PARTS, {})
        values = self._parse_address(url) | self._get(record) | {"before": content}
        values["version"] = record.version
        self._send_undo(row.undo.send, values, body=row.undo.body, headers=self._bind_undo(record))
        if row.deletes and parts:
            self._restore_parts(row.undo.send, values, parts)

    def _bind_undo(self, record: Record) -> dict[str, str]:
        """The condition of an undo. Of what was deleted, it is what the service still has of it."""
        if record.version != ABSENT:
            return self._build_condition(str(record.version))
        answer = self._ask("GET", self._require_place(record), check=lambda answer: answer)
        if self._show(answer)["at"] != ABSENT:
            raise ConflictError("It is there again.")
        found = self._take(answer) if answer.is_success else None
        return self._build_condition(str(follow(found, self._kind.version))) if found else {}

    def _build_condition(self, at: str) -> dict[str, str]:
        if at == ABSENT or self._kind.binds != "header":
            return {}
        return {"If-Match": at.partition(_MARK)[0]}

    def _send_undo(
        self, send: str, values: Mapping[str, object], *, body: object, headers: dict[str, str]
    ) -> None:
        method, path = send.split(" ", 1)
        more = {} if body is None else {"json": fill(body, values)}
        url = self.place.rstrip("/") + fill_path(path, values)
        self._ask(method, url, check=require_done, headers=headers, **more)

    def _restore_parts(
        self, send: str, values: Mapping[str, object], parts: Mapping[str, Mapping[str, Any]]
    ) -> None:
        """Bring back the parts that went with the object, and no others."""
        own = self._names[-1]
        for name, was in parts.items():
            given = {**values, own: name, "before": was}
            answer = self._ask("GET", self._build_address(given), check=lambda answer: answer)
            found = self._take(answer) if answer.is_success else None
            if found is None or not self._is_gone(found) or self._is_gone(was):
                continue
            bound = self._build_condition(str(follow(found, self._kind.version)))
            body = self._row.undo.body if self._row.undo else None
            self._send_undo(send, given, body=body, headers=bound)

    def _ask(
        self, way: str, url: str, *, check: Callable[[httpx.Response], Any], **more: Any
    ) -> Any:
        return super()._ask(way, url, check=check, **more)


class _TokenAuth(httpx.Auth):
    """Asks for the token with each request, and keeps none."""

    def __init__(self, find: Callable[[], str]) -> None:
        self._find = find

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        request.headers["Authorization"] = f"Bearer {self._find()}"
        yield request


class Service:
    """One account at a service: its tools, and what to declare of your own."""

    def __init__(self, table: ServiceTable, client: httpx.Client) -> None:
        self.table, self._client = table, client
        client.event_hooks = {
            **client.event_hooks,
            "response": [self._read_error, *client.event_hooks.get("response", ())],
        }

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()

    def list_operations(self) -> list[str]:
        """The names of all operations."""
        return list(self.table.operations)

    def tools(self, m: Declares, *, only: Collection[str] = ()) -> list[ToolFunction]:
        """The tools to hand to an agent, declared with an application; `only`: those named."""
        named = only or self.list_operations()
        return [
            m.tool(**self.declare(name, heard=True))(self.build_function(name)) for name in named
        ]

    def __getattr__(self, name: str) -> Callable[..., Declared]:
        """What to declare of your own function: `m.tool(**service.update_event())`."""
        if name.startswith("_"):
            # Asked of one that is being copied, and has no table yet.
            raise AttributeError(name)
        if name not in self.table.operations:
            raise AttributeError(f"{self.table.title} has no operation {name!r}.")
        return partial(self.declare, name)

    def declare(self, name: str, *, heard: bool = False, **more: Any) -> Declared:
        """What is declared of a tool of an operation.

        `heard`: it sends through the client of this service. `more` is added as it is, such as
        `if_version="if_match"`, where your function takes the version of the snapshot.
        """
        row, server = self.table.operations[name], str(self._client.base_url)
        each = ""
        if row.each:
            [each] = row.needs
            row = self.table.operations[row.each]
        if row.reads:
            declared = Declared(effect=Effect.READ, server=server)
        elif row.undo is None:
            declared = Declared(effect=Effect.IRREVERSIBLE, describe=row.says, server=server)
        else:
            rows = Rows(self._client, row, table=self.table, each=each)
            declared = rows.declare(heard=heard)
        return cast("Declared", {**declared, **more})

    def build_function(self, name: str) -> ToolFunction:
        """The function of an operation, with its types and its description."""
        row, table = self.table.operations[name], self.table

        def call(*args: Any, **given: Any) -> Any:
            bound = signature.bind(*args, **given).arguments
            values = {name: value for name, value in bound.items() if value is not None}
            if row.each:
                [many] = values.values()
                return [self._send(table.operations[row.each], each) for each in many]
            return self._send(row, values)

        signature = _build_signature(table, row)
        lines = [f"{each}: {table.describe(each)}" for each in (*row.needs, *row.takes)]
        call.__name__ = call.__qualname__ = name
        call.__doc__ = "\n".join([row.says, "", *lines])
        call.__signature__ = signature  # type: ignore[attr-defined]
        hints = {each.name: each.annotation for each in signature.parameters.values()}
        call.__annotations__ = {**hints, "return": Any}
        return call

    @property
    def base_url(self) -> httpx.URL:
        """Where the service is."""
        return self._client.base_url

    def read(self, path: str) -> object:
        """What the service shows at a path."""
        return _read_json(self._client.get(path).raise_for_status())

    def look(self, row: Operation, given: Mapping[str, Any]) -> object:
        """What an operation is about, as far as people write it; `None` where it is not there."""
        return Rows(self._client, row, table=self.table, each="").look(given)

    def find_version(self, row: Operation, given: Mapping[str, Any]) -> str:
        """At which version it is now."""
        return Rows(self._client, row, table=self.table, each="").find_version(given)

    def read_id(self, name: str, made: object) -> object:
        """The id in what an operation has answered."""
        kind = self.table.objects[self.table.operations[name].object]
        return follow(follow(made, kind.path_in_answer), kind.id)

    def _send(self, row: Operation, given: Mapping[str, Any]) -> Any:
        table = self.table
        if row.key and row.key not in given:
            given = {**given, row.key: uuid.uuid4().hex}
        method, path = row.send.split(" ", 1)
        url = httpx.URL(str(self._client.base_url).rstrip("/") + fill_path(path, given))
        query = {table.spell(name): given[name] for name in row.query if name in given}
        placed = {*list_places(path), *row.query, row.key}
        given = {name: value for name, value in given.items() if value != ABSENT}
        body = {table.spell(name): value for name, value in given.items() if name not in placed}
        if row.key:
            body[table.objects[row.object].id] = given[row.key]
        if row.body is not None:
            body = fill(row.body, given)
        more: dict[str, Any] = {"json": body} if body and method != "GET" else {}
        answer = self._client.request(method, url.copy_merge_params(query), **more)
        answer.raise_for_status()
        return _read_json(answer) or {}

    def _read_error(self, answer: httpx.Response) -> None:
        """Have an answer that says in its body that it failed have the status of that."""
        if not self.table.errors or not answer.is_success:
            return
        answer.read()
        said = _read_json(answer)
        if isinstance(said, Mapping) and said.get("ok") is False:
            answer.status_code = self.table.errors.get(str(said.get("error")), 400)


def connect(
    name: str,
    *,
    token: str | Callable[[], str],
    base_url: str = "",
    client: httpx.Client | None = None,
) -> Service:
    """An account at a service, such as `google-calendar`.

    `token`: the name of an environment variable, or a function that returns the token. It is asked
    for with each request, and never kept. `client`: an `httpx.Client` of your own instead.
    """
    table = load_table(name)
    return Service(table, client or build_client(table, token, base_url=base_url))


def build_client(
    table: ServiceTable,
    token: str | Callable[[], str],
    *,
    base_url: str = "",
    transport: httpx.BaseTransport | None = None,
) -> httpx.Client:
    """A client that asks for its token with each request."""
    find = token if callable(token) else partial(_read_variable, token)
    return httpx.Client(
        base_url=base_url or table.base_url,
        headers=table.headers,
        auth=_TokenAuth(find),
        timeout=30,
        transport=transport,
    )


def _read_variable(name: str) -> str:
    value = os.environ.get(name)
    if not value:
        raise ConfigurationError(f"The environment has no {name}. Set it to the service's token.")
    return value


def _build_signature(table: ServiceTable, row: Operation) -> inspect.Signature:
    kinds = inspect.Parameter
    made = [kinds(n, kinds.POSITIONAL_OR_KEYWORD, annotation=table.read_type(n)) for n in row.needs]
    for name in (*row.takes, *filter(None, [row.key, row.bound_by])):
        hint = table.read_type(name) | None
        made.append(kinds(name, kinds.KEYWORD_ONLY, default=None, annotation=hint))
    return inspect.Signature(made)


def _accounts(given: Mapping[str, object], before: object, now: object) -> bool:
    """Whether a call was given all that differs, at whatever depth."""
    told = [*_list_leaves(given)]
    was = before if isinstance(before, Mapping) else {}
    there = now if isinstance(now, Mapping) else {}
    return all(
        any(each == leaf or is_rewritten(leaf, each) for leaf in told)
        for name in {*was, *there}
        if not is_equal(was.get(name), there.get(name)) and before is not None
        for each in set(map(_freeze, _list_leaves(there.get(name))))
        - set(map(_freeze, _list_leaves(was.get(name))))
    )


def _as_set(value: object) -> set[object]:
    return {*value} if isinstance(value, list | tuple) else {value}


def _list_leaves(value: object) -> Iterator[object]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for each in value:
            yield from _list_leaves(each)
    else:
        yield value


def _freeze(value: object) -> object:
    return value if isinstance(value, str | int | float | None) else str(value)


def _read_data(result: object) -> object:
    """What a client library's object was made of."""
    for name in ("raw_data", "data"):
        found = None if isinstance(result, Mapping) else getattr(result, name, None)
        if isinstance(found, Mapping):
            return found
    return result


def _read_json(answer: httpx.Response) -> object:
    try:
        return answer.json()
    except (ValueError, httpx.StreamError):
        return None


def _read_done(answer: httpx.Response) -> object:
    return answer.raise_for_status().json()


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


_NOWHERE = cast("re.Match[str]", re.match("", ""))
