"""One signed POST for each action that needs a person, made again until it is taken.

What is due is read from the journal, and what was taken is kept beside it: a restart loses none,
and repeats none but one whose answer came too late to be kept, under the same id. Of all processes
of a store one sends at a time. It decides nothing: the message leads to the page where a person
does.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

from mulligan.codec import encode_json
from mulligan.insights.insights import Insights
from mulligan.insights.open_actions import OpenItem, OpenList, build_item
from mulligan.settings import Webhook, WebhookForm
from mulligan.types.action import PAGE, Action, Kept, State, needs_person
from mulligan.types.errors import ConfigurationError
from mulligan.types.interfaces import Store, run_as_leader
from mulligan.version import VERSION

EVERY = 2.0
"""Seconds between two looks."""
LIFE = timedelta(days=1)
"""How long a notification is tried."""
ANSWERS_WITHIN = 10.0
"""Seconds for one try, however slowly its answer comes."""
LONGEST_PAUSE = 300.0
"""Seconds between two tries, which begin with a second and double."""
CLOSING = 5.0
"""Seconds that closing waits for the last look."""

_report = logging.getLogger("mulligan")


class Notifier:
    """Sends what is due, on a thread of its own: no turn waits for it."""

    def __init__(
        self,
        store: Store,
        *,
        insights: Insights,
        webhook: Webhook,
        steady: Callable[[], float] = time.monotonic,
        within: float = ANSWERS_WITHIN,
    ) -> None:
        if webhook.key is None and webhook.form is WebhookForm.JSON:
            raise ConfigurationError(
                "The setting webhook.url needs a webhook.key: without a signature, anybody could "
                "send such messages. Make one with `openssl rand -base64 32`."
            )
        self._store = store
        self._insights = insights
        self._listed = OpenList(insights)
        self._webhook = webhook
        self._steady = steady
        self._within = within
        self._taken = set[str]()
        """Ids of what is known to be taken."""
        self._tries: dict[str, tuple[int, float]] = {}
        """How often each was tried in vain, and when it is tried again."""
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self._pid: int | None = None

    def start(self) -> None:
        """Begin; a child of a fork begins anew."""
        if self._pid == os.getpid() or self._over.is_set():
            return
        self._pid, self._over = os.getpid(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="mulligan-notify", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Send what is due once more, and end; a server that is slow is not waited for."""
        self._over.set()
        thread, here = self._thread, self._pid == os.getpid()
        if thread is not None and here and thread is not threading.current_thread():
            thread.join(timeout=CLOSING)

    def run_once(self) -> int:
        """Send what is due now. How many were taken."""
        due = [each for each in self._list_waiting() if self._is_due(each)]
        if not due:
            return 0
        with run_as_leader(self._store, "notify", every=timedelta(0)) as ours:
            return sum(map(self._deliver, due)) if ours else 0

    def _run(self) -> None:
        while True:
            over = self._over.is_set()
            try:
                self.run_once()
            except Exception as error:  # noqa: BLE001 - a store that is away may be back soon
                _report.warning("Notifications could not be looked for (%s).", type(error).__name__)
            if over:
                return
            self._over.wait(EVERY)

    def _list_waiting(self) -> list[Action]:
        """What needs a person, and may not have been told to anyone."""
        since = self._insights.clock() - LIFE
        journal, found = self._insights.store.journal, list[Action]()
        while page := journal.list_open_actions(after=found[-1].id if found else "", limit=PAGE):
            found += page
        waiting = [each for each in found if needs_person(each) and each.changed_at > since]
        names = {name_notification(each) for each in waiting}
        self._taken &= names
        self._tries = {name: tried for name, tried in self._tries.items() if name in names}
        return [each for each in waiting if name_notification(each) not in self._taken]

    def _is_due(self, action: Action) -> bool:
        _, again_at = self._tries.get(name_notification(action), (0, 0.0))
        return self._steady() >= again_at

    def _deliver(self, action: Action) -> bool:
        """Send one, unless it is decided or was taken meanwhile."""
        journal, vault = self._insights.store.journal, self._insights.store.vault
        name, row = name_notification(action), f"notified {action.version}"
        current = journal.find_action(action.id)
        if current is None or current.version != action.version:
            return False
        if vault.get(action.id, row) is not None:
            self._taken.add(name)
            return False
        item = build_item(self._listed, action)
        body = build_body(item, self._webhook)
        if not journal.holds_lease():
            # Silent for too long: another process may be sending it.
            return False
        failed = self._post(name, body)
        if failed:
            self._put_off(name, failed)
            return False
        self._taken.add(name)
        self._tries.pop(name, None)
        until = self._insights.clock() + 2 * LIFE
        vault.put(Kept(owner=action.id, name=row, value=name.encode(), expires_at=until))
        return True

    def _put_off(self, name: str, failed: str) -> None:
        tries = self._tries.get(name, (0, 0.0))[0] + 1
        pause = min(2.0 ** (tries - 1), LONGEST_PAUSE)
        self._tries[name] = tries, self._steady() + pause
        if tries == 1:
            _report.warning("A notification was not taken (%s), and is sent again.", failed)

    def _post(self, name: str, body: bytes) -> str:
        """Send it once; why it was not taken, or nothing."""
        at = int(self._insights.clock().timestamp())
        headers = {
            "content-type": "application/json",
            "user-agent": f"mulligan/{VERSION}",
            "webhook-id": name,
            "webhook-timestamp": str(at),
        }
        if self._webhook.key is not None:
            headers["webhook-signature"] = sign(self._webhook.key, name, at=at, body=body)
        try:
            status = post(self._webhook.url, body, headers=headers, within=self._within)
        except (OSError, HTTPException, ValueError) as error:
            return type(error).__name__
        return "" if 200 <= status < 300 else f"status {status}"


