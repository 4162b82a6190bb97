"""Keeps simulated time level with the clock on the wall."""

LONGEST_DEBT = 0.1


class RealTime:
    """Counts the steps that are due. After a stall `LONGEST_DEBT` seconds are caught up, the rest is dropped."""

    def __init__(self) -> None:
        self._last: float | None = None
        self._owed = 0.0

    def hold(self) -> None:
        """Time stands still until `due` is asked again."""
        self._last, self._owed = None, 0.0

    def due(self, now: float, dt: float, speed: float = 1.0) -> int:
        """How many steps of `dt` it is behind at `now` [s], where it runs `speed` times as fast as the clock."""
        if self._last is not None:
            self._owed = min(self._owed + speed * max(0.0, now - self._last), max(speed * LONGEST_DEBT, 2 * dt))
        self._last = now
        return int(self._owed / dt)

    def paid(self, count: int, dt: float) -> None:
        """`count` steps have been taken."""
        self._owed -= count * dt
