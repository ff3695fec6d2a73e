from __future__ import annotations

import asyncio
import socket
import ssl
from datetime import timedelta

import pytest

from mulligan.learning.classify import build_classifier, classify
from mulligan.types.call import Call
from mulligan.types.errors import ConflictError, NothingDone
from mulligan.types.failure import ErrorClass
from mulligan.types.lesson import ErrorRule

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
def test_an_error_is_classed_by_its_code_and_then_its_type(error, expected) -> None:
    assert classify(CALL, error).error_class is expected


class KeptError(Exception):
    """As libraries of clouds, databases and models keep what was answered."""

    def __init__(self, **kept: object) -> None:
        super().__init__("no")
        self.__dict__.update(kept)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (KeptError(response={"Error": {"Code": "ThrottlingException"}}), ErrorClass.RATE_LIMIT),
        (KeptError(status_code=403, body={"reason": "rateLimitExceeded"}), ErrorClass.RATE_LIMIT),
        (KeptError(status_code=404, body={"type": "invalid_request_error"}), ErrorClass.MISSING),
        (KeptError(sqlstate="23505"), ErrorClass.CONFLICT),
        (KeptError(error=type("Data", (), {"code": -32602})()), ErrorClass.VALIDATION),
        # What was never sent is the transport's to say, for it is taken as proof.
        (KeptError(code="ECONNREFUSED"), ErrorClass.TOOL_EXCEPTION),
    ],
)
def test_the_code_in_a_remotes_answer_says_more_than_its_status(error, expected) -> None:
    assert classify(CALL, error).error_class is expected


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ValueError("time data 'today' does not match format '%Y'"), ErrorClass.VALIDATION),
        (ValueError("unconverted data remains: :00Z"), ErrorClass.VALIDATION),
        (TypeError("could not convert 'today'"), ErrorClass.VALIDATION),
        (ValueError("day must be in the form YYYY-MM-DD"), ErrorClass.VALIDATION),
        (ValueError("invalid value for 'from': must be a date"), ErrorClass.VALIDATION),
        # The remote's own value is malformed; the same call may well work.
        (ValueError("time data 'Tuesday' does not match format '%Y'"), ErrorClass.TOOL_EXCEPTION),
        (ValueError("unconverted data remains: :30Z"), ErrorClass.TOOL_EXCEPTION),
        (ValueError("today it is raining"), ErrorClass.TOOL_EXCEPTION),
    ],
)
def test_a_plain_error_about_the_form_of_an_argument_is_validation(error, expected) -> None:
    call = Call(id="1", tool="find", arguments={"day": "today", "from": "2026-05-01 10:00:00Z"})

    failure = classify(call, error)

    assert failure.error_class is expected
    assert not failure.by_words


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        # Of no argument of the call, though a word begins or ends like one.
        (ValueError("daylight must be a number"), ErrorClass.VALIDATION),
        (ValueError("the answer's day must be a date"), ErrorClass.VALIDATION),
        (RuntimeError("'today' is invalid"), ErrorClass.VALIDATION),
        (RuntimeError("403 Forbidden"), ErrorClass.POLICY),
        (Exception("order 17 not found"), ErrorClass.MISSING),
        (OSError("connection refused"), ErrorClass.NOT_SENT),
    ],
)
def test_a_plain_error_has_the_class_of_its_words_which_prove_nothing(error, expected) -> None:
    call = Call(id="1", tool="find", arguments={"day": "today"})

    failure = classify(call, error)

    assert failure.error_class is expected
    assert failure.by_words


@pytest.mark.parametrize(
    "error",
    [
        KeyError("id"),
        AttributeError("the order must be a list"),
        MemoryError("cannot allocate 3 GB"),
        OSError(28, "No space left on device"),
        ZeroDivisionError("division by zero"),
    ],
)
def test_what_breaks_in_a_tools_own_code_is_its_exception_whatever_it_says(error) -> None:
    failure = classify(CALL, error)

    assert failure.error_class is ErrorClass.TOOL_EXCEPTION
    assert not failure.by_words


@pytest.mark.parametrize(
    ("cause", "expected"),
    [(HttpError(422), ErrorClass.VALIDATION), (KeyError("id"), ErrorClass.TOOL_EXCEPTION)],
)
def test_arguments_that_a_host_would_not_take_are_not_sent_again(cause, expected) -> None:
    refused = NothingDone("It was not called.")
    refused.__cause__ = cause

    assert classify(CALL, refused).error_class is expected


def test_a_503_that_says_when_to_come_back_is_a_rate_limit() -> None:
    failure = classify(CALL, HttpError(503, **{"Retry-After": "7"}))

    assert failure.error_class is ErrorClass.RATE_LIMIT
    assert failure.retry_after == timedelta(seconds=7)


@pytest.mark.parametrize(
    "said", ["soon", "Wed, 21 Oct 2026 07:28:00 GMT", "-3", "nan", "1e30", 10**400]
)
def test_a_wait_that_makes_no_sense_is_no_wait(said: object) -> None:
    assert classify(CALL, HttpError(429, **{"Retry-After": said})).retry_after is None
    kept = CodedError(429)
    kept.retry_after = said
    assert classify(CALL, kept).retry_after is None


def test_the_users_own_rules_are_asked_first() -> None:
    rules = (
        ErrorRule(says="sold out", error_class=ErrorClass.POLICY, tool="other"),
        ErrorRule(says="sold out", pattern="sold out"),
        ErrorRule(says="^ValueError: .*sold out", error_class=ErrorClass.RULE),
    )
    classified = build_classifier(rules)

    assert classified(CALL, ValueError("it is sold out")).error_class is ErrorClass.RULE
    assert classified(CALL, HttpError(404)).error_class is ErrorClass.MISSING
