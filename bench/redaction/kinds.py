"""Kinds of secrets, each told by a form of its own or by the words around it."""

from __future__ import annotations

import base64
import random
import re
import string
from collections.abc import Callable, Mapping
from typing import NamedTuple

ALNUM = string.ascii_letters + string.digits
_ALPHABETS: Mapping[str, str] = {
    "A": ALNUM,
    "B": ALNUM + "+/",
    "H": "0123456789abcdef",
    "C": "0123456789ABCDEFGHJKMNPQRSTVWXYZ",
    "K": "023456789acdefghjklmnpqrstuvwxyz".upper(),
    "L": string.ascii_letters,
    "U": string.ascii_uppercase + "234567",
    "W": ALNUM + "_-",
    "Z": ALNUM + "_.~-",
    "d": string.digits,
    "l": string.ascii_lowercase,
    "n": "123456789",
}
_SLOT = re.compile(r"\{([A-Za-z])(\d+)\}")
_TEXT = (
    "legal winner thank wave sausage worth useful yellow letter advice cage absurd amount doctor"
    " acoustic avoid zoo abandon vessel ladder lunar ozone panda quilt rocket salon tuna unveil"
)
_WORDS = _TEXT.split()


class Planted(NamedTuple):
    """A secret as it stands in a text."""

    before: str
    secret: str
    after: str = ""


class Kind(NamedTuple):
    """A kind of secret."""

    name: str
    make: Callable[[random.Random], Planted]


def fill(form: str, chance: random.Random) -> str:
    """A text of a form: `{H32}` is 32 hex digits."""
    return _SLOT.sub(
        lambda slot: "".join(chance.choices(_ALPHABETS[slot[1]], k=int(slot[2]))), form
    )


def _of(form: str, *, before: str = "", after: str = "") -> Callable[[random.Random], Planted]:
    return lambda chance: Planted(fill(before, chance), fill(form, chance), fill(after, chance))


FORMS: Mapping[str, str] = {
    "aws access": "AKIA{U16}", "aws session": "ASIA{U16}", "aws secret": "{B20}9{B19}",
    "github classic": "ghp_{A36}", "github oauth": "gho_{A36}", "github server": "ghs_{A36}",
    "github fine": "github_pat_{A22}_{A59}", "gitlab": "glpat-{W20}",
    "gitlab runner": "GR1348941{A20}",
    "gitlab deploy": "gldt-{W20}", "slack bot": "xoxb-{d12}-{d12}-{A24}",
    "slack user": "xoxp-{d12}-{d12}-{d12}-{H32}", "slack app": "xapp-1-A{U10}-{d13}-{H64}",
    "stripe": "sk_live_{A24}",
    "stripe restricted": "rk_live_{A24}", "stripe hook": "whsec_{A32}", "openai": "sk-{A48}",
    "openai project": "sk-proj-{W64}", "anthropic": "sk-ant-api03-{W80}", "google": "AIza{W35}",
    "google oauth": "ya29.{W60}", "google client": "GOCSPX-{W28}", "npm": "npm_{A36}",
    "pypi": "pypi-AgEI{W60}", "rubygems": "rubygems_{H48}", "sendgrid": "SG.{W22}.{W43}",
    "mailgun": "key-{H32}", "mailchimp": "{H31}7-us12", "twilio": "SK{H32}",
    "twilio account": "AC{H32}",
    "huggingface": "hf_{L34}", "vault": "hvs.{A24}", "digitalocean": "dop_v1_{H64}",
    "shopify": "shpat_{H32}", "square": "sq0atp-{W22}", "linear": "lin_api_{A40}",
    "docker": "dckr_pat_{W27}", "figma": "figd_{W40}", "tailscale": "tskey-auth-{A12}-{A24}",
    "postman": "PMAK-{H24}-{H34}", "nvidia": "nvapi-{W60}", "perplexity": "pplx-{A48}",
    "groq": "gsk_{A52}", "xai": "xai-{A80}", "telegram": "{d10}:AA7{W32}",
    "discord": "M{A22}4.{W6}.5{W26}", "databricks": "dapi{H32}", "newrelic": "NRAK-{U27}",
    "datadog": "{H31}b", "okta": "00{A19}7{A20}", "azure client": "{A3}8Q~{Z34}",
    "azure storage": "{B40}3{B45}==", "age": "AGE-SECRET-KEY-1{K58}", "wireguard": "{B20}5{B22}=",
    "bitcoin": "5{A50}", "ethereum": "0x{H64}", "xprv": "xprv9{A106}", "hex of 40": "{H39}c",
    "hex of 64": "{H63}d", "base64 of 32": "{B30}6{B12}=", "base64url of 32": "{W30}8{W12}",
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJ{W40}.{W43}", "email": "{l7}.{l6}@mail.example.org",
    "email with a tag": "{l6}+{l4}@{l6}.co.uk", "phone, american": "{n3}-{n3}-{n4}",
    "phone, american, bracketed": "({n3}) {n3}-{n4}", "phone, german mobile": "017{n1}/{n7}",
    "phone, german landline": "030 {n7}", "phone, german abroad": "+49 (0) 17{n1} {n7}",
    "phone, german dashed": "0{n3}-{n6}", "phone, british": "07{n3} {n6}",
    "phone, french": "06 {n2} {n2} {n2} {n2}", "phone, french dotted": "06.{n2}.{n2}.{n2}.{n2}",
    "phone, international": "+{n2} {n3} {n3} {n4}", "phone, unbroken": "+49170{n7}",
    "phone, swiss": "079 {n3} {n2} {n2}", "ssn": "{n3}-{n2}-{n4}", "nino": "AB {d2} {d2} {d2} C",
    "codice fiscale": "RSSMRA{d2}A{d2}H{d3}S", "nir": "1 {d2} 0{n1} {n2} {d3} {d3} {d2}",
}  # fmt: skip
"""Forms that tell a secret wherever it stands."""

