"""A REST resource: read before, written under its ETag, put back under ours."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64decode, b64encode
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypedDict, TypeVar, cast
from urllib.parse import quote

import httpx

from mulligan.core.effect import Effect, ProbeBy
from mulligan.core.errors import ConfigurationError, ConflictError
from mulligan.core.record import Record, Told
from mulligan.packs.http.exchange import REFUSED, CallRequests, enter_exchange, listen
from mulligan.turns.tools.declaration import Declared

ABSENT = "absent"
"""The version of what is not there."""
MOST = 10_000
"""Calls of which it is remembered what they made, until that is written down."""
T = TypeVar("T")


class Shown(TypedDict):
    """What a resource is, as its server shows it."""

    url: str
    at: str
    """Its version: the ETag, else a hash of its content."""
    kind: str
    """Its media type."""
    text: str
    base64: str
    """Its bytes instead, where they are no text in UTF-8."""


class Resource:
    """One kind of resource, by the template of its path. Use `resource(…)`."""

    def __init__(
        self,
        client: httpx.Client | httpx.AsyncClient,
        path: str,
        *,
        etags: bool,
        key_header: str | None,
        find: str | None,
        refused: frozenset[int],
    ) -> None:
        self.path = path
        self._find_client: Callable[[], httpx.Client | httpx.AsyncClient] = lambda: client
        self.place = str(client.base_url)
        self._etags, self._key_header, self._find = etags, key_header, find
        self._refused = refused
        self._made: OrderedDict[str, tuple[str, str | None]] = OrderedDict()
        listen(client)

    def put(self) -> Declared:
        """A tool that replaces a resource, or makes it."""
        return self._declare(undo=self._undo_write)

    def patch(self) -> Declared:
        """A tool that changes a resource. Its undo replaces it by what it was: a PUT."""
        return self._declare(undo=self._undo_write)

    def delete(self) -> Declared:
        """A tool that deletes a resource. Its undo puts it back where it was."""
        return self._declare(undo=self._undo_write)

    def post(self) -> Declared:
        """A tool that makes a resource, whose address the server answers with (`Location`)."""
        declared = self._declare(undo=self._undo_post)
        declared["read"] = self._read_made
        del declared["before"]
        if self._find is not None:
            declared["probe"], declared["probe_by"] = self._probe, ProbeBy.CALL
        return declared

    def _declare(self, *, undo: Told) -> Declared:
        return Declared(
            effect=Effect.REVERSIBLE,
            before=self._read,
            read=self._read,
            undo=undo,
            about=self._name,
            version=self._read_version,
            same=is_same,
            around=self._enter,
            compares=self._etags,
            binds=self._etags,
            server=self.place,
        )

    @contextmanager
    def _enter(self, records: Sequence[Record]) -> Iterator[None]:
        [record] = records
        before, headers = cast("Shown | None", record.before), dict[str, str]()
        if self._etags and before is not None:
            headers |= _build_condition(before["at"])
        if self._key_header is not None:
            headers[self._key_header] = record.key
        exchange = CallRequests(headers=headers, refused=self._refused)
        with enter_exchange(exchange):
            yield
        for answer in exchange.answers[:1]:
            self._remember(record.key, answer)

    def _remember(self, key: str, answer: httpx.Response) -> None:
        location, etag = answer.headers.get("location"), answer.headers.get("etag")
        names = re.findall(r"{(\w+)}", self.path)
        # Whoever is at another address must not be asked with this client's credentials.
        there = answer.url.join(location) if location else None
        made = (
            str(there)
            if there is not None and self._is_home(there)
            else self._locate_returned(_read_body(answer), names)
        )
        # A weak one says nothing about bytes, and no server takes it as a condition.
        strong = etag if self._etags and etag and not etag.startswith("W/") else None
        self._made[key] = made, strong
        if len(self._made) > MOST:
            self._made.popitem(last=False)

    def _read(self, record: Record) -> Shown | Awaitable[Shown]:
        url = self._locate(record)
        if not url:
            raise ConfigurationError(f"The call has not all that {self.path} is made of.")
        return self._ask("GET", url, check=self._show)

    def _read_made(self, record: Record) -> object:
        return self._ask("GET", self._require_place(record), check=self._show_made)

    def _show_made(self, answer: httpx.Response) -> Shown | None:
        shown = self._show(answer)
        return None if shown["at"] == ABSENT else shown

    def _probe(self, record: Record) -> object:
        url = str(self._find).format(key=quote(record.key, safe=""))
        return self._ask("GET", url, check=_find_one)

    def _is_home(self, url: httpx.URL) -> bool:
        """Whether an address is of the server that the client was made for."""
        home = httpx.URL(self.place)
        return not home.host or (url.scheme, url.host, url.port) == (
            home.scheme,
            home.host,
            home.port,
        )

    def _show(self, answer: httpx.Response) -> Shown:
        if not self._is_home(answer.url):
            raise ConfigurationError(
                f"{self.path} leads to {answer.url.host}, another server, which is not written to."
            )
        if answer.status_code in (404, 410):
            return Shown(url=str(answer.url), at=ABSENT, kind="", text="", base64="")
        answer.raise_for_status()
        etag = answer.headers.get("etag")
        if self._etags and (etag is None or etag.startswith("W/")):
            raise ConfigurationError(
                f"{answer.url} came without a strong ETag, so that no edit could be told from our "
                "own work. Say so: resource(…, etags=False)."
            )
        content = hashlib.sha256(answer.content).hexdigest()
        kind = answer.headers.get("content-type", "")
        at = etag if self._etags and etag else content
        text, encoded = _write_down(answer.content)
        return Shown(url=str(answer.url), at=at, kind=kind, text=text, base64=encoded)

    def _read_version(self, record: Record) -> object:
        result = record.result
        if isinstance(result, dict) and result.keys() == Shown.__annotations__.keys():
            return result["at"]
        made = self._made.get(record.key)
        if made is not None and made[1]:
            return made[1]
        # The answer had no ETag, or there are none: what is there right after it is ours.
        url = self._locate(record)
        if not url:
            return None
        return self._ask("GET", url, check=lambda answer: self._show(answer)["at"])

    def _undo_write(self, record: Record) -> object:
        before = cast("Shown", record.before)
        return self._send_back(record, None if before["at"] == ABSENT else before)

    def _undo_post(self, record: Record) -> object:
        return self._send_back(record, None)

    def _send_back(self, record: Record, shown: Shown | None) -> object:
        if record.version is None:
            raise ConflictError("Nobody knows at which version it was left.")
        headers = {"Content-Type": shown["kind"]} if shown and shown["kind"] else {}
        if self._etags:
            headers |= _build_condition(record.version)
        url, content = self._require_place(record), _read_back(shown) if shown else None
        way = "PUT" if shown else "DELETE"
        return self._ask(way, url, check=_require_done, headers=headers, content=content)

    def _require_place(self, record: Record) -> str:
        """The address of what was made: without it, nothing is looked at and nothing is deleted."""
        located = self._locate(record)
        if not located:
            raise ConflictError(
                "The server has not said where it put what was made: there is no Location, and no "
                f"id for {self.path} in its answer or in what the tool returned."
            )
        return located

    def _locate(self, record: Record) -> str:
        """The address of the resource: by the arguments, or as the server gave it."""
        before = record.before
        if isinstance(before, dict):
            return str(before["url"])
        names = re.findall(r"{(\w+)}", self.path)
        if all(record.arguments.get(name) is not None for name in names):
            given = {name: quote(str(record.arguments[name]), safe="") for name in names}
            return self.path.format(**given)
        made = self._made.get(record.key)
        if made is not None and made[0]:
            return made[0]
        return self._locate_returned(record.result, names)

    def _locate_returned(self, result: object, names: list[str]) -> str:
        """By what the tool returned: the resource itself, or its id."""
        if isinstance(result, dict) and len(names) == 1:
            found = result.get(names[0], result.get("id"))
        else:
            found = result if isinstance(result, str | int) and len(names) == 1 else None
        if found is None:
            return ""
        return self.path.format(**{names[0]: quote(str(found), safe="")})

    def _name(self, record: Record) -> str | None:
        located = self._locate(record)
        return str(httpx.URL(self.place).join(located)) if located else None

    def _ask(
        self, way: str, url: str, *, check: Callable[[httpx.Response], T], **more: Any
    ) -> T | Awaitable[T]:
        client = self._find_client()
        if isinstance(client, httpx.AsyncClient):
            return _check_later(client.request(way, url, **more), check)
        return check(client.request(way, url, **more))


async def _check_later(
    answer: Awaitable[httpx.Response], check: Callable[[httpx.Response], T]
) -> T:
    return check(await answer)


def resource(
    client: httpx.Client | httpx.AsyncClient,
    path: str,
    *,
    etags: bool = True,
    key_header: str | None = None,
    find: str | None = None,
    refused: frozenset[int] = REFUSED,
) -> Resource:
    """A REST resource by the template of its path: `/events/{event_id}`.

    `etags=False`: the server has none, so that an edit is noticed by content, and only right before
    an undo. `key_header`: it takes a key there, such as `Idempotency-Key`. `find`: where a POST
    that gave no answer is looked for, by that key: `/events?key={key}`. `refused`: statuses by
    which the server says that nothing was done.
    """
    return Resource(
        client, path, etags=etags, key_header=key_header, find=find, refused=frozenset(refused)
    )


def is_same(before: object, now: object) -> bool:
    """Whether two representations say the same."""
    if not isinstance(before, dict) or not isinstance(now, dict):
        return before is now
    if ABSENT in (before["at"], now["at"]):
        return bool(before["at"] == now["at"])
    return bool(before["at"] == now["at"] or _read_content(before) == _read_content(now))


def _write_down(content: bytes) -> tuple[str, str]:
    """Bytes as text that gives the very same bytes again; else as base64."""
    try:
        return content.decode(), ""
    except UnicodeDecodeError:
        return "", b64encode(content).decode()


def _read_back(shown: Shown) -> bytes:
    return b64decode(shown["base64"]) if shown["base64"] else shown["text"].encode()


def _build_condition(at: str) -> dict[str, str]:
    return {"If-None-Match": "*"} if at == ABSENT else {"If-Match": at}


def _read_content(shown: dict[str, Any]) -> object:
    try:
        return json.loads(shown["text"])
    except ValueError:
        return shown["text"], shown["base64"]


def _read_body(answer: httpx.Response) -> object:
    """What a server answered with, where that can be read as JSON."""
    try:
        return answer.json()
    except (ValueError, httpx.StreamError):
        return None


def _require_done(answer: httpx.Response) -> None:
    if answer.status_code in (409, 412):
        raise ConflictError(f"The server says that it was changed since ({answer.status_code}).")
    answer.raise_for_status()


def _find_one(answer: httpx.Response) -> object:
    if answer.status_code in (404, 410):
        return None
    answer.raise_for_status()
    found = answer.json()
    if isinstance(found, list):
        if len(found) > 1:
            raise ConflictError("More than one is found by the key.")
        return found[0] if found else None
    return found
