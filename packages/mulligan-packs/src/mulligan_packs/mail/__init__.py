"""A mailbox as tools: drafts can be undone, what is sent awaits approval."""

from mulligan_packs.mail.mailbox import Mailbox
from mulligan_packs.mail.tools import MailTools, mail_tools

__all__ = ["MailTools", "Mailbox", "mail_tools"]
