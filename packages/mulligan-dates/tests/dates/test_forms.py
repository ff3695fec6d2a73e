from __future__ import annotations

from mulligan_dates.german import inflect, list_cardinals, list_ordinals, list_rewrites


def test_a_word_has_all_its_endings() -> None:
    assert inflect("letzt") == "letzte | letzten | letzter | letztes | letztem"


def test_numbers_are_one_word_up_to_99() -> None:
    numbers = list_cardinals()

    assert (numbers["eins"], numbers["zwölf"], numbers["siebzehn"]) == (1, 12, 17)
    assert (numbers["zwanzig"], numbers["einundzwanzig"], numbers["neunundneunzig"]) == (20, 21, 99)


def test_ordinals_bend_and_a_few_are_irregular() -> None:
    ordinals = list_ordinals()

    assert {ordinals[word] for word in ("erste", "ersten", "erster")} == {1}
    assert (ordinals["dritten"], ordinals["siebte"], ordinals["achten"]) == (3, 7, 8)
    assert (ordinals["zwanzigsten"], ordinals["einundzwanzigste"]) == (20, 21)


def test_days_and_their_parts_join_and_letters_may_be_written_out() -> None:
    rewrites = list_rewrites("nächsten", "Montag")

    assert rewrites["donnerstagnachmittag"] == ("donnerstag", "nachmittag")
    assert rewrites["naechsten"] == ("nächsten",)
    assert "Montag" not in rewrites
