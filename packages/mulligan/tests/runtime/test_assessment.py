"""What a look at an object comes to: nothing is said that is not known."""

from __future__ import annotations

import errno
from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from mulligan.runtime.assessment import (
    Given,
    LaterCalls,
    Observation,
    UndoPolicy,
    assess_current,
    assess_proof,
    claim_by_content,
    find_contradiction,
    is_edit_of,
    is_refusal,
    is_restored,
    is_silence,
    is_unchanged,
    is_work_of,
    lacks_room,
    says_gone,
)
from mulligan.types.action import UndoResult
from mulligan.types.call import Record, Snapshot, ToolCallbacks
from mulligan.types.errors import ConflictError


def do_nothing(record: Record) -> None: ...


WEAK = UndoPolicy(callbacks=ToolCallbacks(before=do_nothing, undo=do_nothing))
SURE = replace(WEAK, callbacks=replace(WEAK.callbacks, version=do_nothing))
RECORD = Record(arguments={"day": 2}, snapshot=Snapshot({"day": 1}), result={"day": 2}, version="2")
OURS = Observation(state={"day": 2}, version="2", ours=True)
OTHER = Observation(state={"day": 9}, version="9")
SILENCE, REFUSAL = TimeoutError("no answer"), PermissionError("not you")


@pytest.mark.parametrize(
    ("later", "result", "says"),
    [
        (LaterCalls(), UndoResult.CONFLICT, "Someone changed it"),
        (LaterCalls(standing="move"), UndoResult.FAILED, "later call of ours (move)"),
        (LaterCalls(unanswered="move"), UndoResult.UNKNOWN, "gave no answer (move)"),
        (LaterCalls(unversioned="rename"), UndoResult.UNKNOWN, "Our own rename may have written"),
        (LaterCalls(versions={"9"}), UndoResult.FAILED, "as a later call of ours left it"),
    ],
)
def test_it_is_someones_only_where_nothing_of_ours_can_have_done_it(
    later: LaterCalls, result: UndoResult, says: str
) -> None:
    undone = assess_current(RECORD, OTHER, policy=replace(SURE, later=later))

    assert undone is not None
    assert undone.result is result
    assert says in undone.why


def test_what_half_an_undo_of_ours_may_have_done_is_not_called_someones() -> None:
    first = assess_current(RECORD, OTHER, policy=replace(SURE, begun=True))
    after = assess_proof(RECORD, OTHER, policy=SURE, first=OURS, failure=SILENCE)
    refused = assess_proof(RECORD, OTHER, policy=SURE, first=OURS, failure=REFUSAL)

    assert first is not None
    assert "Someone" not in first.why + after.why
    assert "Someone changed it" in refused.why


def test_what_told_no_version_is_not_known_to_be_gone_where_another_undo_has_written() -> None:
    restored = Observation(state={"day": 1}, version="3", restored=True)
    policy = replace(SURE, undo_wrote=True)

    known = assess_current(RECORD, restored, policy=policy)

    assert known is not None
    assert known.result is UndoResult.RESTORED
    assert assess_current(replace(RECORD, version=None), restored, policy=policy) is None


def test_a_comparison_that_cannot_take_what_a_call_returned_claims_nothing() -> None:
    def compare(before: object, now: object) -> bool:
        raise AttributeError("made for what is read")

    policy = replace(SURE, callbacks=replace(SURE.callbacks, same=compare), undo_wrote=True)

    assert claim_by_content(RECORD, OTHER, policy=policy) == (RECORD, OTHER)


@pytest.mark.parametrize("later", [LaterCalls(standing="put"), LaterCalls(unanswered="put")])
def test_without_versions_no_undo_goes_over_our_own_later_call(later: LaterCalls) -> None:
    seen = replace(OURS, version=None)

    assert assess_current(RECORD, seen, policy=WEAK) is None
    assert assess_current(RECORD, seen, policy=replace(WEAK, later=later)) is not None


def test_at_our_own_version_an_undo_is_sent_whatever_else_is_on_its_way() -> None:
    assert (
        assess_current(RECORD, OURS, policy=replace(SURE, later=LaterCalls(unanswered="x"))) is None
    )


def test_what_differs_only_in_what_any_write_changes_may_be_all_that_the_call_did() -> None:
    seen = replace(OURS, restored=True)

    accepted, refused = (
        assess_proof(RECORD, seen, policy=SURE, first=seen, failure=failure)
        for failure in (None, ConflictError("at version 9"))
    )

    assert assess_current(RECORD, seen, policy=SURE) is None
    assert (accepted.result, refused.result) == (UndoResult.UNKNOWN, UndoResult.UNKNOWN)
    assert "was accepted, and it still reads as we left it" in accepted.why
    assert "was refused (ConflictError: at version 9), and it still reads" in refused.why


