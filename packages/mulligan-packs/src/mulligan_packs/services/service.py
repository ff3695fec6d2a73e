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
from base64 import b64encode
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from enum import Enum
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
from mulligan.types.values import read_fields
from mulligan_packs.compose import Composition
from mulligan_packs.http.exchange import CallRequests
from mulligan_packs.http.fields import NOTHING, is_equal, is_rewritten
from mulligan_packs.http.refusals import Refusals, require_done
from mulligan_packs.http.resource import Left, Resource, read_body
from mulligan_packs.http.shown import ABSENT, Shown, is_same_content, is_shown, parse_shown
from mulligan_packs.http.written import SentWrite, parse_sent, read_written
from mulligan_packs.services.table import (
    KEY,
    ObjectKind,
    Operation,
    ServiceTable,
    WayBack,
    drop,
    fill,
    fill_path,
    follow,
    get_arguments,
    list_places,
    load_table,
)

PARTS = "(parts)"
"""Where the content of an object has that of its parts."""
_MARK = " "
"""Between the version of an object and that of its parts: no version has one in it."""
_RETURNED = (
    "the tool returning what the service has answered, and its parameters having the names of the "
    "table: nothing else says what it has left"
)
_UNBOUND = "an edit between the look before a call and the call itself: it is not noticed there"


