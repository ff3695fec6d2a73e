"""Mistakes planted in the files, HTTP and calendar packs, each of which the histories must find."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import httpx
from msgspec.structs import replace

from bench.packs.campaign import Draw, Hunt
from bench.packs.sql_mutants import plant
from mulligan.runtime import journaled_call, rollback, undo
from mulligan.runtime.assessment import Undone, is_unchanged
from mulligan.runtime.journal import OwnCall
from mulligan.runtime.live_action import LiveAction
from mulligan.types.action import State, UndoResult
from mulligan.types.effect import EffectNote
from mulligan_packs.calendar.callbacks import UndoRun
from mulligan_packs.calendar.server import CalDAV
from mulligan_packs.files import folder as folders
from mulligan_packs.files.folder import ABSENT, Folder
from mulligan_packs.files.steps import FileStep
from mulligan_packs.files.tools import FileDesk
from mulligan_packs.http import exchange, shown
from mulligan_packs.http.exchange import CallRequests
from mulligan_packs.http.fields import is_alike
from mulligan_packs.http.refusals import Refusals
from mulligan_packs.http.resource import Resource
from mulligan_packs.http.shown import read_back


def _plant_all(*planted: Callable[[], Any]) -> Callable[[], ExitStack]:
    def enter() -> ExitStack:
        with ExitStack() as stack:
            for each in planted:
                stack.enter_context(each())
            return stack.pop_all()

    return enter


async def _believe(record: Any, policy: Any, *, first: Any, failure: Any) -> Undone:
    """An undo that was not verified."""
    del record, policy, first
    return Undone(result=UndoResult.RESTORED if failure is None else UndoResult.UNKNOWN)


def _take_anything(self: FileDesk, record: Any) -> None:
    [before], path = record.before["files"], record.arguments["path"]
    with self.folder.locate(path) as target:
        if before["at"] == ABSENT:
            target.unlink(missing_ok=True)
        else:
            target.write_bytes(self.folder.get_kept(before["content"]))


def _swap_anything(self: Folder, aside: Any, target: Any, path: str, *, over: str) -> None:
    del self, path, over
    aside.replace(target)


def _delete_blindly(self: FileStep, path: str, *, over: str) -> None:
    with self.folder.locate(path) as target:
        self._note("delete", path, over=over, left=ABSENT, inode=target.lstat().st_ino)
        target.rename(self.gone)


def _remember_all(remember: Any) -> Any:
    """Whatever a server answers, what is there now is this call's work."""

    def remember_told(self: Resource, record: Any, exchange: Any, *, created: Any) -> None:
        remember(self, record, exchange, created=created)
        left = self._made.get(record.key)
        if left is not None:
            self._made[record.key] = replace(left, untold=False)

    return remember_told


def _keep_unseen(keep: Any) -> Any:
    """A call that sent nothing has made what its tool returns."""

    def keep_told(self: Resource, record: Any, left: Any) -> None:
        if left.written is None and left.etag is None:
            self._made.pop(record.key, None)
        else:
            keep(self, record, left)

    return keep_told


def _take_for_created(remember: Any, *statuses: int) -> Any:
    """These say as well that nothing was there before."""

    def remember_created(self: Resource, record: Any, exchange: Any, *, created: Any) -> None:
        remember(self, record, exchange, created=created | set(statuses) if created else created)

    return remember_created


def _take_found(note: Any) -> Any:
    """Whatever a key finds."""
    return lambda self, record, answer, **_: note(self, record, answer, makes=True)


def _believe_location(find: Any) -> Any:
    """Wherever a server says that it has put something, it was put there by this call."""

    def find_anywhere(self: Resource, record: Any, answer: Any) -> str:
        location = answer.headers.get("location")
        return str(answer.url.join(location)) if location else str(find(self, record, answer))

    return find_anywhere


def _name_one(self: Resource, record: Any, located: str) -> list[str]:
    del record
    return [str(httpx.URL(self.place).join(located))] if located else []


def _has_written_alone(call: OwnCall) -> bool:
    return call.stands or call.action.state in (State.UNDONE, State.CLOSED)


def _take_by_result(self: LiveAction, state: State) -> frozenset[tuple[str, str]]:
    """All that does not rest on what was returned was known from the beginning."""
    if state is State.INTENT:
        return self.objects
    known = self._find_objects(replace(self.record, result=None))
    return self.objects - known if state is State.EXECUTED else frozenset()


def _send_blindly(self: Resource, record: Any, there: Any) -> object:
    content = read_back(there) if there else None
    headers = {"Content-Type": there["kind"]} if there and there["kind"] else {}
    way, url = "PUT" if there else "DELETE", self._require_place(record)
    return self._ask(
        way, url, check=lambda answer: answer.status_code, headers=headers, content=content
    )


def _find_left_anyhow(
    self: Resource, record: Any, answer: Any, *, left: Any, deletes: bool
) -> str | None:
    """Whatever is there right after a write is its work."""
    del record, left, deletes
    return self._show(answer)["at"]


def _compare_content(record: Any, now: Any, *, callbacks: Any, **_: Any) -> bool:
    """Whatever its version is."""
    return is_unchanged(record, now, callbacks=callbacks)


async def _update_blindly(self: UndoRun, record: Any) -> None:
    before = record.before
    now = self.calendar.get(before.id)
    self.calendar.put(before, if_match=now.etag if now else None)