def test_what_was_never_read_cannot_be_put_back() -> None:
    undone = assess_current(replace(RECORD, snapshot=None), OURS, policy=SURE)

    assert undone is not None
    assert (undone.result, undone.for_a_person) == (UndoResult.FAILED, True)


def test_a_version_that_nobody_told_us_of_is_ours_only_with_all_of_our_content() -> None:
    policy = replace(SURE, later=LaterCalls(unversioned="rename"))
    moved = Observation(state={"day": 2}, version="4")

    record, seen = claim_by_content(RECORD, moved, policy=policy)

    assert (record.version, seen.ours) == ("4", True)
    assert claim_by_content(RECORD, OTHER, policy=policy) == (RECORD, OTHER)
    assert claim_by_content(RECORD, moved, policy=SURE) == (RECORD, moved)


@pytest.mark.parametrize(
    ("failure", "now", "result", "says"),
    [
        (None, {"day": 2}, UndoResult.UNKNOWN, "accepted, and it reads as it did before the undo"),
        (SILENCE, {"day": 2}, UndoResult.FAILED, "and it reads as it did before the undo"),
        (SILENCE, None, UndoResult.PARTIAL, "neither as it was before nor as it was when we"),
        (None, {"day": 9}, UndoResult.PARTIAL, "neither as it was before nor as it was when we"),
    ],
)
def test_without_versions_it_is_said_what_was_read_and_not_whose_it_is(
    failure: Exception | None, now: object, result: UndoResult, says: str
) -> None:
    first = Observation(state={"day": 2}, ours=True)

    undone = assess_proof(RECORD, Observation(state=now), policy=WEAK, first=first, failure=failure)

    assert undone.result is result
    assert says in undone.why
    assert "could not be read" not in undone.told


def test_without_versions_what_was_gone_at_the_first_look_is_not_said_to_be_in_effect() -> None:
    gone = Observation(state=None, ours=True)

    undone = assess_proof(RECORD, gone, policy=WEAK, first=gone, failure=KeyError("dinner"))

    assert (undone.result, undone.told) == (
        UndoResult.UNKNOWN,
        "the undo failed, and nothing is there",
    )


@pytest.mark.parametrize(
    ("failure", "result"),
    [(None, UndoResult.RESTORED), (SILENCE, UndoResult.RESTORED), (REFUSAL, UndoResult.UNKNOWN)],
)
def test_absence_is_no_proof_after_a_refusal(failure: Exception | None, result: UndoResult) -> None:
    made, gone = (
        replace(RECORD, snapshot=Snapshot(None)),
        Observation(restored=True, unchanged=True),
    )

    undone = assess_proof(made, gone, policy=SURE, first=OURS, failure=failure)

    assert undone.result is result
    assert undone.doubted is (failure is REFUSAL)


