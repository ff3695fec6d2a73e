"""The ways in which somebody without the key can change the tables of a signed store."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from mulligan.stores.crypto import GENESIS, ChainEntry, hash_entry
from mulligan.stores.watermarks import unpack_watermark

Table = list[dict[str, Any]]
Tables = dict[str, Table]

SIGNED = {
    "writer": ("id", "commits", "seq", "hash", "account", "seal"),
    "entry": ("writer", "seq", "action", "version", "state", "at_us", "body", "hash", "emptied"),
    "anchor": ("writer", "seq", "hash", "seal"),
    "action": ("id", "tenant", "opening", "state", "settled", "version", "opened_us", "detail"),
    "kept": ("owner", "name", "value", "locked", "checksum", "expires_us", "seal"),
    "key_check": ("value", "signed_us", "trusted", "identity", "places", "seal"),
    "tool": ("server", "name", "about", "seal"),
    "notes": ("tenant", "task", "version", "parent", "at_us", "model", "runs", "body", "seal"),
    "episode": ("id", "at_us", "tenant", "tool", "fingerprint", "ending", "body", "seal"),
    "lesson": ("version", "tenant", "tool", "fingerprint", "state", "agents", "learned_us"),
    "lesson_version": ("lesson", "version", "body", "seal"),
    "lesson_use": ("lesson", "call", "at_us", "turn", "principal", "benefit", "body", "seal"),
    "damage": ("writer", "seq", "what", "at_us", "note", "seal"),
}
"""What is promised to be noticed: by table, every column that is. `account` and `seal` themselves,
too; what says only how long a writer is waited for is not."""

KEYS = {
    "writer": ("id",),
    "entry": ("writer", "seq"),
    "anchor": ("writer",),
    "action": ("id",),
    "kept": ("owner", "name"),
    "key_check": ("number",),
    "tool": ("server", "name"),
    "notes": ("tenant", "task", "version"),
    "episode": ("id",),
    "lesson": ("id",),
    "lesson_version": ("lesson", "version"),
    "lesson_use": ("lesson", "call"),
    "damage": ("writer", "seq", "what"),
}


@dataclass
class Scene:
    """One tampering: what lies there, what lay there before, and the dice."""

    tables: Tables
    older: Tables
    chance: random.Random
    table: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    """Companions of the database that are to be replaced."""

    def pick(self, table: str | None = None) -> dict[str, Any]:
        return self.chance.choice(self.tables[table or self.table])


Tamper = Callable[[Scene], None]


def change(value: Any, chance: random.Random) -> Any:
    """Another value of the same type."""
    match value:
        case None:
            return chance.choice([0, 7])
        case int():
            return value + chance.choice([-1, 1, 1000])
        case bytes():
            at = chance.randrange(len(value)) if value else 0
            return value[:at] + bytes([value[at] ^ 1]) + value[at + 1 :] if value else b"x"
        case _:
            return chance.choice([f"{value}x", str(value)[:-1] or "y"])


def update(scene: Scene) -> None:
    """One column of one row."""
    row = scene.pick()
    column = scene.chance.choice(SIGNED[scene.table])
    if row[column] is None and column in ("emptied", "seal", "body"):
        row[column] = "{}" if column == "body" else b"x" * 32
    elif row[column] is None and column == "turn":
        row[column] = "t2"
    elif isinstance(row[column], bytes) and scene.chance.random() < 0.3 and column != "value":
        row[column] = None if column in ("seal", "emptied") else bytes(32)
    else:
        row[column] = change(row[column], scene.chance)
    if _list_keys(scene).count(_read_key(scene, row)) > 1:
        # No table takes two of that key.
        scene.tables[scene.table].remove(row)


def _list_keys(scene: Scene) -> list[tuple[Any, ...]]:
    return [_read_key(scene, row) for row in scene.tables[scene.table]]


def _read_key(scene: Scene, row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[key] for key in KEYS[scene.table])


def delete(scene: Scene) -> None:
    """One row, or a few."""
    rows = scene.tables[scene.table]
    for _ in range(scene.chance.choice([1, 1, 2])):
        if rows:
            rows.remove(scene.chance.choice(rows))


def insert(scene: Scene) -> None:
    """A copy of a row under another key; what somebody makes of one that is there."""
    row = deepcopy(scene.pick())
    column = scene.chance.choice(KEYS[scene.table])
    row[column] = change(row[column], scene.chance)
    if "number" in row and scene.table == "writer":
        row["number"] = 1000
    if _read_key(scene, row) in _list_keys(scene) or scene.table == "key_check":
        delete(scene)
    else:
        scene.tables[scene.table].append(row)


def swap(scene: Scene) -> None:
    """What two rows hold, with all their signatures, exchanged."""
    rows = scene.tables[scene.table]
    keys = (*KEYS[scene.table], "number")
    pairs = [
        (one, two)
        for one in rows
        for two in rows
        if one is not two and _without(one, keys) != _without(two, keys)
    ]
    if not pairs:
        delete(scene)
        return
    one, two = scene.chance.choice(pairs)
    for column in one:
        if column not in keys:
            one[column], two[column] = two[column], one[column]


def _without(row: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name in row and name not in keys}


def replay(scene: Scene) -> None:
    """A row as it was before, with the signature that it had then."""
    keys = KEYS[scene.table]
    now = {tuple(row[key] for key in keys): row for row in scene.tables[scene.table]}
    candidates = []
    for row in scene.older[scene.table]:
        found = now.get(tuple(row[key] for key in keys))
        if found is None or any(found[name] != row[name] for name in SIGNED[scene.table]):
            candidates.append((found, row))
    if not candidates:
        delete(scene)
        return
    found, row = scene.chance.choice(candidates)
    if found is not None:
        scene.tables[scene.table].remove(found)
    scene.tables[scene.table].append(deepcopy(row))


def truncate(scene: Scene) -> None:
    """The end of a table, or all of it."""
    rows = scene.tables[scene.table]
    keep = scene.chance.choice([0, len(rows) // 2, max(0, len(rows) - 1)])
    del rows[keep:]


def downgrade_value(scene: Scene) -> None:
    """A snapshot of one's own, in plain text with the checksum that plain text has."""
    row = scene.pick("kept")
    forged, whose = b"forged", f"{len(row['owner'])}:{row['owner']}{row['name']}".encode()
    bound = hashlib.sha256(f"0:{len(whose)}:".encode() + whose + forged).digest()
    checksum = scene.chance.choice([b"2" + bound, hashlib.sha256(b"0:" + forged).digest()])
    row |= {"value": forged, "locked": 0, "checksum": checksum}
    if scene.chance.random() < 0.5:
        row["seal"] = None


