"""What random histories of a service are made of: what is there, the calls, a second person."""

from __future__ import annotations

import random
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from typing import Any

from bench.packs.effects import Seen
from mulligan_packs.services.table import load_table
from mulligan_testing.simulations import Simulation
from mulligan_testing.simulations.google_calendar import list_instances
from mulligan_testing.simulations.notion import HOME, SCRATCH, is_trashed
from mulligan_testing.simulations.outlook import list_instances as list_outlook_instances

Given = dict[str, Any]
Edit = tuple[str, str, Any]
EVENING = {
    "start": {"dateTime": "2026-11-20T18:00:00Z", "timeZone": "UTC"},
    "end": {"dateTime": "2026-11-20T19:00:00Z", "timeZone": "UTC"},
}
EVENTS = ("event1", "event2", "series_20261127T180000Z", "series_20261204T180000Z")
FIRST = "1763510400.000001"
"""The first message that is there."""
_REPO = {"repository": "family/house"}
_FILE = {**_REPO, "branch": "main", "message": "m"}


class Stage:
    """One service."""

    first = "base"
    """Who has written what is there at the beginning."""

    def draw_call(self, chance: random.Random) -> tuple[str, Given]:
        """An operation, and what it is called with."""
        raise NotImplementedError

    def list_base(self) -> list[Edit]:
        """The requests that make what there is at the beginning."""
        raise NotImplementedError

    def look(self, simulation: Simulation) -> Seen:
        """All that people have written, each by its name."""
        raise NotImplementedError

    def draw_edit(self, chance: random.Random, said: str, *, between: bool) -> Edit:
        """What the second person does; `between` a look and the call that it is for."""
        raise NotImplementedError


class CalendarStage(Stage):
    """Google Calendar."""

    def draw_call(self, chance: random.Random) -> tuple[str, Given]:
        event = {"calendar_id": "primary", "event_id": chance.choice(EVENTS)}
        title = {"summary": chance.choice(("Wrong", "Wrong too"))}
        way = chance.choice(
            ("create", "update", "update", "replace", "delete", "move", "bulk", "series")
        )
        match way:
            case "create":
                weekly = (
                    {"recurrence": ["RRULE:FREQ=DAILY;COUNT=3"]} if chance.random() < 0.3 else {}
                )
                return "create_event", {"calendar_id": "primary", **title, **EVENING, **weekly}
            case "update":
                return "update_event", {**event, **title}
            case "replace":
                return "replace_event", {**event, "event_id": "event1", **title, **EVENING}
            case "delete":
                return "delete_event", event
            case "move":
                return "move_event", {**event, "event_id": "event1", "destination": "family"}
            case "series":
                work, more = chance.choice((("update_event", title), ("delete_event", {})))
                return work, {"calendar_id": "primary", "event_id": "series", **more}
            case _:
                named = chance.sample(EVENTS, 2)
                return "update_events", {
                    "updates": [
                        {"calendar_id": "primary", "event_id": each, **title} for each in named
                    ]
                }

    def list_base(self) -> list[Edit]:
        series: Given = {
            "id": "series",
            "summary": "Series",
            "recurrence": ["RRULE:FREQ=WEEKLY;COUNT=4"],
        }
        events = [{"id": f"event{number}", "summary": f"Base {number}"} for number in (1, 2)]
        made: list[Edit] = [
            ("POST", "/calendars/primary/events", {**each, **EVENING}) for each in (*events, series)
        ]
        exception = f"/calendars/primary/events/{EVENTS[2]}"
        return [*made, ("PATCH", exception, {"summary": "Exception"})]

    def look(self, simulation: Simulation) -> Seen:
        """Every event that is there; one of a series that says what the series says is none."""
        own = load_table("google-calendar").objects["event"].own

        def strip(event: Given) -> Given:
            return {name: value for name, value in event.items() if name not in own}

        found: Seen = {}
        for calendar, events in simulation.state["calendars"].items():
            for name, event in events.items():
                series = events.get(event.get("recurringEventId"))
                plain = (
                    {each["id"]: strip(each) for each in list_instances(series)} if series else {}
                )
                if strip(event) != plain.get(name) and (series or event["status"] != "cancelled"):
                    found[f"{calendar}/{name}"] = strip(event)
        return found

    def draw_edit(self, chance: random.Random, said: str, *, between: bool) -> Edit:
        del between
        event = chance.choice(("event1", "series", *EVENTS))
        return "PATCH", f"/calendars/primary/events/{event}", {"location": said}


