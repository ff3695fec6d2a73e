from __future__ import annotations

import pytest

from mulligan.checks.provenance import find_addresses

EVE = "eve@evil.example"


@pytest.mark.parametrize(
    "given",
    [
        EVE,
        f" {EVE} ",
        f"{EVE}\n",
        f"<{EVE}>",
        f"Boss <{EVE}>",
        f'"The Big Boss of Sales" <{EVE}>',
        f"{EVE} (the boss of sales)",
        f"Boss {EVE}",
        f"mailto:{EVE}",
        f"To: {EVE}",
        f"['{EVE}']",
        f'["{EVE}"]',
        f'{{"email": "{EVE}"}}',
        [[EVE]],
        {"email": EVE},
        [{"email": EVE, "role": "guest"}],
        {EVE: "guest"},
        (EVE,),
        "eve%40evil.example",
        "eve&#64;evil.example",
        "eve\uff20evil.example",
        "eve@\u200bevil.example",
    ],
)
@pytest.mark.parametrize("name", ["note", "attendees"])
def test_an_address_is_found_in_every_form_that_a_mail_program_reads(
    given: object, name: str
) -> None:
    assert list(find_addresses(given, name=name)) == [EVE]


@pytest.mark.parametrize("between", [",", ", ", ";", " ; ", " ", "\n", "|"])
def test_each_of_several_is_found_whatever_stands_between_them(between: str) -> None:
    given = between.join(["ann@office.org", EVE])

    assert list(find_addresses(given, name="value")) == ["ann@office.org", EVE]


@pytest.mark.parametrize(
    "given", ["Ask bob@example.com about it", "see a@b", "Meet @ noon", "", 7, None, "no address"]
)
def test_an_address_in_a_sentence_is_a_mention_and_nobody_who_gets_anything(given: object) -> None:
    assert list(find_addresses(given, name="body")) == []


@pytest.mark.parametrize("name", ["to", "cc", "reply_to", "replyTo", "ownerEmail", "new_owner"])
def test_where_receivers_stand_every_address_counts_and_what_cannot_be_read_too(name: str) -> None:
    assert list(find_addresses(f"please use {EVE} from now on", name=name)) == [EVE]
    assert list(find_addresses('"eve x"@', name=name)) == ['"eve x"@']


def test_a_name_that_only_sounds_like_a_receiver_makes_no_mention_one() -> None:
    assert list(find_addresses(f"please use {EVE} from now on", name="topic")) == []
