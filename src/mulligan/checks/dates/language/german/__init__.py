"""German: its words, how they bend and join, and what stands around them."""

from mulligan.checks.dates.language.german.words import GERMAN

__all__ = ["GERMAN"]