class Rows(Resource):
    """All calls of one operation."""

    def __init__(
        self,
        client: httpx.Client,
        row: Operation,
        *,
        table: ServiceTable,
        bulk: Operation | None = None,
    ) -> None:
        self._row, self._table, self._bulk = row, table, bulk
        self._request = bulk.send if bulk and bulk.each_is else row.send
        self._kind: ObjectKind = table.objects[row.object]
        super().__init__(
            client,
            self._kind.read,
            etags=bool(self._kind.binds),
            lands_within=table.lands_within,
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
        if row.key and not row.makes:
            declared |= Declared(probe=self._probe_key, probe_by=ProbeBy.CALL)
        if self._table.key_header and heard and self._table.find_key(row):
            declared |= Declared(repeat=Repeat.KEYED, key=KEY)
        if row.bound_by and heard:
            declared["if_version"] = row.bound_by
        if row.makes:
            declared |= Declared(read=self._read_made, about=self._name_made)
            del declared["before"]
        if self._bulk:
            declared["each"] = self._bulk.needs[0]
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
            found = follow(there, name)
            if found == value or (isinstance(found, list) and value in found):
                raise ConflictError(f"The service did not show all of it ({name} is {value}).")
        return shown

    def _get(self, record: Record) -> dict[str, object]:
        given = get_arguments(record, bulk=self._bulk)
        return given | {self._row.key: record.key} if self._row.key else given

    def _locate_given(self, record: Record) -> str:
        given = self._get(record)
        return "" if {*self._names} - given.keys() else self._build_address(given)

    def _locate_returned(self, record: Record, result: object) -> str:
        found = follow(_read_data(result, self._table.spell), self._kind.path_in_answer)
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
        given, (method, path) = self._get(record), self._request.split(" ", 1)
        wanted = httpx.URL(self.place.rstrip("/") + fill_path(path.partition("?")[0], given))
        there = request.url.raw_path.partition(b"?")[0]
        if request.method != method or there != wanted.raw_path:
            return False
        body = parse_sent(request)
        named = {self._table.spell(name): given.get(name) for name in self._names}
        return not isinstance(body, Mapping) or all(
            body[name] == value for name, value in named.items() if name in body
        )

    def _find_made(self, record: Record, answer: httpx.Response) -> str:
        return self._locate_returned(record, read_body(answer))

    def _is_confirmed(self, record: Record, answer: httpx.Response, url: str) -> bool:  # noqa: ARG002
        return bool(url) or isinstance(record.before, dict)

    @contextmanager
    def _enter(
        self, records: Sequence[Record], *, refusals: Refusals, created: frozenset[int] | None
    ) -> Iterator[None]:
        """Each element of a bulk goes under its own condition."""
        if not self._bulk:
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
        if self._bulk:
            # What the other elements have written to is theirs.
            left = replace(left, others=())
            self._keep(record, left)
        sent = self._find_sent(record, left.written.sent) if left.written else None
        if left.written and sent is not None:
            self._keep(record, replace(left, written=replace(left.written, sent=sent)))
        answers = [each for each in exchange.answers if self._is_about(record, each.request)]
        if answers and answers[-1].is_success and not self._is_alone(record, answers[-1]):
            # Somebody has changed it between the look and the call, and was not told of it.
            self._keep(record, replace(self._made[record.key], untold=True))

    def _find_sent(self, record: Record, sent: object) -> Mapping[str, object] | None:
        """What a write has asked for, as a read shows it, where that is not what it has sent."""
        if (self._row.key or self._row.makes) and isinstance(sent, Mapping):
            return {**self._kind.defaults, **self._strip(sent)}
        before = parse_shown(cast("Shown | None", record.before))
        if not isinstance(before, Mapping) or not (self._row.members or self._row.without):
            return None
        return {
            name: sorted({*(before.get(name) or ()), *added} - taken)
            for name, (added, taken) in self._list_members(record).items()
        }

    def _list_members(self, record: Record) -> dict[str, tuple[set[object], set[object]]]:
        """By the field that holds a list, what a call adds to it, and what it takes from it."""
        given, row = self._get(record), self._row
        return {
            name: (_name_members(row.members, name, given), _name_members(row.without, name, given))
            for name in {*row.members, *row.without}
        }

    def _is_alone(self, record: Record, answer: httpx.Response) -> bool:
        """Whether all that a change was not to touch is as it was before it."""
        before = parse_shown(cast("Shown | None", record.before))
        now = self._project(record, read_body(answer))
        if answer.request.method == "PUT" or not (before and isinstance(now, Mapping)):
            return True
        was, sent = cast("Mapping[str, Any]", before), parse_sent(answer.request)
        given = self._get(record)
        touched = {*(sent if isinstance(sent, Mapping) else ()), *map(self._table.spell, given)}
        for name, some in self._list_fields(given):
            if not is_equal(_without(was.get(name), some), _without(now.get(name), some)):
                return False
        if not self._keeps_others(record, was, now):
            return False
        touched.update(self._list_members(record), self._row.touches)
        return all(is_equal(was.get(n), now.get(n)) for n in {*was, *now} - touched)

    def _keeps_others(self, record: Record, was: object, now: object) -> bool:
        """Whether a list still has all that a call was not to touch, and nothing more of that."""
        return all(
            _as_set(follow(was, name) or ()) - added - taken
            == _as_set(follow(now, name) or ()) - added - taken
            for name, (added, taken) in self._list_members(record).items()
        )

    def _list_fields(
        self, given: Mapping[str, object]
    ) -> Iterator[tuple[str, Mapping[str, object]]]:
        """The arguments that name only some fields of what is there."""
        for name, value in given.items():
            if isinstance(value, Mapping) and self._table.is_fields(name):
                yield self._table.spell(name), value

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
        return bool(gone) and all(
            value in _as_set(content.get(name)) for name, value in gone.items()
        )

    def _strip(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """What of an object people write, and can be put back."""
        kind, kept = self._kind, dict(content)
        if kind.keep:
            kept = {name: follow(content, path) for name, path in kind.keep.items()}
            kept |= {name: sorted(kept[name] or ()) for name in kind.sets}
            kept = {n: kind.defaults.get(n) if v is None else v for n, v in kept.items()}
        for path in kind.own:
            kept = drop(kept, path)
        return kept

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
        listed: list[Mapping[str, Any]] = []
        for read in parts.read:
            url = self.place.rstrip("/") + fill_path(read, named)
            listed += follow(self._ask("GET", url, check=_read_done), parts.take) or ()
        return {each["id"]: each for each in listed if follow(each, parts.of) == content.get("id")}

    def _parse_address(self, url: str) -> dict[str, object]:
        """What names an object, from the address that shows it."""
        said = re.escape(self._kind.read)
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/?&]*)", said)
        pattern = re.sub(r"\\\{\\\+(\w+)\\\}", r"(?P<\1>[^?&]*)", pattern)
        found = re.search(f"{pattern}$", url)
        return {n: unquote(value) for n, value in (found.groupdict() if found else {}).items()}

    def _find_etag(self, answer: httpx.Response) -> str | None:
        return self._find_version(read_body(answer))

    def _find_version(self, result: object) -> str | None:
        """The version in what a write was answered."""
        found = follow(_read_data(result, self._table.spell), self._kind.path_in_answer)
        if not isinstance(found, Mapping) or self._has_parts(found):
            return None
        version = follow(found, self._kind.version) if self._kind.version else None
        return None if version is None else str(version)

    def _read_written(
        self, record: Record, request: httpx.Request, answer: httpx.Response
    ) -> SentWrite:
        written = read_written(request, None)
        return SentWrite(
            method=written.method,
            sent=written.sent,
            answered=self._project(record, read_body(answer)),
        )

    def _project(self, record: Record, result: object) -> object:
        """What was answered, as a read shows it."""
        found = follow(_read_data(result, self._table.spell), self._kind.path_in_answer)
        if isinstance(found, list) and self._kind.lists:
            found = {self._kind.lists: found}
        if not isinstance(found, Mapping):
            return NOTHING
        plain = self._strip(found)
        if self._has_parts(found):
            before = parse_shown(cast("Shown | None", record.before))
            plain[PARTS] = follow(before, PARTS) or {}
        return plain

    def _find_left(
        self, record: Record, answer: httpx.Response, *, left: Left, deletes: bool
    ) -> str | None:
        parts, written = self._kind.parts, left.written
        if written is not None and self._row.makes and parts and parts.by:
            there = parse_shown(self._show(answer))
            adopted = self._adopt_parts(written.answered, there, by=parts.by)
            left = replace(left, written=replace(written, answered=adopted))
        return super()._find_left(record, answer, left=left, deletes=deletes)

    def _adopt_parts(self, answered: object, there: object, *, by: str) -> object:
        """What was answered, with the parts that whoever made it has written."""
        found = follow(there, PARTS) or {}
        own = follow(there, by)
        if isinstance(answered, Mapping) and all(each[by] == own for each in found.values()):
            return {**answered, PARTS: found}
        return answered

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
        answered, parts = self._project(record, record.result), self._kind.parts
        if self._row.makes and parts and parts.by:
            answered = self._adopt_parts(answered, there, by=parts.by)
        # Some objects of client libraries still show what was there before.
        silent = answered is NOTHING or is_equal(answered, before)
        shown = is_equal(answered, there) or now["at"] == self._find_version(record.result)
        if silent and before is not None and self._list_members(record):
            told = is_equal(there, self._find_sent(record, None))
        elif self._list_members(record):
            told = shown and self._keeps_others(record, before, there)
        else:
            told = (silent or shown) and _accounts(
                self._get(record), before, there, apart=self._row.touches
            )
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
        values = self._get(record) | self._parse_address(url)
        values["before"] = content
        if was_there and row.undo.body != "{before}":
            values["before"] = self._choose_before(content, self._get(record))
        values["version"] = record.version
        if row.undo.find is not None:
            values["found"] = self._find_way_back(row.undo.find, values)
        if " - now." in str(row.undo.body):
            values["now"] = self._ask("GET", url, check=partial(self._show_left, record))
            if is_equal(values["now"], content):
                return
        self._send_undo(row.undo.send, values, body=row.undo.body, headers=self._bind_undo(record))
        if row.deletes and parts:
            self._restore_parts(row.undo.send, values, parts)

    def _find_way_back(self, find: WayBack, values: Mapping[str, object]) -> object:
        url = self.place.rstrip("/") + fill_path(find.read, values)
        wanted = fill(find.value, values)
        for each in follow(self._ask("GET", url, check=_read_done), find.take) or ():
            if follow(each, find.field) == wanted:
                return each
        raise ConflictError(f"The service has no way back: {find.field} {wanted} is not offered.")

    def _show_left(self, record: Record, answer: httpx.Response) -> object:
        """What the call has left, and nobody has changed."""
        now = self._show(answer)
        if now["at"] != record.version:
            raise ConflictError("It was changed since.")
        return parse_shown(now)

    def _choose_before(
        self, content: Mapping[str, Any], given: Mapping[str, object]
    ) -> dict[str, Any]:
        """What was there, but for fields that the call could have changed and has not."""
        could = {self._table.spell(name) for name in (*self._row.needs, *self._row.takes)}
        chosen = {name: value for name, value in content.items() if name not in could}
        chosen |= {name: content.get(name) for name in could & {*map(self._table.spell, given)}}
        for name, some in self._list_fields(given):
            was = chosen[name] or {}
            chosen[name] = {each: was.get(each) for each in some}
        return chosen

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
        more = {} if body is None else self._table.write_body(fill(body, values))
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


