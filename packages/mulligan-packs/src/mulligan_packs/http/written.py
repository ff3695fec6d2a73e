"""What a write has sent and was answered, and whether what is there after it is its work.

A server that answers a write without a strong ETag does not say at which version it left the
resource. What a read shows right after may be a person's edit already: it counts as ours only
where it is what the server answered, or what was sent makes of what was there.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl

import httpx
from msgspec import Struct

from mulligan.runtime.assessment import is_work_of
from mulligan_packs.http.fields import NOTHING, ServerFields, is_equal, may_be_adjusted

FORM = "application/x-www-form-urlencoded"


class SentWrite(Struct, frozen=True, kw_only=True):
    """One write to a resource, as far as it is known."""

    method: str
    sent: object = NOTHING
    answered: object = NOTHING

    def explains(self, now: object, *, before: object, made_id: str = "") -> bool:
        """Whether what is there is what this write has left, and only that.

        `before` is `None` where nothing was; `made_id` is what the server calls what it made.
        """
        if self.answered is not NOTHING and is_equal(self.answered, now):
            return True
        sent = self.sent if isinstance(self.sent, Mapping) else {}
        fields = ServerFields(before=before, given=sent, made_id=made_id)
        return any(fields.has_no_other(expected, now) for expected in self._list_expected(before))

    def differs(self, now: object) -> bool:
        """Whether the server has answered with the resource, and it has been changed since.

        An answer that repeats what was sent does not say what the server has made of it.
        """
        shown, sent = self.answered, self.sent if isinstance(self.sent, Mapping) else {}
        if not (isinstance(shown, Mapping) and isinstance(now, Mapping) and {*shown} == {*now}):
            return False
        changed = [name for name in shown if not is_equal(shown[name], now[name])]
        return any(
            not (is_equal(shown[name], sent.get(name, NOTHING)))
            or not may_be_adjusted(shown[name], now[name])
            for name in changed
        )

    def _list_expected(self, before: object) -> Iterator[object]:
        if self.sent is NOTHING:
            return
        if self.method != "PATCH":
            yield self.sent
        if isinstance(self.sent, Mapping) and isinstance(before, Mapping):
            yield {**before, **self.sent}
            yield _merge(before, self.sent)


def is_given(arguments: Mapping[str, object], *, before: object, now: object, made_id: str) -> bool:
    """Whether all that has changed is what a call was given, where what was sent is unknown."""
    given = {name: value for name, value in arguments.items() if value is not None}
    if not isinstance(now, Mapping):
        return now in given.values()
    was = before if isinstance(before, Mapping) else {}
    fields = ServerFields(before=before, given=given, made_id=made_id)
    own = {name for name in {*was, *now} if fields.is_own(name, now)}
    return is_work_of(
        [given],
        before={name: value for name, value in was.items() if name not in own},
        now={name: value for name, value in now.items() if name not in own},
    )


def read_written(request: httpx.Request, answer: httpx.Response | None) -> SentWrite:
    """What a write has sent, and what it was answered, if it was."""
    answered = NOTHING if answer is None else _read(lambda: answer.content)
    return SentWrite(method=request.method, sent=parse_sent(request), answered=answered)


def parse_sent(request: httpx.Request) -> object:
    """What a request has sent, as values: of a form, texts, where `a[b]` is a field of a field."""
    if request.headers.get("content-type", "") != FORM:
        return _read(lambda: request.content)
    found: dict[str, Any] = {}
    for name, value in parse_qsl(request.content.decode(), keep_blank_values=True):
        first, *below = name.replace("]", "").split("[")
        place = found
        for step in below:
            place, first = place.setdefault(first, {}), step
        place[first] = value
    return found


def write_form(body: object, name: str = "") -> dict[str, str]:
    """A body as the fields of a form; what is nothing is empty there."""
    if isinstance(body, Mapping):
        parts = [(f"{name}[{key}]" if name else str(key), each) for key, each in body.items()]
    elif isinstance(body, list):
        parts = [(f"{name}[{at}]", each) for at, each in enumerate(body)]
    else:
        plain = str(body).lower() if isinstance(body, bool) else str(body)
        return {name: "" if body is None else plain}
    return {key: value for at, each in parts for key, value in write_form(each, at).items()}


def parse_content(content: bytes) -> object:
    """A body as its values, where it is JSON."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return content


def hash_answered(written: SentWrite) -> str:
    """The version of what a server has answered with, and shows no more."""
    text = json.dumps(written.answered, sort_keys=True)
    return f"as answered: {hashlib.sha256(text.encode()).hexdigest()[:16]}"


def _read(load: Callable[[], bytes]) -> object:
    """A body; `NOTHING` where there is none, or it went by as a stream."""
    try:
        return parse_content(load()) if load() else NOTHING
    except httpx.StreamError:
        return NOTHING


def _merge(before: Mapping[str, object], sent: Mapping[str, object]) -> dict[str, object]:
    """What a merge patch (RFC 7396) makes of what was there."""
    merged = dict(before)
    for name, value in sent.items():
        was = merged.get(name)
        if value is None:
            merged.pop(name, None)
        elif isinstance(value, Mapping):
            merged[name] = _merge(was if isinstance(was, Mapping) else {}, value)
        else:
            merged[name] = value
    return merged
