"""What follows from what is seen of an object, before an undo is sent and after it: whether two
states are the same, and whose work the difference is.
"""

from __future__ import annotations

import errno
import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal

from msgspec import Struct, field
from msgspec.structs import replace

from mulligan import codec
from mulligan.types.action import UndoResult
from mulligan.types.call import Record, Snapshot, ToolCallbacks
from mulligan.types.display import format_value, quote_value
from mulligan.types.errors import ConflictError, PartlyUndoneError
from mulligan.types.values import read_fields


def says_gone(error: BaseException) -> bool:
    """Whether a read failed because there is nothing, as HTTP clients like to put it.

    Where nothing was ever seen, permission may be missing.
    """
    return not _list_statuses(error).isdisjoint({404, 410})


def is_refusal(error: BaseException) -> bool:
    """Whether the remote refused, and may from now on refuse a reader too."""
    refused = not _list_statuses(error).isdisjoint({401, 403, 404, 407, 451})
    return refused or isinstance(error, PermissionError)


def is_silence(error: BaseException) -> bool:
    """Whether there was no answer, so that it may have worked."""
    silent = any(status >= 500 for status in _list_statuses(error))
    return silent or isinstance(error, TimeoutError | ConnectionError)


def lacks_room(error: BaseException | None) -> bool:
    """Whether there was no room for it: on a disk, in a quota, or in a database."""
    while error is not None:
        origin = getattr(error, "orig", None) or error
        if any(getattr(origin, name, None) in codes for name, codes in _FULL.items()):
            return True
        if _INSUFFICIENT_STORAGE in _list_statuses(error):
            return True
        error = error.__cause__ or error.__context__
    return False


_INSUFFICIENT_STORAGE = 507
_FULL: Mapping[str, tuple[object, ...]] = {
    "errno": (errno.ENOSPC, errno.EDQUOT, errno.EFBIG),
    "sqlite_errorcode": (13,),  # SQLITE_FULL
    "sqlstate": ("53100",),  # disk_full of Postgres
}
"""By the attribute in which an error has its code."""


def _list_statuses(error: BaseException) -> set[int]:
    answers = (error, getattr(error, "response", None))
    said = (getattr(a, name, None) for a in answers for name in ("status", "status_code"))
    return {status for status in said if isinstance(status, int)}


def describe_error(error: BaseException) -> str:
    """An error in a few words."""
    return f"{type(error).__name__}: {format_value(error)}".rstrip(": .")


Given = Mapping[str, object]
"""The arguments of a call, by name."""


def is_work_of(calls: Sequence[Given], *, before: object, now: object, version: str = "") -> bool:
    """Whether calls, in their order, account for a change: every new value was given to one of
    them, and whatever one was given for a field of the object stands there.

    `version` is the field that every write changes.
    """
    given = {name: value for call in calls for name, value in list_given(call)}
    values = [value for call in calls for _, value in list_given(call)]
    if not isinstance(before, Mapping) or not isinstance(now, Mapping):
        return now is not None and now != before and now in values
    names = {*before, *now} - {version}
    changed = [name for name in names if before.get(name) != now.get(name)]
    # An agent says "460", and the tool makes 460 of it: the same value of the same field.
    as_text = {
        name for name in given.keys() & now.keys() if _is_number_as_text(given[name], now[name])
    }
    kept = all(now[name] == given[name] for name in (given.keys() & now.keys()) - as_text)
    explained = (name in as_text or now.get(name) in values for name in changed)
    return kept and bool(changed) and all(explained)


def _is_number_as_text(one: object, other: object) -> bool:
    if isinstance(one, str) == isinstance(other, str):
        return False
    if not (isinstance(one, _PLAIN) and isinstance(other, _PLAIN)):
        return False
    return _read_decimal(str(one).casefold()) == _read_decimal(str(other).casefold())


def list_given(call: Given) -> Iterator[tuple[str, object]]:
    """What a call was given or has left, also inside a value that holds several fields."""
    for name, value in call.items():
        yield name, value
        if isinstance(value, Mapping):
            yield from ((str(part), inner) for part, inner in value.items())


