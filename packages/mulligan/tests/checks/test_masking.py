from __future__ import annotations

from mulligan.checks.date_binding import find_known_records, find_names, is_on_object, read_known
from mulligan.types.call import Call
from mulligan.types.finding import Fact
from mulligan_dates.context import mask_names
from tests.checks.attempts import ran

EVENT = {"id": "ab12", "title": "Game Night", "weekday": "next Friday", "owner_id": 7}


def test_a_name_is_what_a_field_for_names_holds_in_several_words() -> None:
    looked = ran("look", result=[EVENT, {"title": "Friday"}, {"title": "Book club"}])
    told = Fact(kind="object.title", subject="x", value="Monday review", about="")

    known = read_known([looked], [told])

    assert find_names("Move game night, next Friday", known) == ["game night"]
    assert find_names("Move the Monday review", known) == ["monday review"]


def test_a_name_is_made_unreadable_and_nothing_else_moves() -> None:
    assert mask_names("Move Game Night tonight", ["game night"]) == "Move xxxx xxxxx tonight"
    assert mask_names("Board game nights", ["game night"]) == "Board game nights"


def test_what_was_returned_of_an_object_is_found_by_its_id() -> None:
    looked = ran("look", result={"items": [EVENT, {"id": "cd34", "title": "Chess"}]})

    known = read_known([looked], [])
    by_id = Call(id="1", tool="move", arguments={"event": "ab12"})
    by_title = Call(id="1", tool="move", arguments={"n": "Chess"})

    assert find_known_records(by_id, known) == [EVENT]
    assert find_known_records(by_title, known) == []


def test_a_call_with_an_id_is_about_something_that_is_there() -> None:
    assert is_on_object(Call(id="1", tool="t", arguments={"event_id": "ab12"}))
    assert is_on_object(Call(id="1", tool="t", arguments={"eventId": "ab12"}))
    assert not is_on_object(Call(id="1", tool="t", arguments={"paid": "x", "id": None}))
