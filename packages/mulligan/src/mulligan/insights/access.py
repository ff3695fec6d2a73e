"""Which role of a database server sees what of a store: queried and changed by its owner."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from mulligan.insights.filters import NameLookup
from mulligan.settings import Settings
from mulligan.stores.opening import open_store
from mulligan.types.errors import ConfigurationError

if TYPE_CHECKING:
    from mulligan.stores.postgres.roles import RoleGrant as RoleGrant
    from mulligan.stores.postgres.roles import RoleTable
    from mulligan.stores.postgres.store import PostgresStore


class AccessList:
    """The roles of one store. The server refuses everyone but the owner of the tables."""

    def __init__(self, settings: Settings) -> None:
        if not settings.store.startswith(("postgres:", "postgresql:")):
            raise ConfigurationError(
                "Only a Postgres store has roles. To separate tenants with SQLite, give each one "
                "a file of its own."
            )
        self._settings = settings

    def list_roles(self) -> list[RoleGrant]:
        """Every role that was given something."""
        with self._open() as (access, _):
            return access.list_granted()

    def grant(self, role: str, *, surface: str, tenant: str | None = None) -> RoleGrant:
        """Have a role see what its surface does, in place of what it was given before."""
        from mulligan.stores.postgres.roles import RoleGrant, Surface

        if (surface == Surface.TENANT) != bool(tenant):
            raise ConfigurationError("A role sees one tenant, which has to be named, or all.")
        with self._open() as (access, store):
            whose = NameLookup(self._settings.build_redactor(store)).find_tenant(tenant or None)
            access.grant(RoleGrant(role=role, surface=Surface(surface), tenant=whose))
            return next(each for each in access.list_granted() if each.role == role)

    def revoke(self, role: str) -> bool:
        """Have a role see nothing more; whether it was given anything."""
        with self._open() as (access, _):
            return access.revoke(role)

    @contextmanager
    def _open(self) -> Iterator[tuple[RoleTable, PostgresStore]]:
        from mulligan.stores.postgres.store import PostgresStore

        settings = self._settings
        store = open_store(settings.store, migrate=False, vault_key=settings.vault_key)
        with closing(store):
            assert isinstance(store, PostgresStore)  # noqa: S101 - its URL says so
            with store.open_access() as access:
                yield access, store