def find_contradiction(given: object, found: object) -> str:
    """A field of what was found that is not as a call was given it, by name; else nothing.

    A remote may write a value in another way: only what is plain on both sides is compared.
    """
    if not isinstance(given, Mapping) or not isinstance(found, Mapping):
        return ""
    plain = [(name, value) for name, value in list_given(given) if isinstance(value, _PLAIN)]
    for name in dict(plain):
        # What the object itself says of it; only without that, what the things in it say.
        values = [found[name]] if name in found else [v for n, v in list_given(found) if n == name]
        there = [value for value in values if isinstance(value, _PLAIN)]
        # It was given under another name: what was moved has its new path as its path.
        if there and not any(_may_be(value, each) for _, value in plain for each in there):
            return name
    return ""


_PLAIN = (str, int, float)


def _may_be(given: object, there: object) -> bool:
    """Whether two values may be one, however each side writes it: blanks and case, a number as
    text, a time with its zone or without."""
    if given == there:
        return True
    one, other = (" ".join(format_value(each).casefold().split()) for each in (given, there))
    return one == other or _read_decimal(one) == _read_decimal(other) or _is_moment(one, other)


def _read_decimal(text: str) -> object:
    try:
        number = Decimal(text)
    except ArithmeticError:
        return {"true": Decimal(1), "false": Decimal(0)}.get(text, text)
    return number if number.is_finite() else text


def _is_moment(one: str, other: str) -> bool:
    """Whether both say one time; without a zone, or an hour, a text says less and not another."""
    try:
        first, second = (datetime.fromisoformat(each.upper()) for each in (one, other))
    except ValueError:
        return False
    if "t" not in one or "t" not in other:
        return first.date() == second.date()
    if first.tzinfo and second.tzinfo:
        return first == second
    return first.replace(tzinfo=None) == second.replace(tzinfo=None)


def is_made_by(given: Given, *, before: object, now: object, version: str | None) -> bool:
    """Whether a call made one state of another by what it was given, and no other writer took part:
    all that differs is that, and the version of the latter."""
    before, now = _as_fields(before), _as_fields(now)
    if is_same_state(before, now):
        return True
    was = {} if before is None else before
    if not isinstance(was, Mapping) or not isinstance(now, Mapping):
        return is_work_of([given], before=before, now=now)
    tells = [name for name, value in now.items() if format_value(value) == version]
    field = format_value(tells[0]) if len(tells) == 1 else ""
    return is_work_of([given], before=was, now=now, version=field)


def is_edit_of(given: Given, *, before: str, now: str) -> bool:
    """Whether a text is another with the replacements made in it that a call was given.

    Those are arguments, or tables in a list of them, whose names begin with `old` and `new`.
    """
    pairs = [*_list_replacements(given)]
    for text in (before, before.replace("\r\n", "\n")) if pairs else ():
        for old, new in pairs:
            text = text.replace(old, new, 1)
        if text == now:
            return True
    return False


def _list_replacements(given: Given) -> Iterator[tuple[str, str]]:
    lists = [value for value in given.values() if isinstance(value, list)]
    tables = [each for found in lists for each in found if isinstance(each, Mapping)]
    for table in (given, *tables):
        named = {str(name)[:3]: value for name, value in table.items()}
        old, new = named.get("old"), named.get("new")
        if isinstance(old, str) and isinstance(new, str):
            yield old, new


def find_snapshot(record: Record, *, callbacks: ToolCallbacks) -> Snapshot | None:
    """What was there before; `None` where that is unknown, which is not the same as nothing.

    A tool that reads no snapshot makes something: nothing was there, as its author has it.
    """
    return (
        Snapshot(None) if callbacks.before is None and record.snapshot is None else record.snapshot
    )


def is_unchanged(
    record: Record,
    now: object,
    *,
    callbacks: ToolCallbacks,
    versions: tuple[str | None, str | None] = (None, None),
) -> bool:
    """Whether nothing at all was written since the snapshot, not even a version.

    `versions` are those of the two states. Two that differ were written between, also where they
    say the same to their tool.
    """
    snapshot = find_snapshot(record, callbacks=callbacks)
    if snapshot is None or (None not in versions and versions[0] != versions[1]):
        return False
    if callbacks.same is not None and snapshot.state is not None and now is not None:
        return bool(callbacks.same(snapshot.state, now))
    return is_same_state(snapshot.state, now)


