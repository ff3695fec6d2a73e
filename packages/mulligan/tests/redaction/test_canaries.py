"""What redaction promises: no planted secret comes out, and nothing it is given makes it raise."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mulligan.redaction import Capture, Redactor
from tests.redaction import canaries
from tests.redaction.canaries import HIDES_ANYTHING, KINDS, SHOWS_NAMES, VALUES, Kind, found_in

KEY = bytes(range(32))
FORMS = [kind for kind in KINDS if kind.by_form]


@pytest.fixture
def redactor() -> Redactor:
    return Redactor(key=KEY)


@pytest.fixture
def full() -> Redactor:
    return Redactor(key=KEY, capture=Capture.FULL)


def plant(kind: Kind, place: str) -> str:
    """The same secret for the same kind and place, and no other."""
    return kind.make(random.Random(f"{kind.name} {place}"))


def raised(secret: str, cause: BaseException | None = None) -> BaseException:
    local = secret
    try:
        raise ValueError(f"could not use {local}", local, {"a": local}) from cause
    except ValueError as error:
        return error


def test_the_search_finds_what_is_there_and_there_is_enough_to_find():
    assert len(KINDS) >= 30
    assert len(VALUES) >= 40
    for kind in KINDS:
        secret = plant(kind, "anywhere")

        assert found_in(f"x {secret} y", secret)
        assert found_in(f"x {canaries.in_base64(secret)} y", secret)
        assert not found_in("x y", secret)


@pytest.mark.parametrize("place", list(VALUES))
def test_none_is_found_in_parameters_or_results(redactor, place):
    make = VALUES[place]
    leaks = []
    for kind in KINDS:
        secret = plant(kind, place)
        lines = redactor.redact_parameters({"value": make(secret)}) + redactor.redact_result(
            make(secret)
        )
        if found_in(lines, secret) and not (place in SHOWS_NAMES and kind.name == "word"):
            leaks.append((kind.name, lines))

    assert leaks == []


@pytest.mark.parametrize("place", list(VALUES))
def test_none_is_found_in_full_capture_where_form_or_name_give_it_away(full, place):
    make = VALUES[place]
    leaks = []
    for kind in KINDS if place in HIDES_ANYTHING else FORMS:
        secret = plant(kind, place)
        lines = full.redact_parameters({"value": make(secret)}) + str(
            full.redact_value(make(secret))
        )
        if found_in(lines, secret):
            leaks.append((kind.name, lines))

    assert leaks == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_none_is_found_as_the_name_of_a_parameter(redactor, full, kind):
    secret = plant(kind, "name")

    line = redactor.redact_parameters({secret: 1})

    assert kind.name == "word" or not found_in(line, secret)
    assert not kind.by_form or not found_in(full.redact_parameters({secret: 1}), secret)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_none_is_found_in_an_error_that_quotes_an_argument(redactor, kind):
    secret = plant(kind, "error")

    error = redactor.redact_error(
        raised(secret), arguments={"note": f"x {secret}", "value": secret}
    )

    assert not found_in("\n".join(map(str, error)), secret)


@pytest.mark.parametrize("frame", ["{}", "'{}'", "x={}", "bad {} here", "[{}]", "{}\n", "({},)"])
def test_none_is_found_in_the_text_of_an_error_context_or_label(redactor, full, frame):
    leaks = []
    for kind in FORMS:
        secret = plant(kind, f"text {frame}")
        text = frame.format(secret)
        shown = [
            redactor.redact_error(ValueError(text), arguments={}).message,
            full.redact_error(ValueError(text), arguments={}).message,
            redactor.redact_text(text),
            redactor.redact_label(text),
        ]
        if found_in("\n".join(shown), secret):
            leaks.append((kind.name, shown))

    assert leaks == []


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_none_is_found_by_way_of_causes_groups_or_notes(redactor, full, kind):
    secret = plant(kind, "cause")
    error = raised("nothing", raised(secret, raised(secret)))
    error.add_note(secret)
    group = ExceptionGroup("several", [ValueError(secret), KeyError(secret)])

    shown = [r.redact_error(e, arguments={}) for r in (redactor, full) for e in (error, group)]

    assert not found_in(str(shown), secret)


@pytest.mark.parametrize("kind", FORMS, ids=lambda kind: kind.name)
def test_none_is_found_as_the_code_of_an_error_or_the_path_of_a_file(redactor, kind):
    secret = plant(kind, "code")
    error = ValueError("no")
    error.code = secret  # type: ignore[attr-defined]
    try:
        exec(compile("raise KeyError('x')", f"/srv/{secret}/tool.py", "exec"))
    except KeyError as caught:
        at = redactor.redact_error(caught, arguments={}).at

    code = redactor.redact_error(error, arguments={}).code

    assert not found_in(f"{code} {at}", secret)


@pytest.mark.parametrize("kind", FORMS, ids=lambda kind: kind.name)
def test_none_is_found_where_values_are_shown_as_they_are(redactor, kind):
    secret = plant(kind, "allowed")
    choice = canaries.as_enum(secret)

    line = redactor.redact_parameters(
        {"value": f"use {secret}", "choice": choice, "named": secret},
        allow=frozenset({"value"}),
        enums={"named": frozenset({secret})},
    )

    assert not found_in(line, secret)


@pytest.mark.parametrize("kind", [k for k in KINDS if k.name == "card"])
def test_none_is_found_where_it_is_a_number(redactor, full, kind):
    number = int(plant(kind, canaries.NUMBER))
    value = {"a": number, "b": [float(number), -number], "c": {number: 1}}

    for r in (redactor, full):
        lines = r.redact_parameters({"value": value, "n": number}) + r.redact_result(number)
        assert not found_in(lines, str(number))


REDACTORS = [Redactor(key=KEY, capture=capture) for capture in Capture]

texts = st.text(st.characters(exclude_categories=()), max_size=60)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    texts,
    st.binary(max_size=30),
    st.decimals(),
    st.datetimes(),
    st.timedeltas(),
    st.uuids(),
    st.complex_numbers(),
    st.fractions(),
)
keys = st.one_of(texts, st.integers(), st.booleans(), st.none(), st.floats(), st.tuples(texts))
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=6),
        st.dictionaries(keys, inner, max_size=6),
        st.tuples(inner, inner),
        st.frozensets(texts, max_size=4),
    ),
    max_leaves=25,
)
calls = st.dictionaries(texts, values, max_size=8)
bounded = settings(max_examples=60, deadline=None)


@pytest.mark.full
@bounded
@given(calls)
def test_parameters_and_results_are_valid_json_within_bounds(arguments):
    for redactor in REDACTORS:
        lines = [redactor.redact_parameters(arguments)]
        lines += [redactor.redact_result(value) for value in arguments.values()]

        assert isinstance(json.loads(lines[0]), dict)
        assert all(json.loads(line) != "<redaction failed>" for line in lines)
        assert max(len(line.encode()) for line in lines) <= 65_536


@pytest.mark.full
@bounded
@given(texts, calls)
def test_errors_are_told_within_bounds(message, arguments):
    for redactor in REDACTORS:
        text = redactor.redact_error(ValueError(message, *arguments.values()), arguments=arguments)

        assert text.type == "ValueError"
        assert text.message != "<redaction failed>"
        assert len(text.message) <= 2_100


@bounded
@given(st.text(min_size=5, max_size=40), st.sampled_from(["{}", "no {} here", "'{}'", "{}{}"]))
def test_an_argument_is_never_told_in_an_error(argument, frame):
    error = ValueError(frame.format(argument, argument))

    message = REDACTORS[0].redact_error(error, arguments={"x": argument}).message

    assert argument not in message.replace("<x>", "")


@bounded
@given(texts)
def test_text_and_labels_can_be_stored_and_printed(text):
    for redactor in REDACTORS:
        for shown in (redactor.redact_text(text), redactor.redact_label(text)):
            shown.encode()
            assert "\x1b" not in shown
        assert "\n" not in redactor.redact_label(text)
