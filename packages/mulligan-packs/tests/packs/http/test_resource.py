"""Every method proven against a real server: with ETags, and without, where less is promised."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from bench.crash.clock import Clock
from bench.packs.event_server import Events, serve_events
from mulligan import Effect, Mulligan, State
from mulligan.runtime.context import OpenTurn
from mulligan.types.call import Record
from mulligan.types.errors import ConflictError
from mulligan_packs import http
from mulligan_packs.compose import compose
from mulligan_testing.proof import Trial, prove_undo
from tests.packs.http.pictures import serve_pictures
from tests.packs.http.quiet_server import QuietServer, serve_quietly
from tests.packs.proving import act, choose_proven, reject

pytestmark = pytest.mark.full

WAYS = ["put", "patch", "delete", "post"]


@pytest.fixture(scope="module")
def served() -> Iterator[Events]:
    with serve_events(etags=True) as events:
        yield events


@pytest.fixture(scope="module")
def bare() -> Iterator[Events]:
    with serve_events(etags=False) as events:
        yield events


@pytest.fixture
def client(served: Events) -> Iterator[httpx.Client]:
    served.fill()
    with httpx.Client(base_url=served.url, timeout=60) as client:
        yield client


def build_call(m: Mulligan, client: httpx.Client, way: str, **more: Any) -> Any:
    events = http.resource(client, "/events/{event_id}", **more)

    def send(event_id: str = "") -> dict[str, Any]:
        body = None if way == "delete" else {"title": "beer"}
        answer = client.request(way.upper(), f"/events/{event_id}", json=body)
        answer.raise_for_status()
        return answer.json() or {}

    said = {"created": None} if way == "post" else {}
    tool = m.tool(**getattr(events, way)(**said))(send)
    return lambda: tool(**({} if way == "post" else {"event_id": "e1"}))


@pytest.mark.parametrize("way", choose_proven(WAYS, "put", "post"))
async def test_an_undo_holds_whatever_happens_to_it(
    served: Events, client: httpx.Client, way: str
) -> None:
    def build(**proving):
        served.fill()
        m = Mulligan("memory:", **proving)
        more = (
            {"key_header": "Idempotency-Key", "find": "/events?key={key}"} if way == "post" else {}
        )
        return Trial(
            m=m,
            call=build_call(m, client, way, **more),
            look=lambda: dict(served.items),
            edit=lambda: [served.write(name, {"title": "theirs"}) for name in list(served.items)],
        )

    proof = await prove_undo(build)

    assert proof.runs >= 20
    assert set(proof.for_a_person.values()) <= {"conflict", "needs_human"}
    if way == "post":
        assert all(what.startswith("edited") for what in proof.for_a_person)


@pytest.mark.parametrize("way", WAYS)
async def test_without_etags_it_is_undone_and_less_is_promised(bare: Events, way: str) -> None:
    bare.fill()
    before = dict(bare.items)

    with httpx.Client(base_url=bare.url, timeout=60) as client:
        async with Mulligan("memory:", checks=[reject], recover=False) as m:
            call = build_call(m, client, way, etags=False)

            assert await act(m, call) == []
            promises = " ".join(m.insights.tools()[0].promises)

    assert bare.items == before
    assert "can be lost" in promises


async def test_a_server_without_etags_must_be_said_to_have_none(bare: Events) -> None:
    bare.fill()

    with httpx.Client(base_url=bare.url, timeout=60) as client:
        async with Mulligan("memory:", recover=False) as m:
            call = build_call(m, client, "put")
            assert await act(m, call) == [State.HELD]
            assert "etags=False" in str(m.insights.open_list.actions()[0].detail["why"])


@pytest.mark.parametrize(
    ("said", "states"), [({}, [State.NEEDS_HUMAN]), ({"refused": frozenset({412})}, [])]
)
async def test_an_edit_between_the_look_and_the_call_refuses_the_call(
    served: Events, client: httpx.Client, said: dict[str, Any], states: list[State]
) -> None:
    async with Mulligan("memory:", recover=False) as m:
        events = http.resource(client, "/events/{event_id}", **said)

        @m.tool(**events.put())
        def change(event_id: str) -> None:
            served.write("e1", {"title": "theirs"})
            client.put("/events/e1", json={"title": "beer"}).raise_for_status()

        def work() -> None:
            with pytest.raises(httpx.HTTPStatusError, match="412"):
                change("e1")

        assert await act(m, work) == states, "whether ours was there before theirs, nobody knows"
    assert served.items == {"e1": {"title": "theirs"}}


async def test_a_lost_answer_to_a_post_is_found_by_its_key(
    served: Events, client: httpx.Client
) -> None:
    async with Mulligan("memory:", recover=False) as m:
        call = build_call(m, client, "post", key_header="Idempotency-Key", find="/events?key={key}")
        made = []

        def work() -> None:
            served.lose = True
            made.append(call())

        assert await act(m, work) == []
    assert len(served.items) == 2
    assert made[0]["event_id"] in served.items


@pytest.mark.parametrize("sends", [True, False])
async def test_a_tool_whose_own_code_fails_is_made_once(
    served: Events, client: httpx.Client, sends: bool
) -> None:
    mails: list[int] = []
    async with Mulligan("memory:", recover=False) as m:
        events = http.resource(
            client, "/events/{event_id}", find="/events?key={key}", key_header="Idempotency-Key",
            lands_within=0,
        )  # fmt: skip

        @m.tool(**events.post())
        def add_and_mail() -> None:
            mails.append(1)
            if sends:
                client.post("/events", json={"title": "beer"})
            raise RuntimeError("too many requests")

        def work() -> None:
            with pytest.raises(RuntimeError):
                add_and_mail()

        assert await act(m, work) == []
    assert mails == [1]
    assert len(served.items) == 1 + sends


async def test_what_is_found_by_its_key_is_undone(served: Events, client: httpx.Client) -> None:
    before = dict(served.items)
    async with Mulligan("memory:", checks=[reject], recover=False) as m:
        call = build_call(m, client, "post", key_header="Idempotency-Key", find="/events?key={key}")

        def work() -> None:
            served.lose = True
            call()

        assert await act(m, work) == []
    assert served.items == before


@pytest.mark.parametrize("etags", [True, False])
async def test_what_is_found_by_its_key_may_have_been_there_before_and_is_not_deleted(
    etags: bool,
) -> None:
    """An upsert: the server knows what was changed by a key as well as what was made by it."""
    async with Mulligan("memory:", checks=[reject], recover=False) as m:
        with (
            serve_events(etags=etags) as events,
            httpx.Client(base_url=events.url, timeout=60) as client,
        ):
            booked = http.resource(
                client, "/events/{event_id}", etags=etags, key_header="Idempotency-Key",
                find="/events?key={key}",
            )  # fmt: skip

            @m.tool(**booked.post())
            def book(title: str) -> None:
                client.post("/events", json={"title": title}).raise_for_status()

            def work() -> None:
                events.upsert = events.lose = True
                book("milk")

            assert await act(m, work) == [State.UNDO_FAILED]

    assert events.items == {"e1": {"title": "milk"}}


@pytest.mark.parametrize(("created", "known"), [((201,), False), (None, True)])
def test_what_another_process_finds_by_its_key_is_undone_where_each_post_makes_one(
    served: Events, client: httpx.Client, created: tuple[int] | None, known: bool
) -> None:
    client.post("/events", json={"title": "beer"}, headers={"Idempotency-Key": "k1"})
    events = http.resource(client, "/events/{event_id}", find="/events?key={key}")
    declared, record = events.post(created=created), Record(key="k1", arguments={"title": "beer"})

    found = declared["probe"](record)
    version = declared["version"](replace(record, result=found))

    assert found
    assert (version is not None) is known


async def test_a_deletion_is_not_said_to_be_undone_with_all_that_went_with_it(
    served: Events, client: httpx.Client
) -> None:
    told: list[str] = []
    async with Mulligan("memory:", checks=[reject], recover=False) as m:
        remove = build_call(m, client, "delete")

        async def agent(turn: OpenTurn) -> str:
            if turn.correction is not None:
                told.append(turn.correction.text)
            elif not told:
                remove()
            return "Done."

        await m.act("Do it", agent)
        promises = " ".join(m.insights.tools()[0].promises)

    assert "e1" in served.items
    assert "Everything was undone." not in told[0]
    for text in (told[0], promises):
        assert "what the server itself removes with it" in text
    assert "changes elsewhere" in promises


async def test_what_was_made_nobody_knows_where_is_told_of_and_nothing_is_deleted(
    served: Events, client: httpx.Client
) -> None:
    served.says_where = False
    try:
        async with Mulligan("memory:", checks=[reject], recover=False) as m:
            states = await act(m, build_call(m, client, "post"))
    finally:
        served.says_where = True

    assert len(served.items) == 2
    assert len(states) == 1


async def test_an_id_that_only_the_server_names_is_enough(
    served: Events, client: httpx.Client
) -> None:
    async with Mulligan("memory:", checks=[reject], recover=False) as m:

        @m.tool(**http.resource(client, "/events/{event_id}").post())
        def make() -> None:
            client.post("/events", json={"title": "beer"}).raise_for_status()

        assert await act(m, make) == []
    assert list(served.items) == ["e1"]


async def test_a_weak_tag_of_an_answer_is_no_condition(
    served: Events, client: httpx.Client
) -> None:
    served.weak = True
    try:
        async with Mulligan("memory:", checks=[reject], recover=False) as m:
            assert await act(m, build_call(m, client, "put")) == []
    finally:
        served.weak = False

    assert served.items == {"e1": {"title": "milk"}}


@pytest.mark.parametrize("content", ["Käse".encode("latin-1"), bytes(range(256)), "Käse".encode()])
async def test_what_is_no_text_comes_back_to_the_byte(content: bytes) -> None:
    with serve_pictures() as server, httpx.Client(base_url=server.url) as client:
        server.content, kind = content, server.kind
        m = Mulligan("memory:", checks=[reject], recover=False)

        @m.tool(**http.resource(client, "/pictures/{name}").put())
        def draw(name: str) -> None:
            client.put(f"/pictures/{name}", content=b"beer").raise_for_status()

        assert await act(m, lambda: draw(name="a")) == []
        m.close()

        assert (server.content, server.kind) == (content, kind)


async def test_nobody_elsewhere_is_asked_because_a_server_says_so() -> None:
    given = {"Authorization": "Bearer secret-of-ours"}
    with (
        serve_pictures() as elsewhere,
        serve_pictures() as server,
        httpx.Client(base_url=server.url, headers=given) as client,
    ):
        server.location = f"{elsewhere.url}/pictures/1"
        m = Mulligan("memory:", checks=[reject], recover=False)

        @m.tool(**http.resource(client, "/pictures/{name}").post())
        def draw() -> None:
            client.post("/pictures", content=b"beer").raise_for_status()

        states = await act(m, draw)
        m.close()

        assert elsewhere.asked == []
        assert states, "where it is nobody knows, so a person is asked"


@pytest.fixture
def quiet() -> Iterator[QuietServer]:
    with serve_quietly() as server:
        yield server


@pytest.fixture
def near(quiet: QuietServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=quiet.url, timeout=60) as client:
        yield client


@pytest.fixture
async def m() -> AsyncIterator[Mulligan]:
    """An application whose reviewer rejects everything."""
    async with Mulligan("memory:", checks=[reject], recover=False) as app:
        yield app


async def take_back(server: QuietServer, way: str, *, title: str = "beer", **more: Any) -> Any:
    """Write once, have that found wrong, and see what became of it."""
    with httpx.Client(base_url=server.url, timeout=60) as client:
        async with Mulligan("memory:", checks=[reject], recover=False) as m:
            events = http.resource(client, "/events/{event_id}", **more)

            @m.tool(**getattr(events, way)())
            def send(event_id: str | None = None, text: str = "") -> None:
                body = None if way == "delete" else {"title": text}
                client.request(way.upper(), f"/events/{event_id or ''}", json=body)

            return await act(m, lambda: send(None if way == "post" else "e1", title))


@pytest.mark.parametrize("by", ["apache", "nginx"])
@pytest.mark.parametrize("way", ["put", "post"])
async def test_an_undo_works_behind_a_server_that_compresses(
    quiet: QuietServer, way: str, by: str
) -> None:
    quiet.compresses, quiet.tag = by, ""
    before = dict(quiet.items)

    states = await take_back(quiet, way)

    assert states == []
    assert quiet.items == before


@pytest.mark.parametrize(("tag", "etags"), [(None, True), ("W/", True), (None, False)])
@pytest.mark.parametrize("shows", ["whole", "nothing"])
@pytest.mark.parametrize("way", WAYS)
async def test_an_edit_right_after_a_write_is_not_taken_for_the_write(
    quiet: QuietServer, way: str, shows: str, tag: str | None, etags: bool
) -> None:
    quiet.shows, quiet.tag = shows, tag
    theirs, name = {"title": "theirs", "size": 1}, "e2" if way == "post" else "e1"
    quiet.edit = lambda: quiet.write(name, theirs)

    states = await take_back(quiet, way, etags=etags)

    assert quiet.items[name] == theirs
    assert len(states) == 1
    assert states[0] in (State.CONFLICT, State.UNDO_FAILED)


@pytest.mark.parametrize(("shows", "stamps"), [("whole", True), ("id", False), ("nothing", True)])
@pytest.mark.parametrize("way", WAYS)
async def test_what_was_sent_is_known_again_without_an_etag(
    quiet: QuietServer, way: str, shows: str, stamps: bool
) -> None:
    quiet.stamps, quiet.shows = stamps, shows
    quiet.write("e1", {"title": "milk"})

    assert await take_back(quiet, way) == []

    assert [item["title"] for item in quiet.items.values()] == ["milk"]


async def test_what_a_server_rewrites_is_known_by_its_answer_alone(quiet: QuietServer) -> None:
    quiet.trims = True

    assert await take_back(quiet, "put", title=" Beer ") == []
    quiet.shows = "nothing"
    assert await take_back(quiet, "put", title=" Beer ") == [State.UNDO_FAILED]

    assert quiet.items["e1"] == {"title": "beer"}


@pytest.mark.parametrize(("status", "location"), [(202, "/events/e1"), (201, "/events")])
async def test_an_address_that_is_not_of_what_was_made_is_not_deleted(
    quiet: QuietServer, status: int, location: str
) -> None:
    quiet.status, quiet.location, quiet.shows = status, location, "nothing"

    assert len(await take_back(quiet, "post")) == 1

    assert sorted(quiet.items) == ["e1", "e2"]


@pytest.mark.parametrize("tag", ["", None])
@pytest.mark.parametrize("shows", ["whole", "id", "nothing"])
async def test_what_a_location_leads_to_instead_of_what_was_made_is_not_called_changed(
    quiet: QuietServer, shows: str, tag: str | None
) -> None:
    """The answer is about what was made, and the address is somebody's, who has not touched it."""
    quiet.tag, quiet.location, quiet.shows = tag, "/events/e1", shows
    quiet.write("e1", {"title": "milk"})
    before = dict(quiet.items)

    told = await tell_of_post(quiet)

    assert quiet.items == before | {"e3": {"title": "beer"}}
    assert len(told) == 1
    assert "Someone changed it" not in told[0]


