from __future__ import annotations

from mulligan.checks.grounding import join_words, read_source
from mulligan.checks.quantities import find_quantities

TEXTS = (
    "The shop opened on May 3, 2019 and sells 1,500 lamps.",
    "Write to Info@Shop.example or see https://www.shop.example/sale at 7 pm: well-known.",
)


def test_every_kind_of_specific_is_read_from_the_texts() -> None:
    source = read_source(TEXTS)

    assert [(d.year, d.month, d.day) for d in source.dates] == [(2019, 5, 3)]
    assert [t.minutes for t in source.times] == [19 * 60]
    assert source.quantities.support(find_quantities("1500", [(0, 4)])[0])
    assert not source.quantities.support(find_quantities("1600", [(0, 4)])[0])
    assert source.emails == {"info@shop.example"}
    assert "shop.example/sale" in source.links
    assert {"lamps", "well-known", "well", "known"} <= source.words


def test_a_context_is_read_once_however_often_it_is_asked_for() -> None:
    assert read_source(TEXTS) is read_source(tuple(TEXTS))
    assert read_source(TEXTS) is not read_source(TEXTS[:1])


def test_a_quotation_is_looked_up_by_words_alone() -> None:
    assert join_words("so, he said: go!") == " so he said go "
