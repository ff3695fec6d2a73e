from __future__ import annotations

import subprocess

import pytest

from mulligan.cli.completion import SHELLS
from tests.cli.running import run


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_gets_a_script_with_every_command(shell, capsys):
    code, out, _ = run(capsys, "completion", shell)

    assert code == 0
    assert "actions" in out
    assert "--ours" in out


def test_bash_completes_a_command_and_an_option(tmp_path, capsys):
    script = tmp_path / "mulligan.bash"
    script.write_text(run(capsys, "completion", "bash")[1])
    typed = "COMP_WORDS=(mulligan appr); COMP_CWORD=1"
    ask = f"source {script}; {typed}; _shtab_mulligan; echo ${{COMPREPLY[@]}}"

    said = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=True)

    assert said.stdout.split() == ["approve"]