@pytest.mark.parametrize("shows", ["id", "nothing"])
async def test_an_edit_of_what_was_made_is_still_called_one(quiet: QuietServer, shows: str) -> None:
    quiet.tag, quiet.shows = "", shows

    told = await tell_of_post(quiet, then=lambda: quiet.write("e2", {"title": "theirs"}))

    assert quiet.items["e2"] == {"title": "theirs"}
    assert len(told) == 1
    assert "Someone changed it" in told[0]


async def tell_of_post(server: QuietServer, *, then: Any = lambda: None) -> list[str]:
    """What is said of a POST that was found wrong, where it stands."""
    with httpx.Client(base_url=server.url, timeout=60) as client:
        async with Mulligan("memory:", checks=[reject], recover=False) as m:

            @m.tool(**http.resource(client, "/events/{event_id}").post())
            def make() -> None:
                client.post("/events", json={"title": "beer"}).raise_for_status()

            def work() -> None:
                make()
                then()

            await act(m, work)
            return [str(each.detail.get("why")) for each in m.insights.open_list.actions()]


@pytest.mark.parametrize("shows", ["whole", "nothing"])
@pytest.mark.parametrize("tag", ["", None])
async def test_what_was_made_and_then_changed_is_undone_from_the_last_to_the_first(
    quiet: QuietServer, m: Mulligan, near: httpx.Client, shows: str, tag: str | None
) -> None:
    quiet.shows, quiet.tag = shows, tag
    before = dict(quiet.items)
    events = http.resource(near, "/events/{event_id}")

    @m.tool(**events.post())
    def make(title: str) -> None:
        near.post("/events", json={"title": title}).raise_for_status()

    @m.tool(**events.patch())
    def change(event_id: str, title: str) -> None:
        near.patch(f"/events/{event_id}", json={"title": title}).raise_for_status()

    def work() -> None:
        make("beer")
        change("e2", "wine")

    assert await act(m, work) == []

    assert quiet.items == before


