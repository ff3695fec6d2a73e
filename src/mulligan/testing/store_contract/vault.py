"""What a vault must keep to."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mulligan.core.action import Kept, State
from mulligan.core.errors import NaiveTimeError
from mulligan.core.interfaces import Store
from mulligan.testing.store_contract.contract import (
    DAY,
    HOUR,
    Contract,
    find_way,
    make_first_entry,
    walk,
)


def _read_clock() -> datetime:
    return datetime.now(UTC)


class VaultContract(Contract):
    """Raw values apart from everything else."""

    def test_a_value_comes_back_until_it_is_replaced(self, store: Store) -> None:
        """Byte for byte, under names in any script."""
        store.vault.put(Kept(owner="ящик", name="до", value=bytes(range(256))))
        store.vault.put(Kept(owner="ящик", name="other", value=b"2"))

        found = store.vault.get("ящик", "до")
        store.vault.put(Kept(owner="ящик", name="до", value=b""))

        assert found == bytes(range(256))
        assert store.vault.get("ящик", "до") == b""
        assert store.vault.get("ящик", "other") == b"2"
        assert store.vault.get("ящик", "absent") is None
        assert store.vault.get("nobody", "до") is None

    def test_an_expired_value_is_not_given_out(self, store: Store) -> None:
        """Also before anyone shreds it."""
        store.vault.put(Kept(owner="a", name="x", value=b"1", expires_at=_read_clock() - HOUR))
        store.vault.put(Kept(owner="a", name="y", value=b"2", expires_at=_read_clock() + HOUR))

        assert store.vault.get("a", "x") is None
        assert store.vault.get("a", "y") == b"2"

    def test_an_owner_can_be_made_to_expire(self, store: Store) -> None:
        """Everything of that owner, and of no other."""
        for owner in ("turn", "other"):
            store.vault.put(Kept(owner=owner, name="message", value=b"m"))
            store.vault.put(Kept(owner=owner, name="reply", value=b"r"))

        store.vault.expire("turn", at=_read_clock() - HOUR)

        assert store.vault.get("turn", "message") is None
        assert store.vault.get("turn", "reply") is None
        assert store.vault.get("other", "message") == b"m"

    def test_shredding_deletes_what_has_expired_and_says_how_much(self, store: Store) -> None:
        """In whatever number."""
        past = _read_clock() - HOUR
        for number in range(30):
            store.vault.put(Kept(owner="a", name=str(number), value=b"x", expires_at=past))
        store.vault.put(Kept(owner="a", name="open", value=b"y"))
        store.vault.put(Kept(owner="a", name="later", value=b"z", expires_at=past + DAY))

        first_time = store.vault.shred(now=_read_clock())
        second_time = store.vault.shred(now=_read_clock())

        assert (first_time, second_time) == (30, 0)
        assert store.vault.get("a", "open") == b"y"
        assert store.vault.get("a", "later") == b"z"

    def test_values_of_an_action_outlive_its_settlement_by_the_retention(
        self, store: Store
    ) -> None:
        """Seven days by default, counted from the entry that settles it."""
        way = find_way(State.VERIFIED)
        for action, at in (
            ("long-ago", _read_clock() - 8 * DAY),
            ("lately", _read_clock() - 6 * DAY),
        ):
            kept = Kept(owner=action, name="before", value=b"v")
            store.journal.submit(walk(action, way, at=at), keep=[kept]).result()
        store.journal.submit(
            [make_first_entry("open")], keep=[Kept(owner="open", name="b", value=b"o")]
        )

        shredded = store.vault.shred(now=_read_clock())

        assert shredded == 1
        assert store.vault.get("long-ago", "before") is None
        assert store.vault.get("lately", "before") == b"v"
        assert store.vault.get("open", "b") == b"o"

    def test_a_time_without_a_zone_is_refused(self, store: Store) -> None:
        """Wherever one is passed."""
        naive = datetime(2026, 11, 16, 9, 30)  # noqa: DTZ001

        with pytest.raises(NaiveTimeError):
            store.vault.put(Kept(owner="a", name="x", value=b"1", expires_at=naive))
        with pytest.raises(NaiveTimeError):
            store.vault.expire("a", at=naive)
        with pytest.raises(NaiveTimeError):
            store.vault.shred(now=naive)

        assert store.vault.get("a", "x") is None
