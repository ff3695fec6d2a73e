"""What a program uses: `resolve`, `find` and `calculate_datetime`."""

from __future__ import annotations

import doctest
import json
import os
import subprocess
import sys
import unicodedata
from datetime import UTC, date, datetime
from textwrap import dedent
from zoneinfo import ZoneInfo

import pytest

import mulligan_dates
from mulligan_dates import UnknownZoneError, find, resolve
from mulligan_dates.reader import calculate_datetime
from mulligan_dates.readings import Convention
from tests.dates.said import found_in, resolved

WEDNESDAY = datetime(2026, 10, 28, 12, 0, tzinfo=UTC)


def test_a_phrase_has_all_that_it_can_mean_the_likeliest_first() -> None:
    found = resolve("next Friday", at=WEDNESDAY, timezone="Europe/Berlin")

    assert [each.start.date() for each in found] == [date(2026, 10, 30), date(2026, 11, 6)]


def test_the_help_shows_what_it_answers() -> None:
    found = doctest.DocTestFinder().find(resolve, "resolve", globs={"resolve": resolve})

    assert [doctest.DocTestRunner().run(each) for each in found] == [(0, 3)]


def test_of_what_is_not_understood_whole_nothing_is_said() -> None:
    assert resolve("when the cows come home", at=WEDNESDAY, timezone="Europe/Berlin") == []


def test_the_locale_settles_what_people_differ_on() -> None:
    british, american = (
        [each.start.date() for each in resolve("3/4", at=WEDNESDAY, timezone="UTC", locale=locale)]
        for locale in ("en-GB", "en-US")
    )

    assert {(each.day, each.month) for each in british} == {(3, 4)}
    assert {(each.day, each.month) for each in american} == {(4, 3)}


def test_every_time_of_a_message_is_found_where_it_stands() -> None:
    message = "Verschiebe das Essen von Freitag auf übermorgen um 19 Uhr"

    found = find(message, at=WEDNESDAY, timezone="Europe/Berlin")

    assert [message[each.start : each.end] for each in found] == ["Freitag", "übermorgen um 19 Uhr"]
    assert [each.start for each in found[1].readings] == [datetime(2026, 10, 30, 19)]


@pytest.mark.parametrize(
    ("phrase", "first"),
    [
        ("midnight", "2026-10-29 00:00"),
        ("8 Uhr früh", "2026-10-29 08:00"),
        ("Mon - Wed", "2026-11-02 00:00/2026-11-05 00:00"),
        ("3.4.", "2027-04-03"),
        ("3.4.2027", "2027-04-03"),
        ("Friday at 12", "2026-10-30 12:00"),
        ("tomorrow at 12", "2026-10-29 12:00"),
    ],
)
def test_what_lies_ahead_and_what_is_usual_comes_first(phrase: str, first: str) -> None:
    assert resolved(phrase)[0] == first
    assert found_in(f"Bitte am {phrase}" if "Uhr" in phrase else f"Let us meet {phrase}") != {}


@pytest.mark.parametrize(
    ("phrase", "likeliest"),
    [
        ("next week", "2026-11-02 00:00/2026-11-09 00:00"),
        ("the end of the month", "2026-10-31"),
        ("late March", "2027-03-21 00:00/2027-04-01 00:00"),
        ("the first week of June", "2027-05-31 00:00/2027-06-07 00:00"),
    ],
)
def test_of_two_answers_to_a_question_the_usual_comes_first(phrase: str, likeliest: str) -> None:
    assert resolved(phrase)[0] == likeliest


def test_early_march_is_not_the_first_of_march() -> None:
    assert resolved("early March 2027") == ["2027-03-01 00:00/2027-03-11 00:00"]


def test_the_likeliest_reading_comes_first_in_a_message_too() -> None:
    assert found_in("Let us meet on Friday") == {"Friday": ["2026-10-30", "2026-10-23"]}


@pytest.mark.parametrize(
    "phrase", ["in ein paar Tagen", "a few days ago", "asap", "so bald wie möglich"]
)
def test_what_is_vague_has_no_sharp_reading(phrase: str) -> None:
    (found,) = find(f"Please do it {phrase}", at=WEDNESDAY, timezone="UTC", locale="en-GB") or find(
        f"Bitte mach es {phrase}", at=WEDNESDAY, timezone="UTC"
    )

    assert resolve(phrase, at=WEDNESDAY, timezone="Europe/Berlin") == []
    assert not found.sharp
    assert calculate_datetime(phrase, WEDNESDAY, timezone="Europe/Berlin")["vague"]


