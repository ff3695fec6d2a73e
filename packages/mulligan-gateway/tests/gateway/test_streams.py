from mulligan_gateway.http_server import (
    MOST_KEPT,
    MOST_QUEUED,
    MOST_QUEUED_BYTES,
    Stream,
    Streams,
    is_answer,
)
from mulligan_gateway.protocol import Limits

ANSWER = b'{"jsonrpc":"2.0","id":1,"result":{"method":"x"}}'
TOLD = b'{"jsonrpc":"2.0","method":"notifications/message","params":{"result":1}}'


def take(stream: Stream) -> list[bytes | None]:
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
    stream = Stream()

    for _ in range(MOST_QUEUED + 50):
        stream.put(TOLD)

    assert stream.ended
    assert stream.queue.qsize() == MOST_QUEUED + 1


async def test_a_client_that_never_reads_long_messages_is_given_up():
    stream = Stream()

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


def test_an_answer_is_known_by_what_it_is_and_not_by_what_it_says():
    assert is_answer(ANSWER)
    assert not is_answer(TOLD)


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
