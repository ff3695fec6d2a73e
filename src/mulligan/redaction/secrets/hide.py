"""How much of what stands in a text is hidden, by class and by rule."""

from __future__ import annotations

from enum import StrEnum


class Hide(StrEnum):
    """What is taken out of text that stays readable; each hides what those before it hide."""

    SECRETS = "secrets"
    """What opens something or pays: passwords, keys, tokens, cards, queries of links."""
    PERSONAL = "personal"
    """People too: e-mail addresses, phone numbers, bank accounts, national ids."""
    ALL = "all"
    """Whatever might be either: UUIDs, ids, digests, network addresses, every long number."""

    def covers(self, other: Hide) -> bool:
        """Whether all that `other` hides is hidden."""
        return _ORDER[self] >= _ORDER[other]


_ORDER = {each: place for place, each in enumerate(Hide)}

# The rules, a bit each. They stand apart from their patterns, which are loaded for the first text
# that one of them may apply to: most applications never meet one.
(
    XML,
    PEM,
    URL,
    QUERY,
    PAIRS,
    FLAG,
    SCHEME,
    VENDOR,
    EMAIL,
    ENCODED_EMAIL,
    IBAN,
    TOKEN,
    NUMBER,
    SEED,
    SPOKEN,
    COMMAND,
    TUPLE,
    BESIDE,
    AZURE,
    HEX,
    PERSON,
) = (1 << n for n in range(21))
