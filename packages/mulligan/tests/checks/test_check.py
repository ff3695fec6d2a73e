from __future__ import annotations

import pytest

from mulligan.checks.grounding import ClaimKind, grounded
from mulligan.types.finding import Severity
from mulligan.types.reply import Reply
from tests.checks.replies import findings, rules

HELD = [
    # words, bounds, rounding
    ("We have over a hundred clients.", "We serve 100+ clients."),
    ("More than 100 clients trust us.", "We serve 100+ clients."),
    ("We serve 100 clients.", "We serve 100+ clients."),
    ("Over 400 people came.", "487 people came."),
    ("About 500 people came.", "487 people came."),
    ("Nearly five hundred people came.", "487 people came."),
    ("Up to 20 users.", "Between 10 and 20 users."),
    ("Revenue was 5.2 million euros.", "Revenue: EUR 5,231,004"),
    ("It grew by 3 %.", "It grew by 3.04 percent."),
    ("Half a million users.", "500,000 users"),
    ("Twenty-five cats, two dozen eggs.", "25 cats and 24 eggs"),
    ("One hundred and twenty seats.", "120 seats"),
    ("1.500 Kunden", "1500 Kunden"),
    ("1 500 clients", "1,500 clients"),
    # units, ranges, prices
    ("It takes 2 hours.", "It takes 120 minutes."),
    ("It takes two weeks.", "Done in 14 days."),
    ("A one-year warranty, i.e. 12 months.", "12 months"),
    ("The route is 5 km long.", "5,000 m"),
    ("It costs $500.", "Price: 500 USD"),
    ("Between $10 and $20 per month.", "10–20 USD monthly"),
    ("From €1.5k.", "Starts at 1,500 euros."),
    ("99.9% uptime", "uptime of 99.9 percent"),
    ("| Plan | Price |\n|---|---|\n| A | $50 |", "Plan A is $50."),
    # dates and times
    ("We opened on March 3, 2024.", "Opened 2024-03-03."),
    ("We opened on the 3rd of March.", "Opened 2024-03-03."),
    ("We opened in March 2024.", "Opened 3 Mar 2024."),
    ("Founded in 2015.", "Founded on 3 May 2015."),
    ("On 03/04/2024.", "April 3, 2024"),
    ("Open from 9 am to 5:30pm.", "Open 09:00-17:30"),
    # quotations, names, addresses
    ('It is "the best plan there is".', "They say: the best plan there is!"),
    ('It is "the best … there is".', "the best plan there is"),
    ('The "professional edition" plan.', "nothing"),
    ("Ask Maria Lopez.", "Maria Lopez runs sales."),
    ("Maria's team: Ask Maria Lopez's office.", "MARIA LOPEZ"),
    ("Key Benefits: speed", "nothing"),
    ("The REST API of the EU", "nothing"),
    ("See [here](https://www.acme.com/).", "https://acme.com/pricing"),
    ("Write to Info@Acme.com.", "info@acme.com"),
    ("Call +1 (555) 010-9999.", "Phone: 555-010-9999"),
    # what is no claim
    ("Here are 3 ways. First, two options.", "nothing"),
    ("We answer 24/7, use A4, GPT-4, v2.1 and 3.11.2, in the 1990s.", "nothing"),
    ("1. One\n2. Two\n13. Later", "nothing"),
    ("`x = 500` and\n```\n500\n```", "nothing"),
    ("As shown [12] before.", "nothing"),
    ("Two clients said so.", "100+ clients"),
]


@pytest.mark.parametrize(("text", "context"), HELD)
def test_what_the_context_holds_in_other_words_passes(text: str, context: str) -> None:
    assert findings(grounded(), text, context=context) == []


