from __future__ import annotations

import pytest

from mulligan.learning.result_evidence import LONGEST_PAGE, read_page


@pytest.mark.parametrize(
    ("page", "says"),
    [
        ("<html><head><title>502 Bad Gateway</title></head></html>", "502 Bad Gateway"),
        ("<!doctype html><html><title>HTTP Status 404 \u2013 Not Found</title></html>", "404"),
        ("<html><body><h1>Service Unavailable</h1></body></html>", "Service Unavailable"),
        ("<?xml version='1.0'?><Error><Code>NoKey</Code><Message>Gone</Message></Error>", "Gone"),
        ("<s:Envelope><s:Body><s:Fault><faultstring>No id</faultstring></s:Fault>", "No id"),
        ("<error>no such page</error>", "no such page"),
    ],
)
def test_a_page_in_the_place_of_an_answer_is_an_error(page: str, says: str) -> None:
    found = read_page(page)

    assert found is not None
    assert says in found.message


@pytest.mark.parametrize(
    "page",
    [
        "<html><head><title>404 Not Found: how to write a good page</title></head></html>",
        "<html><head><title>Shop</title></head><h1>Errors and how to avoid them</h1></html>",
        "<log><Error><Code>7</Code><Message>disk full</Message></Error></log>",
        "<Errors/>",
        "<html><head><title>502 Bad Gateway</title></head>" + "word " * LONGEST_PAGE,
    ],
)
def test_a_page_that_somebody_wrote_is_none(page: str) -> None:
    assert read_page(page) is None