class GitHubStage(Stage):
    """GitHub."""

    def draw_call(self, chance: random.Random) -> tuple[str, Given]:
        issue = {**_REPO, "issue_number": 10}
        text = chance.choice(("Wrong", "Wrong too"))
        path = {**_FILE, "path": chance.choice(("a.txt", "docs/b.txt"))}
        ways: list[tuple[str, Given]] = [
            ("update_issue", {**issue, "title": text}),
            ("update_issue", {**issue, "state": "closed"}),
            ("add_labels", {**issue, "labels": ["wrong"]}),
            ("remove_label", {**issue, "name": "base"}),
            ("create_comment", {**issue, "body": text}),
            ("update_comment", {**_REPO, "comment_id": 1, "body": text}),
            ("create_file", {**_FILE, "path": f"new-{text}.txt", "content": "d3JvbmcK"}),
            ("update_file", {**path, "content": "d3JvbmcK"}),
            ("delete_file", path),
            ("update_pull_request", {**_REPO, "pull_number": 1, "title": text}),
        ]
        return chance.choice(ways)

    def list_base(self) -> list[Edit]:
        file = {"message": "m", "content": "YmFzZQo=", "branch": "main"}
        return [
            ("POST", "/repos/family/house/issues", {"title": "Base", "labels": ["base"]}),
            ("POST", "/repos/family/house/issues/10/comments", {"body": "Base"}),
            *(
                ("PUT", f"/repos/family/house/contents/{path}", file)
                for path in ("a.txt", "docs/b.txt")
            ),
        ]

    def look(self, simulation: Simulation) -> Seen:
        house = simulation.state["family/house"]
        # Of an issue or a pull request each call changes some fields, and others are others'.
        return {
            f"{kind}/{name} {field}": sorted(value) if isinstance(value, list) else value
            for kind in house
            for name, thing in house[kind].items()
            for field, value in thing.items()
            if value is not None
        }

    def draw_edit(self, chance: random.Random, said: str, *, between: bool) -> Edit:
        del between
        ways: list[Edit] = [
            ("PATCH", "/issues/10", {"body": said}),
            ("POST", "/issues/10/labels", {"labels": [said]}),
            ("PATCH", "/pulls/1", {"body": said}),
            ("POST", "/issues/10/comments", {"body": said}),
        ]
        method, path, body = chance.choice(ways)
        return method, f"/repos/family/house{path}", body


class SlackStage(Stage):
    """Slack."""

    first = "agent"

    def draw_call(self, chance: random.Random) -> tuple[str, Given]:
        text = chance.choice(("wrong", "wrong too"))
        message = {"channel": "C1", "timestamp": FIRST}
        ways: list[tuple[str, Given]] = [
            ("post_message", {"channel": "C1", "text": text}),
            ("post_message", {"channel": "C1", "text": text, "thread_ts": FIRST}),
            ("update_message", {"channel": "C1", "ts": FIRST, "text": text}),
            ("set_topic", {"channel": "C1", "topic": text}),
            ("set_purpose", {"channel": "C1", "purpose": text}),
            ("add_reaction", {**message, "name": "eyes"}),
            ("remove_reaction", {**message, "name": "tada"}),
            ("add_pin", message),
            ("archive_channel", {"channel": "C2"}),
        ]
        return chance.choice(ways)

    def list_base(self) -> list[Edit]:
        reaction = {"channel": "C1", "timestamp": FIRST, "name": "tada"}
        return [
            ("POST", "/chat.postMessage", {"channel": "C1", "text": "Base"}),
            ("POST", "/reactions.add", reaction),
        ]

    def look(self, simulation: Simulation) -> Seen:
        found: Seen = {}
        for channel, each in simulation.state.items():
            found |= {f"{channel}/{n}": each[n] for n in ("topic", "purpose", "archived")}
            found |= {f"{channel}/pin {ts}": by for ts, by in each["pins"].items()}
            for ts, message in each["messages"].items():
                found[f"{channel}/{ts}"] = message["text"]
                reactions = message.get("reactions", {})
                found |= {f"{channel}/{ts} {n}": sorted(who) for n, who in reactions.items()}
        return found

    def draw_edit(self, chance: random.Random, said: str, *, between: bool) -> Edit:
        ways: list[Edit] = [
            ("POST", "/conversations.setTopic", {"channel": "C1", "topic": said}),
            ("POST", "/reactions.add", {"channel": "C1", "timestamp": FIRST, "name": "eyes"}),
            ("POST", "/chat.postMessage", {"channel": "C1", "text": said, "thread_ts": FIRST}),
            ("POST", "/chat.update", {"channel": "C1", "ts": FIRST, "text": said}),
        ]
        # Without versions, an edit of the very text between a look and a call is lost by it.
        return chance.choice(ways[1:3] if between else ways)


