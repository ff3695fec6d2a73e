from __future__ import annotations

import psycopg
import pytest

from mulligan.stores.opening import HIDDEN, strip_credentials
from mulligan.stores.postgres.session import check_address
from mulligan.types.errors import StoreUnavailableError


def check(url: str):
    return check_address(url, store=strip_credentials(url))


def test_what_the_driver_says_is_quoted_where_no_password_can_be_in_it() -> None:
    address = check("postgresql://ann:hunter2@db:5432/family")

    assert address.quote(psycopg.OperationalError("no\nroute to db")) == "no route to db"
    assert address.quote(psycopg.OperationalError("bad hunter2")) == "OperationalError"


@pytest.mark.parametrize(
    "url", ["postgresql://ann:hun@ter2@db/family", "host=db password=hunter2 dbname=family"]
)
def test_a_url_that_may_be_misread_is_never_quoted(url: str) -> None:
    address = check_address(url, store=HIDDEN)

    assert address.quote(psycopg.OperationalError("no route to ter2@db")) == "OperationalError"


def test_a_url_that_cannot_be_read_is_refused_without_a_word_of_it() -> None:
    with pytest.raises(StoreUnavailableError, match="percent-encoded") as caught:
        check("postgresql://ann:hunter2%ZZ@db/family")

    assert "hunter2" not in str(caught.value)
    assert caught.value.__cause__ is None
