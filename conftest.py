"""What every test of the workspace gets; stores and servers come from `mulligan_testing.plugin`."""

from __future__ import annotations

import gc
import logging
import os
import re
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

# Imported where they are used: the tests of the date reader run without the base.
if TYPE_CHECKING:
    from mulligan import Mulligan
    from mulligan.types.call import LogRow
    from tests.world import Worlds

# Processes that tests start import helpers of tests by the same names as the tests do.
_HERE = Path(__file__).parent
_BEFORE = filter(None, [os.environ.get("PYTHONPATH")])  # an empty part would be the current folder
os.environ["PYTHONPATH"] = os.pathsep.join(
    [str(_HERE), *map(str, _HERE.glob("packages/mulligan*")), *_BEFORE]
)

# A shell's background ignores Ctrl-C, and every program that a test starts would do as well.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

FULL = re.compile(r"^pytestmark = .*pytest\.mark\.full\b", re.MULTILINE)
"""How a file says that all its tests are of the second tier."""

# A loaded machine is slow at making examples; that says nothing about what is tested.
settings.register_profile("calm", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("calm")


# Ten thousand tests are found and stay: a collector that looks at them again and again finds none
# of them unused, at the price of a fifth of the whole run.
gc.disable()


def pytest_collection_finish() -> None:
    """What was found is set aside, and what the tests make is collected as ever."""
    gc.freeze()
    gc.enable()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file of the second tier is not even imported for the first: frameworks take seconds."""
    if config.option.markexpr != "not full" or collection_path.suffix != ".py":
        return None
    return bool(FULL.search(collection_path.read_text(encoding="utf-8"))) or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test that needs a database's server is of the second tier, whatever file it stands in."""
    for item in items:
        given = getattr(item, "callspec", None)
        chosen = [each for each in given.params.values() if isinstance(each, str)] if given else []
        if {"postgres", "mariadb"} & {*chosen, *getattr(item, "fixturenames", ())}:
            item.add_marker(pytest.mark.full)


SHARED = {"MainThread", "mulligan-closer", "mulligan-hosts", "mulligan-left"}


@pytest.fixture(autouse=True)
def left_as_found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[set[threading.Thread]]:
    """What a test changes of its process is gone with it: tests run in any order, on any worker.

    The modules that it wrote and imported, the environment, how signals are answered, and a
    silence that a campaign needs which breaks things on purpose. It is given the threads that
    earlier tests have left, less those that all applications of a process share.
    """
    logger = logging.getLogger("mulligan")
    level, environment, modules = logger.level, os.environ.copy(), {*sys.modules}
    answers = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    yield {each for each in threading.enumerate() if each.name not in SHARED}
    logger.setLevel(level)
    written = str(tmp_path_factory.getbasetemp())
    for name in {*sys.modules} - modules:
        if str(getattr(sys.modules[name], "__file__", None)).startswith(written):
            del sys.modules[name]
    for name in {*os.environ} ^ {*environment}:
        os.environ.pop(name, None)
    os.environ.update(environment)
    for each, answer in answers.items():
        if signal.getsignal(each) is not answer and answer is not None:
            signal.signal(each, answer)


@pytest.fixture
def caplog(
    caplog: pytest.LogCaptureFixture, left_as_found: set[threading.Thread]
) -> Iterator[pytest.LogCaptureFixture]:
    """What this test makes anybody log: an application of an earlier one may still be at work."""

    def is_of_this_test(record: logging.LogRecord) -> bool:
        of_earlier = threading.current_thread() in left_as_found
        return not of_earlier and not record.name.startswith("opentelemetry.exporter")

    caplog.handler.addFilter(is_of_this_test)
    yield caplog
    caplog.handler.removeFilter(is_of_this_test)


@pytest.fixture
def rows(m: Mulligan) -> Callable[[], list[LogRow]]:
    """What the log has of calls so far, for tests that have an application `m`."""
    from mulligan.types.events import CallLogged

    seen: list[LogRow] = []
    m.subscribe(lambda event: seen.append(event.row) if isinstance(event, CallLogged) else None)

    def so_far() -> list[LogRow]:
        m.flush()
        return seen

    return so_far


@pytest.fixture
async def worlds(tmp_path: Path) -> AsyncIterator[Worlds]:
    """Applications with a remote of their own, closed when the test ends."""
    from tests.world import Worlds

    async with AsyncExitStack() as stack:
        yield Worlds(tmp_path, stack)
