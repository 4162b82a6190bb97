"""Measures how fast the simulation runs."""


class Meter:
    """Sums steps and wall time between two readings."""

    def __init__(self) -> None:
        self._steps, self._busy, self._simulated = 0, 0.0, 0.0
        self._since: float | None = None
        self._step = 0.0

    def count(self, steps: int, busy: float, simulated: float) -> None:
        """`steps` took `busy` seconds of wall time and `simulated` seconds of their own."""
        self._steps += steps
        self._busy += busy
        self._simulated += simulated

    def read(self, now: float) -> tuple[float, float]:
        """Wall time of a step [s] and simulated over wall time since the last reading."""
        elapsed = now - self._since if self._since is not None else 0.0
        ratio = self._simulated / elapsed if elapsed > 0 else 0.0
        if self._steps:
            self._step = self._busy / self._steps
        self._steps, self._busy, self._simulated, self._since = 0, 0.0, 0.0, now
        return self._step, ratio
