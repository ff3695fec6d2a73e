"""What a tool of the campaign can do about its own effect: read, look for it, take it back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from mulligan import Effect
from mulligan.runtime.declaration import Remote
from mulligan.types.call import Record
from mulligan.types.errors import ConflictError
from mulligan_testing.remote import FakeRemote, Item, RemoteError

LANDS_WITHIN = timedelta(seconds=30)
SETTLES_WITHIN = timedelta(milliseconds=40)
"""A little more than any replica of the campaign is behind in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """The functions that declarations name, on one remote."""

    remote: FakeRemote
    looked: Callable[[], None]
    """Told when a probe has seen what there is, and its answer is on the way back."""
    lands_within: timedelta = LANDS_WITHIN

    def be_sure(self) -> dict[str, Any]:
        """What a tool declares that can tell everything about its calls."""
        return {
            "effect": Effect.REVERSIBLE,
            "probe": self.find_landed,
            "key": "key",
            "version": read_version,
            "about": read_made_id,
            "remote": Remote(
                requests=1, settles_within=SETTLES_WITHIN, lands_within=self.lands_within
            ),
        }

    def read(self, record: Record) -> Item | None:
        """The event that a call names, as readers see it."""
        return self.remote.get(read_event(record))

    def read_made(self, record: Record) -> Item | None:
        """The event that a call made."""
        return self.remote.get(read_made_id(record))

    def find_landed(self, record: Record) -> Item | None:
        """What a call left, by its key."""
        return self._find_answer(record.key)

    def find_element(self, record: Record) -> Item | None:
        """What a part of a bulk left, by the key that it was made under."""
        return self._find_answer(f"{record.arguments['mark']}:{read_event(record)}")

    def _find_answer(self, key: str) -> Item | None:
        found = self.remote.answer_to(key)
        self.looked()
        return found

    def put_back(self, record: Record) -> None:
        """Write what was there before."""
        before: Any = record.before
        with tell_conflicts():
            self.remote.update(before.id, before.data, if_version=record.version, by="undo")

    def bring_back(self, record: Record) -> None:
        """Make anew what a call deleted."""
        before: Any = record.before
        with tell_conflicts():
            self.remote.create(before.data, id=before.id, by="undo")

    def remove_made(self, record: Record) -> None:
        """Delete what a call made."""
        with tell_conflicts():
            self.remote.delete(read_made_id(record), if_version=record.version, by="undo")


@contextmanager
def tell_conflicts() -> Iterator[None]:
    """Says in Mulligan's words that somebody else was there first."""
    try:
        yield
    except RemoteError as error:
        if error.status in (409, 412):
            raise ConflictError(str(error)) from error
        raise


def read_event(record: Record) -> str:
    """The event that a call names."""
    given = record.arguments
    return str(given.get("event_id") or given.get("events"))


def read_made_id(record: Record) -> Any:
    """The event that a call made, once it is known."""
    made: Any = record.result
    return made["id"] if isinstance(made, dict) else getattr(made, "id", None)


def read_version(record: Record) -> str:
    """The version in what a call returned."""
    made: Any = record.result
    return str(made["version"] if isinstance(made, dict) else made.version)
