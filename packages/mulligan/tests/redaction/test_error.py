"""What is kept of an exception: its type, where it came from, and what it says less the values."""

from __future__ import annotations

import base64
import html
import json
import re
from collections import deque
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from urllib.parse import quote, quote_plus

import pytest

from mulligan.redaction import Capture, ErrorText, Redactor

KEY = bytes(range(32))
NOTE = "a long note about Anna, which goes on and on, and ends with her address"


@pytest.fixture
def redactor() -> Redactor:
    return Redactor(key=KEY)


def told(redactor: Redactor, message: str, **arguments: object) -> str:
    return redactor.redact_error(ValueError(message), arguments=arguments).message


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
        ("bytes b'Anna'", {"raw": b"Anna"}, "bytes b'<raw>'"),
        ("no Anna", {"bob@x.org": "Anna"}, "no <argument>"),
    ],
)
def test_arguments_become_the_names_of_their_parameters(redactor, message, arguments, expected):
    assert told(redactor, message, **arguments) == expected


PHRASE = "  Hunter2 <secret>\n\tphrase & Müller's \\u00e9 keys+x "
LINES = "".join(f"line {n} of Anna's own \u00fc list\n" for n in range(150))


@pytest.mark.parametrize(
    "change",
    [
        str.strip,
        str.lower,
        str.upper,
        repr,
        json.dumps,
        html.escape,
        quote,
        quote_plus,
        lambda v: " ".join(v.split()),
        lambda v: repr(v.encode()),
        lambda v: v.encode().hex(),
        lambda v: base64.b64encode(v.encode()).decode(),
        lambda v: base64.urlsafe_b64encode(b":" + v.encode()).decode(),
        lambda v: repr(v.strip()[:14]) + "...",
        lambda v: f"{v.strip()[:9]}…{v.strip()[-9:]}",
        lambda v: v.strip()[3:17],
    ],
)
def test_an_argument_is_masked_in_whatever_form_it_is_quoted(redactor, change):
    quoted = change(PHRASE)

    message = told(redactor, f"cannot use {quoted}", x=PHRASE)

    assert message.startswith("cannot use ")
    left = {message[n : n + 5].lower() for n in range(len(message) - 4)}
    seen = {quoted[n : n + 5].lower() for n in range(len(quoted) - 4)}
    assert left & seen == set()


@pytest.mark.parametrize("secret", ["hunter2", "Geheim!9"])
def test_a_short_argument_is_masked_in_hex_and_base64(redactor, secret):
    raw = secret.encode()
    forms = [raw.hex(), base64.b64encode(raw).decode(), base64.b64encode(b"b:" + raw).decode()]

    messages = [told(redactor, f"cannot use {form} now", word=secret) for form in forms]

    assert all(re.fullmatch(r"cannot use (\S{0,3}<word>\S{0,3}|<token>) now", m) for m in messages)


@pytest.mark.full
@pytest.mark.parametrize("change", [repr, json.dumps, str, html.escape])
def test_all_lines_of_a_long_argument_are_masked(redactor, change):
    message = told(redactor, f"bad input: {change(LINES)}", text=LINES)

    assert not re.search("line|Anna|list", message)


def test_words_of_an_argument_are_masked_where_they_are_names_or_numbers(redactor):
    note = "meet Katharina in room B1234567 about the calendar"

    message = told(redactor, "no Katharina in b1234567, see the calendar", note=note)

    assert message == "no <note> in <note>, see the calendar"


@pytest.mark.parametrize(
    "message",
    [
        "Invalid date: expected YYYY-MM-DD",
        "the event was not found",
        "HTTP 404 for the calendar service",
        "Rate limit exceeded, try again in 30 seconds",
    ],
)
def test_an_error_that_only_shares_words_with_an_argument_stays_as_it_is(redactor, message):
    note = "The event of Friday was about the calendar, and the limit of 30 people, again"

    assert told(redactor, message, note=note) == message


@pytest.mark.parametrize(
    "value",
    [
        bytearray(b"hunter2"),
        deque(["hunter2"]),
        MappingProxyType({"a": "hunter2"}),
        [[[[[[[[[["hunter2"]]]]]]]]]],
        [*range(5_000), "hunter2"],
    ],
)
def test_arguments_are_found_in_containers_of_every_kind(redactor, value):
    cycle: list[object] = [value]
    cycle.append(cycle)

    assert told(redactor, "no hunter2", value=value) == "no <value>"
    assert told(redactor, "no hunter2", value=cycle) == "no <value>"


@pytest.mark.parametrize("value", [12.75, Decimal("12.75")])
def test_numbers_of_every_kind_are_masked_under_a_secret_name(redactor, value):
    assert told(redactor, "no 12.75", pin=value) == "no <pin>"
    assert told(redactor, "no 12.75", price=value) == "no 12.75"