def strip_row(scene: Scene) -> None:
    """A row without its signature."""
    tables = [name for name in SIGNED if "seal" in SIGNED[name] and scene.tables[name]]
    scene.pick(scene.chance.choice(tables))["seal"] = None


def strip_table(scene: Scene) -> None:
    """A whole table without signatures."""
    tables = [name for name in SIGNED if "seal" in SIGNED[name] and scene.tables[name]]
    for row in scene.tables[scene.chance.choice(tables)]:
        row["seal"] = None


def remove_key(scene: Scene) -> None:
    """The proof of the key, or that and some of what is signed."""
    scene.tables["key_check"].clear()
    for name in scene.chance.sample([n for n in SIGNED if "seal" in SIGNED[n]], 2):
        for row in scene.tables[name]:
            row["seal"] = None


def hide_action(scene: Scene) -> None:
    """An open action, by two statements."""
    action = scene.chance.choice([row for row in scene.tables["action"] if not row["settled"]])
    lines = [row for row in scene.tables["entry"] if row["action"] == action["id"]]
    way = scene.chance.choice(["hollow", "settle", "forge", "remove"])
    if way == "settle":
        action |= {"settled": 1, "state": "verified"}
        lines[-1]["state"] = "verified"
        return
    if way == "forge":
        last = max(scene.tables["entry"], key=lambda row: (row["writer"], row["seq"]))
        version = action["version"] + 1
        body = '{"opening":null,"detail":{}}'
        line = ChainEntry(last["writer"], last["seq"] + 1, action["id"], version, "verified",
                          action["changed_us"], body, b"")  # fmt: skip
        line = line._replace(hash=hash_entry(last["hash"], line))
        scene.tables["entry"].append(line._asdict())
        action |= {"settled": 1, "state": "verified", "version": version, "detail": "{}"}
        return
    scene.tables["action"].remove(action)
    for line in lines:
        if way == "hollow":
            line["body"] = None
        else:
            scene.tables["entry"].remove(line)


