from __future__ import annotations

from mulligan.learning.suggest import Knowledge, Value, find_records, parse_result
from mulligan.types.lesson import Earlier

FOUND = Earlier(tool="find", result='{"orders": {"W17": {"owner": "Ann Lee", "total": 5}}}')
FAILED = Earlier(tool="find", arguments={"id": "W 18"}, result="no W99", failed=True)


def test_values_of_results_are_known_by_the_name_they_stood_under() -> None:
    known = Knowledge([], [FOUND, FAILED])

    assert Value("owner", "Ann Lee") in known.values
    assert Value("orders", "W17") in known.values
    assert all("W99" not in each.text for each in known.values), "a failure brings nothing"


def test_of_a_text_only_what_has_a_digit_is_a_value() -> None:
    known = Knowledge([], [Earlier(tool="find", result="Order W17 is ready")])

    assert known.values == (Value("", "W17"),)


def test_the_persons_words_are_told_from_what_calls_brought() -> None:
    known = Knowledge(["Where is order #W17, Ann?"], [FOUND])

    assert known.words == ("Where", "is", "order", "#W17", "Ann")
    assert known.was_said("w17")
    assert not known.was_said("Ann Lee")
    assert known.was_seen("ann lee")
    assert not known.was_seen("W99")
    assert not known.was_said("")


def test_what_was_tried_in_vain_is_remembered() -> None:
    assert Knowledge([], [FAILED, FOUND]).tried == {"w18"}


def test_a_result_that_broke_off_leaves_things_unknown() -> None:
    assert Knowledge([], [Earlier(tool="find", result='{"orders": [')]).incomplete
    assert not Knowledge([], [FOUND]).incomplete


def test_json_is_read_and_everything_else_stays_what_it_is() -> None:
    assert parse_result("[1, 2]") == [1, 2]
    assert parse_result("[1, 2") == "[1, 2"
    assert parse_result(7) == 7


def test_records_bear_a_name_in_a_field_or_as_their_key() -> None:
    held = {"W17": {"owner": "Ann"}, "list": [{"owner": "Bob"}]}

    assert list(find_records(held, "W17")) == [{"owner": "Ann"}]
    assert list(find_records(held, "Bob")) == [{"owner": "Bob"}]