def is_same_state(one: object, other: object) -> bool:
    """Whether two states are equal in everything, in whichever of our forms they come."""
    # A number that is none equals nothing, not even itself.
    return one == other or _as_fields(one) == _as_fields(other) or codec.is_identical(one, other)


def is_restored(
    record: Record,
    now: object,
    *,
    callbacks: ToolCallbacks,
    versions: tuple[str | None, str | None] = (None, None),
    restless: frozenset[str] = frozenset(),
) -> bool:
    """Whether what is there now is what was there before the call, but for what any write changes.

    `versions` are those of the two states, as the tool tells them: a field that holds them is none
    of the content. Neither are those that were seen to be `restless`.
    """
    snapshot = find_snapshot(record, callbacks=callbacks)
    if snapshot is None:
        return False
    before = snapshot.state
    if before is None or now is None:
        return before is None and now is None
    if callbacks.same is not None:
        return bool(callbacks.same(before, now))
    if is_same_state(before, now):
        return True
    before, now = _as_fields(before), _as_fields(now)
    if not isinstance(before, Mapping) or not isinstance(now, Mapping):
        return False
    ignored = SELF_CHANGING | restless
    ignored |= {normalize_name(find_version_field(before, now, versions=versions))}
    ignored -= _find_set_fields(record.arguments, before)
    ignored -= _find_standing_fields(record, before, now)
    return is_same_state(_drop_fields(ignored, before), _drop_fields(ignored, now))


def find_restless(one: object, other: object) -> frozenset[str]:
    """The fields that differ between two reads with no write between."""
    one, other = _as_fields(one), _as_fields(other)
    if not isinstance(one, Mapping) or not isinstance(other, Mapping):
        return frozenset()
    return frozenset(
        normalize_name(name)
        for name in {*one, *other}
        if not is_same_state(one.get(name), other.get(name))
    )


def normalize_name(name: object) -> str:
    """The name of a field, however it is written."""
    return format_value(name).lower().replace("_", "").replace("-", "")


def _as_fields(state: object) -> object:
    held = read_fields(state)
    return state if held is None else held


def _drop_fields(ignored: frozenset[str], state: Mapping[object, object]) -> dict[object, object]:
    return {name: value for name, value in state.items() if normalize_name(name) not in ignored}


def find_version_field(
    before: object, now: object, *, versions: tuple[str | None, str | None]
) -> str:
    """The one field that holds the version, whatever it is called; of two that do, neither."""
    was, is_now = versions
    if was is None or is_now is None:
        return ""
    if not isinstance(before, Mapping) or not isinstance(now, Mapping):
        return ""
    found = [
        k
        for k, v in before.items()
        if format_value(v) == was and format_value(now.get(k)) == is_now
    ]
    return format_value(found[0]) if len(found) == 1 else ""


def _find_set_fields(arguments: Mapping[str, object], before: Mapping[object, object]) -> set[str]:
    """Fields that the call itself was to change, whatever they are called: they are content.

    A version that it was given as a condition is the one that was there before, and is none.
    """
    was = {normalize_name(k): format_value(v) for k, v in before.items()}
    given = [arguments, *(v for v in arguments.values() if isinstance(v, Mapping))]
    asked = [(normalize_name(k), v) for each in given for k, v in each.items() if v is not None]
    return {name for name, value in asked if format_value(value) != was.get(name)}


def _find_standing_fields(
    record: Record, before: Mapping[object, object], now: Mapping[object, object]
) -> set[str]:
    """Fields that still hold what the call was given under another name: they are content, since
    what every write changes would have changed with the undo."""
    given = [value for _, value in list_given(record.arguments) if isinstance(value, _PLAIN)]
    left = _as_fields(record.result)
    known = left if isinstance(left, Mapping) else {}
    return {
        normalize_name(name)
        for name, value in now.items()
        if isinstance(value, _PLAIN) and value in given and value != before.get(name)
        # Numbers are alike by chance: one must be known to have been left there.
        if value == known.get(name, value if isinstance(value, str) else None)
    }