def _authorize(find_token: Callable[[], str], request: httpx.Request) -> httpx.Request:
    """Ask for the token with each request, and keep none."""
    token = find_token()
    # A bearer token has no colon in it (RFC 6750); a user with a password has.
    basic = ":" in token
    said = b64encode(token.encode()).decode() if basic else token
    request.headers["Authorization"] = f"{'Basic' if basic else 'Bearer'} {said}"
    return request


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

    def tools(self, m: Declares, *, only: Collection[str] = ()) -> list[ToolFunction]:
        """The tools to hand to an agent, declared with an application; `only`: those named."""
        named = only or self.table.operations
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
        bulk = row if row.each else None
        if bulk:
            row = self.table.operations[bulk.each]
        if row.reads:
            declared = Declared(effect=Effect.READ, server=server)
        elif row.undo is None:
            declared = Declared(effect=Effect.IRREVERSIBLE, describe=row.says, server=server)
        else:
            rows = Rows(self._client, row, table=self.table, bulk=bulk)
            declared = rows.declare(heard=heard)
        return cast("Declared", {**declared, **more})

    def build_function(self, name: str) -> ToolFunction:
        """The function of an operation, with its types and its description."""
        row, table = self.table.operations[name], self.table

        def call(*args: Any, **given: Any) -> Any:
            bound = signature.bind(*args, **given).arguments
            values = {name: value for name, value in bound.items() if value is not None}
            if row.each and not row.each_is:
                each = table.operations[row.each]
                return [self._send(each, one) for one in table.list_elements(row, values)]
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
        return read_body(self._client.get(path).raise_for_status())

    def look(self, row: Operation, given: Mapping[str, Any]) -> object:
        """What an operation is about, as far as people write it; `None` where it is not there."""
        return Rows(self._client, row, table=self.table).look(given)

    def find_version(self, row: Operation, given: Mapping[str, Any]) -> str:
        """At which version it is now."""
        return Rows(self._client, row, table=self.table).find_version(given)

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
        placed = {*list_places(path), *row.query, row.key, KEY}
        given = {name: value for name, value in given.items() if value != ABSENT}
        body = {table.spell(name): value for name, value in given.items() if name not in placed}
        if row.key:
            named = table.spell(row.key) if row.makes else table.objects[row.object].id
            body[named] = given[row.key]
        if row.body is not None:
            body = fill(row.body, given)
        more = table.write_body(body) if body and method != "GET" else {}
        if table.key_header and KEY in given:
            more["headers"] = {table.key_header: given[KEY]}
        answer = self._client.request(method, url.copy_merge_params(query), **more)
        answer.raise_for_status()
        return read_body(answer) or {}

    def _read_error(self, answer: httpx.Response) -> None:
        """Have an answer that says in its body that it failed have the status of that."""
        if not self.table.errors or not answer.is_success:
            return
        answer.read()
        said = read_body(answer)
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
        auth=partial(_authorize, find),
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
    for name in (*row.takes, *filter(None, [table.find_key(row), row.bound_by])):
        hint = table.read_type(name) | None
        made.append(kinds(name, kinds.KEYWORD_ONLY, default=None, annotation=hint))
    return inspect.Signature(made)


