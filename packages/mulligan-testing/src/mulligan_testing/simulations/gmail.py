"""Gmail, version 1: messages that never change, their labels, the trash, drafts."""

from __future__ import annotations

import copy
from base64 import urlsafe_b64decode
from binascii import Error as Base64Error
from collections.abc import Iterable, Mapping
from email import message_from_bytes
from email.message import Message
from email.utils import getaddresses
from typing import Any, ClassVar

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

FIXED = frozenset({"SENT", "DRAFT"})
"""Labels that only the service puts on."""
SYSTEM = FIXED | {"INBOX", "SPAM", "TRASH", "UNREAD", "STARRED", "IMPORTANT", "CATEGORY_PERSONAL"}
LABELS = {"Label_1": "Family", "Label_2": "Scratch"}
"""By its id, what each label of the person's own is called."""
MOST_LABELS, MOST_MESSAGES = 100, 1_000
_USER = "/users/{user}"
_MESSAGE = f"{_USER}/messages/{{id}}"
_DRAFT = f"{_USER}/drafts/{{id}}"
_LABEL = f"{_USER}/labels/{{id}}"


class Gmail(Simulation):
    """One person's mailbox."""

    base = "/gmail/v1"
    pages = "https://developers.google.com/workspace/gmail/api"
    simulates: ClassVar[Mapping[str, str]] = {
        "messages of which only the labels change": "reference/rest/v1/users.messages/modify",
        "labels that only Gmail puts on": "guides/labels",
        "many messages in one request, answered with nothing": (
            "reference/rest/v1/users.messages/batchModify"
        ),
        "the trash as a label": "reference/rest/v1/users.messages/trash",
        "a historyId that each change counts up, and no conditions": "guides/sync",
        "drafts that keep their id, with another message after each change": "guides/drafts",
        "labels with one name each, whose end takes them off all messages": (
            "reference/rest/v1/users.labels/delete"
        ),
        "messages put in without being sent": "reference/rest/v1/users.messages/insert",
        "mail that is sent": "guides/sending",
        "conversations": "guides/threads",
        "403 and 429 by rate limits": "guides/handle-errors",
    }
    differences: ClassVar[Mapping[str, str]] = {
        "no-trash": "what is moved to the trash is gone for good",
        "lag": "reads show what was there before the last write",
        "deaf": "labels that are to be taken off stay, though the answer says otherwise",
        "empty-inbox": "what is in the trash is not in the inbox, also once it is taken out",
    }

    def build_state(self) -> State:
        """An empty mailbox with two labels."""
        labels = {name: {"id": name, "name": said} for name, said in LABELS.items()}
        return {"messages": {}, "drafts": {}, "labels": labels, "moment": 1_000}

    def describe_error(self, refused: Refused) -> ApiAnswer:
        """As Google says it."""
        told = {"domain": "global", "reason": refused.reason, "message": str(refused)}
        error = {"code": refused.status, "message": str(refused), "errors": [told]}
        return ApiAnswer(status=refused.status, body={"error": error})

    def list_left(self) -> list[object]:
        """What is there of what can be cleared away."""
        kept = [n for n, e in self.state["messages"].items() if "TRASH" not in e["labelIds"]]
        made = [name for name in self.state["labels"] if name not in LABELS]
        return [*kept, *self.state["drafts"], *made]

    @route("GET", f"{_USER}/profile")
    def get_profile(self, request: ApiRequest, state: State) -> Thing:
        """Whose mailbox it is."""
        del request
        body = {"emailAddress": "me@example.com", "historyId": str(state["moment"])}
        return {**body, "messagesTotal": len(state["messages"])}

    @route("GET", f"{_USER}/messages")
    def list_messages(self, request: ApiRequest, state: State) -> Thing:
        """Those with some words or a label, without those in the trash."""
        label, words = request.query.get("labelIds"), request.query.get("q", "").casefold()
        found = [
            {"id": each["id"], "threadId": each["threadId"]}
            for each in state["messages"].values()
            if (label in each["labelIds"] if label else "TRASH" not in each["labelIds"])
            and words in _read(each["raw"]).as_string().casefold()
        ]
        return {"messages": found, "resultSizeEstimate": len(found)}

    @route("GET", _MESSAGE)
    def get_message(self, request: ApiRequest, state: State) -> Thing:
        """One, as minimal, raw, or with its headers."""
        return _show(_find(request, state, "messages"), request.query.get("format", "full"))

    @route("GET", f"{_USER}/threads/{{id}}")
    def get_thread(self, request: ApiRequest, state: State) -> Thing:
        """All messages of a conversation."""
        found = _list_thread(request, state)
        shown = [_show(each, request.query.get("format", "full")) for each in found]
        return {"id": request.names["id"], "messages": shown}

    @route("POST", f"{_USER}/messages")
    def insert(self, request: ApiRequest, state: State) -> Thing:
        """Put in as it is, and sent to nobody."""
        body = request.body or {}
        labels = self._require_labels(state, body.get("labelIds") or ())
        return _show(self._add(state, body, labels), "minimal")

    @route("POST", f"{_USER}/messages/send")
    def send(self, request: ApiRequest, state: State) -> Thing:
        """Sent, and kept with the label SENT."""
        return _show(self._deliver(state, request.body or {}), "minimal")

    @route("POST", f"{_MESSAGE}/modify")
    def modify(self, request: ApiRequest, state: State) -> Thing:
        """Labels put on and taken off."""
        message = _find(request, state, "messages")
        self._require_change(state, request.body or {})
        return self._label(state, message, request.body or {})

    @route("POST", f"{_USER}/messages/batchModify", status=204)
    def modify_many(self, request: ApiRequest, state: State) -> None:
        """The same of many; what is not there is passed over."""
        body = request.body or {}
        if not 0 < len(body.get("ids") or ()) <= MOST_MESSAGES:
            raise Refused(400, "invalidArgument", "Invalid number of ids.")
        self._require_change(state, body)
        for name in body["ids"]:
            if name in state["messages"]:
                self._label(state, state["messages"][name], body)

    @route("POST", f"{_USER}/threads/{{id}}/modify")
    def modify_thread(self, request: ApiRequest, state: State) -> Thing:
        """The same of all messages of a conversation."""
        self._require_change(state, request.body or {})
        shown = [self._label(state, e, request.body or {}) for e in _list_thread(request, state)]
        return {"id": request.names["id"], "messages": shown}

    @route("POST", f"{_MESSAGE}/trash")
    def trash(self, request: ApiRequest, state: State) -> Thing:
        """Into the trash."""
        message = _find(request, state, "messages")
        if "no-trash" in self.differs:
            return _show(state["messages"].pop(message["id"]), "minimal")
        taken = ["INBOX"] if "empty-inbox" in self.differs else []
        change = {"addLabelIds": ["TRASH"], "removeLabelIds": taken}
        return self._label(state, message, change)

    @route("POST", f"{_MESSAGE}/untrash")
    def untrash(self, request: ApiRequest, state: State) -> Thing:
        """Out of the trash."""
        change = {"removeLabelIds": ["TRASH"]}
        return self._label(state, _find(request, state, "messages"), change)

    @route("DELETE", _MESSAGE, status=204)
    def delete(self, request: ApiRequest, state: State) -> None:
        """For good."""
        del state["messages"][_find(request, state, "messages")["id"]]

    @route("GET", _DRAFT)
    def get_draft(self, request: ApiRequest, state: State) -> Thing:
        """A draft with its message."""
        draft = _find(request, state, "drafts")
        return _show_draft(draft, request.query.get("format", "full"))

    @route("POST", f"{_USER}/drafts")
    def create_draft(self, request: ApiRequest, state: State) -> Thing:
        """A new one."""
        self.serial += 1
        message = self._build(state, (request.body or {}).get("message") or {}, ["DRAFT"])
        draft = {"id": f"r{self.serial:08d}", "message": message}
        state["drafts"][draft["id"]] = draft
        return _show_draft(draft, "minimal")

    @route("PUT", _DRAFT)
    def update_draft(self, request: ApiRequest, state: State) -> Thing:
        """Another message in it."""
        draft, given = _find(request, state, "drafts"), (request.body or {}).get("message") or {}
        draft["message"] = self._build(state, given, ["DRAFT"])
        return _show_draft(draft, "minimal")

    @route("DELETE", _DRAFT, status=204)
    def delete_draft(self, request: ApiRequest, state: State) -> None:
        """For good."""
        del state["drafts"][_find(request, state, "drafts")["id"]]

    @route("POST", f"{_USER}/drafts/send")
    def send_draft(self, request: ApiRequest, state: State) -> Thing:
        """Sent; the draft is gone."""
        draft = _require(state["drafts"].pop((request.body or {}).get("id"), None))
        return _show(self._deliver(state, draft["message"]), "minimal")

    @route("GET", f"{_USER}/labels")
    def list_labels(self, request: ApiRequest, state: State) -> Thing:
        """Gmail's own and the person's."""
        del request
        own = [{"id": name, "name": name, "type": "system"} for name in sorted(SYSTEM)]
        return {"labels": [*own, *state["labels"].values()]}

    @route("GET", _LABEL)
    def get_label(self, request: ApiRequest, state: State) -> Thing:
        """One, with how many messages have it."""
        label = _find(request, state, "labels")
        total = sum(label["id"] in each["labelIds"] for each in state["messages"].values())
        return {**label, "messagesTotal": total}

    @route("POST", f"{_USER}/labels")
    def create_label(self, request: ApiRequest, state: State) -> Thing:
        """A new one, with a name that no other has."""
        self.serial += 1
        label = {"id": f"Label_{self.serial + 100}", "type": "user", **(request.body or {})}
        _require_name(label, state)
        state["labels"][label["id"]] = label
        return label

    @route("PATCH", _LABEL)
    def update_label(self, request: ApiRequest, state: State) -> Thing:
        """Another name or look."""
        label = _find(request, state, "labels")
        label.update(request.body or {})
        _require_name(label, state)
        for name in [name for name, value in label.items() if value is None]:
            del label[name]
        return label

    @route("DELETE", _LABEL, status=204)
    def delete_label(self, request: ApiRequest, state: State) -> None:
        """For good, and off all messages."""
        name = _find(request, state, "labels")["id"]
        del state["labels"][name]
        for each in state["messages"].values():
            each["labelIds"] = [label for label in each["labelIds"] if label != name]

    def _build(self, state: State, given: Mapping[str, Any], labels: Iterable[str]) -> Thing:
        raw = given.get("raw")
        if not raw:
            raise Refused(400, "invalidArgument", "'raw' RFC822 payload message string required.")
        _read(raw)
        self.serial += 1
        state["moment"] += 1
        name = f"19a{self.serial:013x}"
        return {
            "id": name,
            "threadId": given.get("threadId") or name,
            "labelIds": [*labels],
            "historyId": str(state["moment"]),
            "raw": raw,
        }

    def _add(self, state: State, given: Mapping[str, Any], labels: Iterable[str]) -> Thing:
        message = self._build(state, given, labels)
        state["messages"][message["id"]] = message
        return message

    def _deliver(self, state: State, given: Mapping[str, Any]) -> Thing:
        message = self._add(state, given, ["SENT"])
        parsed = _read(message["raw"])
        named = [str(each) for name in ("To", "Cc", "Bcc") for each in parsed.get_all(name, ())]
        self.told += [address for _, address in getaddresses(named)]
        return message

    def _require_labels(self, state: State, names: Iterable[str]) -> list[str]:
        for name in names:
            if name in FIXED or name not in SYSTEM | {*state["labels"]}:
                raise Refused(400, "invalidArgument", f"Invalid label: {name}")
        return list(dict.fromkeys(names))

    def _require_change(self, state: State, body: Mapping[str, Any]) -> None:
        added, taken = ([*(body.get(n) or ())] for n in ("addLabelIds", "removeLabelIds"))
        if not added and not taken:
            raise Refused(400, "invalidArgument", "No label add or removes specified")
        if max(len(added), len(taken)) > MOST_LABELS:
            raise Refused(400, "invalidArgument", "Too many labels")
        self._require_labels(state, [*added, *taken])

    def _label(self, state: State, message: Thing, change: Mapping[str, Any]) -> Thing:
        taken = {*(change.get("removeLabelIds") or ())}
        added = [*(change.get("addLabelIds") or ())]
        was = message["labelIds"]
        both = [*dict.fromkeys([*was, *added])]
        now = [each for each in both if each not in taken]
        if now != was:
            state["moment"] += 1
            message["historyId"] = str(state["moment"])
        message["labelIds"] = both if "deaf" in self.differs else now
        return {**_show(message, "minimal"), "labelIds": now}


