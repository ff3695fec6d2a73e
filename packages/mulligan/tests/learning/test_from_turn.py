from __future__ import annotations

import json

import pytest

from mulligan.learning.suggest import from_turn
from mulligan.types.effect import Effect
from mulligan.types.lesson import Earlier, Kind
from tests.learning.failures import failed

ORDERS = Earlier(tool="get_user", result=json.dumps({"orders": ["#W9502127", "#W1436802"]}))


def test_a_slip_in_what_the_person_said_is_noticed() -> None:
    call = failed(
        {"first_name": "Daki", "zip": "80273"},
        error="user not found",
        said=("I am Daiki Johnson, zip code 80273.",),
    )

    (found,) = from_turn(call)

    assert found.patch.changes == {"first_name": "Daiki"}
    assert found.kinds == (Kind.MENTIONED,)


def test_a_slip_in_an_id_that_a_result_of_this_turn_holds_is_noticed() -> None:
    call = failed({"order_id": "#9502127"}, error="Order not found", earlier=(ORDERS,))

    (found,) = from_turn(call)

    assert found.patch.changes == {"order_id": "#W9502127"}
    assert found.kinds == (Kind.FOUND,)


def test_the_other_value_the_person_gave_is_offered() -> None:
    call = failed(
        {"email": "ann1@example.com"},
        error="User not found",
        said=("Use ann1@example.com, and if that fails ann2@example.com.",),
    )

    (found,) = from_turn(call)

    assert found.patch.changes == {"email": "ann2@example.com"}


def test_the_only_value_of_its_kind_replaces_one_that_says_nothing() -> None:
    only = Earlier(tool="get_user", result={"orders": ["#W9502127"]})

    (found,) = from_turn(failed({"order_id": "│"}, error="Order not found", earlier=(only,)))

    assert found.patch.changes == {"order_id": "#W9502127"}


@pytest.mark.parametrize(
    ("arguments", "error", "said", "earlier"),
    [
        ({"order_id": "│"}, "Order not found", (), (ORDERS,)),
        ({"order_id": "#W111"}, "Order not found", (), (ORDERS,)),
        ({"order_id": "#W9502127"}, "503 Service Unavailable", (), (ORDERS,)),
        (
            {"order_id": "#9502127"},
            "Order not found",
            (),
            (Earlier(tool="x", result=ORDERS.result, failed=True),),
        ),
        ({"email": "a1@b.c"}, "not found", ("Try a1@b.c, a2@b.c or a3@b.c",), ()),
    ],
)
def test_where_several_could_be_meant_or_none_nothing_is_offered(
    arguments, error, said, earlier
) -> None:
    assert list(from_turn(failed(arguments, error=error, said=said, earlier=earlier))) == []


def test_what_was_tried_already_is_not_offered_again() -> None:
    tried = Earlier(tool="find_order", arguments={"email": "ann2@example.com"}, failed=True)
    call = failed(
        {"email": "ann1@example.com"},
        error="User not found",
        said=("Use ann1@example.com or ann2@example.com.",),
        earlier=(tried,),
    )

    assert list(from_turn(call)) == []


def test_a_guess_is_made_only_for_a_call_that_changes_nothing() -> None:
    said = ("Use ann1@example.com, and if that fails ann2@example.com.",)
    call = failed(
        {"email": "ann1@example.com"},
        error="User not found",
        said=said,
        effect=Effect.UNDECLARED,
    )

    assert list(from_turn(call)) == []


def test_what_was_built_from_the_persons_words_is_not_cut_back_to_them() -> None:
    call = failed({"order_id": "#W9502126"}, error="not found", said=("It is 9502126.",))

    assert list(from_turn(call)) == []
