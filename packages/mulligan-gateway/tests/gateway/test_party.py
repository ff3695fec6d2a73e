import json

import pytest

from mulligan_gateway.party import Party
from mulligan_gateway.protocol import Frame, Limits, read_frame


class Sent(list):
    def send(self, frame):
        self.append(json.loads(frame))


def make():
    client, server = Sent(), Sent()
    return client, server, Party(client), Party(server)


def read(**message) -> Frame:
    return read_frame(json.dumps(message).encode(), Limits())


def test_an_answer_that_nobody_waits_for_is_counted_and_dropped():
    heard, _, _, server = make()

    for key in (7, "7", -1, 10**30):
        assert not server.take_answer(read(id=key, result={}))

    assert heard == []
    assert server.dropped == 4


def test_a_request_keeps_its_id_unless_another_is_under_way_with_the_same():
    heard, said, client, server = make()
    other = Party(heard)

    server.ask("x", b"", origin=client, key=b"7")
    server.ask("y", b"", origin=other, key=b"7")
    server.take_answer(read(id=said[1]["id"], result="y"))
    server.take_answer(read(id=7, result="x"))

    assert said[0]["id"] == 7
    assert said[1]["id"] != 7
    assert [(m["id"], m["result"]) for m in heard] == [(7, "y"), (7, "x")]


@pytest.mark.parametrize("key", [b'"\\u00e9"', '"é"'.encode(), b"12345678901234567890", b'""'])
def test_an_id_that_programs_write_differently_is_replaced(key):
    heard, said, client, server = make()

    server.ask("x", b"", origin=client, key=key)
    server.take_answer(read(id=said[0]["id"], result=1))

    assert said[0]["id"] != json.loads(key)
    assert heard[0]["id"] == json.loads(key)


def test_an_id_is_not_used_again_while_its_old_answer_may_still_come():
    heard, said, client, server = make()
    server.ask("x", b"", origin=client, key=b"7")
    server.forget(b"7")

    server.ask("x", b"", origin=client, key=b"7")
    server.take_answer(read(id=7, result="old"))
    server.take_answer(read(id=said[1]["id"], result="new"))

    assert [m["result"] for m in heard] == ["new"]


def test_one_who_comes_over_many_connections_has_no_ids_on_the_way():
    heard, said, _, server = make()
    client = Party(heard, keeps_ids=False)

    server.ask("x", b'{"_meta":{"progressToken":"t"}}', origin=client, key=b"7")

    assert said[0]["id"] != 7
    assert said[0]["params"]["_meta"]["progressToken"] != "t"


def test_a_request_made_again_has_an_id_of_its_own():
    _, said, client, server = make()
    server.ask("x", b"", origin=client, key=b"7")
    server.take_answer(read(id=7, result=1))

    server.ask("x", b"", origin=client, key=b"7", again=True)

    assert said[1]["id"] != 7


async def test_a_request_is_remembered_as_its_peer_was_sent_it():
    _, said, _, server = make()
    given = b'{"_meta":{"progressToken":"t"}}'
    first, second = (server.ask("x", given, origin=Party([]), key=b"1") for _ in range(2))

    kept = [json.loads(server.asked[name].params) for name in (first, second)]

    assert kept == [each["params"] for each in said]
    assert kept[1] != kept[0]


async def test_progress_tokens_that_two_use_are_put_back():
    heard, said, client, server = make()
    other = Party(heard)
    given = b'{"_meta":{"progressToken":"t","k":1}}'
    for key, origin in ((b"1", client), (b"2", other)):
        server.ask("x", given, origin=origin, key=key)

    tokens = [m["params"]["_meta"]["progressToken"] for m in said]
    told = [
        server.translate(read(method="notifications/progress", params={"progressToken": token}))
        for token in tokens
    ]

    assert tokens[0] == "t"
    assert tokens[1] != "t"
    assert [asked.origin for asked, _ in told] == [client, other]
    assert [json.loads(params) for _, params in told] == [{"progressToken": "t"}] * 2


def test_the_end_of_a_subscription_names_it_by_its_subscriber():
    heard, said, _, server = make()
    client = Party(heard, keeps_ids=False)
    server.ask("subscriptions/listen", b"{}", origin=client, key=b'"s"')
    number, name = said[0]["id"], "io.modelcontextprotocol/subscriptionId"

    asked, params = server.translate(
        read(method="notifications/x", params={"_meta": {name: number}})
    )
    server.take_answer(read(id=number, result={"_meta": {name: number}}))

    assert asked.origin is client
    assert json.loads(params) == {"_meta": {name: "s"}}
    assert heard[0]["result"] == {"_meta": {name: "s"}}
