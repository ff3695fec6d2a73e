"""What another process does on a Postgres server, while this one is in the middle of something."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import psycopg
import pytest

WAITING = """
select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
"""
SECONDS = 60


def start_beside(url: str, act: Callable[[], Any]) -> Future[Any]:
    """Begin something in another thread: it is done now, or waits until we let go of a lock."""
    future: Future[Any] = Future()

    def run() -> None:
        try:
            future.set_result(act())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    deadline = time.monotonic() + SECONDS
    with psycopg.connect(url, autocommit=True) as connection:
        while not future.done() and not connection.execute(WAITING).fetchone():
            assert time.monotonic() < deadline, "it is not done, and waits for nobody"
            time.sleep(0.01)
    return future


class Interruption:
    """Lets something be done beside the first call of a function, before it or after it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
        self._monkeypatch = monkeypatch
        self._url = url
        self.done: list[Future[Any]] = []

    def before(self, place: Any, name: str, act: Callable[[], Any]) -> None:
        function = getattr(place, name)

        def interrupt(*args: Any, **kwargs: Any) -> Any:
            self._strike(place, name, function, act)
            return function(*args, **kwargs)

        self._monkeypatch.setattr(place, name, interrupt)

    def after(self, place: Any, name: str, act: Callable[[], Any]) -> None:
        function = getattr(place, name)

        def interrupt(*args: Any, **kwargs: Any) -> Any:
            answer = function(*args, **kwargs)
            self._strike(place, name, function, act)
            return answer

        self._monkeypatch.setattr(place, name, interrupt)

    def start(self, act: Callable[[], Any]) -> None:
        """Let it be done now."""
        self.done.append(start_beside(self._url, act))

    def finish(self) -> list[Any]:
        """What came of it; nothing, if the function was never called."""
        return [each.result(SECONDS) for each in self.done]

    def _strike(self, place: Any, name: str, function: Any, act: Callable[[], Any]) -> None:
        self._monkeypatch.setattr(place, name, function)
        self.start(act)
