# ruff: noqa: S101 - the assertions are the contract
"""What opening, asking after and closing a store must keep to."""

from __future__ import annotations

from dataclasses import replace

from mulligan.core.action import Kept
from mulligan.core.error_class import ErrorClass
from mulligan.core.errors import StoreUnavailableError
from mulligan.core.interfaces import KnownTool, Store
from mulligan.core.log_query import Batch, Loss
from mulligan.core.suggestion import ErrorRule
from mulligan.testing.store_contract.contract import NOW, Contract, make_first_entry, make_log_row


class LifeContract(Contract):
    """From the first opening to the last connection."""

    def count_connections(self, url: str) -> int:
        """How many connections or open files this process has to a store; 0 if none can be told."""
        assert url
        return 0

    def test_the_secret_is_made_once(self, store: Store) -> None:
        """32 bytes, the same every time."""
        secret = store.load_secret()

        assert len(secret) == 32
        assert store.load_secret() == secret

    def test_the_last_word_on_a_tool_counts(self, store: Store) -> None:
        """Every field of it, by server and name."""
        said = KnownTool(tool="move", server="calendar", effect="read", repeat="once", mode="auto")
        rule = ErrorRule(says="sold out", error_class=ErrorClass.RULE, pattern="sold out")
        able = replace(
            said,
            effect="reversible",
            abilities=("undo",),
            promises=("Räumt auf.",),
            error_rules=(rule,),
        )
        store.catalog.remember([said, replace(said, server="")]).result()

        store.catalog.remember([able]).result()

        assert store.catalog.list_tools() == [replace(said, server=""), able]

    def test_health_says_how_the_store_is(self, store: Store) -> None:
        """What is in it, and that nothing is wrong."""
        store.journal.submit([make_first_entry("a")]).result()
        store.log.write(Batch(rows=[make_log_row(0), make_log_row(1)]))

        health = store.check_health()

        assert (health.rows, health.open_actions, health.problems) == (2, 1, ())
        assert health.kind

    def test_closing_twice_is_fine_and_nothing_is_taken_afterwards(self, store: Store) -> None:
        """A late entry is refused, never dropped in silence."""
        store.close()
        store.close()

        answer = store.journal.submit([make_first_entry("late")])

        assert isinstance(answer.exception(), StoreUnavailableError)

    def test_closing_finishes_what_was_submitted(self, store: Store) -> None:
        """Every future is done, and done well."""
        answers = [store.journal.submit([make_first_entry(f"a{number}")]) for number in range(50)]

        store.close()

        assert all(answer.done() and answer.exception() is None for answer in answers)

    def test_no_connection_is_left_open(self, url: str) -> None:
        """After everything has been used once."""
        before = self.count_connections(url)
        store = self.open(url)
        store.journal.submit(
            [make_first_entry("a")], keep=[Kept(owner="a", name="x", value=b"x")]
        ).result()
        store.log.write(Batch(rows=[make_log_row()], losses=[Loss(at=NOW, reason="overflow")]))
        store.journal.list_open_actions()
        store.vault.shred(now=NOW)
        store.check_health()
        store.load_secret()

        store.close()

        assert self.count_connections(url) == before
