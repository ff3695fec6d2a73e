"""The HTTP API: calls are logged, reviewed and answered once, for their principal only."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx
import jsonschema_rs
import pytest
from starlette.applications import Starlette

from mulligan import Mulligan
from mulligan.stores.opening import open_store
from mulligan.types.log import LogQuery
from mulligan_gateway import api as module
from mulligan_gateway.access import EVERYTHING, Grant
from mulligan_gateway.api import RepeatedWrites, ReportedTurns, create_api
from mulligan_gateway.api_messages import (
    LogRequest,
    ProblemError,
    ProblemKind,
    ReportedCall,
    describe_api,
)
from mulligan_testing.fakes import FixedClock

TOKENS = {"t-ann": "ann", "t-bob": "bob"}


@dataclass
class Refusal:
    status: int
    said: str


def find_principal(headers: Mapping[str, str]) -> str | Refusal:
    if "origin" in headers:
        return Refusal(403, "Pages may not ask here.")
    token = headers.get("authorization", "").removeprefix("Bearer ")
    return TOKENS.get(token) or Refusal(401, "A bearer token is needed.")


def connect(m: Mulligan, *, token: str = "t-ann", grant: Grant = EVERYTHING, **options: Any) -> Any:
    said = {"find_principal": find_principal, "find_grant": lambda _: grant}
    routes = create_api(m, **said, **options)
    transport = httpx.ASGITransport(app=Starlette(routes=routes))
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers)


@pytest.fixture
async def m():
    async with Mulligan("memory:") as opened:
        yield opened


FAILED = {
    "tool": "find_order",
    "arguments": {"limit": 500},
    "error": {"message": "limit must be less than or equal to 50", "status": 422},
    "schema": {"type": "object", "properties": {"limit": {"type": "integer", "maximum": 50}}},
}
WORKED = {"tool": "find_order", "arguments": {"limit": 50}, "result": {"orders": []}}


async def test_executions_are_logged_as_calls_of_one_turn(m):
    body = {"executions": [FAILED, WORKED], "message": "Find it", "agent": "ts"}
    async with connect(m) as client:
        answer = await client.post("/v1/executions", json=body)
    m.flush()

    rows = m.insights.log(LogQuery(oldest_first=True))
    said = answer.json()
    assert answer.status_code == 201
    assert [each["outcome"] for each in said["executions"]] == ["failure", "success"]
    assert "50" in said["executions"][0]["advice"]
    assert [(row.tool, row.outcome, row.agent, row.turn) for row in rows] == [
        ("find_order", "failure", "ts", said["turn"]),
        ("find_order", "success", "ts", said["turn"]),
    ]
    assert rows[0].error_class == "validation"


async def test_context_duration_and_type_of_error_are_logged_as_the_client_says_them(m):
    failed = {
        "tool": "pay",
        "error": {"message": "no answer", "type": "api.GoneError", "status": 429},
    }
    body = {
        "executions": [{**WORKED, "duration_ms": 1234.5}, {**failed, "duration_ms": 30_000}],
        "message": "Find it",
        "agent": "ts",
        "context": "closing the month",
    }
    async with connect(m) as client:
        answer = await client.post("/v1/executions", json=body)
        refused = await client.post(
            "/v1/executions", json={"executions": [{**WORKED, "duration_ms": -1}]}
        )
    m.flush()

    rows = m.insights.log(LogQuery(oldest_first=True))
    assert (answer.status_code, refused.status_code) == (201, 400)
    assert [row.context for row in rows] == ["closing the month"] * 2
    assert [row.duration_us for row in rows] == [1_234_500, 30_000_000]
    assert [row.error_type for row in rows] == [None, "GoneError"]
    assert rows[1].error_class == "rate_limit"


async def test_a_named_turn_goes_on_until_it_is_reviewed(m):
    async with connect(m) as client:
        turns = [
            (await client.post("/v1/executions", json={"turn": "a", "executions": [WORKED]})).json()
            for _ in range(2)
        ]
        await client.post("/v1/reviews", json={"turn": "a", "reply": "Done."})
        later = await client.post("/v1/executions", json={"turn": "a", "executions": [WORKED]})

    assert turns[0]["turn"] == turns[1]["turn"] != later.json()["turn"]


async def test_a_turn_of_somebody_else_is_another_one(m):
    body = {"turn": "a", "executions": [WORKED]}
    async with connect(m) as ann, connect(m, token="t-bob") as bob:
        first, second = [await each.post("/v1/executions", json=body) for each in (ann, bob)]

    assert first.json()["turn"] != second.json()["turn"]


@pytest.mark.parametrize("strict", [False, True])
async def test_a_review_tells_what_the_checks_found(strict):
    m = Mulligan("memory:", strict=strict)

    @m.check("pay")
    def not_too_much(call):
        return "That is too much." if call.arguments["amount"] > 10 else None

    paid = {"tool": "pay", "arguments": {"amount": 99}, "result": {"paid": True}}
    async with m, connect(m) as client:
        body = {"message": "Pay 9", "executions": [paid], "reply": "Paid."}
        answer = (await client.post("/v1/reviews", json=body)).json()

    assert answer["standing"] == "rejected"
    assert [each["issue"] for each in answer["findings"]] == ["That is too much."]
    assert answer["findings"][0]["rule"] == "check.not_too_much"


async def test_a_suggestion_is_what_the_schema_and_the_error_say(m):
    asked = {key: FAILED[key] for key in ("tool", "arguments")}
    async with connect(m) as client:
        await client.post("/v1/executions", json={"executions": [FAILED]})
        asked["error"] = FAILED["error"]["message"]
        answer = (await client.post("/v1/suggestions", json=asked)).json()

    assert answer["decision"] == "repair"
    assert answer["suggestions"][0]["changes"] == {"limit": 50}
    assert 0 < answer["suggestions"][0]["probability"] <= 1


@pytest.mark.parametrize(("server", "changes"), [("", [{"limit": 50}]), ("elsewhere", [])])
async def test_a_schema_says_nothing_about_a_tool_of_that_name_elsewhere(m, server, changes):
    asked = {"tool": "find_order", "arguments": {"limit": 500}, "error": "invalid: limit"}
    async with connect(m) as client:
        await client.post("/v1/executions", json={"executions": [FAILED]})
        answer = (await client.post("/v1/suggestions", json={**asked, "server": server})).json()

    assert [each["changes"] for each in answer["suggestions"]] == changes


async def test_pitfalls_come_as_text(m):
    async with connect(m) as client:
        answer = await client.get("/v1/pitfalls", params={"tool": "find_order", "tokens": 100})
        refused = await client.get("/v1/pitfalls", params={"tokens": "many"})

    assert isinstance(answer.json()["text"], str)
    assert refused.status_code == 400


async def test_a_client_reports_and_asks_only_of_the_tools_that_it_is_granted(m):
    others, own = {**FAILED, "server": "crm"}, {**FAILED, "server": "files"}
    pitfalls, executions = "/v1/pitfalls", "/v1/executions"
    asked = {"tool": "find_order", "error": "limit must be less than 50"}
    async with connect(m) as client:
        await client.post(executions, json={"executions": [others] * 4, "agent": "ts"})
    m.flush()
    async with connect(m) as client:
        everything = await client.get(pitfalls)
    async with connect(m, grant=Grant(tools=("files/*",))) as client:
        refused = [
            await client.post(executions, json={"executions": [own, others]}),
            await client.post("/v1/reviews", json={"executions": [others], "reply": "x"}),
            await client.post("/v1/suggestions", json={**asked, "server": "crm"}),
            await client.post("/v1/suggestions", json=asked),
        ]
        taken = [
            await client.post(executions, json={"executions": [own]}),
            await client.post("/v1/suggestions", json={**asked, "server": "files"}),
        ]
        told = [
            await client.get(pitfalls, params=params)
            for params in ({}, {"tool": "find_order"}, {"agent": "ts"})
        ]
    m.flush()

    assert "find_order" in everything.json()["text"]
    assert {each.json()["type"] for each in refused} == {"urn:mulligan:problem:not-granted"}
    assert [each.status_code for each in (*refused, *taken)] == [403] * 4 + [201, 200]
    assert [each.json()["text"] for each in told] == ["", "", ""]
    assert [row.server for row in m.insights.log(LogQuery())] == ["files"] + ["crm"] * 4


async def test_a_write_with_the_same_key_is_done_once(m):
    body, key = {"executions": [WORKED]}, {"idempotency-key": "k1"}
    async with connect(m) as client:
        first, again = [
            await client.post("/v1/executions", json=body, headers=key) for _ in range(2)
        ]
        other = await client.post("/v1/executions", json={"executions": [FAILED]}, headers=key)
        bad = await client.post("/v1/executions", json=body, headers={"idempotency-key": "a b"})
    m.flush()

    assert first.content == again.content
    assert again.headers["idempotent-replayed"] == "true"
    assert "idempotent-replayed" not in first.headers
    assert (other.status_code, other.json()["type"]) == (422, "urn:mulligan:problem:other-body")
    assert bad.status_code == 400
    assert len(m.insights.log(LogQuery())) == 1


async def test_a_key_holds_over_a_restart_and_for_its_owner_alone(tmp_path):
    body, key = {"executions": [WORKED]}, {"idempotency-key": "k1"}
    url = f"sqlite:///{tmp_path / 'm.db'}"
    async with Mulligan(url) as first, connect(first) as client:
        one = await client.post("/v1/executions", json=body, headers=key)
    async with (
        Mulligan(url) as second,
        connect(second) as client,
        connect(second, token="t-bob") as bob,
    ):
        two = await client.post("/v1/executions", json=body, headers=key)
        bobs = await bob.post("/v1/executions", json=body, headers=key)

    assert one.content == two.content
    assert bobs.json()["turn"] != one.json()["turn"]


@pytest.mark.parametrize(
    ("path", "body", "says"),
    [
        ("/v1/executions", {"executions": []}, "length >= 1"),
        ("/v1/executions", {"executions": [{}]}, "tool"),
        ("/v1/executions", {"executions": [WORKED] * 101}, "length <= 100"),
        ("/v1/executions", {"executions": [{**WORKED, "toool": 1}]}, "toool"),
        ("/v1/suggestions", {"tool": "x", "error": 5}, "$.error"),
        ("/v1/reviews", "[" * 100_000, ""),
        ("/v1/reviews", "{", ""),
    ],
)
async def test_what_cannot_be_read_is_a_problem_that_says_where(m, path, body, says):
    text = body if isinstance(body, str) else json.dumps(body)
    async with connect(m) as client:
        headers = {"content-type": "application/json"}
        answer = await client.post(path, content=text, headers=headers)

    assert (answer.status_code, answer.json()["status"]) == (400, 400)
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["type"] == "urn:mulligan:problem:unreadable"
    assert says in answer.json()["detail"]


async def test_nobody_asks_without_a_token_or_from_a_page(m):
    async with connect(m, token="") as client:
        nobody = await client.post("/v1/executions", json={"executions": [WORKED]})
        page = await client.get("/v1/pitfalls", headers={"origin": "https://evil.example"})
        description = await client.get("/v1/openapi.json")
    m.flush()

    assert (nobody.status_code, page.status_code) == (401, 403)
    assert nobody.headers["www-authenticate"].startswith("Bearer")
    assert description.status_code == 200
    assert m.insights.log(LogQuery()) == []


async def test_a_request_that_is_too_large_is_refused(m):
    async with connect(m, most=1000) as client:
        large = await client.post("/v1/executions", json={"executions": [WORKED] * 50})

    assert (large.status_code, large.json()["type"]) == (413, "urn:mulligan:problem:too-large")


async def test_how_often_a_client_may_ask_is_its_grant_s_alone_to_say(m):
    async with connect(m, grant=Grant(per_minute=5000)) as client:
        answers = [await client.get("/v1/pitfalls?unknown=1") for _ in range(601)]

    assert {each.status_code for each in answers} == {400}


async def test_a_tool_that_is_declared_here_is_not_reported(m):
    m.declare("send_mail", effect="irreversible")
    sent = {"tool": "send_mail", "arguments": {}, "result": "sent"}
    async with connect(m) as client:
        answer = await client.post("/v1/executions", json={"executions": [sent]})

    assert (answer.status_code, answer.json()["type"]) == (409, "urn:mulligan:problem:declared")


async def test_what_has_run_already_is_never_held(tmp_path):
    async with Mulligan("memory:", strict=True) as strict, connect(strict) as client:
        answer = await client.post("/v1/executions", json={"executions": [WORKED]})

    assert answer.status_code == 201


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def writes(clock):
    # One clock for both: what is kept for a day would be over by any later one.
    with closing(open_store("memory:", clock=clock)) as store:
        yield RepeatedWrites(store.vault, clock=clock)


class Work:
    def __init__(self) -> None:
        self.done = 0
        self.goes_on = asyncio.Event()
        self.goes_on.set()

    async def run(self) -> bytes:
        await self.goes_on.wait()
        self.done += 1
        return b"answer %d" % self.done


async def write(writes: RepeatedWrites, work: Work, *, key: str = "k", body: bytes = b"{}"):
    return await writes.answer_once(key, whose="ann", body=body, work=work.run)


async def test_without_a_key_every_request_is_done(writes):
    work = Work()

    answers = [await write(writes, work, key="") for _ in range(2)]

    assert answers == [(b"answer 1", False), (b"answer 2", False)]


async def test_the_same_at_the_same_time_is_told_to_wait(writes):
    work = Work()
    work.goes_on.clear()
    first = asyncio.create_task(write(writes, work))
    await asyncio.sleep(0)

    with pytest.raises(ProblemError) as refused:
        await write(writes, work)
    work.goes_on.set()

    assert refused.value.kind is ProblemKind.IN_PROGRESS
    assert await first == (b"answer 1", False)
    assert await write(writes, work) == (b"answer 1", True)


async def test_a_key_is_remembered_for_a_day(writes, clock):
    work = Work()
    await write(writes, work)
    clock.move(timedelta(hours=23))
    within = await write(writes, work)
    clock.move(timedelta(hours=2))

    assert within == (b"answer 1", True)
    assert await write(writes, work) == (b"answer 2", False)


async def test_what_failed_is_done_when_it_is_asked_for_again(writes):
    work = Work()

    async def fail() -> bytes:
        raise ProblemError(ProblemKind.UNAVAILABLE)

    with pytest.raises(ProblemError):
        await writes.answer_once("k", whose="ann", body=b"{}", work=fail)

    assert await write(writes, work) == (b"answer 1", False)


FOUND = ReportedCall(tool="find", result="x")


async def report(turns: ReportedTurns, name: str, *calls: ReportedCall, principal: str = "ann"):
    said = LogRequest(turn=name, executions=list(calls))
    async with turns.enter(said, principal=principal) as run:
        await turns.log(run, calls)
        return run.id


async def test_turns_that_nobody_ends_end_by_themselves(m, monkeypatch):
    monkeypatch.setattr(module, "MOST_TURNS", 2)
    turns = ReportedTurns(m._build_host({}))

    first = await report(turns, "1", FOUND)
    for name in ("2", "3"):
        await report(turns, name, FOUND)

    assert await report(turns, "1", FOUND) != first
    await turns.close()


async def test_a_turn_that_nobody_goes_on_with_is_over_after_a_while(m):
    clock = [0.0]
    turns = ReportedTurns(m._build_host({}), now=lambda: clock[0])
    first = await report(turns, "1", FOUND)
    clock[0] = module.IDLE + 1

    await report(turns, "2", FOUND)

    assert await report(turns, "1", FOUND) != first
    await turns.close()


async def test_names_of_tools_are_taken_only_up_to_a_bound(m, monkeypatch):
    monkeypatch.setattr(module, "MOST_TOOLS", 1)
    turns = ReportedTurns(m._build_host({}))
    await report(turns, "", FOUND)

    with pytest.raises(ProblemError) as refused:
        await report(turns, "", ReportedCall(tool="other"))

    assert refused.value.kind is ProblemKind.TOO_MANY


def build_validator(document, path: str):
    schema = document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
    return jsonschema_rs.validator_for({**schema, "components": document["components"]})


def test_the_document_describes_every_route_and_every_problem():
    document = describe_api("/v1")

    assert document["openapi"] == "3.1.0"
    assert set(document["paths"]) == {
        "/v1/executions",
        "/v1/suggestions",
        "/v1/reviews",
        "/v1/pitfalls",
    }
    statuses = set(document["paths"]["/v1/reviews"]["post"]["responses"])
    assert {str(kind.status) for kind in ProblemKind} <= statuses


def test_its_schemas_say_what_is_taken_and_what_is_not():
    validator = build_validator(describe_api("/v1"), "/v1/executions")

    assert validator.is_valid({"executions": [{"tool": "x", "arguments": {"a": 1}}]})
    assert not validator.is_valid({"executions": []})
    assert not validator.is_valid({"executions": [{"tool": "x", "unknown": 1}]})


def test_writes_take_a_key_and_questions_need_none():
    paths = describe_api("/v1")["paths"]

    named = {path: [p["name"] for p in each.get("post", {}).get("parameters", [])]
             for path, each in paths.items()}  # fmt: skip

    assert named["/v1/executions"] == named["/v1/reviews"] == ["Idempotency-Key"]
    assert named["/v1/suggestions"] == []