SELF_CHANGING = frozenset({
    "checksum", "datemodified", "etag", "lasteditedby", "lasteditedtime", "lasteditor",
    "lastmodified", "lastmodifiedby", "lastmodifieddate", "lastupdated", "lastviewedat",
    "lockversion", "metageneration", "modified", "modifiedat", "modifiedby", "mtime", "requestid",
    "resourceversion", "rev", "revision", "revisionid", "sequence", "servertime", "sha",
    "sysmodcount", "updated", "updatedat", "updatedby", "updatedtime", "version", "versionid",
})  # fmt: skip
"""Names of fields that a remote changes with every write, without `_` and `-`. What only may be
one, such as a history, is content."""


class Undone(Struct, frozen=True, kw_only=True):
    """The result of an undo."""

    result: UndoResult
    why: str = ""
    """One sentence, for everything but `RESTORED`."""
    told: str = ""
    """The same in a few words for the caller, where its result alone would say too much."""
    version: str | None = None
    """The version it is at now, as verified."""
    theirs: object = None
    """What is there now, where it is not what we wrote."""
    for_a_person: bool = False
    """Trying again would prove no more, or could do a thing twice."""
    behind_ours: bool = False
    """A later call of ours on the same object is in effect, which is to be undone first."""
    doubted: bool = False
    """The remote refused the undo and may hide objects too: absence proves nothing now."""


class LaterCalls(Struct, frozen=True, kw_only=True):
    """What we did ourselves to the same object after a call, as far as it is on record.

    Each by the name of a tool, empty where there is none.
    """

    standing: str = ""
    """A call that stands."""
    unanswered: str = ""
    """A call with an unknown outcome: it may be what is there."""
    unversioned: str = ""
    """A call or an undo that has written and told no version."""
    versions: Collection[str] = field(default_factory=frozenset)
    """The versions that such calls have left."""

    @property
    def stays(self) -> bool:
        """Whether something of one is there, or may be, and is not undone with the call."""
        return bool(self.standing or self.unanswered)


class UndoPolicy(Struct, frozen=True, kw_only=True):
    """What an undo must know beside its record."""

    callbacks: ToolCallbacks
    deletes: bool = False
    settles_within: timedelta = timedelta()
    answers_within: timedelta = timedelta(seconds=30)
    begun: bool = False
    """An undo was sent before, and its result is unknown."""
    seen: bool = False
    """What the call left was seen before that."""
    later: LaterCalls = field(default_factory=LaterCalls)
    declared_about: bool = True
    """The tool says which object a call is about, so that our own later work is known."""
    undo_wrote: bool = False
    """What is there now was written by an undo of ours."""
    undone_within: str = ""
    """The tool of a call that was made while this one was under way, by it or beside it, and whose
    undo has written what is there."""
    undone_around: bool = False
    """A call that this one was made in is undone, and what this one found was the work of that."""

    @property
    def versioned(self) -> bool:
        """Whether what the call left can be told from another writer's work."""
        return self.callbacks.version is not None and not self.deletes


class Observation(Struct, frozen=True, kw_only=True):
    """What is there, as far as it could be read."""

    state: object = None
    version: str | None = None
    error: BaseException | None = None
    ours: bool = False
    """It is what the call left, for all that can be told."""
    restored: bool = False
    """It is as it was before the call, but for what any write changes."""
    unchanged: bool = False
    """It is as it was before the call in everything."""


