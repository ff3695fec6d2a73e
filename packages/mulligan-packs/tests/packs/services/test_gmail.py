"""Gmail: labels, the trash, drafts; what is held, and what is left to a person."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Iterator
from typing import Any

import pytest

from mulligan import State
from tests.packs.services.account import Account, open_account

pytestmark = pytest.mark.full

RAW = urlsafe_b64encode(b"To: grandma@example.com\r\nSubject: Dinner\r\n\r\nAt six").decode()
OTHER = urlsafe_b64encode(b"To: grandma@example.com\r\nSubject: Wrong\r\n\r\nAt nine").decode()
FIRST, SECOND = "19a0000000000001", "19a0000000000002"
DRAFT = "r00000004"


def fill(account: Account) -> None:
    for _ in range(2):
        mail = {"raw": RAW, "labelIds": ["INBOX", "UNREAD"]}
        account.simulation.act("POST", "/users/me/messages", mail)
    account.simulation.act("POST", "/users/me/drafts", {"message": {"raw": RAW}})
    account.simulation.ledger.clear()


@pytest.fixture
def account() -> Iterator[Account]:
    with open_account("gmail") as account:
        fill(account)
        yield account


def list_labels(account: Account, message: str) -> set[str]:
    return {*account.simulation.state["messages"][message]["labelIds"]}


def label(account: Account, message: str, **change: list[str]) -> None:
    account.simulation.act("POST", f"/users/me/messages/{message}/modify", change)


@pytest.mark.parametrize("differs", [frozenset[str](), frozenset({"empty-inbox"})])
async def test_what_was_trashed_is_in_the_inbox_again(differs: frozenset[str]) -> None:
    with open_account("gmail", differs=differs) as account:
        fill(account)

        left = await account.reject("trash_message", FIRST)

        assert left == []
        assert len(account.simulation.ledger) == 2
        assert list_labels(account, FIRST) == {"INBOX", "UNREAD"}


async def test_labels_are_put_back_and_a_label_of_somebody_else_ends_it(account: Account) -> None:
    change = {"add_label_ids": ["STARRED", "UNREAD"], "remove_label_ids": ["INBOX"]}

    assert await account.reject("modify_message", FIRST, **change) == []
    assert list_labels(account, FIRST) == {"INBOX", "UNREAD"}

    def work(tools: dict[str, Any]) -> None:
        tools["modify_message"](FIRST, **change)
        label(account, FIRST, addLabelIds=["Label_1"])

    left = await account.reject_all(work)

    assert [each.state for each in left] == [State.CONFLICT]
    assert list_labels(account, FIRST) == {"STARRED", "UNREAD", "Label_1"}


async def test_a_label_that_came_between_look_and_call_stays(account: Account) -> None:
    def disturb(when: str) -> None:
        account.simulation.disturb = lambda _: None
        label(account, FIRST, addLabelIds=["Label_1"])

    account.simulation.disturb = disturb
    left = await account.reject("modify_message", FIRST, remove_label_ids=["INBOX"])

    assert len(left) == 1
    assert list_labels(account, FIRST) == {"UNREAD", "Label_1"}


async def test_each_message_of_one_request_is_undone_on_its_own(account: Account) -> None:
    def work(tools: dict[str, Any]) -> None:
        tools["modify_messages"]([FIRST, SECOND], remove_label_ids=["INBOX"])
        label(account, SECOND, addLabelIds=["Label_1"])

    left = await account.reject_all(work)

    assert [each.state for each in left] == [State.CONFLICT]
    assert list_labels(account, FIRST) == {"INBOX", "UNREAD"}
    assert list_labels(account, SECOND) == {"UNREAD", "Label_1"}


async def test_what_changed_nothing_is_undone_by_nothing(account: Account) -> None:
    left = await account.reject("modify_message", FIRST, add_label_ids=["UNREAD"])

    assert left == []
    assert account.simulation.ledger == []


async def test_a_draft_is_as_it_was_and_one_that_was_edited_stays(account: Account) -> None:
    drafts = account.simulation.state["drafts"]

    assert await account.reject("update_draft", DRAFT, OTHER) == []
    assert drafts[DRAFT]["message"]["raw"] == RAW
    assert await account.reject("create_draft", OTHER) == []
    assert [*drafts] == [DRAFT]

    def work(tools: dict[str, Any]) -> None:
        made = tools["create_draft"](OTHER)
        account.simulation.act("PUT", f"/users/me/drafts/{made['id']}", {"message": {"raw": RAW}})

    assert [each.state for each in await account.reject_all(work)] == [State.CONFLICT]
    assert [each["message"]["raw"] for each in drafts.values()] == [RAW, RAW]


async def test_a_label_is_deleted_with_its_use_by_the_agent_but_not_with_a_persons(
    account: Account,
) -> None:
    def work(tools: dict[str, Any]) -> str:
        made = str(tools["create_label"]("Wrong")["id"])
        tools["modify_message"](FIRST, add_label_ids=[made])
        return made

    assert await account.reject_all(work) == []
    assert {*account.simulation.state["labels"]} == {"Label_1", "Label_2"}

    def share(tools: dict[str, Any]) -> None:
        label(account, SECOND, addLabelIds=[work(tools)])

    left = await account.reject_all(share)

    [own] = list_labels(account, SECOND) - {"INBOX", "UNREAD"}
    assert [each.state for each in left] == [State.CONFLICT]
    assert own in account.simulation.state["labels"]


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("send_message", [RAW]),
        ("send_draft", [DRAFT]),
        ("delete_message", [FIRST]),
        ("delete_messages", [[FIRST]]),
        ("delete_draft", [DRAFT]),
        ("delete_label", ["Label_1"]),
        ("trash_thread", [FIRST]),
    ],
)
async def test_what_cannot_be_taken_back_is_held(
    account: Account, name: str, given: list[Any]
) -> None:
    left = await account.reject(name, *given)

    assert [each.state for each in left] == [State.HELD]
    assert account.simulation.told == []
    assert account.simulation.ledger == []
