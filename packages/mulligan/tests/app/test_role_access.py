from __future__ import annotations

import pytest

from mulligan.insights.access import AccessList
from mulligan.settings import Settings
from mulligan.types.errors import ConfigurationError
from tests.stores.filled import make_role


def test_a_tenant_is_given_by_its_name_or_as_it_is_shown(postgres_url) -> None:
    listed = AccessList(Settings(store=postgres_url))
    with make_role(postgres_url) as role:
        named = listed.grant(role, surface="tenant", tenant="ann@example.com")
        shown = listed.grant(role, surface="tenant", tenant=named.tenant)

        assert shown == named
        assert named.tenant.startswith("tenant~")
        assert listed.list_roles() == [named]
        assert listed.revoke(role)


@pytest.mark.parametrize(
    ("surface", "tenant"), [("tenant", None), ("tenant", ""), ("look", "acme")]
)
def test_one_tenant_is_named_and_all_are_not(postgres_url, surface, tenant) -> None:
    with pytest.raises(ConfigurationError, match="has to be named"):
        AccessList(Settings(store=postgres_url)).grant("r", surface=surface, tenant=tenant)


def test_a_store_without_roles_has_none_to_give_anything() -> None:
    with pytest.raises(ConfigurationError, match="Only a Postgres store"):
        AccessList(Settings(store="sqlite:///office.db"))
