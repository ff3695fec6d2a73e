"""Every regular expression of the package: where it stands, what it says, and how it is used."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType

from mulligan.types.values import read_fields

USES = ("search", "match", "fullmatch", "findall", "finditer", "sub", "subn", "split")
SCANNING = frozenset({"findall", "finditer", "sub", "subn", "split"})
"""They go on after each match, so that what they take is that of `finditer`."""

PACKAGES = (
    *("mulligan", "mulligan_dashboard", "mulligan_dates", "mulligan_demo"),
    *("mulligan_gateway", "mulligan_packs", "mulligan_replay", "mulligan_testing"),
)
FILLED: Mapping[str, Mapping[str, object]] = {
    "checks.content": {"pattern": None, "words": "phone|call"},
    "checks.facts": {"wanted": "evt-12"},
    "checks.contrast": {
        "stays": "stays|still goes",
        "on": "as it is|put",
        "nots": "not|but not",
        "excepts": "except|apart from",
        "article": "the|my",
    },
    "checks.contradiction": {"fact": "evt-12", "use": "\\buse\\b[\\s:'\"`(]+"},
    "checks.dates": {"after": "after|following", "article": "the|my"},
    "checks.date_arguments": {"day_name": None, "form": None, "days": None},
    "mulligan_packs.services.service": {"pattern": "/events/(?P<event_id>[^/?&]*)"},
    "mulligan_packs.services.table": {"pattern": r"@(\w+)"},
    "mulligan_testing.simulations.core": {"pattern": "/calendars/(?P<id>[^/]+)/events"},
    "mulligan_dates.context": {"name": "game night"},
    "checks.ids": {"form": None},
    "mulligan_dates.tables": {
        "told": "twice|cop(?:y|ies)",
        "name": "may|jun(?:e)?",
        "ordinal": "st|nd",
        "before": "the ",
        "of": "of ",
        "days": None,
    },
    "checks.objects": {
        "name": "ann",
        "nouns": "meeting|call",
        "of_owner": "['\u2019]s\\s+",
        "sort": "folder",
        "end": "into",
        "word": r"(?!(?:from|into)\b)[^\W_]+",
    },
    "checks.parameters": {"name": "address"},
    "checks.relations": {"phrase": "space grey", "word": "bottle", "name": "cheapest"},
    "checks.requests": {
        "verbs": "cancel|book|send",
        "before": "please|then",
        "it": "it|them",
        "anything": "anything",
    },
    "checks.sets": {
        "stop": r"(?!(?:on|from)\b)",
        "ends": "and|then",
        "end": r",?\s*(?:$|[.!?](?:\s|$)|(?:and|then)\b)",
        "verbs": "cancel|close",
        "number": r"#?[a-z]{0,5}[-_#]?\d{2,}(?![\w:%])",
        "joint": r"(?:\s*,)?\s*(?:and|[,&])\s*",
    },
    "checks.spelled": {
        "digits": "one|two",
        "signs": r"dot|at\s?[)\]>}]",
        "name": "dot",
        "part": r"[\w.+-]{1,64}",
        "joint": r"(?:\s{1,3}dot\s{1,3}|\s{0,3}[(\[<{]\s?dot\s?[)\]>}]\s{0,3})",
        "spelled": r"\s{1,3}at\s{1,3}[\w-]{1,63}(?:\s{1,3}dot\s{1,3}[\w-]{2,63}){1,4}",
        "marked": r"\s{0,3}[(\[<{]\s?at\s?[)\]>}]\s{0,3}[\w-]{1,63}(?:\.[\w-]{2,63}){1,4}",
        "dots": r"(?:\s{1,3}dot\s{1,3}[\w-]{2,63}){1,4}",
        "slash": r"(?:\s{1,3}slash\s{1,3}|/)",
        "one": r"(?:(?:double\s+)?(?:one|two)|\d{1,4})",
    },
    "checks.subject": {"wanted": "evt-12", "before": "[\\w.-]", "after": "\\w"},
    "checks.text": {"term": "cheap"},
    "checks.words": {"body": None},
    "codec": {"held": None},
    "types.lesson": {"self": None},
    "mulligan_gateway.declarations": {"each": None},
    "mulligan_gateway.recipe": {"each": None},
    "learning.validation_errors": {"words": None},
    "checks.quantities": {"word": None, "article": "a|an|eine?"},
    "checks.entities": {"load_grounding_tables": None, "word": None},
    "learning.fingerprint": {"value": "evt-12"},
    "learning.scope": {"alone": "(?<![\\w])evt-12(?![\\w])"},
    "learning.recall": {"alone": "(?<![\\w#])evt-12(?![\\w#])"},
    "learning.transforms": {"value": "evt-12", "name": "folder"},
    "learning.coerce": {"form": "%Y-%m-%d"},
    "learning.protected_fields": {"text": "evt-12"},
    "learning.closeness": {"text": None},
    "learning.parsing": {"closing": None},
    "learning.model_output": {"known": "send_mail|add_event"},
    "mulligan_packs.sql.statements": {"pattern": None},
    "redaction.text": {"pattern": None},
    "redaction.secrets": {"forms": ["(?<!\\w)evt\\-12(?!\\w)"]},
    "redaction.mask": {"argument": "evt\\-12"},
}
"""What stands for a local name where a pattern is put together at run time. `None`: the pattern is
somebody else's, a user's own or a table's, and those of tables are found in the modules."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One regular expression."""

    place: str
    """The module and the line, or the module and the name that holds it."""
    pattern: re.Pattern[str]
    uses: frozenset[str]
    """Of `search`, `match`, `fullmatch` and `finditer`, those that it is used with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One call of `re` in the source."""

    module: str
    line: int
    use: str
    call: ast.Call

    @property
    def place(self) -> str:
        return f"{self.module}:{self.line}"


