from __future__ import annotations

import pytest

from mulligan.checks.date_binding import choose_expressions, choose_times, list_call_words
from mulligan.types.call import Call
from mulligan_dates.reader import read_message
from tests.dates.said import NOW, moment


def bind(message: str, *words: str) -> list[str] | None:
    said = read_message(message, moment())
    found = choose_expressions(
        said.expressions, said.clauses, words=frozenset(words), today=NOW.date()
    )
    return None if found is None else [each.text for each in found]


@pytest.mark.parametrize(
    ("message", "words", "bound"),
    [
        ("If I met nobody in the past week, book a call for Friday", [], ["Friday"]),
        ("If I met nobody in a few days, book a call for Friday", [], ["Friday"]),
        ("I missed yoga yesterday, book it for Friday", ["yoga"], ["Friday"]),
        ("Move dinner from Wednesday to Friday", [], ["Friday"]),
        ("I can't do Thursday, move dinner to Friday", [], ["Friday"]),
        ("Thursday doesn't work. Book it on Tuesday", [], ["Tuesday"]),
        ("Book it for Friday, not Thursday", [], ["Friday"]),
        ("Sushi Friday, waffles Saturday", ["sushi"], ["Friday"]),
        ("Sushi Friday, waffles Saturday", ["waffle", "brunch"], ["Saturday"]),
        ("Sushi Friday, waffles Saturday", ["meal"], ["Friday", "Saturday"]),
        ("Check Thursday and book the gym for Friday", [], ["Friday"]),
        ("Create a task with a deadline of Friday if it fell since Monday", [], ["Friday"]),
        # Not sure: a request without a day can be about any day of the message.
        ("Mia is here on Saturday. Book the zoo", [], None),
        ("Find a slot on Monday and book it", [], None),
        ("Book the flat every Monday", [], None),
        ("Don't forget Friday, and book a call for Monday", [], None),
        # The statement is about the same thing as the call.
        ("The talk is on Monday. Remind me on Sunday", ["talk"], ["Sunday", "Monday"]),
    ],
)
def test_a_call_is_about_the_phrases_of_the_clauses_that_can_ask_for_it(
    message: str, words: list[str], bound: list[str] | None
) -> None:
    assert bind(message, *words) == bound


def test_times_of_day_are_bound_like_days() -> None:
    said = read_message("Tennis Friday at 6pm, chess Saturday at 8pm", moment())
    found = choose_times(
        said.expressions, said.clauses, words=frozenset({"chess"}), today=NOW.date()
    )

    assert [each.text for each in found] == ["Saturday at 8pm"]


def test_words_of_a_call_are_of_its_tool_its_texts_and_its_object() -> None:
    call = Call(id="1", tool="create_task", arguments={"title": "Buy paint", "n": 4})

    assert list_call_words(call, [{"list": "Shed"}]) == {"create", "task", "buy", "paint", "shed"}