class Answered(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP {status}")
        self.status = status


class AnsweredInside(Exception):
    """As clients put it that carry the whole response."""

    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP {status}")
        self.response = SimpleNamespace(status_code=status)


@pytest.mark.parametrize("make", [Answered, AnsweredInside])
@pytest.mark.parametrize(
    ("status", "gone", "refused", "silent"),
    [
        (403, False, True, False),
        (404, True, True, False),
        (410, True, False, False),
        (412, False, False, False),
        (503, False, False, True),
    ],
)
def test_a_status_says_what_it_says_wherever_it_stands(
    make: type[Exception], status: int, gone: bool, refused: bool, silent: bool
) -> None:
    error = make(status)

    assert (says_gone(error), is_refusal(error), is_silence(error)) == (gone, refused, silent)


@pytest.mark.parametrize(
    ("error", "refused", "silent"),
    [
        (TimeoutError(), False, True),
        (ConnectionResetError(), False, True),
        (PermissionError(), True, False),
        (RuntimeError("404"), False, False),
    ],
)
def test_without_a_status_only_the_kind_of_error_speaks(
    error: Exception, refused: bool, silent: bool
) -> None:
    assert not says_gone(error)
    assert (is_refusal(error), is_silence(error)) == (refused, silent)


def test_want_of_room_is_seen_wherever_it_is_said() -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    wrapped, database = RuntimeError("it failed"), RuntimeError("(sqlite3.OperationalError)")
    wrapped.__cause__ = full
    database.orig = SimpleNamespace(sqlite_errorcode=13)  # type: ignore[attr-defined]

    assert all(map(lacks_room, (full, wrapped, database, Answered(507))))
    assert not any(map(lacks_room, (OSError(errno.EACCES, "no"), Answered(503), None)))


EVENT = {"day": 1, "title": "a"}


@pytest.mark.parametrize(
    ("calls", "before", "now", "theirs"),
    [
        ([{"x": 5}], 1, 5, True),
        ([{"x": 5}], 1, 10, False),  # somebody else's
        ([{"x": 5}], 1, 1, False),  # theirs is gone
        ([{"x": 5}], 1, None, False),
        ([{"day": 2}], EVENT, {"day": 2, "title": "a"}, True),
        ([{"change": {"day": 2}}], EVENT, {"day": 2, "title": "a"}, True),
        ([{"day": 2}], EVENT, {"day": 2, "title": "b"}, False),  # one more has changed
        ([{"day": 2, "title": "b"}], EVENT, {"day": 1, "title": "b"}, False),  # one was put back
        ([{"day": 2}], EVENT, EVENT, False),
        ([{"day": 2}, {"title": "b"}], EVENT, {"day": 2, "title": "b"}, True),
        ([{"day": 2}, {"day": 3}], EVENT, {"day": 3, "title": "a"}, True),
        ([{"day": 2}, {"day": 3}], EVENT, {"day": 2, "title": "a"}, False),  # the last one is gone
        ([{"day": "2"}], EVENT, {"day": 2, "title": "a"}, True),  # given as text
        ([{"day": 2}], EVENT, {"day": "2.0", "title": "a"}, True),
        ([{"day": "2"}], EVENT, {"day": 3, "title": "a"}, False),
        ([{"day": "2", "title": "b"}], EVENT, {"day": 2, "title": "B"}, False),
        ([{"day": "sNaN"}], EVENT, {"day": 3, "title": "a"}, False),
    ],
)
def test_calls_account_for_what_they_were_given_to_write(
    calls: list[Given], before: object, now: object, theirs: bool
) -> None:
    assert is_work_of(calls, before=before, now=now) is theirs


def test_the_version_changes_with_every_write() -> None:
    before, now = {"day": 1, "etag": "1"}, {"day": 2, "etag": "2"}

    assert is_work_of([{"day": 2}], before=before, now=now, version="etag")
    assert not is_work_of([{"day": 2}], before=before, now=now)


@pytest.mark.parametrize(
    ("given", "now", "ours"),
    [
        ({"edits": [{"oldText": "milk", "newText": "beer"}]}, "beer\nbread\n", True),
        ({"old_string": "milk", "new_string": "beer"}, "beer\nbread\n", True),
        ({"edits": [{"oldText": "milk", "newText": "beer"}]}, "beer\nbread\nwine\n", False),
        ({"content": "beer"}, "milk\nbread\n", False),
    ],
)
def test_replacements_account_for_a_text_and_for_all_of_it(
    given: Given, now: str, ours: bool
) -> None:
    assert is_edit_of(given, before="milk\nbread\n", now=now) is ours
    assert is_edit_of(given, before="milk\r\nbread\r\n", now=now) is ours


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("Nan", "Nan"), (True, 1), (False, "false"), ("4.50", 4.5), ("a  b ", "A b"),
        ("2026-11-17T10:00", "2026-11-17T10:00:00+01:00"), ("2026-11-17", "2026-11-17T00:00:00Z"),
        ("2026-11-17T10:00", "2026-11-17"),
        ("2026-11-17T10:00:00+01:00", "2026-11-17T09:00:00Z"),
    ],
)  # fmt: skip
def test_what_a_remote_writes_in_another_way_is_no_contradiction(given, found) -> None:
    assert find_contradiction({"what": given}, {"what": found}) == ""


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (4, 6), ("tea", "wine"), (12345678901234567890, 12345678901234567891),
        ("2026-11-17T10:00", "2026-11-17T11:00"), ("2026-11-17", "2026-11-18T00:00:00Z"),
    ],
)  # fmt: skip
def test_what_somebody_else_wrote_is_one(given, found) -> None:
    assert find_contradiction({"what": given}, {"what": found}) == "what"


def test_what_somebody_else_wrote_is_found_inside_too() -> None:
    assert find_contradiction({"day": 1}, {"id": "e1", "data": {"day": 2}}) == "day"


@pytest.mark.parametrize(
    "found",
    [
        {"name": "Dinner", "organizer": {"name": "Bob"}},
        {"event": {"name": "Dinner"}, "organizer": {"name": "Bob"}},
    ],
)
def test_what_the_object_is_given_says_nothing_of_what_is_around_it(found) -> None:
    assert find_contradiction({"name": "Dinner"}, found) == ""


