from __future__ import annotations

import pytest

from mulligan.checks.text import call_to_action
from tests.checks.replies import rules

MISSING = ["text.no_call_to_action"]


@pytest.mark.parametrize(
    ("text", "flagged"),
    [
        ("", False),
        ("We build websites.", False),
        ("It costs $500.", True),
        ("It costs $ 500.", True),
        ("500 € a month", True),
        ("500€", True),
        ("EUR 500", True),
        ("500 USD", True),
        ("five for 20 pounds", True),
        ("Our pricing is fair.", True),
        ("Prices start low.", True),
        ("Ask about the cost.", True),
        ("There is a setup fee.", True),
        ("It is priceless.", False),
        ("We are costume makers.", False),
        ("Coffee is free.", False),
        ("`price = 500`", False),
        ("```\ncost $500\n```", False),
        ("[plans](https://example.com/pricing)", False),
        ("| plan | price |\n|---|---|\n| A | $5 |", True),
        ("It costs $500. Contact us.", False),
        ("It costs $500. CONTACT us.", False),
        ("It costs $500; reach out today.", False),
        ("It costs $500; we reached\nout.", False),
        ("It costs $500. Schedule a call.", False),
        ("It costs $500. Scheduling is easy.", False),
        ("It costs $500. Book a **consultation**.", False),
        ("It costs $500. Free consultations!", False),
        ("It costs $500. [Contact us](https://example.com).", False),
        ("It costs $500. See https://example.com/contact", True),
        ("It costs $500. `contact()`", True),
        ("It costs $500. Our contactless card.", True),
        ("It costs $500. Call now.", True),
    ],
)
def test_prices_without_a_next_step_are_flagged(text: str, flagged: bool) -> None:
    assert rules(call_to_action(), text) == (MISSING if flagged else [])


def test_both_lists_are_settings() -> None:
    check = call_to_action(actions=["call now"], about=["tariff"])

    assert rules(check, "Our tariffs are low.") == MISSING
    assert rules(check, "Our tariffs are low. Call now!") == []
    assert rules(check, "Our pricing is fair.") == []


def test_a_next_step_is_added_only_where_that_was_asked_for() -> None:
    adding = call_to_action(add="Contact us for an offer.")

    assert call_to_action().mend is None
    assert adding.mend is not None
    mended = adding.mend("It costs $5.\n")
    assert mended == "It costs $5.\n\nContact us for an offer."
    assert rules(adding, mended) == []
