"""An armature: joints as an artist has them, each at its place at rest, one hanging on the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import breadth_first_order, shortest_path

from pliant.errors import Array, Ids


@dataclass(frozen=True, eq=False)
class Armature:
    """Joints of a character.

    Attributes:
        names: one a joint.
        parents: (k,) the joint that each hangs on, -1 of roots.
        places: (k, 3) where they are at rest [m].
        turns: (k, 3, 3) their axes at rest, in columns.
    """

    names: tuple[str, ...]
    parents: Ids
    places: Array
    turns: Array

    def __repr__(self) -> str:
        return f"Armature({', '.join(self.names[:8])}{', ...' if len(self.names) > 8 else ''})"

    @property
    def binds(self) -> Array:
        """(k, 4, 4) from places at rest to the axes of every joint."""
        made = np.tile(np.eye(4), (len(self.names), 1, 1))
        made[:, :3, :3] = self.turns.transpose(0, 2, 1)
        made[:, :3, 3] = -np.einsum("kji,kj->ki", self.turns, self.places)
        return made

    @property
    def outermost_first(self) -> list[int]:
        """All joints, each before the one that it hangs on."""
        order: list[int] = []
        for joint in range(len(self.names)):
            chain = []
            while joint >= 0 and joint not in order and joint not in chain:
                chain.append(joint)
                joint = int(self.parents[joint])
            order += reversed(chain)
        return order[::-1]


def hanging_on(
    names: Sequence[str], centres: Array, masses: Array, joints: Sequence[tuple[int, int, Array]]
) -> Armature:
    """Of bones without an artist: each hangs on its neighbour on the way to the middle one, at the joint between both.

    The middle one has the fewest bones to the farthest, and of several that do is the heaviest.

    Args:
        centres: (k, 3) of the bones [m]. masses: (k,).
        joints: pairs of bones, and places (p, 3) that they share [m].
    """
    count, middle = len(names), {(a, b): places.mean(axis=0) for a, b, places in joints}
    ends = np.array(list(middle), dtype=np.int64).reshape(-1, 2)
    graph = sp.csr_matrix((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(count, count))
    parents, places, found = np.full(count, -1, dtype=np.int64), np.array(centres, dtype=np.float64), set[int]()
    steps = shortest_path(graph, directed=False, unweighted=True)
    farthest = np.where(np.isfinite(steps), steps, 0.0).max(axis=1, initial=0.0)
    for root in np.lexsort((-np.asarray(masses), farthest)):
        if int(root) in found:
            continue
        order, before = breadth_first_order(graph, int(root), directed=False)
        found.update(map(int, order))
        for joint in order[1:]:
            parent = int(before[joint])
            parents[joint] = parent
            places[joint] = middle.get((parent, int(joint)), middle.get((int(joint), parent)))
    return Armature(tuple(names), parents, places, np.tile(np.eye(3), (count, 1, 1)))
