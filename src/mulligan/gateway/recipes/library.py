"""The recipes that are shipped, each with where its facts are from."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from importlib import resources

from mulligan.core.errors import ConfigurationError
from mulligan.core.runtime.dataclass import dataclass
from mulligan.gateway.undoing.tables import WrittenTable, describe_unknown, take_enum

_FILES = "mulligan.gateway.recipes"
_ENDING = ".toml"


class RecipeProof(StrEnum):
    """What the facts of a recipe were held against."""

    UNDONE = "undone"
    """The server was run, and its undos were made on it."""
    LISTED = "listed"
    """The server was run as far as its list of tools; its effects are from its documentation."""
    DOCUMENTED = "documented"
    """Only its documentation was read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippedRecipe:
    """One file of the library."""

    name: str
    title: str
    package: str
    """Where the server is from, such as an npm package."""
    version: str
    """The release that the facts are of."""
    proof: RecipeProof
    server_names: tuple[str, ...] = ()
    """What such servers call themselves when they are connected."""
    notes: tuple[str, ...] = ()
    """What whoever uses it must know."""
    tools: Mapping[str, Mapping[str, object]] = field(default_factory=dict, repr=False)


def list_recipes() -> list[str]:
    """The names of all recipes."""
    files = resources.files(_FILES).iterdir()
    return sorted(f.name.removesuffix(_ENDING) for f in files if f.name.endswith(_ENDING))


def load_recipe(name: str) -> ShippedRecipe:
    """A recipe by its name."""
    known = list_recipes()
    if name not in known:
        raise ConfigurationError(f"recipe: {describe_unknown(name, known)}")
    text = resources.files(_FILES).joinpath(f"{name}{_ENDING}").read_text(encoding="utf-8")
    table = WrittenTable(tomllib.loads(text), where=f"the recipe {name}")
    recipe = ShippedRecipe(
        name=name,
        title=table.take("title", str, default=""),
        package=table.take("package", str, default=""),
        version=table.take("version", str, default=""),
        proof=take_enum(table, "proof", read=RecipeProof, known=list(RecipeProof)),
        server_names=table.take_texts("server_names"),
        notes=table.take_texts("notes"),
        tools=table.take("tools", dict, default={}),
    )
    table.finish()
    return recipe


def find_recipe(server_name: str) -> ShippedRecipe | None:
    """The recipe for a server that calls itself so; a proposal, for a name proves nothing."""
    found = (load_recipe(name) for name in list_recipes())
    return next((each for each in found if server_name in each.server_names), None)
