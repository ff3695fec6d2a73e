"""What a tenant gets to see does not depend on who else is there."""

from __future__ import annotations

import os
from contextlib import nullcontext

import pytest

from mulligan_testing.postgres import PostgresServer
from tests.stories.tenant_traces import NAMES, compare

pytestmark = pytest.mark.full

COUNT = int(os.environ.get("MULLIGAN_TEST_TENANT_SEQUENCES", "5"))
"""How many sequences; `python -m tests.stories.tenant_traces 300 postgres` is the long form."""


@pytest.mark.parametrize("seed", range(COUNT))
def test_what_a_tenant_sees_is_the_same_with_another_one_and_without(seed: int) -> None:
    together, alone = compare(lambda: nullcontext("memory:"), seed, names=NAMES[seed % len(NAMES)])

    assert together == alone
    assert "undone" in alone or "held" in alone or "lesson" in alone


def test_it_is_the_same_in_a_database_that_they_share(
    postgres: PostgresServer, postgres_schema: str
) -> None:
    together, alone = compare(
        lambda: postgres.create_database(postgres_schema), seed=3, names=NAMES[0]
    )

    assert together == alone
