"""Planted secrets: many kinds, in every place a call has, and how to look for them afterwards."""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple
from urllib.parse import quote, unquote

from mulligan.types.values import has_iban, has_luhn

_SEED_WORDS = (
    "abandon ability absent absorb abuse acid acoustic acquire actor actress adapt addict adjust"
    " admit advance aerobic affair afford agree airport aisle alarm album alcohol alley allow"
    " alpha already amateur amazing among amount anchor ancient anger angle animal ankle announce"
)
UPPER = string.ascii_uppercase + "234567"
ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


class Kind(NamedTuple):
    """A kind of secret."""

    name: str
    make: Callable[[random.Random], str]
    by_form: bool = True
    """It can be told from other text; else only its place or its name gives it away."""


def _of(prefix: str, chars: str, count: int) -> Callable[[random.Random], str]:
    return lambda rng: prefix + "".join(rng.choices(chars, k=count))


def _dotted(prefix: str, *counts: int) -> Callable[[random.Random], str]:
    return lambda rng: prefix + ".".join("".join(rng.choices(ALNUM + "_-", k=n)) for n in counts)


def _digits(count: int, *, first: str = "4") -> Callable[[random.Random], str]:
    return _of(first, string.digits, count - 1)


def _grouped(*counts: int, sep: str) -> Callable[[random.Random], str]:
    return lambda rng: sep.join("".join(rng.choices("123456789", k=n)) for n in counts)


def _card(rng: random.Random) -> str:
    return next(digits for digits in iter(lambda: _digits(16)(rng), None) if has_luhn(digits))


def _iban(rng: random.Random) -> str:
    account = _digits(18, first="3")(rng)
    return next(iban for check in range(2, 99) if has_iban(iban := f"DE{check:02d}{account}"))


def _pem(rng: random.Random) -> str:
    body = "\n".join("".join(rng.choices(ALNUM + "+/", k=64)) for _ in range(3))
    return f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----"


def _seed(rng: random.Random) -> str:
    return " ".join(rng.sample(_SEED_WORDS.split(), 12))


def _email(rng: random.Random) -> str:
    return f"{''.join(rng.choices(string.ascii_lowercase, k=9))}@mail.example.org"


def _login(rng: random.Random) -> str:
    return f"postgres://admin:{''.join(rng.choices(string.ascii_letters, k=11))}@db.example.org/x"


def _cookie(rng: random.Random) -> str:
    return f"Cookie: sid={''.join(rng.choices(ALNUM, k=14))}; theme=dark"


def _bearer(rng: random.Random) -> str:
    return f"Bearer {''.join(rng.choices(string.ascii_lowercase, k=16))}"


def _basic(rng: random.Random) -> str:
    pair = f"bob:{''.join(rng.choices(ALNUM, k=7))}"
    return f"Basic {base64.b64encode(pair.encode()).decode()}"


def _password(rng: random.Random) -> str:
    return f"{_of('', string.ascii_letters, 5)(rng)}{rng.randrange(10)}!{_of('', ALNUM, 6)(rng)}"


KINDS = (
    Kind("aws", _of("AKIA", UPPER, 16)),
    Kind("aws_secret", _of("", ALNUM + "+/", 40)),
    Kind("github", _of("ghp_", ALNUM, 36)),
    Kind("github_fine", _of("github_pat_", ALNUM + "_", 60)),
    Kind("gitlab", _of("glpat-", ALNUM + "-_", 20)),
    Kind("slack", _dotted("xoxb-", 40)),
    Kind("stripe", _of("sk_live_", ALNUM, 24)),
    Kind("stripe_hook", _of("whsec_", ALNUM, 32)),
    Kind("openai", _of("sk-proj-", ALNUM + "-_", 40)),
    Kind("anthropic", _of("sk-ant-api03-", ALNUM + "-_", 60)),
    Kind("google", _of("AIza", ALNUM + "-_", 35)),
    Kind("google_oauth", _of("ya29.", ALNUM + "-_", 60)),
    Kind("npm", _of("npm_", ALNUM, 36)),
    Kind("pypi", _of("pypi-AgEI", ALNUM, 50)),
    Kind("sendgrid", _dotted("SG.", 22, 43)),
    Kind("twilio", _of("SK", HEX, 32)),
    Kind("huggingface", _of("hf_", string.ascii_letters, 34)),
    Kind("vault", _of("hvs.", ALNUM, 24)),
    Kind("jwt", _dotted("eyJhbGciOiJIUzI1NiJ9.", 40, 32)),
    Kind("pem", _pem),
    Kind("hex", _of("", HEX, 40)),
    Kind("base64", _of("", ALNUM + "+/", 44)),
    Kind("card", _card),
    Kind("card_spaced", _grouped(4, 4, 4, 4, sep=" ")),
    Kind("card_dashed", _grouped(4, 4, 4, 4, sep="-")),
    Kind("ssn", _grouped(3, 2, 4, sep="-")),
    Kind("phone", _grouped(3, 3, 4, sep=".")),
    Kind("account", _digits(11, first="7"), by_form=False),
    Kind("iban", _iban),
    Kind("email", _email),
    Kind("login", _login),
    Kind("cookie", _cookie),
    Kind("bearer", _bearer),
    Kind("basic", _basic),
    Kind("seed", _seed),
    Kind("password", _password, by_form=False),
    Kind("word", _of("", string.ascii_lowercase, 10), by_form=False),
)


