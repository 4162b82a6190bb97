"""An address as a square that phones can read; without the package segno there is none."""

from typing import Any

try:
    import segno
except ImportError:
    segno = None  # type: ignore[assignment]

QUIET = 2  # modules of white around it


def terminal_code(address: str) -> str | None:
    """Lines of half blocks for a terminal, dark on light whatever its colours are."""
    code = _code(address)
    if code is None:
        return None
    rows = [[bool(dot) for dot in row] for row in code.matrix_iter(border=QUIET)]
    rows += [[False] * len(rows[0])] * (len(rows) % 2)
    half = {(True, True): " ", (False, True): "▀", (True, False): "▄", (False, False): "█"}
    lines = ("".join(half[pair] for pair in zip(above, below)) for above, below in zip(rows[::2], rows[1::2]))
    return "\n".join(f"\033[97;40m{line}\033[0m" for line in lines)


def picture_code(address: str) -> str | None:
    """The source of an <img>."""
    code = _code(address)
    return None if code is None else code.svg_data_uri(scale=8, border=QUIET, dark="#111", light="#fff")


def _code(address: str) -> Any:
    return None if segno is None else segno.make(address, micro=False)
