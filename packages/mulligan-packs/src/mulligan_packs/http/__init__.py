"""REST resources as tools that can be undone: `@m.tool(**http.resource(client, …).put())`."""

from importlib.util import find_spec

from mulligan.types.errors import MissingExtraError

if find_spec("httpx") is None:
    raise MissingExtraError(need="The HTTP pack", extra="http")

from mulligan_packs.http.refusals import REFUSED
from mulligan_packs.http.resource import Resource, resource

__all__ = ["REFUSED", "Resource", "resource"]
