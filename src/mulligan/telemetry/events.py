"""Events to subscribers, on a thread of their own, so that a subscriber can never hurt the host."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable

from mulligan.core.event import Event
from mulligan.core.interfaces import Subscriber
from mulligan.telemetry import shutdown

MOST_WAITING = 10_000
FLUSH = 5.0

_report = logging.getLogger("mulligan")


class Events:
    """Hands each event to each subscriber, in order."""

    def __init__(self, *, most_waiting: int = MOST_WAITING) -> None:
        self._most_waiting = most_waiting
        self._subscribers: tuple[Subscriber, ...] = ()
        self._closed = False
        self.failures = 0
        """Exceptions that subscribers raised."""
        self.dropped = 0
        """Events that found the queue full."""
        self.start_afresh()
        shutdown.see_to(self)

    def start_afresh(self) -> None:
        """Begin with nothing waiting and no thread: also what a child does after a fork."""
        self._waiting: deque[Event] = deque()
        self._change = threading.Condition()
        self._thread: threading.Thread | None = None
        self._busy = False

    @property
    def wanted(self) -> bool:
        """Whether anybody listens, so that an event is worth making."""
        return bool(self._subscribers)

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Add a subscriber; the answer takes it away again."""
        with self._change:
            self._subscribers = (*self._subscribers, subscriber)
        return lambda: self._unsubscribe(subscriber)

    def publish(self, event: Event) -> None:
        """Queue an event for the subscribers. Never waits, never raises."""
        if not self._subscribers:
            return
        with self._change:
            if self._closed or len(self._waiting) >= self._most_waiting:
                self.dropped += 1
                return
            self._waiting.append(event)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(
                    target=self._run, name="mulligan-events", daemon=True
                )
                self._thread.start()
            self._change.notify_all()

    def flush(self, *, timeout: float | None = None) -> bool:
        """Wait until every event so far was handed on."""
        seconds = FLUSH if timeout is None else timeout
        with self._change:
            return self._change.wait_for(
                lambda: not self._waiting and not self._busy, timeout=seconds
            )

    def close(self) -> None:
        """Hand on what is left, then stop."""
        self.flush()
        with self._change:
            self._closed = True
            self._change.notify_all()
        shutdown.forget(self)

    def _unsubscribe(self, subscriber: Subscriber) -> None:
        with self._change:
            self._subscribers = tuple(s for s in self._subscribers if s is not subscriber)

    def _run(self) -> None:
        while True:
            with self._change:
                self._busy = False
                self._change.notify_all()
                self._change.wait_for(lambda: self._waiting or self._closed)
                if not self._waiting:
                    return
                event = self._waiting.popleft()
                self._busy = True
                subscribers = self._subscribers
            for subscriber in subscribers:
                self._hand_on(subscriber, event)

    def _hand_on(self, subscriber: Subscriber, event: Event) -> None:
        try:
            subscriber(event)
        except Exception as error:  # noqa: BLE001 - a subscriber's mistake stays with it
            self.failures += 1
            _report.warning(
                "A subscriber failed on %s (%s).", type(event).__name__, type(error).__name__
            )
