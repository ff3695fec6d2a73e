"""Keeps secrets out of logs, prompts, pages and exports; runs before anything is queued."""

from mulligan.redaction.redactor import Capture, ErrorText, Redactor
from mulligan.redaction.text import Hide

__all__ = ["Capture", "ErrorText", "Hide", "Redactor"]