@pytest.mark.parametrize(
    "phrase", ["tomorrow at 13pm", "at 0pm", "15am", "2h", "2h30", "nineteen hundred", "1.1.0001"]
)
def test_what_can_only_be_guessed_is_unknown(phrase: str) -> None:
    assert resolved(phrase) == []


def test_a_letter_behind_the_hour_is_a_time_where_no_length_can_be_meant() -> None:
    assert resolved("15h30") == ["2026-10-28 15:30"]
    assert resolved("tomorrow 8h30") == ["2026-10-29 08:30"]
    assert resolved("at 8h")[0] == "2026-10-29 08:00"


def test_the_zone_may_be_an_object() -> None:
    found = resolve("tomorrow", at=WEDNESDAY, timezone=ZoneInfo("Asia/Tokyo"))

    assert [each.start.date() for each in found] == [date(2026, 10, 29)]


@pytest.mark.parametrize("ask", [resolve, find])
@pytest.mark.parametrize("at", [None, "2026-10-28", date(2026, 10, 28)])
def test_what_is_no_time_is_refused(ask, at) -> None:
    with pytest.raises(TypeError, match=r"not a datetime\. Pass an aware time"):
        ask("tomorrow", at=at, timezone="UTC")


@pytest.mark.parametrize("ask", [resolve, find])
def test_a_text_a_locale_and_a_country_are_what_they_should_be(ask) -> None:
    with pytest.raises(TypeError, match="None is not a text"):
        ask(None, at=WEDNESDAY, timezone="UTC")
    with pytest.raises(ValueError, match="'english' is not a locale such as 'en-GB'"):
        ask("tomorrow", at=WEDNESDAY, timezone="UTC", locale="english")
    with pytest.raises(ValueError, match="'Germany' is not a country such as 'GB'"):
        ask("tomorrow", at=WEDNESDAY, timezone="UTC", country="Germany")


@pytest.mark.parametrize("locale", ["de", "de-DE", "de_de", "de-Latn-DE", "de_DE.UTF-8"])
def test_a_language_alone_settles_the_order_where_its_countries_agree(locale: str) -> None:
    found = resolve("3/4/2027", at=WEDNESDAY, timezone="UTC", locale=locale)

    assert [each.start.date() for each in found] == [date(2027, 4, 3)]


def test_figures_are_read_with_the_locale_of_any_language() -> None:
    """And words of a language that is not known are not guessed at."""
    phrases = ("2026-11-03", "3/4/2027", "19:30", "demain")

    found = [
        [str(each.start) for each in resolve(phrase, at=WEDNESDAY, timezone="UTC", locale="fr-FR")]
        for phrase in phrases
    ]

    assert found == [["2026-11-03 00:00:00"], ["2027-04-03 00:00:00"], ["2026-10-28 19:30:00"], []]


def test_a_prompt_completes_the_public_names() -> None:
    assert dir(mulligan_dates) == sorted(mulligan_dates.__all__)


def test_letters_with_marks_of_their_own_are_read_like_any() -> None:
    """As file names and texts of macOS have them: an u and two dots."""
    message = unicodedata.normalize("NFD", "Für Jürgen: übermorgen um fünf Uhr früh")

    (found,) = find(message, at=WEDNESDAY, timezone="Europe/Berlin")

    assert message[found.start : found.end] == found.text
    assert unicodedata.normalize("NFC", found.text) == "übermorgen um fünf Uhr früh"
    assert [each.start for each in found.readings] == [datetime(2026, 10, 30, 5)]
    assert resolve(found.text, at=WEDNESDAY, timezone="Europe/Berlin") == list(found.readings)


def test_the_unread_rest_of_a_long_message_is_one_expression_that_is_not_understood() -> None:
    message = "Come on Friday. " + "So it goes. " * 2_000 + "No, come on Monday."

    *found, rest = find(message, at=WEDNESDAY, timezone="Europe/Berlin")

    assert [each.text for each in found] == ["Friday"]
    assert (message[rest.start : rest.end], rest.readings) == (rest.text, ())
    assert "No, come on Monday." in rest.text


