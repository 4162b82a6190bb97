"""What the limbs of a tree share: the constants of each of their parts, one after the other in flat arrays.

Class units (maths sheet substructuring 9): x = s (X + U q) for an instance of scale s, so that one polynomial, one set
of inertia integrals and one interface map serve all instances. X is measured from the limb's origin.
"""

from typing import NamedTuple

import numpy as np

from pliant.errors import ArgumentError, Array, Ids
from pliant.reduced import ReducedModel
from pliant.reduced.cubic import CubicForce
from pliant.reduced.linear import LinearForce
from pliant.reduced.packing import pair_table
from pliant.systems.tree.limb import Limb

FAR = 10.0  # sizes of the part: a root mean square displacement beyond this is no solution, but a tree gone wild
ROWS = 4  # of the table that are contracted together


class Parts(NamedTuple):
    """Per part: `size` r, where its arrays begin, and the arrays.

    linear 3r: N (r, 3).        first 9r: W5 (r, 3, 3).
    second 9r^2: W7 (r, r, 3, 3).   spin 3r^2: W6 (r, r, 3).        mass, rest: lower triangles of U^T M U and K(0).
    table: Hessian of the energy from products of pairs of (1, q), rows in fours.
    body 13: m, mc0 (3), Sig0 (9).       limit: largest |q_l| of a solution.
    """

    size: Ids
    linear_at: Ids
    square_at: Ids
    triangle_at: Ids
    table_at: Ids
    linear: Array
    first: Array
    second: Array
    spin: Array
    mass: Array
    rest: Array
    table: Array
    body: Array
    limit: Array


def class_key(limb: Limb) -> tuple[int, bytes]:
    """Limbs with the same key share their part's constants."""
    return id(limb.model), limb.origin.tobytes()


def parts_of(limbs: list[Limb]) -> Parts:
    """The constants of some limbs, each of another part."""
    made = [_constants(limb) for limb in limbs]
    sizes = np.array([limb.model.size for limb in limbs], dtype=np.int64)
    columns = {name: [part[name] for part in made] for name in made[0]}
    flat = {name: np.concatenate([np.ravel(a) for a in columns[name]]) for name in columns if name not in ("body",)}
    return Parts(
        size=sizes,
        linear_at=_starts([3 * r for r in sizes]),
        square_at=_starts([r * r for r in sizes]),
        triangle_at=_starts([r * (r + 1) // 2 for r in sizes]),
        table_at=_starts([a.size for a in columns["table"]]),
        body=np.stack(columns["body"]),
        **flat,
    )


def _starts(lengths: list[int]) -> Ids:
    return np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)


def _constants(limb: Limb) -> dict[str, Array]:
    model, o = limb.model, limb.origin
    inertia, r = model.inertia, model.size
    m, mc, N = inertia.mass, inertia.first_moment - inertia.mass * o, inertia.N
    cross = np.outer(inertia.first_moment, o)
    second = inertia.second_moment - cross - cross.T + inertia.mass * np.outer(o, o)
    W7 = inertia.W7
    spin = np.stack([W7[..., a, b] - W7[..., b, a] for a, b in ((2, 1), (0, 2), (1, 0))], axis=-1)
    M = inertia.reduced_mass
    smallest = np.linalg.eigvalsh(M)[0] if r else 1.0
    extent = float(np.ptp(model.X, axis=0).max())
    return {
        "linear": N.T,
        "first": inertia.W5 - N.T[:, :, None] * o,
        "second": W7,
        "spin": spin,
        "mass": _triangle(M),
        "rest": _triangle(model.stiffness() if isinstance(model, ReducedModel) else M),
        "table": _blocked(_hessian_table(limb)),
        "body": np.concatenate([[m], mc, second.ravel()]),
        "limit": np.array([FAR * extent * np.sqrt(m / smallest)]),
    }


def _triangle(A: Array) -> Array:
    return A[np.tril_indices(len(A))]


def _hessian_table(limb: Limb) -> Array:
    """(m, m) for m pairs of (1, q): Hessian of the energy as rows over products of pairs."""
    model = limb.model
    if not isinstance(model, ReducedModel):
        return np.zeros((1, 1))
    n = model.size + 1
    if isinstance(model.force_law, CubicForce):
        table = pair_table(model.force_law.coefficients, n, 1)
        diagonal = [j * (j + 3) // 2 for j in range(n)]
        table[diagonal] *= 2
        return table
    if isinstance(model.force_law, LinearForce):
        return _linear_table(model.force_law.matrix)
    raise ArgumentError(
        f"limb {limb.name} has {model.force_law.kind} forces; the parts of a tree need cubic or linear ones, "
        "use pl.reduce(solid, basis, force='cubic')"
    )


def _linear_table(K: Array) -> Array:
    """W = 1/2 K q q z_0^2: h_ij = K_ij z_0^2, h_0j = 2 z_0 (K q)_j, h_00 = K q q."""
    n = len(K) + 1
    table = np.zeros((n * (n + 1) // 2,) * 2)
    for j in range(1, n):
        for i in range(1, j + 1):
            pair = j * (j + 1) // 2 + i
            table[pair, 0] = K[i - 1, j - 1]
            table[0, pair] = K[i - 1, j - 1] * (1.0 if i == j else 2.0)
            table[j * (j + 1) // 2, i * (i + 1) // 2] = 2 * K[i - 1, j - 1]
            table[i * (i + 1) // 2, j * (j + 1) // 2] = 2 * K[i - 1, j - 1]
    return table


def _blocked(table: Array) -> Array:
    """Rows in groups of four, the four numbers of a column together; rows of zeros fill the last group."""
    m = len(table)
    rows = np.zeros(((m + ROWS - 1) // ROWS * ROWS, m))
    rows[:m] = table
    return rows.reshape(-1, ROWS, m).transpose(0, 2, 1)
