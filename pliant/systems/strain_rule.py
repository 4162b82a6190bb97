"""Which points brake the strain of a reduced part: those of its cubature, or a few that are trained to do as all do.

    D(q) = sum_e V_e B_e^T C B_e  ~  sum_{e in rule} w_e B_e^T C B_e,   w >= 0

at rest and where the lowest modes bend the part far. Matrices are compared in coordinates of the modes, each in units
of its own damping, stiff ones counting less.
"""

import numpy as np
import scipy.linalg as la

from pliant.errors import Array, Ids
from pliant.fem import Solid
from pliant.fem.viscosity import rest_moduli, viscosity
from pliant.numerics import told_apart, with_fixed_signs
from pliant.reduced import ReducedModel, cached_arrays
from pliant.reduced.cubature import CubatureForce, point_gradients
from pliant.reduced.linear import LinearForce
from pliant.systems.sparse_nnls import sparse_nnls
from pliant.systems.strain_points import StrainRule

VERSION = 8  # of this training, for the cache
MOST = 3  # points a coordinate
CANDIDATES, CHUNK = 500, 2000  # points to choose from; points that are looked at together
BENT, REACH = 3, 0.25  # modes that bend it, and how far, of its extent
TOLERANCE = 0.001  # relative, of all matrices together
SOFT = 1e-10  # of the largest eigenvalue: rigid motions of parts that nothing holds lie below
AT_REST = 10.0  # how much the matrix at rest counts beside those of bent states
STEEP = 0.25  # by which power of its eigenvalue a mode counts less


def strain_rule(model: ReducedModel) -> StrainRule | None:
    """The rule of a model; None where K brakes: of a linear one, whose K is constant, and of a shell. Trained ones come
    from the cache."""
    law = model.force_law
    if isinstance(law, LinearForce) or model.thickness is not None:
        return None
    if isinstance(law, CubatureForce):
        constants = dict(zip(law.material_law.constant_names(), law.constants))
        lam, mu = rest_moduli(law.material_law(**constants), len(law.weights))
        return StrainRule(law.gradients, law.weights * lam, law.weights * mu)
    solid = model.solid
    lam, mu = rest_moduli(solid.material, solid.mesh.cell_count)
    scale = mu.max()  # a stiffer material of the same kind has the same points
    key = ["strain rule", VERSION, solid.mesh, model.U, solid.fixed, np.round(lam / scale, 9), np.round(mu / scale, 9)]
    found = cached_arrays(key, lambda: _trained(model, solid))
    points, weights = found["points"].astype(np.int64), found["weights"]
    cells = points // solid.elements.weights.shape[1]
    return StrainRule(point_gradients(solid, model.U, points), weights * lam[cells], weights * mu[cells])


def _trained(model: ReducedModel, solid: Solid) -> dict[str, Array]:
    """Points and their weights [m^3]."""
    random, U = np.random.default_rng(0), model.U
    values, modes = la.eigh(model.stiffness(), model.mass)
    elastic = values > SOFT * values[-1]
    values, modes = values[elastic], with_fixed_signs(told_apart(values, modes, model.mass)[:, elastic])
    scale = modes / np.sqrt(values) * (values[0] / values) ** STEEP
    extent = np.ptp(solid.mesh.vertices, axis=0).max()
    states = [np.zeros(model.size)]
    states += [REACH * extent / np.abs(U @ mode).max() * mode for mode in modes.T[:BENT]]
    points = _candidates(solid, U, scale, random)
    volumes, gram, right, total = _volumes(solid, points), 0.0, 0.0, 0.0
    for q in states:
        wanted = scale.T @ (U.T @ (solid.pattern.matrix(viscosity(solid, U @ q)) @ (U @ scale)))
        weight = 1.0 if q.any() else AT_REST
        share = weight / np.sum(wanted**2)
        H = (_strains(solid, U, points, q) @ scale) * np.sqrt(volumes)[:, None, None]
        gram = gram + share * _overlaps(H)
        right = right + share * np.einsum("pkr,rs,pks->p", H, wanted, H, optimize=True)
        total += weight
    w = sparse_nnls(np.asarray(gram), np.asarray(right), total, TOLERANCE, MOST * model.size)
    kept = np.flatnonzero(w)
    return {"points": points[kept].astype(np.float64), "weights": w[kept] * volumes[kept]}


def _volumes(solid: Solid, points: Ids) -> Array:
    e, per_cell = solid.elements, solid.elements.weights.shape[1]
    return e.weights[e.blocks[points // per_cell], points % per_cell]


def _candidates(solid: Solid, U: Array, scale: Array, random: np.random.Generator) -> Ids:
    """Points drawn by what they do at rest."""
    every = np.arange(solid.mesh.cell_count * solid.elements.weights.shape[1])
    if len(every) <= CANDIDATES:
        return every
    chance = np.empty(len(every))
    for first in range(0, len(every), CHUNK):
        own = every[first : first + CHUNK]
        H = _strains(solid, U, own, np.zeros(U.shape[1])) @ scale
        chance[own] = _volumes(solid, own) * np.einsum("pkr,pkr->p", H, H)
    return np.sort(random.choice(every, CANDIDATES, replace=False, p=chance / chance.sum()))


def _strains(solid: Solid, U: Array, points: Ids, q: Array) -> Array:
    """C^(1/2) B (p, 10, r) at q: B : C B = 2 mu |dev B|^2 + (lam + 2/3 mu) tr(B)^2, where lam may be below zero."""
    G = point_gradients(solid, U, points)
    lam, mu = rest_moduli(solid.material, solid.mesh.cell_count)
    cells = points // solid.elements.weights.shape[1]
    F = np.eye(3) + (G @ q).reshape(-1, 3, 3)
    moved = np.einsum("pki,pkjr->pijr", F, G.reshape(len(G), 3, 3, -1), optimize=True)
    B = 0.5 * (moved + moved.swapaxes(1, 2)).reshape(len(G), 9, -1)
    trace = B[:, [0, 4, 8]].sum(axis=1, keepdims=True)
    B[:, [0, 4, 8]] -= trace / 3
    shear, bulk = np.sqrt(2 * mu[cells]), np.sqrt(lam[cells] + 2 / 3 * mu[cells])
    return np.concatenate([shear[:, None, None] * B, bulk[:, None, None] * trace], axis=1)


def _overlaps(H: Array) -> Array:
    """<H_p^T H_p, H_q^T H_q> (p, p) of H (p, k, r)."""
    count, k, r = H.shape
    if r + 1 < 2 * k * k:  # the products (p, r (r + 1) / 2) themselves, each pair of columns counted twice
        first, second = np.triu_indices(r)
        S = (H.swapaxes(1, 2) @ H)[:, first, second] * np.where(first == second, 1.0, np.sqrt(2.0))
        return S @ S.T
    flat = H.reshape(-1, r)
    products = np.empty((count, count))
    for at in range(0, count, 100):
        block = flat[k * at : k * (at + 100)] @ flat.T
        products[at : at + 100] = (block.reshape(-1, k, count, k) ** 2).sum(axis=(1, 3))
    return products
