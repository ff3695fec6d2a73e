"""Words of names and sentences."""

from __future__ import annotations

from mulligan_dates.languages import is_understood
from mulligan_dates.lexicon import (
    find_stems,
    has_picking_words,
    join_words,
    list_in_order,
    list_months,
    list_weekdays,
    load_words,
)


def test_words_that_name_nothing_are_left_out_of_stems() -> None:
    assert find_stems("Please delete the dinners") == {"delet", "din"}


def test_every_list_of_the_language_holds_words() -> None:
    assert "id" in load_words("kinds", "id")
    assert "delete" in load_words("deeds", "remove")


def test_a_list_holds_the_words_of_all_languages() -> None:
    assert {"except", "außer"} <= load_words("words", "picked")
    assert has_picking_words("Delete all but the dinner")
    assert not has_picking_words("Delete the dinner")


def test_what_nobody_described_is_not_understood() -> None:
    assert is_understood("Lösche das Abendessen")
    assert not is_understood("Supprime le dîner avec les amis")


def test_months_are_known_in_every_language_that_is_told_apart() -> None:
    months = list_months()

    assert {months[name] for name in ("march", "märz", "mars", "marzo", "maart", "março")} == {3}
    assert (months["sept"], months["dez"]) == (9, 12)
    assert "märz" not in list_weekdays()
    assert {"friday", "freitag"} <= {*list_weekdays()}


def test_of_two_names_that_begin_alike_a_pattern_tries_the_longer_one_first() -> None:
    names = list(list_months())

    assert names.index("september") < names.index("sept") < names.index("sep")
    assert join_words("fields", "ends").split("|")[0] == "finish"


def test_a_list_keeps_its_order_where_that_matters() -> None:
    assert list_in_order("fields", "title")[:2] == ("title", "name")
    assert join_words("no such table", "no such list") == "(?!)"
