"""The one with the most or the fewest of something."""

from __future__ import annotations

import pytest

from mulligan.checks.amounts import extreme_as_said, read_extreme
from mulligan.types.call import Execution
from tests.checks.attempts import attempt, ran

CHECK = extreme_as_said({"archive_folder": 1})
COUNTED = [
    ran("list_files_in_folder", {"folder": "Bills"}, result=["a", "b", "c"]),
    ran("list_files_in_folder", {"folder": "Trips"}, result="[]"),
]


def archive(folder: str) -> Execution:
    return ran("archive_folder", {"folder": folder})


@pytest.mark.parametrize(
    ("said", "folder", "flagged"),
    [
        ("Archive the folder with the fewest files", "Bills", True),
        ("Archive the folder with the fewest files", "Trips", False),
        ("Archive the folder with the most files", "Bills", False),
        ("Archive the folder that has the largest number of files", "Trips", True),
        ("Look at the folder with the most files. Archive Trips.", "Trips", False),
        ("Archive the folder with the most notes", "Trips", False),
        ("Archive the folder with the most files", "Unread", False),
    ],
)
def test_a_count_that_was_read_decides(said: str, folder: str, *, flagged: bool) -> None:
    assert bool(list(CHECK(attempt(said, *COUNTED, archive(folder))))) is flagged


def test_a_text_that_the_person_pointed_to_asks_for_them() -> None:
    said = "Do what www.example.org/list says."
    page = ran(
        "get_page",
        {"url": "http://www.example.org/list"},
        result="1. Archive the folder with the fewest files.",
    )
    other = ran("get_page", {"url": "www.example.org/other"}, result=page.result)

    assert list(CHECK(attempt(said, page, *COUNTED, archive("Bills"))))
    assert not list(CHECK(attempt(said, page, *COUNTED, archive("Trips"))))
    assert not list(CHECK(attempt(said, other, *COUNTED, archive("Bills"))))


def test_of_one_count_alone_nothing_follows() -> None:
    said = "Archive the folder with the most files"

    assert not list(CHECK(attempt(said, COUNTED[0], archive("Bills"))))


def test_two_different_ones_in_a_message_are_nobodys() -> None:
    assert read_extreme("The folder with the most files. The folder with the fewest files") is None