def deep(value: object, levels: int) -> object:
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value", [[*range(20_000), "hunter2"], deep("hunter2", 200), ["x" * 2_000_000, "hunter2"]]
)
def test_a_message_is_withheld_where_arguments_are_too_many_to_look_for(redactor, value):
    error = WithCode(code="hunter2")
    error.args = ("no hunter2",)

    text = redactor.redact_error(error, arguments={"value": value})

    assert text.message == "<message withheld: too many arguments to mask>"
    assert text.code is None


def test_texts_that_repeat_themselves_are_masked_or_withheld_in_time(redactor):
    for message, value in [("ab" * 4_000, "ab" * 100_000), ("a" * 8_000, "a" * 300_000 + "b")]:
        shown = told(redactor, message, value=value)

        assert "abab" not in shown
        assert "aaaa" not in shown


@pytest.mark.parametrize("code", ["hunter2", "HUNTER2", "my_code"])
def test_a_code_that_an_argument_holds_is_not_shown(redactor, code):
    error = WithCode(code=code)

    assert redactor.redact_error(error, arguments={"a": ["x hunter2 my_code"]}).code is None
    assert redactor.redact_error(error, arguments={"a": "other"}).code == code
    assert redactor.redact_error(WithCode(code=1234), arguments={"pin": 1234}).code is None


def test_what_is_left_of_a_message_is_scrubbed(redactor):
    message = "Anna at anna@x.org: token=abc sk-ant-abcdefghijklmnopqrst"

    assert told(redactor, message, who="Anna") == "<who> at <email>: token=<hidden> <key>"


def test_an_argument_inside_a_secret_does_not_break_it_open(redactor):
    assert told(redactor, "to bob@example.com", site="example") == "to <email>"
    assert told(redactor, "key 0123abcd456789efgh0123", part="abcd") == "key <token>"


def test_declared_and_allowed_values_stay_readable(redactor):
    error = ValueError("day is no week of Trento")

    text = redactor.redact_error(
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


def fail(secret: str, depth: int) -> None:
    if depth:
        fail(secret, depth - 1)
    raise ValueError("no")


@pytest.mark.parametrize(("depth", "frames"), [(3, 5), (200, 30)])
def test_every_frame_has_its_place_the_innermost_first_and_no_value(redactor, depth, frames):
    with pytest.raises(ValueError) as caught:
        fail("hunter2", depth)

    text = redactor.redact_error(caught.value, arguments={})

    places = (text.at or "").split(" < ")
    lines = [int(place.rsplit(":", 1)[1]) for place in places]
    assert len(places) == frames
    assert all(re.fullmatch(r"redaction/test_error\.py:\d+", place) for place in places)
    assert lines[0] == lines[1] + 1 == lines[2] + 1
    assert "hunter2" not in str(text)


def test_causes_are_told_by_type_and_place_alone(redactor):
    error = raised(ValueError("outer"), raised(KeyError("sk-ant-abcdefghijklmnopqrst")))

    message = redactor.redact_error(error, arguments={}).message

    assert re.fullmatch(r"outer \(caused by KeyError at redaction/test_error\.py:\d+\)", message)


def test_a_context_that_was_suppressed_is_left_out(redactor):
    error = ValueError("outer")
    error.__context__, error.__suppress_context__ = KeyError("inner"), True

    assert redactor.redact_error(error, arguments={}).message == "outer"


def test_a_group_names_the_types_it_holds(redactor):
    group = ExceptionGroup("both", [ValueError("Anna"), KeyError("b")])

    assert redactor.redact_error(group, arguments={}).message == (
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
        ({"code": "not_found"}, "not_found"),
        ({"sqlstate": "23505"}, "23505"),
        ({"response": Response(429)}, "429"),
        ({"code": "sk-ant-abcdefghijklmnopqrst"}, None),
        ({"code": 4111111111111111}, None),
        ({"code": True}, None),
        ({"code": object(), "errno": 5}, "5"),
        ({}, None),
    ],
)
def test_the_code_is_the_first_attribute_that_holds_one(redactor, attributes, code):
    assert redactor.redact_error(WithCode(**attributes), arguments={}).code == code


class Hostile(Exception):
    def __str__(self) -> str:
        raise SystemExit("no")

    @property
    def status_code(self) -> int:
        raise RuntimeError("no")


def test_an_exception_that_cannot_be_asked_is_kept_by_its_type(redactor):
    assert redactor.redact_error(Hostile(), arguments={}) == ErrorText(
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

    text = redactor.redact_error(ValueError("Anna"), arguments=Broken(a=1))

    assert text == ErrorText("Exception", "<redaction failed>", None, None)
