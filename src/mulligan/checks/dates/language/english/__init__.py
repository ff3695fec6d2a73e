"""English: its words, and what stands around them."""

from mulligan.checks.dates.language.english.words import ENGLISH

__all__ = ["ENGLISH"]
