"""The same eight checks as validators of guardrails-ai, plain: no Markdown, no inflection."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import partial
from typing import Any

# Nothing is sent to anybody: what is measured is validation, not reporting on it.
os.environ["OTEL_SDK_DISABLED"] = "true"

from guardrails import Guard
from guardrails.settings import settings
from guardrails.validators import FailResult, PassResult, Validator, register_validator

from bench.workers.protocol import serve
from bench.workers.text_block import text_block

Look = Callable[[str], bool]
"""Whether a text is as it should be."""

RETIRED = ("digital transformation", "ai prompt optimization")
UNWANTED = re.compile(r"\b(delve|tapestry|landscape of|realm of|testament to)\b", re.IGNORECASE)
PRICE = re.compile(r"[$€£]\s?\d|\b(price|pricing|cost|fee)s?\b", re.IGNORECASE)
ACTION = re.compile(r"\b(consultation|contact|reach out|schedule)", re.IGNORECASE)
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
ITEM = re.compile(r"^\s*(?:[-*+]|\d+\.)\s", re.MULTILINE)


def _follow_ups(text: str) -> bool:
    _, heading, section = text.lower().partition("might also want to know")
    return bool(heading) and section.count("?") >= 3


def _grounded(text: str, context: str) -> bool:
    known = set(NUMBER.findall(context))
    return all(number in known for number in NUMBER.findall(text) if len(number) > 1)


def _structured(text: str) -> bool:
    listed = len(text) <= 500 or ITEM.search(text) is not None
    return listed and all(len(part) <= 800 for part in text.split("\n\n") if not ITEM.match(part))


CHECKS: dict[str, Look] = {
    "too_short": lambda text: len(text.strip()) >= 20,
    "follow_ups": _follow_ups,
    "too_long": lambda text: len(text) <= 2_500,
    "retired_terms": lambda text: not any(term in text.lower() for term in RETIRED),
    "unwanted_words": lambda text: UNWANTED.search(text) is None,
    "call_to_action": lambda text: not PRICE.search(text) or bool(ACTION.search(text)),
    "structure": _structured,
}


@register_validator(name="bench/grounded", data_type="string")
class Grounded(Validator):
    def _validate(self, value: Any, metadata: dict[str, Any]) -> PassResult | FailResult:
        if _grounded(value, metadata["context"]):
            return PassResult()
        return FailResult(error_message="grounded")


def _validator(name: str, look: Look) -> Validator:
    @register_validator(name=f"bench/{name}", data_type="string")
    class Looks(Validator):
        def _validate(self, value: Any, metadata: dict[str, Any]) -> PassResult | FailResult:
            del metadata
            if look(value):
                return PassResult()
            return FailResult(error_message=name)

    return Looks(on_fail="noop")


def main() -> None:
    settings.rc.enable_metrics = False
    plain = [_validator(name, look) for name, look in CHECKS.items()]
    guard = Guard().use(*plain, Grounded(on_fail="noop"))

    def check(text: str, context: str) -> set[str]:
        outcome = guard.validate(text, metadata={"context": context})
        return {summary.failure_reason for summary in outcome.validation_summaries or []}

    serve({"check": partial(text_block, check)}, packages=["guardrails-ai"])


main()
