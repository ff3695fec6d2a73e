from __future__ import annotations

import time

import pytest

from mulligan.redaction import secrets
from mulligan.redaction.scrub import scrub
from mulligan.redaction.text import Find, apply_edits


@pytest.mark.parametrize(
    ("find", "text", "shown"),
    [
        (secrets.find_spoken, "the password is Hunter2x ok", "the password is <hidden> ok"),
        (secrets.find_spoken, "the password is wrong", "the password is wrong"),
        (secrets.find_spoken, "token ValueError", "token ValueError"),
        (secrets.find_sql, "identified by 'abc'", "identified by <hidden>"),
        (secrets.find_in_curl, "curl -u bob:hunter2 x", "curl -u bob:<hidden> x"),
        (secrets.find_in_mysql, "mysql -uroot -phunter2", "mysql -uroot -p<hidden>"),
        (secrets.find_in_logins, "sshpass -p hunter2 ssh", "sshpass -p <hidden> ssh"),
        (secrets.find_in_mysql, "head -n 3 x", "head -n 3 x"),
        (secrets.find_logins, "thin:bob/pw@host", "thin:<credentials>@host"),
        (secrets.find_plain_logins, "bob:pw@tcp(db)/x", "<credentials>@tcp(db)/x"),
        (secrets.find_plain_logins, "app:tag@sha256:1234", "app:tag@sha256:1234"),
        (secrets.find_plain_logins, "at 10:30@office(main)", "at 10:30@office(main)"),
        (secrets.find_plain_logins, "https://x.org/@bob/post", "https://x.org/@bob/post"),
        (secrets.find_in_tuples, "('X-Api-Key', 'abc')", "('X-Api-Key', <hidden>)"),
        (secrets.find_in_tuples, "('limit', '3')", "('limit', '3')"),
        (
            secrets.find_beside,
            'name="password" value="abc"',
            'name="password" value=<hidden>',
        ),
        (secrets.find_before, "value: abc, name: password", "value: <hidden>, name: password"),
        (secrets.find_beside, 'name="city" value="abc"', 'name="city" value="abc"'),
    ],
)
def test_secrets_are_hidden_where_prose_commands_and_neighbours_give_them_away(
    find: Find, text: str, shown: str
) -> None:
    assert apply_edits(text, find(text)) == shown


SENTENCES = [
    "password is: {}",
    "password (temporary): {}",
    "password [admin] = {}",
    "the password for bob is {}",
    "password was set to {}",
    "password is now {}",
    "password has been changed to {}",
    "The new password will be {}",
    "password -> {}",
    "password \u2192 {}",
    "PASSWORD - {}",
    "Das Passwort lautet {}",
    "La contrase\xf1a es {}",
    "le mot de passe est {}",
    "mot de passe : {}",
    "has\u0142o: {}",
    "l\xf6senord: {}",
    "parola: {}",
    "\u015fifre: {}",
    "m\u1eadt kh\u1ea9u: {}",
    "\u03ba\u03c9\u03b4\u03b9\u03ba\u03cc\u03c2: {}",
    "the api key is {}",
    "security code is {}",
    "sign in with {} as the password",
    "{} is your new password.",
]


@pytest.mark.parametrize("secret", ["Xk9!vvQ2", "hunter2", "c0rrectHorse"])
@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_that_says_what_it_is_gives_it_away(sentence: str, secret: str) -> None:
    shown = scrub(sentence.format(secret))

    assert shown == sentence.format("<hidden>")


@pytest.mark.parametrize(
    "text",
    [
        "the password for user bob42 expired on 2026-11-21T10:00:00Z",
        "password must contain 8 characters and 2 digits",
        "token expires in 3600 seconds",
        "password was changed to version 2.0.1 of the policy",
        "Use Python3.11 for the token service",
        "the token was issued at 12:30:45",
        "API key for Project2 missing",
        "error code is E1234",
        "password (min. 8 characters)",
        "the token is at https://example.com/Docs2",
        "secret in module auth.Utils2.load()",
        "session: morning",
        "card: birthday",
        "getUserAccountInformationById2 failed",
    ],
)
def test_what_is_only_said_beside_a_secret_stays(text: str) -> None:
    assert scrub(text) == text


@pytest.mark.parametrize(
    "unit",
    ["password ", "password is ", "the password for ", "password (", "a1B2 as the ", "token -> ",
     "pass", "api key to ", "\\141", "\\77 ", "a://", "x@y://", "de89.", "has\u0142o: "],
)  # fmt: skip
def test_time_grows_with_the_text_and_no_faster(unit: str) -> None:
    def measure(size: int) -> float:
        text = (unit * size)[:size]
        return min(_time(text) for _ in range(3))

    small, large = measure(4_000), measure(32_000)

    assert large < 8 * 4 * small + 0.05


def _time(text: str) -> float:
    began = time.process_time()
    scrub(text)
    return time.process_time() - began