def _require(found: Thing | None) -> Thing:
    return require(found, 404, "notFound", "Requested entity was not found.")


def _find(request: ApiRequest, state: State, kind: str) -> Thing:
    return _require(state[kind].get(request.names["id"]))


def _list_thread(request: ApiRequest, state: State) -> list[Thing]:
    named = request.names["id"]
    found = [each for each in state["messages"].values() if each["threadId"] == named]
    _require(found[0] if found else None)
    return found


def _require_name(label: Thing, state: State) -> None:
    name, others = str(label.get("name") or ""), state["labels"].values()
    taken = {each["name"].casefold() for each in others if each["id"] != label["id"]}
    if not name:
        raise Refused(400, "invalidArgument", "Invalid label name")
    if name.casefold() in taken | {each.casefold() for each in SYSTEM}:
        raise Refused(409, "aborted", "Label name exists or conflicts")


def _read(raw: str) -> Message:
    try:
        return message_from_bytes(urlsafe_b64decode(raw))
    except (Base64Error, ValueError) as error:
        raise Refused(400, "invalidArgument", "Invalid value for ByteString") from error


def _show(message: Thing, form: str) -> Thing:
    shown = copy.deepcopy(message)
    raw = shown.pop("raw")
    if form == "raw":
        shown["raw"] = raw
    elif form != "minimal":
        headers = [{"name": name, "value": str(value)} for name, value in _read(raw).items()]
        shown["payload"] = {"headers": headers}
    return {name: value for name, value in shown.items() if value != []}


def _show_draft(draft: Thing, form: str) -> Thing:
    return {"id": draft["id"], "message": _show(draft["message"], form)}
