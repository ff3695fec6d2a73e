"""A host of a few lines: calls that it would make, and runs of the application around them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

import pytest

from mulligan import Mulligan
from mulligan.types.adapter import Host, HostCall


@pytest.fixture
async def m() -> AsyncIterator[Mulligan]:
    async with Mulligan("memory:", recover=False) as app:
        yield app


@pytest.fixture
def host(m: Mulligan) -> Host:
    return m._build_host({})


@pytest.fixture
def ask() -> Callable[..., HostCall]:
    """A call of a tool that is a plain function of its arguments."""

    def build(function: Callable[..., Any], /, **arguments: object) -> HostCall:
        async def make(given: Mapping[str, object]) -> object:
            answer = function(**given)
            return await answer if isinstance(answer, Awaitable) else answer

        named = str(arguments.pop("id", ""))
        approved = arguments.pop("approved", None)
        assert approved in (True, False, None)
        return HostCall(
            tool=function.__name__,
            arguments=arguments,
            make=make,
            id=named,
            approved=approved,
            schema={"type": "object", "properties": {name: {} for name in arguments}},
        )

    return build
