"""Services as they are documented, on loopback or in process: versions, conditions, trash, reads
that lag, refusals, answers that are lost. Each says what it simulates, and on which page that is.
"""

from mulligan_testing.simulations.core import Fault, Simulation
from mulligan_testing.simulations.google_calendar import GoogleCalendar

SIMULATIONS: dict[str, type[Simulation]] = {"google-calendar": GoogleCalendar}
"""By the name of the service."""

__all__ = ["SIMULATIONS", "Fault", "GoogleCalendar", "Simulation"]
