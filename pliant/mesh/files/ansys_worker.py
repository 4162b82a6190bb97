"""A process of its own for meshio's reader of Ansys meshes: `python ansys_worker.py file result seconds bytes`.

The reader looks for the end of a section for ever where a file has been cut short.
"""

import resource
import sys
from typing import Any

import numpy as np


def main(file: str, result: str, seconds: int, memory: int) -> None:
    """Write the points and cells of a file as arrays, with this much processor time [s] and memory [bytes]."""
    import meshio

    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    content = meshio.ansys.read(file)
    arrays: dict[str, Any] = {"points": content.points, "kinds": np.array([block.type for block in content.cells])}
    np.savez(result, **arrays, **{f"cells {k}": block.data for k, block in enumerate(content.cells)})


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
