"""Whatever a tool, a model or a person may say: advice is given or not, and nothing is raised."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mulligan import Effect, Mulligan
from mulligan.learning.conform import read_meant
from mulligan.learning.decide import decide
from mulligan.learning.fingerprint import mask_error
from mulligan.learning.precheck import precheck
from mulligan.learning.schema import read_schema
from mulligan.learning.soft_errors import find_silent_error
from mulligan.learning.suggest import suggest_corrections
from mulligan.runtime.context import OpenTurn
from mulligan.types.lesson import Earlier
from tests.learning.failures import failed, obj

NAMES = st.sampled_from(["to", "amount", "limit", "order_id", "date", "tags", "", " x", "a.b", "ü"])
PHRASES = """not found|must be one of|is a required property|'limit'|[type=missing|limit|#W17
2026-01-05|YYYY-MM-DD|{|}|[|(|"|is greater than the maximum of 7"""
WORDS = st.sampled_from(re.split(r"[|]", PHRASES))
TEXTS = st.text(max_size=30) | st.lists(WORDS, max_size=8).map(" ".join)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
ARGUMENTS = st.dictionaries(NAMES, VALUES, max_size=4)
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "array", "object", "null"])
PARTS = st.fixed_dictionaries(
    {"type": TYPES},
    optional={
        "enum": st.lists(TEXTS | st.integers(), min_size=1, max_size=3, unique=True),
        "maximum": st.integers(-5, 5),
        "format": st.sampled_from(["date", "date-time", "email"]),
        "default": VALUES.filter(lambda value: value == value),
    },
)
SCHEMAS = st.dictionaries(NAMES, PARTS, max_size=4).map(
    lambda parts: obj(*list(parts)[:1], **parts)
)


@pytest.mark.full
@settings(
    max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
@given(arguments=ARGUMENTS, error=TEXTS, schema=SCHEMAS, said=TEXTS, result=VALUES)
def test_any_failed_call_gets_advice(arguments, error, schema, said, result) -> None:
    call = failed(
        arguments,
        error=error,
        schema=schema,
        said=(said,),
        earlier=(
            Earlier(tool="find_order", arguments=arguments, result=result, failed=True),
            Earlier(tool="x", result=result),
        ),
        tools=("find_order", "log_in"),
    )

    found = suggest_corrections(call)

    assert decide(call, found).why
    assert all(
        read_schema(schema).fits(each.patch.apply(arguments)) for each in found if each.automatic
    )
    precheck(call)
    mask_error(error, arguments)


@settings(
    max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
@given(result=VALUES, written=TEXTS | VALUES)
def test_any_result_and_any_writing_is_read(result, written) -> None:
    tools = {"find_order": read_schema(obj("limit", limit={"type": "integer"}))}

    said = find_silent_error(result)

    assert said is None or said
    assert all(call.tool == "find_order" for call in read_meant(written, tools) if call.fits)


@dataclass(frozen=True)
class FrozenError(Exception):
    why: str = "no"


class RecordError(Exception):
    def __init__(self) -> None:
        super().__init__("no")
        self.__dict__["data"] = {"a": 1}

    def __getattr__(self, name: str) -> object:
        return self.__dict__["data"][name]


class ReadOnlyError(Exception):
    def __setattr__(self, name: str, value: object) -> None:
        raise RuntimeError("read only")


class NotedError(Exception):
    __notes__ = ("fixed",)


@pytest.mark.full
@pytest.mark.parametrize("kind", [FrozenError, RecordError, ReadOnlyError, NotedError])
async def test_an_error_that_takes_no_advice_reaches_its_caller_as_it_is(
    kind: type[Exception],
) -> None:
    own, m = kind(), Mulligan("memory:", recover=False)
    seen: list[Exception] = []

    @m.tool(effect=Effect.READ)
    async def fetch() -> None:
        raise own

    async def agent(turn: OpenTurn) -> str:
        try:
            await fetch()
        except Exception as error:
            seen.append(error)
        return "I could not."

    done = await m.act("Fetch it", agent)
    m.close()

    assert seen == [own]
    assert done.reply == "I could not."
