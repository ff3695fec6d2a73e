"""What a call sends and reads: conditions, own fields, and whose work a resource is."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from mulligan.types.effect import EffectNote, read_effect_note
from mulligan_packs.http.exchange import (
    CallRequests,
    enter_exchange,
    listen,
)
from mulligan_packs.http.fields import NOTHING, is_alike
from mulligan_packs.http.refusals import REFUSED, Refusals
from mulligan_packs.http.shown import (
    ABSENT,
    Shown,
    is_same_content,
    parse_shown,
    read_back,
    write_down,
)
from mulligan_packs.http.written import SentWrite, is_given

DECLARED = Refusals(declared=REFUSED, looks=False)


class Answering(httpx.BaseTransport):
    """A server that answers everything alike."""

    def __init__(self, status: int) -> None:
        self.status = status

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return httpx.Response(self.status, text=str(request.headers.get("if-match")))


def answer_with(status: int) -> httpx.Client:
    client = httpx.Client(base_url="http://events", transport=Answering(status))
    listen(client)
    listen(client)
    return client


def test_only_writes_carry_the_condition() -> None:
    client = answer_with(200)

    with enter_exchange(CallRequests(headers={"If-Match": '"v1"'}, judge=DECLARED.judge)):
        texts = [client.get("/e1").text, client.put("/e1").text, client.put("/e2").text]

    assert texts == ["None", '"v1"', "None"]
    assert client.put("/e1").text == "None"


@pytest.mark.parametrize(
    ("status", "times", "note"),
    [
        (422, 1, EffectNote.NOTHING_DONE),
        (412, 1, None),
        (503, 1, None),
        (422, 2, None),
        (200, 0, None),
    ],
)
def test_what_is_known_of_the_effect_goes_by_the_answer_to_the_only_write(
    status: int, times: int, note: EffectNote | None
) -> None:
    client, exchange = answer_with(status), CallRequests(headers={}, judge=DECLARED.judge)

    def call() -> None:
        with enter_exchange(exchange):
            for _ in range(times):
                client.put("/e1")
            raise ValueError("the tool gives up")

    with pytest.raises(ValueError) as caught:
        call()

    assert read_effect_note(caught.value) is note


@pytest.mark.parametrize(
    ("now", "alike"),
    [
        ({"title": "milk", "rev": 5, "updated": "2026-11-16T10:00:00Z"}, True),
        ({"title": "milk", "rev": 2, "updated": "2026-11-16T10:00:00Z"}, False),
        ({"title": "milk", "rev": 5, "updated": "by Ann"}, False),
        ({"title": "tea", "rev": 5, "updated": "2026-11-16T10:00:00Z"}, False),
        ({"title": "milk", "rev": 5}, False),
        ("milk", False),
    ],
)
def test_times_and_numbers_of_a_write_are_no_content(now: object, alike: bool) -> None:
    before = {"title": "milk", "rev": 3, "updated": "2026-11-15T10:00:00Z"}

    assert is_alike(before, now) is alike


@pytest.mark.parametrize("name", ["sha", "_rev", "lastEditedBy"])
def test_whatever_a_server_usually_sets_by_itself_is_no_content(name: str) -> None:
    assert is_alike({"title": "milk", name: "1-a"}, {"title": "milk", name: "2-b"})
    assert not is_alike({"title": "milk", "version": "1-a"}, {"title": "milk", "version": "2-b"})


@pytest.mark.parametrize(("now", "alike"), [("2026-11-16T10:00:00Z", True), ("by Ann", False)])
def test_what_was_deleted_and_put_back_is_made_at_another_time(now: str, alike: bool) -> None:
    before = {"title": "milk", "created_at": "2026-11-15T10:00:00Z"}

    assert is_alike(before, {"title": "milk", "created_at": now}) is alike


def show(content: bytes, *, at: str = "1") -> Shown:
    text, encoded = write_down(content)
    return Shown(url="/e1", at=at, kind="", text=text, base64=encoded, given=[])


@pytest.mark.parametrize("content", [b"{}", "Käse".encode(), "Käse".encode("latin-1")])
def test_bytes_come_back_as_they_were(content: bytes) -> None:
    assert read_back(show(content)) == content


def test_one_that_is_not_there_is_like_no_other() -> None:
    nothing = show(b"", at=ABSENT)

    assert is_same_content(nothing, nothing)
    assert not is_same_content(nothing, show(b""))
    assert parse_shown(nothing) is None


def test_the_order_of_fields_is_no_difference() -> None:
    assert is_same_content(show(b'{"a": 1, "b": 2}'), show(b'{"b":2,"a":1}', at="2"))
    assert not is_same_content(show(b'{"a": 1}'), show(b'{"a": 2}', at="2"))


@pytest.mark.parametrize(
    ("method", "now", "explained"),
    [
        ("PUT", {"a": 2}, True),
        ("PUT", {"a": 2, "b": 1}, True),
        ("PUT", {"a": 2, "b": 3}, False),
        ("PUT", {"a": 2, "b": True}, False),
        ("PATCH", {"a": 2}, False),
        ("PATCH", {"a": 2, "b": 1}, True),
        ("PATCH", {"a": 2, "b": 1, "updated_at": "2026-11-16T10:00:00Z"}, True),
        ("PATCH", {"a": 2, "b": 1, "updated_at": "by Ann"}, False),
        ("PATCH", {"a": 2, "b": 1, "note": "by Ann"}, False),
    ],
)
def test_only_what_was_sent_and_what_was_there_explain_what_is(
    method: str, now: dict[str, Any], explained: bool
) -> None:
    written = SentWrite(method=method, sent={"a": 2})

    assert written.explains(now, before={"a": 1, "b": 1}) is explained


@pytest.mark.parametrize(("number", "ours"), [(4, True), (5, False)])
def test_a_number_that_is_counted_up_twice_tells_of_another_write(number: int, ours: bool) -> None:
    written = SentWrite(method="PATCH", sent={"a": 2})

    assert written.explains({"a": 2, "rev": number}, before={"a": 1, "rev": 3}) is ours


def test_a_field_that_the_call_itself_has_set_is_not_the_servers() -> None:
    written = SentWrite(method="PUT", sent={"updated": "2026-11-16"})

    assert not written.explains({"updated": "2026-11-17"}, before={"updated": "2026-11-15"})


@pytest.mark.parametrize(("now", "ours"), [("2026-11-16", True), ("2026-11-17", False)])
def test_nor_is_one_that_it_was_given_under_another_spelling(now: str, ours: bool) -> None:
    given = {"title": "beer", "last_modified": "2026-11-16"}
    before = {"title": "milk", "lastModified": "2026-11-15"}

    there = {"title": "beer", "lastModified": now}

    assert is_given(given, before=before, now=there, made_id="") is ours


@pytest.mark.parametrize(
    ("sent", "shown", "ours"),
    [
        (5, "5", True),
        ("5.0", 5, True),
        (5, "6", False),
        (1, True, False),
        ("01", "1", False),
        ("http://x.org/a", "http://x.org/a/", True),
        ("a", "a/", False),
        ("2026-11-16T10:00:00+00:00", "2026-11-16T10:00:00Z", True),
        ("2026-11-16T11:00:00+01:00", "2026-11-16T10:00:00.000Z", True),
        ("2026-11-16T10:00:00Z", "2026-11-16T11:00:00Z", False),
        ("2026-02-31", "2026-02-28", False),
        ("Beer", "beer", False),
    ],
)
def test_a_value_that_the_server_only_writes_otherwise_is_ours(
    sent: object, shown: object, ours: bool
) -> None:
    written = SentWrite(method="PATCH", sent={"a": sent})

    assert written.explains({"a": shown, "b": 1}, before={"a": None, "b": 1}) is ours
    assert not written.explains({"a": sent, "b": "1"}, before={"a": None, "b": 1})


@pytest.mark.parametrize(
    ("answered", "now", "changed"),
    [
        ({"day": "2026-02-31", "n": 1}, {"day": "2026-02-28", "n": 1}, False),
        ({"day": "2026-02-31", "n": 1}, {"day": "2026-02-28", "n": 2}, True),
        ({"day": "2026-02-28", "n": 1}, {"day": "2026-02-27", "n": 1}, True),
        ({"day": "2026-02-31", "n": 1}, {"day": "never", "n": 1}, True),
    ],
)
def test_an_answer_that_repeats_what_was_sent_does_not_show_that_somebody_changed_it(
    answered: dict[str, Any], now: dict[str, Any], changed: bool
) -> None:
    written = SentWrite(method="PATCH", sent={"day": "2026-02-31"}, answered=answered)

    assert written.differs(now) is changed


def test_a_write_without_a_body_explains_nothing_but_its_answer() -> None:
    assert not SentWrite(method="POST").explains({}, before=None)
    assert SentWrite(method="POST", sent=NOTHING, answered={"a": 1}).explains({"a": 1}, before=None)


@pytest.mark.parametrize(
    ("now", "given"),
    [
        ({"title": "beer", "event_id": 7}, True),
        ({"title": "beer", "event_id": 7, "note": "by Ann"}, False),
        ({"title": "theirs", "event_id": 7}, False),
    ],
)
def test_after_a_crash_only_what_a_call_was_given_is_its_own(
    now: dict[str, Any], given: bool
) -> None:
    arguments = {"title": "beer", "place": None}

    assert is_given(arguments, before=None, now=now, made_id="7") is given
