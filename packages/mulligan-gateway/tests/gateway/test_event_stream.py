from collections.abc import AsyncIterator

from mulligan_gateway.upstream import LONGEST_RETRY, RETRY, EventReader


async def cut(text: bytes, size: int) -> AsyncIterator[bytes]:
    for at in range(0, len(text), size):
        yield text[at : at + size]


async def test_events_are_read_however_they_are_cut():
    said = (
        b': hi\r\n\r\nevent: message\r\nid: 7\r\ndata: {"a":\r\ndata: 1}\r\n\r\n'
        b"id: 8\r\ndata: \r\n\r\ndata:x\n\n"
    )

    for size in (1, 3, 1000):
        reader = EventReader(1000)
        events = [each async for each in reader.read(cut(said, size))]

        assert events == [b'{"a":\n1}', b"x"]
        assert reader.last_id == "8"


async def test_a_server_says_when_it_wants_to_be_asked_again_within_reason():
    plain, soon, late = EventReader(100), EventReader(100), EventReader(100)
    for reader, said in (
        (plain, b"retry: x\n\n"),
        (soon, b"retry: 250\n\n"),
        (late, b"retry: 9999999999\n\n"),
    ):
        assert [each async for each in reader.read(cut(said, 100))] == []

    assert (plain.retry, soon.retry, late.retry) == (RETRY, 0.25, LONGEST_RETRY)


async def test_an_event_that_is_cut_off_is_none():
    reader = EventReader(100)

    assert [each async for each in reader.read(cut(b'id: 1\ndata: {"half"', 100))] == []