def assess_current(record: Record, observed: Observation, *, policy: UndoPolicy) -> Undone | None:
    """What follows from a first look; `None`: the undo is to be sent."""
    if observed.error is not None:
        why = f"It could not be read, so nothing was sent: {describe_error(observed.error)}."
        told = "it could not be looked at, so nothing was sent to undo it"
        return Undone(result=UndoResult.UNKNOWN, why=why, told=told)
    if find_snapshot(record, callbacks=policy.callbacks) is None:
        why = "The state before the call was never read, so it cannot be restored."
        told = "the state before the call was never read"
        return Undone(result=UndoResult.FAILED, why=why, told=told, for_a_person=True)
    if observed.ours and policy.versioned and not observed.unchanged:
        return None
    # What told no version may yet come, also to where our own undo has put back what was there.
    known = not policy.versioned or record.version is not None
    if observed.restored and (observed.ours or policy.seen or (policy.undo_wrote and known)):
        return Undone(result=UndoResult.RESTORED, version=observed.version)
    covered = _assess_later(policy.later)
    if covered is not None:
        return covered
    if policy.undone_around:
        return Undone(result=UndoResult.RESTORED, version=observed.version)
    if observed.restored:
        return _assess_as_before(observed, policy)
    if not observed.ours:
        return _assess_foreign(record, observed, policy=policy)
    if policy.begun:
        why = (
            "An undo was sent before, and its result is unknown. Without a version its work "
            "cannot be told from another writer's, so it is not sent again."
        )
        told = "an undo was sent, and its result is unknown"
        return Undone(result=UndoResult.UNKNOWN, why=why, told=told)
    return None


def claim_by_content(
    record: Record, observed: Observation, *, policy: UndoPolicy
) -> tuple[Record, Observation]:
    """Take an unreported version for ours, where our own later call accounts for it.

    Only if all of what the call returned stands there: then no edit can be lost with it. It may be
    the work of a later call of ours that stays, and that wrote the same.
    """
    if policy.later.stays:
        return record, observed
    if policy.undone_within and is_made_by(
        record.arguments, before=record.before, now=observed.state, version=observed.version
    ):
        return with_version(record, observed.version), replace(
            observed, ours=observed.version is not None
        )
    accounted = policy.later.unversioned or policy.undo_wrote
    if observed.ours or observed.state is None or record.result is None or not accounted:
        return record, observed
    # Whatever the call was given to write is content, also where it reads like a version.
    given = [record.arguments, *(v for v in record.arguments.values() if isinstance(v, Mapping))]
    content = {format_value(name): object() for each in given for name in each}
    left = replace(record, snapshot=Snapshot(record.result), arguments=content)
    versions = (record.version, observed.version)
    try:
        whole = is_restored(left, observed.state, callbacks=policy.callbacks, versions=versions)
    except Exception:  # noqa: BLE001 - a tool's own function, made for what is read of an object
        whole = False
    if not whole:
        return record, observed
    return with_version(record, observed.version), replace(
        observed, ours=observed.version is not None
    )


def _assess_later(later: LaterCalls) -> Undone | None:
    """A later call of ours on the object comes first, if only one that may have happened."""
    if later.standing:
        why = f"A later call of ours ({later.standing}) is still in effect: undo it first."
        told = "a later call of ours on the same object is still in effect"
        return Undone(result=UndoResult.FAILED, why=why, told=told, behind_ours=True)
    if later.unanswered:
        why = (
            f"A later call of ours gave no answer ({later.unanswered}): what stands there may be "
            "its work."
        )
        told = "a later call of ours gave no answer, and may be what stands"
        return Undone(result=UndoResult.UNKNOWN, why=why, told=told)
    return None


def _assess_as_before(observed: Observation, policy: UndoPolicy) -> Undone | None:
    """It is as it was, and our change was never seen: that proves nothing."""
    if policy.versioned and not policy.begun:
        # A replica may lag: the undo goes to where the writes went, under its version.
        return None
    if observed.unchanged:
        why = (
            "The state is as before the call, but the call's own change was never seen: it may "
            "appear later."
        )
    else:
        why = (
            "Only fields that every write changes differ from before; whether that is all the "
            "call did, or it was restored since, is unknown."
        )
    told = "the state is as before, and the call's own change was never seen"
    return Undone(result=UndoResult.UNKNOWN, why=why, told=told, for_a_person=True)


