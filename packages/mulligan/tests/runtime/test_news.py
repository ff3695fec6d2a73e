from __future__ import annotations

import os

from mulligan.runtime.timer import News


class Telling:
    """A store that can be listened to."""

    def __init__(self) -> None:
        self.listeners: list[object] = []
        self.ended = 0

    def listen(self, on_news):
        self.listeners.append(on_news)
        return self.end

    def end(self) -> None:
        self.ended += 1


def test_it_listens_once_until_it_is_stopped() -> None:
    store = Telling()
    news = News(store, wake=print)

    news.start()
    news.start()
    news.stop()
    news.stop()

    assert (store.listeners, store.ended) == ([print], 1)


def test_a_store_that_tells_nothing_is_not_asked() -> None:
    news = News(object(), wake=print)

    news.start()
    news.stop()


def test_a_child_of_a_fork_listens_for_itself(monkeypatch) -> None:
    store = Telling()
    news = News(store, wake=print)
    news.start()

    monkeypatch.setattr(os, "getpid", lambda: -1)
    news.start()

    assert store.listeners == [print, print]
