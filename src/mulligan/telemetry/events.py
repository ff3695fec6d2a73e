"""Events to subscribers, on a thread of their own, so that a subscriber can never hurt the host."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from typing import Any

from mulligan.core.happened.event import AttemptReviewed, Happened
from mulligan.core.interfaces import Subscriber
from mulligan.telemetry.errands import Errands

MOST_WAITING = 10_000

_NAMES = frozenset({"agent", "tenant", "tool", "server"})

_report = logging.getLogger("mulligan")


class Events:
    """Hands each event to each subscriber, in order."""

    def __init__(
        self, *, most_waiting: int = MOST_WAITING, label: Callable[[str], str] = str
    ) -> None:
        self._label = label
        """How the names of tools, agents and tenants are shown."""
        self.errands = Errands("mulligan-events", most=most_waiting)
        """What its thread does."""
        self._subscribers: tuple[Subscriber, ...] = ()
        self.wanted = False
        """Whether anybody listens, so that an event is worth making: asked at every call."""
        self._change = threading.Lock()
        self.failures = 0
        """Exceptions that subscribers raised."""

    @property
    def dropped(self) -> int:
        """Events that found the queue full."""
        return self.errands.dropped

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Add a subscriber; the answer takes it away again."""
        with self._change:
            self._subscribers = (*self._subscribers, subscriber)
            self.wanted = True
        return lambda: self._unsubscribe(subscriber)

    def publish(self, event: Happened) -> None:
        """Queue an event for the subscribers. Never waits, never raises."""
        if self._subscribers:
            self.errands.add(partial(self._hand_on, _label_names(event, self._label)))

    def flush(self, *, timeout: float | None = None) -> bool:
        """Wait until every event so far was handed on."""
        return self.errands.flush(timeout=timeout)

    def close(self) -> None:
        """Hand on what is left, then stop."""
        self.errands.close()

    def _unsubscribe(self, subscriber: Subscriber) -> None:
        with self._change:
            self._subscribers = tuple(s for s in self._subscribers if s is not subscriber)
            self.wanted = bool(self._subscribers)

    def _hand_on(self, event: Happened) -> None:
        for subscriber in self._subscribers:
            try:
                subscriber(event)
            except Exception as error:  # noqa: BLE001 - a subscriber's mistake stays with it
                self.failures += 1
                what = type(event).__name__
                _report.warning("A subscriber failed on %s (%s).", what, type(error).__name__)


def _label_names(event: Happened, label: Callable[[str], str]) -> Happened:
    """An event as others may see it: names may hold what nobody thought of."""
    shown: dict[str, Any] = {
        each.name: label(value)
        for each in fields(event)
        if each.name in _NAMES and (value := getattr(event, each.name))
    }
    if isinstance(event, AttemptReviewed):
        shown["found"] = tuple(
            seen._replace(tool=label(seen.tool), server=label(seen.server)) for seen in event.found
        )
    return replace(event, **shown) if shown else event
