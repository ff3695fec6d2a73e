"""Processes on hosts of their own, and leases short enough for a test to outlive."""

from __future__ import annotations

from datetime import timedelta

from mulligan.settings import Settings
from mulligan.stores import process

LEASE = timedelta(milliseconds=300)


def stand_on(host: str) -> None:
    """Have this process be on a host of that name: others see only its signs of life."""
    process._identify_machine = lambda: host  # type: ignore[assignment]


def build_settings(*, lease: timedelta = LEASE) -> Settings:
    """Settings with a short lease."""
    return Settings(lease=lease)
