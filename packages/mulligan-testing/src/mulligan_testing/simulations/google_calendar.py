"""Google Calendar, version 3: events, series and their exceptions, moves, deleted events."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
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

_ID = re.compile(r"[a-v0-9]{5,1024}")
_OWN = ("kind", "etag", "htmlLink", "created", "updated", "creator", "organizer", "hangoutLink")
"""What no request can set."""
CALENDARS = {"primary": "A person", "family": "Family", "s1": "Scratch", "s2": "Scratch 2"}
"""By its id, what each calendar is called."""
_EVENTS = "/calendars/{calendar_id}/events"
_EVENT = f"{_EVENTS}/{{event_id}}"


class GoogleCalendar(Simulation):
    """The calendars of one person, two of them for scratch."""

    base = "/calendar/v3"
    pages = "https://developers.google.com/workspace/calendar/api"
    simulates: ClassVar[Mapping[str, str]] = {
        "an ETag that each write changes, If-Match, 412": "guides/version-resources",
        "an insert with an id of the caller's; 409 if it is taken": "v3/reference/events/insert",
        "deleted events that stay as cancelled and can be restored": "v3/reference/events",
        "410 for a second delete": "guides/errors",
        "series, their events, exceptions, cancelled ones": "guides/recurringevents",
        "a move, which leaves a cancelled event behind": "v3/reference/events/move",
        "notices by sendUpdates": "v3/reference/events/insert",
        "video calls, only with conferenceDataVersion=1": "guides/create-events",
        "a sync token, and 410 for one that is too old": "guides/sync",
        "403 and 429 by rate limits": "guides/errors",
    }

    def build_state(self) -> State:
        """Calendars with nothing in them."""
        return {"calendars": {name: {} for name in CALENDARS}, "moment": 0}

    def describe_error(self, refused: Refused) -> ApiAnswer:
        """As Google says it."""
        told = {"domain": "global", "reason": refused.reason, "message": str(refused)}
        error = {"code": refused.status, "message": str(refused), "errors": [told]}
        return ApiAnswer(status=refused.status, body={"error": error})

    @route("GET", "/calendars/{calendar_id}")
    def get_calendar(self, request: ApiRequest, state: State) -> Thing:
        """What it is called."""
        _get_calendar(request, state)
        name = request.names["calendar_id"]
        return {"kind": "calendar#calendar", "id": name, "summary": CALENDARS[name]}

    @route("GET", _EVENTS)
    def list_events(self, request: ApiRequest, state: State) -> Thing:
        """Those of a stretch, with some words, of one series, or changed since a token."""
        query, events = request.query, _get_calendar(request, state)
        token = query.get("syncToken")
        if token is not None and int(token) < state["moment"] - 1_000:
            raise Refused(410, "fullSyncRequired")
        deleted = query.get("showDeleted") == "true" or token is not None
        found = [
            each
            for each in self._expand(events, singly=query.get("singleEvents") == "true")
            if (deleted or each["status"] != "cancelled") and _is_asked_for(each, query)
        ]
        return {"kind": "calendar#events", "items": found, "nextSyncToken": str(state["moment"])}

    @route("GET", _EVENT)
    def get_event(self, request: ApiRequest, state: State) -> ApiAnswer:
        """One, also a cancelled one."""
        return _answer(self._find(request, state))

    @route("GET", f"{_EVENT}/instances")
    def list_instances(self, request: ApiRequest, state: State) -> Thing:
        """The events of a series."""
        events, name = _get_calendar(request, state), request.names["event_id"]
        series = [e for e in self._expand(events, singly=True) if e.get("recurringEventId") == name]
        return {"kind": "calendar#events", "items": series}

    @route("POST", _EVENTS)
    def insert(self, request: ApiRequest, state: State) -> ApiAnswer:
        """A new one, whose id may be the caller's."""
        events, body = _get_calendar(request, state), dict(request.body or {})
        name = str(body.setdefault("id", f"made{self.count:08d}"))
        if not _ID.fullmatch(name):
            raise Refused(400, "invalid", "Invalid resource id value.")
        if name in events:
            raise Refused(409, "duplicate", "The requested identifier already exists.")
        event = self._put(request, state, {"sequence": -1}, body)
        self._tell(request, event)
        return _answer(event)

    @route("PUT", _EVENT)
    def update(self, request: ApiRequest, state: State) -> ApiAnswer:
        """Written anew; a cancelled one is restored by it."""
        old = self._find(request, state)
        self._require_version(request, old)
        given = dict(request.body or {})
        if int(given.get("sequence") or old["sequence"]) < old["sequence"]:
            raise Refused(400, "invalid", "Invalid sequence value.")
        return self._change(request, state, old, {"status": "confirmed", **given})

    @route("PATCH", _EVENT)
    def patch(self, request: ApiRequest, state: State) -> ApiAnswer:
        """Some fields; null takes one away."""
        old = self._find(request, state)
        self._require_version(request, old)
        plain = {name: value for name, value in old.items() if name not in _OWN}
        return self._change(request, state, old, _merge(plain, request.body or {}))

    @route("DELETE", _EVENT, status=204)
    def delete(self, request: ApiRequest, state: State) -> None:
        """Cancelled from then on, with its exceptions."""
        old, events = self._find(request, state), _get_calendar(request, state)
        if old["status"] == "cancelled":
            raise Refused(410, "deleted", "Resource has been deleted")
        self._require_version(request, old)
        self._tell(request, old)
        if "no-trash" in self.differs:
            events.pop(old["id"], None)
            return
        gone = [e for e in events.values() if e.get("recurringEventId") == old["id"]]
        for each in [old, *gone]:
            events[each["id"]] = self._stamp(state, {**each, "status": "cancelled"})

    @route("POST", f"{_EVENT}/move")
    def move(self, request: ApiRequest, state: State) -> ApiAnswer:
        """To another calendar: what is left behind has only its id."""
        old, events = self._find(request, state), _get_calendar(request, state)
        there = require(state["calendars"].get(request.query.get("destination")), 404, "notFound")
        if old["status"] == "cancelled" or "recurringEventId" in old:
            raise Refused(403, "cannotChangeOrganizer")
        self._require_version(request, old)
        taken = there.get(old["id"])
        if taken is not None and taken["status"] != "cancelled":
            raise Refused(409, "duplicate")
        self._tell(request, old)
        moved = {**old, "organizer": {"email": request.query["destination"]}}
        there[old["id"]] = self._stamp(state, moved)
        left = {"id": old["id"], "status": "cancelled", "sequence": old["sequence"]}
        events[old["id"]] = self._stamp(state, left)
        return _answer(there[old["id"]])

    def _find(self, request: ApiRequest, state: State) -> Thing:
        events, name = _get_calendar(request, state), request.names["event_id"]
        if name in events:
            return copy.deepcopy(events[name])
        master = events.get(name.partition("_")[0], {})
        for each in list_instances(master) if master else ():
            if each["id"] == name:
                return each
        raise Refused(404, "notFound", "Not Found")

    def _require_version(self, request: ApiRequest, event: Thing) -> None:
        wanted = request.headers.get("if-match")
        if wanted and wanted != event["etag"] and "no-412" not in self.differs:
            raise Refused(412, "conditionNotMet", "Precondition Failed")

    def _change(self, request: ApiRequest, state: State, old: Thing, new: Thing) -> ApiAnswer:
        event = self._put(request, state, old, {**new, "id": old["id"]})
        if old.get("recurrence") and old["start"] != event["start"]:
            self._drop_exceptions(request, state, event)
        self._tell(
            request,
            {**event, "attendees": [*old.get("attendees", ()), *event.get("attendees", ())]},
        )
        return _answer(event)

    def _drop_exceptions(self, request: ApiRequest, state: State, master: Thing) -> None:
        events = _get_calendar(request, state)
        there = {each["id"] for each in list_instances(master)}
        for name, each in events.items():
            if each.get("recurringEventId") == master["id"] and name not in there:
                events[name] = self._stamp(state, {**each, "status": "cancelled"})

    def _put(self, request: ApiRequest, state: State, old: Thing, new: Thing) -> Thing:
        _require_times(new)
        calendar = request.names["calendar_id"]
        event: Thing = {
            **{name: value for name, value in new.items() if name not in _OWN},
            "kind": "calendar#event",
            "status": new.get("status", "confirmed"),
            "created": old.get("created") or _format_moment(state["moment"]),
            "creator": old.get("creator") or {"email": "primary", "self": True},
            "organizer": old.get("organizer") or {"email": calendar, "self": True},
            "iCalUID": old.get("iCalUID") or new.get("iCalUID") or f"{new['id']}@google.com",
            "sequence": old["sequence"] + 1,
            "reminders": new.get("reminders") or {"useDefault": True},
            "eventType": old.get("eventType", "default"),
            **{n: old[n] for n in ("recurringEventId", "originalStartTime") if n in old},
        }
        for name in ("start", "end"):
            if "dateTime" in event[name]:
                event[name] = {**event[name], "timeZone": event[name].get("timeZone", "UTC")}
        for guest in event.get("attendees") or ():
            guest.setdefault("responseStatus", "needsAction")
        self._set_conference(request, old, event)
        event = {name: value for name, value in event.items() if value not in (None, [], "")}
        _get_calendar(request, state)[event["id"]] = event
        return self._stamp(state, event)

    def _set_conference(self, request: ApiRequest, old: Thing, event: Thing) -> None:
        if request.query.get("conferenceDataVersion") != "1":
            event["conferenceData"] = old.get("conferenceData")
        asked = (event.get("conferenceData") or {}).get("createRequest")
        if asked and "conferenceId" not in event["conferenceData"]:
            named = f"call-{asked['requestId']}"
            entry = {"entryPointType": "video", "uri": f"https://meet.google.com/{named}"}
            event["conferenceData"] = {
                "createRequest": {**asked, "status": {"statusCode": "success"}},
                "conferenceId": named,
                "entryPoints": [entry],
            }

    def _stamp(self, state: State, event: Thing) -> Thing:
        state["moment"] += 1
        event["updated"] = _format_moment(state["moment"])
        event["etag"] = f'"{state["moment"]:016d}"'
        event["htmlLink"] = f"https://www.google.com/calendar/event?eid={event['id']}"
        return event

    def _tell(self, request: ApiRequest, event: Thing) -> None:
        if request.query.get("sendUpdates") in ("all", "externalOnly"):
            self.told += [each["email"] for each in event.get("attendees") or ()]

    def _expand(self, events: Mapping[str, Thing], *, singly: bool) -> Iterator[Thing]:
        for each in events.values():
            if not singly or not each.get("recurrence"):
                yield each
                continue
            yield from (one for one in list_instances(each) if one["id"] not in events)