async def _remove_blindly(self: UndoRun, record: Any) -> None:
    now = self.calendar.get(record.key)
    if now is not None:
        self.calendar.delete(now, if_match=now.etag)


async def _delete_nothing(self: UndoRun, record: Any) -> None:
    del self, record


def _write_anyway(write: Any) -> Any:
    def write_unconditionally(self: CalDAV, client: Any, stored: Any, condition: Any) -> str:
        del condition
        return str(write(self, client, stored, {}))

    return write_unconditionally


NO_READ_BACK: Callable[[], Any] = lambda: plant(rollback, "verify", _believe)  # noqa: E731

GET_OR_CREATE = "get or create is taken for created"
LATE_202 = "a late 202 is believed"

LOCATION = "whatever Location says was made"
SET = "what a call has set is what servers set"
ETAG = "what Location leads to has the ETag of the answer"
CREATE = "a create is taken back at any version"
NEVER = "a call that was killed has never landed"
BESIDE = "what a call writes beside its resource is not known"
KEY = "what is found by the key of a call was made by it"
BETWEEN = "nobody writes between two writes of one call"

LIKELY: dict[str, tuple[str, ...]] = {
    GET_OR_CREATE: ("1:685",), LATE_202: ("1:78",), LOCATION: ("1:31",), SET: ("1:40",),
    ETAG: ("1:1040",), BESIDE: ("1:17",), NEVER: ("2:68",), CREATE: ("1:120",),
    KEY: ("5505:243",), BETWEEN: ("5505:235",),
}  # fmt: skip
"""Seeds of histories that are likely to show a mistake: these are drawn first."""

MUTANTS: dict[str, dict[str, Callable[[], Any]]] = {
    "files": {
        "an undo does not look whether the file is ours": lambda: plant(
            FileDesk, "undo_write", _take_anything
        ),
        "a write does not look whether the file was changed": lambda: plant(
            Folder, "_swap", _swap_anything
        ),
        "what comes out by a delete is not looked at": lambda: plant(
            FileStep, "delete", _delete_blindly
        ),
        "what can never be done is held": lambda: plant(
            journaled_call, "is_own_refusal", lambda *_: False
        ),
        "attributes are not kept": lambda: plant(folders, "_copy_attributes", lambda *_: None),
        NEVER: lambda: plant(FileStep, "has_landed", lambda _: False),
        "a call that was killed has always landed": lambda: plant(
            FileStep, "has_landed", lambda _: True
        ),
        "a folder is moved back with what is in it": lambda: plant(
            rollback, "list_outer", lambda _: iter(())
        ),
    },
    "http": {
        "what a tool has found counts as made": lambda: plant(
            Resource, "_keep", _keep_unseen(Resource._keep)
        ),
        LOCATION: lambda: plant(Resource, "_find_made", _believe_location(Resource._find_made)),
        SET: lambda: plant(shown, "is_alike", lambda before, now, **_: is_alike(before, now)),
        ETAG: lambda: plant(Resource, "_is_confirmed", lambda *_: True),
        "a redirect means that nothing was written": lambda: plant(
            exchange, "_is_sent_on", lambda answer: answer.is_redirect
        ),
        BESIDE: lambda: plant(Resource, "_list_addresses", _name_one),
        KEY: lambda: plant(Resource, "_note_found", _take_found(Resource._note_found)),
        BETWEEN: lambda: plant(CallRequests, "is_bound", lambda _: True),
        "a call beside another has written nothing": lambda: plant(
            OwnCall, "has_written", property(_has_written_alone)
        ),
        "what is known after a call was known before it": lambda: plant(
            LiveAction, "take_new_objects", _take_by_result
        ),
        "whatever the answer, it was made by this call": lambda: plant(
            Resource, "_remember", _remember_all(Resource._remember)
        ),
        GET_OR_CREATE: lambda: plant(
            Resource, "_remember", _take_for_created(Resource._remember, 200, 303)
        ),
        LATE_202: _plant_all(
            lambda: plant(Resource, "_remember", _take_for_created(Resource._remember, 202)),
            lambda: plant(Resource, "_is_awaited", lambda *_: False),
        ),
        "an undo asks for no version": lambda: plant(Resource, "_send_back", _send_blindly),
        "what is read right after a write is its work": lambda: plant(
            Resource, "_find_left", _find_left_anyhow
        ),
        "a refusal means that nothing was done": lambda: plant(
            Refusals, "judge", lambda *_: EffectNote.NOTHING_DONE
        ),
        "an undo is not read back": NO_READ_BACK,
    },
    "calendar": {
        "what says the same was not written": lambda: plant(undo, "is_unchanged", _compare_content),
        "an update is taken back over any version": lambda: plant(
            UndoRun, "update", _update_blindly
        ),
        CREATE: lambda: plant(UndoRun, "create", _remove_blindly),
        "a delete is not taken back, and not read back": _plant_all(
            lambda: plant(UndoRun, "delete", _delete_nothing), NO_READ_BACK
        ),
        "a write is made over any version": lambda: plant(
            CalDAV, "_write", _write_anyway(CalDAV._write)
        ),
    },
}


def list_hunts(pack: str, draw: Draw) -> dict[str, Hunt]:
    """Each mistake in a pack, with what it is looked for with."""
    return {
        name: Hunt(plant=planted, draw=draw, first=LIKELY.get(name, ()))
        for name, planted in MUTANTS.get(pack, {}).items()
    }
