"""What a person does to everything there is, whenever they like."""

from __future__ import annotations

from collections.abc import Sequence

from bench.crash.calendar import EVENTS
from bench.crash.scenario import FRIDAY
from mulligan_testing.remote import FakeRemote


def disturb(remote: FakeRemote, *, person: str = "edits", absent: Sequence[str] = ()) -> None:
    """Change, delete or make anew everything there is; an editor also makes what is missing."""
    if person == "looks on":
        return
    items, count = remote.list_items(), len(remote.ledger())
    same = person == "edits alike"
    data = {"by": "a person", "day": FRIDAY if same else f"edit {count}"}
    for item in items.values():
        # A mark is a hidden property: whoever edits what they see leaves it where it is.
        kept = {"mark": item.data["mark"]} if "mark" in item.data else {}
        if person.startswith("edits"):
            for _ in range(2 if person == "edits twice" else 1):
                remote.update(item.id, data | kept, by="person")
        else:
            remote.delete(item.id, by="person")
        if person == "makes anew":
            remote.create(data, id=item.id, by="person")
    if person != "deletes":
        for event_id in sorted({*EVENTS, *absent} - set(items)):
            remote.create(data, id=event_id, by="person")