def _accounts(
    given: Mapping[str, object], before: object, now: object, *, apart: Collection[str]
) -> bool:
    """Whether a call was given all that differs, at whatever depth; `apart` from some fields."""
    told = [*list_leaves(given)]
    was = before if isinstance(before, Mapping) else {}
    there = now if isinstance(now, Mapping) else {}
    return all(
        any(each == leaf or is_rewritten(leaf, each) for leaf in told)
        for name in {*was, *there} - {*apart}
        if not is_equal(was.get(name), there.get(name)) and before is not None
        for each in set(map(_freeze, list_leaves(there.get(name))))
        - set(map(_freeze, list_leaves(was.get(name))))
    )


def _without(value: object, names: Collection[str]) -> object:
    if not isinstance(value, Mapping):
        return value
    return {name: each for name, each in value.items() if name not in names}


def _as_set(value: object) -> set[object]:
    return {*value} if isinstance(value, list | tuple) else {value}


def _name_members(
    said: Mapping[str, str | tuple[str, ...]], name: str, given: Mapping[str, object]
) -> set[object]:
    values = said.get(name, ())
    return _as_set(given.get(values, ())) if isinstance(values, str) else {*values}


def list_leaves(value: object) -> Iterator[object]:
    """All values in a value, at whatever depth."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for each in value:
            yield from list_leaves(each)
    else:
        yield value


def _freeze(value: object) -> object:
    return value if isinstance(value, str | int | float | None) else str(value)


def _read_data(result: object, spell: Callable[[str], str]) -> object:
    """What a client library's object was made of."""
    for name in ("raw_data", "data"):
        found = None if isinstance(result, Mapping) else getattr(result, name, None)
        if isinstance(found, Mapping):
            return found
    return result if read_fields(result) is None else _read_model(result, spell)


def _read_model(value: object, spell: Callable[[str], str]) -> object:
    """An object with fields as the service writes it: what it has no field for stands apart."""
    if isinstance(value, list):
        return [_read_model(each, spell) for each in value]
    said = read_fields(value)
    if said is None:
        plain = value.value if isinstance(value, Enum) else value
        return plain if isinstance(plain, str | int | float | dict) else str(plain)
    more = said.pop("additional_data", None) or {}
    own = {n: v for n, v in said.items() if v is not None and not n.startswith("_")}
    return {spell(name): _read_model(each, spell) for name, each in own.items()} | more


def _read_done(answer: httpx.Response) -> object:
    return answer.raise_for_status().json()


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
