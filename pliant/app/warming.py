"""Compiling ahead: another process compiles what trees and seams will run, while a person looks at the first scene.

The first tree on a machine compiles for a minute or two, the first seams for half of one; later ones read the result
from numba's cache.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from pliant.errors import Ids
from pliant.fem import Solid, StVK
from pliant.mesh import shapes
from pliant.systems import couple, couple_nonlinear, substructure

INERTIAS: tuple[Literal["full", "L1"], ...] = ("full", "L1")
LAST = 19  # of the niceness of a process: whatever else runs goes first


def start_warming() -> subprocess.Popen:
    """Begin to compile in the background; `terminate()` it when nobody waits for it any more."""
    command, nothing = [sys.executable, "-m", "pliant.app.warming"], subprocess.DEVNULL
    return subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing)


def warm(kinds: Sequence[str] = ()) -> None:
    """Step the smallest systems of these kinds, all of `WARMERS` by default, held and free."""
    mesh = shapes.bar((1, 0.2, 0.2), (4, 1, 1))
    labels = (mesh.centroids[:, 0] > 0.5).astype(np.int64)
    for kind in kinds or WARMERS:
        for fixed in ("x < 1e-9", None):
            WARMERS[kind](Solid(mesh, StVK(1e6, 0.3, 1000), fixed=fixed), labels)


def _tree(solid: Solid, labels: Ids) -> None:
    for inertia in INERTIAS:
        substructure(solid, labels, inertia=inertia, size=8, dt=0.01).step()


def _seams(solid: Solid, labels: Ids) -> None:
    couple(solid, labels, 0, 1, dt=0.01).step()
    couple_nonlinear(solid, labels, 0, 1, dt=0.01, modes=2).step()


WARMERS: dict[str, Callable[[Solid, Ids], None]] = {"tree": _tree, "seams": _seams}

if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(LAST)
    warm(sys.argv[1:])
