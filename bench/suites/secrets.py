"""Secrets of services that nobody wrote a rule for, and ordinary API answers beside them."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, NamedTuple

from bench.data import add_data_arguments, read_cases
from bench.report import progress, share
from mulligan.redaction import Hide, Redactor
from mulligan.redaction.scrub import scrub

Result = dict[str, Any]
Case = dict[str, Any]
SECRETS, ANSWERS = "third/secrets", "third/api_answers"
SECRET = "secret"
"""The form that counts: in the others a name, a link or a UUID passes for a secret."""
PARTS = ("seen", "held")
_HIDE = Hide.SECRETS
_LETTER, _DIGIT = re.compile(r"[A-Za-z]"), re.compile(r"[0-9]")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_data_arguments(parser)
    parser.add_argument("--kinds", choices=(*PARTS, "all"), default="all", help="seen or held")


def run(options: argparse.Namespace) -> Result:
    secrets = [case for case in read_cases(options, SECRETS) if _is_asked(options, case["kind"])]
    answers = read_cases(options, ANSWERS)
    answers = [case for case in answers if _is_asked(options, case["provider"])]
    with progress(2) as step:
        step("secrets")
        read = [_is_readable(case) for case in secrets if case.get("form") == SECRET]
        unfiltered = [_is_readable(case) for case in secrets if case.get("secret")]
        step("answers")
        strings = [shown for case in answers for shown in _show_body(case)]
    ids = [each for each in strings if each.is_id]
    return {
        "kinds": options.kinds,
        "n": len(read) + len(strings),
        "secrets": len(read),
        "readable": sum(read),
        "readable_share": share(read),
        "unfiltered": len(unfiltered),
        "unfiltered_readable_share": share(unfiltered),
        "ordinary": len(strings),
        "ordinary_changed_share": share([each.changed for each in strings]),
        "ids": len(ids),
        "ids_changed_share": share([each.changed for each in ids]),
        "alone_changed_share": share([_is_changed_alone(each.text) for each in strings]),
    }


def is_held(kind: str) -> bool:
    """Whether a kind of secret or a provider is held out: one in three, by nobody's choice."""
    return sha256(f"unseen {kind}".encode()).digest()[0] % 3 == 0


def _is_asked(options: argparse.Namespace, kind: str) -> bool:
    return options.kinds in ("all", PARTS[is_held(kind)])


def _is_readable(case: Case) -> bool:
    secret: str = case["secret"]
    return secret in scrub(case["text"], hide=_HIDE)


class _String(NamedTuple):
    """A string of an answer, and whether it is shown as it is."""

    text: str
    changed: bool

    @property
    def is_id(self) -> bool:
        """Letters and digits, no link, no words."""
        text = self.text
        mixed = _LETTER.search(text) and _DIGIT.search(text)
        return bool(mixed) and "://" not in text and " " not in text


def _show_body(case: Case) -> Iterator[_String]:
    """Every string of an answer of success, as it is shown under the names it has there."""
    if 200 <= int(case["status"]) < 300:
        redactor = Redactor(key=bytes(32), hide=_HIDE)
        yield from _compare(case["body"], redactor.redact_value(case["body"]))


def _compare(body: Any, shown: Any) -> Iterator[_String]:
    """String by string, in order: a name may be shown as a stub. What was cut is left out."""
    if isinstance(body, str):
        yield _String(body, body != shown)
    elif isinstance(body, dict | list):
        after = _list_inside(shown) if type(shown) is type(body) else [None] * len(body)
        for one, other in zip(_list_inside(body), after, strict=False):
            yield from _compare(one, other)


def _list_inside(value: Any) -> list[Any]:
    return list(value.values() if isinstance(value, dict) else value)


def _is_changed_alone(text: str) -> bool:
    """Whether it is changed where nothing says what it is."""
    return scrub(text, hide=_HIDE) != text
