from mulligan.loops.calls import MOST_KINDS, MOST_TENANTS, TrafficByTenant, UnloggedCalls

DESK = ("elm", "desk", True)


def test_one_tenants_failures_open_no_breaker_and_spend_no_budget_of_another():
    by_tenant = TrafficByTenant()
    failing = by_tenant.find("a")

    for _ in range(10):
        failing.breaker.fail(0.0)
        failing.budget.spend()

    other = by_tenant.find("b")
    assert by_tenant.find("a").breaker.is_open(0.0)
    assert not failing.budget.spend()
    assert not other.breaker.is_open(0.0)
    assert other.budget.spend()


def test_who_fails_rarely_is_told_from_who_does_not():
    by_tenant = TrafficByTenant()
    by_tenant.find("good").calls = 1_000
    by_tenant.find("bad").calls = 1_000

    by_tenant.find("good").count_failure(first_try=True)
    for _ in range(200):
        by_tenant.find("bad").count_failure(first_try=True)

    assert by_tenant.find("good").rarely_fails
    assert not by_tenant.find("bad").rarely_fails


def test_only_so_many_tenants_are_remembered():
    by_tenant = TrafficByTenant()
    first = by_tenant.find("first")

    for number in range(MOST_TENANTS):
        by_tenant.find(str(number))

    assert by_tenant.find("first") is not first


def test_a_row_stands_for_the_calls_of_its_kind_that_came_before_it() -> None:
    calls = UnloggedCalls()
    till = ("elm", "till", True)
    for _ in range(3):
        calls.add(DESK)
    calls.add(till)

    assert calls.take(DESK) == 3
    assert calls.take(DESK) == 0
    assert calls.take(till) == 1


def test_calls_without_context_are_counted_by_themselves() -> None:
    calls = UnloggedCalls()
    calls.add(("elm", "desk", False))

    assert calls.take(DESK) == 0


def test_what_waits_is_bounded() -> None:
    calls = UnloggedCalls()
    for number in range(MOST_KINDS + 1):
        calls.add(("elm", str(number), True))

    assert calls.take(("elm", "0", True)) == 0
    assert calls.take(("elm", "1", True)) == 1
