"""The shipped recipes: that they can be kept, and on real servers that their undos work.

The servers from npm and PyPI run only in the long form: MULLIGAN_TEST_NPM names a folder with
node_modules, MULLIGAN_TEST_GIT_SERVER the program mcp-server-git.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from mulligan import Mulligan
from mulligan.types.effect import Effect
from mulligan.types.errors import ConfigurationError
from mulligan_gateway.declarations import (
    RecipeProof,
    ToolDeclaration,
    find_recipe,
    list_recipes,
    load_recipe,
    read_tool,
)
from mulligan_gateway.toml_table import WrittenTable
from tests.gateway.recorded_server import Upstream, connect, declare_files

NPM = os.environ.get("MULLIGAN_TEST_NPM", "")
GIT_SERVER = os.environ.get("MULLIGAN_TEST_GIT_SERVER", "")
SAYS_SEND = (
    "send",
    "post_",
    "push",
    "merge",
    "comment",
    "reply",
    "respond",
    "delete",
    "write_query",
)


def read_all(name: str) -> dict[str, ToolDeclaration]:
    tools = load_recipe(name).tools
    return {
        tool: read_tool(WrittenTable(said, where=name), server="s", tool=tool)
        for tool, said in tools.items()
    }


@pytest.mark.parametrize("name", list_recipes())
def test_a_recipe_can_be_kept_and_promises_no_more_than_its_server_can(name):
    recipe, declared = load_recipe(name), read_all(name).values()
    sent = {each.tool for each in declared if any(word in each.tool for word in SAYS_SEND)}
    reads = {each.tool for each in declared if each.effect is Effect.READ}
    undone = {each.tool for each in declared if each.recipe.undo or each.recipe.undo_new}
    held = {each.tool for each in declared if each.effect is Effect.IRREVERSIBLE}
    repeated = {each.tool for each in declared if each.said.get("repeat", "once") != "once"}

    assert declared
    assert all((recipe.title, recipe.package, recipe.version, recipe.server_names, recipe.notes))
    assert find_recipe(recipe.server_names[0]) == recipe
    assert sent - reads - undone <= held
    # Servers that compare no versions take a repeat for the newest word, whatever it repeats.
    assert not any(each.recipe.compares for each in declared)
    assert repeated <= reads


def test_the_recipe_that_no_server_has_is_refused_with_the_nearest():
    with pytest.raises(ConfigurationError, match="Did you mean 'filesystem'"):
        load_recipe("filesytem")
    assert find_recipe("nobody's server") is None


@pytest.mark.parametrize(
    ("sql", "effect"),
    [
        ("select 1", Effect.READ),
        (" WITH a AS (SELECT 1) SELECT * FROM a;", Effect.READ),
        ("select 1; commit; drop table x", Effect.IRREVERSIBLE),
        ("COMMIT; DELETE FROM x", Effect.IRREVERSIBLE),
        ("select pg_terminate_backend(1)", Effect.IRREVERSIBLE),
        ("select dblink_exec('x')", Effect.IRREVERSIBLE),
        ("delete from x", Effect.IRREVERSIBLE),
        ('select "pg_terminate_backend"(1)', Effect.IRREVERSIBLE),
        ("select pg_terminate_backend/**/(1)", Effect.IRREVERSIBLE),
        ("select \"dblink_exec\"('host=x','delete from t')", Effect.IRREVERSIBLE),
        ('select U&"\\0070g_reload_conf"()', Effect.IRREVERSIBLE),
        ("select dblink_exec -- \n (1)", Effect.IRREVERSIBLE),
    ],
)
def test_only_one_statement_that_reads_is_a_read_of_postgres(sql, effect):
    from mulligan.types.call import Record

    query = read_all("postgres")["query"]

    assert query._classify(Record(arguments={"sql": sql})) is effect


async def undo(m: Mulligan, upstream: Upstream, tool: str, **arguments: object) -> bool:
    """Make a call that a check rejects, and say whether it was undone and nothing is left open."""
    if tool not in m._parts.toolbox.checked:

        @m.check(tool)
        def never(call: object) -> str:
            return "Not this one."

    run = m._build_host({}).open("Do it")
    await run.call(upstream.ask(tool, **arguments))
    answer = await run.review(None)
    await run.leave()
    return answer.undone and not m._parts.store.journal.list_open_actions(after="", limit=9)


def find_npm(name: str) -> list[str]:
    return ["node", str(Path(NPM, "node_modules", "@modelcontextprotocol", name, "dist/index.js"))]


@pytest.mark.skipif(not NPM, reason="long form: servers from npm")
async def test_the_recipe_for_files_on_the_reference_server(tmp_path):
    (tmp_path / "a.txt").write_text("as\r\nit was")
    places = [tmp_path / name for name in ("a.txt", "b.txt", "c.txt")]
    a, b, c = map(str, places)
    edits = [{"oldText": "was", "newText": "is"}]
    async with (
        Mulligan("memory:") as m,
        connect([*find_npm("server-filesystem"), str(tmp_path)]) as upstream,
    ):
        declared = declare_files(m, upstream, tmp_path)
        listed = await upstream.list_tools()
        misfits = [each.find_misfit(listed) for each in declared]
        written = await undo(m, upstream, "write_file", path=a, content="other")
        edited = await undo(m, upstream, "edit_file", path=a, edits=edits)
        moved = await undo(m, upstream, "move_file", source=a, destination=c)
        made = await undo(m, upstream, "write_file", path=b, content="new")

    assert not any(misfits)
    assert (written, edited, moved, made) == (True, True, True, True)
    assert places[0].read_bytes() == b"as\r\nit was"
    assert not any(place.exists() for place in places[1:])


@pytest.mark.skipif(not NPM, reason="long form: servers from npm")
async def test_the_recipe_for_memory_on_the_reference_server(tmp_path):
    file = tmp_path / "memory.jsonl"
    text = 'mode = "suggest"\n[servers.files]\nrecipe = "memory"\n'
    ann, bob = ({"name": n, "entityType": "person", "observations": []} for n in ("Ann", "Bob"))
    knows = {"from": "Ann", "to": "Bob", "relationType": "knows"}
    async with (
        Mulligan("memory:") as m,
        connect(find_npm("server-memory"), MEMORY_FILE_PATH=str(file)) as upstream,
    ):
        declared = declare_files(m, upstream, tmp_path, text)
        listed = await upstream.list_tools()
        misfits = [each.find_misfit(listed) for each in declared]
        await upstream.call("", "create_entities", {"entities": [ann]})
        made = await undo(m, upstream, "create_entities", entities=[ann, bob])
        await upstream.call("", "create_entities", {"entities": [bob]})
        related = await undo(m, upstream, "create_relations", relations=[knows])
        await upstream.call("", "create_relations", {"relations": [knows]})
        parted = await undo(m, upstream, "delete_relations", relations=[knows])

    kept = [json.loads(line) for line in file.read_text().splitlines()]
    assert not any(misfits)
    assert (made, related, parted) == (True, True, True)
    assert [each.get("name") for each in kept if each["type"] == "entity"] == ["Ann", "Bob"]
    assert sum(each["type"] == "relation" for each in kept) == 1


@pytest.mark.skipif(not GIT_SERVER, reason="long form: mcp-server-git")
async def test_the_recipe_for_git_on_the_reference_server(tmp_path):
    repo = tmp_path / "repo"
    commit = ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "--allow-empty"]
    for command in (["init", "-q", "-b", "main", str(repo)], ["-C", str(repo), *commit, "-m", "x"],
                    ["-C", str(repo), "branch", "side"]):  # fmt: skip
        subprocess.run(["git", *command], check=True)  # noqa: ASYNC221
    text = 'mode = "suggest"\n[servers.files]\nrecipe = "git"\n'
    async with Mulligan("memory:") as m, connect([GIT_SERVER]) as upstream:
        declared = declare_files(m, upstream, tmp_path, text)
        listed = await upstream.list_tools()
        misfits = [each.find_misfit(listed) for each in declared]
        undone = await undo(m, upstream, "git_checkout", repo_path=str(repo), branch_name="side")

    assert not any(misfits)
    assert undone
    assert (repo / ".git/HEAD").read_text().strip() == "ref: refs/heads/main"


def test_what_was_undone_on_a_real_server_says_so():
    undone = {name for name in list_recipes() if load_recipe(name).proof is RecipeProof.UNDONE}

    assert undone == {"filesystem", "git", "memory"}