async def test_what_a_call_found_that_was_made_beside_another_is_not_called_somebodys(
    quiet: QuietServer,
) -> None:
    """Of what the first has left only an answer tells: it reads what the second has made of it."""
    wrote, done = asyncio.Event(), asyncio.Event()
    quiet.write("e1", {"title": "milk"})
    async with (
        httpx.AsyncClient(base_url=quiet.url, timeout=60) as client,
        Mulligan("memory:", checks=[reject], recover=False) as m,
    ):

        @m.tool(**http.resource(client, "/events/{event_id}").put())
        async def change(event_id: str, title: str) -> None:
            await client.put(f"/events/{event_id}", json={"title": title})
            wrote.set()
            if title == "beer":
                await done.wait()

        async def change_beside() -> None:
            await wrote.wait()
            await change("e1", "wine")
            done.set()

        async def agent(turn: OpenTurn) -> str:
            if turn.attempt.number == 1:
                await asyncio.gather(change("e1", "beer"), change_beside())
            return "Done."

        await m.act("Do it", agent)
        told = [str(each.detail.get("why")) for each in m.insights.open_list.actions()]

    assert quiet.items == {"e1": {"title": "beer"}}
    assert len(told) == 1
    assert "is unknown" in told[0]


@pytest.mark.parametrize("fails", [True, False])
async def test_what_a_call_of_ours_has_written_beside_its_resource_is_not_called_somebodys(
    quiet: QuietServer, m: Mulligan, near: httpx.Client, fails: bool
) -> None:
    quiet.tag = ""
    quiet.write("e9", {"title": "other"})

    @m.tool(**http.resource(near, "/events/{event_id}").put())
    def change(event_id: str, beside: str = "") -> None:
        for name in filter(None, (event_id, beside)):
            near.put(f"/events/{name}", json={"title": "beer"})
        if beside and fails:
            raise TimeoutError("no answer")

    def work() -> None:
        change("e9")
        with suppress(TimeoutError):  # an agent goes on all the same
            change("e1", beside="e9")

    await act(m, work)
    told = [str(each.detail.get("why")) for each in m.insights.open_list.actions()]

    assert len(told) == 2
    assert "Someone changed it" not in " ".join(told)


