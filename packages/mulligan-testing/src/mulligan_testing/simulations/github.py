"""GitHub: issues, labels, comments, files by their sha, pull requests."""

from __future__ import annotations

import hashlib
import re
from base64 import b64decode
from collections.abc import Mapping
from typing import ClassVar

from mulligan_testing.simulations.core import (
    ApiAnswer,
    ApiRequest,
    Refused,
    Simulation,
    State,
    Thing,
    require,
    route,
)

REPOSITORIES = ("family/house", "family/scratch")
_REPO = "/repos/{owner}/{repo}"
_ISSUE = f"{_REPO}/issues/{{id}}"
_COMMENT = f"{_REPO}/issues/comments/{{id}}"
_PULL = f"{_REPO}/pulls/{{id}}"
_FILE = f"{_REPO}/contents/{{id...}}"
_MENTION = re.compile(r"(?:^|[^\w`])@(\w+)")


class GitHub(Simulation):
    """Two repositories of one family."""

    pages = "https://docs.github.com/en/rest"
    simulates: ClassVar[Mapping[str, str]] = {
        "issues that can be closed and not deleted": "issues/issues",
        "no condition on writes to issues, weak ETags": "using-the-rest-api/best-practices",
        "comments that can be deleted": "issues/comments",
        "labels, added, set and taken off": "issues/labels",
        "files, 409 for another sha, 422 without one": "repos/contents",
        "pull requests that can be changed": "pulls/pulls",
        "notices to who is mentioned or assigned": "activity/notifications",
        "403 and 429 by rate limits": "using-the-rest-api/rate-limits-for-the-rest-api",
    }

    differences: ClassVar[Mapping[str, str]] = {
        "no-412": "a file is written over whatever sha is named",
        "no-delete": "what is deleted is still there",
        "lag": "reads show what was there before the last write",
    }

    def build_state(self) -> State:
        """Repositories with nothing but a branch and an open pull request."""
        pull = {"title": "Paint", "body": "", "state": "open", "base": "main", "id": 1, "number": 1}
        return {
            name: {"issues": {}, "comments": {}, "files": {}, "pulls": {"1": dict(pull)}}
            for name in REPOSITORIES
        }

    def describe_error(self, refused: Refused) -> ApiAnswer:
        """As GitHub says it."""
        return ApiAnswer(
            status=refused.status, body={"message": str(refused), "documentation_url": ""}
        )

    def list_left(self) -> list[object]:
        """What is open or there, of what can be cleared away."""
        repositories = self.state.values()
        issues = [
            i["title"] for r in repositories for i in r["issues"].values() if i["state"] == "open"
        ]
        return [*issues, *(c for r in repositories for c in (*r["comments"], *r["files"]))]

    @route("GET", _REPO)
    def get_repository(self, request: ApiRequest, state: State) -> Thing:
        """Its name."""
        _get(request, state)
        owner, name = request.names["owner"], request.names["repo"]
        full = f"{owner}/{name}"
        return {
            "id": 1,
            "name": name,
            "full_name": full,
            "url": f"/repos/{full}",
            "owner": {"login": owner},
        }

    @route("POST", f"{_REPO}/issues", status=201)
    def create_issue(self, request: ApiRequest, state: State) -> Thing:
        """A new one, numbered."""
        if not (request.body or {}).get("title"):
            raise Refused(422, "missing_field", "Validation Failed")
        issues = _get(request, state)["issues"]
        number = str(len(issues) + 10)
        plain = {"body": None, "state": "open", "state_reason": None, "milestone": None}
        issues[number] = {**plain, "labels": [], "assignees": [], "number": int(number)}
        self._set(request, issues[number])
        return _show_issue(issues[number])

    @route("GET", _ISSUE)
    def get_issue(self, request: ApiRequest, state: State) -> ApiAnswer:
        """One of them."""
        return _answer(_show_issue(_find(request, state, "issues")))

    @route("PATCH", _ISSUE)
    def update_issue(self, request: ApiRequest, state: State) -> ApiAnswer:
        """Some fields; labels and assignees are replaced."""
        issue = _find(request, state, "issues")
        self._set(request, issue)
        return _answer(_show_issue(issue))

    @route("POST", f"{_ISSUE}/labels")
    def add_labels(self, request: ApiRequest, state: State) -> list[Thing]:
        """More labels."""
        issue = _find(request, state, "issues")
        issue["labels"] += [n for n in request.body["labels"] if n not in issue["labels"]]
        return _show_labels(issue)

    @route("PUT", f"{_ISSUE}/labels")
    def set_labels(self, request: ApiRequest, state: State) -> list[Thing]:
        """These labels and no others."""
        issue = _find(request, state, "issues")
        issue["labels"] = list(request.body["labels"])
        return _show_labels(issue)

    @route("DELETE", f"{_ISSUE}/labels/{{name}}")
    def remove_label(self, request: ApiRequest, state: State) -> list[Thing]:
        """One label less."""
        issue = _find(request, state, "issues")
        if request.names["name"] not in issue["labels"]:
            raise Refused(404, "not_found", "Label does not exist")
        issue["labels"].remove(request.names["name"])
        return _show_labels(issue)

    @route("POST", f"{_ISSUE}/comments", status=201)
    def create_comment(self, request: ApiRequest, state: State) -> Thing:
        """A new one."""
        _find(request, state, "issues")
        self.serial += 1
        comment = {"id": self.serial, "body": request.body["body"]}
        _get(request, state)["comments"][str(self.serial)] = comment
        self._tell(comment["body"])
        return _dress(comment)

    @route("GET", _COMMENT)
    def get_comment(self, request: ApiRequest, state: State) -> ApiAnswer:
        """One of them."""
        return _answer(_dress(_find(request, state, "comments")))

    @route("PATCH", _COMMENT)
    def update_comment(self, request: ApiRequest, state: State) -> ApiAnswer:
        """Its text."""
        comment = _find(request, state, "comments")
        comment["body"] = request.body["body"]
        self._tell(comment["body"])
        return _answer(_dress(comment))

    @route("DELETE", _COMMENT, status=204)
    def delete_comment(self, request: ApiRequest, state: State) -> None:
        """For good."""
        _find(request, state, "comments")
        if "no-delete" not in self.differs:
            del _get(request, state)["comments"][request.names["id"]]

    @route("GET", _FILE)
    def get_file(self, request: ApiRequest, state: State) -> ApiAnswer:
        """Its content."""
        return _answer(_show_file(_find(request, state, "files")))

    @route("PUT", _FILE)
    def put_file(self, request: ApiRequest, state: State) -> ApiAnswer:
        """A commit with it, over the version that was named."""
        files, path = _get(request, state)["files"], request.names["id"]
        there, body = files.get(path), request.body
        self._require_sha(there, body.get("sha"))
        files[path] = {"path": path, "content": body["content"], "sha": _hash(body["content"])}
        shown = {
            n: v for n, v in _show_file(files[path]).items() if n not in ("content", "encoding")
        }
        commit = {"sha": _hash(f"{self.count}"), "message": body["message"]}
        return ApiAnswer(status=200 if there else 201, body={"content": shown, "commit": commit})

    @route("DELETE", _FILE)
    def delete_file(self, request: ApiRequest, state: State) -> Thing:
        """A commit without it."""
        there = _find(request, state, "files")
        sha = (request.body or request.query).get("sha")
        if not sha:
            raise Refused(422, "missing", 'Invalid request. "sha" wasn\'t supplied.')
        self._require_sha(there, sha)
        if "no-delete" not in self.differs:
            del _get(request, state)["files"][request.names["id"]]
        return {"content": None, "commit": {"sha": _hash(f"{self.count}")}}

    @route("GET", _PULL)
    def get_pull(self, request: ApiRequest, state: State) -> ApiAnswer:
        """One of them."""
        return _answer(_show_pull(_find(request, state, "pulls")))

    @route("PATCH", _PULL)
    def update_pull(self, request: ApiRequest, state: State) -> ApiAnswer:
        """Some fields."""
        pull = _find(request, state, "pulls")
        pull |= {n: v for n, v in request.body.items() if n in ("title", "body", "state", "base")}
        self._tell(str(request.body.get("body", "")))
        return _answer(_show_pull(pull))

    def _set(self, request: ApiRequest, issue: Thing) -> None:
        issue |= request.body
        if request.body.get("state") == "open":
            issue["state_reason"] = None
        self.told += list(request.body.get("assignees") or ())
        self._tell(str(request.body.get("body") or ""))

    def _tell(self, text: str) -> None:
        self.told += _MENTION.findall(text)

    def _require_sha(self, there: Thing | None, sha: str | None) -> None:
        if "no-412" in self.differs:
            return
        if there is not None and not sha:
            raise Refused(422, "missing", 'Invalid request. "sha" wasn\'t supplied.')
        if sha and (there is None or there["sha"] != sha):
            raise Refused(409, "conflict", f"is at {there['sha'] if there else 'nothing'}")


