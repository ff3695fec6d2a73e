"""One action, reply or draft with its history, and a person's decisions and ratings.

`mulligan show`, `settle`, `rate`, `approve`, `deny` and `undo`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from rich.console import RenderableType

from mulligan.app.application import build_inspector, open_insights
from mulligan.cli import render
from mulligan.cli.actions import encode_action, format_detail, render_brief
from mulligan.cli.options import (
    LATELY,
    add_store_and_json,
    app_option,
    command,
    complete_id,
    find_user,
    one_of,
    option,
    parse_count,
    parse_moment,
)
from mulligan.cli.terminal import agrees, sits_a_person
from mulligan.insights.edits import read_settings
from mulligan.insights.filters import ViewRequest
from mulligan.insights.insights import Insights
from mulligan.insights.open_actions import (
    WHO_RUNS,
    WHO_UNDOES,
    ActionPage,
    read_action,
)
from mulligan.insights.texts import TextStory
from mulligan.insights.undo_plans import (
    PlannedUndo,
    UndoPlan,
    UndoScope,
    UndoStep,
    plan_undo,
    request_undo,
)
from mulligan.settings import Settings
from mulligan.types.action import Action, State, find_expiry
from mulligan.types.display import render_recipe
from mulligan.types.errors import ConfigurationError, StoreError
from mulligan.types.log import LogQuery

if TYPE_CHECKING:
    from mulligan.app.mulligan import Mulligan


_CONTENTS: Mapping[str, str] = {
    "before": "before the call",
    "ours": "written by the call",
    "given": "given to the call",
    "theirs": "another edit, in place",
    "now": "current",
}

_NEVER_MADE = (State.DENIED, State.EXPIRED)


@command(
    "show",
    add_store_and_json,
    option("id", help="its id, or the beginning of it"),
    app_option("the application that has the tool's code, to read the current value"),
    about="Show an action: the call and its arguments, the request behind it, the values "
    "before, written and\nnow (while they are kept), its journal entries, and what each "
    "decision would do. Of a reply or\ndraft: every try with its findings.",
)
def run_show(options: argparse.Namespace, settings: Settings) -> int:
    """Show one action, or one reply or draft."""
    with open_insights(options.app or settings.app, settings) as (insights, _):
        text = insights.text_list.find(options.id)
        if text is not None:
            return _show_text(options, insights.text_list.read_story(text))
        listed = insights.open_list.show_people()
        page = read_action(insights, ViewRequest(id=options.id, decides=True))
        action = listed.find(page.item.id)
        contents = dict(page.contents)
        if insights.read_now is not None and action.state is not State.HELD:
            contents["now"] = insights.read_now(action)
    facts: dict[str, object] = {
        "what": page.item.what,
        "request": page.request,
        "arguments": page.arguments,
        "brief": page.brief,
        "entries": [
            {"at": step.at, "state": step.state, "detail": step.said} for step in page.history
        ],
        "recipe": page.commands,
        "choices": page.item.choices,
        "contents": contents,
    }
    said = _describe_page(page, action=action, contents=contents)
    return render.answer(options, encode_action(action) | facts, *said)


def _describe_page(
    page: ActionPage, *, action: Action, contents: Mapping[str, object]
) -> Iterator[RenderableType]:
    opening = action.opening
    turn = f", turn {opening.turn}" if opening.turn else ""
    bulk = f", part of bulk {opening.parent}" if opening.parent else ""
    yield f"{action.id}: {opening.tool}{turn}{bulk}"
    yield from render_brief(page.brief)
    rows = [
        (f"{step.at:%Y-%m-%d %H:%M:%S}", step.state.value, format_detail(step.said))
        for step in page.history
    ]
    yield render.build_table(rows, columns=("when, UTC", "state", "detail"))
    if contents:
        shown = [(_CONTENTS[name], _format_content(each)) for name, each in contents.items()]
        yield render.build_table(shown, columns=("version", "value"))
    if action.state in _NEVER_MADE:
        yield "The call was never made, so it changed nothing."
    elif "now" not in contents:
        hint = f"To read the current value: mulligan show {action.id} --app MODULE:NAME"
        yield render.build_text(hint, style="dim")
    if page.item.choices:
        yield "Your options, and what each does:"
    yield from (f"  {choice.act}: {choice.does}" for choice in page.item.choices)
    yield from (f"  {line}" for line in page.commands)


def _format_content(content: object) -> str:
    if content is None:
        return "nothing"
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


@command(
    "settle",
    add_store_and_json,
    option("id", help="the action's id, or the beginning of it"),
    option("--note", required=True, help="what was done about it"),
    about="Close an open action with a note of what was done about it. The note stays in the "
    "journal;\ndo not write secrets into it.",
)
def run_settle(options: argparse.Namespace, settings: Settings) -> int:
    """Close an action."""
    with Insights.open(settings) as insights:
        settle = partial(insights.open_list.settle, options.id, note=options.note)
        action = _record(insights, "settle", options.id, settle)
    return render.answer(options, encode_action(action), f"{action.id} is {action.state.value}.")


@command(
    "rate",
    add_store_and_json,
    option("id", help="its id, or the beginning of it"),
    one_of(
        option("--up", action="store_true", help="it was good"),
        option("--down", action="store_true", help="it was not"),
        required=True,
    ),
    option("--note", default="", help="why"),
    about="Rate a reply or a draft. The rating is kept in the log as evidence; do not write "
    "secrets\ninto the note.",
)
def run_rate(options: argparse.Namespace, settings: Settings) -> int:
    """Record the rating."""
    with Insights.open(settings) as insights:
        rating = insights.text_list.rate(options.id, up=options.up, note=options.note)
    return render.answer(options, rating, f"{rating.of} is rated {'up' if rating.up else 'down'}.")


def _show_text(options: argparse.Namespace, story: TextStory) -> int:
    """Show one reply or draft: its tries, findings and ratings."""
    steps = [(row.tool, row.parameters) for row in story.steps]
    said: list[RenderableType] = [
        render.format_log_line(story.settled),
        render.build_table(steps, columns=("step", "detail")),
    ]
    if story.written is None:
        said.append("The text is no longer kept.")
    else:
        for number, text in enumerate(story.written.tries, start=1):
            said += [f"Try {number}:", render.build_block(text)]
    for rating in story.ratings:
        thumb = "up" if rating.up else "down"
        said.append(f"Rated {thumb}: {rating.note}".rstrip(": "))
    facts = {
        "text": render.encode_log_row(story.settled),
        "steps": [render.encode_log_row(row) for row in story.steps],
        "written": story.written,
        "ratings": story.ratings,
    }
    return render.answer(options, facts, *said)


Decide = Callable[[Insights, "Mulligan | None"], Action]

WAITING = {
    State.APPROVED: f"It is approved. {WHO_RUNS} If it has not run by {{until}}, it expires. To "
    "run it here, name the application with --app MODULE:NAME.",
    State.UNDOING: f"{WHO_UNDOES} To undo it here, name the application with --app MODULE:NAME.",
}


UNCHECKED_HERE = (
    "No check has looked at what you changed: they run in the process that makes the call. If one "
    "refuses it, the call is not made, and is held again with the reason."
)
NOT_CARRIED_OUT = (
    "The named application could not carry it out now. It waits for one that can: "
    "mulligan show {id}"
)


_ACTION = option("id", help="the action's id, or the beginning of it")
_ACTIONS = option("id", nargs="+", help="an action's id, or the beginning of it; may be several")
_APP = app_option(
    "the application that has the tool's code; else `app` under [tool.mulligan] in "
    "pyproject.toml, else the application that is running"
)


_YES = option("--yes", action="store_true", help="ask nothing, also where a person types")


@command(
    "approve",
    add_store_and_json,
    _ACTIONS,
    _APP,
    _YES,
    option(
        "--version",
        type=parse_count,
        metavar="N",
        help="the action's version as shown (--json has it); refused if it has changed since",
    ),
    option(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="approve it with this argument instead; may be given several times",
    ),
    about="Approve held calls. Each runs once, in the process that has the tool's code. In a "
    "terminal each is shown\nfirst, with what it was given and would change, and asked about; not "
    "with --version or --yes. What --set\nchanges is held against the tool's schema and, with "
    "--app, the checks, and is on record as yours.",
)
def run_approve(options: argparse.Namespace, settings: Settings) -> int:
    """Approve a hold."""
    by, version = find_user(), options.version
    if (version is not None or options.set) and len(options.id) > 1:
        raise ConfigurationError("--version and --set are of one action: approve them one by one.")
    asks = version is None and sits_a_person(options)
    said = {"by": by, "version": version, "changes": options.set, "asks": asks}
    return _decide([partial(_approve, each, **said) for each in options.id], options, settings)


def _approve(
    name: str,
    insights: Insights,
    _: Mulligan | None,
    *,
    by: str,
    version: int | None,
    changes: Sequence[str],
    asks: bool,
) -> Action:
    listed = insights.open_list.show_people()
    shown = listed.read_arguments(listed.find(name)) if changes else {}
    changed = dict(read_settings(changes, shown=shown))
    if asks:
        page = read_action(insights, ViewRequest(id=name, decides=True))
        console, does = render.make_console(), [choice.does for choice in page.item.choices]
        for line in render_brief(page.brief):
            console.print(line)
        for each, value in changed.items():
            console.print(f"You change {each}: {_format_content(value)}")
        # What is not held any more is refused below, with the reason.
        if page.item.state is State.HELD and not agrees(f"{does[0]}\nApprove it?"):
            return listed.find(page.item.id)
        name, version = page.item.id, page.item.version
    approve = partial(listed.approve, name, by=by, version=version, changes=changed)
    return _record(insights, "approve", name, approve)


def _record(insights: Insights, act: str, name: str, decide: Callable[[], Action]) -> Action:
    """Do it, and put it on record with who did, as the pages do."""
    return insights.acts.record(decide, by=find_user(), what=f"{act} {name}")


def _deny(name: str, insights: Insights, _: Mulligan | None, *, by: str, note: str) -> Action:
    listed = insights.open_list
    return _record(insights, "deny", name, lambda: listed.deny(name, by=by, note=note))


@command(
    "deny",
    add_store_and_json,
    _ACTIONS,
    _APP,
    option("--note", default="", help="why; it stays in the journal, and a waiting agent is told"),
    about="Deny held calls. They never run.",
)
def run_deny(options: argparse.Namespace, settings: Settings) -> int:
    """Deny a hold."""
    by, note = find_user(), options.note
    return _decide([partial(_deny, e, by=by, note=note) for e in options.id], options, settings)


@command(
    "undo",
    add_store_and_json,
    option("id", nargs="?", default="", help="the action's id, or the beginning of it"),
    _APP,
    option("--turn", default="", metavar="ID", help="all that this turn did"),
    option("--session", default="", metavar="NAME", help="all that this conversation did"),
    option("--agent", default="", help="all that this agent did; needs --since"),
    option("--since", type=parse_moment, metavar="TIME", help="30m, 2h, 7d, or an ISO time"),
    option("--plan", action="store_true", help="only show what it would do, and in which order"),
    _YES,
    option(
        "--ours",
        action="store_true",
        help="for a call with an unknown outcome: you checked, and it wrote the current value",
    ),
    option(
        "--later",
        action="store_true",
        help="first undo later calls on the same object, latest first; needs --app",
    ),
    about="Undo an action, or all that a turn, a session or an agent did, and verify it. The undo "
    "applies only to\nthe version the action wrote: an edit made since is never overwritten, and "
    "the action becomes a conflict.\nIn a terminal an undo of several shows its plan first and "
    "asks, unless --yes is given.",
)
def run_undo(options: argparse.Namespace, settings: Settings) -> int:
    """Ask for an undo."""
    several = options.turn or options.session or options.agent
    if bool(options.id) is bool(several):
        raise ConfigurationError("Name one action, or all of a `--turn`, `--session` or `--agent`.")
    if several:
        return _undo_several(options, settings)
    if options.plan or options.since:
        raise ConfigurationError("--plan and --since go with `--turn`, `--session` or `--agent`.")

    def undo(insights: Insights, application: Mulligan | None) -> Action:
        listed = insights.open_list
        if options.later and application is None:
            raise ConfigurationError(
                "Only the application knows the later calls on the same object: name it with "
                "--app MODULE:NAME."
            )
        named, after = listed.find(options.id) if options.later else None, list[str]()
        later = build_inspector(application).list_later(named) if application and named else []
        for each in later:
            if each.state is not State.UNDOING:
                first = partial(listed.undo, each.id, by=find_user(), after=tuple(after))
                _record(insights, "undo", each.id, first)
            after.append(each.id)
        last = partial(listed.undo, options.id, by=find_user(), ours=options.ours, after=after)
        return _record(insights, "undo", options.id, last)

    return _decide([undo], options, settings)


def _undo_several(options: argparse.Namespace, settings: Settings) -> int:
    """Plan an undo of several actions, and unless only the plan is wanted, have it done."""
    named = options.app or settings.app
    with open_insights(named, settings) as (insights, application):
        turn = complete_id(
            options.turn or None,
            lambda: (row.turn for row in insights.log(LogQuery(limit=LATELY))),
        )
        scope = UndoScope(
            turn=turn or "", session=options.session, agent=options.agent, since=options.since
        )
        if options.plan:
            plan = plan_undo(insights, scope)
            return render.answer(options, plan, *_describe_plan(plan))
        mark = ""
        if sits_a_person(options):
            plan = plan_undo(insights, scope)
            render.answer(options, plan, *_describe_plan(plan))
            acts = plan.counts.get(UndoStep.UNDO, 0) + plan.counts.get(UndoStep.DENY, 0)
            if not acts or not agrees("Undo as planned?"):
                return 1 if acts else 0
            mark = plan.mark
        asked = request_undo(insights, scope, by=find_user(), mark=mark)
        if application is not None:
            application.recover_sync()
        done = plan_undo(insights, scope)
    render.answer(options, done, *_describe_undone(asked, done))
    # What was asked for and could not be done is on the open list.
    states = {each.id: each.state for each in done.steps}
    wanted = [states[each.id] for each in asked.steps if _is_asked_for(each)]
    waits = (State.UNDONE,) if named else (State.UNDONE, State.UNDOING)
    left = not wanted and any(each.does is UndoStep.LEAVE for each in done.steps)
    return 0 if all(state in waits for state in wanted) and not left else 1


def _is_asked_for(step: PlannedUndo) -> bool:
    """Now, or by an earlier request that is carried out with this one."""
    return step.does is UndoStep.UNDO or step.state is State.UNDOING


_PLANNED: Mapping[UndoStep, str] = {
    UndoStep.UNDO: "undo",
    UndoStep.DENY: "deny",
    UndoStep.LEAVE: "leave",
    UndoStep.DONE: "nothing to do",
}


def _describe_plan(plan: UndoPlan) -> Iterator[RenderableType]:
    names = render.shorten_ids([each.id for each in plan.steps])
    of_tenants = any(each.tenant for each in plan.steps)
    rows = [
        (
            str(place),
            names[each.id],
            each.what,
            each.state.value,
            _PLANNED[each.does] + (f" → {each.expected.value}" if each.expected else ""),
            each.why,
            *([each.tenant] if of_tenants else []),
        )
        for place, each in enumerate(plan.steps, start=1)
    ]
    columns = ("", "id", "what", "state", "plan", "why", *(["tenant"] if of_tenants else []))
    yield render.build_table(rows, columns=columns, title=f"Undo of {plan.about}, in this order")
    yield from _describe_untracked(plan)
    if not plan.looked:
        yield (
            "Whether somebody has changed these since is seen by the application when it undoes "
            "them. To look now: --app MODULE:NAME."
        )


def _describe_untracked(plan: UndoPlan) -> Iterator[str]:
    calls = ", ".join(f"{tool} ({n})" for tool, n in sorted(plan.untracked.items()))
    if calls:
        yield f"Calls of tools that declare no effect, which nothing is known to undo: {calls}."
    if not plan.every_call:
        yield "Only the newest calls were looked through for such calls: there may be more."


def _describe_undone(asked: UndoPlan, done: UndoPlan) -> Iterator[RenderableType]:
    wanted = {each.id for each in asked.steps if each.does is UndoStep.DENY or _is_asked_for(each)}
    left = [each for each in done.steps if each.does is UndoStep.LEAVE]
    if not wanted and left:
        yield f"Nothing more of {asked.about} can be undone now. What was left, and why:"
    elif not wanted:
        yield f"There is nothing to undo of {asked.about}."
    now = {each.id for each in asked.steps if each.does is UndoStep.UNDO}
    steps = [each for each in done.steps if each.id in wanted or each.does is UndoStep.LEAVE]
    names = render.shorten_ids([each.id for each in steps])
    rows = [
        (
            names[each.id],
            each.what,
            each.state.value,
            # Asked for by this very command.
            "" if each.id in now and each.state is State.UNDOING else each.why,
        )
        for each in steps
    ]
    yield render.build_table(rows, columns=("id", "what", "state", "why"))
    yield from _describe_untracked(done)
    if any(each.id in wanted and each.state is State.UNDOING for each in done.steps):
        yield WAITING[State.UNDOING]


def _describe_wait(action: Action, *, until: str) -> str:
    """What an action that was decided about still waits for; empty: nothing."""
    waits, checked = WAITING.get(action.state, "").format(until=until), action.detail.get("checked")
    unchecked = waits and isinstance(checked, list) and "checks" not in checked
    return f"{waits}\n{UNCHECKED_HERE}" if unchecked else waits


def _decide(acts: Sequence[Decide], options: argparse.Namespace, settings: Settings) -> int:
    """Do what was decided of some actions, and say of each what it is now."""
    named = options.app or settings.app
    told: list[tuple[Action, dict[str, object], list[str]]] = []
    with open_insights(named, settings) as (insights, application):
        listed = insights.open_list.show_people()
        decided, refused = list[Action](), list[str]()
        for decide in acts:
            try:
                decided.append(decide(insights, application))
            except ConfigurationError as error:
                if len(acts) == 1:
                    raise
                # Of several, one that cannot be decided any more holds up no other.
                refused.append(str(error))
            except StoreError as error:
                if not decided:
                    raise
                before = ", ".join(f"{each.id} is {each.state.value}" for each in decided)
                raise StoreError(f"{error} Before that, {before}.") from error
        if application is not None:
            application.recover_sync()
        for each in decided:
            action = listed.find(each.id)
            until = find_expiry(action.detail, changed_at=action.changed_at)
            waits = _describe_wait(action, until=f"{until:%Y-%m-%d %H:%M} UTC")
            if waits and application is not None:
                missing = build_inspector(application).describe_missing(action)
                waits = missing or NOT_CARRIED_OUT.format(id=action.id)
            what, given = listed.describe(action), listed.read_arguments(action)
            said = [what, f"{action.id} is {action.state.value}."]
            if waits:
                said.append(waits)
            else:
                said += [str(why)] if (why := action.detail.get("why")) else []
                said += [f"  {line}" for line in render_recipe(action)]
            told.append((action, encode_action(action) | {"what": what, "arguments": given}, said))
    facts = [fact for _, fact, _ in told]
    shown = facts[0] if len(acts) == 1 else {"actions": facts, "refused": refused}
    render.answer(options, shown, *(line for *_, said in told for line in said), *refused)
    # Asked for with an application and not done: not a success.
    done = (a.settled or (a.state in WAITING and not named) for a, *_ in told)
    return 0 if all(done) and not refused else 1
