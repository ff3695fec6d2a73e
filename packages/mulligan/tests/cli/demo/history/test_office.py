from __future__ import annotations

import random

import pytest

from mulligan import Mulligan
from mulligan.types.call import Image, Record
from mulligan.types.errors import ConflictError
from mulligan_demo.office import Office, declare_tools


@pytest.fixture
def office() -> Office:
    return Office(random.Random(1), trouble=0)


async def test_its_tools_refuse_what_the_remotes_refuse(office: Office) -> None:
    async with Mulligan("memory:", recover=False) as m:
        desk = declare_tools(m, office)

        with pytest.raises(ValueError, match="less than or equal to 50"):
            await desk.find_customers("a", 100)
        with pytest.raises(ValueError, match="Channel general not found"):
            await desk.post_message("general", "hello")
        assert await desk.post_message("#general", "hello") == "#general: 5"


def test_a_move_is_put_back_unless_somebody_was_there(office: Office) -> None:
    before = office.write_event("lunch", "Monday")
    made = office.write_event("lunch", "Tuesday")
    record = Record(arguments={"event": "lunch"}, image=Image(before), result=made, version="2")

    office.put_event_back(record)
    assert office.events["lunch"][0] == "Monday"
    with pytest.raises(ConflictError):
        office.put_event_back(record)
