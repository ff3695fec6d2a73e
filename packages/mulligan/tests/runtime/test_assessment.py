"""What a sight of an object comes to, in a table: nothing is said that is not known."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mulligan.runtime.assessment import (
    LaterCalls,
    Observation,
    UndoPolicy,
    assess_proof,
    assess_sight,
    claim_by_content,
)
from mulligan.types.action import UndoResult
from mulligan.types.call import Image, Record, ToolCallbacks


def do_nothing(record: Record) -> None: ...


WEAK = UndoPolicy(abilities=ToolCallbacks(before=do_nothing, undo=do_nothing))
SURE = replace(WEAK, abilities=replace(WEAK.abilities, version=do_nothing))
RECORD = Record(arguments={"day": 2}, image=Image({"day": 1}), result={"day": 2}, version="2")
OURS = Observation(state={"day": 2}, version="2", ours=True)
OTHER = Observation(state={"day": 9}, version="9")
SILENCE, REFUSAL = TimeoutError("no answer"), PermissionError("not you")


@pytest.mark.parametrize(
    ("later", "result", "says"),
    [
        (LaterCalls(), UndoResult.CONFLICT, "Someone changed it"),
        (LaterCalls(standing="move"), UndoResult.FAILED, "later call of ours on it stands (move)"),
        (LaterCalls(unanswered="move"), UndoResult.UNKNOWN, "gave no answer (move)"),
        (LaterCalls(unversioned="rename"), UndoResult.UNKNOWN, "Our own rename may have written"),
        (LaterCalls(versions={"9"}), UndoResult.FAILED, "as a later call of ours left it"),
    ],
)
def test_it_is_someones_only_where_nothing_of_ours_can_have_done_it(
    later: LaterCalls, result: UndoResult, says: str
) -> None:
    undone = assess_sight(RECORD, OTHER, terms=replace(SURE, later=later))

    assert undone is not None
    assert undone.result is result
    assert says in undone.why


def test_what_half_an_undo_of_ours_may_have_done_is_not_called_someones() -> None:
    first = assess_sight(RECORD, OTHER, terms=replace(SURE, begun=True))
    after = assess_proof(RECORD, OTHER, terms=SURE, first=OURS, failure=SILENCE)
    refused = assess_proof(RECORD, OTHER, terms=SURE, first=OURS, failure=REFUSAL)

    assert first is not None
    assert "Someone" not in first.why + after.why
    assert "Someone changed it" in refused.why


def test_what_told_no_version_is_not_known_to_be_gone_where_another_undo_has_written() -> None:
    restored = Observation(state={"day": 1}, version="3", restored=True)
    terms = replace(SURE, undo_wrote=True)

    known = assess_sight(RECORD, restored, terms=terms)

    assert known is not None
    assert known.result is UndoResult.RESTORED
    assert assess_sight(replace(RECORD, version=None), restored, terms=terms) is None


def test_a_comparison_that_cannot_take_what_a_call_returned_claims_nothing() -> None:
    def compare(before: object, now: object) -> bool:
        raise AttributeError("made for what is read")

    terms = replace(SURE, abilities=replace(SURE.abilities, same=compare), undo_wrote=True)

    assert claim_by_content(RECORD, OTHER, terms=terms) == (RECORD, OTHER)


@pytest.mark.parametrize("later", [LaterCalls(standing="put"), LaterCalls(unanswered="put")])
def test_without_versions_no_undo_goes_over_our_own_later_call(later: LaterCalls) -> None:
    seen = replace(OURS, version=None)

    assert assess_sight(RECORD, seen, terms=WEAK) is None
    assert assess_sight(RECORD, seen, terms=replace(WEAK, later=later)) is not None


def test_at_our_own_version_an_undo_is_sent_whatever_else_is_on_its_way() -> None:
    assert assess_sight(RECORD, OURS, terms=replace(SURE, later=LaterCalls(unanswered="x"))) is None


def test_what_differs_only_in_what_any_write_changes_may_be_all_that_the_call_did() -> None:
    seen = replace(OURS, restored=True)

    accepted = assess_proof(RECORD, seen, terms=SURE, first=seen, failure=None)

    assert assess_sight(RECORD, seen, terms=SURE) is None
    assert accepted.result is UndoResult.UNKNOWN


def test_what_was_never_read_cannot_be_put_back() -> None:
    undone = assess_sight(replace(RECORD, image=None), OURS, terms=SURE)

    assert undone is not None
    assert (undone.result, undone.for_a_person) == (UndoResult.FAILED, True)


def test_a_version_that_nobody_told_us_of_is_ours_only_with_all_of_our_content() -> None:
    terms = replace(SURE, later=LaterCalls(unversioned="rename"))
    moved = Observation(state={"day": 2}, version="4")

    record, seen = claim_by_content(RECORD, moved, terms=terms)

    assert (record.version, seen.ours) == ("4", True)
    assert claim_by_content(RECORD, OTHER, terms=terms) == (RECORD, OTHER)
    assert claim_by_content(RECORD, moved, terms=SURE) == (RECORD, moved)


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

    undone = assess_proof(RECORD, Observation(state=now), terms=WEAK, first=first, failure=failure)

    assert undone.result is result
    assert says in undone.why
    assert "could not be read" not in undone.told


def test_without_versions_what_was_gone_at_the_first_look_is_not_said_to_be_in_effect() -> None:
    gone = Observation(state=None, ours=True)

    undone = assess_proof(RECORD, gone, terms=WEAK, first=gone, failure=KeyError("dinner"))

    assert (undone.result, undone.told) == (
        UndoResult.UNKNOWN,
        "the undo failed, and nothing is there",
    )


@pytest.mark.parametrize(
    ("failure", "result"),
    [
        (None, UndoResult.RESTORED),
        (SILENCE, UndoResult.RESTORED),
        (REFUSAL, UndoResult.UNKNOWN),
    ],
)
def test_absence_is_no_proof_after_a_refusal(failure: Exception | None, result: UndoResult) -> None:
    made, gone = replace(RECORD, image=Image(None)), Observation(restored=True, unchanged=True)

    undone = assess_proof(made, gone, terms=SURE, first=OURS, failure=failure)

    assert undone.result is result
    assert undone.doubted is (failure is REFUSAL)
