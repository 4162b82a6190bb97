"""The viewers of a live session: each gets the newest of everything at its own pace."""

import asyncio
import contextlib
import itertools
import time
from collections import deque
from collections.abc import Callable

from starlette.websockets import WebSocket, WebSocketDisconnect

from pliant.app.live import Live
from pliant.app.messages import Seen, decode
from pliant.app.packing import frame_number
from pliant.app.reports import Notice, Report
from pliant.errors import PliantError

MOST_VIEWERS = 200
WINDOW = 3  # frames
RATE, BURST = 200.0, 400.0  # messages a second, and at once
PATIENCE = 2000  # messages over the rate before a client is shown the door
MOST_NOTICES = 50
BUSY, TOO_FAST = 1013, 1008  # WebSocket: try again later, policy violation


class Bucket:
    """Tokens that refill with time: one a message."""

    def __init__(self, rate: float, burst: float):
        self._rate, self._burst, self._left, self._last = rate, burst, burst, time.monotonic()

    def take(self, now: float) -> bool:
        """Is there one left?"""
        self._left = min(self._burst, self._left + self._rate * (now - self._last))
        self._last = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Outbox:
    """What one viewer has not been sent: the newest frame, the newest report of each kind, and a few notices.

    A frame is small, and a network would queue a minute of them for a slow page. So only `WINDOW` frames are under way
    that the page has not said to have seen.
    """

    def __init__(self) -> None:
        self._frame: bytes | None = None
        self._under_way: list[int] = []
        self._reports: dict[str, Report] = {}
        self._kept: deque[Report] = deque(maxlen=MOST_NOTICES)
        self._ready = asyncio.Event()

    def put_frame(self, frame: bytes) -> None:
        self._frame = frame
        self._check()

    def put_report(self, report: Report) -> None:
        if report.keep:
            self._kept.append(report)
        else:
            self._reports[report.kind] = report
        self._ready.set()

    def seen(self, number: int) -> None:
        """The page has shown this frame, and will not show the ones before it."""
        self._under_way = [n for n in self._under_way if n > number]
        self._check()

    def _check(self) -> None:
        if self._frame is not None and len(self._under_way) < WINDOW:
            self._ready.set()

    async def take(self) -> tuple[list[Report], bytes | None]:
        """Wait until something may be sent, and take all of it."""
        await self._ready.wait()
        self._ready.clear()
        reports, frame = [*self._reports.values(), *self._kept], None
        self._reports = {}
        self._kept.clear()
        if self._frame is not None and len(self._under_way) < WINDOW:
            frame, self._frame = self._frame, None
            self._under_way.append(frame_number(frame))
        return reports, frame


class Viewers:
    """Hands on what the live thread says; it listens there and speaks here, in the event loop."""

    def __init__(self, live: Live):
        self._live, self._outboxes, self._numbers = live, dict[int, Outbox](), itertools.count(1)
        self._loop: asyncio.AbstractEventLoop | None = None

    def attach(self) -> None:
        """Begin to listen, from inside the event loop."""
        self._loop = asyncio.get_running_loop()
        self._live.listen(self)

    def on_frame(self, frame: bytes) -> None:
        if self._outboxes:
            self._soon(self._spread_frame, frame)

    def on_report(self, report: Report, client: int | None) -> None:
        if self._outboxes:
            self._soon(self._spread_report, report, client)

    def _soon(self, what: Callable[..., None], *arguments: object) -> None:
        # The loop is closed while the server goes down and the simulation still speaks.
        with contextlib.suppress(RuntimeError):
            if self._loop is not None:
                self._loop.call_soon_threadsafe(what, *arguments)

    def _spread_frame(self, frame: bytes) -> None:
        for outbox in self._outboxes.values():
            outbox.put_frame(frame)

    def _spread_report(self, report: Report, client: int | None) -> None:
        for number, outbox in self._outboxes.items():
            if client in (None, number):
                outbox.put_report(report)

    async def serve(self, socket: WebSocket) -> None:
        """Everything between a viewer's arrival and its leaving."""
        if len(self._outboxes) >= MOST_VIEWERS:
            await socket.close(BUSY)
            return
        await socket.accept()
        number, outbox = next(self._numbers), Outbox()
        self._outboxes[number] = outbox
        outbox.put_report(self._live.status)
        outbox.put_report(self._live.progress)
        if self._live.frame:
            outbox.put_frame(self._live.frame)
        speaking = asyncio.create_task(_speak(socket, outbox))
        try:
            await self._hear(socket, number, outbox)
        finally:
            del self._outboxes[number]
            self._live.leave(number)
            speaking.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await speaking

    async def _hear(self, socket: WebSocket, number: int, outbox: Outbox) -> None:
        bucket, patience = Bucket(RATE, BURST), PATIENCE
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            if not bucket.take(time.monotonic()):
                patience -= 1
                outbox.put_report(Notice(f"too many messages; {RATE:.0f} a second are heard", "error"))
                if patience <= 0:
                    with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # it may have left by itself
                        await socket.close(TOO_FAST)
                    return
                continue
            try:
                said = decode(message.get("text") or message.get("bytes") or "")
                if isinstance(said, Seen):
                    outbox.seen(said.frame)
                else:
                    self._live.submit(said, number)
            except PliantError as reason:
                outbox.put_report(Notice(str(reason), "error"))


async def _speak(socket: WebSocket, outbox: Outbox) -> None:
    """Sending waits for a slow viewer, and meanwhile the outbox keeps only the newest."""
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        while True:
            reports, frame = await outbox.take()
            for report in reports:
                await socket.send_text(report.text())
            if frame is not None:
                await socket.send_bytes(frame)
