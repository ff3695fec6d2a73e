"""English: its words, and what stands around them."""

from mulligan.checks.language.english.words import ENGLISH

__all__ = ["ENGLISH"]
