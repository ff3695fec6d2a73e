"""Services as they are documented, on loopback or in process: versions, conditions, trash, reads
that lag, refusals, answers that are lost. Each says what it simulates, and on which page that is.
"""

from mulligan_testing.simulations.core import ServiceFault, Simulation
from mulligan_testing.simulations.github import GitHub
from mulligan_testing.simulations.google_calendar import GoogleCalendar
from mulligan_testing.simulations.slack import Slack

SIMULATIONS: dict[str, type[Simulation]] = {
    "github": GitHub,
    "google-calendar": GoogleCalendar,
    "slack": Slack,
}
"""By the name of the service."""

__all__ = ["SIMULATIONS", "GitHub", "GoogleCalendar", "ServiceFault", "Simulation", "Slack"]
