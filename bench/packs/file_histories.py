"""Random trees, calls of `packs/files`, a second writer, and kills at whatever a process does."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import pickle
import random
import shutil
import signal
import stat
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bench.crash.clock import Clock
from bench.crash.processes import in_child
from bench.packs.acting import act_once, recover, reject
from bench.packs.campaign import Totals
from bench.packs.effects import (
    THEIRS,
    Fate,
    Seen,
    Step,
    Verdict,
    find_changes,
    list_actions,
    overlay,
    read_fates,
)
from bench.packs.life import build_url
from mulligan import Effect, Mulligan, State
from mulligan.process.fault_points import Point, watch_points
from mulligan_packs.files import file_tools

CORNER = ".mulligan"
NAMES = ["a", "b.txt", "ü ß", "-x", "line\nbreak", "%s{0}", "'\"", "n" * 60, "日本", "sp ace "]
MODES = (0o644, 0o600, 0o755, 0o4755, 0o400)
SMALL, BIG = 60, 16 * 1024 * 1024
OUTSIDE = ("../out", "/out", ".mulligan/out", "a/../../out")
"""Paths that nothing is ever written to."""
DEEDS = ("write", "write", "append", "move", "move", "delete", "delete", "make")
TROUBLES = ("none", "none", "kill", "kill", "kill twice")
MOMENTS = ("never", "never", "inside", "after", "after")
HELD = "held"


@dataclass(frozen=True, kw_only=True)
class There:
    """What is at a path; of what nobody can foretell, `None`."""

    kind: str
    content: str = ""
    """Of a link, where it leads; of what is large, a hash."""
    mode: int | None = None
    changed: int | None = None
    attributes: tuple[tuple[str, bytes], ...] = ()
    names: int | None = 1
    """How many there are for it in the tree."""
    size: int = 0


def is_alike(wanted: There | None, there: There | None) -> bool:
    """Whether something is as it should be, in all that can be foretold."""
    if wanted is None or there is None:
        return wanted is there
    unsure = ("mode", "changed", "names")
    told = ("kind", "content", "attributes")
    return all(getattr(wanted, n) == getattr(there, n) for n in told) and all(
        getattr(wanted, n) in (None, getattr(there, n)) for n in unsure
    )


def look(root: Path) -> Seen:
    """Everything in a tree, but for our own corner."""
    found: list[tuple[str, os.stat_result]] = []
    for folder, folders, files in os.walk(root):
        if Path(folder) == root and CORNER in folders:
            folders.remove(CORNER)
        for name in [*folders, *files]:
            path = os.path.join(folder, name)  # noqa: PTH118 - many of them
            found.append((path, os.lstat(path)))
    inodes = [about.st_ino for _, about in found]
    return {os.path.relpath(p, root): _look_at(p, a, inodes.count(a.st_ino)) for p, a in found}


def _look_at(path: str, about: os.stat_result, names: int) -> There:
    if stat.S_ISLNK(about.st_mode):
        return There(kind="link", content=str(Path(path).readlink()))
    mode = stat.S_IMODE(about.st_mode)
    if stat.S_ISDIR(about.st_mode):
        return There(kind="folder", mode=mode)
    return There(
        kind="file",
        content=_shorten(Path(path).read_bytes()),
        mode=mode,
        changed=about.st_mtime_ns,
        attributes=tuple((n, os.getxattr(path, n)) for n in sorted(os.listxattr(path))),
        names=names,
        size=about.st_size,
    )


def _shorten(content: bytes) -> str:
    if len(content) <= SMALL:
        return content.decode(errors="surrogateescape")
    said = THEIRS if content.endswith(THEIRS.encode()) else ""
    return f"{hashlib.sha256(content).hexdigest()} {said}"


def draw_tree(chance: random.Random, root: Path, *, big: bool) -> None:
    """Folders in folders, files of every kind, links and names that nobody expects."""
    folders = [root]
    for _ in range(chance.randint(1, 4)):
        made = chance.choice(folders) / chance.choice(NAMES)
        if not made.exists():
            made.mkdir(mode=chance.choice((0o755, 0o700)))
            folders.append(made)
    files: list[Path] = []
    for number in range(chance.randint(2, 7)):
        place = chance.choice(folders) / f"{chance.choice(NAMES)}{chance.choice(['', number])}"
        if os.path.lexists(place):
            continue
        if files and chance.random() < 0.15:
            os.link(chance.choice(files), place)
        elif chance.random() < 0.12:
            place.symlink_to(chance.choice(["nowhere", "/etc/passwd", ".", "..", *NAMES[:2]]))
        else:
            large = big and not files
            place.write_bytes(b"0" * (BIG + number + 1) if large else _draw_content(chance))
            _decorate(chance, place)
            files.append(place)


def _decorate(chance: random.Random, place: Path) -> None:
    place.chmod(chance.choice(MODES))
    if chance.random() < 0.3:
        os.setxattr(place, "user.tag", chance.randbytes(4))
    os.utime(place, ns=(10**18, 10**18 + chance.randint(0, 10**9)))


def _draw_content(chance: random.Random) -> bytes:
    return chance.choice([b"", b"milk\n", b"\xff\x00", b"x" * SMALL, b"y" * (SMALL + 1)])


@dataclass(frozen=True, kw_only=True)
class Deed:
    """One call, and what a filesystem would make of it."""

    way: str
    path: str
    to: str = ""
    content: str = ""

    @property
    def names(self) -> list[str]:
        return [self.path, self.to] if self.to else [self.path]

    def carries(self, changes: Seen) -> bool:
        """Whether nothing is lost of an edit that comes right before it."""
        return self.way == "move" or not changes.keys() & {*self.names}

    def apply(self, seen: Seen) -> Seen | None:
        """The tree after it; `None` where it must be refused."""
        if any(_is_beyond(name, seen) for name in self.names):
            return None
        there: There | None = seen.get(self.path)
        match self.way:
            case "write" | "append":
                return self._write(seen, there)
            case "make":
                return None if there else {**seen, self.path: There(kind="folder")}
            case "delete":
                return None if there is None or _list_inside(self.path, seen) else self._take(seen)
            case _:
                return self._move(seen)

    def _write(self, seen: Seen, there: There | None) -> Seen | None:
        if there is None:
            text = self.content.encode()
            new = There(kind="file", content=_shorten(text), mode=0o644, size=len(text), names=None)
            return {**seen, self.path: new}
        if there.kind != "file" or there.names not in (1, None):
            return None
        old = there.content if self.way == "append" else ""
        if self.way == "append" and there.size > SMALL:
            content = _shorten(_read_large(there) + self.content.encode())
        else:
            text = (old + self.content).encode(errors="surrogateescape")
            content = _shorten(text)
        size = len(self.content.encode()) + (there.size if self.way == "append" else 0)
        return {**seen, self.path: replace(there, content=content, changed=None, size=size)}

    def _take(self, seen: Seen) -> Seen:
        return _rename_one({n: v for n, v in seen.items() if n != self.path}, seen[self.path])

    def _move(self, seen: Seen) -> Seen | None:
        if self.path not in seen or self.to in seen:
            return None
        inside = [self.path, *_list_inside(self.path, seen)]
        if self.to in inside or self.to.startswith(f"{self.path}/"):
            return None
        moved = {self.to + name[len(self.path) :]: seen[name] for name in inside}
        return {n: v for n, v in seen.items() if n not in inside} | moved


def _read_large(there: There) -> bytes:
    """What a file of the drawn ones is that is too large to be shown: all of one byte."""
    found = [byte * there.size for byte in (b"0", b"y", b"z")]
    return next((each for each in found if _shorten(each) == there.content), b"unknown")


def _rename_one(seen: Seen, gone: There) -> Seen:
    """One name less for whatever had several."""
    if gone.names == 1:
        return seen
    of_it = (gone.content, gone.changed, gone.mode, gone.attributes)
    return {
        name: replace(each, names=None)
        if each.names == gone.names
        and (each.content, each.changed, each.mode, each.attributes) == of_it
        else each
        for name, each in seen.items()
    }


def _move_back(deed: Deed, name: str) -> str:
    inside = bool(deed.to) and name.startswith(f"{deed.to}/")
    return deed.path + name[len(deed.to) :] if inside else name


def _forget_names(seen: Seen) -> Seen:
    return {name: replace(each, names=None) for name, each in seen.items()}


def _list_inside(path: str, seen: Seen) -> list[str]:
    return [name for name in seen if name.startswith(f"{path}/")]


def _is_beyond(path: str, seen: Seen) -> bool:
    """Whether a path leads over something that is no folder, or is a link itself."""
    parents = [str(each) for each in Path(path).parents if str(each) != "."]
    if any(name not in seen or seen[name].kind != "folder" for name in parents):
        return True
    return path in seen and seen[path].kind == "link"


def draw_deed(chance: random.Random, seen: Seen) -> Deed:
    """A call on what is there, or would be new."""
    way = chance.choice(DEEDS)
    if way != "move" and chance.random() < 0.06:
        return Deed(way=way, path=chance.choice(OUTSIDE), content="beer")
    files = [n for n, each in seen.items() if each.kind == "file"]
    new = _draw_new(chance, seen)
    if way == "make":
        return Deed(way=way, path=new)
    path = chance.choice([*files, *files, *seen]) if seen else new
    if way in ("write", "append"):
        path = new if chance.random() < 0.3 else path
        text = chance.choice(["beer", "", "ü\n\0", "z" * (SMALL + 3)])
        return Deed(way=way, path=path, content=text)
    if way == "delete":
        return Deed(way=way, path=path)
    to = chance.choice([*seen]) if chance.random() < 0.2 else new
    return Deed(way=way, path=path, to=to)


def draw_next(chance: random.Random, seen: Seen, earlier: list[Deed]) -> Deed:
    """The next call: often on what is in a folder that an earlier one has made or moved."""
    named = {deed.to or deed.path for deed in earlier}
    folders = [n for n in named if n in seen and seen[n].kind == "folder"]
    if not folders or chance.random() < 0.4:
        return draw_deed(chance, seen)
    folder = chance.choice(sorted(folders))
    files = [name for name in _list_inside(folder, seen) if seen[name].kind == "file"]
    path = chance.choice([f"{folder}/new", *files])
    way = chance.choice(["write", "delete", "move"] if path in files else ["write", "make"])
    to = _draw_new(chance, seen) if way == "move" else ""
    return Deed(way=way, path=path, to=to, content="beer" if way == "write" else "")


def _draw_new(chance: random.Random, seen: Seen) -> str:
    folders = [".", *(n for n, each in seen.items() if each.kind == "folder")]
    over = [*seen] if chance.random() < 0.1 else folders
    return os.path.normpath(Path(chance.choice(over)) / f"new{chance.randint(0, 3)}")


# Somebody else.


def disturb(chance: random.Random, root: Path, names: list[str]) -> None:
    """A person does one thing to what a call is about, or to something else."""
    seen = look(root)
    near = [name for name in names if name in seen]
    near += [inside for name in near for inside in _list_inside(name, seen)]
    chosen = chance.choice(near if near and chance.random() < 0.75 else [*seen, "their new"])
    free = [name for name in names if name not in seen and not _is_beyond(name, seen)]
    if free and chance.random() < 0.3:
        chosen = chance.choice(free)
    there, place = seen.get(chosen), root / chosen
    if there is None:
        place.write_text(f"{THEIRS} is new")
    elif there.kind == "folder":
        _disturb_folder(chance, place)
    elif there.kind == "link":
        place.unlink()
        place.write_text(f"{THEIRS} was a link")
    else:
        _disturb_file(chance, place)


def _disturb_folder(chance: random.Random, place: Path) -> None:
    match chance.choice(["put", "put", "mode", "swap"]):
        case "put":
            (place / f"{THEIRS} put").write_text(THEIRS)
        case "mode":
            place.chmod(0o711)
        case _:
            place.rename(place.with_name(f"{place.name[:100]} {THEIRS}"))


def _disturb_file(chance: random.Random, place: Path) -> None:
    ways = ["edit", "edit", "replace", "replace", "delete", "mode", "tag", "link"]
    way = chance.choice(ways)
    if place.stat().st_nlink > 1 and way in ("edit", "mode", "tag"):
        way = "replace"  # else it is done to all its names, also to one that lies aside
    match way:
        case "edit":
            place.write_bytes(place.read_bytes() + THEIRS.encode())
        case "replace":
            new = place.with_name("being replaced")
            new.write_text(f"{THEIRS} replaces")
            new.replace(place)
        case "delete":
            place.unlink()
        case "mode":
            place.chmod(0o640)
        case "tag":
            os.setxattr(place, "user.note", THEIRS.encode())
        case _:
            os.link(place, place.with_name(f"{THEIRS} link"))


@dataclass(kw_only=True)
class FileHistory:
    """Some calls in a process that may be killed, and what comes after it."""

    chance: random.Random
    folder: Path
    deeds: list[Deed]
    wrong: bool
    moment: str
    kills: tuple[int, int]
    """At which of the things that it does a process dies, and the one that recovers."""
    edits_at: int
    """At which of the things that a call does somebody else is quicker."""
    most: int
    wrapped: bool
    """The calls are made by another tool, which does nothing else."""
    heard: int = 0
    busy: bool = False
    intended: bool = False
    said: list[str] = field(default_factory=list)

    @property
    def root(self) -> Path:
        return self.folder / "root"

    def run(self) -> Verdict:
        """Live through it, and say what was seen."""
        base = look(self.root)
        first = in_child(lambda: self._live(self._act, kill=self.kills[0]))
        if self.moment != "never" and not self._theirs.exists():
            self._disturb()
        second = in_child(lambda: self._live(self._recover, kill=self.kills[1]))
        if second.killed:
            second = in_child(lambda: self._live(self._recover, kill=0))
        end, killed = look(self.root), first.killed
        said: list[str] = [] if killed else first.said
        fates = [Fate(call=c, state=State(s), why=w, held=h) for c, s, w, h in second.said]
        return Verdict(
            # Somebody may have made another name of anything, or have taken one away.
            base=_forget_names(base) if self._theirs.exists() else base,
            orders=self._list_orders(),
            end=end,
            fates=fates,
            kind=f"{self.deeds} {self.moment} kills={self.kills} wrong={self.wrong} said={said}",
            trouble="killed" if killed else "",
            must_settle=self.moment == "never" and not self._is_large(base),
            needless=[] if killed else [*self._list_needless(base, said), *self._list_held(said)],
            alike=is_alike,
        )

    def _is_large(self, base: Seen) -> bool:
        """Whether a call may be held, as there is more in a file than is kept."""
        named = [base.get(name) for deed in self.deeds for name in deed.names]
        grown = any(len(deed.content) > self.most for deed in self.deeds)
        return grown or any(each is not None and each.size > self.most for each in named)

    def _list_needless(self, base: Seen, said: list[str]) -> list[str]:
        if self.moment != "never" or self._is_large(base):
            return []
        world, found = base, []
        for deed, answer in zip(self.deeds, said, strict=True):
            after = deed.apply(world)
            if (after is None) is not bool(answer) and answer != HELD:
                found.append(f"{deed}: {answer or 'done'}")
            world = after or world
        return found

    def _list_held(self, said: list[str]) -> list[str]:
        """Calls that a person was asked about though none of their files is more than is kept."""
        if self.moment != "never":
            return []
        held = [deed for deed, answer in zip(self.deeds, said, strict=True) if answer == HELD]
        needs = ("write", "append", "delete")
        return [f"{deed}: held" for deed in held if deed.way not in needs or deed.path in OUTSIDE]

    def _list_orders(self) -> list[list[Step]]:
        """What may have come before what: of an edit within a call, nobody knows."""
        steps = [Step(call=at, apply=deed.apply) for at, deed in enumerate(self.deeds)]
        if not self._theirs.exists():
            return [steps]
        during, before, after = pickle.loads(self._theirs.read_bytes())
        changes = find_changes(_forget_names(before), _forget_names(after))
        edit = Step(call=None, apply=overlay(changes))
        orders = [[*steps[: during + 1], edit, *steps[during + 1 :]]]
        # A call that was quicker by a look, and writes over the edit all the same, is no order.
        if during < len(steps) and self.deeds[during].carries(changes):
            orders.append([*steps[:during], edit, *steps[during:]])
        # What was changed in a folder that was moved goes back with it.
        for deed in self.deeds:
            back = {_move_back(deed, name): each for name, each in changes.items()}
            if back != changes:
                orders.append([*steps, Step(call=None, apply=overlay(back))])
        return orders

    # In a child.

    @property
    def _theirs(self) -> Path:
        return self.folder / "theirs"

    @property
    def _known(self) -> Path:
        return self.folder / "known"

    def _read_known(self) -> list[list[str]]:
        lines = self._known.read_text().splitlines() if self._known.exists() else []
        return [json.loads(line) for line in lines]

    def _disturb(self) -> None:
        self.busy = True
        before, done = look(self.root), len(self._read_known())
        names = [name for deed in self.deeds for name in deed.names]
        disturb(self.chance, self.root, names)
        self._theirs.write_bytes(pickle.dumps((done, before, look(self.root))))
        self.busy = False

    def _live(self, work: Callable[[Mulligan, Any], Any], *, kill: int) -> Any:
        os.chdir(self.folder)
        root = os.fsencode(self.root)

        def hear(name: str, given: tuple[Any, ...]) -> None:
            if self.busy or not _is_about(root, name, given):
                return
            self.heard += 1
            if self.heard == kill:
                os.kill(os.getpid(), signal.SIGKILL)
            if self.intended and self.moment == "inside" and not self._has_edited():
                self.edits_at -= 1
                if self.edits_at <= 0:
                    self._disturb()

        async def reach(point: Point) -> None:
            self.intended = self.intended or point is Point.INTENDED
            hear("ctypes.dlopen", ())

        checks = [reject] if self.wrong else []
        clock = Clock(self.folder / "clock")
        m = Mulligan(build_url(self.folder), checks=checks, clock=clock, recover=False)
        tools = file_tools(m, self.root, most=self.most)
        sys.addaudithook(hear)
        watch_points(reach)
        try:
            return asyncio.run(work(m, tools))
        finally:
            watch_points(None)
            m.close()

    def _has_edited(self) -> bool:
        self.busy = True
        try:
            return self._theirs.exists()
        finally:
            self.busy = False

    async def _act(self, m: Mulligan, tools: Any) -> list[str]:
        said: list[str] = []

        def do_all() -> None:
            for deed in self.deeds:
                said.append(_call(tools, deed))
                if any(each.state is State.HELD for each in list_actions(m)[:1]):
                    said[-1] = HELD
                with self._known.open("a") as known:
                    known.write(json.dumps([each.id for each in list_actions(m)]) + "\n")

        @m.tool(effect=Effect.READ)
        def tidy() -> None:
            do_all()

        await act_once(m, tidy if self.wrapped else do_all)
        return said

    async def _recover(self, m: Mulligan, _: Any) -> list[tuple[int, str, str, bool]]:
        await recover(m, Clock(self.folder / "clock"))
        fates = read_fates(m, self._read_known())
        return [(each.call, str(each.state), each.why, each.held) for each in fates]


def _call(tools: Any, deed: Deed) -> str:
    """Make a call. What it raised, if it did."""
    calls: dict[str, Callable[[], Any]] = {
        "write": lambda: tools.write_file(deed.path, deed.content),
        "append": lambda: tools.append_to_file(deed.path, deed.content),
        "move": lambda: tools.move_file(deed.path, deed.to),
        "delete": lambda: tools.delete_file(deed.path),
        "make": lambda: tools.make_folder(deed.path),
    }
    try:
        calls[deed.way]()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _is_about(root: bytes, name: str, given: tuple[Any, ...]) -> bool:
    """Whether an event is something that is done in the folder; swaps go past `os`, by ctypes."""
    if name == "ctypes.dlopen":
        return True
    if name in ("os.listdir", "os.scandir", "os.listxattr", "os.getxattr"):
        return False
    paths = [os.fsencode(each) for each in given if isinstance(each, str | bytes | Path)]
    return any(path.startswith((root, b"/proc/self/fd")) for path in paths)


class FilePlace:
    """Where trees grow: a folder with an empty journal in it, to be copied."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._empty = folder / "empty"
        self._empty.mkdir()
        # Children are quick where all that they need is loaded before they are forked.
        with Mulligan(build_url(self._empty), checks=[reject], recover=False) as m:
            (folder / "warm").mkdir()
            tools = file_tools(m, folder / "warm")
            asyncio.run(act_once(m, lambda: tools.write_file("a", "b")))
        shutil.rmtree(self._empty)
        self._empty.mkdir()
        in_child(lambda: Mulligan(build_url(self._empty), recover=False).close())

    def draw(self, chance: random.Random, totals: Totals) -> None:
        """Draw a history, live through it, and judge it."""
        own = Path(tempfile.mkdtemp(dir=self._folder))
        try:
            shutil.copytree(self._empty, own, dirs_exist_ok=True)
            history = self._draw(chance, own)
            for deed in history.deeds:
                totals.deeds[deed.way] += 1
            history.run().judge(totals)
        finally:
            shutil.rmtree(own)

    def _draw(self, chance: random.Random, own: Path) -> FileHistory:
        (own / "root").mkdir()
        big = chance.random() < 0.06
        draw_tree(chance, own / "root", big=big)
        seen, deeds = look(own / "root"), list[Deed]()
        for _ in range(chance.choice((1, 1, 2, 3))):
            deeds.append(draw_next(chance, seen, deeds))
            seen = deeds[-1].apply(seen) or seen
        trouble = chance.choice(TROUBLES)
        kills = (
            chance.randint(1, 45 * len(deeds)) if trouble != "none" else 0,
            chance.randint(1, 30) if trouble == "kill twice" else 0,
        )
        return FileHistory(
            chance=chance,
            folder=own,
            deeds=deeds,
            wrong=chance.random() < 0.8,
            moment=chance.choice(MOMENTS),
            kills=kills,
            edits_at=chance.randint(1, 25 * len(deeds)),
            most=BIG if big or chance.random() < 0.7 else SMALL,
            wrapped=chance.random() < 0.3,
        )
