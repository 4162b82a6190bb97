"""Von Mises stress on the vertices that are drawn, for the pages that ask for it."""

import base64
import math
import threading
import time

import numpy as np

from pliant.app.reports import FieldReport
from pliant.app.stage import Stage
from pliant.errors import ArgumentError, Array
from pliant.export.stress import von_mises_stress
from pliant.systems import System

APART = 0.1  # [s] between two reports
SHARE = 0.2  # of the time of the live thread that may go into stresses
LEVELS = 255
BELOW = 0.995  # of the vertices: the range ends there, since a few crushed cells would leave nothing to see of the rest


class Stresses:
    """Who wants them, and when the next are due. What they need is compiled in a thread of its own, once a scene."""

    def __init__(self) -> None:
        self.clients: set[int] = set()
        self._stage: Stage | None = None
        self._compiling: threading.Thread | None = None
        self._next = 0.0

    def want(self, client: int, stage: Stage) -> None:
        """A client asks for them; an error where the system has no cells to tell them of."""
        check_told(stage.system)
        self.clients.add(client)

    def report(self, stage: Stage, now: float) -> FieldReport | None:
        """The stresses of now, if they are due."""
        if not self.clients or now < self._next or not self._ready(stage):
            return None
        begun = time.perf_counter()
        try:
            values = drawn_stress(stage.system)[stage.geometry.surface]
        except ArgumentError:  # a scene that came later tells none
            self._next = math.inf if stage is self._stage else 0.0
            return None
        self._next = now + max(APART, (time.perf_counter() - begun) / SHARE)
        most = float(np.quantile(values, BELOW))
        shares = np.minimum(values, most) / (most if most > 0 else 1.0)
        levels = np.round(LEVELS * shares).astype(np.uint8)
        return FieldReport(stage.geometry.number, most, base64.b64encode(levels.tobytes()).decode())

    def _ready(self, stage: Stage) -> bool:
        if stage is not self._stage:
            self._stage, self._next = stage, 0.0
            self._compiling = threading.Thread(target=_compile, args=(stage.base,), daemon=True)
            self._compiling.start()
        return self._compiling is not None and not self._compiling.is_alive()


def check_told(system: System) -> None:
    """Stresses are of cells and their material, which not every kind of system tells."""
    try:
        _ = system.solid, system.mesh
    except ArgumentError as reason:
        raise ArgumentError(f"this scene cannot be coloured by stress: {reason}") from None


def drawn_stress(system: System) -> Array:
    """Von Mises stress (n,) [Pa] at the vertices of the skin: the mean of the cells around each, zero inside out."""
    solid, mesh = system.solid, system.mesh
    in_cells = von_mises_stress(mesh, solid.material, system.vertices("mesh") - mesh.vertices)
    corners = mesh.cells.ravel()
    spread = np.repeat(np.nan_to_num(in_cells, posinf=0.0), mesh.cells.shape[1])
    around = np.maximum(np.bincount(corners, minlength=mesh.vertex_count), 1)
    values = np.bincount(corners, spread, mesh.vertex_count) / around
    if system.worn is None:
        return values
    return system.worn.embedding.carry(values[:, None])[:, 0]


def _compile(system: System) -> None:
    """At rest, which touches nothing that the live thread moves."""
    try:
        von_mises_stress(system.mesh, system.solid.material, np.zeros(system.mesh.vertices.shape))
    except ArgumentError:
        return
