"""Names as people type them, turned into the identities that a store goes by."""

from __future__ import annotations

from mulligan.core.storage.identity import IdentityKind, is_identity, read_label
from mulligan.redaction import Redactor


class NameLookup:
    """A tenant or an agent by its name, or by the identity that a surface has shown."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor

    def find_tenant(self, name: str | None) -> str | None:
        """Whose rows are meant; `None` is every tenant."""
        return self._find(name, IdentityKind.TENANT)

    def find_agent(self, name: str | None) -> str | None:
        """Whose failures are meant; `None` is every agent."""
        return self._find(name, IdentityKind.AGENT)

    def find_label(self, name: str) -> str:
        """What the log shows of the name of an agent or a tool."""
        return read_label(name) if is_identity(name) else self._redactor.redact_label(name)

    def _find(self, name: str | None, kind: IdentityKind) -> str | None:
        if name is None or is_identity(name):
            return name
        return self._redactor.identify(name, kind)
