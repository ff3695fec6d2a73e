"""Languages: which one a message is in, and what each must bring."""

from __future__ import annotations

import re
from datetime import datetime

import pytest
from msgspec.structs import astuple, replace

from mulligan_dates.english import ENGLISH
from mulligan_dates.languages import (
    LANGUAGES,
    choose_language,
    choose_prose,
    choose_requests,
    is_understood,
)
from mulligan_dates.lexicon import (
    FIRST,
    find_stems,
    has_picking_words,
    join_words,
    list_folders,
    list_in_order,
    list_languages,
    list_months,
    list_weekdays,
    load_lexicon,
    load_others,
    load_tables,
    load_words,
)
from mulligan_dates.reader import find_expressions, find_meaning
from mulligan_dates.readings import Moment
from mulligan_dates.tables import (
    IN_FIGURES,
    NEVER,
    DayPart,
    RequestPhrases,
    Table,
    Unit,
    Which,
    Words,
    build_table,
    build_words,
)
from mulligan_dates.tokens import END, tokenize

NOW = Moment(now=datetime(2026, 11, 18, 10))
GROUPS = {
    "comparison": {"words", "number"},
    "rank": {"first", "last"},
    "extreme": {"sort", "most", "what"},
    "either": {"ah", "am", "ap", "bh", "bm", "bp"},
    "same": {"what", "one", "two", "three"},
}
FRENCH = "Le rendez-vous est le 2026-03-13, et pas dans le bureau pour nous."


def choose(said: str, locale: str | None = None) -> str | None:
    words = choose_language(tokenize(said), locale=locale)
    return words.name if words else None


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Move dinner to Friday", "English"),
        ("Sushi Friday, waffles Saturday", "English"),
        ("17:00", "English"),
        ("Meet Juan de la Cruz at the bar on Friday", "English"),
        ("Verschiebe das Abendessen auf Freitag", "German"),
        ("Sushi Freitag", "German"),
        ("übermorgen", "German"),
        ("Lunch mit dem Team am Freitag um 7", "German"),
    ],
)
def test_the_language_is_the_one_that_knows_most_of_the_words(said: str, name: str) -> None:
    assert choose(said) == choose(said, "en-US") == name


@pytest.mark.parametrize(
    "said",
    [
        "Réserve une table pour vendredi à 18:00 avec Anne",
        "Reserva una mesa para el viernes a las 18:00",
        "Prenota un tavolo per venerdì alle 18:00",
        "Zet een afspraak voor vrijdag om 18:00",
        "Spotkanie w piątek o 18:00 z Anną",
        "Möte på fredag klockan 18:00",
        "来週の金曜日18:00に会議を入れて",
        "В пятницу в 18:00 встреча с Анной",
        "يوم الجمعة الساعة 18:00",
    ],
)
def test_a_message_in_an_unknown_language_is_not_read_at_all(said: str) -> None:
    assert choose(said) is None
    assert find_expressions(said, NOW) == []
    assert choose_requests(said).to_come is NEVER


def test_a_locale_settles_what_the_words_leave_open() -> None:
    assert choose("am 3.12.") == "English"
    assert choose("am 3.12.", "de-AT") == "German"
    assert choose("3.12.", "fr-FR") == "English", "figures are the same in every language"
    assert choose("Book it on 3.12.", "de-DE") == "English"
    assert choose_requests("Payroll Henderson") is LANGUAGES["en"].requests


def test_a_language_is_a_folder_and_english_is_the_first() -> None:
    codes = [load_lexicon(folder)["code"] for folder in list_folders()]

    assert codes == list(LANGUAGES)
    assert {*codes, *load_others()} <= list_languages()
    assert not {*load_others()} & {*LANGUAGES}
    assert (list_folders()[0], LANGUAGES[codes[0]].name) == (FIRST, "English")


def list_meanings(table: Table[object]) -> set[object]:
    """What single words of a table stand for."""
    found = (table.match([*tokenize(word), END], 0) for word in table if word in table)
    return {each[0] for each in found if each}


