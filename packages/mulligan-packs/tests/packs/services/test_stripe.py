"""Stripe: forms, keys, and what others have added to what was made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from mulligan import State
from mulligan.types.errors import ConfigurationError
from mulligan_testing.simulations import ServiceFault, Stripe
from tests.packs.services.account import Account, open_account, prove

pytestmark = pytest.mark.full

FOREIGN = (
    ("/subscriptions", {}),
    ("/payment_methods", {}),
    ("/payment_intents", {"amount": 100, "currency": "eur"}),
    ("/invoices", {}),
    ("/invoiceitems", {"amount": 100, "currency": "eur"}),
)
"""What a second person may have added to a customer."""


@pytest.fixture
def account() -> Iterator[Account]:
    with open_account("stripe") as account:
        yield account


@pytest.mark.parametrize(("path", "more"), FOREIGN)
async def test_a_customer_to_whom_somebody_has_added_something_is_not_deleted(
    account: Account, path: str, more: dict[str, object]
) -> None:
    def work(tools: dict[str, Any]) -> None:
        made = tools["create_customer"]("Wrong")
        account.simulation.act("POST", path, {"customer": made["id"], **more})

    left = await account.reject_all(work)

    assert [each.state for each in left] == [State.CONFLICT]
    assert len(account.simulation.list_left()) == 2


@pytest.mark.parametrize("fault", [ServiceFault.LOST_AFTER, ServiceFault.LOST_BEFORE])
async def test_a_lost_answer_is_asked_for_again_by_its_key_and_undone(
    account: Account, fault: ServiceFault
) -> None:
    account.simulation.faults = [fault]

    left = await account.reject("create_payment_intent", 100, "eur", customer="cus_home")

    [payment] = account.simulation.state["payment_intents"].values()
    assert left == []
    assert payment["status"] == "canceled"


async def test_what_a_change_adds_to_metadata_is_taken_out_and_the_rest_stays(
    account: Account,
) -> None:
    account.simulation.act("POST", "/customers/cus_home", {"metadata": {"room": "1", "by": "x"}})

    wrong = {"name": "Wrong", "metadata": {"room": "2", "floor": "3"}}
    left = await account.reject_all(lambda tools: tools["update_customer"]("cus_home", **wrong))

    customer = account.simulation.state["customers"]["cus_home"]
    assert left == []
    assert (customer["name"], customer["metadata"]) == ("Grandma", {"room": "1", "by": "x"})


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("create_refund", ["ch_1"]),
        ("pay_invoice", ["in_1"]),
        ("send_invoice", ["in_1"]),
        ("finalize_invoice", ["in_1"]),
        ("confirm_payment_intent", ["pi_1"]),
        ("capture_payment_intent", ["pi_1"]),
        ("cancel_subscription", ["sub_1"]),
    ],
)
async def test_money_and_mail_wait_for_a_person(
    account: Account, name: str, arguments: list[str]
) -> None:
    left = await account.reject(name, *arguments)

    assert [each.state for each in left] == [State.HELD]
    assert account.simulation.ledger == []


async def test_a_proof_is_refused_where_money_is_real(monkeypatch: pytest.MonkeyPatch) -> None:
    build = Stripe.build_state

    def build_live(self: Stripe) -> dict[str, object]:
        state = build(self)
        state["customers"]["cus_scratch"]["livemode"] = True
        return state

    monkeypatch.setattr(Stripe, "build_state", build_live)

    with pytest.raises(ConfigurationError, match="livemode"):
        await prove("stripe")
