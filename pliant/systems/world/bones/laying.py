"""Joints lie in the overlap of two bones: three points in a cross-section, whose spread is the rigidity ([MC15] 8)."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, check_array
from pliant.mesh import Mesh
from pliant.systems.world.bones.cutting import Cuts

THREE = 3
Held = tuple[int, int, Array]


def joint_places(mesh: Mesh, cuts: Cuts, a: int, b: int, spread: float, names: tuple[str, str]) -> Array:
    """(3, 3) places at rest [m], centres of cells that both bones keep, around where both move the mesh alike.

    The section is across the way in which weight goes over from a to b; `spread` is the share of its radius at which
    the points are looked for.
    """
    cells = cuts.overlap(a, b)
    if len(cells) < THREE:
        raise ArgumentError(
            f"{names[0]} and {names[1]} overlap in {len(cells)} cells, and a joint needs three; lower the threshold, "
            "smooth the weights, or take a finer mesh"
        )
    x, w = mesh.centroids[cells], cuts.weights[mesh.cells[cells]].mean(axis=1)
    both = mesh.volumes[cells] * np.minimum(w[:, a], w[:, b]) + 1e-12 * mesh.volumes[cells]
    middle = both @ x / both.sum()
    axes = _across(x - middle, w[:, a] - w[:, b], both)
    flat = (x - middle) @ axes.T
    along = (x - middle) @ np.cross(*axes)
    radius = spread * float(np.sqrt(both @ (flat**2).sum(axis=1) / both.sum()) * np.sqrt(2))
    turns = 2 * np.pi * np.arange(THREE) / THREE
    wanted = radius * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    return x[_nearest_of_their_own(np.column_stack([flat, along]), np.column_stack([wanted, np.zeros(THREE)]))]


def hinged(
    joints: Sequence[Held], names: Sequence[str], wanted: Mapping[tuple[str, str], ArrayLike]
) -> tuple[tuple[Held, ...], tuple[tuple[int, Array], ...]]:
    """The same joints, those that are hinges by two places on their axes, and numbers and axes of these."""
    made, axes = list(joints), dict[int, Array]()
    for pair, given in wanted.items():
        found = [k for k, (a, b, _) in enumerate(made) if {names[a], names[b]} == set(pair)]
        if not found:
            raise ArgumentError(f"hinges names {' and '.join(map(str, pair))}, which no joint holds together")
        axis = check_array(f"axis of {' and '.join(pair)}", given, (3,))
        if not axis.any():
            raise ArgumentError(f"the axis of {' and '.join(pair)} must have a direction; (0, 0, 0) was given")
        a, b, places = made[found[0]]
        middle, along = places.mean(axis=0), axis / np.linalg.norm(axis)
        far = np.linalg.norm(places - middle, axis=1).max()
        made[found[0]] = a, b, middle + far * np.outer([-1, 1], along)
        axes[found[0]] = along
    return tuple(made), tuple(axes.items())


def _across(x: Array, passing: Array, measure: Array) -> Array:
    """Two unit vectors (2, 3) across the direction in which `passing` changes most over places x."""
    moment = np.einsum("c,ci,cj->ij", measure, x, x) + 1e-12 * measure.sum() * np.eye(3)
    slope = np.linalg.solve(moment, np.einsum("c,ci,c->i", measure, x, passing))
    if np.linalg.norm(slope) == 0:
        slope = np.linalg.eigh(moment)[1][:, 2]
    return np.linalg.svd(slope[None] / np.linalg.norm(slope))[2][1:]


def _nearest_of_their_own(points: Array, wanted: Array) -> Array:
    """Numbers of the points nearest to each wanted place, no two the same."""
    taken: list[int] = []
    for place in wanted:
        order = np.argsort(((points - place) ** 2).sum(axis=1))
        taken.append(int(next(k for k in order if k not in taken)))
    return np.array(taken)
