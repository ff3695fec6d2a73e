"""Letters that name a zone, whatever the language."""

from __future__ import annotations

from mulligan.checks.language.tables import build_table

ZONES = build_table(
    {
        0: "utc | gmt | z",
        60: "cet | bst",
        120: "cest | eet",
        330: "ist",
        480: "awst | sgt | hkt",
        540: "jst | kst",
        600: "aest",
        660: "aedt",
        720: "nzst",
        -240: "edt | ast",
        -300: "est | cdt",
        -360: "cst | mdt",
        -420: "mst | pdt",
        -480: "pst",
    }
)
"""Minutes east of Greenwich."""
