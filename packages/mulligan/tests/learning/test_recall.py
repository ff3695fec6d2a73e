"""Which lessons speak up about a failure, and what they are allowed to say."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from mulligan.learning.decide import may_apply
from mulligan.learning.fingerprint import compute_fingerprint, mask_error
from mulligan.learning.lessons import build_suggestion, revoke
from mulligan.learning.recall import Outcomes, build_chance, find_other_request, from_memory
from mulligan.learning.suggest import suggest_corrections
from mulligan.types.effect import Effect, Mode
from mulligan.types.failure import ErrorClass
from mulligan.types.lesson import Earlier, FailedCall, How, Lesson, LessonState, Remedy, Suggestion
from tests.learning.cases import HASHED, NOW, calling, changing, lesson, made
from tests.learning.failures import failed, obj

ERROR = "Order W27 not found"
ORDER = obj("order_id", order_id={"type": "string"})


def order(order_id: str = "W27", **others: object) -> FailedCall:
    error = f"Order {order_id} not found"
    return failed({"order_id": order_id}, error=error, tool="get_order", schema=ORDER, **others)  # type: ignore[arg-type]


def fitting(**fields: object) -> Lesson:
    masked = mask_error(ERROR, {"order_id": "W27"})
    told = {
        "fingerprint": compute_fingerprint("get_order", masked),
        "when": masked,
        "seen": 3,
        "of": 3,
    }
    return lesson(**{**told, **fields})


def recalled(call: FailedCall, lessons: Sequence[Lesson]) -> tuple[Suggestion, ...]:
    memory = from_memory(lessons, chance=build_chance(Outcomes(), {}))
    return suggest_corrections(call, sources=(memory,))


def test_a_lesson_speaks_about_its_pattern_with_the_values_at_hand() -> None:
    (found,) = recalled(order("X99"), [fitting(state=LessonState.ACTIVE)])

    assert found.patch.changes == {"order_id": "#X99"}
    assert found.lesson == "lesson-1"
    assert found.n == 3


def test_only_a_proven_lesson_is_applied_by_itself() -> None:
    (candidate,) = recalled(order(), [fitting()])
    (active,) = recalled(order(), [fitting(state=LessonState.ACTIVE)])

    assert not may_apply(candidate, order(), mode=Mode.AUTO)
    assert may_apply(active, order(), mode=Mode.AUTO)


@pytest.mark.parametrize("state", [LessonState.QUARANTINED, LessonState.RETIRED])
def test_a_lesson_that_is_over_says_nothing(state: LessonState) -> None:
    assert recalled(order(), [fitting(state=state)]) == ()


def test_a_revoked_lesson_says_nothing_from_then_on() -> None:
    known = fitting(state=LessonState.ACTIVE)

    assert recalled(order(), [known])
    assert recalled(order(), [revoke(known, by="ann", at=NOW)]) == ()


def test_a_nearer_lesson_is_believed_more() -> None:
    other = fitting(
        id="other", fingerprint="1:x", remedy=changing(made("order_id", How.CASE, case="lower"))
    )

    first, second = recalled(order(), [other, fitting()])

    assert first.lesson == "lesson-1"
    assert first.probability > second.probability


def test_a_lesson_that_would_leave_another_fault_is_not_told() -> None:
    schema = obj("order_id", order_id={"type": "string"}, limit={"type": "integer"})
    broken = failed(
        {"order_id": "W27", "limit": "many"}, error=ERROR, tool="get_order", schema=schema
    )

    assert recalled(order(), [fitting()])
    assert recalled(broken, [fitting()]) == ()


CODED = changing(made("airport", How.CASE, case="upper"))
CODES = obj("airport", airport={"type": "string"})
BAD_CODE = "airport txl is not known here"


def carried(**fields: object) -> Lesson:
    """What other tools have taught about errors in these words."""
    told = {"tool": "", "fingerprint": "words:known", "when": "known here", "remedy": CODED}
    return fitting(**{**told, **fields})


@pytest.mark.parametrize(
    ("schema", "error", "told"),
    [
        (CODES, BAD_CODE, True),
        (CODES, "'txl' is not known here", True),
        (CODES, "that is not known here", False),
        (obj("city", city={"type": "string"}), BAD_CODE, False),
        ({}, BAD_CODE, False),
    ],
    ids=["named", "quoted", "not named", "another parameter", "no schema"],
)
def test_another_tools_lesson_speaks_only_of_a_shared_argument_that_the_error_names(
    schema: dict[str, object], error: str, told: bool
) -> None:
    found = recalled(failed({"airport": "txl"}, error=error, schema=schema), [carried()])

    assert [each.patch.changes for each in found] == ([{"airport": "TXL"}] if told else [])


def test_another_tools_lesson_leaves_nothing_out() -> None:
    dropping = carried(remedy=changing(made("airport", How.DROP)))

    assert recalled(failed({"airport": "txl"}, error=BAD_CODE, schema=CODES), [dropping]) == ()


def test_another_tools_lesson_calls_only_tools_that_are_there() -> None:
    touching = calling("touch", made("name", How.FROM_ARGUMENT, of="file"))
    known = carried(remedy=touching, when="no such file here")
    said, schema = "b.txt: no such file here", obj(file={"type": "string"})
    call = failed({"file": "b.txt"}, error=said, schema=schema, tools=("touch",))

    there = recalled(call, [known])
    gone = recalled(failed({"file": "b.txt"}, error=said, schema=schema, tools=("rm",)), [known])

    assert [str(each.patch) for each in there] == ["call touch(name='b.txt') first"]
    assert gone == ()


OTHER_REQUESTS = [
    changing(made("order", How.PREFIX, text="9")),
    changing(made("order", How.FROM_ARGUMENT, of="other")),
    changing(made("only_mine", How.DROP)),
    changing(made("amount", How.FROM_ERROR, what="number", at=0)),
]


@pytest.mark.parametrize(
    "remedy", OTHER_REQUESTS, ids=["another id", "another's value", "wider", "how much"]
)
def test_what_asks_for_something_else_is_no_suggestion_and_is_for_the_person_to_say(
    remedy: Remedy,
) -> None:
    arguments = {"order": "1", "other": "2", "only_mine": True, "amount": 299}
    error = "refused: the price is 375"
    masked = mask_error(error, arguments)
    known = fitting(
        tool="cancel",
        remedy=remedy,
        when=masked,
        fingerprint=compute_fingerprint("cancel", masked),
        state=LessonState.ACTIVE,
    )
    text = {"type": "string"}
    schema = obj(order=text, other=text, only_mine={"type": "boolean"}, amount={"type": "number"})
    call = failed(arguments, error=error, tool="cancel", schema=schema)

    assert recalled(call, [known]) == ()
    assert find_other_request(call, [known]) == known


def test_what_was_seen_once_or_on_another_tool_is_not_asked_for() -> None:
    wider = changing(made("order_id", How.DROP))

    assert find_other_request(order(), [fitting(remedy=wider, seen=1, of=1)]) is None
    assert find_other_request(order(), [fitting(remedy=wider, tool="")]) is None
    assert find_other_request(order(), [fitting()]) is None


def test_a_constant_is_never_put_into_a_locked_field() -> None:
    poisoned = lesson(changing(made("recipient", How.CONSTANT, value="mallory")))

    assert build_suggestion(poisoned, failed({"recipient": "ann"}, error="no")) is None


@pytest.mark.parametrize(("effect", "offered"), [(Effect.READ, True), (Effect.UNDECLARED, False)])
def test_one_case_is_too_little_to_put_another_thing_into_a_write(
    effect: Effect, offered: bool
) -> None:
    seen = changing(
        made("order_id", How.FROM_TURN, tool="get_user", **{"in": "result", "key": "last", "at": 0})
    )
    earlier = (Earlier(tool="get_user", result={"last": "W5"}),)
    call = order(order_id="", earlier=earlier, effect=effect)

    found = recalled(call, [fitting(remedy=seen, seen=1, of=1, when="order not found")])

    assert bool(found) is offered


def test_what_a_policy_forbids_is_not_probed_with_other_arguments() -> None:
    known = fitting(remedy=HASHED, state=LessonState.ACTIVE)

    found = recalled(order(effect=Effect.IRREVERSIBLE, error_class=ErrorClass.POLICY), [known])

    assert all(not may_apply(each, order(), mode=Mode.SUGGEST) for each in found)
