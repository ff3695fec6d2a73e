from __future__ import annotations

import pytest

from mulligan.learning.result_evidence import ARTICLES, FIRST, SHORT, opens_as_error, says_failure

PLAIN = [
    "Failed to fetch https://a.example: connection lost",
    "Unable to open the file.",
    "Could not connect to the server",
    "Cannot find module 'x'",
    "Access denied: bucket 'b' is not on the list",
    "Permission denied",
    "access to repository 'a/b' is not allowed by your administrator",
    "403 Forbidden",
    "Not found",
    "Too many requests, come back later",
    "An API key is required to read this",
    "Tool read_mail not found",
    "Unknown tool: read_mail",
    "Missing required parameter: path",
    "Place search failed: ZERO_RESULTS",
    "Invalid paragraph index. The document has 7.",
    "Request timed out after 30 seconds",
    "=== TIMEOUT ===\nExecution timed out after 60 seconds",
    "No such table: orders",
    "An unexpected error occurred while saving",
    "Error fetching the page",
    "HTTP 502 from upstream",
    "Connection refused by the host",
    "Database error: locked",
    "Request failed with status code 404",
    "You do not have permission to see this",
    "You must log in first",
    "Parameter 'q' is required",
    "File not found: /tmp/x",
    "The page could not be found.",
    "\u274c Failed to create the page",
    "Something went wrong. Try again later.",
]
SHOWN = [
    "Failed logins: 3",
    "Tests failed: 3",
    "Build failed: 0 of 12",
    "Access denied events: 12",
    "Invalid rows: 4",
    "Invalid entries: none",
    "Cannot wait to see you on Friday!",
    "Could not agree more with what you wrote.",
    "Missing Persons were an American band.",
    "Unknown artist, track 1",
    "No mails found that match 'x'",
    "The string 'x' was not found on this page.",
    "Error-free since May",
    "Error handling in Python, a guide",
    "Pattern not found.",
    "No results found",
    "Not a word of it was not found to be true, they say",
    "The yeti does not exist.",
    "You must see this film!",
    "HTTP 200 from upstream",
    "Timeout of the season: a coach remembers",
    "Dogs must be kept on a leash.",
    "Unable to reproduce: 0 errors in 12 runs, all a success",
]
LOGS = [
    "2026-05-01 12:00:01 ERROR db: refused\n2026-05-01 12:00:02 ERROR db: refused",
    "ERROR: disk full on a\nERROR: disk full on b\nERROR: disk full on c\nWARN: cleaning",
    "Error: a\nError: b\nError: c\n",
    "ValueError: in job 1\nKeyError: in job 2\nValueError: in job 3",
]


@pytest.mark.parametrize("text", PLAIN)
def test_a_short_text_that_opens_as_errors_do_is_one(text: str) -> None:
    assert opens_as_error(text)


@pytest.mark.parametrize("text", SHOWN)
def test_a_short_text_about_errors_is_what_was_asked_for(text: str) -> None:
    assert not opens_as_error(text)


@pytest.mark.parametrize("text", PLAIN)
def test_plain_words_count_only_where_nothing_much_follows(text: str) -> None:
    assert not opens_as_error(text + "\nAnd then there was more to tell." * (SHORT // 30))


@pytest.mark.parametrize("text", LOGS)
def test_what_a_log_viewer_shows_is_no_error_of_its_own(text: str) -> None:
    assert not opens_as_error(text)
    assert not opens_as_error(text * 50)


def test_an_error_with_its_trace_may_be_long_and_a_page_about_errors_is_longer() -> None:
    trace = "TimeoutError: the button did not answer\nCall log:\n" + "  - waiting for it\n" * 100

    assert opens_as_error(trace)
    assert not opens_as_error("Error: what it means, and why.\n" + "Much is to be said. " * 1_000)


def test_no_form_is_passed_over_by_its_first_word() -> None:
    first = {text.split()[0].strip(".:!,").casefold() for text in PLAIN}
    said = ("failed", "timed out", "not found", "not be found", " exist", "\u274c")
    by_word = {text for text in PLAIN if not any(each in text.casefold() for each in said)}

    assert {text.split()[0].strip(".:!,").casefold() for text in by_word} <= FIRST | ARTICLES
    assert len(first) > 10


@pytest.mark.parametrize("message", ["Endpoint '/x' does not exist", "genre must be a number"])
def test_a_message_alone_may_say_anywhere_that_it_did_not_work(message: str) -> None:
    assert says_failure(message)


@pytest.mark.parametrize("message", ["Order created", "No errors found", "0 failed", "Deleted"])
def test_a_message_that_all_is_well_says_no_failure(message: str) -> None:
    assert not says_failure(message)


@pytest.mark.parametrize(
    "text",
    [
        "fatal: not a git repository",
        "ls: cannot access '/x': No such file or directory",
        "bash: line 1: jq: command not found",
        "ORA-00942: table or view does not exist",
        "HTTP/1.1 403 Forbidden",
        "Fehler: der Kunde fehlt",
        "Erreur : la commande est introuvable",
        "Kunde nicht gefunden",
        "Acceso denegado",
        "Sorry, I couldn't find that order.",
        "**Error:** no such page",
    ],
)
def test_programs_and_other_languages_have_openings_too(text: str) -> None:
    assert opens_as_error(text)


@pytest.mark.parametrize(
    "text",
    [
        "Error count: 0",
        "Error rate: 0.4 % over the last hour",
        "Error budget remaining: 99.2%",
        "Error log: empty",
        "Error handling: a guide",
        "Timeout: 30 seconds",
        "Failed to deliver: 3 parcels; delivered: 120 parcels",
        "Bob: cannot come today",
        "Sorry, I can't come to the party",
        "Fehlerquote: 0,4 %",
    ],
)
def test_a_label_with_a_figure_and_what_people_write_are_no_errors(text: str) -> None:
    assert not opens_as_error(text)
