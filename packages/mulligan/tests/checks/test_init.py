"""No check breaks, whatever a model writes into a call or a tool returns."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.checks.dates import dates_as_said
from mulligan.checks.ids import GOOGLE_CALENDAR, exists, ids_read, not_glued, well_formed
from mulligan.checks.lengths import shifts_as_said, spans_as_said
from mulligan.checks.objects import on_objects, owners_as_said, still_to_come
from mulligan.checks.places import home_is_home, home_resolved
from mulligan.checks.provenance import addresses_seen, ids_seen
from mulligan.checks.requests import condition_met, made_once, quotes_kept
from mulligan.checks.schedule import (
    SlotParameters,
    Taken,
    ends_after_start,
    free_as_asked,
    not_in_the_past,
    rank_as_said,
    ranks_read,
    taken_times,
)
from mulligan.checks.subject import people_named
from mulligan.types.call import Outcome
from mulligan.types.finding import Finding
from tests.checks.attempts import attempt, gathered, ran

NAMES = ("id", "start", "end", "minutes", "place")
TOOLS = {"act": NAMES}
SPANS = {"act": SlotParameters(start="start", end="end", minutes="minutes")}
LUNCH = Taken(what="x", start=datetime(2025, 10, 24, 12), end=datetime(2025, 10, 24, 13))
SAID = (
    "If visits were more than 10 on Friday, cancel Ann's first meeting tomorrow",
    "Book the first time I'm free at home with ann and say 'see you at home, ann'",
    "",
)

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=12),
    st.dates(min_value=date(1, 1, 1)),
    st.datetimes(),
    st.sampled_from(["9999-12-31T23:59+14:00", "0001-01-01T00:00-12:00", "30", "a@b", "home"]),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(st.sampled_from(NAMES), scalars), inner, max_size=3),
    ),
    max_leaves=8,
)
given_to_a_call = st.dictionaries(st.sampled_from(NAMES), values, max_size=5)
people = people_named(lambda: ["ann.lee@office.org"])
GATHERS = [
    ids_read(TOOLS, read=lambda value: {"start": value}, fields=("start",)),
    people,
    home_resolved(),
    taken_times(SPANS, read=lambda _: [LUNCH]),
    ranks_read(
        TOOLS, when="start", read=lambda value: {"start": value}, read_day=lambda _: [LUNCH]
    ),
]
CHECKS = [
    addresses_seen("act"),
    condition_met("act"),
    ends_after_start(("start", "end")),
    exists(TOOLS),
    free_as_asked(SPANS),
    home_is_home(TOOLS, lookups=TOOLS),
    ids_seen(TOOLS),
    made_once("act"),
    not_glued(TOOLS),
    not_in_the_past(TOOLS),
    on_objects(dates_as_said(), TOOLS, when="start"),
    owners_as_said(TOOLS),
    quotes_kept(TOOLS),
    rank_as_said(TOOLS),
    shifts_as_said({tool: names[0] for tool, names in TOOLS.items()}),
    spans_as_said(SPANS),
    still_to_come(TOOLS, when="start"),
    well_formed(GOOGLE_CALENDAR, TOOLS),
]


@pytest.mark.full
@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    said=st.sampled_from(SAID),
    first=given_to_a_call,
    second=given_to_a_call,
    result=values,
    zone=st.sampled_from(["Pacific/Kiritimati", "America/New_York", "Mars/Phobos", None]),
)
def test_every_check_answers_with_findings(said, first, second, result, zone) -> None:
    calls = (
        ran("read", first, result=result),
        ran("act", first, result=result),
        ran("act", second, outcome=Outcome.UNKNOWN),
    )
    known = {"home": "12 Elm Street, Springfield"}
    plain = attempt(said, *calls, known=known, zone=zone)
    facts = [fact for gather in GATHERS for fact in gathered(gather, plain)]
    tried = attempt(said, *calls, known=known, zone=zone, facts=facts)

    findings = [finding for check in CHECKS for finding in check(tried)]

    assert all(isinstance(finding, Finding) and finding.call for finding in findings)