class Shop:
    """A server whose answers to POST do not all mean that something was made."""

    def __init__(self, server: QuietServer) -> None:
        self.server = server
        self.client = httpx.Client(base_url=server.url, timeout=60)

    async def take_back(self, work: Any, **said: Any) -> list[State]:
        async with Mulligan("memory:", checks=[reject], recover=False) as m:
            events = http.resource(self.client, "/events/{event_id}")
            tool = m.tool(**events.post(**said))(work)
            return await act(m, lambda: tool(event_id="e1"))

    def copy(self, event_id: str) -> object:
        """A copy of an event: what is made is not what the argument names."""
        item = self.client.get(f"/events/{event_id}").json()
        return self.client.post("/events", json=item).json()


@pytest.fixture
def shop(quiet: QuietServer) -> Iterator[Shop]:
    made = Shop(quiet)
    with made.client:
        yield made


async def test_of_a_copy_the_copy_is_deleted_and_never_the_original(shop: Shop) -> None:
    shop.server.tag = ""

    assert await shop.take_back(shop.copy) == []

    assert list(shop.server.items) == ["e1"]


@pytest.mark.parametrize(
    "headers", [{"Location": "/events/5/comments/7"}, {"Location": "/events/5"}, {}]
)
async def test_what_was_made_inside_of_it_is_not_taken_for_one_of_its_kind(headers) -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(f"{request.method} {request.url.path}")
        status = 201 if request.method == "POST" else 200
        return httpx.Response(status, json={"id": 7}, headers={"ETag": '"1"', **headers})

    def comment(event_id: int) -> object:
        return client.post(f"/events/{event_id}/comments", json={"text": "Fine"}).json()

    with httpx.Client(base_url="http://127.0.0.1", transport=httpx.MockTransport(answer)) as client:
        async with Mulligan("memory:", checks=[reject], recover=False) as m:
            tool = m.tool(**http.resource(client, "/events/{event_id}").post())(comment)
            states = await act(m, lambda: tool(event_id=5))

    assert len(states) == 1
    assert not [each for each in asked if each.startswith("DELETE")]