MAILS = tuple(f"19a{number:013x}" for number in (1, 2, 3))
"""Those that are there: the third is in the trash."""
DRAFT = "r00000005"


class GmailStage(Stage):
    """Gmail."""

    def draw_call(self, chance: random.Random) -> tuple[str, Given]:
        mail = {"message_id": chance.choice(MAILS)}
        change = chance.choice(
            (
                {"remove_label_ids": ["INBOX", "UNREAD"]},
                {"add_label_ids": ["STARRED"]},
                {"add_label_ids": ["STARRED", "Label_1"], "remove_label_ids": ["INBOX"]},
            )
        )
        raw, name = _write_mail(chance.choice(("Wrong", "Wrong too"))), f"Wrong {chance.random()}"
        ways: list[tuple[str, Given]] = [
            ("modify_message", {**mail, **change}),
            ("modify_message", {**mail, **change}),
            ("modify_messages", {"ids": chance.sample(MAILS, 2), **change}),
            ("trash_message", mail),
            ("untrash_message", {"message_id": MAILS[2]}),
            ("insert_message", {"raw": raw, "label_ids": ["INBOX"]}),
            ("create_draft", {"raw": raw}),
            ("update_draft", {"draft_id": DRAFT, "raw": raw}),
            ("create_label", {"name": name}),
            ("update_label", {"label_id": "Label_1", "name": name}),
        ]
        return chance.choice(ways)

    def list_base(self) -> list[Edit]:
        mail = {"raw": _write_mail("Base"), "labelIds": ["INBOX", "UNREAD"]}
        return [
            *[("POST", "/users/me/messages", mail)] * len(MAILS),
            ("POST", f"/users/me/messages/{MAILS[2]}/trash", None),
            ("POST", "/users/me/drafts", {"message": {"raw": _write_mail("Base")}}),
        ]

    def look(self, simulation: Simulation) -> Seen:
        state = simulation.state
        mails = {f"mail/{n}": sorted(each["labelIds"]) for n, each in state["messages"].items()}
        # What was put in, and is in the trash, is as good as gone.
        found = {n: v for n, v in mails.items() if "TRASH" not in v or n[5:] in MAILS}
        found |= {f"draft/{n}": each["message"]["raw"] for n, each in state["drafts"].items()}
        return found | {f"label/{n}": each["name"] for n, each in state["labels"].items()}

    def draw_edit(self, chance: random.Random, said: str, *, between: bool) -> Edit:
        mail = f"/users/me/messages/{chance.choice(MAILS)}/modify"
        ways: list[Edit] = [
            ("POST", mail, {"addLabelIds": [chance.choice(("IMPORTANT", "Label_2"))]}),
            ("POST", mail, {"addLabelIds": ["IMPORTANT"], "removeLabelIds": ["INBOX"]}),
            ("POST", mail, {"removeLabelIds": ["STARRED"]}),
            ("PUT", f"/users/me/drafts/{DRAFT}", {"message": {"raw": _write_mail(said)}}),
            ("PATCH", "/users/me/labels/Label_1", {"name": said}),
        ]
        # Without versions, an edit of the very text between a look and a call is lost by it.
        return chance.choice(ways[:1] if between else ways)


