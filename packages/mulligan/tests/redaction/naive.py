"""The scrubber without its prefilters, and a grammar of texts to hold the fast one against."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Iterator

from mulligan.redaction.patterns import RULES, Rule
from mulligan.redaction.scrub import remember_edits
from mulligan.redaction.secrets import hide_known
from mulligan.redaction.text import (
    MOST_LAYERS,
    Edit,
    Hide,
    apply_edits,
    edit_view,
    fold_text,
    fold_view,
    join_edits,
)
from mulligan.types.display import escape


def naive_scrub(text: str, *, hide: Hide = Hide.PERSONAL, without: int = 0) -> str:
    """Every rule, every time, in order: on the text, then on what it stands for."""
    rules = [rule for rule in RULES if hide.covers(rule.least)]
    return escape(_apply(text, [rule for rule in rules if not rule.bit & without]))


def _apply(text: str, rules: list[Rule]) -> str:
    known: set[str] = set()
    for rule in rules:
        edits = list(rule.find(text))
        remember_edits(rule, text, edits, known)
        text = apply_edits(text, edits)
    hidden: list[Edit] = []
    view = fold_text(text)
    for _ in range(MOST_LAYERS):
        if view is None:
            break
        for rule in rules:
            edits = list(rule.find(view.plain))
            remember_edits(rule, view.plain, edits, known)
            view = edit_view(view, edits, hidden=hidden)
        view = fold_view(view)
    return hide_known(apply_edits(text, join_edits(hidden)), known)


ALNUM = string.ascii_letters + string.digits
BASE64 = ALNUM + "+/_=-"
_WORDS = (
    "abandon ability able about above absent absorb abstract absurd abuse access accident account"
    " accuse achieve acid acoustic acquire across act action actor actress actual the and for with"
    " a of to in it is event calendar title not found invalid expected value missing between 3 17"
    " Anna Friday CalendarEventNotFound snake_case_identifier_name kebab-case-identifier-name"
    " python3/site-packages author monkey keyboard pinned basic bearer Bearer BASIC"
)
WORDS = _WORDS.split()
_NAMES = (
    "password Password PASSWD api_key apiKey API-Key token tokens max_tokens secret authorization"
    " Authorization cookie Set-Cookie session session_id session_count author key card pin pinned"
    " private_key seed_phrase passphrase x-auth-token otp title note https AuthError access key"
    " contrase\u00f1a pwd \u043f\u0430\u0440\u043e\u043b\u044c security code psk"
)
NAMES = _NAMES.split()
_PREFIXES = (
    "AKIA ASIA ghp_ gho_ github_pat_ glpat- xoxb- xapp- sk- sk_live_ pk_test_ rk_prod_ AIza npm_"
    " pypi- SG. ya29. hvs. eyJ whsec_ hf_ shpat_ dop_v1_ GOCSPX- AGE-SECRET-KEY- task_ ska-"
)
PREFIXES = _PREFIXES.split()
ODD = (
    "\u00a0\u200b\u2009\u2013\u202e\ufeff\u00ad\x00\x1b\x7f\x85\r\n\t\ud800\udfffé\u6f22\u5b57"
    "\u0661\u0662\uff13\uff14\u017f\u212a\u0130\ue000\uf8ff\u3164\u115f\u1160\u034f\u2800\ufe0f"
)
SEPARATORS = "\"'\\/?#&=:;,.()[]{}<>@%+-_ |`*$"


def _many(chars: str, least: int, most: int) -> Callable[[random.Random], str]:
    def make(rng: random.Random) -> str:
        return "".join(rng.choices(chars, k=rng.randint(least, most)))

    return make


_value = _many(ALNUM + "-_/+.~", 0, 24)
_digits = _many("0123456789", 1, 12)
_noise = _many(SEPARATORS + " \n\t", 0, 4)
_path = _many(ALNUM + "-._~!$&'()*+,;=:@%", 0, 24)


def _vendor(rng: random.Random) -> str:
    return rng.choice(PREFIXES) + _many(ALNUM + "_-.", 0, 24)(rng)


def _pair(rng: random.Random) -> str:
    quote = rng.choice(["", "", '"', "'", '\\"', '"""', "b'"])
    name_quote = rng.choice(["", "", '"', "'", '\\"', "']"])
    between = rng.choice(
        [":", "=", ": ", " = ", ":=", " => ", "%3D", "%3a", " ", ":\n  ", ": [", ": {"]
    )
    end = rng.choice([quote, quote, quote[::-1], ""])
    return f"{rng.choice(NAMES)}{name_quote}{between}{quote}{_value(rng)} {_value(rng)}{end}"


def _digit_run(rng: random.Random) -> str:
    seps = rng.choice(
        [" ", "-", ".", "", "  ", " (", ") ", "_", "\u00a0", "\u200b", ":", "/", "\t", "    "]
    )
    return rng.choice(["", "", "+", "+ ", "(", "-"]) + seps.join(
        _many("0123456789", 1, 5)(rng) for _ in range(rng.randint(1, 6))
    )


def _url(rng: random.Random) -> str:
    scheme = rng.choice(
        ["https://", "postgres://", "HTTPS:\\/\\/", "://", "https:/", "https%3A%2F%2F"]
    )
    user = rng.choice(["", "", "bob:pw@", "bob@", "bob:p/w@", "u:p@x@"])
    tail = rng.choice(
        ["", "?q=1", "?q=a@b.c#f", "#frag", "/p?x", "?", "/a/b/c", ":8080/x", ":80/@x"]
    )
    return f"{scheme}{user}example.com{tail}"


