from __future__ import annotations

from collections.abc import Iterable

from mulligan.checks.subject import people_named
from tests.checks.attempts import attempt, gathered

ADDRESSES = ["ann.lee@office.org", "bob.lee@office.org", "al@office.org", "room12@office.org"]


def test_only_people_who_were_named_are_looked_up_by_any_part_of_their_name() -> None:
    facts = gathered(people_named(lambda: ADDRESSES), attempt("Ask ANN, or Mr. Alder"))

    assert [(f.subject, f.value) for f in facts] == [("ann", "ann.lee@office.org")]
    assert facts[0].kind == "person.address"


def test_a_name_of_two_people_gives_both() -> None:
    facts = gathered(people_named(lambda: ADDRESSES), attempt("Ask Lee"))

    assert [f.value for f in facts] == ["ann.lee@office.org", "bob.lee@office.org"]


def test_a_directory_may_be_read_asynchronously() -> None:
    async def directory() -> Iterable[str]:
        return ADDRESSES

    facts = gathered(people_named(directory), attempt("Ask Bob"))

    assert [f.value for f in facts] == ["bob.lee@office.org"]