def _write_mail(text: str) -> str:
    mail = f"To: grandma@example.com\r\nSubject: {text}\r\n\r\n{text}"
    return urlsafe_b64encode(mail.encode()).decode()


def _name(number: int) -> str:
    return f"{number + 15:08x}-0000-4000-8000-000000000000"


PAGE, BLOCK, DATABASE, TABLE, ROW, MADE = map(_name, range(1, 7))
"""What is there at the beginning, and what is made first after it."""


def _text(text: str) -> list[Given]:
    return [{"text": {"content": text}}]


def _paragraph(text: str) -> Given:
    return {"paragraph": {"rich_text": _text(text)}}


def _title(text: str, name: str = "title") -> Given:
    return {name: {"title": _text(text)}}


_COLUMNS: Given = {"Name": {"title": {}}, "Count": {"number": {}}, "Notes": {"rich_text": {}}}
_TABLE = {"properties": {**_COLUMNS, "Edited": {"last_edited_time": {}}}}


class NotionStage(Stage):
    """Notion."""

    def draw_call(self, chance: random.Random) -> tuple[str, Given]:
        text = chance.choice(("Wrong", "Wrong too"))
        ways: list[tuple[str, Given]] = [
            ("create_page", {"parent_id": HOME, "properties": _title(text)}),
            ("create_page", {
                "parent_id": HOME, "properties": _title(text), "children": [_paragraph(text)],
            }),
            ("create_row", {"data_source_id": TABLE, "properties": _title(text, "Name")}),
            ("update_page", {"page_id": PAGE, "properties": _title(text)}),
            ("update_page", {"page_id": ROW, "properties": {"Count": {"number": len(text)}}}),
            ("trash_page", {"page_id": PAGE}),
            ("trash_page", {"page_id": ROW}),
            ("move_page", {"page_id": PAGE, "parent_id": SCRATCH}),
            ("append_block", {"parent_id": PAGE, "block": _paragraph(text)}),
            ("update_block", {"block_id": BLOCK, "content": _paragraph(text)}),
            ("delete_block", {"block_id": BLOCK}),
            ("update_database", {"database_id": DATABASE, "title": _text(text)}),
        ]  # fmt: skip
        return chance.choice(ways)

    def list_base(self) -> list[Edit]:
        return [
            ("POST", "/pages", {"parent": {"page_id": HOME}, "properties": _title("Base")}),
            ("PATCH", f"/blocks/{PAGE}/children", {"children": [_paragraph("Base")]}),
            ("POST", "/databases", {
                "parent": {"page_id": HOME}, "title": _text("Base"), "initial_data_source": _TABLE,
            }),
            ("POST", "/pages", {
                "parent": {"data_source_id": TABLE}, "properties": _title("Base", "Name"),
            }),
        ]  # fmt: skip

    def look(self, simulation: Simulation) -> Seen:
        state, found = simulation.state, Seen()
        for kind in ("pages", "blocks", "databases"):
            for name, thing in state[kind].items():
                if not is_trashed(state, thing):
                    parts = {**thing.get("properties", {}), "content": thing.get("content")}
                    parts |= {
                        n: thing.get(n) for n in ("title", "description") if kind == "databases"
                    }
                    found |= {f"{name} {part}": each for part, each in parts.items() if each}
                    found[f"{name} in"] = thing["parent"]
        return found

    def draw_edit(self, chance: random.Random, said: str, *, between: bool) -> Edit:
        edits: list[Edit] = [
            ("PATCH", f"/pages/{ROW}", {"properties": {"Notes": {"rich_text": _text(said)}}}),
            ("PATCH", f"/blocks/{PAGE}/children", {"children": [_paragraph(said)]}),
            ("PATCH", f"/blocks/{MADE}/children", {"children": [_paragraph(said)]}),
            ("PATCH", f"/databases/{DATABASE}", {"description": _text(said)}),
        ]
        # Without versions, an edit of the very text between a look and a call is lost by it.
        if not between:
            edits.append(("PATCH", f"/pages/{PAGE}", {"properties": _title(said)}))
            edits.append(("PATCH", f"/blocks/{BLOCK}", _paragraph(said)))
        return chance.choice(edits)


