"""One calendar on a CalDAV server: every write is conditional, and every text is kept to the byte.

The `caldav` library speaks the protocol and knows the servers' ways; this file adds what an undo
needs: the exact bytes, the ETag they had, and an error class for every answer.
"""

from __future__ import annotations

import socket
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from hashlib import sha256
from queue import Empty, SimpleQueue
from threading import Lock
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

from caldav.calendarobjectresource import Event
from caldav.collection import Calendar
from caldav.davclient import DAVClient
from caldav.lib import error
from caldav.lib.http_sync import requests
from caldav.lib.python_utilities import WireBytes
from msgspec.structs import replace

from mulligan_packs.calendar.errors import (
    CalendarError,
    ChangedSinceError,
    NoSuchEventError,
    OutdatedError,
)
from mulligan_packs.calendar.events import Stored
from mulligan_packs.calendar.text import is_alike, is_rewritten, parse_uid

_MIME = "text/calendar; charset=utf-8"
_GONE = (404, 410)
_NOT_AS_EXPECTED = 412
_REFUSED = 400
MOST_CACHED = 256


class EtagCache:
    """What this process has lately read from the server, by version, and sent to it.

    An ETag stands for one text, so that what is known by it need not be read again; and a version
    can be written over only once, so that a second try can tell its own work from another's.
    """

    def __init__(self) -> None:
        self._texts: OrderedDict[tuple[str, str], Stored] = OrderedDict()
        self._sent: OrderedDict[tuple[str, str | None], None] = OrderedDict()
        self._lock = Lock()

    def keep(self, stored: Stored) -> Stored:
        """Remember what was read."""
        with self._lock:
            self._texts[stored.id, stored.etag] = stored
            if len(self._texts) > MOST_CACHED:
                self._texts.popitem(last=False)
        return stored

    def find_version(self, event_id: str, etag: str) -> Stored | None:
        """An event as it was at a version, if it was read lately."""
        return self._texts.get((event_id, etag))

    def send(self, href: str, if_match: str | None) -> bool:
        """Remember that a write is sent. Whether one under the same condition was before."""
        with self._lock:
            again = (href, if_match) in self._sent
            self._sent[href, if_match] = None
            if len(self._sent) > MOST_CACHED:
                self._sent.popitem(last=False)
        return again

    def reach(self, href: str, etag: str | None) -> None:
        """Remember that a version is there, maybe again: it may be written over once more."""
        with self._lock:
            self._sent.pop((href, etag), None)


