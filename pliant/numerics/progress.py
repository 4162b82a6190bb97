"""How long work tells its user where it is."""

from collections.abc import Callable

Report = Callable[[str, float], None]
Progress = Report | None
COMPILING = "compiling, if this is the first time"


def report(progress: Progress, stage: str, fraction: float) -> None:
    """Call `progress(stage, fraction)` if there is somebody to tell; the fraction goes from 0 to 1 in each stage."""
    if progress is not None:
        progress(stage, fraction)
