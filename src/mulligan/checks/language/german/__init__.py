"""German: its words, how they inflect and join, and what stands around them."""

from mulligan.checks.language.german.words import GERMAN

__all__ = ["GERMAN"]
