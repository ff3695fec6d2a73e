"""The price of a way is counted where it is gone: of ours alone, on every thread it begins."""

from __future__ import annotations

import json
import threading

from bench.visits import Visitor, Visits
from mulligan.types.values import make_uuid7
from tests.bench.running import read_result


def test_each_way_enters_more_than_a_shorter_one_does() -> None:
    ways = read_result("visits")["ways"]

    functions = {name: visits["functions"] for name, visits in ways.items()}
    assert functions["observed call"] < functions["failing call"]
    assert functions["observed call"] < functions["gateway call"]
    assert functions["accepted act"] < functions["rejected act"]
    for visits in ways.values():
        assert 0 < visits["modules"] <= visits["functions"] <= visits["calls"]


def test_a_function_counts_once_and_each_of_its_calls_does() -> None:
    visitor = Visitor()

    with visitor.follow():
        for number in range(3):
            make_uuid7(number, 1)
    make_uuid7(4, 1)

    assert visitor.count() == Visits(modules=1, functions=1, calls=3)


def test_a_thread_that_is_begun_meanwhile_counts_too() -> None:
    visitor = Visitor()

    with visitor.follow():
        beside = threading.Thread(target=make_uuid7, args=(1, 1))
        beside.start()
        beside.join()

    assert visitor.count().calls == 1


def test_what_libraries_do_is_not_counted() -> None:
    visitor = Visitor()

    with visitor.follow():
        json.dumps([1, 2, 3], indent=1)

    assert visitor.count() == Visits(modules=0, functions=0, calls=0)
