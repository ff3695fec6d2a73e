"""How much of what stands in a text is hidden, by class."""

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
