"""Compiling ahead: another process compiles what systems will run, while a person looks at the first scene.

The first tree on a machine compiles for a minute, so do the first seams; later ones read the result from numba's cache.
First comes what draws and touches: what a person opens needs that after its steps, and finds it done.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Sequence

import numpy as np

from pliant.fem import Solid, StVK
from pliant.mesh import Mesh, embed, shapes
from pliant.numerics.progress import Progress, report
from pliant.scenes.kinds import SYSTEMS
from pliant.skin import Pose, Rates, plain_skin
from pliant.systems.system import untold

COMPANION = "--companion"  # of a process that holds its standard input open
LAST = 19  # of the niceness of a process: whatever else runs goes first


def start_warming() -> subprocess.Popen:
    """Begin to compile in the background; `terminate()` it when nobody waits for it any more.

    It also ends with this process, however that ends: what it reads is closed then.
    """
    command, nothing = [sys.executable, "-m", "pliant.app.warming", COMPANION], subprocess.DEVNULL
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=nothing, stderr=nothing)


def warm(kinds: Sequence[str] = (), progress: Progress = None) -> None:
    """Step the smallest systems of these kinds, of all that compile for long by default, held and free."""
    mesh = shapes.bar((1, 0.2, 0.2), (4, 1, 1))
    labels = (mesh.centroids[:, 0] > 0.5).astype(np.int64)
    warm_skin(mesh)
    # First what a person has opened is likely to ask for next: another integration, or wind.
    first, *others = SYSTEMS
    in_turn = list(kinds) or [first, *others[::-1]]
    chosen = [kind for kind in in_turn if SYSTEMS[kind].warm is not None]
    for number, kind in enumerate(chosen):
        for half, fixed in enumerate(("x < 1e-9", None)):
            report(progress, f"compiling, once: {kind}", (2 * number + half) / (2 * len(chosen)))
            warm_up = SYSTEMS[kind].warm
            assert warm_up is not None
            with untold():
                warm_up(Solid(mesh, StVK(1e6, 0.3, 1000), fixed=fixed), labels)
    report(progress, "compiling, once", 1.0)


def warm_skin(mesh: Mesh) -> None:
    """Wear a surface, place it, move it, and press it."""
    X, zero = mesh.vertices, np.zeros(1)
    U, pose = np.ones((X.size, 1)), Pose([(np.eye(3), np.zeros(3))], [zero])
    embed(mesh, 0.5 * (X[:1] + X.mean(axis=0)))
    skin = plain_skin(X, mesh.surface, U)
    points = skin.points([0])
    points.velocity(pose, Rates(np.zeros((1, 3)), np.zeros((1, 3)), zero, pose.offsets))
    points.gather(pose, points.place(pose))
    points.jacobian(pose)


def _end_with_input() -> None:
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(LAST)
    kinds = [word for word in sys.argv[1:] if word != COMPANION]
    if COMPANION in sys.argv:
        threading.Thread(target=_end_with_input, daemon=True).start()
    warm(kinds)