_HOME = {"customer": "cus_home"}
_MONEY = {"amount": 100, "currency": "eur"}
_MADE = {
    "products": "prod", "prices": "price", "coupons": "coupon", "invoices": "in",
    "invoiceitems": "ii", "payment_intents": "pi", "subscriptions": "sub",
}  # fmt: skip
PRODUCT, PRICE, COUPON, INVOICE, ITEM, PAYMENT, SUBSCRIPTION = (
    f"{short}_{at:08d}" for at, short in enumerate(_MADE.values(), 1)
)


ISSUE, DONE = "10001", "10002"


class JiraStage(Stage):
    """Jira."""

    def draw_call(self, chance: random.Random) -> tuple[str, Given]:
        text = chance.choice(("Wrong", "Wrong too"))
        issue = {"issue_id": ISSUE}
        ways: list[tuple[str, Given]] = [
            ("create_issue", {"project": "HOME", "issue_type": "Task", "summary": text}),
            ("update_issue", {**issue, "summary": text}),
            ("update_issue", {**issue, "description": _document(text), "labels": ["wrong"]}),
            ("transition_issue", {**issue, "transition_id": "11", "status": "2"}),
            ("create_comment", {**issue, "body": _document(text)}),
            ("update_comment", {**issue, "comment_id": "10003", "body": _document(text)}),
            ("add_worklog", {**issue, "seconds": 3_600}),
            ("update_worklog", {**issue, "worklog_id": "10004", "seconds": 7_200}),
            ("delete_issue", issue),
        ]
        return chance.choice(ways)

    def list_base(self) -> list[Edit]:
        base = {"project": {"key": "HOME"}, "issuetype": {"name": "Task"}, "summary": "Base"}
        return [
            ("POST", "/issue", {"fields": {**base, "labels": ["base"]}}),
            ("POST", "/issue", {"fields": base}),
            ("POST", f"/issue/{ISSUE}/comment", {"body": _document("Base")}),
            ("POST", f"/issue/{ISSUE}/worklog", {"timeSpentSeconds": 60}),
        ]

    def look(self, simulation: Simulation) -> Seen:
        return {
            f"{kind} {name} {field}": value
            for kind, things in simulation.state.items()
            for name, thing in things.items()
            for field, value in thing.items()
            if value is not None
        }

    def draw_edit(self, chance: random.Random, said: str, *, between: bool) -> Edit:
        edits: list[Edit] = [
            ("PUT", f"/issue/{ISSUE}", {"fields": {"environment": _document(said)}}),
            ("POST", f"/issue/{ISSUE}/comment", {"body": _document(said)}),
            ("POST", "/issue/10005/comment", {"body": _document(said)}),
            ("PUT", "/issue/10005", {"fields": {"environment": _document(said)}}),
        ]
        # Without versions, an edit of the very text between a look and a call is lost by it.
        if not between:
            edits.append(("PUT", f"/issue/{ISSUE}", {"fields": {"summary": said}}))
            edits.append(("PUT", f"/issue/{ISSUE}/comment/10003", {"body": _document(said)}))
        return chance.choice(edits)


def _document(text: str) -> Given:
    said = [{"type": "text", "text": text}]
    return {"type": "doc", "version": 1, "content": [{"type": "paragraph", "content": said}]}


