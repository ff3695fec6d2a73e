"""Jira: statuses that go back where the workflow lets them, and what others put on an issue."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import pytest

from mulligan import State
from mulligan_packs.services import connect
from mulligan_testing.simulations import Jira
from tests.packs.services.account import Account, open_account

pytestmark = pytest.mark.full

EMPTY = {"type": "doc", "version": 1, "content": []}
BASE = {"project": {"key": "HOME"}, "issuetype": {"name": "Task"}, "summary": "Base"}


@pytest.fixture
def account() -> Iterator[Account]:
    with open_account("jira") as account:
        account.simulation.act("POST", "/issue", {"fields": BASE})
        account.simulation.ledger.clear()
        yield account


async def test_a_status_goes_back_by_the_transition_that_leads_there(account: Account) -> None:
    left = await account.reject("transition_issue", "10001", "11", "2")

    assert left == []
    assert account.simulation.state["issues"]["10001"]["status"] == "1"
    assert len(account.simulation.ledger) == 2


async def test_a_status_that_no_transition_leads_back_to_needs_attention(account: Account) -> None:
    [left] = await account.reject("transition_issue", "10001", "41", "3")

    assert left.state is State.UNDO_FAILED
    assert "no way back" in str(left.detail["why"])


async def test_a_status_that_somebody_has_changed_since_stays(account: Account) -> None:
    def work(tools: dict[str, Any]) -> None:
        tools["transition_issue"]("10001", "11", "2")
        change = {"transition": {"id": "21"}}
        account.simulation.act("POST", "/issue/10001/transitions", change)

    [left] = await account.reject_all(work)

    assert left.state is State.CONFLICT
    assert account.simulation.state["issues"]["10001"]["status"] == "3"


@pytest.mark.parametrize(
    ("path", "body"), [("comment", {"body": EMPTY}), ("worklog", {"timeSpentSeconds": 60})]
)
async def test_an_issue_on_which_somebody_has_put_something_is_not_deleted(
    account: Account, path: str, body: dict[str, object]
) -> None:
    def work(tools: dict[str, Any]) -> None:
        made = tools["create_issue"]("HOME", "Task", "Wrong")
        account.simulation.act("POST", f"/issue/{made['id']}/{path}", body)

    [left] = await account.reject_all(work)

    assert left.state is State.CONFLICT
    assert len(account.simulation.state["issues"]) == 2


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("delete_issue", ["10001"]), ("assign_issue", ["10001", {"accountId": "somebody"}])],
)
async def test_what_reaches_people_or_is_gone_for_good_waits(
    account: Account, name: str, arguments: list[Any]
) -> None:
    [left] = await account.reject(name, *arguments)

    assert left.state is State.HELD
    assert account.simulation.ledger == account.simulation.told == []


def test_an_address_with_an_api_token_is_a_user_with_a_password() -> None:
    simulation = Jira()
    with simulation.serve() as url:
        service = connect("jira", token=lambda: "me@example.com:secret", base_url=url)
        service.build_function("create_issue")("HOME", "Task", "Made")
        service.close()

    assert simulation.ledger[0][0] == b64encode(b"me@example.com:secret").decode()
