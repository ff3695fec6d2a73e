"""Finds an object by its name, `module:name`."""

from __future__ import annotations

import importlib
import sys
import traceback
from pathlib import Path

from mulligan.core.errors import ConfigurationError, MulliganError


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
    except (ImportError, AttributeError) as error:
        raise ConfigurationError(f"{option} {name!r} cannot be loaded: {error}.") from error
    except MulliganError:
        # Our own words, which tell how to mend it: a wrong key, a store that is away.
        raise
    except (Exception, SystemExit) as error:
        # Only its kind and its place: what it says may be anything, secrets too.
        raise ConfigurationError(
            f"{option} {name!r} cannot be loaded: it ended with {type(error).__name__} "
            f"({_find_place(error)}). Run `python -c 'import {module}'` to see all of it."
        ) from error
    return found


def _find_place(error: BaseException) -> str:
    """The line of a user's file that raised it, or that cannot be read."""
    if isinstance(error, SyntaxError):
        return f"{error.filename}, line {error.lineno}"
    [*_, last] = traceback.extract_tb(error.__traceback__)
    return f"{last.filename}, line {last.lineno}"
