"""What a name says about its value: a secret, a count of secrets, an id, or nothing."""

from __future__ import annotations

import re
import unicodedata
from enum import IntEnum
from functools import lru_cache

from mulligan_dates.text import separate_words


class Secrecy(IntEnum):
    """Whether a name gives its value away as a secret."""

    OPEN = 0
    HIDDEN = 1
    COUNT = 2
    """Hidden too, unless the value is a small number: `max_tokens`, `session_count`."""


ABROAD = (
    "kennwort|passwort|contrase[nñ]a|senha|wachtwoord|has[lł]o|l[oö]senord|heslo|parola|[sş]ifre"
    "|jelsz[oó]|salasana|adgangskode|lozinka|geslo|m[aậ]t kh[aẩ]u|סיסמה|كلمة المرور|κωδικός|пароль"
    "|密码|密碼|パスワード|비밀번호"
)
"""Words for a password in other languages."""
_KEYS_OF = (
    "api|app|access|account|admin|aes|auth|client|consumer|crypt|customer|decryption|deploy|encrypt"
    "|encryption|function|gpg|host|license|master|pgp|root|rsa|server|service|shared|sign|signing"
    "|ssh|storage|subscription|symmetric|webhook|wrapping"
)

# Held against the name without separators, in lower case: `X-Api-Key` is `xapikey`.
_STEMS = re.compile(
    r"passw|passphrase|passcode|passkey|pwd|secret(?!ar)|token(?!i[sz])"
    r"|auth(?!or(?!i[sz]))|cookie|(?<!ob)(?<!pos)session|sessid|credential|private|bearer|jwt"
    r"|signature|mnemonic|csrf|xsrf|cvv|hmac|totp|passport|socialsecurity|kennwort|contrasena"
    r"|motdepasse|wachtwoord|pswd|privkey|presharedkey|wpapsk|(?:verification|security|onetime|unlock)code|securityanswer"
    r"|(?:credit|debit|bank)card|cardn(?:o|um)|cardholder|seed(?:phrase|words)"
    r"|recovery(?:phrase|code|key|words)|backupcode|(?:account|routing)n(?:o$|um)|sortcode|taxid"
    rf"|apikey|accesskey|(?:{_KEYS_OF})keys?(?:$|id|value|secret|base64|pem)"
)

# Too short or too common inside other words (`mapping`, `className`, `discard`): whole words only.
_SECRETS = (
    "2fa adgangskode apikey card cards cred creds cvc cvn geslo heslo iban ibans jelszo"
    " losenord lozinka mfa otp parola pass pem pin pins psk pw salasana seed senha session"
    " sessions sid sifre sig ssn"
)
_WORDS = frozenset(_SECRETS.split())
_COUNTS = (
    "attempts budget count counts duration len length limit limits minutes ms seconds size"
    " timeout ttl usage"
)
_COUNTING = frozenset(_COUNTS.split())
_SEPARATORS = re.compile(r"[^a-z0-9]+")
_LONGEST_NAME = 200
_LONGEST_WORD = 60


def _fold_accents(name: str) -> str:
    """Without accents, and in the plain form of wide and ornamental letters."""
    parts = unicodedata.normalize("NFKD", name)
    return "".join(c for c in parts if not unicodedata.combining(c))


# Names that are not in Latin letters, folded as those are that are held against them.
_OTHER_SCRIPTS = re.compile(_fold_accents("парол|密码|密碼|パスワード|비밀번호|hasł|סיסמ|κωδικ"))


def classify_name(name: str) -> Secrecy:
    """Judge the name of a field, a parameter or a header, in any case and any spelling."""
    name = name[-_LONGEST_NAME:]
    if not name.isascii():
        name = _fold_accents(name)
        if _OTHER_SCRIPTS.search(name.lower()):
            return Secrecy.HIDDEN
    words = [
        word.rstrip("0123456789")
        for word in _SEPARATORS.split(separate_words(name, by="_").lower())
        if word
    ]
    # `PassWord` and `passWORD` are not split as their author meant: the plain form is tried too.
    plain = _SEPARATORS.sub("", name.lower())
    secret = _STEMS.search(plain) or not _WORDS.isdisjoint(words) or plain in _WORDS
    if not secret:
        return Secrecy.OPEN
    if words and (words[-1] in _COUNTING or words[-1] == "seed" or "tokens" in words):
        return Secrecy.COUNT
    return Secrecy.HIDDEN


_classify = lru_cache(maxsize=2048)(classify_name)


def classify_if_name(name: str) -> Secrecy:
    """Judge a string that may be a name; what is too long for one, or a sentence, is none."""
    if len(name) > _LONGEST_WORD or " " in name or "=" in name:
        return Secrecy.OPEN
    return _classify(name)


_REPORTS = re.compile(
    r"(?:error|exception|expired|failed|failure|warning|denied|missing|required|invalid"
    r"|not_?found|unauthori[sz]ed|unauthenticated)\Z",
    re.IGNORECASE | re.ASCII,
)


def classify_in_prose(name: str) -> Secrecy:
    """Judge a name before a colon in prose, where `AuthError: no such user` hides nothing."""
    return Secrecy.OPEN if _REPORTS.search(name) else classify_name(name)


_FIELD = re.compile(r"(?=.{1,40}\Z)[A-Za-z_.-]+[0-9]{0,2}\Z|[0-9]{1,4}\Z")


def looks_like_field(name: str) -> bool:
    """Whether a key is the name of a field rather than data used as a key."""
    return _FIELD.match(name) is not None


_OBJECTS = (
    "id ids uid uids uuid uuids guid guids oid hash hashes sha sha1 sha256 sha512 md5 digest"
    " digests checksum checksums etag etags commit commits revision fingerprint ref refs cursor"
    " self href path"
)
_IDS = frozenset(_OBJECTS.split())


def names_ids(name: str) -> bool:
    """Whether a field holds what names an object: `id`, `eventId`, `NodeID`, `pdf_hash`, `href`."""
    return _SEPARATORS.split(separate_words(name, by="_").lower())[-1] in _IDS


_PHONES = re.compile(
    r"phone|mobile|telefon|msisdn|whatsapp|\Atel\Z|[_-]tel\Z|\A(?:fax|handy|cell)\Z", re.IGNORECASE
)


def names_phone(name: str) -> bool:
    """Whether a field holds phone numbers, which have no form without signs between them."""
    return _PHONES.search(name) is not None
