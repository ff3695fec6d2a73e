"""Services as they are documented, on loopback or in process: versions, conditions, trash, reads
that lag, refusals, answers that are lost. Each says what it simulates, and on which page that is.
"""

from mulligan_testing.simulations.core import ServiceFault, Simulation
from mulligan_testing.simulations.github import GitHub
from mulligan_testing.simulations.gmail import Gmail
from mulligan_testing.simulations.google_calendar import GoogleCalendar
from mulligan_testing.simulations.jira import Jira
from mulligan_testing.simulations.notion import Notion
from mulligan_testing.simulations.outlook import Outlook
from mulligan_testing.simulations.slack import Slack
from mulligan_testing.simulations.stripe import Stripe

SIMULATIONS: dict[str, type[Simulation]] = {
    "github": GitHub,
    "gmail": Gmail,
    "google-calendar": GoogleCalendar,
    "jira": Jira,
    "notion": Notion,
    "outlook-calendar": Outlook,
    "outlook-mail": Outlook,
    "slack": Slack,
    "stripe": Stripe,
}
"""By the name of the service."""

__all__ = [
    "SIMULATIONS",
    "GitHub",
    "Gmail",
    "GoogleCalendar",
    "Jira",
    "Notion",
    "Outlook",
    "ServiceFault",
    "Simulation",
    "Slack",
    "Stripe",
]
