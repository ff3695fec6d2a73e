"""A stranger's package has the same standing as ours: each thing it brings is found by its name.

The package is `examples/extension`, built and installed as any other, and tried in processes that
have it on their path.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.strangers import install, run

pytestmark = pytest.mark.full

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "extension"
PACKS = Path(__file__).resolve().parents[2] / "packages" / "mulligan-packs"

PROGRAM = """
import asyncio
import json

from mulligan import Mulligan
from mulligan_packs import load_pack

beds = {"north": "moss"}
m = Mulligan("garden:", replies="rules.toml")


@m.tool(**load_pack("garden").plants(beds))
def plant(bed: str, what: str, month: str) -> str:
    beds[bed] = what
    return what


async def gardener(call, feedback):
    told.append(feedback)
    await call(plant, bed="north", what="rose", month="march" if feedback else "november")
    return "I planted it." if len(told) == 2 else "I planted a rose."


told = []
reply = asyncio.run(m.for_garden()(gardener, "Plant a rose in the north bed"))
print(json.dumps({"reply": reply, "told": told, "beds": beds}))
m.close()
"""


PAGES = """
from datetime import timedelta

from starlette.testclient import TestClient

from mulligan import Mulligan
from mulligan_dashboard.app import create_app
from mulligan_dashboard.security import PageAccess, Role, Sealer, TokenKind, Visitor
from mulligan_packs import load_pack

sealer = Sealer()
link = sealer.write(Visitor(name="Mum", role=Role.LOOK), kind=TokenKind.LINK, life=timedelta(1))
with Mulligan(attempts=1) as m:
    beds = {}
    grow = m.tool(name="plant", **load_pack("garden").plants(beds))
    plant = grow(lambda bed, month: beds.update({bed: month}))
    m.act_sync("Plant a rose", lambda turn: plant("north", "november"))
    m.flush()
    app = create_app(m.insights, access=PageAccess(sealer=sealer, hosts=frozenset({"127.0.0.1"})))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        client.headers["authorization"] = f"Bearer {link}"
        print(client.get("/api/v1/health").text)
        [turn] = client.get("/api/v1/turns").json()["rows"]
        print(client.get(f"/api/v1/turns/{turn['turn']}").text)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """A folder with the package installed, as `pip install` leaves it."""
    folder = tmp_path_factory.mktemp("site")
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"),
            *("--no-build-isolation", "--no-compile", "--target", folder, EXAMPLE),
        ],
        check=True,
        timeout=120,
    )
    rules = '[checks.rose]\nkind = "names_plants"\nplants = ["rose"]\n'
    (folder / "rules.toml").write_text(rules)
    return folder


def test_its_store_checks_pack_and_host_work_by_their_names(site):
    done = run(site, "-W", "error", "-c", PROGRAM, MULLIGAN_CHECKS="standard,in_season")

    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["beds"] == {"north": "rose"}
    assert "Nothing grows that is planted in november." in said["told"][1]
    assert "The reply does not name 'rose'." in said["told"][2]
    assert said["reply"] == "I planted a rose."


def test_its_checks_are_named_in_python_and_in_pyproject_too(site, tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.mulligan]\nchecks = ["in_season"]\n')
    program = f"""
import os
from mulligan import Mulligan
os.chdir({str(tmp_path)!r})
named = ("in_season", ["standard", "in_season"], None, ())
for given in ({{}} if each is None else {{"checks": each}} for each in named):
    with Mulligan("memory:", attempts=1, **given) as m:
        plant = m.tool(name="plant")(lambda month: month)
        print([each.rule for each in m.act_sync("Plant", lambda turn: plant("november")).findings])
"""

    done = run(site, "-W", "error", "-c", program)

    found = ["['garden.out_of_season']"]
    assert done.stdout.splitlines() == [*found * 3, "[]"], done.stderr


def test_its_command_is_one_of_ours(site):
    done = run(site, "-m", "mulligan", "garden", MULLIGAN_STORE="garden:")
    helped = run(site, "-m", "mulligan", "--help")

    assert (done.stdout, done.stderr) == ("The garden is kept in garden:\n", "")
    assert "where the garden is kept" in helped.stdout


def test_the_dashboard_shows_its_store_and_what_its_check_and_pack_did(site):
    done = run(site, "-c", PAGES, MULLIGAN_STORE="garden:", MULLIGAN_CHECKS="in_season")

    assert done.returncode == 0, done.stderr
    health, turn = done.stdout.splitlines()
    assert json.loads(health)["health"]["kind"] == "garden"
    assert '"rule":"garden.out_of_season"' in turn
    assert '"state":"undone"' in turn


def test_its_recipe_is_named_in_the_gateways_file_and_proposed_for_its_server(site):
    program = """
from pathlib import Path
from mulligan_gateway.declarations import find_recipe, read_declarations
from mulligan_gateway.servers_file import Server
Path("servers.toml").write_text('format = 1\\n[servers.beds]\\nrecipe = "garden"\\n')
[declared] = read_declarations(Path("servers.toml"), [Server(name="beds")])
print(declared.server, declared.tool, declared.effect, find_recipe("garden-server").title)
"""

    done = run(site, "-W", "error", "-c", program)

    assert done.stdout == "beds list_beds read A garden\n", done.stderr


def test_all_of_it_is_shown_by_the_doctor_with_its_package_and_version(site):
    registered = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]["entry-points"]

    done = run(site, "-m", "mulligan", "doctor", "--store", "garden:", "--json")

    found = json.loads(done.stdout)
    theirs = {
        group: {each["name"] for each in listed if each["package"] == "mulligan-garden"}
        for group, listed in found["extensions"].items()
    }
    assert found["health"]["kind"] == "garden"
    assert theirs == {group: set(points) for group, points in registered.items()}
    problems = [each["problem"] for listed in found["extensions"].values() for each in listed]
    assert {*problems} == {""}, problems
    assert done.returncode == 0, done.stderr


def test_our_packs_are_registered_as_anybody_elses_are(site, tmp_path):
    points = tomllib.loads((PACKS / "pyproject.toml").read_text())["project"]["entry-points"]
    install(tmp_path, "mulligan_packs", points)
    (tmp_path / "mulligan_packs.py").unlink()
    program = """
from mulligan.extensions import find_extensions
from mulligan_packs import GROUP, OURS, load_pack
found = find_extensions(GROUP)
print(sorted(found) == sorted(OURS), all(load_pack(name) is found[name].load() for name in OURS))
"""

    done = run(tmp_path, "-c", program)
    unknown = run(site, "-c", "from mulligan_packs import load_pack; load_pack('attic')")

    assert done.stdout == "True True\n", done.stderr
    assert "There is no pack 'attic'. There are: calendar, files, garden, http," in unknown.stderr
