"""A judge that answers in text: an agent of any framework, or a function of the prompt."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from mulligan.codec.json_text import encode_json
from mulligan.codec.records import UndecodableError, describe_record, to_record
from mulligan.core.display.question import A, Prompt
from mulligan.judge.model import RE_ASKS, BoundedJudge, UnreadableAnswerError, Usage

AskText = Callable[[str], Awaitable[object]]
"""Answers a prompt: with JSON, what JSON says, or the answer itself. May tell what it took."""


class TextJudge(BoundedJudge):
    """Asks for JSON, says of which form, and reads it."""

    def __init__(self, ask_text: AskText, *, name: str = "", **about: Any) -> None:
        super().__init__(**about)
        self._ask_text = ask_text
        self.name = name

    async def _answer(self, prompt: Prompt, *, kind: type[A], usage: Usage) -> A:
        schema = encode_json(describe_record(kind)).decode()
        asked = (
            f"{prompt.instructions}\n\n{prompt.message}\n\n"
            f"Answer with one JSON object and nothing else. Its schema:\n\n{schema}"
        )
        for _ in range(1 + RE_ASKS):
            usage.requests += 1
            said = await self._ask_text(asked)
            if isinstance(said, kind):
                return said
            try:
                return to_record(kind, find_json(said))
            except (UndecodableError, ValueError, TypeError):
                continue
        raise UnreadableAnswerError


def find_json(said: object) -> object:
    """What was said as plain values; of a text the JSON object in it, with talk around or not."""
    if not isinstance(said, str):
        return said
    decoder = json.JSONDecoder()
    at = said.find("{")
    while at >= 0:
        try:
            found, _ = decoder.raw_decode(said, at)
        except (ValueError, RecursionError):
            at = said.find("{", at + 1)
        else:
            return found
    raise ValueError("there is no JSON object in it")
