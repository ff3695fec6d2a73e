"""Secrets in text: what is replaced, what is left, and that the fast form is the plain one."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable

import pytest

from mulligan.redaction import numbers
from mulligan.redaction.patterns import RULES
from mulligan.redaction.scrub import UNSAFE, clip, may_apply, scrub, scrub_schema, scrub_value
from mulligan.redaction.text import COMMAND, ODD, SPOKEN, TUPLE, Hide
from mulligan.types import values
from mulligan.types.display import escape
from tests.redaction.naive import naive_scrub, texts

pytestmark = [pytest.mark.promise(8), pytest.mark.full]

SEED_PHRASE = "abandon ability able about above absent absorb abstract absurd abuse access accident"

SECRETS = [
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- ok", "<pem> ok"),
    ("-----BEGIN PRIVATE KEY-----\nMIIE cut off", "<pem>"),
    ("---- BEGIN SSH2 KEY ----\nAAAA", "<pem>"),
    ("jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJib2IifQ.c2ln!", "jwt <jwt>!"),
    ("AKIAABCDEFGHIJKLMNOP", "<key>"),
    ("ghp_abcdefghijklmnopqrstuvwxyzabcdefghij", "<key>"),
    ("github_pat_abcdefghijklmnop", "<key>"),
    ("glpat-abcdefghijklmnopqrst", "<key>"),
    ("xoxb-abcdefgh-ijklmnop", "<key>"),
    ("sk_live_abcdefghijklmnop", "<key>"),
    ("sk-proj-abcdefghijklmnopqrst", "<key>"),
    ("sk-ant-abcdefghijklmnopqrst", "<key>"),
    ("AIzaabcdefghijklmnopqrstuvwxyzabcdefghi", "<key>"),
    ("npm_abcdefghijklmnopqrstuvwxyz", "<key>"),
    ("pypi-abcdefghijklmnopqrstuv", "<key>"),
    ("SG.abcdefghijklmnopqrstuv.abcdef", "<key>"),
    ("SK0123456789abcdef0123456789abcdef", "<token>"),
    ("Bearer abcdefgh", "Bearer <token>"),
    ("BASIC dXNlcjpwYXNz", "BASIC <token>"),
    ("Authorization: Digest a=1, b=2\nnext", "Authorization: <hidden>\nnext"),
    ("Set-Cookie: a=b; Path=/", "Set-Cookie: <hidden>"),
    ("password=hunter2 user=bob", "password=<hidden> user=bob"),
    ("Password : hunter2", "Password : <hidden>"),
    ('{"api_key": "a b\\" c", "n": 1}', '{"api_key": <hidden>, "n": 1}'),
    ('{\\"token\\": \\"abc def\\"}', '{\\"token\\": <hidden>}'),
    ("{'pin': 1234, 'n': 1}", "{'pin': <hidden>, 'n': 1}"),
    ("secret = ['a', ['b'], 'c'] n", "secret = <hidden> n"),
    ("passphrase: correct horse battery", "passphrase: <hidden>"),
    ("API key: abc", "API key: <hidden>"),
    ("contrase\u00f1a: hunter2 x", "contrase\u00f1a: <hidden>"),
    ("пароль = 'hunter2'", "пароль = <hidden>"),
    ("client_secret%3Dabc%26x", "client_secret%3D<hidden>"),
    ("mysql --password hunter2 --port 3", "mysql --password <hidden> --port 3"),
    ("['--token', 'a b']", "['--token', <hidden>]"),
    ("ssh --run 'x --password \"a b\" y'", "ssh --run 'x --password <hidden> y'"),
    ("<password>hunter2</password>", "<password><hidden></password>"),
    ("password hunter2secret failed", "password <hidden> failed"),
    ("Password is 'hunTer' now", "Password is '<hidden>' now"),
    ("curl -v -u bob:pw https://x.org", "curl -v -u bob:<hidden> https://x.org"),
    ("mysql -u root -ppw db", "mysql -u root -p<hidden> db"),
    ("['sshpass', '-p', 'pw', 'ssh']", "['sshpass', '-p', '<hidden>', 'ssh']"),
    ("ALTER USER bob IDENTIFIED BY 'p w'", "ALTER USER bob IDENTIFIED BY <hidden>"),
    ("jdbc:oracle:thin:scott/pw@//db/x", "jdbc:oracle:thin:<credentials>@//db/x"),
    ("dial bob:hunter@tcp(db:3306)/x", "dial <credentials>@tcp(db:3306)/x"),
    ("bob:hun/t@er@unix(/tmp/my.sock)/x", "<credentials>@unix(/tmp/my.sock)/x"),
    ("bob:hunter@/x", "<credentials>@/x"),
    ("bob:hunter@(db)/x", "<credentials>@(db)/x"),
    ("dsn='bob:hunter@db.local:5432/x'", "dsn='<credentials>@db.local:5432/x'"),
    ("scott/hunter@//db:1521/x", "<credentials>@//db:1521/x"),
    ("[('X-Api-Key','pw'), ('a', 'b')]", "[('X-Api-Key',<hidden>), ('a', 'b')]"),
    ("{'name':'DB_PASSWORD','value':'pw'}", "{'name':'DB_PASSWORD','value':<hidden>}"),
    ("{'value': 'p w', 'name': 'PIN'}", "{'value': <hidden>, 'name': 'PIN'}"),
    ('<input name="password" value="pw">', '<input name="password" value=<hidden>>'),
    ("4111/1111/1111/1111", "<card>"),
    ("019c27162b2272cfe4111111111111111", "<token>"),  # one digit more than an id of ours
    ("4111\t1111\t1111\t1111", "<card>"),
    ("card 4111 1111 1111 1111.", "card <card>."),
    ("4111-1111-1111-1111", "<card>"),
    ("SSN 078-05-1120", "SSN <number>"),
    ("call (555) 123-4567", "call <phone>"),
    ("call +49 30 1234", "call <phone>"),
    ("call 0170/1234567 or 030-1234567", "call <phone> or <phone>"),
    ("+49 (0) 170 1234567", "<phone>"),
    ("password=correct horse battery staple", "password=<hidden>"),
    ("de:ad:be:ef:00:11:22:33:44:55:66:77", "<key>"),
    ("abc8Q~a.b_c~defghijklmnopqrstuvwxyz0123456", "<key>"),
    ("4111\u00a01111\u00a01111\u00a01111", "<card>"),
    ("\u0664" + 15 * "\u0661", "<card>"),
    ("GB82 WEST 1234 5698 7654 32", "<iban>"),
    ("FR1420041010050500013M02606", "<iban>"),
    ("to bob.b+x@mail.example.org now", "to <email> now"),
    ("bob%40example.org", "<email>"),
    ("git@github.com", "<email>"),
    ("postgres://bob:pw@db/x", "postgres://<credentials>@db/x"),
    ("postgres://bob:p/w@db/x", "postgres://<credentials>@db/x"),
    ("https://x.org/a?b=c#d ok", "https://x.org/a?<query> ok"),
    ("https://x.org/a#d", "https://x.org/a?<query>"),
    ("GET /a?email=x HTTP/1.1", "GET /a?<query> HTTP/1.1"),
    ("hash d41d8cd98f00b204e9800998ecf8427e", "hash <token>"),
    ("https://x.org/a?", "https://x.org/a?"),
    ("https://x.org/a1b2c3d4e5f6g7h8i9j0?b", "https://x.org/<token>?<query>"),
    ("https://x.org/sk-abcdefghijklmnop", "https://x.org/<key>"),
    ("https://x.org?a@b.org", "https://<credentials>@b.org"),
    ("pwd Ab1x", "pwd <hidden>"),
    ("('pw',x)", "('pw',<hidden>)"),
    ("mysql -px", "mysql -p<hidden>"),
    ("--pw x", "--pw <hidden>"),
    (f"words: {SEED_PHRASE}!", "words: <seed phrase>!"),
    (f"the {SEED_PHRASE} and", "the <seed phrase> and"),
    ("Authorization: Bearer abc def\nnext", "Authorization: <hidden>\nnext"),
    ("tokens=[1, [2], 3] rest", "tokens=<hidden> rest"),
    ("password: correct horse was wrong", "password: <hidden> was wrong"),
    ("pwd=correct horse, user=bob", "pwd=<hidden>, user=bob"),
    ("passwd=correct horse --port 3", "passwd=<hidden> --port 3"),
    ("token=abc expired for bob", "token=<hidden> expired for bob"),
    ("identified by 'abc'", "identified by <hidden>"),
    ("value: abc, name: password", "value: <hidden>, name: password"),
    ("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "<token>"),
    ("/v1/files/a1b2c3d4e5f6g7h8i9j0/lines", "/v1/files/<token>/lines"),
    ("A1B2C-D3E4F-G5H6I-J7K8L-M9N0P", "<token>"),
    ("0049 170 1234567", "<phone>"),
    ("06.12.34.56.78", "<phone>"),
    ("01701234567 or 555.123.4567", "<phone> or <phone>"),
    ("call me at 6505551234", "call me at <phone>"),
    ("account no. 71234567890", "account no. <number>"),
    ("3782-822463-10005", "<card>"),
    ("4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "<card>"),
    ("529.982.247-25", "<number>"),
    ("2026-11-16 4111111111111111", "2026-11-16 <card>"),
    ("4111111111111111 12/29", "<card> 12/29"),
    ("4111 1111 1111 1111 12/29 123", "<card> 12/29 123"),
    ("order 77 4111-1111-1111-1111", "order 77 <card>"),
    ("3782 822463 10005 09 27", "<card> 09 27"),
    (SEED_PHRASE.replace(" ", "\n"), "<seed phrase>"),
]
LEFT_ALONE = [
    "",
    "Event not found: dinner on Friday at 7",
    "2026-11-16 10:30:00",
    "2026-11-16T10:30:00.123456+01:00",
    "12345678",
    "id 123456789",
    "550e8400-e29b-41d4-a716-446655440000",
    "2026-11-16 - 2026-11-20, 2026-11-16/2026-11-20, 16.11.2026-20.11.2026",
    "at 1763280000 and 1763280000123",
    "ISBN 978-3-16-148410-0 and 0-306-40615-2",
    "from 192.168.100.200:8080 to 10.20.30.40/24",
    "/orders/2026/11/ORD-000123456/items/42",
    "evt_1NG8Du2eZvKYlo2CUI79vXWy of cus_NffrFeUfNV2Hib",
    "commit 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
    "lodash@4.17.21 and actions/checkout@v4",
    "on 2026/11/16 10:30",
    "the password must be longer, the token is invalid, the secret TokenError",
    "missing ('title', 'name')",
    "{'name': 'title', 'value': 'x'}",
    "author: Bob",
    "max_tokens: 512, session_count=3",
    "keyboard=qwerty monkey=1 pinned: yes",
    "401 Unauthorized: no such user",
    "AuthenticationError: not now",
    "a_long_snake_case_identifier_name",
    "a-long-kebab-case-identifier-name",
    "CalendarEventNotFoundException",
    "/usr/lib/python3/site-packages/x",
    "pk_users_of_the_calendar_table",
    "task_some_very_long_name_of_it",
    "bearer token authentication",
    "Basic Information about it",
    "https://x.org/path/to/it",
    "must be one of: red, green, blue, black, white, brown, pink, grey, gold, teal, lime, navy",
    "the agent could not find the event that was moved from Monday because the team did not come",
    "abandon ability able about above absent absorb abstract absurd abuse access",
    "Chloé moved to Malmö \u2013 again…\n\tyes",
    "-----BEGIN",
    "2 < 3 </",
    "limit=3 at 10:30",
    "head -n 3 x",
    "app:tag@sha256:1234",
    "https://x.org/@bob/post",
    'name="city" value="abc"',
    "/users/550e8400-e29b-41d4-a716-446655440000/orders/2026/11",
    "01ARZ3NDEKTSV4RRFFQ69G5FAV and 507f1f77bcf86cd799439011",
    "payment-api-7d9f8b6c5d-x2x9k",
    "reports/2026/q3_summary_000123.csv",
    "CalendarEventNotFoundHTTPError42",
    "20261116T103000Z-backup-full, 20261116-20261120, 20261116103000",
    "9783161484100 and 4006381333931",
    "1.234.567.890 or 123 456 789 bytes at 52.5200080001",
    "2019-2020-2021-2022",
    "upc 012345678905 and isbn 0306406152",
    "4111111111111112",
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
    "card: birthday",
    "getUserAccountInformationById2 failed",
]


@pytest.mark.parametrize(("text", "scrubbed"), SECRETS)
def test_a_secret_is_replaced_by_its_kind(text, scrubbed):
    assert scrub(text) == scrubbed


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_what_only_looks_like_a_secret_is_left_alone(text):
    assert scrub(text) == text


@pytest.mark.parametrize(("text", "_"), SECRETS)
def test_scrubbing_twice_is_scrubbing_once(text, _):
    once = scrub(text)

    assert scrub(once) == once


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


@pytest.mark.parametrize("secret", ["Xk9!vvQ2", "hunter2"])
@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_that_says_what_it_is_gives_it_away(sentence: str, secret: str) -> None:
    shown = scrub(sentence.format(secret))

    assert shown == sentence.format("<hidden>")


WRAPPED = "sk-live0123456789abcdefghij"


@pytest.mark.parametrize(
    "wrapped",
    [
        "\u200b".join(WRAPPED),
        "\u00ad".join(WRAPPED),
        "".join(chr(ord(c) + 0xFEE0) for c in WRAPPED),
        "".join(f"%{ord(c):02x}" for c in WRAPPED),
        "".join(f"&#{ord(c)};" for c in WRAPPED),
        "".join(f"%26%23{ord(c)}%3B" for c in WRAPPED),  # two layers
        "".join(f"%26amp;%23{ord(c)}%3B" for c in WRAPPED),  # three layers
    ],
)
def test_a_secret_is_hidden_whatever_it_is_wrapped_in_and_what_surrounds_it_stays(wrapped) -> None:
    assert scrub(f"caf\u00e9 %20 {wrapped} no") == "caf\u00e9 %20 <key> no"


def test_every_character_that_stands_for_a_plain_one_is_known() -> None:
    letters = map(chr, [*range(0x80, 0xD800), *range(0xE000, 0x110000)])

    missed = [c for c in letters if unicodedata.normalize("NFKC", c).isascii() and not ODD.match(c)]

    assert missed == []


@pytest.mark.parametrize("seed", range(4))
def test_the_fast_form_equals_the_plain_one(seed):
    hide = (Hide.PERSONAL, Hide.ALL, Hide.PERSONAL, Hide.SECRETS)[seed % 4]
    different = [
        text
        for text in texts(1_000, seed=seed)
        if scrub(text, hide=hide) != naive_scrub(text, hide=hide)
    ]

    assert different == []


def test_a_value_is_scrubbed_like_prose_but_for_what_is_said():
    said = SPOKEN | COMMAND | TUPLE

    different = [
        text
        for text in texts(1_500, seed=50)
        if scrub_value(text) not in (naive_scrub(text), naive_scrub(text, without=said))
    ]

    assert different == []


@pytest.mark.parametrize("text", ["the password is hunter2x", "curl -u bob:pw https://x.org"])
def test_a_value_with_digits_or_signs_may_say_a_secret_too(text):
    assert "<hidden>" in scrub_value(text)


def test_no_rule_is_ruled_out_where_it_would_act():
    missed = [
        text
        for text in texts(1_500, seed=99)
        for rule in RULES
        if not may_apply(text) & rule.bit and list(rule.find(text))
    ]

    assert missed == []


def test_digits_and_odd_characters_of_every_script_are_noticed():
    kinds = {chr(code): unicodedata.category(chr(code)) for code in range(0x80, 0x110000)}

    zeros = [c for c in kinds if c.isdecimal() and unicodedata.digit(c) == 0]
    cards = ["".join(chr(ord(zero) + int(digit)) for digit in "4111111111111111") for zero in zeros]
    digits = [card for card in cards if scrub(card) != "<card>"]
    odd = [c for c in escape_all("".join(kinds)) if not may_apply(c) & UNSAFE]

    assert len(cards) > 60
    assert (digits, odd) == ([], [])


def escape_all(text: str) -> set[str]:
    """The characters that are escaped."""
    return set(text) - set(escape(text))


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("a\rb", "a\\rb".replace("\\r", "\\x0d")),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("a\u200bb", "a\\u200bb"),
        ("\ud800", "\\ud800"),
        ("a\u3164b\u115f\u1160", "a\\u3164b\\u115f\\u1160"),
        ("a\u034fb\u2800", "a\\u034fb\\u2800"),
        ("a\ufe00b\ufe0f", "a\\ufe00b\\ufe0f"),
        ("\U000e0041\U000e0155", "\\U000e0041\\U000e0155"),
        ("tab\tand\nline é", "tab\tand\nline é"),
    ],
)
def test_what_could_drive_a_terminal_is_escaped(text, escaped):
    assert scrub(text) == escaped


@pytest.mark.parametrize(
    "secret", ["sk-live0123456789abcdefghij", "4111 1111 1111 1111", SEED_PHRASE]
)
@pytest.mark.parametrize("most", [1_000, 2_000])
def test_a_secret_across_the_cut_does_not_survive_in_part(secret, most):
    pieces = {secret[i : i + 9] for i in range(len(secret) - 8)}

    leaks = []
    for before in range(most - 40, most + 1_100, 7):
        shown = clip("x " * (before // 2) + secret + " y" * 3_000, most=most)
        leaks += [piece for piece in pieces if piece in shown]

    assert leaks == []


def test_a_cut_says_how_much_is_missing():
    assert clip("word " * 1_000, most=100).endswith("<… 4,900 more>")


ADVERSARIES = [
    "-", "a", "-----BEGIN ", "eyJ", "a@", "://a:", "?a=", "password=", "password:'", 'token: "\\',
    "token=[", "--pin ", "--pin '", "--run --pin", "<pin>", "bearer ", "password ", "identified ",
    "curl ", "curl -u", "mysql -u ", "thin:", "bob:x@", "('pin','", "name='pin' ", "value='x' ",
    "1111/", "1 ", "+1", "GB82 ", "abandon ", "a ", "%40", "%3D", "A1", "sk-", '\\"', "\u0661",
    "\u200b", "%25", "%2525", "%41", "&#65;", "&amp;", "\\u0041", "=41", "\uff21", "QUJD", "aa:",
    "a-1/", "0Q~", "2026-11-16 ", "0170/", "1.2.3.4 ", "password=a ", "password: a b ",
    "AB 12 34 56 ", "550e8400-e29b-41d4-a716-446655440000/", "password is ", "the password for ",
    "password (", "a1B2 as the ", "token -> ", "pass", "api key to ", "\\141", "\\77 ", "a://",
    "x@y://", "de89.", "has\u0142o: ",
]  # fmt: skip


@pytest.mark.parametrize("piece", ADVERSARIES)
def test_eight_times_the_text_takes_about_eight_times_as_long(piece):
    text = piece * (6_000 // len(piece))

    short, long = _seconds(text), _seconds(text * 8)

    # What is not linear would take 64 times as long.
    assert long <= 24 * short + 0.05


def _seconds(text: str) -> float:
    """The best of two, on the clock of this thread alone: a busy machine does not count."""
    times = []
    for _ in range(2):
        started = time.thread_time()
        scrub(text)
        times.append(time.thread_time() - started)
    return min(times)


@pytest.mark.parametrize(
    ("check", "right", "wrong"),
    [
        (values.has_luhn, "4111111111111111", "4111111111111112"),
        (values.has_luhn, "378282246310005", "378282246310050"),
        (numbers.has_ean, "9783161484100", "9783161484101"),
        (numbers.has_isbn10, "080442957X", "0804429571"),
        (values.has_iban, "GB82WEST12345698765432", "GB28WEST12345698765432"),
        (numbers.has_verhoeff, "2363", "2364"),
        (numbers.has_cpf, "52998224725", "52998224726"),
    ],
)
def test_a_check_digit_tells_right_from_wrong(
    check: Callable[[str], bool], right: str, wrong: str
) -> None:
    assert check(right)
    assert not check(wrong)


def test_a_value_that_is_a_secret_is_left_out_and_the_others_stay() -> None:
    schema = {
        "type": "object",
        "properties": {
            "api_key": {"type": "string", "default": "abc"},
            "url": {"type": "string", "examples": ["https://bob:pw@example.org"]},
            "limit": {"type": "integer", "default": 10},
            "token_count": {"type": "integer", "default": 3},
            "mode": {"enum": ["fast", "slow"], "default": "fast"},
            "note": {"type": "string", "description": "such as sk-abcdefghijklmnopqrst"},
            "inner": {"properties": {"password": {"default": "hunter2"}}},
        },
        "required": ["limit"],
    }

    shown = scrub_schema(schema)

    assert shown == {
        "type": "object",
        "properties": {
            "api_key": {"type": "string"},
            "url": {"type": "string"},
            "limit": {"type": "integer", "default": 10},
            "token_count": {"type": "integer", "default": 3},
            "mode": {"enum": ["fast", "slow"], "default": "fast"},
            "note": {"type": "string", "description": "such as <key>"},
            "inner": {"properties": {"password": {}}},
        },
        "required": ["limit"],
    }


def test_a_property_that_is_called_default_is_a_property() -> None:
    schema = {"properties": {"default": {"type": "string"}, "const": {"default": 1}}}

    assert scrub_schema(schema) == schema
