"""A REST resource: read before, written under its ETag, put back under ours."""

from __future__ import annotations

import hashlib
import re
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import Any, cast
from urllib.parse import quote

import httpx
from msgspec import Struct
from msgspec.structs import replace

from mulligan.runtime.declaration import Declared, Remote, Undoing
from mulligan.types.call import Record, RecordFunction
from mulligan.types.effect import Effect, ProbeBy
from mulligan.types.errors import ConfigurationError, ConflictError
from mulligan.types.values import require_bool
from mulligan_packs.http.exchange import UNCOMPRESSED, CallRequests, enter_exchange, listen
from mulligan_packs.http.fields import NOTHING, find_given
from mulligan_packs.http.refusals import DECLARED, Refusals, require_done
from mulligan_packs.http.shown import (
    ABSENT,
    Shown,
    is_same_content,
    is_shown,
    parse_shown,
    read_back,
    write_down,
)
from mulligan_packs.http.written import SentWrite, hash_answered, is_given, read_written

MOST = 10_000
"""Calls of which it is remembered what they made, until that is written down."""
CREATED, ACCEPTED = 201, 202
LATE = Remote().lands_within
"""How late a write may land, unless said otherwise."""
_SEEN = (
    "what is read right after the write being what the server answered, or what was sent: else "
    "its author is unknown, and the undo needs attention"
)
_HEARD = (
    "each of its writes going through that client, in the context of the call: one by another "
    "client, or by a thread pool without that context, is not seen"
)
_MADE = "the server answering so ({}) only for what it has made, and not for what it has found"
_ALWAYS = (
    "each POST making a new one, whatever it is answered with, and never finding or changing one"
)
_ALONE = (
    "a write changing no more than the resource at its address: what the server itself changes "
    "elsewhere with it is not looked at, and stays"
)
_BELOW = "what the server itself removes with it, such as what lies below its address"
_ONCE = (
    "nothing on the way sending a POST twice, which RFC 9110 forbids: without key_header=… the "
    "server makes a second one, of which nobody hears"
)
RESTS_ON = {True: (f"a strong ETag in the answer to a write, or {_SEEN}",), False: (_SEEN,)}
"""By whether there are ETags: what says that what is there is our work."""


class Left(Struct, frozen=True, kw_only=True):
    """What this process knows of a write that it has made."""

    url: str = ""
    """Where the server has put what it made."""
    etag: str | None = None
    """A strong one, of what the write has left."""
    unconfirmed: bool = False
    """Only `Location` says that what was made is there: it may lead to another resource."""
    sent: object = NOTHING
    """The fields that the call has sent for the resource, where it has."""
    written: SentWrite | None = None
    untold: bool = False
    """Its answer does not say what is there now by this call alone, so that it is not undone:
    it will be done later (202), may have been there before, or other things were written too."""
    lost: bool = False
    """Of what would say where something was put, only the answer is missing."""
    refused: bool = False
    """The server would not do it: what is gone is not our work."""
    beside: bool = False
    """Only other things were written, of which a look at the resource says nothing."""
    others: tuple[str, ...] = ()
    """The addresses of what else was written, which may be what an earlier call is about."""


class Accepted(Struct, frozen=True, kw_only=True):
    """A write that the server will see to whenever it likes (202)."""

    written: SentWrite
    before: Shown
    until: float
    """When its time is over, by the steady clock."""

    def is_over(self, now: Shown) -> bool:
        """Whether it was seen to have landed, or will not land any more."""
        if time.monotonic() >= self.until:
            return True
        if now["at"] == ABSENT or self.written.method == "DELETE":
            return now["at"] == ABSENT and self.written.method == "DELETE"
        changed = now["at"] != self.before["at"]
        return changed and self.written.explains(parse_shown(now), before=parse_shown(self.before))


