from __future__ import annotations

from mulligan.checks.grounding import measure_coverage

CONTEXT = ("The harbour ferry leaves every twenty minutes from the northern pier.",)


def test_the_same_words_cover_and_other_words_do_not() -> None:
    assert (
        measure_coverage("The harbour ferry leaves every [1] twenty minutes.", context=CONTEXT)
        == 1.0
    )
    assert measure_coverage("Wolves hunt deer in snowy forests.", context=CONTEXT) == 0.0


def test_inflection_and_order_do_not_matter_much() -> None:
    assert measure_coverage("Leaving ferries at harbour", context=CONTEXT) > 0.2


def test_it_cannot_tell_the_opposite() -> None:
    assert measure_coverage("The ferry never leaves from the northern pier.", context=CONTEXT) > 0.2


def test_a_claim_of_one_word_is_not_held_against_anything() -> None:
    assert measure_coverage("Yes.", context=()) == 1.0