@pytest.mark.parametrize("words", LANGUAGES.values(), ids=list(LANGUAGES))
def test_every_language_has_all_that_the_rules_need(words: Words) -> None:
    counted = {Unit.DAY, Unit.WEEK, Unit.MONTH, Unit.YEAR, Unit.HOUR, Unit.MINUTE}
    clauses = words.clauses

    assert counted <= list_meanings(words.units)
    assert {*DayPart} <= list_meanings(words.parts)
    assert {Which.LAST, Which.THIS, Which.NEXT} <= list_meanings(words.which)
    assert [word for word in clauses.moving if not clauses.doing.opens(word)] == []
    assert words.twisting.isdisjoint(words.harmless)
    for name, groups in GROUPS.items():
        pattern = getattr(words.requests, name)
        assert pattern is NEVER or set(pattern.groupindex) == groups
    for number, month in enumerate(words.prose.months, 1):
        for written in (month, month[:3].capitalize()):
            found = words.prose.dates.search(f"3 {written} 2026")
            assert found is not None
            assert words.prose.find_month(found["name2"]) == number


def test_what_a_language_leaves_out_is_never_found_and_figures_are_read_in_any() -> None:
    patterns = [each for each in astuple(RequestPhrases()) if isinstance(each, re.Pattern)]
    found = choose_prose(FRENCH).dates.search(FRENCH)

    assert not any(pattern.search("home twice if my") for pattern in patterns)
    assert choose_prose(FRENCH).dates is IN_FIGURES
    assert found is not None
    assert found["day"] == "13"


def test_another_language_is_other_tables_under_the_same_rules() -> None:
    german = replace(
        ENGLISH,
        name="German",
        days=build_table({0: "heute", 1: "morgen", 2: "übermorgen"}),
        weekdays=build_table({4: "freitag | freitags"}),
        which=build_table({Which.THIS: "diesen", Which.NEXT: "nächsten"}),
        before_hour=build_words("um"),
        glue=build_words("um | am | ,"),
    )

    tomorrow = find_meaning("morgen um 15:30", NOW, words=german)
    friday = find_meaning("am nächsten Freitag", NOW, words=german)

    assert [str(each.start) for each in tomorrow.readings] == ["2026-11-19 15:30:00"]
    assert [str(each.start.date()) for each in friday.readings] == ["2026-11-20", "2026-11-27"]


def test_the_longest_entry_of_a_table_wins() -> None:
    table = build_table({1: "day", 2: "day after", 3: "day after tomorrow"})

    assert table.match([*tokenize("day after tomorrow"), END], 0) == (3, 3)
    assert table.match([*tokenize("day after all"), END, END], 0) == (2, 2)
    assert table.match([*tokenize("night"), END], 0) is None


def test_words_that_name_nothing_are_left_out_of_stems() -> None:
    assert find_stems("Please delete the dinners") == {"delet", "din"}


def test_a_list_holds_the_words_of_all_languages_in_their_order() -> None:
    months = list_months()

    assert {"except", "außer"} <= load_words("words", "picked")
    assert {"to", "bis"} <= {*load_tables("grounding.toml")["words"]["between"]}
    assert {months[name] for name in ("march", "märz", "mars", "marzo", "maart", "março")} == {3}
    assert {"friday", "freitag"} <= {*list_weekdays()}
    names = list(months)
    assert names.index("september") < names.index("sept") < names.index("sep")
    assert list_in_order("fields", "title")[:2] == ("title", "name")
    assert join_words("no such table", "no such list") == "(?!)"


def test_a_message_is_understood_in_a_language_that_has_a_folder() -> None:
    assert is_understood("Lösche das Abendessen")
    assert not is_understood("Supprime le dîner avec les amis")
    assert has_picking_words("Delete all but the dinner")
    assert not has_picking_words("Delete the dinner")