def _link(rng: random.Random) -> str:
    """One link and nothing else, with anything in its path."""
    steps = (_value, _digits, _digit_run, _iban, _flag, _command, _beside, _path, _vendor)
    path = "/".join(rng.choice(steps)(rng) for _ in range(rng.randint(1, 3)))
    start = rng.choice(["http://", "https://", "https:///", "HTTPS://", "ftp://"])
    tail = rng.choice(
        ["", "", "?", "#", "#?", "?q=1", "#top", "?a@b.c", "?a#b", "#a?b", "?<", "? "]
    )
    return f"{start}{''.join(path.split())}{tail}"


def _email(rng: random.Random) -> str:
    at = rng.choice(["@", "@", "%40", " @ ", "@@", "@["])
    return (
        f"{_many(ALNUM + '.+-%', 0, 9)(rng)}{at}{_many(string.ascii_lowercase + '.-', 0, 12)(rng)}"
    )


def _pem(rng: random.Random) -> str:
    dashes = "-" * rng.randint(2, 6)
    end = rng.choice(["", f"{dashes}END RSA PRIVATE KEY{dashes}", "-----END", "---"])
    return f"{dashes}BEGIN {rng.choice(['RSA PRIVATE KEY', 'x', ''])}{dashes}\n{_value(rng)}\n{end}"


def _words(rng: random.Random) -> str:
    gap = rng.choice([" ", " ", " ", "\n", "  ", "\t", "     ", ", "])
    return gap.join(rng.choices(WORDS[: rng.choice([24, 24, len(WORDS)])], k=rng.randint(1, 26)))


def _iban(rng: random.Random) -> str:
    gap = rng.choice(["", " ", "-"])
    groups = [
        _many(string.ascii_uppercase + string.digits * 3, 4, 4)(rng)
        for _ in range(rng.randint(1, 8))
    ]
    return gap.join(
        [rng.choice(["GB82", "DE89", "FR1", "no93", "XX00"]), *groups, _many("0A1", 0, 3)(rng)]
    )


def _scheme(rng: random.Random) -> str:
    name = rng.choice(
        ["Bearer", "bearer", "BEARER", "Basic", "ba\u017fic", "basic", "Bearers", "forBearer"]
    )
    gap = rng.choice([" ", "  ", "%20", "\t", "", "\u00a0", ":"])
    return f"{name}{gap}{rng.choice([_value(rng), 'authentication', 'Information', 'token'])}"


def _xml(rng: random.Random) -> str:
    name = rng.choice(NAMES)
    attribute = rng.choice(["", " a=1", " "])
    return f"<{name}{attribute}>{_value(rng)}{rng.choice(['</', f'</{name}>', '', '<'])}"


def _flag(rng: random.Random) -> str:
    between = rng.choice([" ", ", ", "=", "', '"])
    return f"--{rng.choice(NAMES)}{between}{_value(rng)}"


def _spoken(rng: random.Random) -> str:
    between = rng.choice([" ", " is ", " was ", "  ", " '", " is `", "\t"])
    return f"{rng.choice(NAMES)}{between}{_value(rng)} {rng.choice(['failed', '', 'x1'])}"


def _command(rng: random.Random) -> str:
    start = rng.choice(["curl -u ", "curl -v x --user=", "mysql -u x -p", "sshpass -p ", "curl "])
    start = rng.choice([start, "identified by ", "IDENTIFIED with x AS '", "jdbc:oracle:thin:"])
    return f"{start}{_value(rng)}{rng.choice([':', '/', ' ', chr(39)])}{_value(rng)}@{_value(rng)}"


def _beside(rng: random.Random) -> str:
    quote, name = rng.choice(["", "'", '"']), rng.choice(NAMES)
    first = f"{quote}{rng.choice(['name', 'key', 'Name', 'id'])}{quote}=:"[: rng.choice([-1, None])]
    last = f"{quote}{rng.choice(['value', 'Value', 'VALUE'])}{quote}{rng.choice([':', '=', ': '])}"
    named, valued = f"{first}{quote}{name}{quote}", f"{last}{quote}{_value(rng)}{quote}"
    pair = f"({quote}{name}{quote}, {quote}{_value(rng)}{quote})"
    gap = rng.choice([",", ", ", " ", ";"])
    return rng.choice([f"{named}{gap}{valued}", f"{valued}{gap}{named}", pair])


_PIECES: tuple[Callable[[random.Random], str], ...] = (
    _words,
    _words,
    _noise,
    _pair,
    _pair,
    _digit_run,
    _url,
    _email,
    _pem,
    _iban,
    _scheme,
    _xml,
    _digits,
    _value,
    _vendor,
    _many(BASE64, 10, 28),
    _many(string.ascii_letters, 10, 28),
    _many(ODD, 1, 3),
    _flag,
    _spoken,
    _command,
    _beside,
)
_CASES: tuple[Callable[[str], str], ...] = (str, str, str, str, str.lower, str.upper, str.swapcase)


def texts(count: int, *, seed: int) -> Iterator[str]:
    """Texts put together from secrets, near misses, boundaries and oddities."""
    rng = random.Random(seed)
    for _ in range(count):
        pieces = rng.choices(_PIECES, k=rng.randint(1, 4)) if rng.random() < 0.9 else [_link]
        glue = rng.choice(["", " ", " ", _noise(rng)])
        text = glue.join(piece(rng) for piece in pieces)
        text = rng.choice(_CASES)(text)
        if rng.random() < 0.1:
            text = text[rng.randint(0, 8) : rng.randint(8, 400)]
        yield text
