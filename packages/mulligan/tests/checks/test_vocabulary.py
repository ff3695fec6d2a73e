from __future__ import annotations

import pytest

from mulligan.checks.text import avoids, mentions, retired
from tests.checks.replies import findings, rules

UNWANTED = ("delve", "tapestry", "landscape of", "realm of", "testament to", "C++", "风景")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("We go deep.", []),
        ("Let's delve into our options.", ["delve"]),
        ("Delve!", ["delve"]),
        ("DELVE", ["delve"]),
        ("We delved; she delves; delving.", ["delve"]),
        ("delver of delvery", []),
        ("An indelved word", []),
        ("de​lve", ["delve"]),  # with a space of no width inside
        ("de­lve", ["delve"]),
        ("ｄｅｌｖｅ", ["delve"]),
        ("**Del**ve", ["delve"]),
        ("_delve_ into", ["delve"]),
        ("“delve”", ["delve"]),
        ("(delve)", ["delve"]),
        ("delve's", ["delve"]),
        ("`delve()` is a function", []),
        ("```python\ndelve()\n```", []),
        ("~~~\ndelve\n~~~", []),
        ("    delve(into=code)", []),
        ("[our page](https://example.com/delve)", []),
        ("[let us delve](https://example.com)", ["delve"]),
        ("![delve](picture.png)", []),
        ("https://example.com/delve", []),
        ("| a | b |\n|---|---|\n| delve | 1 |", []),
        ("# Delve deeper", ["delve"]),
        ("- delve", ["delve"]),
        ("> delve", ["delve"]),
        ("tapestries of", ["tapestry"]),
        ("the landscape\nof tools", ["landscape of"]),
        ("the landscapes of tools", ["landscape of"]),
        ("a landscape often seen", []),
        ("landscape, of course", []),
        ("a testament-to", ["testament to"]),
        ("It is written in C++.", ["C++"]),
        ("It is written in C.", []),
        ("这里的风景很美。", ["风景"]),
        ("delve &amp; realm of", ["delve", "realm of"]),
        ("delve and delve again", ["delve"]),
    ],
)
def test_unwanted_words_are_found_whole_in_any_form_and_only_in_prose(
    text: str, words: list[str]
) -> None:
    found = findings(avoids(words=UNWANTED), text)

    assert [each.issue.split("'")[1] for each in found] == words


def test_a_finding_quotes_the_place_as_it_was_written() -> None:
    (finding,) = findings(avoids(words=["delve"]), "Today we DELVE into **pricing**.")

    assert finding.quote == "Today we DELVE into pricing."
    assert finding.correction == "Say it without 'delve'."


def test_a_sign_is_found_wherever_it_stands() -> None:
    assert rules(avoids(words=[","]), "One, two") == ["text.unwanted_word"]
    assert rules(avoids(words=[","]), "One and `f(a, b)`") == []


def test_inflections_can_be_switched_off() -> None:
    assert rules(avoids(words=["delve"], inflect=False), "She delves.") == []


TERMS = ("digital transformation", "AI prompt optimization")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("Our Digital Transformation service helps.", 1),
        ("our digital transformation service", 1),
        ("DIGITAL TRANSFORMATION", 1),
        ("digital transformations", 1),
        ("digital-transformation", 1),
        ("digital‑transformation", 1),
        ("digital\u00a0transformation", 1),
        ("digital\ntransformation", 1),
        ("digital   transformation", 1),
        ("**digital** transformation", 1),
        ("*digital* _transformation_", 1),
        ("[digital transformation](https://example.com)", 1),
        ("digital transformation's end", 1),
        ("“Digital Transformation”", 1),
        ("digital. Transformation", 0),
        ("digital and analogue transformation", 0),
        ("predigital transformation", 0),
        ("digital transformational", 0),
        ("`digital transformation`", 0),
        ("```\ndigital transformation\n```", 0),
        ("[x](https://example.com/digital transformation)", 0),
        ("AI prompt optimization", 1),
        ("ai-prompt optimizations", 1),
        ("AI prompts optimization", 1),
        ("AI prompt and optimization", 0),
        ("Digital transformation and AI prompt optimization", 2),
        ("| service |\n|---|\n| digital transformation |", 0),
    ],
)
def test_retired_terms_are_found_however_they_are_written(text: str, count: int) -> None:
    assert rules(retired(terms=TERMS), text) == ["text.retired_term"] * count


def test_a_retired_term_is_replaced_where_the_new_one_is_known() -> None:
    check = retired(terms={"Web Hosting": "Cloud Hosting", "fax": ""})

    (finding,) = findings(check, "Our web hosting is good.")

    assert finding.correction == "Say 'Cloud Hosting' instead."
    assert check.mend is not None
    assert check.mend("Our web hosting, by fax.") == "Our Cloud Hosting, by fax."
    assert retired(terms=["fax"]).mend is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("apple pear apple", []),
        ("apple pear", ["text.missing_word"]),
        ("apple apple apple pear apple", ["text.repeated_word"]),
        ("apples apple pears", []),
        ("", ["text.missing_word", "text.missing_word"]),
    ],
)
def test_words_that_must_be_said_are_counted(text: str, found: list[str]) -> None:
    check = mentions(words=["apple", "pear"], at_least=1, at_most=3)
    twice = mentions(words=["apple"], at_least=2, at_most=3)

    assert sorted({*rules(check, text), *rules(twice, text)}) == sorted(set(found))