def _answer(event: Thing) -> ApiAnswer:
    return ApiAnswer(body=event, headers={"ETag": event["etag"]})


def _get_calendar(request: ApiRequest, state: State) -> dict[str, Thing]:
    return require(
        state["calendars"].get(request.names["calendar_id"]), 404, "notFound", "Not Found"
    )


def _is_asked_for(event: Thing, query: Mapping[str, str]) -> bool:
    since = event.get("start") or {}
    begins = str(since.get("dateTime") or since.get("date") or "")
    token = query.get("syncToken")
    return (
        query.get("iCalUID") in (None, event.get("iCalUID"))
        and query.get("q", "").casefold() in str(event.get("summary", "")).casefold()
        and query.get("timeMin", "") <= begins
        and begins < query.get("timeMax", "~")
        and (token is None or int(event["etag"].strip('"')) > int(token))
    )


def _require_times(event: Thing) -> None:
    for name in ("start", "end"):
        said = event.get(name)
        if not isinstance(said, Mapping) or not {"date", "dateTime"} & said.keys():
            raise Refused(400, "required", f"Missing {name} time.")
        if "dateTime" in said:
            moment = datetime.fromisoformat(str(said["dateTime"]))
            if moment.tzinfo is None and not said.get("timeZone"):
                raise Refused(400, "invalid", "Missing time zone definition.")
    if (
        event.get("recurrence")
        and "dateTime" in event["start"]
        and not event["start"].get("timeZone")
    ):
        raise Refused(400, "required", "Missing time zone definition for start time.")
    if _read_time(event["end"]) <= _read_time(event["start"]):
        raise Refused(400, "timeRangeEmpty", "The specified time range is empty.")


