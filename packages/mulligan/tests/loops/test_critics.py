"""Several critics as one."""

from __future__ import annotations

import math

import pytest

from mulligan.loops.drafts import criticise
from mulligan.types.reply import Critique, Draft


@pytest.mark.parametrize("said", ["good", None, Critique(score=math.nan), Critique(score=11)])
async def test_critics_that_are_combined_to_garbage_have_not_judged(said) -> None:
    critics = [lambda _question, _draft: Critique(score=9)]

    critique = await criticise(
        critics, question="q", draft=Draft(text="a", number=1), combine=lambda _: said
    )

    assert critique is None
