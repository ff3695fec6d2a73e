"""The decisions of the policy, each cell of its tables."""

from __future__ import annotations

import itertools
from datetime import timedelta

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


def every_failure(*effects: Effect):
    known = itertools.product([False, True], repeat=len(SITUATIONS))
    cells = itertools.product(effects, Repeat, ErrorClass, known)
    for effect, repeat, error_class, switches in cells:
        situation = dict(zip(SITUATIONS, switches, strict=True))
        yield Failed(error_class=error_class, effect=effect, repeat=repeat, **situation)


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


@pytest.mark.parametrize("repeat", list(Repeat))
def test_a_read_is_treated_as_a_read_whatever_it_says_of_repeats(repeat):
    for failed in every_failure(Effect.READ):
        assert choose_move(replace(failed, repeat=repeat)) == choose_move(failed)


def test_no_call_is_made_more_than_three_times():
    for failed in every_failure(*Effect):
        moves = consecutive(failed, times=10)

        assert sum(move in TRIES for move in moves) <= 2


def test_every_failure_comes_to_an_end():
    final = {Move.STOP, Move.ASK, Move.SUGGEST, Move.ADOPT}
    for failed in every_failure(*Effect):
        assert consecutive(failed, times=6)[-1] in final


def test_after_three_tries_nothing_is_tried_again_though_each_failure_was_of_another_kind():
    for failed in every_failure(*Effect):
        assert choose_move(replace(failed, tries=3)) not in TRIES


@pytest.mark.parametrize("error_class", [ErrorClass.VALIDATION, ErrorClass.RULE, ErrorClass.POLICY])
def test_the_identical_call_is_never_made_again_after_it_was_refused_on_its_merits(error_class):
    for failed in every_failure(*Effect):
        moves = consecutive(replace(failed, error_class=error_class), times=4)

        assert not (REPEATS | {Move.PROBE}) & set(moves)


def test_what_a_person_or_a_policy_forbade_is_not_tried_with_other_arguments():
    for failed in every_failure(*Effect):
        for error_class in (ErrorClass.AUTH, ErrorClass.POLICY):
            moves = consecutive(replace(failed, error_class=error_class), times=4)

            assert not {Move.FIX, Move.FIX_NEW_KEY, Move.HOLD} & set(moves)


def test_an_undeclared_call_is_never_made_again():
    for failed in every_failure(Effect.UNDECLARED):
        assert not (TRIES | {Move.PROBE, Move.ADOPT, Move.HOLD}) & set(consecutive(failed, times=4))


def test_no_irreversible_call_is_ever_made_again_by_itself():
    for failed in every_failure(Effect.IRREVERSIBLE):
        assert not (TRIES | {Move.PROBE}) & set(consecutive(failed, times=4))


def test_a_call_to_be_made_once_is_made_again_only_on_proof_that_nothing_happened():
    for failed in every_failure(Effect.REVERSIBLE):
        if failed.repeat is Repeat.ONCE and not failed.nothing_done:
            assert not REPEATS & set(consecutive(failed, times=4))


@pytest.mark.parametrize("repeat", list(Repeat))
def test_the_correction_of_an_irreversible_call_waits_for_a_person(repeat):
    failed = Failed(error_class=ErrorClass.VALIDATION, effect=Effect.IRREVERSIBLE, repeat=repeat)

    assert choose_move(failed) is Move.HOLD


@pytest.mark.parametrize(
    "error_class", [ErrorClass.AMBIGUOUS, ErrorClass.BAD_RESULT, ErrorClass.TOOL_EXCEPTION]
)
def test_an_irreversible_call_that_may_have_landed_is_a_case_for_a_person(error_class):
    for failed in every_failure(Effect.IRREVERSIBLE):
        assert choose_move(replace(failed, error_class=error_class)) is Move.ASK


def test_a_call_that_may_have_landed_is_repeated_only_where_that_is_harmless():
    for failed in every_failure(Effect.REVERSIBLE):
        if failed.error_class is ErrorClass.AMBIGUOUS and choose_move(failed) is Move.SAME:
            keyed = failed.repeat is Repeat.KEYED and failed.key_alive
            assert failed.repeat is Repeat.IDEMPOTENT or keyed


def test_a_key_the_remote_has_forgotten_makes_no_repeat_harmless():
    for error_class in (ErrorClass.AMBIGUOUS, ErrorClass.BAD_RESULT, ErrorClass.TOOL_EXCEPTION):
        failed = Failed(
            error_class=error_class, effect=Effect.REVERSIBLE, repeat=Repeat.KEYED, can_probe=True
        )

        assert choose_move(failed) is Move.PROBE


def test_what_a_result_says_of_itself_repeats_a_read_and_never_an_action():
    for failed in every_failure(Effect.REVERSIBLE):
        told = replace(failed, by_words=True, nothing_done=False)
        assert choose_move(told) is choose_move(replace(told, error_class=ErrorClass.BAD_RESULT))
        read = replace(told, effect=Effect.READ)
        assert choose_move(read) is choose_move(replace(read, by_words=False))


def test_the_corrections_of_an_irreversible_call_come_to_an_end():
    failed = Failed(error_class=ErrorClass.VALIDATION, effect=Effect.IRREVERSIBLE)

    assert choose_move(replace(failed, made=2, tries=3)) is Move.SUGGEST


def test_nothing_is_probed_that_has_no_probe():
    for failed in every_failure(*Effect):
        moves = consecutive(replace(failed, can_probe=False), times=5)

        assert Move.PROBE not in moves


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


def test_a_judge_alone_never_undoes_a_second_time() -> None:
    def verdict(*sources: Source) -> Verdict:
        return reach_verdict(
            [Finding(rule="a.b", severity=Severity.ERROR, issue="No.", source=s) for s in sources]
        )

    assert decide(verdict(Source.JUDGE), attempt=1) is Step.RETRY
    assert decide(verdict(Source.JUDGE), attempt=2) is Step.DISPUTE
    assert decide(verdict(Source.JUDGE, Source.CHECK), attempt=2) is Step.GIVE_UP


def test_one_retry_is_the_default():
    verdict = Verdict(standing=Standing.REJECTED, confidence=None)

    assert [decide(verdict, attempt=n) for n in (1, 2)] == [Step.RETRY, Step.GIVE_UP]


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
