"""How the studies measure: the best of several rounds, contestants taking turns so that noise hits them alike."""

import time
from collections.abc import Callable


def best_times(contestants: dict[str, Callable[[], object]], rounds: int = 7) -> dict[str, float]:
    """Shortest wall time of each [s]; one untimed call first, so that nothing is compiled on the clock."""
    best = dict.fromkeys(contestants, float("inf"))
    for run in contestants.values():
        run()
    for _ in range(rounds):
        for name, run in contestants.items():
            start = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def table(rows: list[dict[str, object]]) -> str:
    """Rows as aligned text; the keys of the first row are the heading."""
    heading = list(rows[0])
    cells = [heading] + [[_text(row[key]) for key in heading] for row in rows]
    widths = [max(len(line[k]) for line in cells) for k in range(len(heading))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths)) for line in cells)


def _text(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
