"""What is to be done once for all processes is one's at a time, and not again too soon."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta

import pytest

from mulligan.stores.opening import open_store
from mulligan.types.interfaces import Store

HOUR = timedelta(hours=1)
AT_ONCE = timedelta()


@pytest.fixture
def stores(url: str) -> Iterator[tuple[Store, Store]]:
    pair = open_store(url), open_store(url)
    yield pair
    for store in pair:
        store.close()


def test_one_at_a_time_and_again_only_after_its_time(stores) -> None:
    one, other = stores

    assert one.duties.claim("sweep", every=HOUR)
    assert not other.duties.claim("sweep", every=AT_ONCE)
    assert other.duties.claim("consolidate", every=HOUR)
    one.duties.finish("sweep", done=True)
    assert not other.duties.claim("sweep", every=HOUR)
    assert other.duties.claim("sweep", every=AT_ONCE)


def test_what_was_not_done_is_anybodys_at_once(stores) -> None:
    one, other = stores
    assert one.duties.claim("sweep", every=HOUR)

    one.duties.finish("sweep", done=False)

    assert other.duties.claim("sweep", every=HOUR)


def test_who_is_gone_has_no_duties_any_more(stores) -> None:
    one, other = stores
    assert one.duties.claim("sweep", every=HOUR)

    one.close()

    assert other.duties.claim("sweep", every=HOUR)


def test_who_lost_a_duty_does_not_end_it_for_another(stores) -> None:
    one, other = stores
    assert one.duties.claim("sweep", every=HOUR)

    other.duties.finish("sweep", done=True)

    assert not other.duties.claim("sweep", every=AT_ONCE)


def test_of_many_that_ask_at_once_one_has_it(url) -> None:
    stores = [open_store(url) for _ in range(4)]
    for store in stores:
        store.journal.identify_writer()
    together, had = threading.Barrier(4), []

    def ask(store: Store) -> None:
        together.wait(10)
        had.append(store.duties.claim("sweep", every=HOUR))

    threads = [threading.Thread(target=ask, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for store in stores:
        store.close()

    assert sorted(had) == [False, False, False, True]
