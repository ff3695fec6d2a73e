"""What people say in German, written down before the tables were."""

from __future__ import annotations

import pytest

from mulligan_dates.languages import choose_requests

HEARD = {
    "several": [
        "Schick Anna die Mail zweimal.",
        "Leg bitte drei Kopien davon an.",
        "Trag das nochmal ein.",
    ],
    "free": [
        "Such einen Termin, an dem wir beide frei sind.",
        "Leg das auf eine freie Stunde am Freitag.",
        "Wann hat Tom Zeit? Nimm den ersten Termin.",
    ],
    "ahead": [
        "Buche den Raum für nächsten Dienstag.",
        "Erinnere mich morgen an den Zahnarzt.",
        "Die Abgabe ist demnächst fällig.",
    ],
    "back": [
        "Trag nach, dass wir gestern gegessen haben.",
        "Das war letzte Woche.",
        "Ich hatte das schon bezahlt.",
    ],
    "to_come": [
        "Sag den Termin mit Anna ab.",
        "Verschieb das Treffen mit dem Klempner.",
        "Storniere die künftigen Buchungen.",
    ],
    "over": ["Lösch die alten Termine.", "Räum die vergangenen Termine auf."],
    "mine": ["Lösch meine Aufgaben.", "Zeig mir unsere Termine."],
    "condition": ["Wenn es mehr als 10 waren, lösch sie.", "Schreib mir, falls es regnet."],
    "two_ways": ["Wenn es passt, buch das, sonst lösch es.", "Andernfalls lass es so."],
    "home": [
        "Wie lange brauche ich nach Hause?",
        "Leg das Abendessen zu mir nach Hause.",
        "Das Treffen ist bei mir daheim.",
        "Wir treffen uns in unserer Wohnung.",
    ],
}
NOT_HEARD = {
    "several": ["Schick Anna die Mail.", "Das war einmal gut."],
    "free": ["Leg das auf Freitag.", "Der Freitag wäre gut."],
    "ahead": ["Das war gut.", "Wie lang ging das?"],
    "to_come": ["Zeig mir die Termine.", "Lösch die Datei."],
    "mine": ["Lösch Annas Aufgaben."],
    "two_ways": ["Wenn es passt, buch das."],
    "home": ["Bestell im Hausbau Schmidt.", "Kauf ein Haus für Anna."],
}


@pytest.mark.parametrize(
    ("field", "message"), [(field, each) for field, all_ in HEARD.items() for each in all_]
)
def test_it_is_heard(field: str, message: str) -> None:
    assert getattr(choose_requests(message), field).search(message)


@pytest.mark.parametrize(
    ("field", "message"), [(field, each) for field, all_ in NOT_HEARD.items() for each in all_]
)
def test_it_is_not_heard(field: str, message: str) -> None:
    assert not getattr(choose_requests(message), field).search(message)


@pytest.mark.parametrize(
    ("message", "words", "number"),
    [
        ("Wenn es mehr als 10 waren, schick Anna eine Mail.", "mehr als", "10"),
        ("Falls die Zahl kleiner als 200 ist, lösch sie.", "kleiner als", "200"),
        ("Wenn sie weniger als 3 am Freitag hatte, sag ab.", "weniger als", "3"),
    ],
)
def test_a_comparison_is_read_with_its_number(message: str, words: str, number: str) -> None:
    found = choose_requests(message).comparison.search(message)

    assert found is not None
    assert (found["words"].lower(), found["number"]) == (words, number)


@pytest.mark.parametrize(
    "message",
    ["Wenn es mehr als 10 Minuten dauert, sag ab.", "Wenn es mehr als 1.500 Euro sind, sag ab."],
)
def test_a_number_with_a_unit_is_no_bound(message: str) -> None:
    assert not choose_requests(message).comparison.search(message)


@pytest.mark.parametrize(
    ("message", "rank"),
    [
        ("Lösch den ersten Termin am Freitag.", "first"),
        ("Verschieb mein letztes Treffen von morgen.", "last"),
        ("Sag die letzte Besprechung heute ab.", "last"),
    ],
)
def test_the_first_and_the_last_of_a_day_are_told_apart(message: str, rank: str) -> None:
    found = choose_requests(message).rank.search(message)

    assert found is not None
    assert found.lastgroup == rank


@pytest.mark.parametrize(
    ("message", "hours"),
    [
        ("Leg den Termin auf 10 Uhr, oder auf 16 Uhr, falls ich da schon etwas habe.", "10 16"),
        ("Bitte um 10:00 Uhr, sonst um 16:30 Uhr, wenn das belegt ist.", "10 16"),
    ],
)
def test_a_time_and_another_in_case_it_is_taken(message: str, hours: str) -> None:
    found = choose_requests(message).either.search(message)

    assert found is not None
    assert f"{found['ah']} {found['bh']}" == hours
