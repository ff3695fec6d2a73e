"""What follows from what is seen of an object: before an undo is sent, and after it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field, replace
from datetime import timedelta

from mulligan.core.action import UndoResult
from mulligan.core.display.escape import format_value
from mulligan.core.errors import ConflictError
from mulligan.core.record import Abilities, Image, Record
from mulligan.core.runtime.dataclass import dataclass
from mulligan.undo.answers import describe_error, is_refusal, says_gone
from mulligan.undo.sameness import find_image, is_restored, is_same


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """What an undo came to."""

    result: UndoResult
    why: str = ""
    """One sentence, for everything but `RESTORED`."""
    told: str = ""
    """The same in a few words for who asked, where its result alone would say too much."""
    version: str | None = None
    """The version it is at now, as read back."""
    theirs: object = None
    """What is there now, where it is not what we wrote."""
    for_a_person: bool = False
    """Trying again would prove no more, or could do a thing twice."""
    behind_ours: bool = False
    """A later call of ours on the same object stands, which is to be undone first."""
    doubted: bool = False
    """The undo was refused by somebody who may hide things, too: absence proves nothing now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaterCalls:
    """What we did ourselves to the same object after a call, as far as it is on record.

    Each by the name of a tool, empty where there is none.
    """

    standing: str = ""
    """A call that stands."""
    unanswered: str = ""
    """A call that nobody knows the outcome of: it may be what is there."""
    unversioned: str = ""
    """A call or an undo that has written and told no version."""
    versions: Collection[str] = field(default_factory=frozenset)
    """The versions that such calls have left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What an undo must know beside its record."""

    abilities: Abilities
    deletes: bool = False
    settles_within: timedelta = timedelta()
    answers_within: timedelta = timedelta(seconds=30)
    begun: bool = False
    """An undo was sent before, and nobody knows what came of it."""
    seen: bool = False
    """What the call left was seen before that."""
    later: LaterCalls = field(default_factory=LaterCalls)
    declared_about: bool = True
    """The tool says which object a call is about, so that our own later work is known."""
    undo_wrote: bool = False
    """What is there now was written by an undo of ours."""

    @property
    def versioned(self) -> bool:
        """Whether what the call left can be told from anybody else's work."""
        return self.abilities.version is not None and not self.deletes


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
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


def assess_sight(record: Record, sight: Sight, *, terms: Terms) -> Undone | None:
    """What follows from a first look; `None`: the undo is to be sent."""
    if sight.error is not None:
        why = f"It could not be read, so that nothing was sent: {describe_error(sight.error)}."
        told = "it could not be looked at, so nothing was sent to undo it"
        return Undone(result=UndoResult.UNKNOWN, why=why, told=told)
    if find_image(record, abilities=terms.abilities) is None:
        why = "What was there before the call was never read, so that it cannot be put back."
        told = "what was there before was never read"
        return Undone(result=UndoResult.FAILED, why=why, told=told, for_a_person=True)
    if sight.ours and terms.versioned and not sight.unchanged:
        return None
    # What told no version may yet come, also to where our own undo has put back what was there.
    known = not terms.versioned or record.version is not None
    if sight.restored and (sight.ours or terms.seen or (terms.undo_wrote and known)):
        return Undone(result=UndoResult.RESTORED, version=sight.version)
    covered = _assess_later(terms.later)
    if covered is not None:
        return covered
    if sight.restored:
        return _assess_as_before(sight, terms)
    if not sight.ours:
        return _assess_foreign(record, sight, terms=terms)
    if terms.begun and not terms.versioned:
        why = (
            "An undo was sent before and nobody knows what came of it; without a version it cannot "
            "be told from somebody else's work, so it is not sent again."
        )
        told = "an undo was sent, and nobody knows what came of it"
        return Undone(result=UndoResult.UNKNOWN, why=why, told=told, for_a_person=True)
    return None


def claim_by_content(record: Record, sight: Sight, *, terms: Terms) -> tuple[Record, Sight]:
    """Take a version for ours that nobody told us of, where our own later deed accounts for it.

    Only if all of what the call returned stands there: then no edit can be lost with it.
    """
    accounted = terms.later.unversioned or terms.undo_wrote
    if sight.ours or sight.state is None or record.result is None or not accounted:
        return record, sight
    # Whatever the call was given to write is content, also where it reads like a version.
    given = [record.arguments, *(v for v in record.arguments.values() if isinstance(v, Mapping))]
    content = {format_value(name): object() for each in given for name in each}
    left = replace(record, image=Image(record.result), arguments=content)
    versions = (record.version, sight.version)
    try:
        whole = is_restored(left, sight.state, abilities=terms.abilities, versions=versions)
    except Exception:  # noqa: BLE001 - a tool's own function, made for what is read of an object
        whole = False
    if not whole:
        return record, sight
    return with_version(record, sight.version), replace(sight, ours=sight.version is not None)


