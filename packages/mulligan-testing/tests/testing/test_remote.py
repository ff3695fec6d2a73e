"""The remote must be beyond doubt, since everything else is proven by it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from mulligan_testing.remote import AFTER_EFFECT, FakeRemote, Fault, RemoteError


@pytest.fixture
def remote(tmp_path: Path) -> FakeRemote:
    return FakeRemote(tmp_path / "ledger")


def test_every_write_makes_a_version_and_stands_in_the_ledger(remote: FakeRemote) -> None:
    first = remote.create({"a": 1}, id="x")
    second = remote.update("x", {"a": 2}, by="person")
    remote.delete("x", by="undo")

    assert first.version != second.version
    assert [(line.op, line.by, line.before, line.after) for line in remote.ledger()] == [
        ("create", "agent", None, first.version),
        ("update", "person", first.version, second.version),
        ("delete", "undo", second.version, None),
    ]
    assert remote.get("x") is None


def test_a_stale_condition_is_refused_and_changes_nothing(remote: FakeRemote) -> None:
    old = remote.create({"a": 1}, id="x").version
    remote.update("x", {"a": 2})

    with pytest.raises(RemoteError) as update:
        remote.update("x", {"a": 3}, if_version=old)
    with pytest.raises(RemoteError) as delete:
        remote.delete("x", if_version=old)

    assert (update.value.status, delete.value.status) == (412, 412)
    assert len(remote.ledger()) == 2


def test_without_versions_conditions_are_ignored_as_plain_apis_do(tmp_path: Path) -> None:
    remote = FakeRemote(tmp_path / "ledger", versioned=False)
    old = remote.create({"a": 1}, id="x").version
    remote.update("x", {"a": 2})

    remote.update("x", {"a": 3}, if_version=old)

    assert remote.list_items()["x"].data == {"a": 3}


def test_the_same_key_takes_effect_once(remote: FakeRemote) -> None:
    first = remote.create({"a": 1}, key="k")

    again = remote.create({"a": 1}, key="k")

    assert again == first
    assert remote.answer_to("k") == first
    assert len(remote.ledger()) == 1


@pytest.mark.parametrize(
    ("fault", "raises", "effects"),
    [
        (Fault.LOST_BEFORE, TimeoutError, 0),
        (Fault.LOST_AFTER, TimeoutError, 1),
        (Fault.ERROR_AFTER, RemoteError, 1),
        (Fault.BUSY, RemoteError, 0),
        (Fault.REFUSED, ConnectionRefusedError, 0),
        (Fault.FORBIDDEN, RemoteError, 0),
        (Fault.GONE, RemoteError, 0),
    ],
)
def test_a_fault_happens_once_and_does_what_it_says(
    remote: FakeRemote, fault: Fault, raises: type[Exception], effects: int
) -> None:
    remote.plan(fault)

    with pytest.raises(raises):
        remote.create({"a": 1})

    assert len(remote.ledger()) == effects
    remote.create({"a": 2})
    assert len(remote.ledger()) == effects + 1


def test_a_late_request_takes_effect_with_the_next_look(remote: FakeRemote) -> None:
    remote.plan(Fault.LATE)
    with pytest.raises(TimeoutError):
        remote.create({"a": 1}, id="x")
    assert remote.ledger() == []

    found = remote.get("x")

    assert found is not None
    assert len(remote.ledger()) == 1
    assert remote.get("x") == found
    assert len(remote.ledger()) == 1


def test_a_doubled_request_makes_two_unless_a_key_or_id_stops_it(remote: FakeRemote) -> None:
    remote.plan(Fault.DOUBLED, Fault.DOUBLED)

    remote.update(remote.create({"a": 1}, id="x").id, {"a": 2})

    assert [line.op for line in remote.ledger()] == ["create", "update", "update"]


def test_it_survives_the_death_of_its_user_and_other_processes_see_it(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    program = (
        "import os, sys; from mulligan_testing.remote import FakeRemote\n"
        "FakeRemote(sys.argv[1]).create({'a': 1}, id='x'); os.kill(os.getpid(), 9)"
    )

    subprocess.run([sys.executable, "-c", program, str(path)], check=False)

    assert FakeRemote(path).list_items()["x"].data == {"a": 1}


def test_a_late_request_can_let_looks_pass_or_wait_to_be_let_in(tmp_path: Path) -> None:
    slow = FakeRemote(tmp_path / "slow", faults=[Fault.LATE], late_by=3)
    told = FakeRemote(tmp_path / "told", faults=[Fault.LATE], late_by=None)
    for remote in (slow, told):
        with pytest.raises(TimeoutError):
            remote.create({"a": 1}, id="x")

    looks = [slow.get("x") is not None for _ in range(4)]
    unseen = [told.get("x") for _ in range(4)]
    told.arrive()

    assert looks == [False, False, True, True]
    assert unseen == [None] * 4
    assert told.get("x") is not None


def test_faults_can_be_planned_for_one_author_or_for_reads(remote: FakeRemote) -> None:
    remote.plan(Fault.FORBIDDEN, by="undo")
    remote.plan(Fault.NONE, Fault.LOST_BEFORE, by="read")

    remote.create({"a": 1}, id="x")
    with pytest.raises(RemoteError):
        remote.delete("x", by="undo")
    assert remote.get("x") is not None
    with pytest.raises(TimeoutError):
        remote.get("x")


def test_a_delete_is_known_by_its_key_and_by_what_it_removed(remote: FakeRemote) -> None:
    made = remote.create({"a": 1}, id="x")
    remote.delete("x", key="k")

    remote.delete("x", key="k")

    assert remote.answer_to("k") == made
    assert [line.op for line in remote.ledger()] == ["create", "delete"]


def test_a_replica_is_behind_by_writes_and_conditions_are_not(remote: FakeRemote) -> None:
    old = remote.create({"a": 1}, id="x", key="k1")
    remote.set_lag(1)

    new = remote.update("x", {"a": 2}, key="k2")

    assert remote.get("x") == old
    assert remote.answer_to("k2") is None
    assert remote.find(a=2) is None
    assert remote.list_items()["x"] == new
    with pytest.raises(RemoteError):
        remote.update("x", {"a": 3}, if_version=old.version)
    remote.set_lag(0)
    assert remote.get("x") == remote.find(a=2) == remote.answer_to("k2") == new


def test_a_replica_is_behind_by_a_time_for_every_process(tmp_path: Path) -> None:
    now = [100.0]
    remote = FakeRemote(tmp_path / "ledger", clock=lambda: now[0])
    remote.set_lag(timedelta(seconds=2))
    remote.create({"a": 1}, id="x")
    another = FakeRemote(tmp_path / "ledger", clock=lambda: now[0])

    too_soon = another.get("x")
    now[0] += 2

    assert too_soon is None
    assert another.get("x") is not None


@pytest.mark.parametrize("status", [403, 404])
def test_a_reader_without_permission_sees_nothing_of_what_it_may_write(
    remote: FakeRemote, status: int
) -> None:
    remote.hide(status)
    remote.create({"a": 1}, id="x", key="k")

    for read in (lambda: remote.get("x"), lambda: remote.answer_to("k"), lambda: remote.find(a=1)):
        with pytest.raises(RemoteError) as refused:
            read()
        assert refused.value.status == status
    remote.show()
    assert remote.get("x") is not None


@pytest.mark.parametrize("fault", AFTER_EFFECT)
@pytest.mark.parametrize("by", ["agent", "undo"])
def test_an_error_after_the_effect_is_an_error_all_the_same(
    remote: FakeRemote, fault: Fault, by: str
) -> None:
    remote.plan(fault, by=by)

    with pytest.raises((RemoteError, TimeoutError, ConnectionError)):
        remote.create({"a": 1}, by=by)

    assert len(remote.ledger()) == 1


@pytest.mark.parametrize(("way", "status"), [("update", 412), ("create", 409), ("delete", 404)])
def test_the_second_of_a_repeated_request_is_refused_after_the_first_took_effect(
    remote: FakeRemote, way: str, status: int
) -> None:
    there = remote.create({"a": 1}, id="x")
    remote.plan(Fault.REPEATED)

    ways: dict[str, Callable[[], object]] = {
        "update": lambda: remote.update("x", {"a": 2}, if_version=there.version),
        "create": lambda: remote.create({"a": 1}, id="y"),
        "delete": lambda: remote.delete("x", if_version=there.version),
    }

    with pytest.raises(RemoteError) as refused:
        ways[way]()

    assert refused.value.status == status
    assert len(remote.ledger()) == 2


@pytest.mark.parametrize(("fault", "status"), [(Fault.BUSY_AFTER, 429), (Fault.DOWN_AFTER, 503)])
def test_a_busy_remote_says_when_to_come_again(
    remote: FakeRemote, fault: Fault, status: int
) -> None:
    remote.plan(fault)

    with pytest.raises(RemoteError) as busy:
        remote.create({"a": 1})

    assert busy.value.status == status
    assert busy.value.retry_after is not None


def test_a_request_can_be_answered_and_arrive_once_more_late(tmp_path: Path) -> None:
    remote = FakeRemote(tmp_path / "ledger", faults=[Fault.DOUBLED_LATE], late_by=2)

    remote.create({"a": 1})
    lines = [len(remote.ledger()), remote.get("x"), remote.get("x"), len(remote.ledger())]

    assert lines == [1, None, None, 2]


def test_an_undo_can_be_late_too(tmp_path: Path) -> None:
    remote = FakeRemote(tmp_path / "ledger", late_by=None)
    remote.create({"a": 1}, id="x")
    remote.plan(Fault.LATE, by="undo")
    with pytest.raises(TimeoutError):
        remote.delete("x", by="undo")
    still_there = remote.get("x")

    remote.arrive()

    assert still_there is not None
    assert remote.get("x") is None


def test_numbered_versions_are_shared_by_objects_and_go_on_after_a_delete(tmp_path: Path) -> None:
    remote = FakeRemote(tmp_path / "ledger", numbered=True)
    first, second = remote.create({"a": 1}, id="x"), remote.create({"a": 1}, id="y")

    remote.delete("x", if_version=first.version, key="k")
    again = remote.create({"a": 1}, id="x")

    assert first.version == second.version == "1"
    assert again.version == "3"
    assert remote.answer_to("k") == first


def test_what_must_not_exist_is_made_once_and_never_written_over(remote: FakeRemote) -> None:
    made = remote.put("x", {"a": 1}, if_absent=True)

    with pytest.raises(RemoteError) as there:
        remote.put("x", {"a": 2}, if_absent=True)
    remote.put("x", {"a": 3}, if_version=made.version)

    assert there.value.status == 412
    assert [(line.op, line.data["a"]) for line in remote.ledger()] == [("create", 1), ("update", 3)]