def rewrite_chain(scene: Scene) -> None:
    """A writer's whole chain with one entry changed, hashed anew as if there were no key."""
    writers = [row["writer"] for row in scene.tables["entry"] if row["body"]]
    writer = scene.chance.choice(writers)
    lines = sorted(
        (row for row in scene.tables["entry"] if row["writer"] == writer), key=lambda r: r["seq"]
    )
    changed = scene.chance.choice([row for row in lines if row["body"]])
    changed["at_us"] += 1
    anchors = {row["writer"]: row for row in scene.tables["anchor"]}
    previous = anchors[writer]["hash"] if writer in anchors else GENESIS
    for row in lines:
        if row["body"] is not None:
            row["hash"] = hash_entry(previous, ChainEntry(**row))
        previous = row["hash"]
    [head] = [row for row in scene.tables["writer"] if row["id"] == writer]
    head["hash"] = previous


def forge_anchor(scene: Scene) -> None:
    """The beginning of a chain, as if retention had taken it."""
    line = scene.pick("entry")
    gone = [
        row
        for row in scene.tables["entry"]
        if row["writer"] == line["writer"] and row["seq"] <= line["seq"]
    ]
    for row in gone:
        scene.tables["entry"].remove(row)
    names = {row["action"] for row in gone}
    scene.tables["action"] = [row for row in scene.tables["action"] if row["id"] not in names]
    scene.tables["anchor"] = [r for r in scene.tables["anchor"] if r["writer"] != line["writer"]]
    anchor = {"writer": line["writer"], "seq": line["seq"], "hash": line["hash"], "seal": None}
    scene.tables["anchor"].append(anchor)


def remove_writer(scene: Scene) -> None:
    """A writer with everything it ever wrote; not the last one, which is the store as it was."""
    numbers = sorted(row["number"] for row in scene.tables["writer"])
    writer = scene.chance.choice([r for r in scene.tables["writer"] if r["number"] < numbers[-1]])
    scene.tables["writer"].remove(writer)
    lines = [row for row in scene.tables["entry"] if row["writer"] == writer["id"]]
    names = {row["action"] for row in lines}
    for name, column in (("entry", "action"), ("action", "id"), ("kept", "owner")):
        scene.tables[name] = [row for row in scene.tables[name] if row[column] not in names]
    scene.tables["anchor"] = [r for r in scene.tables["anchor"] if r["writer"] != writer["id"]]


def accept_for_them(scene: Scene) -> None:
    """A change, and with it a row which says that a person has accepted it."""
    action = scene.pick("action")
    action["detail"] = '{"forged":1}'
    what = f"Action {action['id']} is not what its entries say: look at its detail."
    row = {"writer": "", "seq": 0, "what": what, "at_us": 1, "note": "fine", "seal": b"x" * 32}
    scene.tables["damage"].append(row)


def end_early(scene: Scene) -> None:
    """The end of a value or the age of an action, so that our own retention takes it."""
    if scene.chance.random() < 0.5:
        scene.pick("kept")["expires_us"] = 1
    else:
        scene.pick("action")["changed_us"] = 1


def forge_mark(scene: Scene) -> None:
    """A mark that says less than the true one, or that nobody has signed."""
    content = bytearray(scene.files["mark"])
    records = [at for at in range(0, len(content), 64) if any(content[at : at + 64])]
    at = scene.chance.choice(records)
    if scene.chance.random() < 0.5:
        content[at : at + 64] = bytes(64)
    else:
        mark = unpack_watermark(bytes(content[at : at + 64]))
        assert mark is not None
        content[at : at + 64] = replace(mark, seq=max(0, mark.seq - 1), commits=0).pack()
    scene.files["mark"] = bytes(content)


def roll_back_file(scene: Scene) -> None:
    """The database as it was, and the marks as they are now."""
    scene.tables.clear()
    scene.tables.update(deepcopy(scene.older))


BY_TABLE: tuple[Tamper, ...] = (update, delete, insert, swap, replay, truncate)
ALONE: tuple[Tamper, ...] = (
    downgrade_value,
    strip_row,
    strip_table,
    remove_key,
    hide_action,
    rewrite_chain,
    forge_anchor,
    remove_writer,
    accept_for_them,
    end_early,
)
ON_FILES: tuple[Tamper, ...] = (forge_mark, roll_back_file)


def list_kinds(*, files: bool) -> list[tuple[Tamper, str]]:
    """Every kind, with its table where it has one."""
    return [
        *((kind, table) for kind in BY_TABLE for table in SIGNED),
        *((kind, "") for kind in (*ALONE, *(ON_FILES if files else ())) for _ in range(3)),
    ]
