"""The decisions of the policy, each cell of its tables."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import timedelta
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from mulligan.types.effect import Effect, Repeat
from mulligan.types.failure import ErrorClass, Move
from mulligan.types.finding import Finding, Severity, Source, Standing, Verdict, reach_verdict
from mulligan.types.limits import Backoff
from mulligan.types.policy import Failed, Step, choose_move, decide

pytestmark = pytest.mark.promise(2)

COLUMNS = {
    "READ": (Effect.READ, Repeat.ONCE),
    "IDEMPOTENT": (Effect.REVERSIBLE, Repeat.IDEMPOTENT),
    "KEYED": (Effect.REVERSIBLE, Repeat.KEYED),
    "ONCE": (Effect.REVERSIBLE, Repeat.ONCE),
}

ALL = "READ IDEMPOTENT KEYED ONCE"
MATRIX = [
    # class, columns, what is known of the remote, the moves over consecutive failures
    ("validation", "READ IDEMPOTENT ONCE", "", "fix fix suggest"),
    ("validation", "KEYED", "", "fix_new_key fix_new_key suggest"),
    ("auth", "READ IDEMPOTENT KEYED", "", "refresh stop"),
    ("auth", "ONCE", "nothing_done", "refresh stop"),
    ("auth", "ONCE", "can_probe", "probe"),
    ("auth", "ONCE", "", "ask"),
    ("policy", ALL, "", "stop"),
    ("missing", ALL, "", "suggest"),
    ("missing", "IDEMPOTENT", "deletes", "adopt"),
    ("missing", "READ KEYED ONCE", "deletes", "suggest"),
    ("conflict", ALL, "", "reread"),
    ("conflict", "KEYED", "in_progress", "poll poll ask"),
    ("conflict", "READ IDEMPOTENT ONCE", "in_progress", "reread"),
    ("rate_limit", "READ IDEMPOTENT KEYED", "", "same same stop"),
    ("rate_limit", "ONCE", "", "stop"),
    ("rate_limit", "ONCE", "nothing_done", "same same stop"),
    ("not_sent", "READ IDEMPOTENT KEYED", "", "same same stop"),
    ("not_sent", "ONCE", "nothing_done", "same stop"),
    ("not_sent", "ONCE", "can_probe", "probe"),
    ("not_sent", "ONCE", "", "ask"),
    ("ambiguous", "READ", "", "same same stop"),
    ("ambiguous", "IDEMPOTENT", "", "same same ask"),
    ("ambiguous", "KEYED", "key_alive", "same same ask"),
    ("ambiguous", "KEYED", "key_alive can_probe", "same same probe"),
    ("ambiguous", "KEYED ONCE", "can_probe", "probe"),
    ("ambiguous", "KEYED ONCE", "", "ask"),
    ("bad_result", "READ", "", "same stop"),
    ("bad_result", "IDEMPOTENT KEYED ONCE", "can_probe", "probe"),
    ("bad_result", "IDEMPOTENT KEYED ONCE", "", "ask"),
    ("tool_exception", "READ", "", "same stop"),
    ("tool_exception", "IDEMPOTENT", "", "same ask"),
    ("tool_exception", "KEYED", "key_alive", "same same ask"),
    ("tool_exception", "KEYED", "key_alive can_probe", "same same probe"),
    ("tool_exception", "KEYED ONCE", "can_probe", "probe"),
    ("tool_exception", "KEYED ONCE", "", "ask"),
    ("rule", ALL, "", "suggest"),
    ("unknown", ALL, "", "suggest"),
]
CELLS = [
    pytest.param(error, column, known.split(), moves.split(), id=f"{error}-{column}-{known}")
    for error, columns, known, moves in MATRIX
    for column in columns.split()
]
REPEATS = {Move.SAME, Move.REFRESH, Move.POLL}
TRIES = REPEATS | {Move.FIX, Move.FIX_NEW_KEY}
SITUATIONS = ["can_probe", "key_alive", "in_progress", "deletes", "nothing_done"]
ON_ITS_MERITS = (ErrorClass.VALIDATION, ErrorClass.RULE, ErrorClass.POLICY)
LANDED = (ErrorClass.AMBIGUOUS, ErrorClass.BAD_RESULT, ErrorClass.TOOL_EXCEPTION)


def is_for_once(failed: Failed) -> bool:
    return failed.effect is Effect.REVERSIBLE and failed.repeat is Repeat.ONCE


def is_once(failed: Failed) -> bool:
    """Whether a second call would be a second effect."""
    keyed = failed.repeat is Repeat.KEYED and failed.key_alive
    harmless = failed.repeat is Repeat.IDEMPOTENT or keyed
    return failed.effect is Effect.REVERSIBLE and not harmless


@cache
def all_moves() -> list[tuple[Failed, list[Move]]]:
    """Every failure there can be, and the moves when every try that is made fails in that way."""
    known = itertools.product([False, True], repeat=len(SITUATIONS))
    cells = itertools.product(Effect, Repeat, ErrorClass, known)
    found = []
    for effect, repeat, error_class, switches in cells:
        situation = dict(zip(SITUATIONS, switches, strict=True))
        failed = Failed(error_class=error_class, effect=effect, repeat=repeat, **situation)
        found.append((failed, consecutive(failed, times=10)))
    return found


def moves_where(holds: Callable[[Failed], bool]) -> set[Move]:
    """All that is ever done after failures of a kind."""
    found = {move for failed, moves in all_moves() if holds(failed) for move in moves}
    assert found
    return found


def consecutive(failed: Failed, *, times: int) -> list[Move]:
    """The moves, when every try that is made fails in the same way."""
    moves = []
    for _ in range(times):
        move = choose_move(failed)
        moves.append(move)
        failed = replace(failed, made=failed.made + 1, tries=failed.tries + (move in TRIES))
    return moves


@pytest.mark.parametrize(("error", "column", "known", "moves"), CELLS)
def test_each_cell_of_the_matrix_gives_its_moves_in_order(error, column, known, moves):
    effect, repeat = COLUMNS[column]
    failed = Failed(
        error_class=ErrorClass(error), effect=effect, repeat=repeat, **dict.fromkeys(known, True)
    )

    assert consecutive(failed, times=len(moves)) == moves


def test_the_table_above_has_every_class_in_every_column():
    cells = {(cell.values[0], cell.values[1]) for cell in CELLS}

    assert cells == set(itertools.product([str(c) for c in ErrorClass], COLUMNS))


def test_a_read_is_treated_as_a_read_whatever_it_says_of_repeats():
    for failed, moves in all_moves():
        if failed.effect is Effect.READ:
            assert choose_move(replace(failed, repeat=Repeat.ONCE)) is moves[0]


def test_every_failure_comes_to_an_end_after_three_tries_at_most():
    final = {Move.STOP, Move.ASK, Move.SUGGEST, Move.ADOPT}
    for failed, moves in all_moves():
        assert sum(move in TRIES for move in moves) <= 2
        assert moves[5] in final
        assert choose_move(replace(failed, tries=3)) not in TRIES, (
            "also after failures of all kinds"
        )


@pytest.mark.parametrize(
    ("holds", "never"),
    [
        pytest.param(lambda f: f.error_class in ON_ITS_MERITS, REPEATS | {Move.PROBE},
                     id="the identical call, once it was refused on its merits"),
        pytest.param(lambda f: f.error_class in (ErrorClass.AUTH, ErrorClass.POLICY),
                     {Move.FIX, Move.FIX_NEW_KEY, Move.HOLD},
                     id="other arguments, where a person or a policy forbade it"),
        pytest.param(lambda f: f.effect is Effect.UNDECLARED,
                     TRIES | {Move.PROBE, Move.ADOPT, Move.HOLD}, id="an undeclared call"),
        pytest.param(lambda f: f.effect is Effect.IRREVERSIBLE, TRIES | {Move.PROBE},
                     id="an irreversible call"),
        pytest.param(lambda f: is_for_once(f) and not f.nothing_done, REPEATS,
                     id="a call to be made once, without proof that nothing happened"),
        pytest.param(lambda f: is_once(f) and f.error_class is ErrorClass.AMBIGUOUS, {Move.SAME},
                     id="a call that may have landed, where that is not harmless"),
        pytest.param(lambda f: not f.can_probe, {Move.PROBE}, id="a look, where there is no probe"),
    ],
)  # fmt: skip
def test_never_made_by_itself_is(holds, never):
    assert not never & moves_where(holds)


def test_the_correction_of_an_irreversible_call_waits_for_a_person_and_comes_to_an_end():
    for repeat in Repeat:
        failed = Failed(
            error_class=ErrorClass.VALIDATION, effect=Effect.IRREVERSIBLE, repeat=repeat
        )

        assert choose_move(failed) is Move.HOLD
        assert choose_move(replace(failed, made=2, tries=3)) is Move.SUGGEST


def test_an_irreversible_call_that_may_have_landed_is_a_case_for_a_person():
    for failed, moves in all_moves():
        if failed.effect is Effect.IRREVERSIBLE and failed.error_class in LANDED:
            assert moves[0] is Move.ASK


def test_of_an_undeclared_call_what_may_help_is_said_unless_it_is_not_permitted():
    failed = Failed(error_class=ErrorClass.VALIDATION, effect=Effect.UNDECLARED)

    assert choose_move(failed) is Move.SUGGEST
    assert choose_move(replace(failed, error_class=ErrorClass.POLICY)) is Move.STOP


def test_what_makes_no_call_is_done_after_an_irreversible_one_too():
    conflict = Failed(error_class=ErrorClass.CONFLICT, effect=Effect.IRREVERSIBLE)
    gone = replace(conflict, error_class=ErrorClass.MISSING, repeat=Repeat.IDEMPOTENT, deletes=True)

    assert consecutive(conflict, times=3) == [Move.REREAD, Move.REREAD, Move.STOP]
    assert choose_move(gone) is Move.ADOPT


def test_a_key_the_remote_has_forgotten_makes_no_repeat_harmless():
    for error_class in LANDED:
        failed = Failed(
            error_class=error_class, effect=Effect.REVERSIBLE, repeat=Repeat.KEYED, can_probe=True
        )

        assert choose_move(failed) is Move.PROBE


def test_a_call_that_may_have_landed_with_its_last_try_is_looked_for() -> None:
    failed = Failed(
        error_class=ErrorClass.AMBIGUOUS, effect=Effect.REVERSIBLE, can_probe=True, tries=3
    )

    assert choose_move(failed) is Move.PROBE


def test_what_a_result_says_of_itself_repeats_a_read_and_never_an_action():
    for failed, _ in all_moves():
        told = replace(failed, by_words=True, nothing_done=False)
        if failed.effect is Effect.READ:
            assert choose_move(told) is choose_move(replace(told, by_words=False))
        elif failed.effect is Effect.REVERSIBLE:
            bad = replace(told, error_class=ErrorClass.BAD_RESULT)
            assert choose_move(told) is choose_move(bad)


@pytest.mark.parametrize(
    ("standing", "attempt", "attempts", "step"),
    [
        (Standing.ACCEPTED, 1, 2, Step.ACCEPT),
        (Standing.ACCEPTED, 2, 2, Step.ACCEPT),
        (Standing.UNREVIEWED, 1, 2, Step.DEFER),
        (Standing.UNREVIEWED, 2, 2, Step.DEFER),
        (Standing.REJECTED, 1, 1, Step.GIVE_UP),
        (Standing.REJECTED, 1, 2, Step.RETRY),
        (Standing.REJECTED, 2, 2, Step.GIVE_UP),
        (Standing.REJECTED, 2, 3, Step.RETRY),
        (Standing.REJECTED, 4, 3, Step.GIVE_UP),
    ],
)
def test_a_verdict_and_the_attempts_left_decide_the_step(standing, attempt, attempts, step):
    verdict = Verdict(standing=standing, confidence=None)

    assert decide(verdict, attempt=attempt, attempts=attempts) is step


def found_by(*sources: Source) -> Verdict:
    return reach_verdict(
        [Finding(rule="a.b", severity=Severity.ERROR, issue="No.", source=s) for s in sources]
    )


def test_one_retry_is_the_default_and_a_judge_alone_never_undoes_a_second_time() -> None:
    assert decide(found_by(Source.CHECK), attempt=1) is Step.RETRY
    assert decide(found_by(Source.CHECK), attempt=2) is Step.GIVE_UP
    assert decide(found_by(Source.JUDGE), attempt=1) is Step.RETRY
    assert decide(found_by(Source.JUDGE), attempt=2) is Step.DISPUTE
    assert decide(found_by(Source.JUDGE, Source.CHECK), attempt=2) is Step.GIVE_UP


def test_a_judge_alone_whose_undos_are_used_up_has_nothing_undone_and_a_check_has() -> None:
    assert decide(found_by(Source.JUDGE), attempt=1, may_undo=False) is Step.DISPUTE
    assert decide(found_by(Source.CHECK), attempt=1, may_undo=False) is Step.RETRY
    assert decide(found_by(Source.JUDGE, Source.CHECK), attempt=1, may_undo=False) is Step.RETRY


def seconds(amount: float) -> timedelta:
    return timedelta(seconds=amount)


@pytest.mark.parametrize(
    ("tries", "ceiling"), [(1, 0.2), (2, 0.4), (3, 0.8), (6, 6.4), (7, 10.0), (20, 10.0)]
)
def test_the_wait_doubles_from_a_fifth_of_a_second_to_ten(tries, ceiling):
    backoff = Backoff()

    assert backoff.compute_wait(tries=tries, chance=1.0, spent=seconds(0)) == seconds(ceiling)
    assert backoff.compute_wait(tries=tries, chance=0.5, spent=seconds(0)) == seconds(ceiling / 2)
    assert backoff.compute_wait(tries=tries, chance=0.0, spent=seconds(0)) == seconds(0)


@given(
    tries=st.integers(1, 30),
    chance=st.floats(0, 1),
    spent=st.floats(0, 70),
    asked=st.none() | st.floats(0, 90),
)
def test_a_wait_is_jittered_honours_the_remote_and_never_exceeds_the_total(
    tries, chance, spent, asked
):
    wanted = None if asked is None else seconds(asked)

    wait = Backoff().compute_wait(tries=tries, chance=chance, spent=seconds(spent), asked=wanted)

    at_least = wanted or seconds(0)
    if wait is None:
        assert seconds(spent) + max(seconds(10), at_least) > seconds(60)
    else:
        assert at_least <= wait <= max(seconds(10), at_least)
        assert seconds(spent) + wait <= seconds(60)


def test_a_remote_that_asks_for_longer_than_there_is_gets_no_further_try():
    backoff = Backoff()

    assert backoff.compute_wait(tries=1, chance=0.1, spent=seconds(0), asked=seconds(61)) is None
    assert backoff.compute_wait(tries=1, chance=0.1, spent=seconds(31), asked=seconds(30)) is None
    assert backoff.compute_wait(
        tries=1, chance=0.1, spent=seconds(30), asked=seconds(30)
    ) == seconds(30)
