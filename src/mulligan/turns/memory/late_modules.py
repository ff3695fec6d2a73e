"""What only a failure needs: loaded with the first one, and never while an event loop waits."""

from __future__ import annotations

from mulligan.core.runtime.late_modules import LateModules

LATE = LateModules(
    "mulligan.learning.lessons",
    "mulligan.learning.recall",
    "mulligan.learning.precheck",
    "mulligan.redaction.mask",
    "mulligan.redaction.secrets.numbers",
    "mulligan.redaction.secrets.patterns",
)
"""Those that are asked for by name where a call has failed; they bring some hundred others."""
