"""Everything for drafts in one import: critics, rules, what goes in and what comes out."""

from mulligan.loops.briefs import Brief
from mulligan.loops.drafts import (
    Drafted,
    DraftRules,
    combine_mean,
    combine_worst,
    draft_steps,
    judged_by,
    write_draft,
)
from mulligan.loops.streaming import Finished, StartOver, TextPiece
from mulligan.types.finding import Standing
from mulligan.types.limits import Budget
from mulligan.types.reply import Critique, Draft, Written

__all__ = [
    "Brief", "Budget", "Critique", "Draft", "DraftRules", "Drafted", "Finished", "Standing",
    "StartOver", "TextPiece", "Written",
    "combine_mean", "combine_worst", "draft_steps", "judged_by", "write_draft",
]  # fmt: skip