@pytest.mark.parametrize("status", [404, 412])
async def test_what_somebody_else_has_deleted_is_not_made_anew(status: int) -> None:
    there, asked = [{"id": 5}], list[str]()

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.method)
        if request.method != "GET":
            return httpx.Response(status)
        shown = {"json": there[0], "headers": {"ETag": '"1"'}} if there else {}
        return httpx.Response(200 if there else 404, **shown)

    def remove(event_id: int) -> int:
        there.clear()
        return client.delete(f"/events/{event_id}").status_code

    with httpx.Client(base_url="http://127.0.0.1", transport=httpx.MockTransport(answer)) as client:
        async with Mulligan("memory:", checks=[reject], recover=False) as m:
            tool = m.tool(**http.resource(client, "/events/{event_id}").delete())(remove)
            await act(m, lambda: tool(event_id=5))

    assert "PUT" not in asked


def test_a_number_that_a_tool_returned_is_no_address_for_another_process(shop: Shop) -> None:
    declared = http.resource(shop.client, "/events/{event_id}").post()
    record = Record(arguments={}, key="k1", result=201)

    with pytest.raises(ConflictError, match="is not known"):
        declared["read"](record)


async def test_what_was_there_before_a_post_is_never_deleted(quiet: QuietServer) -> None:
    quiet.gets, quiet.tag = True, ""

    states = await take_back(quiet, "post")

    assert len(states) == 1
    assert list(quiet.items) == ["e1"]


async def test_what_is_only_accepted_may_yet_come_and_is_left_to_a_person(shop: Shop) -> None:
    shop.server.status, shop.server.tag = 202, ""

    assert len(await shop.take_back(shop.copy)) == 1


async def test_a_status_that_is_declared_to_mean_it_is_believed(shop: Shop) -> None:
    shop.server.status, shop.server.tag = 200, ""

    assert await shop.take_back(shop.copy, created=[200]) == []

    assert list(shop.server.items) == ["e1"]


@pytest.mark.parametrize("answers", [[], [0, 302], [0, 303], [303, 303], [0, 500], [500, 0]])
async def test_a_call_that_writes_elsewhere_too_is_not_called_undone(
    quiet: QuietServer, m: Mulligan, near: httpx.Client, answers: list[int]
) -> None:
    """Whatever its writes are answered with: all of them have taken effect."""
    quiet.tag, quiet.refusals = "", [*answers]
    quiet.write("e1", {"title": "milk"})
    quiet.write("e9", {"title": "other"})

    @m.tool(**http.resource(near, "/events/{event_id}").put())
    def change(event_id: str) -> None:
        near.put(f"/events/{event_id}", json={"title": "beer"})
        near.put("/events/e9", json={"title": "beer"})

    states = await act(m, lambda: change("e1"))

    assert len(states) == 1


