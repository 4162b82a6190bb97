"""Which bones are joined: those that a skeleton would join, or all that overlap ([MC15] 8).

    s_ab = max over cells of min(w_a, w_b)

is one half where weight goes over from a to b and to no other. Smooth weights overlap farther than neighbours do: arms
overlap through a chest, and joints between all pairs leave soft bones no motion.
"""

from itertools import combinations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import minimum_spanning_tree

from pliant.errors import Array
from pliant.mesh import Mesh
from pliant.systems.world.bones.cutting import Cuts

JOINED = ("skeleton", "all")
NEXT = 0.4  # bones whose overlap is stronger than this are neighbours, also where they close a loop


def joined_pairs(mesh: Mesh, cuts: Cuts, which: str) -> list[tuple[int, int]]:
    """Of all that overlap; "skeleton": the tree of the strongest overlaps, and other strong ones."""
    pairs = [(a, b) for a, b in combinations(range(cuts.weights.shape[1]), 2) if len(cuts.overlap(a, b))]
    if which == "all" or not pairs:
        return pairs
    strength = np.array([_strength(mesh, cuts, a, b) for a, b in pairs])
    a, b = np.transpose(pairs)
    size = (cuts.weights.shape[1],) * 2
    tree = minimum_spanning_tree(sp.csr_matrix((1.0 / strength, (a, b)), size))
    kept = {tuple(sorted(edge)) for edge in np.transpose(tree.nonzero()).tolist()}
    return [pair for pair, s in zip(pairs, strength) if pair in kept or s > NEXT]


def _strength(mesh: Mesh, cuts: Cuts, a: int, b: int) -> float:
    w: Array = cuts.weights[mesh.cells[cuts.overlap(a, b)]].mean(axis=1)
    return max(float(np.minimum(w[:, a], w[:, b]).max()), np.finfo(float).tiny)