NAMED: Mapping[str, tuple[str, str, str]] = {
    "password": ("password=", "{A5}!{A6}", " user=bob"),
    "password in words": ("password=", "{l5} {l6} {l7} {l5}", ""),
    "password in quotes": ('{"password": "', "{l5} {A6}", '", "n": 1}'),
    "password, german": ("Kennwort: ", "{l4}{d3}{l4}", ""),
    "api key": ("api_key: ", "{l9}{d3}", ", then"),
    "client secret": ('"client_secret": "', "{A14}", '"}'),
    "cookie": ("Cookie: sid=", "{A14}", "; theme=dark"),
    "bearer": ("Authorization: Bearer ", "{l16}", ""),
    "basic": ("curl -H 'Authorization: Basic ", "{A17}4==", "'"),
    "login of a database": ("postgres://admin:", "{A11}", "@db.example.org/x"),
    "login of a page": ("https://bob:", "{A10}", "@example.org/a"),
    "login of a cache": ("redis://:", "{A16}", "@cache:6379/0"),
    "azure account": ("AccountName=x;AccountKey=", "{B40}7{B45}==", ";EndpointSuffix=core"),
    "signed link": ("https://x.blob.example/a?sv=2024&sig=", "{A30}", ""),
    "flag": ("deploy --token ", "{l12}", " --dry-run"),
    "curl": ("curl -u bob:", "{A9}", " https://example.org"),
    "said": ("the password is ", "{l4}{d3}{L4}x", " now"),
    "sql": ("CREATE USER bob IDENTIFIED BY '", "{A10}", "'"),
    "xml": ("<password>", "{A10}", "</password>"),
    "phone by its name": ("phone: ", "{n10}", ""),
    "account by its name": ("account number ", "{n11}", ""),
    "slack hook": ("https://hooks.slack.com/services/T{U8}/B{U8}/", "4{A23}", ""),
    "pin": ("pin=", "{d4}73", ""),
}
"""What only its name gives away: before it, the secret, after it."""


