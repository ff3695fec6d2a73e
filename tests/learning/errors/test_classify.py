from __future__ import annotations

import asyncio
import socket
import ssl
from datetime import timedelta

import pytest

from mulligan.core.call import Call
from mulligan.core.error_class import ErrorClass
from mulligan.core.errors import ConflictError
from mulligan.core.suggestion import ErrorRule
from mulligan.learning.errors.classify import build_classifier, classify

CALL = Call(id="1", tool="find")


class HttpError(Exception):
    def __init__(self, status: int, **headers: str) -> None:
        super().__init__(f"HTTP {status}")
        self.response = type("Response", (), {"status_code": status, "headers": headers})()


class CodedError(Exception):
    def __init__(self, code: object) -> None:
        super().__init__("no")
        self.code = code


class ConnectTimeout(TimeoutError):
    """As httpx and requests name it: the connection was never made."""


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (HttpError(400), ErrorClass.VALIDATION),
        (HttpError(401), ErrorClass.AUTH),
        (HttpError(403), ErrorClass.POLICY),
        (HttpError(404), ErrorClass.MISSING),
        (HttpError(410), ErrorClass.MISSING),
        (HttpError(409), ErrorClass.CONFLICT),
        (HttpError(412), ErrorClass.CONFLICT),
        (HttpError(422), ErrorClass.VALIDATION),
        (HttpError(429), ErrorClass.RATE_LIMIT),
        (HttpError(500), ErrorClass.AMBIGUOUS),
        (HttpError(503), ErrorClass.AMBIGUOUS),
        (CodedError(-32602), ErrorClass.VALIDATION),
        (CodedError("E42"), ErrorClass.TOOL_EXCEPTION),
        (CodedError(True), ErrorClass.TOOL_EXCEPTION),
        (TimeoutError("slow"), ErrorClass.AMBIGUOUS),
        (ConnectionResetError(), ErrorClass.AMBIGUOUS),
        (BrokenPipeError(), ErrorClass.AMBIGUOUS),
        (asyncio.CancelledError(), ErrorClass.AMBIGUOUS),
        (KeyboardInterrupt(), ErrorClass.AMBIGUOUS),
        (ConnectionRefusedError(), ErrorClass.NOT_SENT),
        (socket.gaierror("no such host"), ErrorClass.NOT_SENT),
        (ssl.SSLCertVerificationError("expired"), ErrorClass.NOT_SENT),
        (ConnectTimeout(), ErrorClass.NOT_SENT),
        (PermissionError("no"), ErrorClass.POLICY),
        (ConflictError("it is at v3"), ErrorClass.CONFLICT),
        (FileNotFoundError("x"), ErrorClass.MISSING),
        (ValueError("bad day"), ErrorClass.TOOL_EXCEPTION),
        (KeyError("id"), ErrorClass.TOOL_EXCEPTION),
    ],
)
def test_an_error_is_classed_by_its_code_and_then_its_type(
    error: BaseException, expected: ErrorClass
) -> None:
    assert classify(CALL, error).error_class is expected


def test_a_503_that_says_when_to_come_back_is_a_rate_limit() -> None:
    failure = classify(CALL, HttpError(503, **{"Retry-After": "7"}))

    assert failure.error_class is ErrorClass.RATE_LIMIT
    assert failure.retry_after == timedelta(seconds=7)


def test_a_wait_of_any_size_is_no_trouble() -> None:
    error = CodedError(429)
    error.retry_after = 10**400

    assert classify(CALL, error).retry_after is None


@pytest.mark.parametrize("said", ["soon", "Wed, 21 Oct 2026 07:28:00 GMT", "-3", "nan", "1e30"])
def test_a_wait_that_makes_no_sense_is_no_wait(said: str) -> None:
    assert classify(CALL, HttpError(429, **{"Retry-After": said})).retry_after is None


def test_the_users_own_rules_are_asked_first() -> None:
    rules = (
        ErrorRule(says="sold out", error_class=ErrorClass.POLICY, tool="other"),
        ErrorRule(says="sold out", pattern="sold out"),
        ErrorRule(says="^ValueError: .*sold out", error_class=ErrorClass.RULE),
    )
    classified = build_classifier(rules)

    assert classified(CALL, ValueError("it is sold out")).error_class is ErrorClass.RULE
    assert classified(CALL, HttpError(404)).error_class is ErrorClass.MISSING
