from __future__ import annotations

import pytest

from mulligan_dates.readings import NO_PINS, Convention, choose_pins, is_allowed


@pytest.mark.parametrize(
    ("locale", "pinned"),
    [
        ("en-US", {Convention.ORDER_MONTH}),
        ("en_CA", {Convention.ORDER_MONTH}),
        ("en-GB", {Convention.ORDER_DAY}),
        ("de-AT", {Convention.ORDER_DAY}),
        ("en", set()),
        ("zh-Hant", set()),
        ("", set()),
    ],
)
def test_a_locale_settles_the_order_of_figures_if_it_names_a_country(
    locale: str, pinned: set[Convention]
) -> None:
    assert choose_pins(locale) == pinned


def test_what_rests_on_the_other_side_of_a_pin_is_not_allowed() -> None:
    pins = frozenset({Convention.ORDER_DAY})

    assert is_allowed([Convention.ORDER_DAY, Convention.CLOCK_PM], pins)
    assert not is_allowed([Convention.ORDER_MONTH, Convention.CLOCK_PM], pins)
    assert is_allowed([Convention.ORDER_MONTH], NO_PINS)


def test_both_sides_of_a_disagreement_have_one_question() -> None:
    assert Convention.ORDER_DAY.question == Convention.ORDER_MONTH.question == "order"