def _assess_foreign(record: Record, observed: Observation, *, policy: UndoPolicy) -> Undone:
    """It is not what the call left. Whose it is then is said as far as it is known."""
    later, result, person = policy.later, UndoResult.UNKNOWN, True
    at = f"at {observed.version}" if observed.version is not None else "there"
    at = "gone" if observed.state is None else at
    if observed.version is not None and observed.version in later.versions:
        # Also where that one is undone, and a reader is behind.
        why, told = f"It is {at}, as a later call of ours left it.", "a later call of ours stands"
        return Undone(result=UndoResult.FAILED, why=why, told=told, behind_ours=True)
    if policy.versioned and record.version is None:
        why = (
            f"It is {at}. Which version the call left is not known, so its work cannot be told "
            "from another writer's."
        )
        told = "which version it left is not known, so it cannot be told from another's work"
    elif policy.undone_within:
        why = (
            f"It is {at}, as {policy.undone_within} found it, which was called before this one "
            "answered and which is undone. Whether all of that is its own work is unknown."
        )
        told = "a call made while it was running is undone: it is unknown whose work the rest is"
    elif later.unversioned:
        why = (
            f"It is {at}, and not as we left it. Our own {later.unversioned} may have written to "
            "it since and returned no version, so this may be its work."
        )
        told = "it is not as we left it, which may be our own later work"
    else:
        result, person = UndoResult.CONFLICT, False
        left = f"we left it at {record.version}" if policy.versioned else "we left nothing there"
        why, told = f"Someone changed it since: it is {at}, {left}.", ""
        if policy.undo_wrote:
            why = f"It is {at}, where our own undo restored an edit made since."
            told = "it was changed since, and what is there now was left alone"
        elif policy.begun:
            why = f"It was changed since: it is {at}, {left}. " + _HALF
            told = "it was changed since, perhaps by a part of its undo, and was left alone"
        elif not policy.declared_about:
            why = f"It was changed since: it is {at}, {left}. " + _UNSAID
            told = "it was changed since, and what is there now was left alone"
    return Undone(
        result=result,
        why=why,
        told=told,
        version=observed.version,
        theirs=observed.state,
        for_a_person=person,
    )


_HALF = "An earlier undo of ours did not finish, and may have done a part of that."

_UNSAID = (
    "Its tool does not say which object a call is about (about=…), so another call of ours may "
    "have done that."
)


def assess_proof(
    record: Record,
    observed: Observation,
    *,
    policy: UndoPolicy,
    first: Observation,
    failure: BaseException | None,
) -> Undone:
    """What a read after the undo proves."""
    if observed.error is not None:
        said = describe_error(failure or observed.error)
        doubted = failure is not None and says_gone(observed.error)
        why = f"It could not be verified: {said}."
        return Undone(result=UndoResult.UNKNOWN, why=why, doubted=doubted)
    if observed.restored and observed.state is None and failure is not None and is_refusal(failure):
        why = (
            f"The undo was refused ({describe_error(failure)}), and nothing is visible any more: "
            "permission may be missing."
        )
        told = "the undo was refused, and it could not be verified"
        alone = not (first.ours or policy.seen)
        return Undone(
            result=UndoResult.UNKNOWN, why=why, told=told, doubted=True, for_a_person=alone
        )
    if policy.versioned and observed.ours and not observed.unchanged:
        return _assess_at_ours(observed, failure)
    if observed.restored:
        if first.ours or policy.seen or failure is None:
            return Undone(result=UndoResult.RESTORED, version=observed.version)
        why = "The state is as before the call, but the call's own change was never seen or undone."
        told = "the state is as before, and the call's own change was never seen"
        return Undone(result=UndoResult.UNKNOWN, why=why, told=told, for_a_person=True)
    if policy.versioned or policy.deletes:
        return _assess_after(record, observed, policy=policy, failure=failure)
    return _assess_unversioned(observed, first=first, failure=failure)


def _assess_at_ours(observed: Observation, failure: BaseException | None) -> Undone:
    """After an undo, it is still at the version that the call left."""
    if failure is not None and not isinstance(failure, ConflictError):
        why = f"The undo failed: {describe_error(failure)}."
        return Undone(result=UndoResult.FAILED, why=why, version=observed.version)
    said = "accepted" if failure is None else "refused"
    # Two answers that cannot both be true: the reader is behind, and will tell later.
    ended = f" ({describe_error(failure)})" if failure is not None else ""
    why = f"The undo was {said}{ended}, and it still reads as we left it."
    told = f"the undo was {said}, and it still reads as we left it"
    return Undone(result=UndoResult.UNKNOWN, why=why, told=told, version=observed.version)