def name_notification(action: Action) -> str:
    """The id of a notification, the same on every try and for every process."""
    return f"{action.id}-{action.version}"


def sign(key: bytes, name: str, *, at: int, body: bytes) -> str:
    """A signature as Standard Webhooks has it, over the id, the time and the body."""
    signed = f"{name}.{at}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()


def build_body(item: OpenItem, webhook: Webhook) -> bytes:
    """What is sent of an action: as its page shows it to those who may only look, the same on every
    try."""
    page = f"{webhook.page.rstrip('/')}/open/{item.id}" if webhook.page else ""
    if webhook.form is WebhookForm.SLACK:
        return encode_json(_build_slack(item, page=page))
    data = {
        "action": item.id,
        "state": item.state.value,
        "what": item.what,
        "why": item.why,
        "tool": item.tool,
        "server": item.server,
        "agent": item.agent,
        "tenant": item.tenant,
        "turn": item.turn,
        "since": item.since.isoformat(),
        "expires_at": item.expires_at or None,
        "page": page or None,
    }
    said = {"type": _name_type(item), "timestamp": item.since.isoformat(), "data": data}
    return encode_json(said)


def _name_type(item: OpenItem) -> str:
    return "action.held" if item.state is State.HELD else "action.needs_attention"


def _build_slack(item: OpenItem, *, page: str) -> Mapping[str, object]:
    """Blocks for an incoming webhook. What others wrote is plain text, which names nobody."""
    title = "Awaiting approval" if item.state is State.HELD else "Needs attention"
    by = f"By {item.agent or 'an unnamed agent'}: {item.why}"
    lines = [("plain_text", text[:2_900]) for text in (f"{title}: {item.what}", by)]
    if page:
        lines.append(("mrkdwn", f"<{page}|Decide on its page>"))
    return {
        "text": f"{title}: {item.tool.translate(_SLACK)}",
        "blocks": [
            {"type": "section", "text": {"type": kind, "text": text}} for kind, text in lines
        ],
    }


_SLACK = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def post(url: str, body: bytes, *, headers: Mapping[str, str], within: float) -> int:
    """The status of one POST. No redirect is followed, and no more is read of the answer."""
    read = urlsplit(url)
    kind = HTTPSConnection if read.scheme == "https" else HTTPConnection
    connection = kind(str(read.hostname), read.port, timeout=within)
    # Its own timeout is for each byte of the answer.
    cut = threading.Timer(within, _cut, [connection])
    cut.daemon = True
    cut.start()
    try:
        target = (read.path or "/") + (f"?{read.query}" if read.query else "")
        connection.request("POST", target, body=body, headers=dict(headers))
        return connection.getresponse().status
    finally:
        cut.cancel()
        connection.close()


def _cut(connection: HTTPConnection) -> None:
    with suppress(OSError, AttributeError):  # it is closed already
        connection.sock.shutdown(socket.SHUT_RDWR)
