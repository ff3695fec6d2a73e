"""What the stories came to in each host's environments: kept as JSON, told as a table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "bench" / "hosts" / "results"
PAGE = ROOT / "docs" / "hosts" / "README.md"
BEGIN = "<!-- table: written by `make hosts` -->"
END = "<!-- end of the table -->"

STORIES = {
    "test_a_wrong_action_is_undone_corrected_and_done_right": "wrong action undone, corrected",
    "test_a_rejected_attempt_leaves_what_the_model_sees": "rejected attempt leaves the history",
    "test_a_failing_call_is_repaired_and_its_agent_told": "failing call repaired",
    "test_what_would_help_reaches_the_model_where_nothing_can_be_repaired": "advice on a failure",
    "test_a_bad_reply_is_written_again": "bad reply written again",
    "test_what_cannot_be_undone_waits_in_the_host_and_runs_once": "held call approved, runs once",
    "test_what_is_known_to_go_wrong_is_told_before_it_does": "pitfalls told before",
    "test_a_call_that_is_only_written_is_made": "written call made",
    "test_a_stream_shows_nothing_that_was_not_reviewed": "stream held back",
    "test_a_run_that_is_killed_is_taken_up_by_another_process": "killed run taken up",
}
"""Each story that every host tells, and what a reader of the table calls it."""


class Outcome(StrEnum):
    """What a story came to."""

    PASSED = "passed"
    CANNOT = "cannot"
    """The host has no power for it, as its driver says."""
    FAILED = "failed"


@dataclass(frozen=True, kw_only=True)
class Result:
    """One host in one environment."""

    host: str
    version: str
    """`newest` or `floor`."""
    release: str
    python: str
    stories: Mapping[str, Outcome] = field(default_factory=dict)
    """None of them: the host has no adapter, and its tools are decorated."""
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Of the stories that the host has no power for."""
    passed: int = 0
    """Tests beside the stories that passed: of the adapter, and of the example."""
    failed: list[str] = field(default_factory=list)
    """The names of those that did not."""

    @property
    def is_good(self) -> bool:
        return not self.failed and Outcome.FAILED not in self.stories.values()

    def save(self, folder: Path = FOLDER) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(asdict(self), indent=2, sort_keys=True, ensure_ascii=False)
        (folder / f"{self.host}-{self.version}.json").write_text(f"{text}\n", encoding="utf-8")


def load_results(folder: Path = FOLDER) -> list[Result]:
    """All that are kept, each host's newest release first."""
    found = [Result(**json.loads(path.read_text("utf-8"))) for path in folder.glob("*.json")]
    return sorted(found, key=lambda each: (each.host, each.version != "newest"))


def read_tests(report: Path) -> tuple[dict[str, Outcome], dict[str, str], list[str], int]:
    """Stories and reasons, what failed beside them and how much passed, from pytest's XML."""
    stories, reasons, failed, passed = {}, {}, [], 0
    for case in ElementTree.parse(report).iter("testcase"):
        name = case.get("name", "").partition("[")[0]
        broken = case.find("failure") is not None or case.find("error") is not None
        skipped = case.find("skipped")
        is_story = case.get("classname", "").endswith("test_host_stories")
        if is_story and skipped is not None:
            stories[name], reasons[name] = Outcome.CANNOT, skipped.get("message", "")
        elif is_story:
            stories[name] = Outcome.FAILED if broken else Outcome.PASSED
        elif broken:
            failed.append(case.get("name", ""))
        elif skipped is None:
            passed += 1
    return stories, reasons, failed, passed


def write_table(results: Iterable[Result], page: Path = PAGE) -> None:
    """Put the table on its page, between its marks."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    page.write_text(f"{before}{BEGIN}\n{render_table(results)}{END}{after}", encoding="utf-8")


def read_table(page: Path = PAGE) -> str:
    """The table as it is on its page."""
    return page.read_text(encoding="utf-8").partition(f"{BEGIN}\n")[2].partition(END)[0]


def render_table(results: Iterable[Result]) -> str:
    """Hosts by stories, then what each cannot do and why, then the hosts without an adapter."""
    hosts: dict[str, list[Result]] = {}
    for each in results:
        hosts.setdefault(each.host, []).append(each)
    told = {host: ran for host, ran in hosts.items() if any(each.stories for each in ran)}
    rest = {host: ran for host, ran in hosts.items() if host not in told}
    lines = [f"| host | releases | {' | '.join(STORIES.values())} |"]
    lines += ["|---" * (len(STORIES) + 2) + "|"]
    notes: list[str] = []
    for host, ran in told.items():
        cells = [_render_cell(story, ran, notes) for story in STORIES]
        lines.append(f"| {host} | {_name_releases(ran)} | {' | '.join(cells)} |")
    lines += ["", *(f"{at}. {note}" for at, note in enumerate(notes, 1))] if notes else []
    if rest:
        lines += ["", "| by the decorator | releases | its example |", "|---|---|---|"]
    for host, ran in rest.items():
        good = "yes" if all(each.is_good and each.passed for each in ran) else "**fails**"
        lines.append(f"| {host} | {_name_releases(ran)} | {good} |")
    return "\n".join(lines) + "\n"


def _name_releases(ran: Sequence[Result]) -> str:
    return ", ".join(dict.fromkeys(each.release for each in ran))


def _render_cell(story: str, ran: Sequence[Result], notes: list[str]) -> str:
    """One word for all releases where they agree, and each by its release where not."""
    said = {each.release: _render_outcome(story, each, notes) for each in ran}
    if len(set(said.values())) == 1:
        return next(iter(said.values()))
    return ", ".join(f"{release}: {word}" for release, word in said.items())


def _render_outcome(story: str, result: Result, notes: list[str]) -> str:
    match result.stories.get(story):
        case Outcome.PASSED:
            return "yes"
        case Outcome.CANNOT:
            note = f"{result.host}: {result.reasons.get(story, '')}"
            if note not in notes:
                notes.append(note)
            return f"no ({notes.index(note) + 1})"
        case Outcome.FAILED:
            return "**fails**"
        case _:
            return "not told"