@cache
def list_modules() -> tuple[ModuleType, ...]:
    """Every module of every package, less adapters whose framework is not installed here."""
    names = [
        each.name
        for package in PACKAGES
        for each in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}.")
        if not each.name.endswith("__main__")
    ]
    return tuple(module for name in names if (module := _import(name)) is not None)


def _import(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as missing:
        of_ours = (missing.name or "").startswith("mulligan")
        if of_ours or not name.startswith("mulligan.hosts."):
            raise
        return None


def list_sites(module: ModuleType) -> Iterator[Site]:
    """Where a module's source calls `re` by name."""
    for node in ast.walk(_read_source(module)):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=use)) if (
                use == "compile" or use in USES
            ):
                name = module.__name__.removeprefix("mulligan.")
                yield Site(module=name, line=node.lineno, use=use, call=node)


def find_patterns() -> Iterator[Found]:
    """All of them, each once: those that modules hold, and those that stand in a function."""
    modules = list_modules()
    uses = _collect_uses(modules)
    seen: set[tuple[str, int]] = set()
    for module in modules:
        for name, pattern in _list_held(module):
            bare = name.split("[")[0]
            used = uses.get(f"{module.__name__}.{bare}") or uses.get(bare) or {"finditer"}
            known = (pattern.pattern, pattern.flags)
            if known not in seen:
                seen.add(known)
                place = f"{module.__name__.removeprefix('mulligan.')}.{name}"
                yield Found(place=place, pattern=pattern, uses=frozenset(used))
    for module in modules:
        for site in list_sites(module):
            compiled = compile_site(site, module)
            if compiled is not None and (compiled.pattern, compiled.flags) not in seen:
                use = "finditer" if site.use in SCANNING or site.use == "compile" else site.use
                yield Found(place=site.place, pattern=compiled, uses=frozenset({use}))


def compile_site(site: Site, module: ModuleType) -> re.Pattern[str] | None:
    """The pattern of a call; `None` where it is not known before somebody makes it."""
    filled = FILLED.get(site.module, {})
    written = site.call.args[0]
    if any(isinstance(n, ast.Name) and filled.get(n.id, "") is None for n in ast.walk(written)):
        return None
    names = vars(module) | {name: _Filled(str(text)) for name, text in filled.items()}
    flags: int | re.RegexFlag = re.NOFLAG
    for given in (*site.call.args[1:], *(each.value for each in site.call.keywords)):
        if isinstance(value := _evaluate(given, names, missing=0), re.RegexFlag):
            flags = value
    pattern = _evaluate(written, names)
    return re.compile(str(pattern), flags) if isinstance(pattern, str) else None


class _Filled(str):
    """A word that stands for anything a pattern is made with, also for a field of it."""

    __slots__ = ()

    def __getattr__(self, name: str) -> str:
        return str(self)


def _evaluate(written: ast.expr, names: Mapping[str, object], **missing: object) -> object:
    try:
        code = compile(ast.Expression(written), "<pattern>", "eval")
        return eval(code, dict(names))
    except NameError:
        if missing:
            return missing["missing"]
        raise


@cache
def _read_source(module: ModuleType) -> ast.Module:
    return ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))


def _collect_uses(modules: Sequence[ModuleType]) -> dict[str, frozenset[str]]:
    """By the name of a pattern, with its module where it is private: the methods called on it."""
    found: dict[str, set[str]] = {}
    for module in modules:
        for node in ast.walk(_read_source(module)):
            match node:
                case (
                    ast.Attribute(value=ast.Name(id=name), attr=use)
                    | ast.Attribute(value=ast.Call(func=ast.Name(id=name)), attr=use)
                ) if use in USES:
                    whole = f"{module.__name__}.{name}" if name.startswith("_") else name
                    found.setdefault(whole, set()).add("finditer" if use in SCANNING else use)
    return {name: frozenset(used) for name, used in found.items()}


def _list_held(module: ModuleType) -> Iterator[tuple[str, re.Pattern[str]]]:
    """The patterns that a module's names hold, also inside tables and settings."""
    for name, value in sorted(vars(module).items()):
        if not name.startswith("__") and not isinstance(value, ModuleType | type):
            yield from _list_inside(name, _make_pattern(value, module), depth=4)


def _make_pattern(value: object, module: ModuleType) -> object:
    """What a function of no parameters makes that is kept once it is made; else the value."""
    makes = getattr(value, "__wrapped__", None)
    if getattr(makes, "__module__", "") != module.__name__ or not hasattr(value, "cache_info"):
        return value
    declared = str(getattr(makes, "__annotations__", {}).get("return", ""))
    alone = isinstance(makes, FunctionType) and makes.__code__.co_argcount == 0
    return value() if callable(value) and alone and "Pattern" in declared else value


def _list_inside(name: str, value: object, *, depth: int) -> Iterator[tuple[str, re.Pattern[str]]]:
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield name, value
    elif depth and isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _list_inside(f"{name}[{key}]", inner, depth=depth - 1)
    elif depth and isinstance(value, list | tuple | set | frozenset):
        for at, inner in enumerate(value):
            yield from _list_inside(f"{name}[{at}]", inner, depth=depth - 1)
    elif depth and (held := read_fields(value)) is not None:
        for inner in held.values():
            yield from _list_inside(name, inner, depth=depth - 1)