class StripeStage(Stage):
    """Stripe."""

    def draw_call(self, chance: random.Random) -> tuple[str, Given]:
        text = chance.choice(("Wrong", "Wrong too"))
        said = {"description": text}
        ways: list[tuple[str, Given]] = [
            ("create_customer", {"name": text, "metadata": {"room": "1"}}),
            (
                "update_customer",
                {"customer_id": "cus_home", "name": text, "metadata": {"room": "2"}},
            ),
            ("create_product", {"name": text}),
            ("update_product", {"product_id": PRODUCT, "active": False}),
            ("create_price", {"product": PRODUCT, "currency": "eur", "unit_amount": 100}),
            ("archive_price", {"price_id": PRICE}),
            ("create_coupon", {"percent_off": 10, "name": text}),
            ("update_coupon", {"coupon_id": COUPON, "name": text}),
            ("create_invoice", {**_HOME, **said}),
            ("update_invoice", {"invoice_id": INVOICE, **said}),
            ("create_invoice_item", {**_HOME, **_MONEY, **said, "invoice": INVOICE}),
            ("update_invoice_item", {"invoice_item_id": ITEM, "amount": 200}),
            ("create_payment_intent", {**_HOME, **_MONEY, **said}),
            ("update_payment_intent", {"payment_intent_id": PAYMENT, **said}),
            (
                "update_subscription",
                {"subscription_id": SUBSCRIPTION, "cancel_at_period_end": True},
            ),
            ("create_refund", {"charge": "ch_1"}),
        ]
        return chance.choice(ways)

    def list_base(self) -> list[Edit]:
        return [
            ("POST", "/products", {"name": "Base", "metadata": {"room": "1"}}),
            ("POST", "/prices", {"product": PRODUCT, "currency": "eur", "unit_amount": 100}),
            ("POST", "/coupons", {"percent_off": 10, "name": "Base"}),
            ("POST", "/invoices", {**_HOME, "description": "Base"}),
            ("POST", "/invoiceitems", {**_HOME, **_MONEY}),
            ("POST", "/payment_intents", {**_HOME, **_MONEY, "description": "Base"}),
            ("POST", "/subscriptions", {**_HOME}),
        ]

    def look(self, simulation: Simulation) -> Seen:
        gone = {"status": "canceled", "active": False, "deleted": True}
        found = Seen()
        for things in simulation.state.values():
            for name, thing in things.items():
                metadata = thing.get("metadata", {})
                fields = {**thing, **{f"metadata {key}": each for key, each in metadata.items()}}
                # What was there before is archived, and not gone.
                if any(thing.get(n) == v for n, v in gone.items()) and name not in (PRODUCT, PRICE):
                    continue
                found |= {
                    f"{name} {key}": each
                    for key, each in fields.items()
                    if each not in (None, {}) and key != "metadata"
                }
        return found

    def draw_edit(self, chance: random.Random, said: str, *, between: bool) -> Edit:
        by = {"metadata": {"by": said}}
        edits: list[Edit] = [
            ("POST", f"/{kind}/{short}_{at:08d}", by)
            for at, (kind, short) in enumerate(_MADE.items(), 1)
        ]
        edits.append(("POST", "/customers/cus_home", by))
        edits.append(("POST", "/subscriptions", {"customer": "cus_00000008", "description": said}))
        # Without versions, an edit of the very text between a look and a call is lost by it.
        if not between:
            edits.append(("POST", "/customers/cus_home", {"name": said}))
        return chance.choice(edits)


NOON = {
    "start": {"dateTime": "2026-11-20T12:00:00", "timeZone": "UTC"},
    "end": {"dateTime": "2026-11-20T13:00:00", "timeZone": "UTC"},
}
PARTIES = ("AAMkE00000001", "AAMkE00000002", "AAMkE00000003")
"""The third is a series."""
WEEKLY = {
    "pattern": {"type": "weekly", "interval": 1},
    "range": {"type": "numbered", "numberOfOccurrences": 4},
}


class OutlookCalendarStage(Stage):
    """Outlook's calendars."""

    def draw_call(self, chance: random.Random) -> tuple[str, Given]:
        event = {"calendar_id": "c1", "event_id": chance.choice(PARTIES)}
        title = {"subject": chance.choice(("Wrong", "Wrong too"))}
        later = {"end": {"dateTime": "2026-11-20T14:00:00", "timeZone": "UTC"}}
        series = {"recurrence": WEEKLY} if chance.random() < 0.3 else {}
        one = {**event, "event_id": f"{PARTIES[2]}.2026-11-27"}
        ways: list[tuple[str, Given]] = [
            ("create_event", {"calendar_id": "c1", **title, **NOON, **series}),
            ("update_event", {**event, **title}),
            ("update_event", {**event, **title, "show_as": "free", "categories": ["Wrong"]}),
            ("update_event", {**event, **later, "event_id": chance.choice(PARTIES[:2])}),
            ("update_event", {**one, **title}),
        ]
        return chance.choice(ways)

    def list_base(self) -> list[Edit]:
        path = "/me/calendars/c1/events"
        events: list[Given] = [{"subject": f"Base {number}", **NOON} for number in (1, 2)]
        return [
            *(("POST", path, each) for each in events),
            ("POST", path, {"subject": "Series", "recurrence": WEEKLY, **NOON}),
        ]

    def look(self, simulation: Simulation) -> Seen:
        keep = load_table("outlook-calendar").objects["event"].keep
        found: Seen = {}
        for events in simulation.state["calendars"].values():
            for name, event in events.items():
                series = events.get(event.get("seriesMasterId"))
                said = [*list_outlook_instances(series)] if series else []
                plain = next((each for each in said if each["id"] == name), {})
                if any(event.get(each) != plain.get(each) for each in keep):
                    found[name] = {each: event.get(each) for each in keep}
        return found

    def draw_edit(self, chance: random.Random, said: str, *, between: bool) -> Edit:
        del between
        event = chance.choice((*PARTIES, f"{PARTIES[2]}.2026-12-04"))
        return "PATCH", f"/me/calendars/c1/events/{event}", {"location": {"displayName": said}}


