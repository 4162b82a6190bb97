"""Linear displacements drawn as the large ones that they mean ([MR12] section 7).

"modal": x_v = X_v + warp(Omega_v q) U_v q, a skin whose vertices turn, each by its own rotation
"rotation-strain": x = X + RS(U q), cells that turn, each by its own rotation, fitted together by one sparse solve
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from pliant.errors import ArgumentError, Array, check_choice
from pliant.reduced import ReducedModel
from pliant.reduced.linear import LinearForce
from pliant.skin import Pose, RotationStrainWarp, Skin, Worn, plain_skin
from pliant.skin.nodal_rotation import rotation_sums

WARPS = ("modal", "rotation-strain")


class Warping:
    """What draws a linear model.

    Args:
        model: whose force is linear.
        way: one of `WARPS`.

    Raises:
        ArgumentError: the model is not linear, or its cells cannot be turned one by one.
    """

    def __init__(self, model: ReducedModel, way: str):
        self._model, self.way = model, check_choice("warp", way, WARPS)
        if not isinstance(model.force_law, LinearForce):
            raise ArgumentError(
                f"warp = {way!r} bends what a linear model does, and this one bends by itself; leave warp out, or use "
                "pl.reduce(solid, basis, force='linear')"
            )
        if way == "rotation-strain":
            self._cells = RotationStrainWarp(model.mesh, model.fixed, model.solid.material.density)
        self._worn: tuple[Worn, Skin] | None = None

    def __repr__(self) -> str:
        return f"Warping({self.way}, {self._model})"

    @cached_property
    def _body(self) -> Skin:
        """Of the mesh, warped by the rotations of its vertices."""
        sums, volumes = rotation_sums(self._model.solid, self._model.U)
        return plain_skin(self._model.X, self._model.mesh.surface, self._model.U, sums / np.repeat(volumes, 3)[:, None])

    def skin(self, worn: Worn | None) -> Skin | None:
        """That draws poses; None where cells are turned."""
        if self.way == "rotation-strain":
            return None
        if worn is None:
            return self._body
        if self._worn is None or self._worn[0] is not worn:
            self._worn = worn, worn.skin(self._body)
        return self._worn[1]

    def vertices(self, pose: Pose, worn: Worn | None) -> Array:
        """Positions (n, 3) [m] of the mesh, or of what it wears."""
        skin = self.skin(worn)
        if skin is not None:
            return skin.vertices(pose)
        x = self._model.X + self._cells.warp(self._model.U @ pose.flat)
        return x if worn is None else worn.embedding.carry(x)