@dataclass
class Record:
    note: str


@dataclass(slots=True)
class SlottedRecord:
    note: str


class Pair(NamedTuple):
    left: str
    note: str


class Model:
    __pydantic_fields__ = ("note",)

    def __init__(self, note: str) -> None:
        self.note = note


class Told:
    """Its secret is in what it says of itself."""

    def __init__(self, note: str) -> None:
        self.note = note

    def __repr__(self) -> str:
        return self.note

    __str__ = __repr__


def nested(secret: str, depth: int) -> object:
    value: object = secret
    for level in range(depth):
        value = {"inner": value} if level % 2 else [value]
    return value


def in_base64(secret: str) -> str:
    return base64.b64encode(secret.encode()).decode()


def as_enum(secret: str) -> object:
    return Enum("Choice", {"ONE": secret}).ONE  # type: ignore[attr-defined]


VALUES: dict[str, Callable[[str], object]] = {
    "plain": lambda s: s,
    "in a sentence": lambda s: f"please use {s} for it",
    "at the start": lambda s: f"{s} is what he said",
    "at the end": lambda s: f"what he said is {s}",
    "in quotes": lambda s: f"he said '{s}' and \"{s}\"",
    "in brackets": lambda s: f"({s}) [{s}] <{s}>",
    "after a colon": lambda s: f"note: {s}",
    "on a line": lambda s: f"first\n{s}\nlast",
    **{f"nested {n}": lambda s, n=n: nested(s, n) for n in range(1, 7)},
    "list": lambda s: ["a", s],
    "tuple": lambda s: ("a", s),
    "set": lambda s: {s},
    "frozenset": lambda s: frozenset({s}),
    "dict value": lambda s: {"a": s},
    "dict key": lambda s: {s: 1},
    "dict key, nested": lambda s: {"a": [{s: {s: s}}]},
    "header": lambda s: {"headers": {"Authorization": s, "X-Other": s}},
    "json in a string": lambda s: json.dumps({"note": s, "list": [s]}),
    "json in json": lambda s: json.dumps(json.dumps({"note": s})),
    "url user": lambda s: f"https://{quote(s, safe='')}@example.com/",
    "url password": lambda s: f"https://bob:{quote(s, safe='')}@example.com/",
    "url query": lambda s: f"https://example.com/a?x=1&y={quote(s)}",
    "url fragment": lambda s: f"https://example.com/a#{quote(s)}",
    "under a secret name": lambda s: {"password": s},
    "named in a string": lambda s: f'password="{s}"',
    "named in a flag": lambda s: f"run --password '{s}'".replace("\n", " "),
    "in xml": lambda s: f"<token>{s}</token>",
    "after a name": lambda s: [("password", s), ["X-Api-Key", s]],
    "after a flag": lambda s: ["run", "--password", s, "-v"],
    "beside a name": lambda s: [{"name": "DB_PASSWORD", "value": s}, {"Value": s, "Key": "pin"}],
    "dataclass": Record,
    "dataclass with slots": SlottedRecord,
    "named tuple": lambda s: Pair("a", s),
    "pydantic": Model,
    "repr of an object": Told,
    "bytes": lambda s: s.encode(),
    "generator": lambda s: (c for c in [s]),
    "exception": lambda s: ValueError(s),
    "class name": lambda s: type(s.replace("\x00", ""), (), {})(),
}
"""Where a secret can stand in an argument or a result."""

BASE64 = "base64"
ENUM = "enum"
NUMBER = "number"
HIDES_ANYTHING = frozenset(
    {
        "under a secret name",
        "named in a string",
        "named in a flag",
        "in xml",
        "after a name",
        "after a flag",
        "beside a name",
        "url user",
        "url password",
        "url query",
        "url fragment",
        "repr of an object",
        "generator",
        "exception",
        "bytes",
    }
)
"""Places that promise to hide any text at all, in full capture too."""
SHOWS_NAMES = frozenset({"dict key", "dict key, nested", "class name"})
"""Places where a plain word is taken for the name it looks like."""


def pieces_of(secret: str) -> list[str]:
    """What must not be found: the secret, and each part of one that has several lines or words."""
    if secret.startswith("-----"):
        return secret.split("\n")[1:-1]
    for lead in ("Cookie: sid=", "Bearer ", "Basic "):
        if secret.startswith(lead):
            return [secret.removeprefix(lead).partition(";")[0]]
    if secret.startswith("postgres://admin:"):
        return [secret[len("postgres://admin:") :].partition("@")[0]]
    return [secret]


def found_in(output: str, secret: str) -> bool:
    """Look for a secret as it is, without its spaces, and once decoded."""
    views = {output, unquote(output), output.replace("\\", ""), _decoded(output)}
    for piece in pieces_of(secret):
        forms = {piece, quote(piece), json.dumps(piece)[1:-1], in_base64(piece).rstrip("=")[:-1]}
        if any(form in view for form in forms for view in views):
            return True
    return False


def _decoded(output: str) -> str:
    """Every run of the output that could be base64, decoded."""
    texts = []
    for run in "".join(c if c in ALNUM + "+/" else " " for c in output).split():
        for start in range(min(4, len(run))):
            body = run[start:]
            body = body[:-1] if len(body) % 4 == 1 else body
            texts.append(base64.b64decode(body + "=" * (-len(body) % 4)).decode("latin-1"))
    return "\n".join(texts)
