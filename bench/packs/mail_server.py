"""A real IMAP server of one's own: Debian's Dovecot, in a folder, on loopback alone."""

from __future__ import annotations

import getpass
import imaplib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.missing import MissingError

USER, PASSWORD = "ann@example.com", "any"
_TIMEOUT = 60.0
_SETTINGS = """
protocols = imap
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/log
default_internal_user = {user}
default_internal_group = {group}
default_login_user = {user}
ssl = no
disable_plaintext_auth = no
mail_fsync = never
mail_location = maildir:{folder}/mail/%u
first_valid_uid = 1
passdb {{
  driver = static
  args = nopassword=y
}}
userdb {{
  driver = static
  args = uid={user} gid={group} home={folder}/mail/%u
}}
namespace inbox {{
  inbox = yes
  separator = /
  mailbox Drafts {{
    auto = create
    special_use = \\Drafts
  }}
  mailbox "Sent Mail" {{
    auto = create
    special_use = \\Sent
  }}
  mailbox Archive {{
    auto = create
  }}
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
    address = 127.0.0.1
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service anvil {{
  chroot =
}}
"""


@contextmanager
def serve_dovecot() -> Iterator[str]:
    """A server for as long as the context lasts, which takes any user. Its address."""
    program = find_dovecot()
    folder, port = Path(tempfile.mkdtemp(prefix="mulligan-mail-", dir="/tmp")), find_free_port()
    user, group = ("nobody", "nogroup") if os.geteuid() == 0 else (getpass.getuser(), _group())
    (folder / "mail").mkdir()
    if os.geteuid() == 0:
        folder.chmod(0o755)
        shutil.chown(folder / "mail", user)
    settings = folder / "dovecot.conf"
    settings.write_text(_SETTINGS.format(folder=folder, port=port, user=user, group=group))
    process = subprocess.Popen([program, "-F", "-c", settings])
    try:
        _wait_until_ready(process, port, folder / "log")
        yield f"imap://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(_TIMEOUT)
        shutil.rmtree(folder, ignore_errors=True)


def find_dovecot() -> str:
    """The program, or what to do to have it."""
    found = shutil.which("dovecot", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if found is None:
        raise MissingError("There is no dovecot: apt-get install dovecot-imapd.")
    return found


def _wait_until_ready(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    until = time.monotonic() + _TIMEOUT
    while True:
        try:
            line = imaplib.IMAP4("127.0.0.1", port, timeout=_TIMEOUT)
            line.login(USER, PASSWORD)
            line.logout()
        except (OSError, imaplib.IMAP4.error):
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"Dovecot did not start: {log.read_text()}") from None
            time.sleep(0.05)
        else:
            return


def find_free_port() -> int:
    """A port that nobody has, a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _group() -> str:
    import grp

    return grp.getgrgid(os.getgid()).gr_name
