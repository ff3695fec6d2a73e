"""What an attacker writes into arguments, results and errors so that a secret stays readable."""

from __future__ import annotations

import json
import random

import pytest

from mulligan import Effect, Mulligan, Redaction
from mulligan.redaction import Capture, Hide, Redactor
from mulligan.redaction.scrub import scrub

pytestmark = pytest.mark.promise(8)

NUMBERS = {
    "SSN": "078-05-1120",
    "American": "555-123-4567",
    "American with brackets": "(555) 123-4567",
    "German mobile": "0170/1234567",
    "German landline": "030 1234567",
    "German unbroken": "01701234567",
    "French": "06 12 34 56 78",
}
WORDS = (
    "refused",
    "message",
    "request",
    "record",
    "case",
    "order",
    "ticket",
    "event",
    "file",
    "id",
)
SEED = (
    "legal winner thank wave sausage worth useful yellow letter advice cage absurd amount doctor"
    " acoustic avoid zoo abandon vessel ladder lunar ozone panda quilt"
)
RUN = "62D6iKM9GSlJxK5nrMf9XwrE"


@pytest.fixture
def full() -> Redactor:
    return Redactor(key=bytes(32), capture=Capture.FULL)


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("number", NUMBERS.values(), ids=NUMBERS)
def test_no_word_before_a_number_of_a_person_makes_it_readable(word, number):
    shown = scrub(f"the {word} {number} came back")

    assert number not in shown


@pytest.mark.parametrize("before", ["password=", "password: ", "secret => ", "passphrase="])
def test_no_word_of_a_seed_phrase_is_left_behind_the_name_of_a_password(before):
    shown = scrub(f"{before}{SEED}")

    assert not set(SEED.split()) & set(shown.split())


@pytest.mark.parametrize(
    "text",
    [
        "password=hunter2x failed; tried hunter2x again",
        "token: 'hunter2x' | 'hunter2x'",
        "the old one was hunter2x, so I set password=hunter2x",
        "postgres://bob:hunter2x@db/x refused hunter2x",
        "curl -u bob:hunter2x https://x.org # hunter2x",
        "GET /a?api_key=hunter2x HTTP/1.1 (hunter2x)",
        "Authorization: Bearer hunter2x\nretry with hunter2x",
        "password%3Dhunter2x, then hunter2x",
    ],
)
def test_a_secret_hidden_once_is_not_shown_elsewhere_in_the_text(text):
    assert "hunter2x" not in scrub(text)


def test_a_password_of_one_plain_word_is_not_shown_elsewhere_either():
    assert "swordfish" not in scrub("password=swordfish was refused, swordfish is too short")


@pytest.mark.parametrize(
    "command",
    [
        "docker login -p hunter2x registry.example.org",
        "docker login -u bob -p 'hunter2x' registry.example.org",
        "helm registry login example.org -u bob -p hunter2x",
        "curl --user bob:hunter2x https://example.org",
        "curl -s \\\n  --user bob:hunter2x https://example.org",
        "curl --user 'bob:hunter2x and more' https://example.org",
    ],
)
def test_a_password_on_a_command_line_is_hidden_whatever_its_flag_is_called(command):
    shown = scrub(command)

    assert "hunter2x" not in shown
    assert "and more" not in shown


def test_a_command_in_parts_hides_its_password_too(full):
    shown = full.redact_parameters(
        {"argv": ["docker", "login", "-p", "hunter2x"], "other": ["curl", "-u", "bob:hunter3x"]}
    )

    assert "hunter2x" not in shown
    assert "hunter3x" not in shown


@pytest.mark.parametrize(
    "given",
    [
        {"password": "swordfish", "note": "log in with swordfish"},
        {"note": "log in with swordfish", "password": "swordfish"},
        {"command": "mysql -pswordfish7", "then": ["swordfish7"]},
        {"env": {"name": "DB_PASSWORD", "value": "swordfish"}, "log": "swordfish was refused"},
        {"pin": 48291377, "note": "use 48291377"},
    ],
)
def test_a_secret_is_hidden_in_every_argument_once_one_calls_it_so(full, given):
    shown = full.redact_parameters(given) + str(full.redact_value(given))

    assert "swordfish" not in shown
    assert "48291377" not in shown


