"""Services that agents write to, as tools that can be undone: `connect("google-calendar", …)`.

A service is a table (`table.py`, a `.toml` file each). A row is an operation: its request, the
object that it is about, what takes it back, when it cannot be taken back and so is held, and the
page that says so. One engine (`service.py`) makes of a row a tool for an agent, what is declared of
your own function (`m.tool(**calendar.update_event())`), and the steps of a proof (`prove.py`). The
engine is the REST pack: what a table adds is where to look, and never what may be undone.
"""

from importlib.util import find_spec

from mulligan.types.errors import MissingExtraError

if find_spec("httpx") is None:
    raise MissingExtraError(need="The services pack", extra="http")

from mulligan_packs.services.recipe import derive_recipe
from mulligan_packs.services.service import Service, connect
from mulligan_packs.services.table import list_services

__all__ = ["Service", "connect", "derive_recipe", "list_services"]
