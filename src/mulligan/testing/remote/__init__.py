"""A remote that can be proven against, and that is no better behaved than real ones.

Versions, keys and conditions; answers that are lost, late, doubled, or sound like a refusal of
what took effect; readers that lag behind or may not see; and people who edit meanwhile.

It lives in one file, an append-only ledger of everything that ever took effect, so that it
survives any death of the program under test and another process can count what really happened.
"""

from __future__ import annotations

from mulligan.testing.remote.book import Effected, Item
from mulligan.testing.remote.fault import AFTER_EFFECT, Fault, RemoteError
from mulligan.testing.remote.remote import ANYBODY, READS, FakeRemote

__all__ = [
    "AFTER_EFFECT",
    "ANYBODY",
    "READS",
    "Effected",
    "FakeRemote",
    "Fault",
    "Item",
    "RemoteError",
]
