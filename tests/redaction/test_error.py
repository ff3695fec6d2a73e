"""What is kept of an exception: its type, where it came from, and what it says less the values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from mulligan.redaction import Capture, ErrorText, Redactor

KEY = bytes(range(32))
NOTE = "a long note about Anna, which goes on and on, and ends with her address"


@pytest.fixture
def redactor() -> Redactor:
    return Redactor(key=KEY)


def told(redactor: Redactor, message: str, **arguments: object) -> str:
    return redactor.error(ValueError(message), arguments=arguments).message


def raised(error: BaseException, cause: BaseException | None = None) -> BaseException:
    try:
        raise error from cause
    except BaseException as caught:
        return caught


@pytest.mark.parametrize(
    ("message", "arguments", "expected"),
    [
        ("Invalid title Dinner", {"title": "Dinner"}, "Invalid title <title>"),
        ("Dinner party and Dinner", {"a": "Dinner party", "b": "Dinner"}, "<a> and <b>"),
        ("no Anna here", {"who": {"names": ["Anna"]}}, "no <who> here"),
        ("no Anna here", {"who": ({"Anna"},)}, "no <who> here"),
        ("got 'it\\'s\\n'", {"text": "it's\n"}, "got '<text>'"),
        (f"GET /{quote('à la carte')}", {"dish": "à la carte"}, "GET /<dish>"),
        (f"q={quote_plus('fish & chips')}", {"dish": "fish & chips"}, "q=<dish>"),
        ('{"t": "say \\"hi\\""}', {"text": 'say "hi"'}, '{"t": "<text>"}'),
        (f"too long: '{NOTE[:30]}...'", {"note": NOTE}, "too long: '<note>...'"),
        (f"input='{NOTE[:20]}...{NOTE[-20:]}'", {"note": NOTE}, "input='<note>...<note>'"),
        ("PIN 1234 is wrong", {"pin": 1234}, "PIN <pin> is wrong"),
        ("value 1234 is wrong", {"amount": 1234}, "value 1234 is wrong"),
        ("bad key b@x", {"data": {"b@x y": 1}, "k": "key"}, "bad <k> <email>"),
        ("Monday is no day", {"unit": "day"}, "Monday is no <unit>"),
        ("it is up to me", {"to": "to"}, "it is up to me"),
        ("<b> of a", {"a": "bbb"}, "<b> of a"),
        ("see secret/file", {"path": Path("secret/file")}, "see <path>"),
        ("bytes b'Anna'", {"raw": b"Anna"}, "bytes b'<raw>'"),
        ("no Anna", {"bob@x.org": "Anna"}, "no <argument>"),
    ],
)
def test_arguments_become_the_names_of_their_parameters(redactor, message, arguments, expected):
    assert told(redactor, message, **arguments) == expected


def test_what_is_left_of_a_message_is_scrubbed(redactor):
    message = "Anna at anna@x.org: token=abc sk-ant-abcdefghijklmnopqrst"

    assert told(redactor, message, who="Anna") == "<who> at <email>: token=<hidden> <key>"


def test_an_argument_inside_a_secret_does_not_break_it_open(redactor):
    assert told(redactor, "to bob@example.com", site="example") == "to <email>"
    assert told(redactor, "key 0123abcd456789efgh0123", part="abcd") == "key <token>"


def test_declared_and_allowed_values_stay_readable(redactor):
    error = ValueError("day is no week of Trento")

    text = redactor.error(
        error,
        arguments={"unit": "day", "other": "week", "city": "Trento"},
        enums={"unit": frozenset({"day"})},
        allow=frozenset({"city"}),
    )

    assert text.message == "day is no <other> of Trento"


def test_full_capture_masks_only_what_a_secret_name_covers():
    redactor = Redactor(key=KEY, capture=Capture.FULL)

    assert told(redactor, "Dinner with hunter2", title="Dinner", password="hunter2") == (
        "Dinner with <password>"
    )


def test_the_place_is_the_innermost_frame_by_its_last_two_parts(redactor):
    error = raised(KeyError("x"))

    text = redactor.error(error, arguments={})

    assert text.type == "KeyError"
    assert re.fullmatch(r"redaction/test_error\.py:\d+", text.at or "")


def test_causes_are_told_by_type_and_place_alone(redactor):
    error = raised(ValueError("outer"), raised(KeyError("sk-ant-abcdefghijklmnopqrst")))

    message = redactor.error(error, arguments={}).message

    assert re.fullmatch(r"outer \(caused by KeyError at redaction/test_error\.py:\d+\)", message)


def test_a_context_that_was_suppressed_is_left_out(redactor):
    error = ValueError("outer")
    error.__context__, error.__suppress_context__ = KeyError("inner"), True

    assert redactor.error(error, arguments={}).message == "outer"


def test_a_group_names_the_types_it_holds(redactor):
    group = ExceptionGroup("both", [ValueError("Anna"), KeyError("b")])

    assert redactor.error(group, arguments={}).message == (
        "both (2 sub-exceptions) (holds ValueError, KeyError)"
    )


@dataclass
class Response:
    status_code: object


class WithCode(Exception):
    def __init__(self, **attributes: object) -> None:
        super().__init__("no")
        self.__dict__.update(attributes)


@pytest.mark.parametrize(
    ("attributes", "code"),
    [
        ({"status_code": 404}, "404"),
        ({"status": 503, "code": 1}, "503"),
        ({"code": "not_found"}, "not_found"),
        ({"sqlstate": "23505"}, "23505"),
        ({"errno": 2}, "2"),
        ({"response": Response(429)}, "429"),
        ({"code": "sk-ant-abcdefghijklmnopqrst"}, None),
        ({"code": 4111111111111111}, None),
        ({"code": True}, None),
        ({"code": object(), "errno": 5}, "5"),
        ({}, None),
    ],
)
def test_the_code_is_the_first_attribute_that_holds_one(redactor, attributes, code):
    assert redactor.error(WithCode(**attributes), arguments={}).code == code


class Hostile(Exception):
    def __str__(self) -> str:
        raise SystemExit("no")

    @property
    def status_code(self) -> int:
        raise RuntimeError("no")


def test_an_exception_that_cannot_be_asked_is_kept_by_its_type(redactor):
    assert redactor.error(Hostile(), arguments={}) == ErrorText(
        "Hostile", "<message failed>", None, None
    )


def test_a_message_of_ten_megabytes_is_cut(redactor):
    message = told(redactor, "Anna " * 2_000_000, who="Anna")

    assert len(message) <= 2_100
    assert "Anna" not in message
    assert message.endswith("more>")


def test_an_argument_longer_than_the_message_is_masked_by_what_is_there(redactor):
    long = "".join(f"{n:x}word" for n in range(20_000))

    assert "word" not in told(redactor, f"Invalid: {long}", text=long)


def test_arguments_that_cannot_be_read_fail_the_field_and_not_the_call(redactor):
    class Broken(dict):
        def items(self):
            raise RuntimeError("no")

    text = redactor.error(ValueError("Anna"), arguments=Broken(a=1))

    assert text == ErrorText("Exception", "<redaction failed>", None, None)