def _assess_after(
    record: Record, observed: Observation, *, policy: UndoPolicy, failure: BaseException | None
) -> Undone:
    """After an undo, it is neither as before nor at our version."""
    if policy.deletes and observed.ours:
        said = "was accepted" if failure is None else f"failed: {describe_error(failure)}"
        result = UndoResult.UNKNOWN if failure is None else UndoResult.FAILED
        told = "the undo was accepted, and nothing is there yet" if failure is None else ""
        return Undone(result=result, why=f"The undo {said}; nothing is there.", told=told)
    if failure is not None:
        ended = isinstance(failure, ConflictError) or is_refusal(failure)
        policy = policy if ended else replace(policy, begun=True)
        found = _assess_later(policy.later) or _assess_foreign(record, observed, policy=policy)
        return _tell_part(found, failure)
    return _assess_partial(observed, "It is neither as it was before nor as we left it.")


def _tell_part(found: Undone, failure: BaseException) -> Undone:
    """The same, with what the undo itself says of the parts of a call."""
    if found.result is not UndoResult.CONFLICT or not isinstance(failure, PartlyUndoneError):
        return found
    text = format_value(failure).rstrip(".")
    told = f"only a part of it was undone: {quote_value(text, most=200)}"
    return replace(found, why=f"Only a part of it was undone: {text}.", told=told)


def _assess_unversioned(
    observed: Observation, *, first: Observation, failure: BaseException | None
) -> Undone:
    """After an undo, it is not as before; without versions, it is unknown whose change that is."""
    said = "The undo was accepted" if failure is None else "The undo failed"
    ended = f" ({describe_error(failure)})" if failure is not None else ""
    if isinstance(failure, ConflictError):
        why = f"The undo was refused as changed since{ended}."
        return Undone(result=UndoResult.CONFLICT, why=why, theirs=observed.state)
    if not is_same_state(observed.state, first.state):
        return _assess_partial(
            observed, f"{said}{ended}: it is neither as it was before nor as it was when we looked."
        )
    is_there = (
        "nothing is there" if observed.state is None else "it reads as it did before the undo"
    )
    if failure is None or observed.state is None:
        why, told = (
            f"{said}{ended}, and {is_there}.",
            f"{said[0].lower()}{said[1:]}, and {is_there}",
        )
        return Undone(result=UndoResult.UNKNOWN, why=why, told=told, theirs=observed.state)
    why, told = f"{said}{ended}, and {is_there}.", f"undoing it failed, and {is_there}"
    return Undone(result=UndoResult.FAILED, why=why, told=told, theirs=observed.state)


def _assess_partial(observed: Observation, why: str) -> Undone:
    told = "after the undo it is not as it was before"
    return Undone(
        result=UndoResult.PARTIAL,
        why=why,
        told=told,
        version=observed.version,
        theirs=observed.state,
    )


def doubt_restored(undone: Undone) -> Undone:
    """The result of an undo while a try of its call may still land: it is verified later."""
    if undone.result is not UndoResult.RESTORED:
        return undone
    why = "It is as it was before, and a try of it that gave no answer may still land."
    told = "it reads as before, and a try of it that gave no answer may still land"
    return replace(undone, result=UndoResult.UNKNOWN, why=why, told=told)


def name_state(state: object, version: str | None) -> str | None:
    """What a state is known by later: its version, else a hash of its content but for what changes
    by itself; `None` where JSON has no word for that."""
    if version is not None:
        return version
    content = _as_fields(state)
    if isinstance(content, Mapping):
        content = _drop_fields(SELF_CHANGING, content)
    try:
        text = json.dumps(content, sort_keys=True)
    except (TypeError, ValueError):
        return None
    return f"as seen: {hashlib.sha256(text.encode()).hexdigest()[:16]}"


def with_version(record: Record, version: str | None) -> Record:
    """The record as an undo is to see it: at the version where what we left stands now."""
    return record if version == record.version else replace(record, version=version)
