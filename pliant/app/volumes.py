"""Whether what is played still looks like a body: the volumes of a few cells, spread evenly, over those at rest."""

import numpy as np

from pliant.errors import ArgumentError
from pliant.mesh.cell_kinds import signed_volumes
from pliant.systems import System

LOOKED_AT = 128  # cells
SOUND = (0.0, 8.0)  # of the volume at rest: neither inside out nor twice as long in all directions
TOO_MANY = 0.1  # of the cells


class Volumes:
    """Some cells of a system, at rest.

    Args:
        system: of any kind; one that has no cells is sound.
    """

    def __init__(self, system: System):
        try:
            mesh = system.mesh
        except ArgumentError:
            self._ids = np.empty(0, np.int64)
            return
        chosen = np.unique(np.linspace(0, mesh.cell_count - 1, LOOKED_AT).astype(np.int64))
        cells = mesh.cells[chosen]
        self._ids, places = np.unique(cells, return_inverse=True)
        self._corners = places.reshape(cells.shape)
        self._rest = signed_volumes(mesh.vertices[cells])

    def are_sound(self, system: System) -> bool:
        """Are nearly all of them as large as cells can be?"""
        if not len(self._ids):
            return True
        x = system.points(self._ids, "mesh").place(system.pose())
        share = signed_volumes(x[self._corners]) / self._rest
        return bool(np.mean((share <= SOUND[0]) | (share > SOUND[1])) <= TOO_MANY)
