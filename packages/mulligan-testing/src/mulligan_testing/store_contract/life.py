"""What opening, asking after and closing a store must keep to."""

from __future__ import annotations

from datetime import date
from typing import Any

from msgspec.structs import replace

from mulligan.types.action import ActionQuery, Kept, Opening, State
from mulligan.types.effect import Effect
from mulligan.types.errors import StoreUnavailableError
from mulligan.types.failure import ErrorClass
from mulligan.types.finding import Severity, Waiver
from mulligan.types.interfaces import KnownTool, Store
from mulligan.types.lesson import ErrorRule
from mulligan.types.log import Batch, Loss
from mulligan_testing.store_contract.contract import (
    DAY,
    NOW,
    Contract,
    make_first_entry,
    make_log_row,
    walk,
)


class LifeContract(Contract):
    """From the first opening to the last connection."""

    def count_connections(self, url: str) -> int:
        """How many connections or open files this process has to a store; 0 if none can be told."""
        assert url
        return 0

    def test_actions_are_found_by_what_is_asked_of_them(self, store: Store) -> None:
        """Settled or not, the newest first; every filter narrows."""
        office = Opening(
            tool="t", effect=Effect.REVERSIBLE, tenant="office", agent="planner", parent="bulk"
        )
        for number in range(700):
            store.journal.submit(
                walk(f"a{number:03}", [State.INTENT, State.NOT_EXECUTED], at=NOW - DAY)
            )
        store.journal.submit([make_first_entry("b1", opening=office)]).result()
        store.journal.submit([make_first_entry("b2")]).result()

        def find(**asked: Any) -> list[str]:
            return [each.id for each in store.journal.list_actions(ActionQuery(**asked))]

        assert find(limit=3) == ["b2", "b1", "a699"]
        assert len(find(limit=1_000)) == 702
        assert find(id_prefix="a00", limit=2) == ["a009", "a008"]
        assert find(id_prefix="b1") == ["b1"]
        assert find(tenant="office") == find(tool="t") == find(agent="planner") == ["b1"]
        assert find(parent="bulk") == ["b1"]
        assert find(states=frozenset({State.INTENT})) == ["b2", "b1"]
        assert find(since=NOW) == ["b2", "b1"]
        assert find(until=NOW, limit=1) == ["a699"]
        assert find(turn="nobody's") == []

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
            callbacks=("undo",),
            promises=("Räumt auf.",),
            error_rules=(rule,),
        )
        store.catalog.remember([said, replace(said, server="")]).result()

        store.catalog.remember([able]).result()

        assert store.catalog.list_tools() == [replace(said, server=""), able]

    def test_the_last_word_of_an_operator_counts_and_is_no_tool(self, store: Store) -> None:
        """By tool, and for all of them."""
        said = KnownTool(tool="move", server="", effect="read", repeat="once", mode="auto")
        store.catalog.remember([said]).result()

        store.catalog.limit("", "off").result()
        store.catalog.limit("move", "observe").result()
        store.catalog.limit("", "suggest").result()

        assert store.catalog.list_limits() == {"": "suggest", "move": "observe"}
        assert store.catalog.list_tools() == [said]

    def test_what_people_say_of_rules_is_no_declaration_and_the_last_word_counts(
        self, store: Store
    ) -> None:
        """By rule, tool and agent."""
        said = Waiver(rule="day.late", until=date(2026, 12, 31), reason="It is mended.", by="Ann")
        softened = replace(said, tool="move", agent="planner", severity=Severity.WARNING)
        for each in (said, softened, replace(said, reason="Still.")):
            store.catalog.waive(each).result()

        found = sorted(store.catalog.list_waivers(), key=lambda each: each.tool)
        assert found == [replace(said, reason="Still."), softened]
        assert store.catalog.list_tools() == []
        assert store.catalog.list_limits() == {}

    def test_health_says_how_the_store_is(self, store: Store) -> None:
        """What is in it, and that nothing is wrong."""
        store.journal.submit([make_first_entry("a")]).result()
        store.log.write(Batch(rows=[make_log_row(0), make_log_row(1)]))

        health = store.check_health()
        quick = store.check_health(thorough=False)

        assert (health.rows, health.open_actions, health.problems) == (2, 1, ())
        assert (quick.kind, quick.open_actions, quick.problems) == (health.kind, 1, ())
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
