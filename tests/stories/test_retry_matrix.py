"""Every cell of the retry matrix, as a tool's caller meets it: how often a call is made."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import timedelta

import pytest

from mulligan import Effect, Mode, Mulligan, Remote, Repeat
from mulligan.types.call import Record
from mulligan.types.errors import ConfigurationError
from mulligan.types.failure import ErrorClass
from mulligan.types.limits import Backoff

pytestmark = pytest.mark.full

RULES = [
    {"says": "by rule", "error_class": "rule"},
    {"says": "by nobody knows what", "error_class": "unknown"},
]


class StatusError(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP {status}")
        self.status_code = status


def nothing(record: Record) -> None:
    """Nothing is there: the call has not landed, and there is nothing to take back."""


BAD = {"isError": True, "content": []}
ERRORS: dict[str, object] = {
    "validation": StatusError(422),
    "auth": StatusError(401),
    "policy": StatusError(403),
    "missing": StatusError(404),
    "conflict": StatusError(409),
    "rate_limit": StatusError(429),
    "not_sent": ConnectionRefusedError(),
    "ambiguous": TimeoutError(),
    "bad_result": BAD,
    "tool_exception": ValueError("oops"),
    "rule": ValueError("by rule"),
    "unknown": ValueError("by nobody knows what"),
}
COLUMNS: dict[str, dict] = {
    "READ": {"effect": Effect.READ},
    "IDEMPOTENT": {
        "effect": Effect.REVERSIBLE, "repeat": Repeat.IDEMPOTENT, "undo": nothing, "read": nothing,
    },
    "KEYED": {
        "effect": Effect.REVERSIBLE, "repeat": Repeat.KEYED, "key": "key", "undo": nothing,
        "read": nothing,
    },
    "ONCE": {
        "effect": Effect.REVERSIBLE, "undo": nothing, "read": nothing,
        "remote": Remote(lands_within=timedelta()),
    },
    "HELD": {"effect": Effect.IRREVERSIBLE},
    "UNDECLARED": {},
}  # fmt: skip
CAN: dict[str, dict] = {
    "": {},
    "refresh": {"remote": {"refresh": nothing}},
    "probe": {"probe": nothing, "probe_by": "call"},
    "deletes": {"deletes": True},
    "in progress": {"remote": {"in_progress": lambda error: True}},
    "not processed": {"remote": {"not_processed": True, "requests": 1}},
    "documented": {"remote": {"not_processed": True}},
    "one request": {"remote": {"requests": 1}},
    "one request, refresh": {"remote": {"requests": 1, "refresh": nothing}},
    "refuses, refresh": {"refuses": Exception, "remote": {"refresh": nothing}},
}
ALL = "READ IDEMPOTENT KEYED ONCE"
MADE = [
    # class, columns, what else the tool declares, how often a call is made that always fails so
    ("validation", ALL, "", 1),  # corrected arguments are another call: test_advising
    ("auth", ALL, "", 1),
    ("auth", "READ IDEMPOTENT KEYED", "refresh", 2),
    ("auth", "ONCE", "refresh", 1),
    ("auth", "ONCE", "one request, refresh", 1),
    ("auth", "ONCE", "refuses, refresh", 2),
    ("auth", "HELD UNDECLARED", "refresh", 1),
    ("policy", ALL, "", 1),
    ("missing", ALL, "", 1),
    ("missing", "IDEMPOTENT", "deletes", 1),
    ("conflict", ALL, "", 1),
    ("conflict", "KEYED", "in progress", 3),
    ("rate_limit", "READ IDEMPOTENT KEYED", "", 3),
    ("rate_limit", "ONCE", "", 1),
    ("rate_limit", "ONCE", "documented", 1),
    ("rate_limit", "ONCE", "one request", 1),
    ("rate_limit", "ONCE", "not processed", 3),
    ("rate_limit", "HELD", "not processed", 1),
    ("not_sent", "READ IDEMPOTENT KEYED", "", 3),
    ("not_sent", "ONCE HELD", "", 1),
    ("not_sent", "ONCE", "one request", 2),
    ("not_sent", "HELD", "one request", 1),
    ("ambiguous", "READ IDEMPOTENT KEYED", "", 3),
    ("ambiguous", "ONCE HELD", "", 1),
    ("ambiguous", "ONCE", "probe", 3),
    ("ambiguous", "HELD", "probe", 1),
    ("bad_result", "READ", "", 2),
    ("bad_result", "IDEMPOTENT KEYED ONCE", "", 1),
    ("bad_result", "IDEMPOTENT KEYED ONCE", "probe", 3),
    ("tool_exception", "READ IDEMPOTENT", "", 2),
    ("tool_exception", "KEYED", "", 3),
    ("tool_exception", "ONCE", "", 1),
    ("tool_exception", "ONCE", "probe", 3),
    ("rule", ALL, "", 1),
    ("unknown", ALL, "", 1),
    *((error, "UNDECLARED", "", 1) for error in ERRORS),
]
CELLS = [
    pytest.param(error, column, can, made, id=f"{error}-{column}-{can}")
    for error, columns, can, made in MADE
    for column in columns.split()
]


@pytest.fixture
def m() -> Iterator[Mulligan]:
    # Outside any turn and simply made, so that nothing but the matrix decides how often.
    settings = {"recover": False, "outside": "run", "backoff": Backoff(first=timedelta())}
    with Mulligan("memory:", error_rules=RULES, **settings) as application:
        yield application


def failing(m: Mulligan, error: object, **declared):
    """A tool that fails in one way whenever it is called, and the keys it was called with."""
    keys: list[str] = []

    @m.tool(**declared)
    def act(name: str, key: str = "") -> object:
        keys.append(key)
        if isinstance(error, Exception):
            raise error
        return error

    return act, keys


def call(act) -> BaseException | None:
    try:
        act("dinner")
    except Exception as error:
        return error
    return None


@pytest.mark.parametrize(("error", "column", "can", "made"), CELLS)
def test_a_call_that_always_fails_is_made_as_often_as_its_cell_allows(
    m: Mulligan, error: str, column: str, can: str, made: int
) -> None:
    declared = COLUMNS[column] | CAN[can]
    declared["remote"] = {"lands_within": timedelta(), **CAN[can].get("remote", {})}
    act, keys = failing(m, ERRORS[error], **declared)

    call(act)

    assert len(keys) == made
    assert len(set(keys)) == 1


def test_the_table_above_has_every_class_in_every_column() -> None:
    cells = {(cell.values[0], cell.values[1]) for cell in CELLS}

    assert cells >= set(itertools.product([str(c) for c in ErrorClass], ALL.split()))


@pytest.mark.parametrize("error", ERRORS)
def test_observing_makes_no_call_again(m: Mulligan, error: str) -> None:
    declared = COLUMNS["READ"] | CAN["refresh"] | {"mode": Mode.OBSERVE}
    act, keys = failing(m, ERRORS[error], **declared)

    call(act)

    assert len(keys) == 1


def test_after_new_credentials_the_same_call_works(m: Mulligan) -> None:
    token = ["old"]

    def log_in(record: Record) -> None:
        token[0] = "new"

    @m.tool(effect=Effect.READ, remote=Remote(refresh=log_in))
    def inbox() -> str:
        if token[0] == "old":
            raise StatusError(401)
        return "one message"

    assert inbox() == "one message"


async def test_credentials_that_cannot_be_had_leave_the_tools_own_error(m: Mulligan) -> None:
    made: list[str] = []

    async def log_in(record: Record) -> None:
        raise TimeoutError("nobody lets us in")

    @m.tool(effect=Effect.READ, remote=Remote(refresh=log_in))
    async def inbox() -> None:
        made.append("inbox")
        raise StatusError(401)

    with pytest.raises(StatusError):
        await inbox()

    assert made == ["inbox"]


def test_a_delete_of_what_is_gone_already_is_done(m: Mulligan) -> None:
    act, _ = failing(m, StatusError(404), **COLUMNS["IDEMPOTENT"] | CAN["deletes"])

    assert call(act) is None


def test_a_conflict_comes_with_what_is_there_now(m: Mulligan) -> None:
    event = {"id": "dinner", "day": "Friday"}
    declared = COLUMNS["ONCE"] | {"read": lambda record: event}
    act, _ = failing(m, StatusError(409), **declared)

    error = call(act)

    assert error.mulligan.execution.failure.now == event  # type: ignore[union-attr]
    assert any("'day': 'Friday'" in note for note in error.__notes__)  # type: ignore[union-attr]


def test_what_is_there_now_may_refuse_to_be_shown(m: Mulligan) -> None:
    class Hostile:
        def __repr__(self) -> str:
            raise RuntimeError("closed")

    act, _ = failing(m, StatusError(409), **COLUMNS["ONCE"] | {"read": lambda record: Hostile()})

    error = call(act)

    assert isinstance(error, StatusError)
    assert "a Hostile" in error.__notes__[0]


@pytest.mark.parametrize("trouble", ["raises", "waits"])
def test_what_cannot_be_read_after_a_conflict_leaves_the_conflict(
    m: Mulligan, trouble: str
) -> None:
    def raises(record: Record) -> None:
        raise KeyError("id")

    async def waits(record: Record) -> None:
        """A sync tool cannot wait for this."""

    read = {"raises": raises, "waits": waits}[trouble]
    act, _ = failing(m, StatusError(409), **COLUMNS["ONCE"] | {"read": read})

    assert isinstance(call(act), StatusError)


def test_a_first_call_that_is_still_on_its_way_is_asked_for_under_its_key(m: Mulligan) -> None:
    asked: list[str] = []

    @m.tool(**COLUMNS["KEYED"], remote=Remote(in_progress=lambda error: error.status_code == 409))
    def book(name: str, key: str = "") -> str:
        asked.append(key)
        if len(asked) < 3:
            raise StatusError(409)
        return "booked"

    assert book("dinner") == "booked"
    assert len(set(asked)) == 1


def test_a_question_about_progress_that_fails_is_answered_with_no(m: Mulligan) -> None:
    declared = COLUMNS["KEYED"] | {
        "remote": Remote(in_progress=lambda error: error.body["code"] == "in_use")
    }
    act, keys = failing(m, StatusError(409), **declared)

    call(act)

    assert len(keys) == 1


def test_progress_without_keys_is_refused_when_it_is_declared(m: Mulligan) -> None:
    with pytest.raises(ConfigurationError, match="in_progress"):
        failing(m, StatusError(409), **COLUMNS["ONCE"] | CAN["in progress"])
