from __future__ import annotations

import base64
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from mulligan import Arguments, Effect, Mulligan, Settings
from mulligan.stores.opening import open_store
from mulligan.types.errors import ConfigurationError, NaiveTimeError, UnknownStoreError
from mulligan.types.limits import JudgeLimits
from mulligan.types.log import LogQuery


def test_a_store_nobody_knows_is_refused_in_one_sentence() -> None:
    with pytest.raises(UnknownStoreError) as caught:
        Mulligan("mongodb://anna:secret@db/x")

    message = str(caught.value)
    assert "mongodb" in message
    assert "sqlite:///" in message
    assert "secret" not in message


def test_a_time_without_a_zone_is_refused_with_the_value_and_the_way_out() -> None:
    with Mulligan("memory:") as m, pytest.raises(NaiveTimeError) as caught:
        m.turn("Move dinner", now=datetime(2026, 11, 15, 9, 0))

    assert "2026-11-15 09:00" in str(caught.value)
    assert "ZoneInfo" in str(caught.value)


def test_an_aware_time_is_taken_as_it_is() -> None:
    now = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)

    with Mulligan("memory:") as m:
        turn = m.turn("Move dinner", now=now, known={"home": "12 Elm St"}).turn

    assert turn.now == now
    assert turn.known == {"home": "12 Elm St"}


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


@pytest.mark.parametrize("tool", [a_generator, an_async_generator])
def test_a_generator_is_refused_because_nobody_could_see_its_end(tool) -> None:
    with Mulligan("memory:") as m, pytest.raises(ConfigurationError, match="is a generator"):
        m.tool(tool)


@pytest.mark.parametrize(
    ("allow", "says"), [("query", "allow=\\['query'\\]"), (["queri"], "no parameter of find")]
)
def test_names_to_allow_are_held_against_the_parameters(allow: object, says: str) -> None:
    def find(query: str) -> None: ...

    with Mulligan("memory:") as m, pytest.raises(ConfigurationError, match=says):
        m.tool(arguments=Arguments(allow=allow))(find)


async def test_leaving_does_not_hold_the_event_loop_up() -> None:
    async with Mulligan("memory:") as m:
        m.tool(len)([1])

    assert m.insights.tally().stored == 1


def test_decorating_something_that_cannot_be_called_is_refused() -> None:
    with Mulligan("memory:") as m, pytest.raises(ConfigurationError, match="needs a function"):
        m.tool(3)


def test_an_effect_that_does_not_exist_is_refused_when_it_is_declared() -> None:
    with Mulligan("memory:") as m, pytest.raises(ConfigurationError, match="maybe"):
        m.tool(effect="maybe")(len)


def test_every_row_is_accounted_for_in_the_tally() -> None:
    with Mulligan("memory:") as m:
        find = m.tool(effect=Effect.READ)(len)
        for _ in range(1000):
            find([1])
        m.flush()

        tally = m.insights.tally()

    assert (tally.emitted, tally.stored, tally.dropped, tally.waiting) == (1000, 1000, 0, 0)


def test_closing_twice_is_fine() -> None:
    m = Mulligan("memory:")

    m.close()
    m.close()


async def test_a_mistyped_time_zone_is_refused_before_anybody_acts() -> None:
    async def agent(turn: object) -> str:
        raise AssertionError

    with Mulligan("memory:") as m:
        with pytest.raises(ConfigurationError, match="Did you mean 'Europe/Berlin'"):
            await m.act("Move dinner to Friday", agent, timezone="Europe/Berln")
        with pytest.raises(ConfigurationError, match="Nobody knows the time zone"):
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


def test_how_long_a_judge_may_take_is_a_setting() -> None:
    pytest.importorskip("pydantic_ai")
    with Mulligan(
        "memory:", judge="test", judge_limits=JudgeLimits(timeout=timedelta(seconds=2), tokens=50)
    ) as m:
        limits = m._parts.reviewers.judge._limits

    assert limits == JudgeLimits(timeout=timedelta(seconds=2), tokens=50)


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
