"""Poses that an artist sculpted for a whole character: each bone gets the ones that deform it, beside its modes."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from pliant.basis import Basis, pose_basis
from pliant.basis.snapshots import deformations
from pliant.errors import ArgumentError, Array, Ids, check_number
from pliant.fem import Solid

FELT = 0.02  # of what a pose does to the bone that it deforms most: less is none of a bone's business

Poses = ArrayLike | Mapping[str, ArrayLike]


def poses_of_bones(given: Poses, names: Sequence[str], X: Array) -> dict[str, Array]:
    """Of bones by name, poses (s, n, 3) of all vertices; one array is for all of them."""
    wanted = given if isinstance(given, Mapping) else dict.fromkeys(names, given)
    each: dict[str, Array] = {}
    for name, poses in wanted.items():
        if name not in names:
            raise ArgumentError(f"poses names the bone {name!r}; this character has {', '.join(names[:8])}")
        array = np.asarray(poses, dtype=np.float64)
        if array.shape[-2:] != X.shape or array.ndim not in (2, 3) or not np.isfinite(array).all():
            raise ArgumentError(
                f"poses of {name} must be places of the {len(X)} vertices of its mesh, ({len(X)}, 3) each; an array "
                f"{array.shape} was given"
            )
        each[name] = array.reshape(-1, *X.shape)
    return each


def felt_poses(own: Solid, vertices: Ids, poses: Array, X: Array) -> Array:
    """Of poses (s, n, 3), those (k, v, 3) of a bone that deform it."""
    here = poses[:, vertices]
    deformed = np.linalg.norm(deformations(own, here - own.mesh.vertices), axis=0) / np.sqrt(len(vertices))
    moved = np.linalg.norm((poses - X).reshape(len(poses), -1), axis=1) / np.sqrt(len(X))
    return here[deformed > FELT * moved]


def posed_modes(own: Solid, poses: Array, modes: int, stiffness: float) -> Basis:
    """Modes of a bone, and a column for each of its poses (k, v, 3), as stiff as asked."""
    factor = check_number("pose_stiffness", stiffness, above=0)
    return pose_basis(own, poses, modes=modes, stiffness=np.full(len(poses), factor))
