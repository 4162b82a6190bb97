"""Connections that do not ask for anything in time are closed: an open line costs a place, and nothing else."""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 10.0  # [s] from a connection, or an answer, to the next whole request


class Timely(H11Protocol):
    """HTTP as uvicorn speaks it, with an end to waiting for requests that do not come."""

    _alarm: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._rest()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._rest()
        self._alarm = self.loop.call_later(PATIENCE, self._give_up)

    def _rest(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _give_up(self) -> None:
        """Unless an answer is under way, or the line has become a WebSocket."""
        answering = self.cycle is not None and not self.cycle.response_complete
        if not answering and self.transport.get_protocol() is self and not self.transport.is_closing():
            self.transport.close()
