"""A reduced shell as a body that can be touched: the same coordinates, mass and forces, between its two faces."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, check_number
from pliant.mesh.sheet import Sheet
from pliant.mesh.slab import slab_of
from pliant.reduced.model import ReducedModel


def padded(model: ReducedModel, padding: float | None = None) -> ReducedModel:
    """A shell with cells between its faces, which touch others.

    Args:
        model: of a shell.
        padding: how far each face is from the middle [m]; None: half the thickness.
    """
    if model.thickness is None:
        raise ArgumentError("padding is for shells; a solid touches by its own surface")
    mesh = model.mesh
    assert isinstance(mesh, Sheet)
    thickness: ArrayLike = model.thickness
    if padding is not None:
        thickness = np.full(mesh.cell_count, 2 * check_number("padding", padding, above=0))
    slab = slab_of(mesh, np.asarray(thickness))
    n = mesh.vertex_count
    fixed = np.concatenate([model.fixed, model.fixed + n])
    U = np.asarray(slab.faces @ model.U)
    U.reshape(2 * n, 3, -1)[fixed] = 0.0
    U.setflags(write=False)
    groups, of = model.groups, np.repeat(np.arange(mesh.cell_count), 3)
    shares = groups.shares if groups.shares.shape[1] == 1 else groups.shares[:, of]
    return replace(
        model,
        X=slab.mesh.vertices,
        U=U,
        cells=slab.mesh.cells,
        fixed=fixed,
        groups=replace(groups, labels=groups.labels[of], shares=np.array(shares)),
        thickness=None,
        hinged=None,
    )
