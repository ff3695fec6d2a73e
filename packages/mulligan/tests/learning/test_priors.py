from __future__ import annotations

from mulligan.learning.suggest import BY_KIND, BY_SOURCE, estimate_prior
from mulligan.types.lesson import Kind, Origin


def test_every_kind_and_every_source_has_a_prior() -> None:
    assert set(BY_KIND) == set(Kind)
    assert set(BY_SOURCE) == set(Origin)


def test_the_weakest_change_decides_and_more_changes_are_less_likely() -> None:
    alone = estimate_prior(Origin.SCHEMA, [Kind.FIRST])
    both = estimate_prior(Origin.SCHEMA, [Kind.RENAME, Kind.FIRST])

    assert alone == BY_KIND[Kind.FIRST]
    assert both < alone
    assert estimate_prior(Origin.SCHEMA, [Kind.FIRST, Kind.FIRST]) == alone


def test_a_guess_of_a_judge_is_worth_less_than_the_schema() -> None:
    judged, told = (estimate_prior(each, [Kind.ENUM]) for each in (Origin.JUDGE, Origin.SCHEMA))

    assert judged < told
    assert estimate_prior(Origin.SCHEMA, []) == BY_KIND[Kind.OTHER]
