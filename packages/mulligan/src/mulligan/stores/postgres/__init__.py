"""Postgres: one schema, `mulligan`, that many processes share."""

from __future__ import annotations

import re

from mulligan.stores.opening import Options, make_refusal
from mulligan.types.errors import MissingExtraError
from mulligan.types.interfaces import Store


def open_store(url: str, options: Options) -> Store:
    """Open `postgresql://user@host/database`, or the same with `postgres:`."""
    if not url.startswith(("postgresql://", "postgres://")):
        raise make_refusal(url)
    try:
        from mulligan.stores.postgres.store import PostgresStore
    except ImportError as error:
        raise MissingExtraError(need="Postgres", extra="postgres") from error
    return PostgresStore(re.sub("^postgres:", "postgresql:", url), options)
