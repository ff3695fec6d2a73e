from __future__ import annotations

from msgspec.structs import replace

from mulligan.insights.lessons import MOST_RATED_TURNS, estimate_ratings
from mulligan.stores.memory import MemoryLog
from mulligan.types.call import OWN, LogRow
from mulligan.types.lesson import Use
from mulligan.types.log import REPLY_SETTLED, Batch, LogQuery
from mulligan.types.reply import Rating, build_rating_row
from mulligan_testing.store_contract.contract import make_log_row, make_use


class CountedLog(MemoryLog):
    """Keeps what it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[LogQuery] = []

    def list_rows(self, query: LogQuery) -> list[LogRow]:
        self.asked.append(query)
        return super().list_rows(query)


def use(number: int) -> Use:
    return replace(make_use(number), turn=f"t{number}")


def fill(log: MemoryLog, *, turns: int, up: int) -> None:
    """A reply in each turn, and a thumb for each; those of the newest turns point up."""
    replies = [make_log_row(n, server=OWN, tool=REPLY_SETTLED, turn=f"t{n}") for n in range(turns)]
    thumbs = [
        build_rating_row(
            Rating(of=reply.id, up=n >= turns - up), row_id=f"z{n:04d}", at_us=n, tenant=""
        )
        for n, reply in enumerate(replies)
    ]
    log.write(Batch(rows=[*replies, *thumbs]))


def test_thumbs_of_its_turns_alone_count() -> None:
    log = MemoryLog()
    fill(log, turns=10, up=4)

    liked = estimate_ratings(log, [use(n) for n in (0, 8, 9)])

    assert (liked.n, round(liked.figure or 0, 2)) == (3, 0.67)


def test_of_two_thumbs_the_last_one_counts() -> None:
    log = MemoryLog()
    fill(log, turns=1, up=1)
    reply = log.list_rows(LogQuery(tool=REPLY_SETTLED))[0]
    later = build_rating_row(
        Rating(of=reply.id, up=False), row_id="zzzz", at_us=reply.at_us, tenant=""
    )
    log.write(Batch(rows=[later]))

    liked = estimate_ratings(log, [use(0)])

    assert (liked.n, liked.figure) == (1, 0.0)


def test_however_many_uses_there_are_the_newest_turns_are_looked_at() -> None:
    log = CountedLog()
    fill(log, turns=300, up=MOST_RATED_TURNS)

    liked = estimate_ratings(log, [use(n) for n in range(300)])

    assert (liked.n, liked.figure) == (MOST_RATED_TURNS, 1.0)
    assert [len(query.turns) or len(query.parents) for query in log.asked] == [MOST_RATED_TURNS] * 2


def test_without_turns_nothing_is_asked() -> None:
    log = CountedLog()

    assert estimate_ratings(log, [replace(make_use(1), turn=None)]).n == 0
    assert log.asked == []
