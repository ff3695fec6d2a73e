"""Slack: messages and threads, topics, reactions, pins, archived channels."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import ClassVar

from mulligan_testing.simulations.core import (
    ApiAnswer,
    ApiRequest,
    Refused,
    Simulation,
    State,
    Thing,
    require,
    route,
)

CHANNELS = {"C1": "general", "C2": "scratch"}
"""By its id, what each channel is called."""
_MENTION = re.compile(r"<(?:!(channel|here|everyone)|@(\w+))>")


class Slack(Simulation):
    """A workspace with two channels."""

    base = "/api"
    pages = "https://docs.slack.dev/reference/methods"
    simulates: ClassVar[Mapping[str, str]] = {
        "refusals as a 200 with ok: false": "",
        "messages that one's own token may change and delete": "chat.update",
        "messages that are gone for good": "chat.delete",
        "threads, read by any of their messages": "conversations.replies",
        "topic and purpose": "conversations.setTopic",
        "reactions, each person's own": "reactions.add",
        "pins": "pins.add",
        "channels that take nothing while they are archived": "conversations.archive",
        "429 by rate limits": "apis/web-api/rate-limits",
    }

    differences: ClassVar[Mapping[str, str]] = {
        "deaf": "a message keeps its text, though the answer to a change has the new one",
        "no-delete": "what is deleted or taken off is still there",
        "lag": "reads show what was there before the last write",
    }

    def build_state(self) -> State:
        """Channels with nothing in them."""
        return {
            name: {"topic": "", "purpose": "", "archived": False, "messages": {}, "pins": {}}
            for name in CHANNELS
        }

    def describe_error(self, refused: Refused) -> ApiAnswer:
        """As Slack says it: with a 200, but for a limit."""
        status = 429 if refused.reason == "rateLimitExceeded" else 200
        reason = "ratelimited" if status == 429 else refused.reason
        return ApiAnswer(status=status, body={"ok": False, "error": reason})

    def is_read(self, request: ApiRequest) -> bool:
        """Also by POST, as its client libraries ask."""
        named = request.path.rpartition("/")[2]
        return named.endswith((".info", ".replies", ".history", ".get", ".list", ".test"))

    def list_left(self) -> list[object]:
        """What is there of what can be cleared away."""
        return [ts for each in self.state.values() for ts in each["messages"]]

    @route("GET", "/{method}")
    @route("POST", "/{method}")
    def call(self, request: ApiRequest, state: State) -> Thing:
        """A method by its name, with its arguments in the address or in the body."""
        said = {**request.query, **(request.body or {}), "by": request.by}
        given = {n: _parse(v) for n, v in said.items()}
        work = METHODS.get(request.names["method"])
        if work is None:
            raise Refused(200, "unknown_method")
        channel = require(state.get(str(given.get("channel"))), 200, "channel_not_found")
        reads = self.is_read(request)
        if channel["archived"] and not reads and "archive" not in request.names["method"]:
            raise Refused(200, "is_archived")
        return {"ok": True, **work(self, channel, given)}

    def post(self, channel: Thing, given: Thing) -> Thing:
        """A new message."""
        self.serial += 1
        ts = f"1763510400.{self.serial:06d}"
        message = {"type": "message", "user": given["by"], "text": given.get("text", ""), "ts": ts}
        if given.get("thread_ts"):
            message["thread_ts"] = given["thread_ts"]
        channel["messages"][ts] = message
        self._tell(message["text"])
        return {"channel": given["channel"], "ts": ts, "message": message}

    def update(self, channel: Thing, given: Thing) -> Thing:
        """Another text; blocks and attachments stay where nothing is said of them."""
        message = _find(channel, given.get("ts"))
        if "deaf" in self.differs:
            message = dict(message)
        for name in ("text", "blocks", "attachments"):
            if given.get(name) is not None:
                message[name] = given[name]
        self.serial += 1
        message["edited"] = {"user": given["by"], "ts": f"1763510400.{self.serial:06d}"}
        self._tell(str(given.get("text", "")))
        return {"channel": given["channel"], "ts": message["ts"], "message": message}

    def delete(self, channel: Thing, given: Thing) -> Thing:
        """For good, with its pin."""
        _find(channel, given.get("ts"))
        if "no-delete" not in self.differs:
            del channel["messages"][given["ts"]]
            channel["pins"].pop(given["ts"], None)
        return {"channel": given["channel"], "ts": given["ts"]}

    def history(self, channel: Thing, given: Thing) -> Thing:
        """Those that are in no thread, the last first."""
        del given
        shown = [each for each in channel["messages"].values() if "thread_ts" not in each]
        return {"messages": shown[::-1]}

    def replies(self, channel: Thing, given: Thing) -> Thing:
        """The thread of a message."""
        one = require(channel["messages"].get(given.get("ts")), 200, "thread_not_found")
        parent = one.get("thread_ts", one["ts"])
        found = channel["messages"].values()
        return {"messages": [e for e in found if parent in (e["ts"], e.get("thread_ts"))]}

    def info(self, channel: Thing, given: Thing) -> Thing:
        """What a channel is."""
        shown = {
            "id": given["channel"],
            "name": CHANNELS[given["channel"]],
            "is_archived": channel["archived"],
            "topic": {"value": channel["topic"]},
            "purpose": {"value": channel["purpose"]},
        }
        return {"channel": shown}

    def set_topic(self, channel: Thing, given: Thing) -> Thing:
        """What it is about."""
        channel["topic"] = given["topic"]
        return self.info(channel, given)

    def set_purpose(self, channel: Thing, given: Thing) -> Thing:
        """What it is for."""
        channel["purpose"] = given["purpose"]
        return self.info(channel, given)

    def react(self, channel: Thing, given: Thing) -> Thing:
        """One's own reaction."""
        reactions = _find(channel, given.get("timestamp")).setdefault("reactions", {})
        users = reactions.setdefault(given["name"], [])
        if given["by"] in users:
            raise Refused(200, "already_reacted")
        users.append(given["by"])
        return {}

    def unreact(self, channel: Thing, given: Thing) -> Thing:
        """One's own reaction, taken back."""
        reactions = _find(channel, given.get("timestamp")).get("reactions", {})
        users = reactions.get(given["name"], [])
        if given["by"] not in users:
            raise Refused(200, "no_reaction")
        if "no-delete" not in self.differs:
            users.remove(given["by"])
        if not users:
            del reactions[given["name"]]
        return {}

    def reactions(self, channel: Thing, given: Thing) -> Thing:
        """Those of a message."""
        message = _find(channel, given.get("timestamp"))
        found = message.get("reactions", {}).items()
        shown = [{"name": n, "users": users, "count": len(users)} for n, users in found]
        return {"type": "message", "message": {**message, "reactions": shown}}

    def pin(self, channel: Thing, given: Thing) -> Thing:
        """A pin, by anybody."""
        _find(channel, given.get("timestamp"))
        if given["timestamp"] in channel["pins"]:
            raise Refused(200, "already_pinned")
        channel["pins"][given["timestamp"]] = given["by"]
        return {}

    def unpin(self, channel: Thing, given: Thing) -> Thing:
        """A pin less."""
        if given.get("timestamp") not in channel["pins"]:
            raise Refused(200, "no_pin")
        if "no-delete" not in self.differs:
            del channel["pins"][given["timestamp"]]
        return {}

    def pins(self, channel: Thing, given: Thing) -> Thing:
        """Those of a channel."""
        del given
        messages = channel["messages"]
        items = [{"created_by": by, "message": messages[ts]} for ts, by in channel["pins"].items()]
        return {"items": items}

    def archive(self, channel: Thing, given: Thing) -> Thing:
        """From then on it takes nothing."""
        del given
        if channel["archived"]:
            raise Refused(200, "already_archived")
        channel["archived"] = True
        return {}

    def unarchive(self, channel: Thing, given: Thing) -> Thing:
        """It takes messages again."""
        del given
        if not channel["archived"]:
            raise Refused(200, "not_archived")
        channel["archived"] = False
        return {}

    def _tell(self, text: str) -> None:
        self.told += [one or other for one, other in _MENTION.findall(text)]


METHODS = {
    "chat.postMessage": Slack.post,
    "chat.update": Slack.update,
    "chat.delete": Slack.delete,
    "conversations.history": Slack.history,
    "conversations.replies": Slack.replies,
    "conversations.info": Slack.info,
    "conversations.setTopic": Slack.set_topic,
    "conversations.setPurpose": Slack.set_purpose,
    "conversations.archive": Slack.archive,
    "conversations.unarchive": Slack.unarchive,
    "reactions.add": Slack.react,
    "reactions.remove": Slack.unreact,
    "reactions.get": Slack.reactions,
    "pins.add": Slack.pin,
    "pins.remove": Slack.unpin,
    "pins.list": Slack.pins,
}


def _find(channel: Thing, ts: object) -> Thing:
    return require(channel["messages"].get(ts), 200, "message_not_found")


def _parse(value: object) -> object:
    """A value of a form: lists are JSON there."""
    return json.loads(value) if isinstance(value, str) and value.startswith("[") else value