def _assess_later(later: LaterCalls) -> Undone | None:
    """A later call of ours on the object comes first, if only one that may have happened."""
    if later.standing:
        why = f"A later call of ours on it stands ({later.standing}), which is to be undone first."
        told = "a later call of ours on the same object stands"
        return Undone(result=UndoResult.FAILED, why=why, told=told, behind_ours=True)
    if later.unanswered:
        why = (
            f"A later call of ours gave no answer ({later.unanswered}): what stands there may be "
            "its work."
        )
        told = "a later call of ours gave no answer, and may be what stands"
        return Undone(result=UndoResult.UNKNOWN, why=why, told=told)
    return None


def _assess_as_before(sight: Sight, terms: Terms) -> Undone | None:
    """It is as it was, and nobody has seen what we left: that proves nothing."""
    if terms.versioned and not terms.begun:
        # A replica may lag: the undo goes to where the writes went, under its version.
        return None
    if sight.unchanged:
        why = "It is as it was before, but nobody has seen what the call left: that may yet show."
    else:
        why = (
            "Only what any write changes is not as it was before; whether that is all that the "
            "call has done, or somebody has put it back, cannot be told."
        )
    told = "it reads as before, and nobody has seen what the call left"
    return Undone(result=UndoResult.UNKNOWN, why=why, told=told, for_a_person=True)


def _assess_foreign(record: Record, sight: Sight, *, terms: Terms) -> Undone:
    """It is not what the call left. Whose it is then is said as far as it is known."""
    later, result, person = terms.later, UndoResult.UNKNOWN, True
    at = f"at {sight.version}" if sight.version is not None else "there"
    at = "gone" if sight.state is None else at
    if sight.version is not None and sight.version in later.versions:
        # Also where that one is undone, and a reader is behind.
        why, told = f"It is {at}, as a later call of ours left it.", "a later call of ours stands"
        return Undone(result=UndoResult.FAILED, why=why, told=told, behind_ours=True)
    if terms.versioned and record.version is None:
        why = (
            f"It is {at}. What the call returned had no version, so that its work cannot be told "
            "from anybody else's."
        )
        told = "its tool told no version, so its work cannot be told from anybody else's"
    elif later.unversioned:
        why = (
            f"It is {at}, and not as we left it. Our own {later.unversioned} may have written to "
            "it since and told no version, so that this may be its work."
        )
        told = "it is not as we left it, which may be our own later work"
    else:
        result, person = UndoResult.CONFLICT, False
        left = f"we left it at {record.version}" if terms.versioned else "we left nothing there"
        why, told = f"Someone changed it since: it is {at}, {left}.", ""
        if terms.undo_wrote:
            why = f"It is {at}, where our own undo has put back what somebody had changed since."
            told = "it was changed since, and what is there now was left alone"
        elif terms.begun:
            why = f"It was changed since: it is {at}, {left}. " + _HALF
            told = "it was changed since, perhaps by a part of its undo, and was left alone"
        elif not terms.declared_about:
            why = f"It was changed since: it is {at}, {left}. " + _UNSAID
            told = "it was changed since, and what is there now was left alone"
    return Undone(
        result=result,
        why=why,
        told=told,
        version=sight.version,
        theirs=sight.state,
        for_a_person=person,
    )


_HALF = "An undo of ours was sent that did not come to its end, and may have done a part of that."

_UNSAID = (
    "Its tool does not say which object a call is about (about=…), so that a call of our own may "
    "have done that."
)