@pytest.mark.parametrize(("names", "stands"), [("e1 e9", []), ("e1 e8 e9", ["e1", "e8", "e9"])])
async def test_a_call_of_two_parts_is_undone_unless_it_writes_elsewhere_too(
    quiet: QuietServer, names: str, stands: list[str]
) -> None:
    quiet.tag = ""
    told = await write_two(quiet, names.split(), "beer")

    assert [name for name in quiet.items if quiet.items[name]["title"] == "beer"] == stands
    assert len(told) == bool(stands)


async def test_what_a_part_of_another_kind_writes_by_the_same_client_is_undone_by_that_part(
    quiet: QuietServer,
    m: Mulligan,
    near: httpx.Client,
) -> None:
    quiet.tag = ""
    own: Any = {
        "effect": Effect.REVERSIBLE, "before": lambda _: near.get("/events/e9").text,
        "undo": lambda _: near.delete("/events/e9").raise_for_status() and None,
        "about": lambda _: "e9", "version": lambda _: "1",
    }  # fmt: skip

    @m.tool(**compose(http.resource(near, "/events/{event_id}").put(), own))
    def change(event_id: str) -> None:
        for name in (event_id, "e9"):
            near.put(f"/events/{name}", json={"title": "beer"})

    assert await act(m, lambda: change("e1")) == []

    assert quiet.items == {"e1": {"title": "milk", "size": 1}}


async def test_a_part_of_a_call_that_told_no_version_is_not_called_changed(
    quiet: QuietServer,
) -> None:
    quiet.trims, quiet.shows = True, "nothing"

    told = await write_two(quiet, ["e1", "e9"], " Beer ")

    assert len(told) == 1
    assert "Someone changed it" not in told[0]


async def write_two(server: QuietServer, names: list[str], title: str) -> list[str]:
    """What is said of a call on two events that was found wrong, where it stands."""
    for name in ("e1", "e8", "e9"):
        server.write(name, {"title": "milk"})
    with httpx.Client(base_url=server.url, timeout=60) as client:
        async with Mulligan("memory:", checks=[reject], recover=False) as m:
            events = [http.resource(client, f"/events/{{{each}}}") for each in ("one", "other")]

            @m.tool(**compose(*(each.put() for each in events)))
            def change(one: str, other: str) -> None:
                for name in names:
                    client.put(f"/events/{name}", json={"title": title})

            await act(m, lambda: change("e1", "e9"))
            return [str(each.detail.get("why")) for each in m.insights.open_list.actions()]


@pytest.mark.parametrize("way", ["put", "patch", "delete"])
async def test_a_write_that_is_answered_with_where_to_look_is_undone(
    quiet: QuietServer, way: str
) -> None:
    quiet.write("e1", {"title": "milk"})
    quiet.status = 303

    assert await take_back(quiet, way) == []

    assert quiet.items == {"e1": {"title": "milk"}}


async def test_two_writes_of_one_call_to_its_resource_are_both_ours(
    quiet: QuietServer, m: Mulligan, near: httpx.Client
) -> None:
    quiet.tag = ""

    @m.tool(**http.resource(near, "/events/{event_id}").put())
    def change(event_id: str) -> None:
        near.put(f"/events/{event_id}", json={"title": "beer"})
        near.put(f"/events/{event_id}", json={"title": "wine"})

    assert await act(m, lambda: change("e1")) == []

    assert quiet.items["e1"] == {"title": "milk", "size": 1}


async def test_an_edit_between_two_writes_of_one_call_is_overwritten_by_neither_call_nor_undo(
    quiet: QuietServer,
) -> None:
    quiet.tag, theirs = "", {"title": "theirs", "size": 1}
    with httpx.Client(base_url=quiet.url, timeout=60) as client:
        async with Mulligan("memory:", checks=[reject], recover=False) as m:

            @m.tool(**http.resource(client, "/events/{event_id}").put())
            def change(event_id: str) -> None:
                client.put(f"/events/{event_id}", json={"title": "beer"}).raise_for_status()
                quiet.write(event_id, theirs)
                client.put(f"/events/{event_id}", json={"title": "wine"})

            states = await act(m, lambda: change("e1"))

    assert quiet.items["e1"] == theirs
    assert len(states) == 1