class Resource:
    """A REST resource by the template of its path: `/events/{event_id}`.

    `etags=False`: the server has none, so that an edit is noticed by content, and only right before
    an undo. `key_header`: it takes a key there, such as `Idempotency-Key`. `find`: where a POST
    that gave no answer is looked for, by that key: `/events?key={key}`. `refused`: statuses that
    are your word that nothing was done; by default a refusal is held against what is there.
    `lands_within`: how late a write can take effect that was given up or only accepted (202), 30
    seconds unless said: until then no later write to that address is undone by itself.
    """

    def __init__(
        self,
        client: httpx.Client | httpx.AsyncClient,
        path: str,
        *,
        etags: bool = True,
        key_header: str | None = None,
        find: str | None = None,
        refused: Collection[int] | None = None,
        lands_within: timedelta | float = LATE,
    ) -> None:
        require_bool(etags, name="etags")
        self.path = path
        self._find_client: Callable[[], httpx.Client | httpx.AsyncClient] = lambda: client
        self.place = str(client.base_url)
        self._etags, self._key_header, self._find = etags, key_header, find
        self._refused = None if refused is None else frozenset(refused)
        self._made: OrderedDict[str, Left] = OrderedDict()
        self._lands_within = (
            lands_within if isinstance(lands_within, timedelta) else timedelta(seconds=lands_within)
        )
        self._accepted: OrderedDict[str, Accepted] = OrderedDict()
        """By address, the last write that is only accepted."""
        listen(client)

    def put(self) -> Declared:
        """A tool that replaces a resource, or makes it."""
        return self._declare(undo=self._undo_write)

    def patch(self) -> Declared:
        """A tool that changes a resource. Its undo replaces it by what it was: a PUT."""
        return self._declare(undo=self._undo_write)

    def delete(self) -> Declared:
        """A tool that deletes a resource. Its undo puts it back where it was."""
        declared = self._declare(undo=self._undo_write, loses=[_BELOW])
        declared["version"] = partial(self._read_version, deletes=True)
        return declared

    def post(self, *, created: Collection[int] | None = (CREATED,)) -> Declared:
        """A tool that makes a resource, whose address the server answers with (`Location`).

        `created`: the statuses by which this server says that it was not there before. By another
        one it may have been there before, as of "get or create", and is never deleted; nor is what
        is found after an answer was lost, which shows no status. `None`: each POST makes a new one.
        """
        looks = self._find is not None
        made = _ALWAYS if created is None else _MADE.format(", ".join(map(str, sorted(created))))
        declared = self._declare(
            undo=self._undo_post,
            looks=looks,
            created=None if created is None else frozenset(created),
            rests_on=[made, *([_ONCE] if self._key_header is None else [])],
        )
        declared["read"], declared["about"] = self._read_made, self._name_made
        del declared["before"]
        if self._find is not None:
            declared["probe"] = partial(self._probe, makes=created is None)
            declared["probe_by"] = ProbeBy.CALL
        return declared

    def _declare(
        self,
        *,
        undo: RecordFunction,
        looks: bool = True,
        created: frozenset[int] | None = frozenset(),
        rests_on: Sequence[str] = (),
        loses: Sequence[str] = (),
    ) -> Declared:
        """`looks`: whether a call that was refused can be looked for."""
        refusals = Refusals(declared=self._refused, looks=looks)
        return Declared(
            effect=Effect.REVERSIBLE,
            before=self._read,
            read=self._read,
            undo=undo,
            about=self._name,
            version=self._read_version,
            around=partial(self._enter, refusals=refusals, created=created),
            remote=Remote(binds=self._etags, lands_within=self._lands_within),
            undoing=Undoing(
                same=is_same_content,
                compares=self._etags,
                loses=loses,
                rests_on=[
                    *RESTS_ON[self._etags],
                    _HEARD,
                    _ALONE,
                    *([DECLARED] if self._refused else []),
                    *rests_on,
                ],
            ),
            server=self.place,
        )

    @contextmanager
    def _enter(
        self, records: Sequence[Record], *, refusals: Refusals, created: frozenset[int] | None
    ) -> Iterator[None]:
        [record] = records
        before, headers = cast("Shown | None", record.before), dict[str, str]()
        if self._etags and before is not None:
            headers |= self._build_condition(before["at"])
        if self._key_header is not None:
            headers[self._key_header] = record.key
        about = partial(self._is_about, record)
        exchange = CallRequests(headers=headers, judge=refusals.judge, is_about=about)
        try:
            with enter_exchange(exchange):
                yield
        finally:
            self._remember(record, exchange, created=created)

    def _remember(
        self, record: Record, exchange: CallRequests, *, created: frozenset[int] | None
    ) -> None:
        """Keep what the last write to the resource has sent, and what it was answered."""
        writes = list(exchange.list_writes())
        about = [each for each in writes if self._is_about(record, each[0])]
        sent_to = [each for each, _ in writes if each.method != "POST"]
        others = [each.url for each in sent_to if not self._is_about(record, each)]
        also = tuple(str(each.copy_with(query=None)) for each in others)
        if not about:
            # A thread without the call's context, or another client, writes unseen: without the
            # condition of the call, and what the server said is unknown.
            self._keep(record, Left(beside=exchange.writes_beside(), untold=True, others=also))
            return
        request, answer = about[-1]
        bodies = [read_written(each, None).sent for each, _ in about]
        fields = [each for each in bodies if isinstance(each, Mapping)]
        sent = {name: each[name] for each in fields for name in each} if fields else NOTHING
        if isinstance(record.before, dict):
            told = not self._is_awaited(cast("Shown", record.before), request, answer)
        else:
            told = len(about) == 1 and _has_made(answer, created=created)
        if answer is None or not answer.is_success:
            refused = answer is not None and answer.is_client_error
            lost = not refused and len(about) == 1 and not exchange.writes_beside()
            left = Left(sent=sent, written=read_written(request, None), refused=refused, lost=lost)
        else:
            strong = self._find_etag(answer)
            url = self._find_made(record, answer)
            left = Left(
                url=url,
                etag=strong,
                unconfirmed=not self._is_confirmed(record, answer, url),
                sent=sent,
                written=None if strong else self._read_written(record, request, answer),
            )
        # What a call writes beside its resource is never undone, and what somebody may have written
        # between two of its writes would be undone with them.
        untold = not told or exchange.writes_beside() or not exchange.is_bound()
        self._keep(record, replace(left, untold=untold, others=also))

    def _find_etag(self, answer: httpx.Response) -> str | None:
        """The version that a write has left, where its answer tells. A weak one says nothing about
        bytes, and no server takes it as a condition."""
        etag = answer.headers.get("etag")
        return etag if self._etags and etag and not etag.startswith("W/") else None

    def _read_written(
        self,
        record: Record,  # noqa: ARG002 - what shows an object in another form needs it
        request: httpx.Request,
        answer: httpx.Response,
    ) -> SentWrite:
        return read_written(request, answer)

    def _keep(self, record: Record, left: Left) -> None:
        self._made[record.key] = left
        if len(self._made) > MOST:
            self._made.popitem(last=False)

    def _is_awaited(
        self, before: Shown, request: httpx.Request, answer: httpx.Response | None
    ) -> bool:
        """Whether this write, or one before it, may still be in flight to the resource."""
        url = before["url"]
        earlier = self._accepted.get(url)
        if earlier is not None and earlier.is_over(before):
            del self._accepted[url]
        if answer is not None and answer.status_code == ACCEPTED:
            self._accepted[url] = Accepted(
                written=read_written(request, None),
                before=before,
                until=time.monotonic() + self._lands_within.total_seconds(),
            )
            if len(self._accepted) > MOST:
                self._accepted.popitem(last=False)
        return url in self._accepted

    def _is_about(self, record: Record, request: httpx.Request) -> bool:
        """Whether a write went to the resource itself: what else a call writes tells nothing."""
        before, url = record.before, request.url
        if not isinstance(before, dict):
            return request.method == "POST"
        there = httpx.URL(str(before["url"]))
        same = "?" not in self.path or url.query == there.query
        return same and url.path.rstrip("/") == there.path.rstrip("/")

    def _find_made(self, record: Record, answer: httpx.Response) -> str:
        """Where a server says that it has put what was made: in `Location`, else by its id."""
        location = answer.headers.get("location")
        # Of what is only accepted (202), it is where to ask how far that is.
        there = answer.url.join(location) if location and answer.status_code != ACCEPTED else None
        # Whoever is at another address must not be asked with this client's credentials, and what
        # is no such resource, as a list of all of them, must not be deleted for one.
        asked = answer.request.url.path.rstrip("/")
        if there is not None:
            # What the request was sent to, or below, was there before it: a comment's parent.
            known = f"{asked}/".startswith(f"{there.path.rstrip('/')}/")
            return "" if known or not self._is_home(there) or not self._fits(there) else str(there)
        # An id alone says of what it is one only where such resources are made.
        made = self._locate_returned(record, read_body(answer))
        return made if asked.endswith(made.rstrip("/").rpartition("/")[0]) else ""

    def _is_confirmed(self, record: Record, answer: httpx.Response, url: str) -> bool:
        """Whether the body of an answer is of what is at an address, as all that was there is."""
        named = self._locate_returned(record, read_body(answer))
        return isinstance(record.before, dict) or (bool(named) and url.endswith(named))

    def _fits(self, url: httpx.URL) -> bool:
        """Whether an address is one of the template's."""
        path, _, query = url.raw_path.decode().partition("?")
        wanted = self.path.strip("/").split("/")
        there = path.strip("/").split("/")[-len(wanted) :]
        return not query and len(there) == len(wanted) and all(map(_fits_part, wanted, there))

    def _read(self, record: Record) -> Any:
        url = self._locate_given(record)
        if not url:
            raise ConfigurationError(f"The call has not all that {self.path} is made of.")
        if self._made.get(record.key, Left()).beside:
            raise ConflictError(
                f"The call wrote to something else than {url}, which is not looked at."
            )
        return self._ask("GET", url, check=partial(self._show_to, record))

    def _show_to(self, record: Record, answer: httpx.Response) -> Shown:
        """What is there, and what of it a call was given."""
        shown, sent = self._show(answer), self._made.get(record.key, Left()).sent
        shown["given"] = find_given(parse_shown(shown), sent=sent, arguments=record.arguments)
        return shown

    def _read_made(self, record: Record) -> object:
        return self._ask("GET", self._require_place(record), check=self._show_made)

    def _show_made(self, answer: httpx.Response) -> Shown | None:
        shown = self._show(answer)
        return None if shown["at"] == ABSENT else shown

    def _probe(self, record: Record, *, makes: bool) -> object:
        url = str(self._find).format(key=quote(record.key, safe=""))
        return self._ask("GET", url, check=partial(self._note_found, record, makes=makes))

    def _note_found(self, record: Record, answer: httpx.Response, *, makes: bool) -> object:
        """What is found by the key of a call whose answer was lost says where that has put it.

        Not that it was made by it: it may be what "get or create" found, or an upsert changed.
        """
        # A call of another process, which has seen no answer either, is not known at all.
        found, left = _find_one(answer), self._made.get(record.key, Left(lost=True))
        if found is not None and left.lost:
            url = self._locate_returned(record, found)
            self._keep(record, replace(left, url=url, untold=not makes))
        return found

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
            return Shown(url=str(answer.url), at=ABSENT, kind="", text="", base64="", given=[])
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
        text, encoded = write_down(answer.content)
        return Shown(url=str(answer.url), at=at, kind=kind, text=text, base64=encoded, given=[])

    def _read_version(self, record: Record, *, deletes: bool = False) -> object:
        result = record.result
        if is_shown(result):
            return cast("Shown", result)["at"]
        left = self._made.get(record.key, Left())
        if left.untold:
            return None
        if left.etag and not (deletes or left.unconfirmed):
            return left.etag
        url = self._locate(record)
        if not url:
            return None
        check = partial(self._find_left, record, left=left, deletes=deletes)
        return self._ask("GET", url, check=check)

    def _find_left(
        self, record: Record, answer: httpx.Response, *, left: Left, deletes: bool
    ) -> str | None:
        """The version that is there right after a write, if that is its own work."""
        now, written = self._show(answer), left.written
        if left.etag and left.unconfirmed:
            return left.etag if now["at"] in (left.etag, ABSENT) else None
        if now["at"] == ABSENT:
            return ABSENT if deletes and not left.refused else None
        before, there = parse_shown(cast("Shown | None", record.before)), parse_shown(now)
        if isinstance(there, Mapping):  # that the server keeps its key as well is nobody's edit
            there = {name: value for name, value in there.items() if value != record.key}
        made_id = answer.url.path.rstrip("/").rpartition("/")[2]
        if written is not None and written.explains(there, before=before, made_id=made_id):
            return now["at"]
        if written is not None and not left.unconfirmed and written.differs(there):
            # It was edited since: what we left will not be seen any more.
            return hash_answered(written)
        given = record.arguments
        ours = not deletes and is_given(given, before=before, now=there, made_id=made_id)
        return now["at"] if ours else None

    def _build_condition(self, at: str) -> dict[str, str]:
        """The headers that keep a write from what has another version."""
        return {"If-None-Match": "*"} if at == ABSENT else {"If-Match": at}

    def _undo_write(self, record: Record) -> object:
        before = cast("Shown", record.before)
        return self._send_back(record, None if before["at"] == ABSENT else before)

    def _undo_post(self, record: Record) -> object:
        return self._send_back(record, None)

    def _send_back(self, record: Record, shown: Shown | None) -> object:
        if record.version is None:
            raise ConflictError("The version that the call left is unknown.")
        headers = {"Content-Type": shown["kind"]} if shown and shown["kind"] else {}
        if self._etags:
            headers |= self._build_condition(record.version)
        url, content = self._require_place(record), read_back(shown) if shown else None
        way = "PUT" if shown else "DELETE"
        return self._ask(way, url, check=require_done, headers=headers, content=content)

    def _require_place(self, record: Record) -> str:
        """The address of what was made: without it, nothing is looked at and nothing is deleted."""
        located = self._locate(record)
        if not located:
            raise ConflictError(
                "Where the server has put what was made is not known: by its Location, or without "
                "one by an id in its answer or in what the tool returned, it names no "
                f"{self.path} that this call can have made."
            )
        return located

    def _locate(self, record: Record) -> str:
        """The address of the resource: where it was before, or where the server has put it.

        Not by the arguments of what makes one: they may name what it is a copy of.
        """
        if isinstance(record.before, dict):
            return str(record.before["url"])
        left = self._made.get(record.key)
        if left is not None:
            return left.url
        # Of another process: a tool may return any number, and only a resource says its own id.
        returned = record.result if isinstance(record.result, Mapping) else None
        return self._locate_returned(record, returned)

    def _locate_given(self, record: Record) -> str:
        given = {name: record.arguments.get(name) for name in self._names}
        return "" if None in given.values() else self._build_address(given)

    @property
    def _names(self) -> list[str]:
        return re.findall(r"{(\w+)}", self.path)

    def _locate_returned(self, record: Record, result: object) -> str:
        """By what was answered, the resource itself or its id, and what it is a part of."""
        *parents, name = self._names or [""]
        if isinstance(result, dict):
            found = result.get("id", result.get(name))
        else:
            found = result if isinstance(result, str | int) else None
        given = {each: record.arguments.get(each) for each in parents} | {name: found}
        return "" if None in given.values() else self._build_address(given)

    def _build_address(self, given: Mapping[str, object]) -> str:
        return self.path.format(**{n: quote(str(value), safe="") for n, value in given.items()})

    def _name(self, record: Record) -> list[str]:
        there = isinstance(record.before, dict)
        located = self._locate(record) if there else self._locate_given(record)
        return self._list_addresses(record, located)

    def _name_made(self, record: Record) -> list[str]:
        return self._list_addresses(record, self._locate(record))

    def _list_addresses(self, record: Record, located: str) -> list[str]:
        """All that a call is known to have written to, or will."""
        others = self._made.get(record.key, Left()).others
        return [str(httpx.URL(self.place).join(each)) for each in (located, *others) if each]

    def _ask(
        self, way: str, url: str, *, check: Callable[[httpx.Response], Any], **more: Any
    ) -> Any:
        """What `check` makes of an answer, at once, or of an async client once it is there."""
        client, headers = self._find_client(), {**UNCOMPRESSED, **more.pop("headers", {})}
        answer = client.request(way, url, headers=headers, **more)
        return _check_later(answer, check) if isinstance(answer, Awaitable) else check(answer)


async def _check_later(
    answer: Awaitable[httpx.Response], check: Callable[[httpx.Response], object]
) -> object:
    return check(await answer)


resource = Resource
"""As it is called where a tool is declared: `**resource(client, …).put()`."""


def _fits_part(wanted: str, there: str) -> bool:
    """Whether a part of an address is one that a part of a template can become."""
    before, _, rest = wanted.partition("{")
    if not rest:
        return wanted == there
    after = rest.rpartition("}")[2]
    longer = len(there) > len(before) + len(after)
    return longer and there.startswith(before) and there.endswith(after)


def read_body(answer: httpx.Response) -> object:
    """What a server answered with, where that can be read as JSON."""
    try:
        return answer.json()
    except (ValueError, httpx.StreamError):
        return None


def _has_made(answer: httpx.Response | None, *, created: frozenset[int] | None) -> bool:
    """Whether a server says, by the status of its answer, that nothing was there before."""
    if answer is None:
        return False
    if created is None:
        return answer.is_success and answer.status_code != ACCEPTED
    return answer.status_code in created


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