def assess_proof(
    record: Record, sight: Sight, *, terms: Terms, first: Sight, failure: BaseException | None
) -> Undone:
    """What a read after the undo proves."""
    if sight.error is not None:
        said = describe_error(failure or sight.error)
        doubted = failure is not None and says_gone(sight.error)
        why = f"It could not be read back: {said}."
        return Undone(result=UndoResult.UNKNOWN, why=why, doubted=doubted)
    if sight.restored and sight.state is None and failure is not None and is_refusal(failure):
        why = (
            f"The undo was refused ({describe_error(failure)}), and nothing is seen any more: "
            "that may be for want of permission."
        )
        told = "the undo was refused, and it could not be read back"
        alone = not (first.ours or terms.seen)
        return Undone(
            result=UndoResult.UNKNOWN, why=why, told=told, doubted=True, for_a_person=alone
        )
    if terms.versioned and sight.ours and not sight.unchanged:
        return _assess_at_ours(sight, failure)
    if sight.restored:
        if first.ours or terms.seen or failure is None:
            return Undone(result=UndoResult.RESTORED, version=sight.version)
        why = "It is as it was before, but nobody has seen what the call left, or taken it back."
        told = "it reads as before, and nobody has seen what the call left"
        return Undone(result=UndoResult.UNKNOWN, why=why, told=told, for_a_person=True)
    if terms.versioned or terms.deletes:
        return _assess_after(record, sight, terms=terms, failure=failure)
    return _assess_unversioned(sight, first=first, failure=failure)


def _assess_at_ours(sight: Sight, failure: BaseException | None) -> Undone:
    """After an undo, it is still at the version that the call left."""
    if failure is not None and not isinstance(failure, ConflictError):
        why = f"The undo failed: {describe_error(failure)}."
        return Undone(result=UndoResult.FAILED, why=why, version=sight.version)
    said = "accepted" if failure is None else "refused as changed since"
    # Two answers that cannot both be true: the reader is behind, and will tell later.
    ended = f" ({describe_error(failure)})" if failure is not None else ""
    why = f"The undo was {said}{ended}, and it still reads as we left it."
    told = f"the undo was {said}, and it still reads as we left it"
    return Undone(result=UndoResult.UNKNOWN, why=why, told=told, version=sight.version)


def _assess_after(
    record: Record, sight: Sight, *, terms: Terms, failure: BaseException | None
) -> Undone:
    """After an undo, it is neither as before nor at our version."""
    if terms.deletes and sight.ours:
        said = "was accepted" if failure is None else f"failed: {describe_error(failure)}"
        result = UndoResult.UNKNOWN if failure is None else UndoResult.FAILED
        told = "the undo was accepted, and nothing is there yet" if failure is None else ""
        return Undone(result=result, why=f"The undo {said}; nothing is there.", told=told)
    if failure is not None:
        ended = isinstance(failure, ConflictError) or is_refusal(failure)
        terms = terms if ended else replace(terms, begun=True)
        return _assess_later(terms.later) or _assess_foreign(record, sight, terms=terms)
    return _assess_partial(sight, "It is neither as it was before nor as we left it.")


def _assess_unversioned(sight: Sight, *, first: Sight, failure: BaseException | None) -> Undone:
    """After an undo, it is not as before; without versions, whose it is nobody can tell."""
    said = "The undo was accepted" if failure is None else "The undo failed"
    ended = f" ({describe_error(failure)})" if failure is not None else ""
    if isinstance(failure, ConflictError):
        why = f"The undo was refused as changed since{ended}."
        return Undone(result=UndoResult.CONFLICT, why=why, theirs=sight.state)
    if not is_same(sight.state, first.state):
        return _assess_partial(
            sight, f"{said}{ended}: it is neither as it was before nor as it was when we looked."
        )
    is_there = "nothing is there" if sight.state is None else "it reads as it did before the undo"
    if failure is None or sight.state is None:
        why, told = (
            f"{said}{ended}, and {is_there}.",
            f"{said[0].lower()}{said[1:]}, and {is_there}",
        )
        return Undone(result=UndoResult.UNKNOWN, why=why, told=told, theirs=sight.state)
    why, told = f"{said}{ended}, and {is_there}.", f"undoing it failed, and {is_there}"
    return Undone(result=UndoResult.FAILED, why=why, told=told, theirs=sight.state)


def _assess_partial(sight: Sight, why: str) -> Undone:
    told = "after the undo it is not as it was before"
    return Undone(
        result=UndoResult.PARTIAL, why=why, told=told, version=sight.version, theirs=sight.state
    )


def doubt_restored(undone: Undone) -> Undone:
    """What an undo came to while a try of its call may still land: it is read back later."""
    if undone.result is not UndoResult.RESTORED:
        return undone
    why = "It is as it was before, and a try of it that gave no answer may still land."
    told = "it reads as before, and a try of it that gave no answer may still land"
    return replace(undone, result=UndoResult.UNKNOWN, why=why, told=told)


def with_version(record: Record, version: str | None) -> Record:
    """The record as an undo is to see it: at the version where what we left stands now."""
    return record if version == record.version else replace(record, version=version)
