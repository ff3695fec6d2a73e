"""Keeps secrets out of logs, prompts, pages and exports; runs before anything is queued."""

from mulligan.redaction.error import ErrorText
from mulligan.redaction.redactor import Capture, Redactor
from mulligan.redaction.secrets.hide import Hide

__all__ = ["Capture", "ErrorText", "Hide", "Redactor"]
