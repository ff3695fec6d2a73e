"""A server as a process of its own, spoken to over its standard input and output."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import cast

from mulligan.gateway.protocol.frames import as_line
from mulligan.gateway.protocol.limits import Limits
from mulligan.gateway.protocol.line_cutter import LineCutter
from mulligan.gateway.protocol.party import Pressure
from mulligan.gateway.servers_file import Server

INHERITED = frozenset(
    {
        *("HOME", "LOGNAME", "PATH", "PWD", "SHELL", "TERM", "TMPDIR", "TZ", "USER"),
        *("LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "SYSTEMROOT"),
        *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"),
    }
)
"""Variables that a server gets of ours; it has no others but those that its file names."""


class ServerProcess(asyncio.SubprocessProtocol):
    """One life of a server: from its start to the end of its whole process group."""

    def __init__(
        self,
        server: Server,
        *,
        limits: Limits,
        on_frame: Callable[[bytes], None],
        on_too_long: Callable[[bytes], None],
        on_end: Callable[[str], None],
        on_full: Pressure,
    ) -> None:
        self._server = server
        self._limits = limits
        self._on_end = on_end
        self._cutter = LineCutter(on_frame, longest=limits.frame, on_too_long=on_too_long)
        self._process: asyncio.SubprocessTransport | None = None
        self._input: asyncio.WriteTransport | None = None
        self._ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._on_full = on_full

    async def start(self) -> None:
        """Run the command, in a process group of its own."""
        server = self._server
        transport, _ = await asyncio.get_running_loop().subprocess_exec(
            lambda: self,
            *server.command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=None,
            env=build_environment(server.env, ours=os.environ),
            cwd=server.cwd,
            start_new_session=True,
        )
        self._process = transport
        self._input = cast("asyncio.WriteTransport", transport.get_pipe_transport(0))

    def send(self, frame: bytes) -> None:
        """Write a line; to one that has ended, nothing."""
        if self._input is not None and not self._input.is_closing():
            self._input.write(as_line(frame))

    def pause(self, *, full: bool) -> None:
        """Read nothing from it while nobody takes what it says."""
        pipe = self._process.get_pipe_transport(1) if self._process is not None else None
        if pipe is not None and not pipe.is_closing():
            reading = cast("asyncio.ReadTransport", pipe)
            with suppress(RuntimeError):  # it is closed, or paused already
                reading.pause_reading() if full else reading.resume_reading()

    async def stop(self) -> None:
        """Close its input, then ask, then kill: what it has started goes with it."""
        if self._process is None:
            return
        if self._input is not None:
            self._input.close()
        for last_word in (signal.SIGTERM, signal.SIGKILL):
            if await self._is_over():
                break
            self._send_signal(last_word)
        await self._is_over()
        self._send_signal(signal.SIGKILL)
        self._process.close()

    async def _is_over(self) -> bool:
        done, _ = await asyncio.wait([self._ended], timeout=self._limits.stop)
        return bool(done)

    def _send_signal(self, number: int) -> None:
        pid = self._process.get_pid() if self._process is not None else None
        if pid:
            # The group outlives its first process where that has left children behind.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, number)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Cut what it says into messages."""
        if fd == 1:
            self._cutter.take(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002
        """One that says nothing any more is of no use, whether or not it has ended."""
        if fd == 1:
            self._cutter.finish()
            self._end("it closed its output")

    def process_exited(self) -> None:
        """It is over, and has been waited for: no zombie is left."""
        code = self._process.get_returncode() if self._process is not None else None
        if not self._ended.done():
            self._ended.set_result(None)
        self._end(f"it ended with code {code}")

    def pause_writing(self) -> None:
        """It does not read as fast as it is written to."""
        self._on_full(full=True)

    def resume_writing(self) -> None:
        """It has caught up."""
        self._on_full(full=False)

    def _end(self, why: str) -> None:
        told, self._on_end = self._on_end, _say_nothing
        told(why)


def _say_nothing(why: str) -> None:
    """Its end has been told."""


def build_environment(said: Mapping[str, str], *, ours: Mapping[str, str]) -> dict[str, str]:
    """What a server finds in its environment: what any program needs, and what its file says."""
    return {name: value for name, value in ours.items() if name in INHERITED} | dict(said)
