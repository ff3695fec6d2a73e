from __future__ import annotations

from mulligan.checks.grounding.estimate import SUPPORTED, estimate_support

CONTEXT = ("The harbour ferry leaves every 20 minutes from the northern pier.",)


def test_a_number_that_is_nowhere_lowers_the_estimate() -> None:
    right = estimate_support("The harbour ferry leaves every 20 minutes.", context=CONTEXT)
    wrong = estimate_support("The harbour ferry leaves every 45 minutes.", context=CONTEXT)

    assert right > wrong
    assert right > SUPPORTED


def test_other_words_are_not_supported() -> None:
    assert estimate_support("Wolves hunt deer in winter.", context=CONTEXT) < SUPPORTED