class CalDAV:
    """A calendar by its URL. All methods wait for the network, and are safe from any thread."""

    def __init__(
        self,
        url: str,
        *,
        user: str | None = None,
        password: str | None = None,
        name: str | None = None,
        timeout: int = 20,
    ) -> None:
        self.url = url.rstrip("/") + "/"
        self.name = name or _hash_name(self.url)
        """What sets its tools apart from another calendar's, also for a later recovery."""
        self._open = partial(
            DAVClient,
            url=self.url,
            username=user,
            password=password,
            timeout=timeout,
            # Compressed, an answer would have an ETag of its own (Apache), or a weak one (nginx).
            headers={"Accept-Encoding": "identity"},
        )
        self._memory = EtagCache()
        self._idle: SimpleQueue[DAVClient] = SimpleQueue()

    def get(self, event_id: str) -> Stored | None:
        """The event of an id, wherever the server keeps it; `None` if there is none."""
        with self._lease_client() as client:
            found = self._load(client, self.build_href(event_id), event_id)
            if found is None or found.id != event_id:
                # Other programs name the file as they like.
                href = self._find_href(client, event_id)
                found = self._load(client, href, event_id) if href else None
        return self._memory.keep(found) if found else None

    def get_at(self, event_id: str, etag: str) -> Stored:
        """The event at the version given, and at no other."""
        found = self._memory.find_version(event_id, etag) or self.get(event_id)
        if found is None:
            raise NoSuchEventError(event_id)
        if found.etag != etag:
            raise OutdatedError(event_id)
        return found

    def put(self, stored: Stored, *, if_match: str | None) -> Stored:
        """Write an event over the version given, or where none is yet (`None`).

        The answer has the ETag of what was written, or none where that is uncertain. A
        write that was not answered may be made again: what it left is then found to be ours.
        """
        condition = {"If-None-Match": "*"} if if_match is None else {"If-Match": if_match}
        again = self._memory.send(stored.href, if_match)
        with self._lease_client() as client:
            try:
                etag = self._write(client, stored, condition)
            except ChangedSinceError:
                now = self._load(client, stored.href, stored.id)
                if again and now and is_alike(now.text, stored.text):
                    return now
                raise
            if not etag:
                # A server that rewrites what it is given tells no ETag: look, and be sure of it.
                now = self._load(client, stored.href, stored.id)
                etag = now.etag if now and is_rewritten(now.text, stored.text) else ""
        self._memory.reach(stored.href, etag)
        return replace(stored, etag=etag)

    def delete(self, stored: Stored, *, if_match: str) -> None:
        """Remove an event, only at the version given. Not answered, it may be made again."""
        again = self._memory.send(stored.href, if_match)
        with self._lease_client() as client:
            with _translate_errors():
                answer = client.request(stored.href, "DELETE", "", {"If-Match": if_match})
            refused = answer.status in (_NOT_AS_EXPECTED, *_GONE)
            if again and refused and self._load(client, stored.href, stored.id) is None:
                return
        _raise_for(answer.status, stored)
        self._memory.reach(stored.href, None)

    def list_events(self, start: datetime, end: datetime) -> list[Stored]:
        """Every event that touches a stretch of time; of a series, the series itself."""
        with self._lease_client() as client, _translate_errors():
            calendar = Calendar(client=client, url=self.url)
            found: Any = calendar.search(start=start, end=end, event=True, expand=False)
            texts = [(str(each.url), str(each.data), each.etag or "") for each in found]
        return [
            Stored(id=parse_uid(text), href=href, text=text, etag=etag)
            for href, text, etag in texts
        ]

    def build_href(self, event_id: str) -> str:
        """Where a new event of that id goes; servers would split a name with a slash in it."""
        return urljoin(self.url, quote(event_id.replace("/", "_"), safe="@") + ".ics")

    def close(self) -> None:
        """Let go of every connection that is not in use."""
        while True:
            try:
                self._idle.get_nowait().close()
            except Empty:
                return

    @contextmanager
    def _lease_client(self) -> Iterator[DAVClient]:
        """A connection for exclusive use."""
        try:
            client = self._idle.get_nowait()
        except Empty:
            client = self._connect()
        try:
            yield client
        except BaseException:
            # It may be half way through an answer.
            client.close()
            raise
        self._idle.put(client)

    def _connect(self) -> DAVClient:
        client = self._open()
        if _on_this_machine(self.url):
            # Whatever the environment says about proxies: none of them could get there.
            client.session.trust_env = False
        return client

    def _load(self, client: DAVClient, href: str, event_id: str) -> Stored | None:
        resource = Event(client=client, url=href)
        try:
            with _translate_errors():
                resource.load(multiget_fallback=False)
        except error.NotFoundError:
            return None
        text = (resource.raw_data or b"").decode()
        if not resource.etag or "BEGIN:VCALENDAR" not in text:
            raise CalendarError(
                f"{self.url} answered for {event_id!r} with something that is no calendar with an "
                "ETag. Look at the server; nothing was changed.",
                status=502,
            )
        return Stored(id=parse_uid(text), href=href, text=text, etag=resource.etag)

    def _find_href(self, client: DAVClient, event_id: str) -> str | None:
        calendar = Calendar(client=client, url=self.url)
        try:
            with _translate_errors():
                found: Any = calendar.get_event_by_uid(event_id)
                return str(found.url)
        except error.NotFoundError:
            return None

    def _write(self, client: DAVClient, stored: Stored, condition: Mapping[str, str]) -> str:
        body: Any = WireBytes(stored.text.encode())
        with _translate_errors():
            answer = client.request(stored.href, "PUT", body, {"Content-Type": _MIME, **condition})
        _raise_for(answer.status, stored)
        etag = str(answer.headers.get("ETag") or "")
        # A weak one is of several texts, and no condition.
        return "" if etag.startswith("W/") else etag


def _on_this_machine(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def _hash_name(url: str) -> str:
    """A name that is always the same for a path, and does not reveal it."""
    return f"calendar-{sha256(urlsplit(url).path.encode()).hexdigest()[:8]}"


def _raise_for(status: int, stored: Stored) -> None:
    if status in (_NOT_AS_EXPECTED, *_GONE):
        # It was there when it was read. Of a request that arrived twice, this may be the second
        # answer: it is no proof that nothing was written.
        raise ChangedSinceError(stored.id)
    if status >= _REFUSED:
        raise CalendarError(
            f"The server answered {status} for the event {stored.id!r}.", status=status
        )


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Errors of the HTTP library in Python's own terms: never sent, or unknown."""
    try:
        yield
    except requests.exceptions.ConnectTimeout as failed:
        raise ConnectionRefusedError(f"The calendar server is not there: {failed}") from failed
    except requests.exceptions.Timeout as failed:
        raise TimeoutError(f"The calendar server did not answer in time: {failed}") from failed
    except requests.exceptions.ConnectionError as failed:
        kind = ConnectionRefusedError if _was_never_sent(failed) else ConnectionResetError
        raise kind(f"The connection to the calendar server failed: {failed}") from failed


def _was_never_sent(failed: BaseException | None) -> bool:
    """Whether no connection was made at all, somewhere down the chain of causes."""
    while failed is not None:
        if isinstance(failed, ConnectionRefusedError | socket.gaierror):
            return True
        failed = failed.__cause__ or failed.__context__
    return False
