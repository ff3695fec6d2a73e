"""Extensions: what other packages bring, ours and anybody's, found by entry points.

A package registers them in its own `pyproject.toml`:

    [project.entry-points."mulligan.checks"]
    polite = "their_package:is_polite"

Whoever looks for a name looks at those of the base first: nobody may take them, and reading the
metadata of all packages takes time.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from mulligan.types.errors import ConfigurationError, MissingExtraError, MulliganError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUPS: Mapping[str, str] = {
    "mulligan.checks": "check",
    "mulligan.commands": "command",
    "mulligan.hosts": "host",
    "mulligan.packs": "pack",
    "mulligan.recipes": "recipe",
    "mulligan.reply_checks": "reply check",
    "mulligan.stores": "store",
}
"""Every group of entry points, and what one of it is called."""

OURS = frozenset(
    f"mulligan{end}" for end in ("", "-dashboard", "-demo", "-gateway", "-packs", "-replay")
)
"""The packages of this repository that register something."""

UNNAMED = "a package without a name"
"""For one whose metadata cannot be read."""


class Extension(NamedTuple):
    """What is registered under one name of a group."""

    group: str
    name: str
    points: tuple[EntryPoint, ...]
    """More than one: several packages want the name, and none of them gets it."""

    def load(self) -> Any:
        """What the entry point names; a `ConfigurationError` says which package cannot be used."""
        kind = GROUPS[self.group]
        if len(self.points) > 1:
            raise ConfigurationError(
                f"{len(self.points)} packages bring a {kind} called {self.name!r}: "
                f"{self.describe_packages()}. Uninstall all but one."
            )
        try:
            return self.points[0].load()
        except MulliganError:
            # Our own words, which tell how to repair it: an extra that is missing.
            raise
        except (Exception, SystemExit) as error:
            raise ConfigurationError(
                f"The {kind} {self.name!r} of {self.describe_packages()} cannot be loaded: "
                f"{describe_failure(error)}. Update that package, or uninstall it."
            ) from error

    def load_function(self) -> Callable[..., Any]:
        """The same, where the entry point has to name a function."""
        found = self.load()
        if not callable(found):
            raise ConfigurationError(
                f"The {GROUPS[self.group]} {self.name!r} of {self.describe_packages()} is no "
                f"function but {type(found).__name__}. Update that package, or uninstall it."
            )
        return cast("Callable[..., Any]", found)

    def describe_packages(self) -> str:
        """Whose it is, as `their-package 1.0 (their_package:is_polite)`."""
        named = [(*_read_package(point), f"({point.value})") for point in self.points]
        return " and ".join(sorted(" ".join(filter(None, each)) for each in named))


def find_extensions(group: str) -> dict[str, Extension]:
    """Everything that packages register in a group, in the order of the names. Loads nothing."""
    # Late: the usual path names only what the base has, and reads no metadata.
    from importlib.metadata import entry_points

    found: dict[str, dict[str, EntryPoint]] = {}
    for point in entry_points(group=group):
        found.setdefault(point.name, {})[point.value] = point
    return {name: Extension(group, name, (*found[name].values(),)) for name in sorted(found)}


def describe_known(group: str, ours: Iterable[str]) -> str:
    """For an error about an unknown name: which there are, and how a package brings another."""
    known = ", ".join(sorted({*ours, *find_extensions(group)}))
    return (
        f"There are: {known}. A package brings another by an entry point of the group "
        f'"{group}": see CONTRIBUTING.md.'
    )


class Installed(NamedTuple):
    """One entry point of a package, for a person who looks at what is installed."""

    group: str
    name: str
    package: str
    version: str
    problem: str = ""
    """Why it cannot be used."""
    broken: bool = False
    """The package must be repaired or removed. One that only lacks an extra is not broken."""

    def to_json(self) -> dict[str, object]:
        """Without its group, which is the key."""
        return {name: value for name, value in self._asdict().items() if name != "group"}


def list_installed(*, load_ours: bool = False) -> list[Installed]:
    """Everything of every group. What others bring is loaded, to see whether it can be; what our
    own packages bring only on request, as that takes a second."""
    return [
        Installed(extension.group, extension.name, *_read_package(point), *problem)
        for group in GROUPS
        for extension in find_extensions(group).values()
        for problem in [_find_problem(extension, load_ours=load_ours)]
        for point in extension.points
    ]


def _find_problem(extension: Extension, *, load_ours: bool) -> tuple[str, bool]:
    point, *others = extension.points
    if not (others or load_ours) and _read_package(point)[0] in OURS:
        return "", False
    try:
        extension.load()
    except MissingExtraError as missing:
        return str(missing), False
    except MulliganError as error:
        return str(error), True
    return "", False


def _read_package(point: EntryPoint) -> tuple[str, str]:
    """Name and version of the package of an entry point, also where its metadata is half gone."""
    try:
        about: Mapping[str, str] = cast("Any", point.dist).metadata
        return about["Name"] or UNNAMED, about["Version"] or ""
    except Exception:  # noqa: BLE001 - what an installer left may be anything
        return UNNAMED, ""


def load_object(name: str, *, option: str, example: str = "family.agent:m") -> object:
    """What `module:name` names, imported from the current folder or the path."""
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        raise ConfigurationError(
            f"{option} {name!r} names nothing. Write module:name, such as {example}."
        )
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found: object = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except ModuleNotFoundError as error:
        top = module.partition(".")[0]
        way = f" Run this in the folder that has {top}, or install it." if error.name == top else ""
        raise ConfigurationError(f"{option} {name!r} cannot be loaded: {error}.{way}") from error
    except (ImportError, AttributeError) as error:
        raise ConfigurationError(f"{option} {name!r} cannot be loaded: {error}.") from error
    except MulliganError:
        # Our own words, which tell how to repair it: a wrong key, a store that is away.
        raise
    except (Exception, SystemExit) as error:
        raise ConfigurationError(
            f"{option} {name!r} cannot be loaded: {describe_failure(error)}. "
            f"Run `python -c 'import {module}'` to see all of it."
        ) from error
    return found


def describe_failure(error: BaseException) -> str:
    """Why an import failed. Of errors that are not the import's own only kind and place are told:
    what they say may hold a secret."""
    if isinstance(error, ImportError | AttributeError):
        return str(error)
    if isinstance(error, SyntaxError):
        place = f"{error.filename}, line {error.lineno}"
    else:
        import traceback  # late: `mulligan --help` imports this module, and has no use for it

        [*_, last] = traceback.extract_tb(error.__traceback__)
        place = f"{last.filename}, line {last.lineno}"
    return f"it ended with {type(error).__name__} ({place})"
