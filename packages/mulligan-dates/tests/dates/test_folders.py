"""A language is a folder: what is in it is found, and nothing else has to name it."""

from __future__ import annotations

from mulligan_dates.languages import LANGUAGES
from mulligan_dates.lexicon import (
    FIRST,
    list_folders,
    list_languages,
    load_common_words,
    load_lexicon,
    load_others,
    load_tables,
    read_file,
)


def test_every_folder_is_a_language_that_is_read_and_told_apart() -> None:
    codes = [load_lexicon(folder)["code"] for folder in list_folders()]

    assert codes == list(LANGUAGES)
    assert {*codes} <= list_languages()
    assert all(load_common_words()[code] for code in codes)


def test_english_is_the_one_where_nothing_tells() -> None:
    assert list_folders()[0] == FIRST
    assert next(iter(LANGUAGES.values())).name == "English"


def test_a_file_of_a_folder_is_read_as_text() -> None:
    assert 'code = "de"' in read_file("german", "lexicon.toml")


def test_what_languages_have_for_one_check_is_put_together() -> None:
    between = load_tables("grounding.toml")["words"]["between"]

    assert "to" in between
    assert "bis" in between
    assert load_tables("no such file") == {}


def test_a_language_without_a_folder_is_told_apart_only() -> None:
    assert not {*load_others()} & {*LANGUAGES}
    assert {*load_others()} <= list_languages()
