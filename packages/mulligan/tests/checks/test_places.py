from __future__ import annotations

import pytest

from mulligan.checks.places import home_is_home, home_resolved
from mulligan.types.finding import Severity
from tests.checks.attempts import attempt, gathered, ran, severities

HOME = "12 Elm Street, Springfield 62701"
PLACES = {"create": ["location"]}
LOOKUPS = {"find_place": ["query"]}


@pytest.mark.parametrize(
    ("said", "location", "severity"),
    [
        # The source's own example: a shop that has the word in its name.
        (
            "Dinner at home on Friday",
            "The Home Depot, 90 Oak Ave, Springfield 62701",
            Severity.ERROR,
        ),
        ("Dinner at our place", "HomeGoods", Severity.ERROR),
        ("Dinner at home on Friday", "500 Market Street, Shelbyville", Severity.WARNING),
        ("Dinner at home on Friday", "home", None),
        ("Dinner at home on Friday", "12 Elm St", None),
        ("Dinner at home on Friday", "Home (12 Elm Street, Springfield)", None),
        ("Dinner at home on Friday", "Home Sweet Home, 12 Elm Street", None),
        ("Buy paint at Home Depot before I go home", "The Home Depot, 90 Oak Ave", None),
        ("Dinner at Luigi's on Friday", "The Home Depot, 90 Oak Ave", None),
        ("Do my homework", "500 Market Street", None),
    ],
)
def test_a_place_is_flagged_only_when_it_is_clearly_not_home(
    said: str, location: str, severity: Severity | None
) -> None:
    tried = attempt(said, ran("create", {"location": location}), known={"home": HOME})

    findings = list(home_is_home(PLACES)(tried))

    assert severities(findings) == ([severity] if severity else [])
    assert all(HOME in (finding.correction or "") for finding in findings)


@pytest.mark.parametrize(
    ("result", "flagged"),
    [
        ({"name": "The Home Depot", "address": "90 Oak Ave, Springfield 62701"}, True),
        ({"name": "Home", "address": "12 Elm Street, Springfield"}, False),
        ([{"name": "The Home Depot"}, {"address": "12 Elm St, Springfield"}], False),
        ({"lat": 39.8, "lng": -89.6}, False),
        (None, False),
    ],
)
def test_looking_home_up_is_flagged_when_it_leads_elsewhere(
    result: object, *, flagged: bool
) -> None:
    tried = attempt(
        "How far is it from home?",
        ran("find_place", {"query": "home"}, result=result),
        known={"home": HOME},
    )

    findings = list(home_is_home({}, lookups=LOOKUPS)(tried))

    assert severities(findings) == ([Severity.ERROR] if flagged else [])


@pytest.mark.parametrize("known", [{}, {"home": ""}, {"home": None}, {"home": 12}])
def test_without_a_known_home_only_a_business_is_none(known: dict[str, object]) -> None:
    shop = attempt("Dinner at home", ran("create", {"location": "The Home Depot"}), known=known)
    street = attempt("Dinner at home", ran("create", {"location": "4 Oak Street"}), known=known)

    (finding,) = home_is_home(PLACES)(shop)

    assert finding.severity is Severity.ERROR
    assert "Ask where home is" in str(finding.correction)
    assert list(home_is_home(PLACES)(street)) == []
    assert gathered(home_resolved(), shop) == ()


def test_home_is_told_as_a_fact() -> None:
    (fact,) = gathered(home_resolved(), attempt("At home", known={"home": HOME}))

    assert (fact.kind, fact.value) == ("place.home", HOME)
