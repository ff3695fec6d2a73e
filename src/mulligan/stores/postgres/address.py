"""Where a Postgres server is, as its driver reads the URL, and what of it may be quoted."""

from __future__ import annotations

import psycopg
from psycopg.conninfo import conninfo_to_dict

from mulligan.core.errors import StoreUnavailableError
from mulligan.core.runtime.dataclass import dataclass
from mulligan.stores.postgres.error_map import describe_error
from mulligan.stores.url import HIDDEN


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A URL that the driver could read."""

    plain: bool
    """It is as strict as ours: host, port and database are what they seem."""
    secrets: tuple[str, ...]

    def quote(self, error: psycopg.Error) -> str:
        """What the driver says of a connection that failed, if none of it can be a password."""
        said = describe_error(error)
        if self.plain and not any(secret in said for secret in self.secrets):
            return said
        return type(error).__name__


def check_address(url: str, *, store: str) -> Address:
    """Read a URL; one that cannot be read is refused without a word of it."""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        # The driver's message quotes the URL, or the part of it that holds the password.
        raise StoreUnavailableError(
            f"{store} cannot be read as the URL of a Postgres database: write it as "
            "postgresql://user:password@host:5432/database, with every special character of the "
            "password percent-encoded (/ is %2F, % is %25)."
        ) from None
    secrets = (str(value) for name, value in parts.items() if "pass" in name or "key" in name)
    # Of two @ the driver takes the first, and part of the password for the host.
    misread = "@" in f"{parts.get('host')}{parts.get('dbname')}"
    return Address(plain=store != HIDDEN and not misread, secrets=tuple(filter(None, secrets)))
