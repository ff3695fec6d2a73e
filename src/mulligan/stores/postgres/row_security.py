"""What a role of one tenant sees of each table, and the policies that hold it to that."""

from __future__ import annotations

from collections.abc import Mapping

OWN_TENANT = '(select access.tenant from access where access.role = current_user) collate "C"'
"""Whose rows the asking role may see: nobody's where it was given no tenant."""

BY_COLUMN = frozenset(
    {
        "action",
        "case_count",
        "daily",
        "ending_count",
        "episode",
        "execution",
        "finding",
        "ground",
        "hourly",
        "lesson",
        "notes",
        "pattern",
        "row_kind",
        "text_hour",
    }
)
"""Tables whose rows say themselves whose they are."""

BY_PARENT: Mapping[str, tuple[str, str]] = {
    "entry": ("action", "action.id = entry.action"),
    "lesson_use": ("lesson", "lesson.id = lesson_use.lesson"),
    "lesson_version": ("lesson", "lesson.id = lesson_version.lesson"),
    "lesson_word": ("lesson", "lesson.id = lesson_word.lesson"),
    "pairing": ("ground", "ground.number = pairing.ground"),
    "pattern_day": ("pattern", "pattern.number = pattern_day.pattern"),
    "pattern_hour": ("pattern", "pattern.number = pattern_hour.pattern"),
    "row_block": ("row_kind", "row_kind.number = row_block.kind"),
    "scorecard": ("ground", "ground.number = scorecard.ground"),
    "task_run": ("ground", "ground.number = task_run.ground"),
}
"""Tables whose rows belong to one of another table: seen is what hangs on something seen."""

OPEN: Mapping[str, str] = {
    "migration": "The number of the schema is nobody's secret.",
    "stray_block": "How far a clock was off in some minutes is nobody's secret.",
}
"""Tables that every role sees which was given any."""

HIDDEN: Mapping[str, str] = {
    "anchor": "Where chains begin that all tenants share.",
    "archive": "Old successes, packed together whosever they are.",
    "damage": "Sentences about anybody's actions.",
    "duty": "What processes do for all tenants.",
    "kept": "Raw values, for whoever undoes and reviews.",
    "key_check": "About the key of the whole store.",
    "loss": "Rows that were lost, whosever they were.",
    "presence": "Machines and processes that work for all tenants.",
    "secret": "What names are hashed with.",
    "tool": "Declared by applications, which serve all tenants.",
    "writer": "Processes that write for all tenants.",
}
"""Tables of which a role of one tenant sees no row, and why."""

UNREADABLE = frozenset({"secret"})
"""Hidden tables that such a role may not even ask: nothing it does needs them."""

NOT_WRITTEN = frozenset({"access", "migration"})
"""What nobody writes but who owns the tables."""

OWN_ACCESS = "access.role = current_user"
"""Of who may see what, each role sees what it was given itself."""


def build_condition(table: str) -> str | None:
    """Which rows of a table a role of one tenant sees; `None`: not one."""
    if table in BY_COLUMN:
        return f"{table}.tenant = {OWN_TENANT}"
    if table in BY_PARENT:
        parent, joined = BY_PARENT[table]
        # The parent is asked under its own policy.
        return f"exists (select 1 from {parent} where {joined})"  # noqa: S608 - our own names
    if table == "access":
        return OWN_ACCESS
    return "true" if table in OPEN else None


def may_ask(table: str) -> bool:
    """Whether a role of one tenant may ask a table at all; not one that nobody has thought of."""
    known = table in BY_COLUMN or table in BY_PARENT or table in OPEN or table in HIDDEN
    return table == "access" or (known and table not in UNREADABLE)