@pytest.mark.parametrize(
    ("tag", "status", "etags"), [("", 303, True), (None, 0, True), (None, 0, False)]
)
async def test_an_edit_that_a_second_write_of_a_call_went_over_is_not_called_undone(
    quiet: QuietServer, m: Mulligan, near: httpx.Client, tag: str | None, status: int, etags: bool
) -> None:
    """What the first left is not told, so that the second goes over whatever is there."""
    quiet.tag, quiet.status = tag, status
    quiet.edit = lambda: quiet.write("e1", {"title": "theirs", "size": 1})

    @m.tool(**http.resource(near, "/events/{event_id}", etags=etags).put())
    def change(event_id: str) -> None:
        near.put(f"/events/{event_id}", json={"title": "beer"})
        near.put(f"/events/{event_id}", json={"title": "wine"})

    assert await act(m, lambda: change("e1")) == [State.UNDO_FAILED]

    assert quiet.items["e1"] == {"title": "wine"}


@pytest.mark.parametrize("way", ["put", "post"])
async def test_a_write_that_is_sent_again_with_credentials_is_one(
    quiet: QuietServer, m: Mulligan, way: str
) -> None:
    quiet.refuses, quiet.refusals = True, [401]
    before = dict(quiet.items)
    with httpx.Client(base_url=quiet.url, timeout=60, auth=AskedFor()) as client:
        events = http.resource(client, "/events/{event_id}", etags=False)

        @m.tool(**getattr(events, way)())
        def send(title: str, event_id: str = "") -> None:
            client.request(way.upper(), f"/events/{event_id}", json={"title": title})

        about = {"event_id": "e1"} if way == "put" else {}
        assert await act(m, lambda: send("beer", **about)) == []

    assert quiet.items == before


class AskedFor(httpx.Auth):
    """Credentials that are sent once a server asks for them."""

    def auth_flow(self, request: httpx.Request) -> Iterator[httpx.Request]:
        answer = yield request
        if answer.status_code == 401:
            request.headers["Authorization"] = "Bearer new"
            yield request


async def test_a_write_that_is_only_accepted_is_not_called_undone(quiet: QuietServer) -> None:
    quiet.status, quiet.tag = 202, ""

    states = await take_back(quiet, "put")

    assert len(states) == 1


async def test_a_write_after_one_that_is_only_accepted_is_not_called_somebody_elses(
    quiet: QuietServer,
    m: Mulligan,
    near: httpx.Client,
) -> None:
    quiet.tag = ""

    @m.tool(**http.resource(near, "/events/{event_id}").put())
    def change(event_id: str, title: str) -> None:
        near.put(f"/events/{event_id}", json={"title": title}).raise_for_status()

    def work() -> None:
        quiet.status, quiet.queues = 202, True
        change("e1", "late")
        quiet.status, quiet.queues = 0, False
        change("e1", "beer")
        quiet.land()

    await act(m, work)
    told = [str(each.detail.get("why")) for each in m.insights.open_list.actions()]

    assert len(told) == 2
    assert "Someone changed it" not in " ".join(told)


@pytest.mark.parametrize("way", ["put", "post"])
async def test_a_write_that_a_thread_sends_unseen_is_not_called_undone(
    quiet: QuietServer, way: str
) -> None:
    """By a pool without the context of the call: neither its condition nor its answer is known."""
    quiet.gets = True
    quiet.write("e1", {"title": "beer"})
    with httpx.Client(base_url=quiet.url, timeout=60) as client, ThreadPoolExecutor(1) as pool:
        async with Mulligan("memory:", checks=[reject], recover=False) as m:
            events = http.resource(client, "/events/{event_id}")

            @m.tool(**getattr(events, way)())
            def send(title: str, event_id: str) -> dict[str, Any]:
                address = "/events" if way == "post" else f"/events/{event_id}"
                sent = pool.submit(client.request, way.upper(), address, json={"title": title})
                return {"id": "e1", **sent.result().json()}

            states = await act(m, lambda: send("beer" if way == "post" else "wine", "e1"))

    assert len(states) == 1
    assert quiet.items["e1"] == {"title": "beer" if way == "post" else "wine"}


@pytest.mark.parametrize("way", ["put", "delete"])
async def test_a_write_after_an_accepted_one_that_was_seen_to_land_is_undone(
    quiet: QuietServer, way: str
) -> None:
    quiet.tag = ""
    with httpx.Client(base_url=quiet.url, timeout=60) as client:
        events = http.resource(client, "/events/{event_id}")
        async with Mulligan("memory:", recover=False) as m:

            @m.tool(**getattr(events, way)())
            def change_later(event_id: str) -> None:
                body = None if way == "delete" else {"title": "late"}
                client.request(way.upper(), f"/events/{event_id}", json=body).raise_for_status()

            quiet.status = 202
            await act(m, lambda: change_later("e1"))
        quiet.status = 0

        assert await write_beer(client, events) == []

    assert quiet.items.get("e1") == (None if way == "delete" else {"title": "late"})


