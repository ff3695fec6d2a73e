"""Keeps secrets out of logs, prompts, pages and exports; runs before anything is queued."""

from mulligan.redaction.error import ErrorText
from mulligan.redaction.hide import Hide
from mulligan.redaction.redactor import Capture, Redactor

__all__ = ["Capture", "ErrorText", "Hide", "Redactor"]
