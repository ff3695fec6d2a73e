"""The application: what it refuses, what it opens, and how its parts are put together."""

from __future__ import annotations

import base64
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mulligan import Effect, Mulligan
from mulligan.app.wiring import Asked, assemble
from mulligan.settings import Settings
from mulligan.stores.opening import open_store
from mulligan.types.action import Kept
from mulligan.types.errors import ConfigurationError
from mulligan.types.log import LogQuery
from mulligan_testing.store_contract.contract import make_first_entry


def test_a_vault_key_of_the_wrong_length_is_refused_with_the_way_to_make_one(tmp_path) -> None:
    short = base64.b64encode(b"short").decode()

    with pytest.raises(ConfigurationError, match=r"5 bytes.*32") as caught:
        Mulligan(f"sqlite:///{tmp_path}/x.db", vault_key=short)

    assert short not in str(caught.value)


def test_a_store_of_ones_own_is_used_as_it_is() -> None:
    store = open_store("memory:")

    with Mulligan(store) as m:
        m.tool(name="find")(len)([1])
        m.flush()

        assert [row.tool for row in store.log.list_rows(LogQuery())] == ["find"]


def test_settings_can_be_handed_in_whole_and_changed_by_name() -> None:
    with Mulligan(settings=Settings(tenant="elm", sample=0.5), sample=1.0) as m:
        assert (m.settings.tenant, m.settings.sample) == ("elm", 1.0)


@pytest.mark.parametrize("about", [{"agnet": "x"}, {"agent": 3}, {"context": b"x"}])
def test_a_turn_refuses_what_it_does_not_know(about: dict[str, object]) -> None:
    with Mulligan("memory:") as m, pytest.raises(ConfigurationError):
        m.turn("Move dinner", **about)


def a_generator():
    yield 1


async def an_async_generator():
    yield 1


@pytest.mark.parametrize(
    ("tool", "says"),
    [(a_generator, "is a generator"), (an_async_generator, "is a generator"), (3, "a function")],
)
def test_what_could_not_be_called_to_its_end_is_no_tool(tool, says: str) -> None:
    with Mulligan("memory:") as m, pytest.raises(ConfigurationError, match=says):
        m.tool(tool)


async def test_leaving_does_not_hold_the_event_loop_up_and_may_happen_twice() -> None:
    async with Mulligan("memory:") as m:
        m.tool(len)([1])
    m.close()

    assert m.insights.tally().stored == 1


def test_every_row_is_accounted_for_in_the_tally() -> None:
    with Mulligan("memory:") as m:
        find = m.tool(effect=Effect.READ)(len)
        for _ in range(1000):
            find([1])
        m.flush()

        tally = m.insights.tally()

    assert (tally.emitted, tally.stored, tally.dropped, tally.waiting) == (1000, 1000, 0, 0)


async def test_a_mistyped_time_zone_is_refused_before_anybody_acts() -> None:
    async def agent(turn: object) -> str:
        raise AssertionError

    with Mulligan("memory:") as m:
        with pytest.raises(ConfigurationError, match="Did you mean 'Europe/Berlin'"):
            await m.act("Move dinner to Friday", agent, timezone="Europe/Berln")
        with pytest.raises(ConfigurationError, match="Did you mean 'Europe/Berlin'"):
            Mulligan("memory:", timezone="Europe/Berln")
        with pytest.raises(ConfigurationError, match="Unknown time zone"):
            m.turn("Move dinner to Friday", timezone="Mars/Phobos")
        assert m.turn("Move dinner to Friday").turn.timezone is None


def test_how_long_a_hold_lasts_is_a_setting() -> None:
    with Mulligan("memory:", hold_life=60, recover=False) as m:
        mail = m.tool(effect=Effect.IRREVERSIBLE, name="mail")(len)
        held = mail([1])
        (promise,) = [p for p in m.insights.tools()[0].promises if "held until" in p]

    left = held.hold.expires_at - datetime.now(UTC)
    assert timedelta(seconds=30) < left <= timedelta(seconds=60)
    assert "1 minute at most" in promise


def test_that_no_store_is_named_is_said_once(caplog, monkeypatch, tmp_path) -> None:
    monkeypatch.setattr("mulligan.settings._said", [])
    monkeypatch.delenv("MULLIGAN_STORE", raising=False)
    monkeypatch.chdir(tmp_path)

    with caplog.at_level("WARNING", "mulligan"):
        Mulligan("memory:").close()
        before = caplog.text
        Mulligan().close()
        Mulligan().close()

    assert "No store is named" not in before
    assert caplog.text.count("No store is named") == 1


FIRST_CALL = """
import sys
from mulligan import Mulligan

m = Mulligan("memory:")
m.tool(len)([1])
m.close()
print(*sys.modules)
"""


def test_a_first_call_loads_nothing_of_what_reads_messages_or_writes_replies() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIRST_CALL], capture_output=True, text=True, check=True, timeout=60
    )

    loaded = [name for name in done.stdout.split() if name.split(".")[0] == "mulligan"]
    unused = ("dates.english", "checks.text", "checks.grounding", "loops.replies")
    assert not [name for name in loaded if name.startswith(tuple(f"mulligan.{u}" for u in unused))]
    assert len(loaded) < 275


def test_where_people_are_may_be_a_setting_and_a_turn_knows_better() -> None:
    with Mulligan("memory:", timezone="Europe/Berlin") as m:
        assert m.turn("Go").turn.timezone == "Europe/Berlin"
        assert m.turn("Go", timezone="Asia/Tokyo").turn.timezone == "Asia/Tokyo"
        assert m.turn("Go", timezone=None).turn.timezone is None


def test_what_is_no_function_gathers_no_facts() -> None:
    with pytest.raises(ConfigurationError, match="facts"):
        assemble(Settings(store="memory:"), asked=Asked(facts=["weather"]))  # type: ignore[list-item]


def test_what_a_closed_application_left_open_waits_for_nobody(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/family.db"
    store = open_store(url)
    closed, other = Mulligan(store=store), Mulligan(store=url)
    store.journal.submit([make_first_entry("left")]).result()
    writer = store.journal.identify_writer()
    looking = open_store(url)
    before = looking.journal.find_dead_writers([writer])

    closed.close()

    assert before == set()
    assert looking.journal.find_dead_writers([writer]) == {writer}
    looking.close()
    other.close()


@pytest.mark.parametrize("store", ["memory:", "sqlite:///family.db"])
def test_what_is_kept_ends_by_the_clock_of_the_application(
    store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    times = [datetime(2020, 1, 1, tzinfo=UTC)]
    parts = assemble(Settings(store=store), asked=Asked(), clock=lambda: times[-1])
    vault = parts.store.vault
    ends = times[-1] + timedelta(days=1)
    vault.put(Kept(owner="dinner", name="before", value=b"18:00", expires_at=ends))

    before = vault.get("dinner", "before")
    times.append(times[-1] + timedelta(days=2))
    after = vault.get("dinner", "before")
    parts.store.close()

    assert (before, after) == (b"18:00", None)
