"""Who may connect over HTTP, how many sessions there are, and where messages go."""

import pytest

from mulligan.types.errors import ConfigurationError
from mulligan_gateway.access import Access, read_tokens
from mulligan_gateway.http_server import (
    MOST_KEPT,
    MOST_QUEUED,
    MOST_QUEUED_BYTES,
    ClientStream,
    Streams,
)
from mulligan_gateway.protocol import Limits
from mulligan_gateway.sign_in import Refusal

TOKEN = "t" * 20
HEADERS = {"host": "127.0.0.1:8400", "authorization": f"Bearer {TOKEN}"}


def ask(**headers: str):
    found = Access(tokens={TOKEN: "ann"}).find_principal({**HEADERS, **headers})
    return found.status if isinstance(found, Refusal) else found


def test_a_token_says_who_asks():
    assert ask() == "ann"
    assert ask(authorization=f"bearer {TOKEN}") == "ann"
    assert ask(origin="http://localhost:3000") == "ann"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"authorization": ""}, 401),
        ({"authorization": f"Basic {TOKEN}"}, 401),
        ({"authorization": "Bearer "}, 401),
        ({"authorization": f"Bearer {TOKEN}x"}, 401),
        ({"host": "evil.example"}, 421),
        ({"host": ""}, 421),
        ({"host": "127.0.0.1.evil.example"}, 421),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": ""}, 403),
        ({"origin": "http://localhost.evil.example"}, 403),
        ({"origin": "http://localhost@evil.example"}, 403),
        ({"origin": "http://evil.example/localhost"}, 403),
        ({"origin": "http://evil.example:8400"}, 403),
        ({"host": "localhost.evil.example:8400"}, 421),
        ({"host": "127.0.0.1, evil.example"}, 421),
        ({"host": "localhost@evil.example"}, 421),
        ({"host": "0.0.0.0:8400"}, 421),
    ],
)
def test_nobody_else_is_heard(headers, status):
    assert ask(**headers) == status


def test_tokens_are_read_from_a_file_that_nobody_else_may_read(tmp_path):
    file = tmp_path / "tokens"
    file.write_text(f"an\u2028n {'a' * 20}\n\n{'b' * 20}\r\n{'c' * 20}\n", encoding="utf-8")
    file.chmod(0o600)

    assert read_tokens(file) == {"a" * 20: "an\u2028n", "b" * 20: "client2", "c" * 20: "client3"}

    file.chmod(0o644)
    with pytest.raises(ConfigurationError, match="tokens"):
        read_tokens(file)


def test_who_is_not_named_never_becomes_somebody_who_is(tmp_path):
    file = tmp_path / "tokens"
    file.touch(mode=0o600)
    file.write_text(f"client2 {'a' * 20}\n{'b' * 20}\nclient4 {'c' * 20}\n{'d' * 20}\n")

    names = list(read_tokens(file).values())

    assert names == ["client2", "client3", "client4", "client5"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        f"ann/bob {'a' * 20}\n",
        "ann short\n",
        f"ann {'a' * 20}\nann {'b' * 20}\n",
        f"ann {'a' * 20}\n{'a' * 20}\n",
    ],
)
def test_a_file_without_a_secret_or_with_one_name_twice_is_refused(tmp_path, text):
    file = tmp_path / "tokens"
    file.touch(mode=0o600)
    file.write_text(text)

    with pytest.raises(ConfigurationError):
        read_tokens(file)


ANSWER = b'{"jsonrpc":"2.0","id":1,"result":{"method":"x"}}'
TOLD = b'{"jsonrpc":"2.0","method":"notifications/message","params":{"result":1}}'


def take(stream: ClientStream) -> list[bytes | None]:
    return [stream.queue.get_nowait() for _ in range(stream.queue.qsize())]


async def test_an_answer_goes_to_the_connection_that_asked_and_ends_it():
    streams = Streams(Limits())
    one, other = streams.open(b"1"), streams.open(b"2")

    streams.send(ANSWER)

    assert take(one) == [ANSWER, None]
    assert take(other) == []


async def test_what_a_server_says_waits_for_somebody_who_listens():
    streams = Streams(Limits())
    for _ in range(MOST_KEPT + 5):
        streams.send(TOLD)

    stream = streams.listen()

    assert stream is not None
    assert len(take(stream)) == MOST_KEPT
    assert streams.listen() is None


async def test_a_client_that_never_reads_is_given_up():
    stream = ClientStream()

    for _ in range(MOST_QUEUED + 50):
        stream.put(TOLD)

    assert stream.ended
    assert stream.queue.qsize() == MOST_QUEUED + 1


async def test_a_client_that_never_reads_long_messages_is_given_up():
    stream = ClientStream()

    for _ in range(MOST_QUEUED):
        stream.put(TOLD + b" " * 1_000_000)

    assert stream.ended
    assert stream.queue.length < MOST_QUEUED_BYTES + 1_001_000


async def test_a_cancelled_request_ends_its_connection():
    streams = Streams(Limits())
    stream = streams.open(b"1")

    streams.cancel(b"1")
    streams.send(ANSWER)

    (said, end) = take(stream)
    assert b"-32800" in said
    assert end is None


async def test_what_is_said_during_a_request_stands_before_its_answer_on_one_connection():
    streams = Streams(Limits())
    listening, waiting = streams.listen(), streams.open(b"1")

    streams.send(TOLD)
    streams.send(ANSWER)

    assert take(waiting) == [TOLD, ANSWER, None]
    assert take(listening) == []


async def test_what_goes_with_a_request_comes_on_its_connection_and_on_no_later_one():
    streams = Streams(Limits())
    first, last = streams.open(b"1"), streams.open(b"2")

    streams.send(TOLD, during=b"1")
    streams.send(TOLD, during=b"over")

    assert take(first) == [TOLD]
    assert take(last) == [TOLD]
