"""Which failures are one pattern, and which known pattern a new one is like."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mulligan.learning.fingerprint import (
    FINGERPRINT_VERSION,
    MOST_PATTERNS,
    MOST_PEOPLE,
    KnownPatterns,
    build_pattern,
    compute_fingerprint,
    find_alike,
    mask_dumps,
    mask_error,
    renew_fingerprint,
)
from mulligan.types.call import Call
from mulligan.types.failure import ErrorClass
from mulligan.types.lesson import ErrorRule, Pattern


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("failed after 12.34s", "failed after 7s"),
        ("lost 550e8400-e29b-41d4-a716-446655440000", "lost 123e4567-e89b-12d3-a456-426614174000"),
        ("at 2026-01-05T10:00:00Z", "at 2025-11-30"),
        ("Mail to ann@example.com bounced", "Mail to bo@example.org bounced"),
        ('{"error": "Booking 12345 is gone"}', "Booking 54321 is gone"),
        ("User Not Found", "user not found"),
        (
            '{"error": "", "response": "{\'message\': \'no order 17123\'}"}',
            '{"error": "", "response": "{\'message\': \'no order 99123\'}"}',
        ),
        ('No value for: "Title".', 'No value for: "Day".\nNo value for: "Host".'),
        (
            'Bad JSON: {"path": "/a.py"',
            'Bad JSON: {"path": "/b.py", "content": "import\\n(\\"a\\")',
        ),
        ("Failed to fetch https://a.example/x?y=1: gone", "Failed to fetch http://b: gone"),
        ("Unexpected token '<' is not valid JSON", "Unexpected token 'a' is not valid JSON"),
        ("limit must be <= 10", "limit must be at most 10"),
        ("limit must be >= 2", "limit must be greater than or equal to 2"),
        ("lost 10.0.0.1:5432", "lost 192.168.7.9:80"),
        ("come back in 1m30s", "come back in 45s"),
        ("no arn:aws:iam::12:user/bob here", "no arn:aws:iam::99:user/al here"),
        ("total is 375, but paid 299", "total is 12, but paid 7.5"),
    ],
)
def test_errors_that_differ_in_their_values_are_one_pattern(one: str, other: str) -> None:
    assert mask_error(one, {}) == mask_error(other, {})


@pytest.mark.parametrize(
    ("one", "value", "other", "another"),
    [
        ("Order #W17 not found", "#W17", "Order #W18 not found", "#W18"),
        ("no user Ann", "Ann", "no user Bo Li", "Bo Li"),
        ("no user BO LI", "Bo Li", "no user AL WEI", "al wei"),
        ("seat B7 is taken", "B7", "seat C9 is taken", "C9"),
        ("none in LA", "LA", "none in NY", "NY"),
        (
            "\u627e\u4e0d\u5230\u738b\u4f1f",
            "\u738b\u4f1f",
            "\u627e\u4e0d\u5230\u674e\u5c0f\u9f99",
            "\u674e\u5c0f\u9f99",
        ),
        (
            "Unknown column 'o.price' in 'field list'",
            "select o.price from orders o",
            "Unknown column 'c.name' in 'field list'",
            "select c.name from clients c",
        ),
        (
            "Table orders does not exist",
            "select * from orders",
            "Table clients does not exist",
            "select * from clients",
        ),
    ],
)
def test_the_calls_own_values_are_masked_whatever_they_look_like(one, value, other, another):
    assert mask_error(one, {"query": value}) == mask_error(other, {"query": another})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("limit must be at most 10", "limit must be at most 50"),
        ("HTTP 404 for the page", "HTTP 409 for the page"),
        ("error code -32602", "error code -32603"),
        ("'city' is a required property", "'date' is a required property"),
        ("unexpected keyword argument 'zip'", "unexpected keyword argument 'unit'"),
        ("unit must be one of 'C', 'F'", "unit must be one of 'K', 'R'"),
        ("503 Service Unavailable", "504 Service Unavailable"),
        ("limit must be <= 10", "limit must be <= 50"),
        ("limit must be <= 10", "limit must be >= 10"),
        ('{"code": "no_page", "message": "No"}', '{"code": "no_user", "message": "No"}'),
        ('{"param": "city", "message": "No"}', '{"param": "date", "message": "No"}'),
        (
            '{"error": "", "response": "{\'message\': \'no such city\'}"}',
            '{"error": "", "response": "{\'message\': \'closed today\'}"}',
        ),
        (
            'Refused: [{"message": "No", "path": ["a"]}]',
            'Refused: [{"message": "No", "path": ["b"]}]',
        ),
        ("Table does not exist", "Column does not exist"),
        ("'x' does not match format '%Y-%m-%d'", "'x' does not match format '%H:%M'"),
        ("ORA-00942: failed", "ORA-01017: failed"),
        ("failed (404)", "failed (403)"),
        ('{"code": 10003, "message": "Unknown"}', '{"code": 10004, "message": "Unknown"}'),
        ("page must be 1\u201310", "page must be 1\u201350"),
        ("10 items maximum", "50 items maximum"),
        ("Rejected: 'card expired'", "Rejected: 'card stolen'"),
        ("E1001", "E2002"),
    ],
)
def test_codes_bounds_domains_and_names_keep_errors_apart(one: str, other: str) -> None:
    assert mask_error(one, {}) != mask_error(other, {})


def test_a_name_of_a_parameter_stays_though_the_calls_own_names_do_not() -> None:
    error, query = "unknown column 'total'", "select total from orders"

    assert "total" not in mask_error(error, {"query": query})
    assert "total" in mask_error(error, {"query": query, "total": 1})
    assert "total" in mask_error(error, {"query": "select price from orders"})


def test_the_same_words_about_a_path_and_about_a_name_are_two_patterns() -> None:
    inside = mask_error("cat: a/b.txt: No such file", {"file": "a/b.txt"})
    here = mask_error("cat: b.txt: No such file", {"file": "b.txt"})

    assert inside != here


def test_a_pattern_carries_its_version_tool_and_class() -> None:
    call = Call(id="1", tool="find", arguments={"id": "17a"})

    pattern = build_pattern(call, error="17a not found", error_class=ErrorClass.MISSING)

    assert pattern.fingerprint.startswith(f"{FINGERPRINT_VERSION}:")
    assert pattern.fingerprint == compute_fingerprint("find", "<value> not found")
    assert compute_fingerprint("find", "x") != compute_fingerprint("seek", "x")
    assert (pattern.tool, pattern.error_class, pattern.count) == ("find", ErrorClass.MISSING, 1)


@pytest.mark.parametrize(
    "error",
    [
        "Order #W17 of ann@example.com not found at 10:30",
        '{"status": 400, "code": "bad_day", "message": "no day \'today\'"}',
        "limit must be at most 10, and 'x' is not",
        'Invalid JSON for write: {"path": "/a.py"}',
        "cat: a/b.txt: No such file",
        "'city' is a required property",
    ],
)
def test_what_is_masked_stays_as_it_is_when_it_is_masked_again(error: str) -> None:
    masked = mask_error(error, {})

    assert mask_error(masked, {}) == masked


def test_a_pattern_of_older_masks_has_a_name_of_today() -> None:
    today = compute_fingerprint("find", "limit must be <= 10")

    renewed = renew_fingerprint("1:abc", tool="find", template="limit must be at most 10")

    assert renewed == today
    assert renew_fingerprint(today, tool="find", template="anything") == today
    assert renew_fingerprint("words:a b", tool="", template="a b") == "words:a b"
    named = renew_fingerprint("1:abc", tool="find", template="Sold Out 7")
    assert named == compute_fingerprint("find", "Sold Out 7")


def test_the_users_own_rules_win_in_their_order() -> None:
    call = Call(id="1", tool="find", arguments={})
    rules = (
        ErrorRule(says="(?i)quota", error_class=ErrorClass.RATE_LIMIT),
        ErrorRule(says="(?i)quota", pattern="out of quota", tool="other"),
        ErrorRule(says="(?i)quota", pattern="quota"),
        ErrorRule(says="used", pattern="never asked"),
    )

    pattern = build_pattern(
        call, error="Quota 7 of 7 used", error_class=ErrorClass.RATE_LIMIT, rules=rules
    )

    assert pattern.template == "quota"


@pytest.mark.parametrize(
    "error", ["'" * 1_000_000, "a" * 1_000_000, "1 " * 500_000, "{" * 1_000_000]
)
def test_an_error_of_a_megabyte_has_a_pattern_too(error: str) -> None:
    assert len(mask_error(error, {"a": "x" * 10_000_000})) <= 5_000


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ('Bad input: {"path": "/a", "content": [1, 2]}.', "Bad input: <data>."),
        ('Bad input: {"path": "/a", "content": "import', "Bad input: <data>"),
        ("called with {'a': {'b': [1]}} in vain", "called with <data> in vain"),
        ('Refused: [{"code": "too_big", "message": "less", "path": ["n"]}]',
         "Refused: less (code too_big, at n)"),
        ("must be one of ['a', 'b', 'cccccccccc']", "must be one of ['a', 'b', 'cccccccccc']"),
        ("set {1, 2} is {odd} and [done]", "set {1, 2} is {odd} and [done]"),
        ("kwargs {} with", "kwargs {} with"),
    ],
)  # fmt: skip
def test_what_was_sent_is_masked_and_an_error_inside_is_put_into_words(text, masked) -> None:
    assert mask_dumps(text) == masked


PATTERNS = [
    Pattern(
        fingerprint="1", tool="pay", error_class=ErrorClass.RULE, template="the card was refused"
    ),
    Pattern(
        fingerprint="2", tool="find", error_class=ErrorClass.MISSING, template="no order found"
    ),
]


def unknown(template: str) -> Pattern:
    return Pattern(fingerprint="3", tool="pay", error_class=ErrorClass.UNKNOWN, template=template)


def test_what_is_understood_is_not_compared_and_what_is_not_stays_a_pattern_of_its_own() -> None:
    known = KnownPatterns()
    strange = unknown("this card was refused")

    assert [known.meet(each) for each in (*PATTERNS, PATTERNS[0])] == [None, None, None]
    offered = [known.meet(strange) for _ in range(2)]

    assert [each and each.pattern.fingerprint for each in offered] == ["1", "1"]
    assert offered[0] is not None
    assert offered[0].pattern.count == 2


def test_what_one_person_met_is_told_to_no_other_person_or_tenant() -> None:
    known = KnownPatterns()
    strange = replace(PATTERNS[0], fingerprint="x", error_class=ErrorClass.UNKNOWN)

    known.meet(PATTERNS[0], whose=("acme", "ann"))

    assert known.meet(strange, whose=("acme", "bob")) is None
    assert known.meet(strange, whose=("beta", "ann")) is None
    assert known.meet(strange) is None
    assert known.meet(strange, whose=("acme", "ann")) is not None


def test_the_most_alike_pattern_is_offered_with_how_alike_it_is_and_nothing_far_is() -> None:
    found = find_alike(unknown("this card was refused"), PATTERNS)

    assert found is not None
    assert found.pattern.fingerprint == "1"
    assert 0.5 <= found.score < 1
    assert find_alike(unknown("the weather service sleeps"), PATTERNS) is None
    assert find_alike(unknown("anything"), []) is None


def test_only_so_many_patterns_and_people_are_remembered() -> None:
    known, people = KnownPatterns(), KnownPatterns()
    strange = replace(PATTERNS[0], fingerprint="x", error_class=ErrorClass.UNKNOWN)

    known.meet(PATTERNS[0])
    for number in range(MOST_PATTERNS):
        known.meet(replace(PATTERNS[1], fingerprint=f"n{number}", template=f"n{number}"))
    people.meet(PATTERNS[0], whose=("acme", "ann"))
    for number in range(MOST_PEOPLE):
        people.meet(PATTERNS[1], whose=("acme", f"p{number}"))

    assert known.meet(strange) is None
    assert people.meet(strange, whose=("acme", "ann")) is None


def test_a_number_that_cannot_be_printed_is_no_trouble() -> None:
    assert mask_error("limit must be at most 10", {"x": 10**5000}) == "limit must be <= 10"