NOTES = ("AAMkM00000001", "AAMkM00000002")
SHELF = "f-made00000003"


class OutlookMailStage(Stage):
    """Outlook's mail."""

    def draw_call(self, chance: random.Random) -> tuple[str, Given]:
        mail = {"message_id": chance.choice(NOTES)}
        text = chance.choice(("Wrong", "Wrong too"))
        body = {"contentType": "text", "content": text}
        ways: list[tuple[str, Given]] = [
            ("update_message", {**mail, "is_read": False}),
            ("update_message", {**mail, "categories": [text], "importance": "high"}),
            ("update_message", {**mail, "subject": text, "body": body}),
            ("move_message", {**mail, "destination_id": chance.choice(("f-plans", SHELF))}),
            ("trash_message", mail),
            ("copy_message", {**mail, "destination_id": "inbox"}),
            ("create_draft", {"folder_id": "inbox", "subject": text, "body": body}),
            ("create_reply", {**mail, "comment": text}),
            ("create_folder", {"folder_id": "inbox", "display_name": f"{text} {chance.random()}"}),
            ("rename_folder", {"folder_id": SHELF, "display_name": text}),
            ("move_folder", {"folder_id": SHELF, "destination_id": "f-plans"}),
        ]
        return chance.choice(ways)

    def list_base(self) -> list[Edit]:
        mail = {"subject": "Base", "body": {"contentType": "text", "content": "Base"}}
        return [
            *[("POST", "/me/mailFolders/inbox/messages", mail)] * len(NOTES),
            ("POST", "/me/mailFolders/inbox/childFolders", {"displayName": "Base"}),
        ]

    def look(self, simulation: Simulation) -> Seen:
        state = simulation.state
        found: Seen = {
            f"{name}/{field}": mail.get(field)
            for name, mail in state["messages"].items()
            for field in ("subject", "body", "isRead", "importance", "categories", "parentFolderId")
        }
        for name, folder in state["folders"].items():
            found |= {f"{name}/{field}": value for field, value in folder.items()}
        return found

    def draw_edit(self, chance: random.Random, said: str, *, between: bool) -> Edit:
        mail = f"/me/messages/{chance.choice(NOTES)}"
        ways: list[Edit] = [
            ("PATCH", mail, {"categories": [said]}),
            ("PATCH", mail, {"subject": said}),
            ("POST", f"{mail}/move", {"destinationId": "f-scratch"}),
            ("PATCH", f"/me/mailFolders/{SHELF}", {"displayName": said}),
        ]
        # A folder has no version, so that an edit of its very name between a look and a call is
        # lost by it; nor has a move a condition.
        return chance.choice(ways[:2] if between else ways)


STAGES: Mapping[str, Stage] = {
    "github": GitHubStage(),
    "gmail": GmailStage(),
    "google-calendar": CalendarStage(),
    "jira": JiraStage(),
    "notion": NotionStage(),
    "outlook-calendar": OutlookCalendarStage(),
    "outlook-mail": OutlookMailStage(),
    "slack": SlackStage(),
    "stripe": StripeStage(),
}
"""By the name of the service."""
