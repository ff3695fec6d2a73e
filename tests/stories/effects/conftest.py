"""Applications that review what is done in them, and the calendar that it is done to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mulligan import Mulligan
from tests.stories.effects.remote import StoryRemote
from tests.stories.effects.world import make_calendar, open_app


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


@pytest.fixture
def remote() -> StoryRemote:
    """Dinner and lunch, both on Monday."""
    return make_calendar()