def test_what_stands_under_another_name_was_given_too() -> None:
    assert find_contradiction({"path": "a", "to": "b"}, {"path": "b"}) == ""


NO_ABILITIES = ToolCallbacks()


@dataclass
class Page:
    text: str
    etag: str


@pytest.mark.parametrize(
    ("before", "now", "same"),
    [
        (None, None, True),
        (None, {"text": "ours"}, False),
        ({"text": "theirs"}, None, False),
        ({"text": "a", "etag": "1"}, {"text": "a", "etag": "2"}, True),
        ({"text": "a", "updatedAt": 1}, {"text": "b", "updatedAt": 1}, False),
        (Page("a", "1"), Page("a", "2"), True),
        (Page("a", "1"), {"text": "a", "etag": "2"}, True),
        ("a", "b", False),
        ("a", "a", True),
    ],
)
def test_two_states_are_equal_but_for_what_a_write_changes_by_itself(
    before: object, now: object, same: bool
) -> None:
    assert (
        is_restored(Record(arguments={}, snapshot=Snapshot(before)), now, callbacks=NO_ABILITIES)
        is same
    )


@pytest.mark.parametrize("given", [{"version": "2.0"}, {"change": {"version": "2.0"}}])
def test_a_field_that_the_call_set_is_content_though_it_is_called_version(
    given: dict[str, object],
) -> None:
    before = {"name": "shop", "version": "1.0"}
    record = Record(arguments=given, snapshot=Snapshot(before))

    assert not is_restored(record, {**before, "version": "2.0"}, callbacks=NO_ABILITIES)
    assert is_restored(record, dict(before), callbacks=NO_ABILITIES)


def test_a_version_given_as_a_condition_still_changes_with_every_write() -> None:
    record = Record(
        arguments={"text": "ours", "version": "1"},
        snapshot=Snapshot({"text": "theirs", "version": 1}),
    )

    assert is_restored(record, {"text": "theirs", "version": 3}, callbacks=NO_ABILITIES)


@pytest.mark.parametrize(
    ("before", "now", "same"),
    [
        ({"text": "a", "v": 1}, {"text": "a", "v": 3}, True),
        ({"text": "a", "v": 1}, {"text": "b", "v": 3}, False),
        ({"text": "a", "v": 1, "guests": 1}, {"text": "a", "v": 3, "guests": 3}, False),
    ],
)
def test_the_field_that_holds_the_version_is_no_content_whatever_it_is_called(
    before: object, now: object, same: bool
) -> None:
    record = Record(arguments={}, snapshot=Snapshot(before))

    assert is_restored(record, now, callbacks=NO_ABILITIES, versions=("1", "3")) is same


def test_a_tool_may_say_itself_what_is_the_same() -> None:
    callbacks = ToolCallbacks(same=lambda before, now: before["day"] == now["day"])
    record = Record(arguments={}, snapshot=Snapshot({"day": "Friday", "seen": 1}))

    assert is_restored(record, {"day": "Friday", "seen": 9}, callbacks=callbacks)
    assert not is_restored(record, {"day": "Monday", "seen": 1}, callbacks=callbacks)
    assert is_unchanged(record, {"day": "Friday", "seen": 9}, callbacks=callbacks)
    assert not is_unchanged(record, {"day": "Monday", "seen": 1}, callbacks=callbacks)
    assert not is_unchanged(record, None, callbacks=callbacks), "it is not asked about nothing"


def test_that_nothing_was_read_is_not_that_nothing_was_there() -> None:
    reads = ToolCallbacks(before=lambda record: None)
    never, nothing = Record(arguments={}), Record(arguments={}, snapshot=Snapshot(None))

    assert not is_restored(never, None, callbacks=reads)
    assert not is_unchanged(never, None, callbacks=reads)
    assert is_restored(nothing, None, callbacks=reads)
    assert is_restored(never, None, callbacks=NO_ABILITIES), "it makes something, and reads nothing"


def test_what_only_a_write_changes_was_written_all_the_same() -> None:
    record = Record(arguments={}, snapshot=Snapshot({"name": "shop", "version": 1}))
    now = {"name": "shop", "version": 2}

    assert is_restored(record, now, callbacks=NO_ABILITIES)
    assert not is_unchanged(record, now, callbacks=NO_ABILITIES)
    assert is_unchanged(record, {"name": "shop", "version": 1}, callbacks=NO_ABILITIES)
