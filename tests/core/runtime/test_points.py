from __future__ import annotations

from collections.abc import Iterator

import pytest

from mulligan.core.runtime.points import Point, reach, watch_points


@pytest.fixture(autouse=True)
def unwatched() -> Iterator[None]:
    yield
    watch_points(None)


async def test_every_point_is_told_while_somebody_watches() -> None:
    seen: list[Point] = []

    async def watcher(point: Point) -> None:
        seen.append(point)

    await reach(Point.IMAGED)
    watch_points(watcher)
    await reach(Point.CALLED)
    watch_points(None)
    await reach(Point.UNDONE)

    assert seen == [Point.CALLED]


async def test_a_watcher_may_stop_what_is_going_on() -> None:
    async def watcher(point: Point) -> None:
        raise KeyboardInterrupt

    watch_points(watcher)

    with pytest.raises(KeyboardInterrupt):
        await reach(Point.CALLED)
