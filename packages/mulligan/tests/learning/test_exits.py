from __future__ import annotations

import pytest

from mulligan.learning.error_details import find_exit, looks_like_log, read_exit

LOG = (
    "2026-05-01 12:00:01 INFO worker started\n2026-05-01 12:00:02 ERROR worker failed\n"
    "2026-05-01 12:00:03 INFO worker gone\n"
)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("no such file\n\nCommand completed with return code: 2", 2),
        ("KeyError: 'a'\n=== INFO ===\nReturn code: 1\nTime: 0.1 s", 1),
        ("[exit code: 127]", 127),
        ("Process exited with code -9\nkilled", -9),
        ("exit_status=1", 1),
        ("The command exited with status 3.", 3),
    ],
)
def test_how_a_program_ended_is_read_from_a_line_of_its_own(text: str, code: int) -> None:
    assert find_exit(text) == code


@pytest.mark.parametrize(
    "text",
    [
        "",
        "All 12 tests passed.\nExit code: 0",
        "Exit code: 1\n" + "it went on\n" * 20 + "Exit code: 0",
        "An exit code of 1 means that a test has failed.",
        "Return code: unknown",
        LOG + "Process exited with code 1",
        "Exit code: 1 is what grep says\n" + "and more\n" * 9,
    ],
)
def test_a_program_that_went_well_or_a_text_about_one_has_not_failed(text: str) -> None:
    assert find_exit(text) is None


def test_that_it_went_well_is_known_too() -> None:
    assert read_exit("Cloning …\nCommand completed with return code: 0") == 0
    assert read_exit("Cloning …") is None


@pytest.mark.parametrize(
    ("text", "is_log"),
    [
        (LOG, True),
        ("ERROR a\nWARN b\nERROR c\nERROR d", True),
        ("Error: the disk is full\nerror: cannot write", False),
        ("2026-05-01 was a Friday.\nNothing else was.", False),
        ("", False),
    ],
)
def test_a_log_is_told_by_how_its_lines_begin(text: str, is_log: bool) -> None:
    assert looks_like_log(text) is is_log
