import json

from mulligan.gateway.protocol.frames import Frame, read_frame
from mulligan.gateway.protocol.limits import Limits
from mulligan.gateway.protocol.party import Party


class Sent(list):
    def send(self, frame):
        self.append(json.loads(frame))


def make():
    client, server = Sent(), Sent()
    return client, server, Party(client), Party(server)


def read(**message) -> Frame:
    return read_frame(json.dumps(message).encode(), Limits())


def test_an_answer_goes_to_who_asked_under_their_own_id():
    heard, said, client, server = make()

    server.ask("x", b'{"a":1}', origin=client, key=b'"mine"')
    took = server.take_answer(read(id=said[0]["id"], result={"ok": 1}))

    assert took
    assert heard == [{"jsonrpc": "2.0", "id": "mine", "result": {"ok": 1}}]
    assert server.asked == {}
    assert client.heard == {}


def test_an_answer_that_nobody_waits_for_is_counted_and_dropped():
    heard, _, _, server = make()

    for key in (7, "7", -1, 10**30):
        assert not server.take_answer(read(id=key, result={}))

    assert heard == []
    assert server.dropped == 4


def test_a_peer_that_is_gone_leaves_nobody_waiting():
    heard, _, client, server = make()
    server.ask("x", b"", origin=client, key=b"1")
    server.ask("y", b"", origin=client, key=b"2")

    server.fail_all("It is gone.")

    assert [m["error"]["message"] for m in heard] == ["It is gone.", "It is gone."]


async def test_progress_tokens_are_ours_on_the_way_and_put_back():
    _, said, client, server = make()
    number = server.ask("x", b'{"_meta":{"progressToken":"t","k":1}}', origin=client, key=b"1")

    told = read(method="notifications/progress", params={"progressToken": number, "progress": 1})
    origin, params = server.translate(told)

    assert origin is client
    assert json.loads(params) == {"progressToken": "t", "progress": 1}
    assert said[0]["params"]["_meta"] == {"progressToken": number, "k": 1}


def test_the_end_of_a_subscription_names_it_by_its_subscriber():
    heard, _, client, server = make()
    number = server.ask("subscriptions/listen", b"{}", origin=client, key=b'"s"')
    name = "io.modelcontextprotocol/subscriptionId"

    origin, params = server.translate(
        read(method="notifications/x", params={"_meta": {name: number}})
    )
    server.take_answer(read(id=number, result={"_meta": {name: number}}))

    assert origin is client
    assert json.loads(params) == {"_meta": {name: "s"}}
    assert heard[0]["result"] == {"_meta": {name: "s"}}
