from __future__ import annotations

import subprocess

from mulligan.learning.error_details import read_exception


class KeptError(Exception):
    def __init__(self, said: str = "no", **kept: object) -> None:
        super().__init__(said)
        self.__dict__.update(kept)


class RpcError(Exception):
    """As grpc's: its code is a method."""

    __module__ = "grpc"

    def code(self) -> object:
        return type("StatusCode", (), {"name": "NOT_FOUND"})()


class MethodError(Exception):
    def code(self) -> object:
        raise AssertionError("a stranger's method is not called")


def test_the_parts_that_libraries_keep_are_found() -> None:
    body = {"error": {"code": "insufficient_quota", "message": "none left", "param": "model"}}
    cloud = {"Error": {"Code": "ThrottlingException"}, "ResponseMetadata": {"HTTPStatusCode": 400}}
    ended = subprocess.CalledProcessError(3, "ls")

    assert read_exception(KeptError(body=body)).code == "insufficient_quota"
    assert read_exception(KeptError(body=body)).path == "model"
    assert read_exception(KeptError(response=cloud)).code == "ThrottlingException"
    assert read_exception(KeptError(sqlstate="23505")).code == "23505"
    assert read_exception(RpcError()).code == "NOT_FOUND"
    assert read_exception(ended).exit_code == 3


def test_its_message_is_its_own_text_whatever_it_keeps() -> None:
    assert read_exception(KeptError("mine", body={"message": "theirs"})).message == "mine"


def test_one_that_keeps_nothing_or_cannot_be_asked_has_only_its_text() -> None:
    class Hostile(Exception):
        @property
        def body(self) -> object:
            raise KeyboardInterrupt

        def __str__(self) -> str:
            raise RuntimeError

    assert read_exception(Hostile()).message == ""
    assert read_exception(MethodError("no")).code == ""