def test_an_expression_that_is_cut_is_left_to_the_rest() -> None:
    message = "x" * 19_984 + " am 3. Nov 2027 um 14 Uhr"

    (rest,) = find(message, at=WEDNESDAY, timezone="Europe/Berlin", locale="de-DE")

    assert rest.readings == ()
    assert rest.text.startswith("3. Nov")


@pytest.mark.parametrize("ask", [resolve, find])
def test_a_time_without_a_zone_and_an_unknown_zone_are_refused(ask) -> None:
    with pytest.raises(ValueError, match="has no zone"):
        ask("tomorrow", at=WEDNESDAY.replace(tzinfo=None), timezone="UTC")
    with pytest.raises(UnknownZoneError, match="'Mars/Olympus' is not an IANA zone"):
        ask("tomorrow", at=WEDNESDAY, timezone="Mars/Olympus")


def test_a_machine_without_time_zones_is_told_where_they_are_had() -> None:
    program = """
        import sys
        sys.modules["tzdata"] = None
        from datetime import UTC, datetime
        from mulligan_dates import resolve
        resolve("tomorrow", at=datetime.now(UTC), timezone="Europe/Berlin")
    """

    done = subprocess.run(
        [sys.executable, "-c", dedent(program)],
        env=os.environ | {"PYTHONTZPATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stderr.endswith("This machine has no time zones: pip install tzdata.\n")


def test_a_name_that_is_not_there_is_no_surprise() -> None:
    with pytest.raises(AttributeError, match="no attribute 'parse'"):
        _ = mulligan_dates.parse


def readings(phrase: str, zone: str = "America/New_York") -> list[dict[str, object]]:
    return calculate_datetime(phrase, WEDNESDAY, timezone=zone)["readings"]


def test_the_answer_is_data_with_every_reading_and_its_weekday() -> None:
    answer = calculate_datetime("next Friday", WEDNESDAY, timezone="Europe/Berlin")

    assert json.loads(json.dumps(answer)) == {
        "phrase": "next Friday",
        "known": True,
        "now": "Wednesday 2026-10-28 13:00:00",
        "vague": False,
        "readings": [
            {
                "kind": "day",
                "weekday": "Friday",
                "told": "Friday 2026-10-30",
                "start": "2026-10-30",
                "end": "2026-10-31",
                "rests_on": ["next.soonest"],
            },
            {
                "kind": "day",
                "weekday": "Friday",
                "told": "Friday 2026-11-06",
                "start": "2026-11-06",
                "end": "2026-11-07",
                "rests_on": ["next.week_after"],
            },
        ],
    }


def test_a_pin_leaves_one() -> None:
    pins = frozenset({Convention.NEXT_SOONEST})

    answer = calculate_datetime("next Friday", WEDNESDAY, timezone="Europe/Berlin", pins=pins)

    assert [each["start"] for each in answer["readings"]] == ["2026-10-30"]


def test_a_time_the_clocks_show_twice_is_two_instants() -> None:
    found = readings("1:30am on November 1, 2026")

    assert [(each["start"], each["rests_on"]) for each in found] == [
        ("2026-11-01T01:30:00-04:00", ["fold.first"]),
        ("2026-11-01T01:30:00-05:00", ["fold.second"]),
    ]


def test_a_time_the_clocks_skip_is_as_much_later_as_they_jump() -> None:
    (found,) = readings("2:30am on March 14, 2027")

    assert (found["start"], found["rests_on"]) == ("2027-03-14T03:30:00-04:00", ["gap.later"])


def test_a_time_told_in_another_zone_is_moved_to_the_persons() -> None:
    (found,) = readings("tomorrow at 4pm CET")

    assert found["start"] == "2026-10-29T11:00:00-04:00"


def test_what_is_not_understood_says_why() -> None:
    phrase = calculate_datetime("when the cows come home", WEDNESDAY, timezone="Europe/Berlin")
    zone = calculate_datetime("tomorrow", WEDNESDAY, timezone="Mars/Phobos")

    assert (phrase["known"], phrase["readings"]) == (False, [])
    assert "ask the person" in phrase["why"]
    assert (zone["known"], zone["readings"]) == (False, [])
    assert "'Mars/Phobos' is not an IANA zone" in zone["why"]


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="has no zone"):
        calculate_datetime("tomorrow", WEDNESDAY.replace(tzinfo=None), timezone="Europe/Berlin")
