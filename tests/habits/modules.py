"""The modules of the package, imported: less those whose framework is not installed here."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType

import mulligan

ADAPTERS = "mulligan.hosts."


def import_ours() -> Iterator[ModuleType]:
    """Every module; one of an adapter may lack its framework, and is tried by `make hosts`."""
    for found in pkgutil.walk_packages(mulligan.__path__, "mulligan."):
        if found.name.endswith("__main__"):
            continue
        try:
            yield importlib.import_module(found.name)
        except ModuleNotFoundError as missing:
            if not found.name.startswith(ADAPTERS) or (missing.name or "").startswith("mulligan"):
                raise
