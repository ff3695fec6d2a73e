"""What a call sends goes out under its condition; what was refused has done nothing."""

from __future__ import annotations

import httpx
import pytest

from mulligan.types.effect import EffectNote, read_effect_note
from mulligan_packs.http.exchange import (
    CallRequests,
    enter_exchange,
    listen,
)
from mulligan_packs.http.refusals import REFUSED, Refusals

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
