"""Writes that are made again with the same key: done once, and answered as the first time."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Awaitable, Callable
from datetime import timedelta

from mulligan.core.action import Kept
from mulligan.core.interfaces import Clock, Vault
from mulligan.gateway.api.problems import ProblemError, ProblemKind

LIFE = timedelta(hours=24)
OWNER = "http-api"
"""Whose the answers are in the vault, where they lie until their life is over."""
_KEY = re.compile(r"[\x21-\x7e]{1,200}")


class RepeatedWrites:
    """What was answered under each key, kept with the store: also over a restart."""

    def __init__(self, vault: Vault, *, clock: Clock) -> None:
        self._vault = vault
        self._clock = clock
        self._under_way: set[str] = set()

    async def answer_once(
        self, key: str, *, whose: str, body: bytes, work: Callable[[], Awaitable[bytes]]
    ) -> tuple[bytes, bool]:
        """The answer, and whether it is one that was given before.

        `whose` is who asks and what for: keys of others are other keys.
        """
        if not key:
            return await work(), False
        if not _KEY.fullmatch(key):
            raise ProblemError(
                ProblemKind.UNREADABLE, "Idempotency-Key: up to 200 characters, no blanks."
            )
        name = hashlib.sha256(f"{whose}\0{key}".encode()).hexdigest()
        digest = hashlib.sha256(body).digest()
        if name in self._under_way:
            raise ProblemError(ProblemKind.IN_PROGRESS, "Ask again in a moment.", retry_after=1)
        self._under_way.add(name)
        try:
            found = await asyncio.to_thread(self._vault.get, OWNER, name)
            if found is not None:
                if found[: len(digest)] != digest:
                    raise ProblemError(ProblemKind.OTHER_BODY, "Use a new key for a new request.")
                return found[len(digest) :], True
            answer = await work()
            kept = Kept(
                owner=OWNER, name=name, value=digest + answer, expires_at=self._clock() + LIFE
            )
            await asyncio.to_thread(self._vault.put, kept)
            return answer, False
        finally:
            self._under_way.discard(name)