NOT_HELD = [
    ("We have 500+ clients.", "We serve 100+ clients.", ClaimKind.NUMBER),
    ("We have five hundred clients.", "We serve 100+ clients.", ClaimKind.NUMBER),
    ("Over 200 clients.", "We serve 100+ clients.", ClaimKind.NUMBER),
    ("Up to 100 users.", "100+ users", ClaimKind.NUMBER),
    ("About 600 people came.", "487 people came.", ClaimKind.NUMBER),
    ("We have 500 clients.", "487 clients", ClaimKind.NUMBER),
    ("5,231,004 users", "5.2 million users", ClaimKind.NUMBER),
    ("We have 3 offices.", "We have 5 offices.", ClaimKind.NUMBER),
    ("15 users", "10 to 20 users", ClaimKind.NUMBER),
    ("It takes 3 hours.", "It takes 120 minutes.", ClaimKind.NUMBER),
    ("It weighs 5 kg.", "It is 5 km long.", ClaimKind.NUMBER),
    ("It costs $500.", "Prices start at $50 for 500 clients.", ClaimKind.PRICE),
    ("It costs $50.", "It costs €50.", ClaimKind.PRICE),
    ("Under $500.", "It costs $20.", ClaimKind.PRICE),
    ("| A | B |\n|---|---|\n| x | $70 |", "$50", ClaimKind.PRICE),
    ("It grew by 30%.", "It grew by 3%.", ClaimKind.PERCENTAGE),
    ("It grew by 3%.", "3 clients", ClaimKind.PERCENTAGE),
    ("On March 4, 2024.", "Opened 2024-03-03.", ClaimKind.DATE),
    ("On March 3, 2024.", "Opened in 2024.", ClaimKind.DATE),
    ("On March 3, 2024.", "Opened in March.", ClaimKind.DATE),
    ("Founded in 2016.", "Founded on 3 May 2015.", ClaimKind.NUMBER),
    ("Open until 6 pm.", "Open 09:00-17:30", ClaimKind.TIME),
    ('It is "the best plan there is".', "the best plan that is", ClaimKind.QUOTE),
    ("It is “the best plan there is”.", "a plan", ClaimKind.QUOTE),
    ('It is "quite remarkably good".', "a plan", ClaimKind.QUOTE),
    ("Ask Maria Gonzalez.", "Maria Lopez runs sales.", ClaimKind.NAME),
    ("We work with Acme Rockets in Berlin.", "We work with Acme.", ClaimKind.NAME),
    ("See [here](https://acme.com/x).", "https://acme.com/y", ClaimKind.URL),
    ("See https://acme.org.", "https://acme.com", ClaimKind.URL),
    ("Write to info@acme.com.", "info@acme.io", ClaimKind.EMAIL),
    ("[Write](mailto:info@acme.com)", "info@acme.io", ClaimKind.EMAIL),
    ("Call +1 (555) 010-9999.", "Phone: 555-010-9998", ClaimKind.PHONE),
    ("Call +1 (555) 010-9999.", "Phone: 555-770-9999", ClaimKind.PHONE),
]


@pytest.mark.parametrize(("text", "context", "kind"), NOT_HELD)
def test_what_the_context_does_not_hold_is_flagged(
    text: str, context: str, kind: ClaimKind
) -> None:
    assert rules(grounded(), text, context=context) == [f"grounding.{kind}"]


def test_a_finding_cites_the_claim_and_the_words_around_it() -> None:
    (finding,) = findings(grounded(), "Today we have 500+ clients.", context="100+ clients")

    assert "'500+'" in finding.issue
    assert finding.quote == "Today we have 500+ clients."
    assert "leave it out" in (finding.correction or "")


def test_the_persons_own_words_may_be_repeated_unless_told_otherwise() -> None:
    reply = Reply(text="For 40 guests we suggest the hall.", query="We are 40", context=("Hall",))

    assert list(grounded()(reply)) == []
    assert [each.rule for each in grounded(trust_query=False)(reply)] == ["grounding.number"]


@pytest.mark.parametrize("context", [(), ("",), ("  ", "\n")])
def test_without_a_context_nothing_can_be_said(context: tuple[str, ...]) -> None:
    assert list(grounded()(Reply(text="We have 500+ clients.", context=context))) == []


def test_kinds_and_severity_are_settings() -> None:
    check = grounded(kinds=["price"], severity=Severity.WARNING)

    (finding,) = findings(check, "500 clients pay $70.", context="100 clients")

    assert (finding.rule, finding.severity) == ("grounding.price", Severity.WARNING)
    with pytest.raises(ValueError, match="colour"):
        grounded(kinds=["colour"])


def test_every_passage_counts() -> None:
    reply = Reply(text="500 clients pay $70.", context=("500 clients", "a price of $70"))

    assert list(grounded()(reply)) == []