def _make_card(form: str) -> Callable[[random.Random], Planted]:
    """A card of that form whose last digit checks the others."""

    def make(chance: random.Random) -> Planted:
        text = fill(form, chance)
        digits = [int(each) for each in text if each.isdigit()]
        doubled = [
            d * 2 - 9 * (d > 4) if place % 2 else d for place, d in enumerate(digits[::-1], 1)
        ]
        return Planted("", f"{text}{-sum(doubled) % 10}")

    return make


def _make_iban(country: str, form: str, *, gap: str = "") -> Callable[[random.Random], Planted]:
    def make(chance: random.Random) -> Planted:
        body = fill(form, chance)
        number = int("".join(str(int(each, 36)) for each in f"{body}{country}00"))
        account = f"{country}{98 - number % 97:02d}{body}"
        groups = [account[place : place + 4] for place in range(0, len(account), 4)]
        return Planted("", gap.join(groups))

    return make


def _make_pem(label: str) -> Callable[[random.Random], Planted]:
    def make(chance: random.Random) -> Planted:
        body = "\n".join(fill("{B64}", chance) for _ in range(3))
        return Planted("", f"-----BEGIN {label}-----\n{body}\n-----END {label}-----")

    return make


def _make_seed(words: int) -> Callable[[random.Random], Planted]:
    return lambda chance: Planted("", " ".join(chance.sample(_WORDS, words)))


def _make_pairs(count: int, sign: str) -> Callable[[random.Random], Planted]:
    return lambda chance: Planted("", sign.join(fill("{H2}", chance) for _ in range(count)))


def _make_basic(chance: random.Random) -> Planted:
    pair = fill("bob:{A9}", chance).encode()
    return Planted("Basic ", base64.b64encode(pair).decode())


def _make_cpf(chance: random.Random) -> Planted:
    digits = [int(each) for each in fill("{n9}", chance)]
    for size in (9, 10):
        total = sum(digit * (size + 1 - place) for place, digit in enumerate(digits))
        digits.append(total * 10 % 11 % 10)
    text = "".join(map(str, digits))
    return Planted("", f"{text[:3]}.{text[3:6]}.{text[6:9]}-{text[9:]}")


def _make_dni(chance: random.Random) -> Planted:
    number = fill("{n8}", chance)
    return Planted("", f"{number}{'TRWAGMYFPDXBNJZSQVHLCKE'[int(number) % 23]}")


BUILT: Mapping[str, Callable[[random.Random], Planted]] = {
    "card": _make_card("4{d14}"),
    "card in groups": _make_card("5{d3} {d4} {d4} {d3}"),
    "card with dashes": _make_card("37{d2}-{d6}-{d4}"),
    "card with slashes": _make_card("6{d3}/{d4}/{d4}/{d3}"),
    "iban, german": _make_iban("DE", "{d18}"),
    "iban, british": _make_iban("GB", "WEST{d14}", gap=" "),
    "iban, french": _make_iban("FR", "{d10}{U8}{d5}"),
    "pem, rsa": _make_pem("RSA PRIVATE KEY"),
    "pem, ec": _make_pem("EC PRIVATE KEY"),
    "pem, openssh": _make_pem("OPENSSH PRIVATE KEY"),
    "pgp": _make_pem("PGP PRIVATE KEY BLOCK"),
    "seed of 12": _make_seed(12),
    "seed of 24": _make_seed(24),
    "hex with colons": _make_pairs(16, ":"),
    "hex with colons, long": _make_pairs(32, ":"),
    "hex with dashes": _make_pairs(20, "-"),
    "basic header": _make_basic,
    "cpf": _make_cpf,
    "dni": _make_dni,
}

KINDS: tuple[Kind, ...] = (
    *(Kind(name, _of(form)) for name, form in FORMS.items()),
    *(Kind(name, _of(form, before=a, after=b)) for name, (a, form, b) in NAMED.items()),
    *(Kind(name, make) for name, make in BUILT.items()),
)
