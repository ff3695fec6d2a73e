"""One client, over the gateway's own standard input and output."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import cast

from mulligan_gateway.client_session import ClientSession
from mulligan_gateway.gateway import Gateway
from mulligan_gateway.party import Party, Pressure
from mulligan_gateway.protocol import LineCutter, as_line

CHUNK = 65_536


async def serve_stdio(gateway: Gateway, *, reads: int = 0, writes: int = 1) -> None:
    """Serve a client until it closes our input."""
    loop = asyncio.get_running_loop()
    client = Party()
    session = gateway.open_session(client)
    writer: _PipeWriter | _FileWriter = _FileWriter(writes)
    if _is_stream(writes):
        writer = _PipeWriter(session.pause_servers)
        sink, way = os.fdopen(os.dup(writes), "wb", buffering=0), writer
        await loop.connect_write_pipe(lambda: way, sink)
    client.way = writer
    cutter = LineCutter(
        session.take_line,
        longest=gateway.options.limits.frame,
        on_too_long=session.refuse_too_long,
    )
    try:
        if _is_stream(reads):
            reader = _PipeReader(cutter.take)
            source = os.fdopen(os.dup(reads), "rb", buffering=0)
            transport, _ = await loop.connect_read_pipe(lambda: reader, source)
            session.on_full = partial(_pause, transport)
            with suppress(NotImplementedError):  # on Windows there is no such signal
                loop.add_signal_handler(signal.SIGTERM, partial(_terminate, session, reader))
            await reader.over
            transport.close()
        else:
            # A file cannot be waited for: it is read beside.
            while data := await asyncio.to_thread(os.read, reads, CHUNK):
                cutter.take(data)
        cutter.finish()
        await session.finish()
    finally:
        await session.close()
        await writer.finish(gateway.options.limits.stop)


def _is_stream(fd: int) -> bool:
    mode = os.fstat(fd).st_mode
    # Of devices, only a terminal can be waited for: /dev/null cannot.
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(fd)


def _terminate(session: ClientSession, reader: _Pipe) -> None:
    """A client that does not wait kills us next: what does not end by itself ends now."""
    session.terminate_servers()
    reader.connection_lost(None)


def _pause(transport: asyncio.ReadTransport, *, full: bool) -> None:
    with suppress(RuntimeError):  # it is closed, or paused already
        transport.pause_reading() if full else transport.resume_reading()


class _Pipe(asyncio.Protocol):
    """One end of a pipe, which knows when it is over."""

    def __init__(self) -> None:
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        if not self.over.done():
            self.over.set_result(None)


class _PipeReader(_Pipe):
    """Hands on what comes, without a task in between."""

    def __init__(self, feed: Callable[[bytes], None]) -> None:
        super().__init__()
        self._feed = feed

    def data_received(self, data: bytes) -> None:
        self._feed(data)


class _PipeWriter(_Pipe):
    """Writes lines without waiting; what its reader has not taken yet is kept."""

    def __init__(self, on_full: Pressure) -> None:
        super().__init__()
        self._on_full = on_full
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.WriteTransport", transport)

    def pause_writing(self) -> None:
        self._on_full(full=True)

    def resume_writing(self) -> None:
        self._on_full(full=False)

    def send(self, frame: bytes) -> None:
        """Write a line; to a client that is gone, nothing."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(as_line(frame))

    async def finish(self, seconds: float) -> None:
        """Write what is left, as long as its reader takes it."""
        if self._transport is not None:
            self._transport.close()
            await asyncio.wait([self.over], timeout=seconds)
            if not self.over.done():
                self._transport.abort()


class _FileWriter:
    """Writes lines to a file."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def send(self, frame: bytes) -> None:
        """Write a line."""
        os.write(self._fd, as_line(frame))

    async def finish(self, seconds: float) -> None:
        """Everything is written already."""


def keep_output_clean() -> None:
    """Whatever else prints in this process must not stand between messages."""
    sys.stdout = sys.stderr
