"""What a call sends goes out under its condition; what was refused has done nothing."""

from __future__ import annotations

import httpx
import pytest

from mulligan.core.errors import says_nothing_done
from mulligan.packs.http.exchange import CallRequests, enter_exchange, listen


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

    with enter_exchange(CallRequests(headers={"If-Match": '"v1"'})):
        texts = [client.get("/e1").text, client.put("/e1").text, client.put("/e2").text]

    assert texts == ["None", '"v1"', "None"]
    assert client.put("/e1").text == "None"


@pytest.mark.parametrize(
    ("status", "times", "nothing"),
    [(422, 1, True), (503, 1, False), (422, 2, False), (200, 0, True)],
)
def test_nothing_was_done_if_the_only_write_was_refused(
    status: int, times: int, nothing: bool
) -> None:
    client = answer_with(status)

    def call() -> None:
        with enter_exchange(CallRequests(headers={})):
            for _ in range(times):
                client.put("/e1")
            raise ValueError("the tool gives up")

    with pytest.raises(ValueError) as caught:
        call()

    assert says_nothing_done(caught.value) is nothing