def _get(request: ApiRequest, state: State) -> Thing:
    named = f"{request.names['owner']}/{request.names['repo']}"
    return require(state.get(named), 404, "not_found", "Not Found")


def _find(request: ApiRequest, state: State, kind: str) -> Thing:
    things = _get(request, state)[kind]
    return require(things.get(request.names["id"]), 404, "not_found", "Not Found")


def _answer(thing: Thing) -> ApiAnswer:
    return ApiAnswer(body=thing, headers={"ETag": f'W/"{_hash(repr(thing))}"'})


def _dress(thing: Thing) -> Thing:
    stamp = "2026-11-19T00:00:00Z"
    return {**thing, "user": {"login": "agent"}, "created_at": stamp, "updated_at": stamp}


def _show_labels(issue: Thing) -> list[Thing]:
    return [{"name": name} for name in issue["labels"]]


def _show_issue(issue: Thing) -> Thing:
    milestone = issue["milestone"]
    return {
        **_dress(issue),
        "id": issue["number"] + 1_000,
        "labels": _show_labels(issue),
        "assignees": [{"login": name} for name in issue["assignees"]],
        "milestone": None if milestone is None else {"number": milestone},
    }


def _show_pull(pull: Thing) -> Thing:
    return {**_dress(pull), "base": {"ref": pull["base"]}}


def _show_file(file: Thing) -> Thing:
    name, kind = file["path"].rpartition("/")[2], {"type": "file", "encoding": "base64"}
    return {**file, **kind, "name": name, "size": len(b64decode(file["content"]))}


def _hash(text: str) -> str:
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
