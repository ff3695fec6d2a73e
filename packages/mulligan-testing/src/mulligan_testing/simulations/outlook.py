"""Microsoft Graph, version 1.0: the calendars and the mail of one person's Outlook."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
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

CALENDARS = {"c1": "Calendar", "c2": "Scratch"}
"""By its id, what each calendar is called."""
FOLDERS = {
    "f-inbox": ("Inbox", "f-root"),
    "f-deleted": ("Deleted Items", "f-root"),
    "f-drafts": ("Drafts", "f-root"),
    "f-sent": ("Sent Items", "f-root"),
    "f-plans": ("Plans", "f-root"),
    "f-scratch": ("Scratch", "f-root"),
}
"""By its id, what each folder is called, and in which it is."""
KNOWN = {
    "inbox": "f-inbox",
    "deleteditems": "f-deleted",
    "drafts": "f-drafts",
    "sentitems": "f-sent",
}
"""Names that stand for ids."""
KEPT_FIELDS = ("id", "type", "start", "end", "recurrence", "transactionId")
"""What an exception has of its own, whatever its series says."""
FIXED = frozenset({"subject", "body", "toRecipients", "ccRecipients", "bccRecipients"})
"""What only a draft can have changed."""
_EVENTS = "/me/calendars/{calendar_id}/events"
_EVENT = f"{_EVENTS}/{{event_id}}"
_FOLDER = "/me/mailFolders/{folder_id}"
_MESSAGE = "/me/messages/{message_id}"


class Outlook(Simulation):
    """One mailbox, with calendars."""

    base = "/v1.0"
    pages = "https://learn.microsoft.com/en-us/graph"
    simulates: ClassVar[Mapping[str, str]] = {
        "a changeKey and an ETag that each write changes": "api/resources/event",
        "If-Match, 412": "errors",
        "a transactionId, which keeps a repeated create from making a second event": (
            "api/resources/event"
        ),
        "invitations, changes and cancellations that guests are sent": "api/event-delete",
        "series, their events and exceptions": "outlook-schedule-recurring-events",
        "messages of which only a draft's text can be changed": "api/message-update",
        "ids that a move changes, unless immutable ones are asked for": "outlook-immutable-id",
        "moves, also to folders by their known names": "api/message-move",
        "what is deleted for good": "api/message-permanentdelete",
        "drafts, copies and drafts of replies": "api/message-createreply",
        "folders, deleted with all that is in them": "api/mailfolder-delete",
        "429 with Retry-After": "throttling",
    }
    differences: ClassVar[Mapping[str, str]] = {
        "no-412": "conditions are ignored",
        "no-trash": "what is moved to Deleted Items is gone for good",
        "no-delete": "an event that is deleted is still there",
        "lag": "reads show what was there before the last write",
    }

    own_headers: ClassVar[Mapping[str, str]] = {"prefer": 'IdType="ImmutableId"'}

    def build_state(self) -> State:
        """Calendars and folders with nothing in them."""
        folders = {n: {"displayName": f[0], "parentFolderId": f[1]} for n, f in FOLDERS.items()}
        calendars: State = {name: {} for name in CALENDARS}
        return {"calendars": calendars, "folders": folders, "messages": {}, "moment": 0}

    def describe_error(self, refused: Refused) -> ApiAnswer:
        """As Graph says it."""
        error = {"code": refused.reason, "message": str(refused)}
        headers = {"Retry-After": "0"} if refused.status == 429 else {}
        return ApiAnswer(status=refused.status, body={"error": error}, headers=headers)

    def list_left(self) -> list[object]:
        """What is there of what can be cleared away."""
        events = [name for each in self.state["calendars"].values() for name in each]
        made = [name for name in self.state["folders"] if name not in FOLDERS]
        return [*events, *self.state["messages"], *made]

    @route("GET", "/me/calendars/{calendar_id}")
    def get_calendar(self, request: ApiRequest, state: State) -> Thing:
        """What it is called."""
        _get_events(request, state)
        name = request.names["calendar_id"]
        return {"id": name, "name": CALENDARS[name]}

    @route("GET", _EVENTS)
    def list_events(self, request: ApiRequest, state: State) -> Thing:
        """Single events and series."""
        found = _get_events(request, state).values()
        shown = [_show(each) for each in found if each["type"] != "exception"]
        return {"value": shown}

    @route("GET", _EVENT)
    def get_event(self, request: ApiRequest, state: State) -> Thing:
        """One, also one of a series."""
        return _show(_find_event(request, state))

    @route("GET", f"{_EVENT}/instances")
    def list_instances(self, request: ApiRequest, state: State) -> Thing:
        """The events of a series."""
        events, series = _get_events(request, state), _find_event(request, state)
        found = [events.get(each["id"], each) for each in list_instances(series)]
        return {"value": [_show(each) for each in found]}

    @route("POST", _EVENTS, status=201)
    def create_event(self, request: ApiRequest, state: State) -> Thing:
        """A new one, unless its transaction has made one before."""
        events, body = _get_events(request, state), dict(request.body or {})
        said = body.get("transactionId")
        same = [each for each in events.values() if said and each.get("transactionId") == said]
        if same:
            return _show(same[0])
        _require_times(body)
        self.serial += 1
        kind = "seriesMaster" if body.get("recurrence") else "singleInstance"
        event = {"id": f"AAMkE{self.serial:08d}", "type": kind, "isCancelled": False, **body}
        events[event["id"]] = self._stamp(state, {"showAs": "busy", "categories": [], **event})
        self._tell(event)
        return _show(events[event["id"]])

    @route("PATCH", _EVENT)
    def update_event(self, request: ApiRequest, state: State) -> Thing:
        """Some fields; one of a series is an exception from then on."""
        events, old = _get_events(request, state), _find_event(request, state)
        body = dict(request.body or {})
        self._require_version(request, old)
        if "transactionId" in body:
            raise Refused(400, "ErrorPropertyUpdate", "transactionId cannot be changed.")
        kind = "exception" if old["type"] == "occurrence" else old["type"]
        event = _merge({**old, "type": kind}, body)
        _require_times(event)
        self._change_exceptions(state, events, old, event)
        events[event["id"]] = self._stamp(state, event)
        self._tell(old, event)
        return _show(events[event["id"]])

    @route("DELETE", _EVENT, status=204)
    def delete_event(self, request: ApiRequest, state: State) -> None:
        """Out of the calendar, a series with its exceptions; its guests are sent a cancellation."""
        events, old = _get_events(request, state), _find_event(request, state)
        self._require_version(request, old)
        gone = [n for n, e in events.items() if old["id"] in (n, e.get("seriesMasterId"))]
        for name in gone if "no-delete" not in self.differs else ():
            del events[name]
        self._tell(old)

    @route("GET", _FOLDER)
    def get_folder(self, request: ApiRequest, state: State) -> Thing:
        """A folder, with how much is in it."""
        return _show_folder(state, _find_folder(request, state))

    @route("POST", f"{_FOLDER}/childFolders", status=201)
    def create_folder(self, request: ApiRequest, state: State) -> Thing:
        """A new one in another."""
        self.serial += 1
        folder, name = _find_folder(request, state), f"f-made{self.serial:08d}"
        _require_name(state, folder, str((request.body or {}).get("displayName") or ""))
        made = {"displayName": (request.body or {})["displayName"], "parentFolderId": folder}
        state["folders"][name] = made
        return _show_folder(state, name)

    @route("PATCH", _FOLDER)
    def update_folder(self, request: ApiRequest, state: State) -> Thing:
        """Another name."""
        name, said = _find_folder(request, state), (request.body or {}).get("displayName")
        _require_name(state, state["folders"][name]["parentFolderId"], str(said or ""))
        state["folders"][name]["displayName"] = said
        return _show_folder(state, name)

    @route("DELETE", _FOLDER, status=204)
    def delete_folder(self, request: ApiRequest, state: State) -> None:
        """With all that is in it."""
        name = _find_folder(request, state)
        if name in FOLDERS:
            raise Refused(403, "ErrorDeleteDistinguishedFolder")
        del state["folders"][name]
        for each in [n for n, m in state["messages"].items() if m["parentFolderId"] == name]:
            del state["messages"][each]

    @route("POST", f"{_FOLDER}/move", status=201)
    def move_folder(self, request: ApiRequest, state: State) -> Thing:
        """Into another folder."""
        name, there = _find_folder(request, state), _find_destination(request, state)
        _require_name(state, there, state["folders"][name]["displayName"])
        state["folders"][name]["parentFolderId"] = there
        return _show_folder(state, name)

    @route("GET", f"{_FOLDER}/messages")
    def list_messages(self, request: ApiRequest, state: State) -> Thing:
        """What is in a folder."""
        name, found = _find_folder(request, state), state["messages"].values()
        return {"value": [_show(e) for e in found if e["parentFolderId"] == name]}

    @route("POST", f"{_FOLDER}/messages", status=201)
    def create_draft(self, request: ApiRequest, state: State) -> Thing:
        """A draft in a folder."""
        made = self._add(state, _find_folder(request, state), dict(request.body or {}))
        return _show(made)

    @route("GET", _MESSAGE)
    def get_message(self, request: ApiRequest, state: State) -> Thing:
        """A message."""
        return _show(_find_message(request, state))

    @route("PATCH", _MESSAGE)
    def update_message(self, request: ApiRequest, state: State) -> Thing:
        """Marks and categories; the text of a draft."""
        old, body = _find_message(request, state), dict(request.body or {})
        self._require_version(request, old)
        if FIXED & body.keys() and not old["isDraft"]:
            raise Refused(400, "ErrorInvalidPropertySet", "Only a draft can be changed so.")
        new = self._stamp(state, _merge(old, body))
        state["messages"][old["id"]] = new
        return _show(new)

    @route("POST", f"{_MESSAGE}/move", status=201)
    def move_message(self, request: ApiRequest, state: State) -> Thing:
        """Into another folder, with another id unless immutable ones are asked for."""
        old, there = _find_message(request, state), _find_destination(request, state)
        del state["messages"][old["id"]]
        named = old["id"]
        if "ImmutableId" not in request.headers.get("prefer", ""):
            self.serial += 1
            named = f"AAMkM{self.serial:08d}"
        new = self._stamp(state, {**old, "id": named, "parentFolderId": there})
        if there != "f-deleted" or "no-trash" not in self.differs:
            state["messages"][named] = new
        return _show(new)

    @route("POST", f"{_MESSAGE}/copy", status=201)
    def copy_message(self, request: ApiRequest, state: State) -> Thing:
        """The same once more."""
        old, there = _find_message(request, state), _find_destination(request, state)
        return _show(self._add(state, there, old))

    @route("POST", f"{_MESSAGE}/createReply", status=201)
    def create_reply(self, request: ApiRequest, state: State) -> Thing:
        """A draft of an answer."""
        old, said = _find_message(request, state), (request.body or {}).get("comment", "")
        body = {
            "contentType": "text",
            "content": f"{said}\n\n{(old.get('body') or {}).get('content')}",
        }
        reply = {"subject": f"RE: {old.get('subject')}", "body": body, "toRecipients": []}
        return _show(self._add(state, "f-drafts", reply))

    @route("POST", f"{_MESSAGE}/permanentDelete", status=204)
    def delete_message(self, request: ApiRequest, state: State) -> None:
        """For good."""
        del state["messages"][_find_message(request, state)["id"]]

    @route("POST", f"{_MESSAGE}/send", status=202)
    def send_message(self, request: ApiRequest, state: State) -> None:
        """A draft, to all it is for."""
        message = state["messages"][_find_message(request, state)["id"]]
        message.update(isDraft=False, parentFolderId="f-sent")
        self._deliver(self._stamp(state, message))

    @route("POST", "/me/sendMail", status=202)
    def send_mail(self, request: ApiRequest, state: State) -> None:
        """A mail, without a draft."""
        sent = self._add(state, "f-sent", {**(request.body or {})["message"], "isDraft": False})
        self._deliver(sent)

    def _add(self, state: State, folder: str, given: Thing) -> Thing:
        self.serial += 1
        plain = {"isRead": True, "isDraft": True, "importance": "normal", "categories": []}
        plain |= {"flag": {"flagStatus": "notFlagged"}, "subject": "", "toRecipients": []}
        name = f"AAMkM{self.serial:08d}"
        message = {**plain, **copy.deepcopy(given), "id": name, "parentFolderId": folder}
        state["messages"][name] = self._stamp(state, message)
        return message

    def _require_version(self, request: ApiRequest, thing: Thing) -> None:
        wanted = request.headers.get("if-match")
        if wanted not in (None, "*", f'W/"{thing["changeKey"]}"') and "no-412" not in self.differs:
            raise Refused(412, "ErrorIrresolvableConflict", "The change key is another by now.")

    def _stamp(self, state: State, thing: Thing) -> Thing:
        state["moment"] += 1
        moment = datetime(2026, 11, 1, tzinfo=UTC) + timedelta(seconds=state["moment"])
        thing["changeKey"] = f"CQAAABYAAAC{state['moment']:08d}"
        thing["lastModifiedDateTime"] = moment.isoformat().replace("+00:00", "Z")
        return thing

    def _change_exceptions(
        self, state: State, events: dict[str, Thing], old: Thing, new: Thing
    ) -> None:
        """Those of a series go with its times, and have what they have not said otherwise."""
        exceptions = [n for n, each in events.items() if each.get("seriesMasterId") == old["id"]]
        for name in exceptions:
            if any(old.get(field) != new.get(field) for field in ("start", "end", "recurrence")):
                del events[name]
                continue
            one = events[name]
            same = {n for n in {*old, *new} if n in one and one[n] == old.get(n)} - {*KEPT_FIELDS}
            new_in = {n for n in new if n not in old and n not in one}
            events[name] = self._stamp(state, {**one, **{n: new.get(n) for n in same | new_in}})

    def _deliver(self, message: Thing) -> None:
        names = ("toRecipients", "ccRecipients", "bccRecipients")
        self._tell_all(each for name in names for each in message.get(name) or ())

    def _tell(self, *events: Thing) -> None:
        self._tell_all(each for event in events for each in event.get("attendees") or ())

    def _tell_all(self, people: Iterable[Thing]) -> None:
        self.told += [each["emailAddress"]["address"] for each in people]


def list_instances(series: Thing) -> Iterator[Thing]:
    """The events of a series, by its pattern and a number of them."""
    said = series.get("recurrence") or {}
    pattern, span = said.get("pattern") or {}, said.get("range") or {}
    days = {"daily": 1, "weekly": 7}.get(str(pattern.get("type")), 0)
    for number in range(int(span.get("numberOfOccurrences", 0)) if days else 0):
        moved = timedelta(days=days * int(pattern.get("interval", 1)) * number)
        one = {n: v for n, v in copy.deepcopy(series).items() if n != "recurrence"}
        for name in ("start", "end"):
            at = datetime.fromisoformat(series[name]["dateTime"]) + moved
            one[name] = {**series[name], "dateTime": at.isoformat()}
        named = f"{series['id']}.{one['start']['dateTime'][:10]}"
        yield {**one, "id": named, "type": "occurrence", "seriesMasterId": series["id"]}


def _get_events(request: ApiRequest, state: State) -> dict[str, Thing]:
    found = state["calendars"].get(request.names["calendar_id"])
    return require(found, 404, "ErrorItemNotFound", "The calendar was not found.")


def _find_event(request: ApiRequest, state: State) -> Thing:
    events, name = _get_events(request, state), request.names["event_id"]
    if name in events:
        return copy.deepcopy(events[name])
    series = events.get(name.partition(".")[0], {})
    return _require(next((e for e in list_instances(series) if e["id"] == name), None))


def _find_message(request: ApiRequest, state: State) -> Thing:
    return copy.deepcopy(_require(state["messages"].get(request.names["message_id"])))


def _require(found: Thing | None) -> Thing:
    said = "The specified object was not found in the store."
    return require(found, 404, "ErrorItemNotFound", said)


def _find_folder(request: ApiRequest, state: State) -> str:
    return _require_folder(request.names["folder_id"], state)


def _find_destination(request: ApiRequest, state: State) -> str:
    # The parameters of an action are read in any case: its own client writes `DestinationId`.
    said = {name.casefold(): value for name, value in (request.body or {}).items()}
    return _require_folder(str(said.get("destinationid")), state)


def _require_folder(said: str, state: State) -> str:
    name = KNOWN.get(said, said)
    if name not in state["folders"]:
        raise Refused(404, "ErrorFolderNotFound", "The specified folder could not be found.")
    return name


def _require_name(state: State, parent: str, said: str) -> None:
    beside = [e["displayName"] for e in state["folders"].values() if e["parentFolderId"] == parent]
    if not said:
        raise Refused(400, "ErrorInvalidRequest", "A folder needs a name.")
    if said in beside:
        raise Refused(409, "ErrorFolderExists", "A folder with the specified name exists.")


def _require_times(event: Thing) -> None:
    for name in ("start", "end"):
        if not {"dateTime", "timeZone"} <= (event.get(name) or {}).keys():
            raise Refused(400, "ErrorInvalidRequest", f"The event has no {name}.")
    if event["end"]["dateTime"] < event["start"]["dateTime"]:
        raise Refused(400, "ErrorPropertyValidationFailure", "The event ends before it begins.")


def _merge(old: Thing, new: Thing) -> Thing:
    merged = {**old, **new}
    return {name: value for name, value in merged.items() if value is not None}


def _show(thing: Thing) -> Thing:
    shown = copy.deepcopy(thing)
    return {"@odata.etag": f'W/"{thing["changeKey"]}"', **shown}


def _show_folder(state: State, name: str) -> Thing:
    folders, mails = state["folders"].values(), state["messages"].values()
    return {
        "id": name,
        **state["folders"][name],
        "childFolderCount": sum(each["parentFolderId"] == name for each in folders),
        "totalItemCount": sum(each["parentFolderId"] == name for each in mails),
    }
