from __future__ import annotations

import pytest

from mulligan.types.effect import Effect
from mulligan.types.errors import ConfigurationError
from mulligan_gateway.declarations import read_cases
from mulligan_gateway.toml_table import WrittenTable


def read(**case: object):
    (found,) = read_cases(WrittenTable({"cases": [{"effect": "read", **case}]}, where="here"))
    return found


@pytest.mark.parametrize(
    ("case", "arguments", "fits"),
    [
        ({"equal": {"dry": True}}, {"dry": True}, True),
        ({"equal": {"dry": True}}, {"dry": 1}, False),
        ({"equal": {"dry": True}}, {}, False),
        ({"given": ["attendees"]}, {"attendees": ["a"]}, True),
        ({"given": ["attendees"]}, {"attendees": []}, True),
        ({"given": ["attendees"]}, {"attendees": None}, False),
        ({"missing": ["attendees"]}, {"attendees": None}, True),
        ({"missing": ["attendees"]}, {"attendees": []}, False),
        ({"missing": ["attendees"]}, {"attendees": ["a"]}, False),
        ({"matches": {"sql": "(?i)^select"}}, {"sql": "SELECT 1"}, True),
        ({"matches": {"sql": "(?i)^select"}}, {"sql": 5}, False),
        ({"equal": {"a": 1}, "given": ["b"]}, {"a": 1}, False),
    ],
)
def test_a_case_fits_if_all_of_it_does(case, arguments, fits):
    assert read(**case).fits(arguments) == fits


def test_a_case_has_its_own_effect():
    assert read(given=["x"]).effect is Effect.READ


@pytest.mark.parametrize(
    ("case", "says"),
    [
        ({}, "it fits every call"),
        ({"equals": {"a": 1}}, "Did you mean 'equal'"),
        ({"matches": {"sql": "("}}, "no regular expression"),
        ({"given": [1]}, "a list of texts"),
        ({"effect": "harmless", "given": ["x"]}, "it is one of read, reversible"),
    ],
)
def test_a_case_that_cannot_be_meant_is_refused(case, says):
    with pytest.raises(ConfigurationError) as refused:
        read(**case)

    assert says in str(refused.value)


def test_a_text_that_is_too_long_to_search_is_as_grave_as_can_be():
    case = read(matches={"sql": "^select"})

    with pytest.raises(ValueError, match="longer than"):
        case.fits({"sql": "select " * 10_000})