def _read_time(said: Mapping[str, str]) -> datetime:
    moment = datetime.fromisoformat(str(said.get("dateTime") or said.get("date")))
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def list_instances(master: Thing) -> Iterator[Thing]:
    """The events of a series, by FREQ, INTERVAL and COUNT."""
    rule = dict(
        part.split("=", 1)
        for line in master.get("recurrence") or ()
        if line.startswith("RRULE:")
        for part in line.removeprefix("RRULE:").split(";")
    )
    days = {"DAILY": 1, "WEEKLY": 7}.get(rule.get("FREQ", ""))
    if days is None:
        return
    start, end = _read_time(master["start"]), _read_time(master["end"])
    whole = "date" in master["start"]
    for number in range(int(rule.get("COUNT", 52))):
        moved = timedelta(days=days * int(rule.get("INTERVAL", 1)) * number)
        at = start + moved
        named = f"{at:%Y%m%d}" if whole else f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"
        one = {name: v for name, v in copy.deepcopy(master).items() if name != "recurrence"}
        for name, moment in (("start", at), ("end", end + moved)):
            said = {"date": f"{moment:%Y-%m-%d}"} if whole else {"dateTime": moment.isoformat()}
            one[name] = {**master[name], **said}
        yield {
            **one,
            "id": f"{master['id']}_{named}",
            "recurringEventId": master["id"],
            "originalStartTime": one["start"],
        }


def _merge(old: Mapping[str, Any], new: Mapping[str, Any]) -> Thing:
    merged = dict(old)
    for name, value in new.items():
        there = merged.get(name)
        if isinstance(value, Mapping) and isinstance(there, Mapping):
            value = _merge(there, value)
        merged[name] = value
    return {name: value for name, value in merged.items() if value is not None}


def _format_moment(number: int) -> str:
    moment = datetime(2026, 11, 1, tzinfo=UTC) + timedelta(seconds=number)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
