"""Another way to a Postgres server, to see what goes over it."""

from __future__ import annotations

import selectors
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit


@contextmanager
def count_ways(url: str, folder: Path, *, lag: float = 0.0) -> Iterator[tuple[str, Counter[str]]]:
    """Another way to a server, that counts how often somebody asked it and waited.

    With a lag, it takes so many seconds for every 64 kB.
    """
    host = urlsplit(url).netloc.partition("@")[2].removesuffix(":5432")
    place = unquote(host)
    ways, name = Counter[str](), ".s.PGSQL.5432"

    def pass_on(ours: socket.socket) -> None:
        theirs = socket.socket(socket.AF_UNIX)
        theirs.connect(f"{place}/{name}")
        asked = False
        # Who hangs up while something is under way has no need of it.
        with ours, theirs, selectors.DefaultSelector() as selector, suppress(OSError):
            for each in (ours, theirs):
                selector.register(each, selectors.EVENT_READ, each)
            while True:
                for end in [key.data for key, _ in selector.select()]:
                    time.sleep(lag)
                    if not (data := end.recv(1 << 16)):
                        return
                    ways["there"] += end is ours and not asked
                    asked = end is ours
                    (theirs if asked else ours).sendall(data)

    def serve() -> None:
        with suppress(OSError):  # The door is closed in the end.
            while True:
                threading.Thread(target=pass_on, args=[door.accept()[0]], daemon=True).start()

    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(folder / name))
        door.listen()
        threading.Thread(target=serve, daemon=True).start()
        yield url.replace(host, quote(str(folder), safe="")), ways
