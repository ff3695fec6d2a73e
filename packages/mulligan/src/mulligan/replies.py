"""Everything for checked replies in one import: checks, rules, what goes in and what comes out."""

from mulligan.checks.content import function, json_schema, pii, regex, rubric
from mulligan.checks.feedback import asks, render_requirements
from mulligan.checks.file import preset
from mulligan.checks.grounding import Verification, grounded
from mulligan.checks.text import (
    avoids,
    call_to_action,
    ends_with,
    follow_ups,
    length,
    list_items,
    mentions,
    retired,
    structure,
)
from mulligan.loops.replies import ReplyRules, load_reply_rules, write_reply
from mulligan.loops.streaming import Finished, StartOver, TextPiece
from mulligan.types.events import RewriteRateMoved
from mulligan.types.finding import Correction, Finding, Severity, Standing
from mulligan.types.limits import Budget
from mulligan.types.reply import OnFail, Replied, Reply, TextCheck, Written

__all__ = [
    "Budget", "Correction", "Finding", "Finished", "OnFail", "Replied", "Reply", "ReplyRules",
    "RewriteRateMoved", "Severity", "Standing", "StartOver", "TextCheck", "TextPiece",
    "Verification", "Written",
    "asks", "avoids", "call_to_action", "ends_with", "follow_ups", "function", "grounded",
    "json_schema", "length", "list_items", "load_reply_rules", "mentions", "pii", "preset",
    "regex", "render_requirements", "retired", "rubric", "structure", "write_reply",
]  # fmt: skip
