"""Events to subscribers, on a thread of their own, so that a subscriber can never hurt the host."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

from msgspec.structs import asdict, replace

from mulligan.process.event_loop import run_on_own_loop
from mulligan.process.user_functions import (
    ANSWERS_WITHIN,
    is_waited_for,
    run_with_timeout,
    wait_for_answer,
)
from mulligan.telemetry import shutdown
from mulligan.types.events import AttemptReviewed, Happened
from mulligan.types.interfaces import Subscriber

FLUSH = 5.0
STALLS_AFTER = 1.0
"""Seconds after which a subscriber that does not return is no longer waited for at the end."""

_report = logging.getLogger("mulligan")

Errand = Callable[[], None]


class Errands:
    """Does what it is given, one after the other; what one raises is counted and stays here."""

    def __init__(self, name: str, *, most: int, stalls_after: float = FLUSH) -> None:
        self._name = name
        self._most = most
        self._stalls_after = stalls_after
        self._closed = False
        self.failures = 0
        """Errands that raised."""
        self.dropped = 0
        """Errands that found the queue full."""
        self.start_afresh()
        shutdown.see_to(self)

    def start_afresh(self) -> None:
        """Begin with nothing waiting and no thread: also what a child does after a fork."""
        self._waiting: deque[Errand] = deque()
        self._change = threading.Condition()
        self._thread: threading.Thread | None = None
        self._busy = False
        self._done = 0
        self._waiters: list[float] = []
        """When each waiting flush began."""

    @property
    def idle(self) -> bool:
        """The queue is empty behind the current work."""
        return not self._waiting

    @property
    def waited(self) -> float:
        """Seconds that a flush has waited for the queue, perhaps at process exit."""
        with self._change:
            return time.monotonic() - min(self._waiters) if self._waiters else 0.0

    def add(self, errand: Errand) -> None:
        """Queue an errand. Never waits, never raises."""
        with self._change:
            if self._closed or len(self._waiting) >= self._most:
                self.dropped += 1
                return
            self._waiting.append(errand)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
            self._change.notify_all()

    def flush(self, *, timeout: float | None = None) -> bool:
        """Wait until every errand so far was done."""
        seconds = FLUSH if timeout is None else timeout
        began = time.monotonic()
        with self._change:
            self._waiters.append(began)
            try:
                return self._change.wait_for(
                    lambda: not self._waiting and not self._busy, timeout=seconds
                )
            finally:
                self._waiters.remove(began)

    def close(self) -> None:
        """Do what is left, then stop; an errand that hangs is not waited for."""
        moving = True
        while moving and (self._waiting or self._busy):
            before = self._done
            moving = self.flush(timeout=self._stalls_after) or self._done > before
        with self._change:
            self._closed = True
            self._change.notify_all()
        shutdown.forget(self)

    def _run(self) -> None:
        while True:
            with self._change:
                self._done += self._busy
                self._busy = False
                self._change.notify_all()
                self._change.wait_for(lambda: self._waiting or self._closed)
                if not self._waiting:
                    return
                errand = self._waiting.popleft()
                self._busy = True
            try:
                errand()
            except BaseException as error:  # noqa: BLE001 - the next errand may do better
                self.failures += 1
                _report.warning("%s: an errand failed (%s).", self._name, type(error).__name__)
            # Else what it holds would live until the next one comes.
            del errand


MOST_WAITING = 10_000

_NAMES = frozenset({"agent", "tenant", "tool", "server"})


class Events:
    """Hands each event to each subscriber, in order."""

    def __init__(
        self, *, most_waiting: int = MOST_WAITING, label: Callable[[str], str] = str
    ) -> None:
        self._label = label
        """How the names of tools, agents and tenants are shown."""
        self.errands = Errands("mulligan-events", most=most_waiting, stalls_after=STALLS_AFTER)
        """What its thread does."""
        self._subscribers: tuple[Subscriber, ...] = ()
        self.wanted = False
        """Whether there are subscribers; asked at every call, before an event is built."""
        self._change = threading.Lock()
        self.failures = 0
        """Exceptions that subscribers raised."""

    @property
    def dropped(self) -> int:
        """Events that found the queue full."""
        return self.errands.dropped

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Add a subscriber; returns the function that removes it."""
        with self._change:
            self._subscribers = (*self._subscribers, subscriber)
            self.wanted = True

        def unsubscribe() -> None:
            with self._change:
                self._subscribers = tuple(s for s in self._subscribers if s is not subscriber)
                self.wanted = bool(self._subscribers)

        return unsubscribe

    def publish(self, event: Happened) -> None:
        """Queue an event for the subscribers. Never waits, never raises."""
        if self._subscribers:
            self.errands.add(partial(self._hand_on, _label_names(event, self._label)))

    def flush(self, *, timeout: float | None = None) -> bool:
        """Wait until every event so far was handed on."""
        return self.errands.flush(timeout=timeout)

    def close(self) -> None:
        """Deliver what is left, then stop."""
        self.errands.close()

    def _hand_on(self, event: Happened) -> None:
        for subscriber in self._subscribers:
            try:
                answer: object = subscriber(event)
                if is_waited_for(answer):
                    run_on_own_loop(_wait_for(answer))
            except BaseException as error:  # noqa: BLE001 - a subscriber's mistake stays with it
                self.failures += 1
                what = type(event).__name__
                _report.warning("A subscriber failed on %s (%s).", what, type(error).__name__)


async def _wait_for(answer: object) -> None:
    """What an async subscriber does with an event."""
    await run_with_timeout(wait_for_answer(answer), within=ANSWERS_WITHIN)


def _label_names(event: Happened, label: Callable[[str], str]) -> Happened:
    """An event with secrets hidden: names may contain one."""
    shown: dict[str, Any] = {
        name: label(value) for name, value in asdict(event).items() if name in _NAMES and value
    }
    if isinstance(event, AttemptReviewed):
        shown["found"] = tuple(
            seen._replace(tool=label(seen.tool), server=label(seen.server)) for seen in event.found
        )
    return replace(event, **shown) if shown else event
