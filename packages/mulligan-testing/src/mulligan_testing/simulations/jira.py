"""Jira Cloud: issues, their transitions, comments and worklogs; no versions, and no trash."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
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

PROJECTS = {"HOME": "House", "SCR": "Scratch"}
STATUSES = {"1": "To do", "2": "In progress", "3": "Done"}
TRANSITIONS = {"11": ("1", "2"), "21": ("2", "3"), "31": ("2", "1"), "41": ("1", "3")}
"""By its id, from which status each leads to which: nothing leads back from being done."""
SETTABLE = ("summary", "description", "labels", "priority", "duedate", "assignee", "environment")
_ISSUE = "/issue/{issue_id}"
_STAMP = "2026-11-19T00:00:00.000+0000"


class Jira(Simulation):
    """A site with two projects."""

    base = "/rest/api/3"
    pages = "https://developer.atlassian.com/cloud/jira/platform/rest/v3"
    simulates: ClassVar[Mapping[str, str]] = {
        "issues by their id or key, that are deleted for good": "api-group-issues",
        "fields, of which a change names some; an answer without a body": "api-group-issues",
        "statuses that only transitions change, and not all lead back": "api-group-issues",
        "texts as documents": "../../apis/document/structure",
        "comments that can be changed and deleted": "api-group-issue-comments",
        "worklogs, and the time they add up to": "api-group-issue-worklogs",
        "notices to who is mentioned, assigned or told": "api-group-issues",
        "429 with Retry-After": "../rate-limiting",
    }
    differences: ClassVar[Mapping[str, str]] = {
        "no-delete": "what is deleted is still there",
        "lag": "reads show what was there before the last write",
        "forgets": "a change clears what it does not name",
    }

    def build_state(self) -> State:
        """Projects with nothing in them."""
        return {"issues": {}, "comments": {}, "worklogs": {}}

    def describe_error(self, refused: Refused) -> ApiAnswer:
        """As Jira says it."""
        limited = {"Retry-After": "1"} if refused.reason == "rateLimitExceeded" else {}
        body = {"errorMessages": [str(refused)], "errors": {}}
        return ApiAnswer(status=refused.status, body=body, headers=limited)

    def list_left(self) -> list[object]:
        """What is there of what can be cleared away."""
        return [name for things in self.state.values() for name in things]

    @route("GET", "/project/{project}")
    def get_project(self, request: ApiRequest, state: State) -> Thing:
        """Its name."""
        del state
        key = request.names["project"]
        if key not in PROJECTS:
            raise Refused(404, "not_found", f"No project could be found with key '{key}'.")
        return {"id": key, "key": key, "name": PROJECTS[key]}

    @route("POST", "/issue", status=201)
    def create_issue(self, request: ApiRequest, state: State) -> Thing:
        """A new one, of which the answer says only what it is called."""
        fields = dict(request.body["fields"])
        project, kind = fields.pop("project")["key"], fields.pop("issuetype")
        if project not in PROJECTS or not fields.get("summary"):
            raise Refused(400, "invalid", "You must specify a summary of the issue.")
        self.serial += 1
        name = str(10_000 + self.serial)
        issue: Thing = dict.fromkeys(SETTABLE) | {"labels": [], "priority": {"id": "3"}}
        issue |= {"id": name, "key": f"{project}-{self.serial}", "project": project}
        state["issues"][name] = issue | {"type": kind, "status": "1"}
        self._set(state["issues"][name], fields)
        return {"id": name, "key": issue["key"], "self": name}

    @route("GET", _ISSUE)
    def get_issue(self, request: ApiRequest, state: State) -> Thing:
        """One of them."""
        return _show(state, _find(state, request))

    @route("PUT", _ISSUE)
    def update_issue(self, request: ApiRequest, state: State) -> ApiAnswer:
        """Some fields."""
        issue = _find(state, request)
        if "forgets" in self.differs:
            issue |= {"description": None, "duedate": None, "labels": []}
        self._set(issue, request.body["fields"])
        if request.query.get("returnIssue") == "true":
            return ApiAnswer(body=_show(state, issue))
        return ApiAnswer(status=204)

    @route("DELETE", _ISSUE, status=204)
    def delete_issue(self, request: ApiRequest, state: State) -> None:
        """For good, with all that is on it."""
        issue = _find(state, request)
        if "no-delete" in self.differs:
            return
        del state["issues"][issue["id"]]
        for kind in ("comments", "worklogs"):
            there = state[kind].items()
            state[kind] = {name: each for name, each in there if each["issue"] != issue["id"]}

    @route("GET", f"{_ISSUE}/transitions")
    def list_transitions(self, request: ApiRequest, state: State) -> Thing:
        """Those that lead on from where an issue is."""
        status = _find(state, request)["status"]
        found = [
            {"id": name, "to": {"id": to, "name": STATUSES[to]}}
            for name, (start, to) in TRANSITIONS.items()
            if start == status
        ]
        return {"transitions": found}

    @route("POST", f"{_ISSUE}/transitions", status=204)
    def transition(self, request: ApiRequest, state: State) -> None:
        """To another status."""
        issue = _find(state, request)
        start, to = TRANSITIONS.get(str(request.body["transition"]["id"]), ("", ""))
        if start != issue["status"]:
            raise Refused(400, "invalid", "Transition id is not valid for this issue.")
        issue["status"] = to

    @route("POST", f"{_ISSUE}/comment")
    def create_comment(self, request: ApiRequest, state: State) -> ApiAnswer:
        """A new one."""
        return self._add(request, state, "comments", {"body": request.body["body"]})

    @route("POST", f"{_ISSUE}/worklog")
    def create_worklog(self, request: ApiRequest, state: State) -> ApiAnswer:
        """Time that was spent."""
        return self._add(
            request, state, "worklogs", {"timeSpentSeconds": request.body["timeSpentSeconds"]}
        )

    @route("GET", f"{_ISSUE}/{{kind}}/{{name}}")
    def get_part(self, request: ApiRequest, state: State) -> Thing:
        """A comment or a worklog."""
        return _show_part(_find_part(state, request))

    @route("PUT", f"{_ISSUE}/{{kind}}/{{name}}")
    def update_part(self, request: ApiRequest, state: State) -> Thing:
        """What it says."""
        part = _find_part(state, request)
        self._tell(request.body)
        part |= {name: value for name, value in request.body.items() if name in part}
        return _show_part(part)

    @route("DELETE", f"{_ISSUE}/{{kind}}/{{name}}", status=204)
    def delete_part(self, request: ApiRequest, state: State) -> None:
        """For good."""
        part = _find_part(state, request)
        if "no-delete" not in self.differs:
            del state[f"{request.names['kind']}s"][part["id"]]

    def _add(self, request: ApiRequest, state: State, kind: str, said: Thing) -> ApiAnswer:
        issue = _find(state, request)
        self.serial += 1
        part = {"id": str(10_000 + self.serial), "issue": issue["id"], "by": request.by, **said}
        self._tell(said)
        state[kind][part["id"]] = part
        return ApiAnswer(status=201, body=_show_part(part))

    def _set(self, issue: Thing, given: Thing) -> None:
        for name, value in given.items():
            if name not in SETTABLE:
                raise Refused(400, "invalid", f"Field '{name}' cannot be set.")
            issue[name] = value
        if given.get("assignee"):
            self.told.append(given["assignee"].get("accountId", ""))
        self._tell(given)

    def _tell(self, said: Thing) -> None:
        self.told += [*_list_mentioned(said)]


def _list_mentioned(said: object) -> Iterator[str]:
    if isinstance(said, Mapping):
        if said.get("type") == "mention":
            yield said["attrs"]["id"]
        said = list(said.values())
    if isinstance(said, list):
        for each in said:
            yield from _list_mentioned(each)


def _find(state: State, request: ApiRequest) -> Thing:
    name = request.names["issue_id"]
    issues = state["issues"].values()
    found = next((issue for issue in issues if name in (issue["id"], issue["key"])), None)
    why = "Issue does not exist or you do not have permission to see it."
    return require(found, 404, "not_found", why)


def _find_part(state: State, request: ApiRequest) -> Thing:
    issue, kind = _find(state, request), f"{request.names['kind']}s"
    found = state.get(kind, {}).get(request.names["name"])
    its = found if found and found["issue"] == issue["id"] else None
    return require(its, 404, "not_found", f"Can not find it on {issue['key']}.")


def _show_part(part: Thing) -> Thing:
    own = {"self": part["id"], "author": {"accountId": part["by"]}, "created": _STAMP}
    return {**{n: v for n, v in part.items() if n not in ("issue", "by")}, **own, "updated": _STAMP}


def _show(state: State, issue: Thing) -> Thing:
    parts = {
        kind: [_show_part(e) for e in state[kind].values() if e["issue"] == issue["id"]]
        for kind in ("comments", "worklogs")
    }
    fields = {name: issue[name] for name in SETTABLE} | {
        "project": {"key": issue["project"]},
        "issuetype": issue["type"],
        "status": {"id": issue["status"], "name": STATUSES[issue["status"]]},
        "updated": _STAMP,
        "comment": {"comments": parts["comments"], "total": len(parts["comments"])},
        "worklog": {"worklogs": parts["worklogs"], "total": len(parts["worklogs"])},
        "timespent": sum(each["timeSpentSeconds"] for each in parts["worklogs"]) or None,
        "attachment": [],
        "issuelinks": [],
        "subtasks": [],
    }
    named = {"id": issue["id"], "key": issue["key"], "self": f"/rest/api/3/issue/{issue['id']}"}
    return {**named, "fields": json.loads(json.dumps(fields))}
