"""What a journal and its vault must keep to."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone

import pytest
from msgspec.structs import replace

from mulligan.types.action import SETTLED, Entry, Kept, Opening, State, leads_to
from mulligan.types.effect import Effect, Repeat
from mulligan.types.errors import (
    IllegalTransitionError,
    JournalError,
    NaiveTimeError,
    StaleEntryError,
)
from mulligan.types.interfaces import Store
from mulligan_testing.store_contract.contract import (
    DAY,
    HOUR,
    NAIVE,
    NOW,
    OPENING,
    Contract,
    find_way,
    make_first_entry,
    make_id,
    make_next_entry,
    walk,
)

MEGABYTE = 1024 * 1024


class JournalContract(Contract):
    """The durable truth about effects."""

    def test_an_entry_reads_back_as_it_was_written(self, store: Store) -> None:
        """Every field of it, whatever its script and its zone."""
        opening = Opening(
            tool="переслать",
            server="почта",
            effect=Effect.IRREVERSIBLE,
            repeat=Repeat.KEYED,
            agent="секретарь 🖋",
            tenant="家",
            turn="t1",
            attempt=2,
            call="c1",
            parent="p1",
            key="k1",
        )
        berlin = NOW.astimezone(timezone(timedelta(hours=1)))
        detail = {"note": "naïve \N{SNOWMAN} \x00 end", "list": [1, 2.5, None], "deep": {"a": []}}
        entry = Entry(
            action="a", state=State.HELD, at=berlin, version=1, opening=opening, detail=detail
        )

        store.journal.submit([entry]).result()

        action = store.journal.find_action("a")
        assert action is not None
        assert store.journal.list_entries("a") == [entry]
        assert (action.opening, action.detail) == (opening, detail)
        assert (action.state, action.version) == (State.HELD, 1)
        assert action.opened_at == action.changed_at == NOW
        assert action.opened_at.utcoffset() == timedelta(0)
        assert action.writer == store.journal.identify_writer()

    def test_who_lives_is_not_gone(self, store: Store) -> None:
        """Not after a beat, and not before the first entry either; so it may act."""
        held = [store.journal.holds_lease()]
        before = store.journal.find_dead_writers([store.journal.identify_writer()])

        store.journal.beat()

        assert before == store.journal.find_dead_writers([store.journal.identify_writer()]) == set()
        assert store.journal.find_dead_writers(["nobody"]) == {"nobody"}
        held += [store.journal.holds_lease(), store.journal.holds_lease("somebody's")]
        assert held == [True, True, True]

    def test_exactly_the_legal_transitions_are_taken(self, store: Store) -> None:
        """Each state against each other one."""
        pairs = [(before, after) for before in State for after in State]
        for number, (before, _) in enumerate(pairs):
            store.journal.submit(walk(f"a{number:04}", find_way(before)))

        answers = [
            store.journal.submit(
                [make_next_entry(f"a{number:04}", after, version=len(find_way(before)) + 1)]
            )
            for number, (before, after) in enumerate(pairs)
        ]

        for (before, after), answer in zip(pairs, answers, strict=True):
            refused = isinstance(answer.exception(), IllegalTransitionError)
            assert refused is not leads_to(before, after), (before, after)
            assert refused or answer.exception() is None

    def test_only_intent_and_held_open_an_action(self, store: Store) -> None:
        """And they must say what is opened."""
        answers = {
            state: store.journal.submit([make_first_entry(f"a-{state}", state=state)]).exception()
            for state in State
        }
        nameless = store.journal.submit([make_next_entry("nameless", State.INTENT, version=1)])

        taken = {state for state, error in answers.items() if error is None}
        assert taken == {State.INTENT, State.HELD}
        assert isinstance(nameless.exception(), JournalError)
        assert store.journal.find_action("nameless") is None

    def test_a_stale_entry_is_refused(self, store: Store) -> None:
        """It is the fence against a worker that slept."""
        store.journal.submit(walk("a", [State.INTENT, State.EXECUTED])).result()

        with pytest.raises(StaleEntryError):
            store.journal.submit([make_next_entry("a", State.VERIFIED, version=2)]).result()
        with pytest.raises(StaleEntryError):
            store.journal.submit([make_next_entry("a", State.VERIFIED, version=4)]).result()

        assert [entry.state for entry in store.journal.list_entries("a")] == ["intent", "executed"]

    def test_a_submission_is_taken_whole_or_not_at_all(self, store: Store) -> None:
        """Entries and kept values alike."""
        kept = Kept(owner="a", name="before", value=b"old")
        half = [
            make_first_entry("a"),
            make_first_entry("b"),
            make_next_entry("a", State.UNDONE, version=2),
        ]

        answer = store.journal.submit(half, keep=[kept])

        assert isinstance(answer.exception(), IllegalTransitionError)
        assert store.journal.find_action("a") is None
        assert store.journal.find_action("b") is None
        assert store.vault.get("a", "before") is None
        assert store.journal.submit([make_first_entry("a")], keep=[kept]).exception() is None
        assert store.vault.get("a", "before") == b"old"

    def test_one_refused_submission_leaves_its_neighbours_alone(self, store: Store) -> None:
        """They may share a transaction; they do not share its fate."""
        bad = [
            [make_first_entry(f"a{n}"), make_next_entry(f"a{n}", State.UNDONE, version=2)]
            for n in range(20)
        ]
        good = [
            [make_first_entry(f"b{n}"), make_next_entry(f"b{n}", State.EXECUTED, version=2)]
            for n in range(20)
        ]

        answers = [
            (store.journal.submit(refused), store.journal.submit(taken))
            for refused, taken in zip(bad, good, strict=True)
        ]

        for refused, taken in answers:
            assert isinstance(refused.exception(), IllegalTransitionError)
            assert taken.exception() is None
        opened = store.journal.list_open_actions()
        assert {action.id for action in opened} == {f"b{number}" for number in range(20)}
        assert store.journal.verify() == []

    def test_many_threads_write_at_once(self, store: Store) -> None:
        """Everything acknowledged is there, and the chains hold."""

        def work(thread: int) -> None:
            for number in range(25):
                action = f"t{thread}-{number}"
                store.journal.submit([make_first_entry(action)]).result()
                store.journal.submit([make_next_entry(action, State.EXECUTED, version=2)]).result()

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(work, range(8)))

        opened = store.journal.list_open_actions(limit=1000)
        assert len(opened) == 200
        assert {action.state for action in opened} == {State.EXECUTED}
        assert store.journal.verify() == []

    def test_of_many_that_move_one_action_one_wins(self, store: Store) -> None:
        """The others hear that they came late."""
        store.journal.submit(walk("a", [State.INTENT, State.EXECUTED])).result()

        def move(_: int) -> BaseException | None:
            return store.journal.submit(
                [make_next_entry("a", State.UNDOING, version=3)]
            ).exception()

        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(move, range(8)))

        assert answers.count(None) == 1
        assert all(isinstance(answer, StaleEntryError) for answer in answers if answer)
        assert len(store.journal.list_entries("a")) == 3

    def test_values_of_a_megabyte_are_kept(self, store: Store) -> None:
        """In the detail of an entry, and beside it."""
        text, value = "é" * MEGABYTE, bytes(range(256)) * (MEGABYTE // 256)
        entry = Entry(
            action="a", state=State.INTENT, at=NOW, version=1, opening=OPENING, detail={"x": text}
        )

        store.journal.submit([entry], keep=[Kept(owner="a", name="x", value=value)]).result()

        assert store.journal.list_entries("a") == [entry]
        assert store.vault.get("a", "x") == value

    def test_the_open_list_has_every_open_action_and_no_settled_one(self, store: Store) -> None:
        """A tenant sees its own; a reader goes on where it stopped."""
        other = Opening(tool="t", effect=Effect.REVERSIBLE, tenant="office")
        for state in State:
            store.journal.submit(walk(f"a-{state}", find_way(state))).result()
        store.journal.submit([make_first_entry("b", opening=other)]).result()

        everyone = [action.id for action in store.journal.list_open_actions()]
        office = [action.id for action in store.journal.list_open_actions(tenant="office")]
        page = [action.id for action in store.journal.list_open_actions(after=everyone[1], limit=2)]

        assert everyone == [*sorted(f"a-{state}" for state in State if state not in SETTLED), "b"]
        assert office == ["b"]
        assert page == everyone[2:4]

    def test_pruning_forgets_old_settled_actions_and_nothing_else(self, store: Store) -> None:
        """The chains still verify, and can be written on."""
        old, undo = NOW - 100 * DAY, [State.INTENT, State.EXECUTED, State.UNDOING, State.UNDONE]
        for number in range(150):
            store.journal.submit(walk(f"old{number}", undo, at=old))
        store.journal.submit(walk("old-open", undo[:2], at=old)).result()
        store.journal.submit(walk("young", undo)).result()
        store.vault.put(Kept(owner="old7", name="before", value=b"x"))
        store.vault.put(Kept(owner="young", name="before", value=b"y"))

        pruned = store.journal.prune(settled_before=NOW - 90 * DAY)

        assert pruned == 150
        assert store.journal.find_action("old7") is None
        assert store.journal.list_entries("old7") == []
        assert store.vault.get("old7", "before") is None
        assert store.vault.get("young", "before") == b"y"
        assert [action.id for action in store.journal.list_open_actions()] == ["old-open"]
        assert len(store.journal.list_entries("old-open")) == 2
        assert len(store.journal.list_entries("young")) == 4
        assert store.journal.verify() == []
        assert (
            store.journal.submit(
                [make_next_entry("old-open", State.VERIFIED, version=3)]
            ).exception()
            is None
        )
        assert store.journal.prune(settled_before=NOW + DAY) == 2
        assert store.journal.verify() == []

    def test_a_time_without_a_zone_is_refused(self, store: Store) -> None:
        """It can mean two dozen different instants."""
        answer = store.journal.submit([replace(make_first_entry("a"), at=NAIVE)])

        assert isinstance(answer.exception(), NaiveTimeError)
        with pytest.raises(NaiveTimeError):
            store.journal.prune(settled_before=NAIVE)

    def test_a_detail_that_is_not_json_is_refused(self, store: Store) -> None:
        """And the next entry goes through."""
        answer = store.journal.submit([replace(make_first_entry("a"), detail={"x": object()})])

        assert isinstance(answer.exception(), JournalError)
        assert store.journal.submit([make_first_entry(make_id())]).exception() is None

    def test_a_sound_journal_has_no_damage_to_accept(self, store: Store) -> None:
        """Accepting none is harmless, and writing goes on."""
        store.journal.submit([make_first_entry("a")]).result()

        taken = store.journal.accept_damage("looked at it")

        assert taken == 0
        assert (
            store.journal.submit([make_next_entry("a", State.EXECUTED, version=2)]).exception()
            is None
        )
        assert store.journal.verify() == []


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
        with pytest.raises(NaiveTimeError):
            store.vault.put(Kept(owner="a", name="x", value=b"1", expires_at=NAIVE))
        with pytest.raises(NaiveTimeError):
            store.vault.expire("a", at=NAIVE)
        with pytest.raises(NaiveTimeError):
            store.vault.shred(now=NAIVE)

        assert store.vault.get("a", "x") is None
