from __future__ import annotations

from collections.abc import Iterator

import pytest

from mulligan.process.fault_points import Point, checkpoint, watch_points


@pytest.fixture(autouse=True)
def unwatched() -> Iterator[None]:
    yield
    watch_points(None)


async def test_every_point_is_told_while_somebody_watches() -> None:
    seen: list[Point] = []

    async def watcher(point: Point) -> None:
        seen.append(point)

    await checkpoint(Point.IMAGED)
    watch_points(watcher)
    await checkpoint(Point.CALLED)
    watch_points(None)
    await checkpoint(Point.UNDONE)

    assert seen == [Point.CALLED]


async def test_a_watcher_may_stop_what_is_going_on() -> None:
    async def watcher(point: Point) -> None:
        raise KeyboardInterrupt

    watch_points(watcher)

    with pytest.raises(KeyboardInterrupt):
        await checkpoint(Point.CALLED)
