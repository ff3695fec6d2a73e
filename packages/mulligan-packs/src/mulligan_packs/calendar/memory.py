"""What this process has lately read from the server and sent to it."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from mulligan_packs.calendar.events import Stored

MOST = 256


class EtagCache:
    """The last texts by their version, and the last writes by the version they were over.

    An ETag stands for one text, so that what is known by it need not be read again; and a version
    can be written over only once, so that a second try can tell its own work from somebody else's.
    """

    def __init__(self) -> None:
        self._texts: OrderedDict[tuple[str, str], Stored] = OrderedDict()
        self._sent: OrderedDict[tuple[str, str | None], None] = OrderedDict()
        self._lock = Lock()

    def keep(self, stored: Stored) -> Stored:
        """Remember what was read."""
        with self._lock:
            self._texts[stored.id, stored.etag] = stored
            if len(self._texts) > MOST:
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
            if len(self._sent) > MOST:
                self._sent.popitem(last=False)
        return again

    def reach(self, href: str, etag: str | None) -> None:
        """Remember that a version is there, maybe again: it may be written over once more."""
        with self._lock:
            self._sent.pop((href, etag), None)
