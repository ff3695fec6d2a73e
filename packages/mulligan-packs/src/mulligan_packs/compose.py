"""One tool that does several things: each is read, found and undone on its own."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from datetime import timedelta
from functools import partial
from typing import Any, Protocol, cast, runtime_checkable

from msgspec.structs import replace

from mulligan.runtime.context import carry, read_context
from mulligan.runtime.declaration import Declared, Remote, Undoing, ungroup
from mulligan.types.call import Record, RecordFunction, Snapshot
from mulligan.types.display import format_value
from mulligan.types.effect import Effect, EffectNote, ProbeBy, note_effect, read_effect_note
from mulligan.types.errors import ConfigurationError, PartlyUndoneError
from mulligan_packs.typed_dict import TypedDict

Said = Mapping[str, Any]
"""What is said of one part, without groups."""


class ComposedState(TypedDict):
    """What is there of each thing that a call is about, in the order of its declaration."""

    parts: list[Any]


def compose(*declared: Declared) -> Declared:
    """One declaration for a tool that does what several describe, undone in reverse.

    `@m.tool(**compose(sql.update(engine, "stock", id="item"), sql.insert(engine, "sale")))`
    """
    for part in declared:
        if part.get("effect") is not Effect.REVERSIBLE or part.get("key") or part.get("each"):
            raise ConfigurationError(
                "Only declarations of what can be undone are composed, without key=… and each=…."
            )
    parts = [ungroup(part) for part in declared]
    whole = Composed(parts)
    composed = Declared(
        effect=Effect.REVERSIBLE,
        before=whole.read_before,
        read=whole.read_now,
        undo=whole.undo,
        about=whole.list_objects,
        version=whole.read_version,
        around=whole.enter_call,
        remote=Remote(
            binds=all(part.get("binds", False) for part in parts),
            lands_within=_find_longest(parts, "lands_within"),
            settles_within=_find_longest(parts, "settles_within"),
        ),
        undoing=Undoing(
            same=whole.is_same,
            loses=[each for part in parts for each in part.get("loses", ())],
            rests_on=[each for part in parts for each in part.get("rests_on", ())],
            compares=all(part.get("compares", True) for part in parts),
        ),
    )
    if all("probe" in part for part in declared):
        receipts = all(part.get("probe_by") is ProbeBy.RECEIPT for part in parts)
        composed["probe"] = whole.find_call
        composed["probe_by"] = ProbeBy.RECEIPT if receipts else ProbeBy.CALL
    return composed


@runtime_checkable
class Joint(Protocol):
    """Whose parts of a call are undone in one transaction: all of them, or none."""

    def find_place(self) -> object:
        """What has the transaction: parts with the same one go together."""

    def undo_together(self, parts: Sequence[tuple[Any, Record]]) -> object:
        """Undo these parts, each with its record, in whatever order they allow."""


class Composed:
    """The functions of one tool, each made of those of its parts."""

    def __init__(self, declared: Sequence[Said]) -> None:
        self._declared = tuple(declared)

    def read_before(self, record: Record) -> object:
        """What is there before the call."""
        found = [self._call(at, "before", record) for at in range(len(self._declared))]
        return _wait(found, lambda values: ComposedState(parts=values))

    def read_now(self, record: Record) -> object:
        """What is there now."""
        found = [self._call(at, "read", record) for at in range(len(self._declared))]
        return _wait(found, lambda values: ComposedState(parts=values))

    def read_version(self, record: Record) -> object:
        """The versions of all parts.

        Where one stands as the call left it, another that is as before is the rest of half a call
        or half an undo of ours, not an edit: it has the version that is expected of it.
        """
        found = []
        for at in range(len(self._declared)):
            part = self._split(at, record)
            read = _is_parts(record.result) and part.result is None
            found.append(None if read else self._call(at, "version", record))
        return _wait(found, lambda versions: self._join(versions, record))

    def _join(self, versions: list[Any], record: Record) -> str | None:
        """All of them, or none where a part that has versions told none of what the call left."""
        told = zip(self._declared, versions, strict=True)
        silent = any(version is None and "version" in part for part, version in told)
        if silent and not _is_parts(record.result):
            return None
        return json.dumps(self._match_left(versions, record))

    def _match_left(self, versions: list[Any], record: Record) -> list[Any]:
        if record.version is None or record.snapshot is None or not _is_parts(record.result):
            return versions
        left = json.loads(record.version)
        as_before = [
            _is_same_part(part, was, there)
            for part, was, there in self._pair(record.snapshot.state, record.result)
        ]
        pairs = list(zip(versions, left, as_before, strict=True))
        if not any(now == expected and not same for now, expected, same in pairs):
            return versions
        return [expected if same else now for now, expected, same in pairs]

    def find_call(self, record: Record) -> object:
        """What a call has left, if any of it is there."""
        found = [self._call(at, "probe", record) for at in range(len(self._declared))]
        return _wait(
            found, lambda v: ComposedState(parts=v) if any(e is not None for e in v) else None
        )

    def undo(self, record: Record) -> object:
        """Undo each part, the last first; parts in one place together, or none of them."""
        order = [at for at in reversed(range(len(self._declared))) if self._has_landed(at, record)]
        together: dict[int, list[tuple[Joint, Record]]] = {}
        calls: list[Callable[[], Any]] = []
        for at in order:
            owner = getattr(self._declared[at]["undo"], "__self__", None)
            if not isinstance(owner, Joint):
                calls.append(partial(self._call, at, "undo", record))
                continue
            group = together.setdefault(id(owner.find_place()), [])
            group.append((owner, self._split(at, record)))
            if len(group) == 1:
                calls.append(partial(owner.undo_together, group))
        return _try_all(calls)

    def _has_landed(self, at: int, record: Record) -> bool:
        """Whether a part was done, as far as a look at the call has found anything."""
        return not _is_parts(record.result) or self._split(at, record).result is not None

    def list_objects(self, record: Record) -> list[object]:
        """All that a call is about."""
        named: list[object] = []
        for at in range(len(self._declared)):
            found = self._call(at, "about", record)
            named += found if isinstance(found, list) else [found]
        return named

    def is_same(self, before: object, now: object) -> bool:
        """Whether every part is as it was."""
        return all(_is_same_part(*each) for each in self._pair(before, now))

    def _pair(self, before: object, now: object) -> Iterator[tuple[Said, Any, Any]]:
        """Each part, with what was there of it before and what is there now."""
        was, there = (cast("ComposedState", state)["parts"] for state in (before, now))
        return zip(self._declared, was, there, strict=True)

    @contextmanager
    def enter_call(self, records: Sequence[Record]) -> Iterator[None]:
        """Make the call inside what each part asks for.

        What a part says of an error it says of itself: nothing was done if all of them say so.
        """
        notes: list[EffectNote | None] = []
        try:
            with ExitStack() as stack:
                together = Composition(self._declared)
                with carry(read_context().put(Composition, together)):
                    for at, part in enumerate(self._declared):
                        split = [self._split(at, record) for record in records]
                        stack.enter_context(_enter_part(part, split, notes))
                yield
        except Exception as error:
            note_effect(error, self._sum_up(notes, error))
            raise

    def _sum_up(self, notes: Sequence[EffectNote | None], error: Exception) -> EffectNote | None:
        """What the notes of all parts come to."""
        if notes and all(note is EffectNote.NOTHING_DONE for note in notes):
            return EffectNote.NOTHING_DONE
        if EffectNote.UNHEARD in notes:
            return EffectNote.UNHEARD
        told = (EffectNote.NOTHING_DONE, EffectNote.REFUSED)
        if notes and all(note in told for note in notes):
            return EffectNote.REFUSED
        by_a_part = isinstance(error, _join_classes(self._declared))
        answered = notes and all(note is EffectNote.SOMETHING_DONE for note in notes)
        return EffectNote.SOMETHING_DONE if by_a_part or answered else None

    def _call(self, at: int, name: str, record: Record) -> Any:
        function: RecordFunction | None = self._declared[at].get(name)
        if function is None and name == "read":
            function = self._declared[at].get("before")
        return None if function is None else function(self._split(at, record))

    def _split(self, at: int, record: Record) -> Record:
        """A record as one part would have it."""
        snapshot, result, version = record.snapshot, record.result, record.version
        if snapshot is not None:
            state = cast("ComposedState", snapshot.state)["parts"][at]
            snapshot = Snapshot(state) if "before" in self._declared[at] else None
        if _is_parts(result):
            result = cast("ComposedState", result)["parts"][at]
        if version is not None:
            told = json.loads(version)[at]
            version = None if told is None else str(told)
        return replace(
            record, key=f"{record.key}.{at}", snapshot=snapshot, result=result, version=version
        )


@contextmanager
def _enter_part(
    part: Said, records: Sequence[Record], notes: list[EffectNote | None]
) -> Iterator[None]:
    """Make a call inside what a part asks for, and take down what it says of an error."""
    try:
        with part["around"](records) if "around" in part else nullcontext():
            yield
    except Exception as error:
        notes.append(read_effect_note(error) if "around" in part else None)
        note_effect(error, None)
        raise


class Composition:
    """What the parts of one call have in common, while they are entered: it is carried there."""

    def __init__(self, declared: Sequence[Said]) -> None:
        self.hears_all = all("around" in part for part in declared)
        """No part does anything in a way of its own, of which the others hear as well."""


def _is_same_part(part: Said, was: object, there: object) -> bool:
    if was is None or there is None or "same" not in part:
        return was == there
    return bool(part["same"](was, there))


def _is_parts(value: object) -> bool:
    return isinstance(value, dict) and value.keys() == ComposedState.__annotations__.keys()


def _wait(found: list[Any], then: Callable[[list[Any]], object]) -> object:
    """What several functions answered, once all have."""
    if any(inspect.isawaitable(each) for each in found):
        return _gather(found, then)
    return then(found)


async def _gather(found: list[Any], then: Callable[[list[Any]], object]) -> object:
    return then([await each if inspect.isawaitable(each) else each for each in found])


def _try_all(calls: list[Callable[[], Any]]) -> object:
    """Make each call, whatever becomes of the others."""
    answers = [_try(call) for call in calls]
    if any(inspect.isawaitable(each) for each in answers):
        return _try_later(answers)
    _end(answers)
    return None


async def _try_later(answers: list[Any]) -> None:
    for at, answer in enumerate(answers):
        if inspect.isawaitable(answer):
            try:
                answers[at] = await answer
            except Exception as error:  # noqa: BLE001 - the others are undone all the same
                answers[at] = error
    _end(answers)


def _try(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Exception as error:  # noqa: BLE001 - the others are undone all the same
        return error


def _end(answers: Sequence[object]) -> None:
    errors = [each for each in answers if isinstance(each, Exception)]
    errors.sort(key=lambda each: not isinstance(each, PartlyUndoneError))
    if errors and len(errors) < len(answers):
        done = len(answers) - len(errors)
        raise PartlyUndoneError(
            f"{done} of the {len(answers)} parts were undone, the others not: "
            f"{format_value(errors[0]).rstrip('.')}"
        ) from errors[0]
    if errors:
        raise errors[0]


def _join_classes(declared: Sequence[Said]) -> tuple[type[BaseException], ...]:
    found: list[type[BaseException]] = []
    for part in declared:
        named = part.get("refuses", ())
        found += named if isinstance(named, tuple) else [named]
    return tuple(found)


def _find_longest(parts: Sequence[Said], name: str) -> timedelta:
    """The longest of what parts say, each a timedelta or seconds."""
    said = [part.get(name, getattr(Remote(), name)) for part in parts]
    lengths = [each if isinstance(each, timedelta) else timedelta(seconds=each) for each in said]
    return max(lengths)
