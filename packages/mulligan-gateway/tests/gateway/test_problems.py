from __future__ import annotations

import json

from mulligan_gateway.api_messages import ProblemError, ProblemKind, answer_problem


def test_a_problem_is_told_as_a_document_of_its_type():
    answer = answer_problem(ProblemError(ProblemKind.TOO_MANY, "2 a minute.", retry_after=7))

    assert (answer.status_code, answer.headers["retry-after"]) == (429, "7")
    assert answer.headers["content-type"] == "application/problem+json"
    assert json.loads(answer.body) == {
        "type": "urn:mulligan:problem:too-many",
        "title": "Too many requests.",
        "status": 429,
        "detail": "2 a minute.",
    }


def test_every_kind_has_a_name_of_its_own():
    assert len({kind.type for kind in ProblemKind}) == len(ProblemKind)
