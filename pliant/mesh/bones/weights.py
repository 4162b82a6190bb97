"""How much each bone moves every vertex of a mesh: on the surface from bones or as given, inside by harmonic fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, Ids, check_array, check_choice
from pliant.mesh.bones.biharmonic import biharmonic_weights
from pliant.mesh.bones.heat import heat_weights
from pliant.mesh.bones.interior import into_interior
from pliant.mesh.bones.painting import Dab, painted
from pliant.mesh.bones.skeleton import Skeleton
from pliant.mesh.mesh import Mesh
from pliant.mesh.packages import imported
from pliant.mesh.surface import Surface

KINDS = ("biharmonic", "heat")
SUM = 1e-6  # how far weights that are given may miss one; artists' files have seven digits
OUTSIDE = 0.25  # of the size of the mesh: farther away from it no bone is meant


def bone_weights(
    mesh: Mesh,
    bones: Skeleton | ArrayLike,
    kind: Literal["biharmonic", "heat"] = "biharmonic",
    on: Surface | None = None,
    reach: Mapping[str, float] | None = None,
    paint: Sequence[Dab] = (),
) -> Array:
    """Weights (n, k) of k bones on the n vertices of a mesh, in [0, 1], that sum to one.

    Args:
        bones: a `Skeleton`, segments (k, 2, 3) or points (k, 3) [m]; or weights that are there already: (n, k) on all
            vertices, (s, k) on those of the surface (`mesh.surface_vertices`), or on the vertices of `on`.
        kind: "biharmonic": the smoothest; "heat": quicker, and each bone keeps what it is nearest to.
        on: the surface that given weights are on, such as an artist's; they come to the mesh from its nearest place.
        reach: of bones of a skeleton by name: times their weights, before these are made to sum to one again.
        paint: strokes of a brush (`Dab`) on the surface, one after the other.
    """
    if not isinstance(mesh, Mesh):
        raise ArgumentError(f"mesh must be a pliant Mesh; {type(mesh).__name__} was given (use pl.read_mesh)")
    if not isinstance(bones, Skeleton):
        if reach or paint:
            raise ArgumentError(
                "reach and paint name bones of a pl.Skeleton; weights that are given are changed as arrays"
            )
        given = np.asarray(bones, dtype=np.float64)
        if given.ndim == 2 and (on is not None or given.shape[0] in _counts(mesh)):
            return _from_given(mesh, given, on)
        if on is not None:
            raise ArgumentError(f"weights on a surface are (vertices, bones); an array {given.shape} was given")
    skeleton = bones if isinstance(bones, Skeleton) else Skeleton(bones)
    _check_inside(mesh, skeleton)
    weights = _from_skeleton(mesh, skeleton, check_choice("kind", kind, KINDS))
    if not (reach or paint):
        return weights
    ids = mesh.surface_vertices
    return into_interior(mesh, ids, painted(weights[ids], mesh.vertices[ids], skeleton.names, reach or {}, paint))


def _counts(mesh: Mesh) -> tuple[int, int]:
    return mesh.vertex_count, len(mesh.surface_vertices)


def _from_skeleton(mesh: Mesh, skeleton: Skeleton, kind: str) -> Array:
    ids = mesh.surface_vertices
    if kind == "heat":
        compact = np.searchsorted(ids, mesh.surface)
        return into_interior(mesh, ids, heat_weights(Surface(mesh.vertices[ids], compact), skeleton))
    linear = mesh.linear()
    corners = _corners_of(mesh, linear)
    outer = np.isin(corners, ids)
    return into_interior(mesh, corners[outer], biharmonic_weights(linear, skeleton)[outer])


def _corners_of(mesh: Mesh, linear: Mesh) -> Ids:
    """Which vertices of a mesh those of its linear cells are."""
    if linear.vertex_count == mesh.vertex_count:
        return np.arange(mesh.vertex_count)
    return np.unique(mesh.cells[:, : linear.cells.shape[1]])


def _from_given(mesh: Mesh, weights: Array, on: Surface | None) -> Array:
    ids = mesh.surface_vertices
    if on is not None:
        _check_weights(check_array("weights", weights, (len(on.vertices), None)))
        return into_interior(mesh, ids, _nearest(on, weights, mesh.vertices[ids]))
    _check_weights(check_array("weights", weights, (None, None)))
    clean = weights / weights.sum(axis=1, keepdims=True)
    return clean if len(weights) == mesh.vertex_count else into_interior(mesh, ids, clean)


def _check_weights(weights: Array) -> None:
    total = weights.sum(axis=1)
    if (weights < -SUM).any():
        v = int(np.argmin(weights.min(axis=1)))
        raise ArgumentError(f"weights must not be negative; that of vertex {v} is {weights[v].min():.4g}")
    bad = np.flatnonzero(np.abs(total - 1) > SUM)
    if len(bad):
        alone = np.flatnonzero(total <= SUM)
        which = alone[0] if len(alone) else bad[0]
        raise ArgumentError(
            f"the weights of a vertex must sum to one; {len(bad)} do not, the first is vertex {which} with "
            f"{total[which]:.6g}{', which no bone moves' if len(alone) else ''}"
        )


def _nearest(on: Surface, weights: Array, points: Array) -> Array:
    """Weights (p, k) at points, from the nearest places of a surface."""
    igl = imported("igl", "weights of bones")
    _, face, place = igl.point_mesh_squared_distance(points, on.vertices, on.triangles)
    corners = on.triangles[face]
    shares = np.clip(igl.barycentric_coordinates(place, *(on.vertices[corners[:, i]] for i in range(3))), 0, 1)
    found = np.einsum("pi,pik->pk", shares, weights[corners])
    return found / found.sum(axis=1, keepdims=True)


def _check_inside(mesh: Mesh, skeleton: Skeleton) -> None:
    low, high = mesh.bounds
    allowed = OUTSIDE * float((high - low).max())
    away = np.maximum(np.maximum(low - skeleton.ends, skeleton.ends - high), 0).max(axis=(1, 2))
    if (away > allowed).any():
        k = int(away.argmax())
        raise ArgumentError(
            f"{skeleton.names[k]} lies {away[k]:.3g} m outside the mesh, which is {float((high - low).max()):.3g} m "
            "large; are both in the same units?"
        )
