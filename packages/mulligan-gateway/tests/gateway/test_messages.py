from __future__ import annotations

import msgspec
import pytest

from mulligan_gateway.api_messages import LogRequest, ReportedCall, describe_schemas


def test_what_is_left_out_has_its_default():
    read = msgspec.json.decode(b'{"executions": [{"tool": "x"}]}', type=LogRequest)

    assert read.executions == [ReportedCall(tool="x")]
    assert (read.turn, read.agent) == ("", "")


@pytest.mark.parametrize("body", [b'{"executions": [{"tool": ""}]}', b'{"executions": 1}', b"[]"])
def test_what_is_of_another_form_is_refused(body):
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(body, type=LogRequest)


def test_every_message_has_a_schema():
    schemas, parts = describe_schemas()

    assert all(each["$ref"].rpartition("/")[2] in parts for each in schemas.values())
    assert parts["ReportedCall"]["additionalProperties"] is False
