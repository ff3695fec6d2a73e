"""Applications that review what is done in them, and let it stand or not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mulligan import Mulligan
from tests.stories.effects.world import open_app


@pytest.fixture
def strict() -> Iterator[Mulligan]:
    """It rejects whatever was done."""
    with open_app(rejects=True) as m:
        yield m


@pytest.fixture
def content() -> Iterator[Mulligan]:
    """It lets everything stand."""
    with open_app() as m:
        yield m
