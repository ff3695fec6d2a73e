"""Objects that were seen, and are others than those that were asked for."""

from __future__ import annotations

import pytest

from mulligan.checks.parameters import ToolShape
from mulligan.checks.relations import right_ones
from mulligan.checks.standard import StandardChecks
from mulligan.types.effect import Effect
from mulligan.types.finding import Finding
from tests.checks.attempts import attempt, ran

CHECKS = StandardChecks(
    lambda call: ToolShape(
        tool=call.tool,
        effect=Effect.READ if call.tool.startswith(("get", "find")) else Effect.REVERSIBLE,
    )
)
FIRST = ran(
    "get_orders",
    result=[
        {
            "order_id": "W1",
            "user_id": "ann_7",
            "items": [{"item_id": "111", "name": "Lamp"}, {"item_id": "222", "name": "Bottle"}],
            "payment_history": [{"type": "payment", "payment_method_id": "card_1"}],
        },
        {
            "order_id": "W2",
            "user_id": "ann_7",
            "items": [{"item_id": "333", "name": "Boots"}],
            "payment_history": [{"type": "refund", "payment_method_id": "card_2"}],
        },
    ],
)
BOTTLES = ran(
    "get_product",
    result={
        "name": "Bottle",
        "variants": {
            "222": {"item_id": "222", "options": {"colour": "red", "material": "glass"}},
            "223": {"item_id": "223", "options": {"colour": "blue", "material": "glass"}},
            "224": {"item_id": "224", "options": {"colour": "green", "material": "steel"}},
        },
    },
)


def look(said: str, *executions) -> list[Finding]:
    return list(CHECKS(attempt(said, *executions)))


def rules(said: str, *executions) -> set[str]:
    return {each.rule for each in look(said, *executions)}


def test_a_part_of_one_object_is_not_given_with_another() -> None:
    mixed = ran("return_items", {"order_id": "W2", "item_ids": ["222"]})
    right = ran("return_items", {"order_id": "W1", "item_ids": ["222"]})

    assert rules("Return the bottle", FIRST, mixed) == {"object.part_of_another"}
    assert rules("Return the bottle", FIRST, right) == set()


def test_what_an_object_only_refers_to_may_be_given_with_any() -> None:
    paid = ran("change_payment", {"order_id": "W1", "payment_method_id": "card_2"})

    assert rules("Pay W1 with card_2", FIRST, paid) == set()


def test_an_object_of_somebody_else_than_the_person_looked_up_is_flagged() -> None:
    known = ran("find_user", {"email": "ann@x.org"}, result={"user_id": "ann_7"})
    others = ran("get_open_orders", result=[{"order_id": "W9", "user_id": "bob_3"}])
    cancel = ran("cancel_order", {"order_id": "W9"})

    assert rules("I am ann@x.org. Cancel the order", known, FIRST, others, cancel) == {
        "object.of_somebody_else"
    }
    assert rules("I am ann@x.org, cancel bob_3's", known, FIRST, others, cancel) == set()
    assert rules("Cancel the order", FIRST, others, cancel) == set()


def swap(new: str):
    return ran("exchange_items", {"order_id": "W1", "item_ids": ["222"], "new_item_ids": [new]})


@pytest.mark.parametrize(
    ("said", "new", "found"),
    [
        ("Exchange the bottle for a blue bottle", "224", {"object.not_as_said"}),
        ("Exchange the bottle for a blue bottle", "223", set()),
        # Two were named, none was, or the word is not a wish.
        ("Exchange the bottle for a blue or green bottle", "224", set()),
        ("Exchange the bottle for another bottle", "224", set()),
        ("Exchange the bottle, but not for a blue one", "224", set()),
        # It is what the one that is replaced looks like.
        ("Exchange my red bottle", "224", set()),
        # It is said of something else.
        ("Exchange the bottle. The blue boots are fine", "224", set()),
    ],
)
def test_an_object_that_was_described_otherwise_is_flagged(said: str, new: str, found) -> None:
    boots = ran(
        "get_boots",
        result={
            "name": "Boots",
            "variants": {
                "333": {"item_id": "333", "options": {"colour": "blue"}},
                "334": {"item_id": "334", "options": {"colour": "black"}},
            },
        },
    )

    assert rules(said, FIRST, boots, BOTTLES, swap(new)) == found


def test_a_thing_is_not_replaced_by_another_sort_that_was_not_named() -> None:
    swapped = ran(
        "exchange_items", {"order_id": "W1", "item_ids": ["222"], "new_item_ids": ["333"]}
    )

    assert rules("Exchange the bottle", FIRST, swapped) == {"object.not_as_said"}
    assert rules("Exchange the bottle for boots", FIRST, swapped) == set()


SEATS = {
    "name": "Lamp",
    "variants": {
        "71": {"item_id": "71", "price": 40, "color": "black", "available": True},
        "72": {"item_id": "72", "price": 25, "color": "white", "available": True},
        "73": {"item_id": "73", "price": 30, "color": "black", "available": True},
        "74": {"item_id": "74", "price": 10, "color": "black", "available": False},
    },
}


@pytest.mark.parametrize(
    ("said", "item", "warned"),
    [
        ("Order the cheapest lamp.", "72", False),
        ("Order the cheapest lamp.", "71", True),
        ("Order the cheapest lamp, a black one.", "73", False),
        ("Order the cheapest lamp, a black one.", "71", True),
        ("Order the most expensive lamp.", "73", True),
        ("Order the most expensive lamp.", "71", False),
        ("Order the cheapest lamp that is smaller.", "71", False),
        ("Order a lamp.", "71", False),
        ("Bestelle bitte die billigste Lamp.", "71", True),
        ("Bestelle bitte die billigste Lamp.", "72", False),
    ],
)
def test_the_cheapest_is_the_cheapest_of_what_has_all_that_was_named(
    said: str, item: str, *, warned: bool
) -> None:
    looked = ran("show_product", {"product": "lamp"}, result=SEATS)
    check = right_ones({"order_item": ["item_id"]})

    found = [
        each.rule for each in check(attempt(said, looked, ran("order_item", {"item_id": item})))
    ]

    assert found == (["object.not_the_extreme"] if warned else [])
