"""Ordinary values that look like secrets from afar, and are worth reading in a log."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

from bench.redaction.kinds import fill

_START = datetime(2024, 1, 1, tzinfo=UTC)
Make = Callable[[random.Random], str]


def _draw_time(chance: random.Random) -> datetime:
    return _START + timedelta(seconds=chance.randrange(86_400 * 900))


def _date(form: str) -> Make:
    return lambda chance: _draw_time(chance).strftime(form)


def _dates(form: str, between: str) -> Make:
    def make(chance: random.Random) -> str:
        first = _draw_time(chance)
        last = first + timedelta(days=chance.randrange(1, 40))
        return f"{first.strftime(form)}{between}{last.strftime(form)}"

    return make


def _of(*forms: str) -> Make:
    return lambda chance: fill(chance.choice(forms), chance)


def _make_isbn13(chance: random.Random) -> str:
    digits = "978" + fill("{d9}", chance)
    check = -sum(int(d) * (3 if place % 2 else 1) for place, d in enumerate(digits)) % 10
    text = f"{digits}{check}"
    return chance.choice((text, f"{text[:3]}-{text[3]}-{text[4:8]}-{text[8:12]}-{text[12]}"))


def _make_isbn10(chance: random.Random) -> str:
    digits = fill("{d9}", chance)
    check = -sum(int(d) * (10 - place) for place, d in enumerate(digits)) % 11
    return f"{digits[0]}-{digits[1:5]}-{digits[5:]}-{'X' if check == 10 else check}"


def _make_ean(chance: random.Random) -> str:
    digits = "40" + fill("{d10}", chance)
    return digits + str(-sum(int(d) * (3 if p % 2 else 1) for p, d in enumerate(digits)) % 10)


def _make_address(chance: random.Random) -> str:
    return ".".join(str(chance.randrange(1, 255)) for _ in range(4))


def _count(low: int, high: int, form: str = "{}") -> Make:
    return lambda chance: form.format(chance.randrange(low, high))


ORDINARY: Mapping[str, Make] = {
    "date": _date("%Y-%m-%d"),
    "date range": _dates("%Y-%m-%d", " - "),
    "date range, tight": _dates("%Y-%m-%d", "/"),
    "date range, dotted": _dates("%d.%m.%Y", "-"),
    "date range, compact": _dates("%Y%m%d", "-"),
    "time stamp": _date("%Y-%m-%dT%H:%M:%S.%f+00:00"),
    "time stamp, compact": _date("%Y%m%dT%H%M%SZ"),
    "time stamp, digits": _date("%Y%m%d%H%M%S"),
    "epoch": lambda chance: str(int(_draw_time(chance).timestamp())),
    "epoch in ms": lambda chance: str(int(_draw_time(chance).timestamp() * 1e3)),
    "epoch in ns": lambda chance: str(int(_draw_time(chance).timestamp()) * 10**9),
    "isbn of 13": _make_isbn13,
    "isbn of 10": _make_isbn10,
    "bar code": _make_ean,
    "ipv4": _make_address,
    "ipv4 with a port": lambda chance: f"{_make_address(chance)}:{chance.randrange(1024, 65535)}",
    "ipv4 network": lambda chance: f"{_make_address(chance)}/{chance.randrange(8, 30)}",
    "ipv6": _of("2001:db8:{H4}:{H4}:{H4}:{H4}:{H4}:{H4}"),
    "mac": _of("{H2}:{H2}:{H2}:{H2}:{H2}:{H2}"),
    "uuid": lambda chance: str(uuid.UUID(int=chance.getrandbits(128), version=4)),
    "ulid": _of("01{C24}"),
    "document id": _of("65{H22}", "66{H22}"),
    "order path": _of("/orders/2026/{d2}/ORD-{d9}/items/{d2}", "/v1/shops/{d6}/orders/{d8}/lines"),
    "order id": _of("ORD-2026-{d6}", "INV-{d8}", "SO{d10}", "PO-{d4}-{d4}-{U2}"),
    "object id": _of("evt_1{A23}", "cus_{A14}", "msg_{A20}", "order_{A16}", "req_{A14}"),
    "number of digits": _of("{n1}{d8}", "{n1}{d10}", "{n1}{d11}"),
    "amount": _of("{n1}.{d3}.{d3},{d2}", "{n1},{d3},{d3},{d3}.{d2}", "{n2}.{d3}.{d3}.{d3}"),
    "count of bytes": _count(10**8, 10**11, "{} bytes"),
    "version": _of("{n1}.{d2}.{d1}", "v{n1}.{n1}.{d1}-rc.{d1}+build.{d8}", "{n1}.{d1}.{d5}.{d4}"),
    "package": _of("lodash@{n1}.{d2}.{d2}", "actions/checkout@v{n1}", "requests=={n1}.{d2}.{n1}"),
    "commit": _of("commit {H40}", "sha256:{H64}", "git:{H40}"),
    "file": _of("/var/log/app/2026-{d2}-{d2}/worker-{d3}.log.{d1}",
                "reports/2026/q{n1}_summary_{d6}.csv"),
    "pod": _of("payment-api-{H10}-{H5}", "worker-{H9}-{H5}"),
    "coordinates": _of("{n2}.{d6}, {n2}.{d6}", "-{n2}.{d8} {n1}.{d8}"),
    "name in code": _of("CalendarEventNotFoundError{n1}", "test_events_v{n1}_are_sorted_{d2}",
                        "HTTP_STATUS_{d3}_TOO_MANY_REQUESTS"),
    "link": _of("https://example.org/blog/2026/{d2}/how-to-plan-a-{l6}-week",
                "https://example.org/items/{d9}"),
}  # fmt: skip

FRAMES = ("{}", "got {} instead", "see {} for it", "between: {}", "['{}']")