@pytest.mark.parametrize(("lands_within", "left"), [(0.05, 0), (60, 1)])
async def test_a_write_after_an_accepted_one_is_undone_once_its_time_is_over(
    quiet: QuietServer, lands_within: float, left: int
) -> None:
    quiet.tag = ""
    with httpx.Client(base_url=quiet.url, timeout=60) as client:
        events = http.resource(client, "/events/{event_id}", lands_within=lands_within)
        async with Mulligan("memory:", recover=False) as m:

            @m.tool(**events.put())
            def change_later(event_id: str) -> None:
                client.put(f"/events/{event_id}", json={"title": "late"}).raise_for_status()

            quiet.status = 202
            await act(m, lambda: change_later("e1"))
        quiet.status = 0
        quiet.write("e1", {"title": "theirs"})
        await asyncio.sleep(0.1)

        assert len(await write_beer(client, events)) == left


async def write_beer(client: httpx.Client, events: http.Resource) -> list[State]:
    """What is left open of a write that is rejected."""
    async with Mulligan("memory:", checks=[reject], recover=False) as m:

        @m.tool(**events.put())
        def change(event_id: str) -> None:
            client.put(f"/events/{event_id}", json={"title": "beer"}).raise_for_status()

        return await act(m, lambda: change("e1"))


async def test_a_call_that_failed_elsewhere_is_not_called_undone_by_a_look_at_its_own(
    quiet: QuietServer,
) -> None:
    quiet.write("e9", {"title": "other"})
    quiet.refusals = [409]
    with httpx.Client(base_url=quiet.url, timeout=60) as client:
        clock = Clock()
        async with Mulligan("memory:", checks=[reject], clock=clock, recover=False) as m:

            @m.tool(**http.resource(client, "/events/{event_id}", etags=False).put())
            def change(event_id: str) -> None:
                client.put("/events/e9", json={"title": "beer"}).raise_for_status()
                client.put(f"/events/{event_id}", json={"title": "beer"})

            def work() -> None:
                with pytest.raises(httpx.HTTPStatusError):
                    change("e1")

            await act(m, work)
            clock.go_on(timedelta(hours=1))
            await m.recover()
            left = m.insights.open_list.actions()

    assert quiet.items["e9"] == {"title": "beer"}
    assert len(left) == 1


@pytest.mark.parametrize("etags", [True, False])
@pytest.mark.parametrize("name", ["updated_at", "etag"])
async def test_what_a_call_set_itself_must_be_put_back_whatever_it_is_called(
    quiet: QuietServer, m: Mulligan, near: httpx.Client, name: str, etags: bool
) -> None:
    was, wanted = "2026-11-01T10:00:00Z", "2030-01-01T00:00:00Z"
    quiet.write("e1", {"title": "milk", name: was})

    def keep() -> None:
        """What is put back is all but that."""
        quiet.edit = lambda: quiet.write("e1", {**quiet.items["e1"], name: wanted})

    events = http.resource(near, "/events/{event_id}", etags=etags)

    @m.tool(**events.patch())
    def postpone(event_id: str, until: str) -> None:
        near.patch(f"/events/{event_id}", json={name: until}).raise_for_status()
        keep()

    states = await act(m, lambda: postpone("e1", wanted))

    assert quiet.items["e1"][name] == wanted
    assert states == [State.UNDO_FAILED]


@pytest.mark.parametrize("etags", [True, False])
async def test_a_lost_answer_to_what_sets_a_time_is_not_taken_for_nothing_done(
    quiet: QuietServer, m: Mulligan, near: httpx.Client, etags: bool
) -> None:
    quiet.write("e1", {"title": "milk", "updated_at": "2026-11-01T10:00:00Z"})
    quiet.refusals = [500]
    events = http.resource(near, "/events/{event_id}", etags=etags, lands_within=0)

    @m.tool(**events.patch())
    def postpone(event_id: str, until: str) -> None:
        near.patch(f"/events/{event_id}", json={"updated_at": until}).raise_for_status()

    def work() -> None:
        with pytest.raises(httpx.HTTPStatusError):
            postpone("e1", "2030-01-01T00:00:00Z")

    states = await act(m, work)

    assert quiet.items["e1"]["updated_at"] == "2030-01-01T00:00:00Z"
    assert states == [State.NEEDS_HUMAN]


async def test_what_a_server_sets_itself_is_not_put_back_and_needs_no_attention(
    quiet: QuietServer,
    m: Mulligan,
    near: httpx.Client,
) -> None:
    quiet.stamps = True
    quiet.write("e1", {"title": "milk"})
    events = http.resource(near, "/events/{event_id}")

    @m.tool(**events.put())
    def rename(event_id: str, title: str) -> None:
        item = near.get(f"/events/{event_id}").json()
        near.put(f"/events/{event_id}", json={**item, "title": title}).raise_for_status()

    states = await act(m, lambda: rename("e1", "beer"))

    assert (quiet.items["e1"]["title"], states) == ("milk", [])