def test_a_secret_of_an_argument_is_hidden_in_one_that_is_shown_by_name():
    redactor = Redactor(key=bytes(32), allow=["note"])

    shown = redactor.redact_parameters({"password": "swordfish", "note": "with swordfish"})

    assert "swordfish" not in shown


def test_a_secret_of_an_argument_is_hidden_in_the_error_that_quotes_it(full):
    error = ValueError("access denied for hunter2x")

    told = full.redact_error(error, arguments={"command": "docker login -p hunter2x"})

    assert "hunter2x" not in told.message


@pytest.mark.parametrize(
    ("given", "result"),
    [
        ({"password": "swordfish"}, {"said": "welcome, swordfish"}),
        ({"note": "swordfish"}, {"password": "swordfish"}),
    ],
)
def test_what_the_log_keeps_of_a_call_in_full_hides_a_secret_in_all_its_places(given, result):
    rows: list[str] = []
    with Mulligan("memory:", recover=False, redaction=Redaction(capture="full")) as mulligan:
        mulligan.subscribe(lambda event: rows.append(str(getattr(event, "row", ""))))

        @mulligan.tool(effect=Effect.READ)
        def login(note: str = "", password: str = "") -> dict[str, str]:
            return result

        login(**given)
        mulligan.flush()

    assert "login" in "".join(rows)
    assert "swordfish" not in "".join(rows)


@pytest.mark.parametrize(
    "secret",
    [
        "rzp_live_aB3dE6gH9jK2mN",
        "pat-na1-550e8400-e29b-41d4-a716-446655440000",
        "sdk-550e8400-e29b-41d4-a716-446655440000",
        "api-550e8400-e29b-41d4-a716-446655440000",
        "QQ 12 34 56 C",
        "QQ123456C",
        "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<",
        "kTzQvWmXbNpRsLcDfGhJyAeUoI",
    ],
)
def test_a_newer_form_of_secret_is_hidden(secret):
    assert secret not in scrub(f"got {secret} instead")


@pytest.mark.parametrize(
    "text",
    [
        "Your verification code is 482913.",
        "482913 is your Acme verification code",
        "G-482913 is your login code",
        "OTP: 482913",
        "use the one-time passcode 482913",
    ],
)
def test_a_one_time_code_is_hidden(text):
    assert "482913" not in scrub(text)


@pytest.mark.parametrize("text", ["error code: 500123", "status code 404", "zip code 90210"])
def test_a_code_that_opens_nothing_is_shown(text):
    assert scrub(text) == text


@pytest.mark.parametrize("name", ["id", "event_id", "NodeID", "commitId", "pdf_hash", "etag"])
def test_an_opaque_id_is_shown_under_a_name_that_says_so(full, name):
    assert full.redact_value({name: RUN, "list": {f"{name}s": [RUN]}})[name] == RUN
    assert scrub(json.dumps({name: RUN})) == json.dumps({name: RUN})


@pytest.mark.parametrize("name", ["note", "value", "session_id", "token", "api_key"])
def test_an_opaque_run_is_hidden_under_any_other_name(full, name):
    assert RUN not in str(full.redact_value({name: RUN}))


def test_the_name_of_an_id_shows_no_key_and_no_token_that_is_known_by_its_form(full):
    chance = random.Random(7)
    key = "ghp_" + "".join(chance.choices("abcXYZ0189", k=36))

    assert key not in str(full.redact_value({"id": key}))


def test_an_id_that_is_called_a_secret_elsewhere_is_hidden(full):
    assert RUN not in str(full.redact_value({"id": RUN, "api_key": RUN}))


def test_where_everything_is_hidden_ids_are_too():
    redactor = Redactor(key=bytes(32), capture=Capture.FULL, hide=Hide.ALL)

    assert RUN not in str(redactor.redact_value({"id": RUN}))
