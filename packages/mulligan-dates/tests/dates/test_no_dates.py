"""Figures and words that look like a date and are none. It is Wednesday 2026-10-28, in Berlin."""

from __future__ import annotations

import pytest

from tests.dates.said import found_in


@pytest.mark.parametrize(
    "message",
    [
        "Ping 192.168.1.1 for me",
        "Ping 10.1.2.26 please",
        "Please install version 1.2.3 for me",
        "Order 2026-11-03-7781 was shipped to me",
        "Please call 555-2026-11-03 for me",
        "The id of it is 12-11-2026-5",
        "It says 3/4/5/6 on the box",
        "Please install v1.2.2026 for me",
        "The ticket is #12/3",
    ],
)
def test_a_piece_of_a_longer_figure_is_no_date(message: str) -> None:
    assert found_in(message) == {}


@pytest.mark.parametrize(
    "message",
    [
        "See section 3.4. for the rest",
        "Please read chapter 10.12 of it",
        "Please install version 10.12 for me",
        "See § 3.4. for the rest",
        "Bitte lies Kapitel 3.4. und dann das nächste",
        "Wir sind in Raum 12/3",
        "Order no. 10.12. is for me",
        "Bitte zahle die Rechnung Nr. 12/2026 für mich",
    ],
)
def test_the_number_of_a_section_or_a_version_is_no_date(message: str) -> None:
    assert found_in(message) == {}


@pytest.mark.parametrize(
    "message",
    [
        "Please add 3/4 cup of sugar",
        "I will take 3/4 of the money",
        "The board is 12.30 m long",
        "The price of it is 12.30",
        "It is 10.12 dollars for me",
        "I have to pay 10.12 €",
        "I have to pay $10.12",
        "It was 5/10 stars for me",
        "10/12 people came to the party",
        "We offer 24/7 support",
        "We are open 24/7.",
        "It is about 12:1 for me",
        "It is about 3.5 km to the lake",
        "It is about 3 km to the lake",
        "There were about 5 people",
        "We left after 5 beers",
    ],
)
def test_a_fraction_a_price_and_a_measure_mean_no_day(message: str) -> None:
    assert [each for each in found_in(message).values() if each] == []


def test_what_begins_inside_a_figure_is_nothing() -> None:
    assert list(found_in("We meet from 9.30 to 10.15 on Monday")) == ["Monday"]
    assert list(found_in("The line of it is [03/Nov/2026:19:00:00]")) == ["03/Nov/2026"]


@pytest.mark.parametrize(
    "message",
    [
        "Mi casa es su casa",
        "Mon amour, please call me",
        "Sat down on the chair",
        "Then we sat, and it was good",
        "I sat, and then I left",
        "Let us lie in the sun.",
        "Let us lie in the Sun",
        "Fr. Müller kommt mit dem Kind",
    ],
)
def test_a_word_that_is_also_the_short_name_of_a_day_means_none(message: str) -> None:
    assert [each for each in found_in(message).values() if each] == []


@pytest.mark.parametrize(
    ("message", "day"),
    [
        ("Let's meet 3/4", "2027-04-03"),
        ("Dinner 3/4 with Ann", "2027-04-03"),
        ("Dinner on 3/4 downtown", "2027-04-03"),
        ("The party is on 24/7", "2027-07-24"),
        ("Termin 12.11 mit Anna", "2026-11-12"),
        ("am 12.11. Termin", "2026-11-12"),
        ("Version 3 is due on 12/11", "2026-11-12"),
        ("lunch sat, dinner sun", "2026-10-31"),
        ("See you Sun", "2026-11-01"),
        ("Sat, then. See you", "2026-10-31"),
        ("Sat works for me", "2026-10-31"),
        ("Sat in the afternoon is fine", "2026-10-31"),
        ("Fr. 30.10. passt mir", "2026-10-30"),
        ("Move my 3/4 meeting", "2027-04-03"),
    ],
)
def test_what_is_a_date_stays_one(message: str, day: str) -> None:
    assert any(reading.startswith(day) for each in found_in(message).values() for reading in each)


@pytest.mark.parametrize(
    ("message", "days"),
    [
        ("Please wait two weeks", {}),
        ("two weeks", {}),
        ("It is the early bird special of the mid size car", {}),
        ("This is the first week of training", {}),
        ("We met last week in the office", {"last week": ["2026-10-19 00:00", "2026-10-18 00:00"]}),
    ],
)
def test_a_length_and_the_start_of_something_else_say_no_day(
    message: str, days: dict[str, list[str]]
) -> None:
    found = {text: [each[:16] for each in told] for text, told in found_in(message).items() if told}

    assert found == days
