"""The equation of motion of a tree in dense matrices, vertex by vertex: M(q) = J^T M J, bias = J^T M (J' v).

Formulas of maths sheet substructuring 3-4 for the frames, sums over vertices with the consistent mass for the rest: no
inertia integrals, no recursion. `test_tree_dynamics` holds it against differences of the positions.
"""

import numpy as np
import scipy.linalg as la
from tree_kernels import Moving
from tree_motion import axial, mass_of, nearest_rotation

from pliant.errors import Array
from pliant.numerics import cross_matrix
from pliant.reduced import ReducedModel


class Dense:
    """J (3n, 6 + r): velocities of all copies, in the axes of their limbs, from (twist of the root, v)."""

    def __init__(self, state: Moving):
        self.state, plain = state, state.plain
        self.limbs, self.spans, self.size = plain.limbs, plain.spans, plain.size
        self.masses = [mass_of(limb) for limb in self.limbs]
        shapes, rates = plain.shapes(state.q), plain.shapes(state.v)
        rests = plain.shapes(0 * state.q)
        count = 6 + self.size
        self.maps = [np.eye(6, count)]
        self.spatial = [np.concatenate([state.speed, state.spin])]
        self.drifts = [np.zeros(6)]
        for j in range(1, len(self.limbs)):
            self._joint(plain, j)
        self.rows, self.fields = [], []
        for x, rate, rest, limb, span, D, V, drift in zip(
            shapes, rates, rests, self.limbs, self.spans, self.maps, self.spatial, self.drifts
        ):
            J = np.concatenate([D[:3] - cross_matrix(p) @ D[3:] for p in x])
            J[:, 6 + span.start : 6 + span.stop] += limb.scale * limb.model.U
            self.rows.append(J)
            w = V[3:]
            turn = np.cross(w, np.cross(w, x)) + 2 * np.cross(w, rate - rest)
            self.fields.append(drift[:3] + np.cross(drift[3:], x) + turn)

    def _joint(self, plain, j: int) -> None:
        i = self.limbs[j].parent
        on, span, patch, state = self.limbs[i], self.spans[i], plain.patches[j], self.state
        q, v = state.q[span], state.v[span]
        Rhat = on.rotation.T @ self.limbs[j].rotation
        A, rate = np.eye(3) + patch.gradient @ q, patch.gradient @ v
        R = nearest_rotation(A)
        S = R.T @ A
        RY = R @ np.linalg.inv(np.trace(S) * np.eye(3) - S)
        Jw = (
            np.stack([RY @ (2 * axial(R.T @ B)) for B in np.moveaxis(patch.gradient, 2, 0)], axis=1)
            if len(q)
            else np.zeros((3, 0))
        )
        w = Jw @ v
        Srate = R.T @ (rate - cross_matrix(w) @ A)
        bias = RY @ (-2 * axial(R.T @ cross_matrix(w) @ rate) - (np.trace(Srate) * np.eye(3) - Srate) @ R.T @ w)
        x, speed = on.scale * (patch.centroid - on.origin + patch.shift @ q), on.scale * patch.shift @ v
        down = (R @ Rhat).T
        T = np.block([[down, -down @ cross_matrix(x)], [np.zeros((3, 3)), down]])
        H = np.vstack([down @ patch.shift * on.scale, down @ Jw])
        D = T @ self.maps[i]
        D[:, 6 + span.start : 6 + span.stop] += H
        w_on = self.spatial[i][3:]
        gam = np.concatenate(
            [down @ (np.cross(w_on, np.cross(w_on, x)) + 2 * np.cross(w_on, speed)), down @ (bias + np.cross(w_on, w))]
        )
        self.maps.append(D)
        self.spatial.append(T @ self.spatial[i] + H @ v)
        self.drifts.append(T @ self.drifts[i] + gam)

    @property
    def mass(self) -> Array:
        return sum(J.T @ (M @ J) for J, M in zip(self.rows, self.masses))

    @property
    def bias(self) -> Array:
        return sum(J.T @ (M @ field.ravel()) for J, M, field in zip(self.rows, self.masses, self.fields))

    def gathered(self, forces: list[Array], frames) -> Array:
        """J^T f for world forces (n_i, 3) on the copies."""
        return sum(J.T @ (f @ frame.R).ravel() for J, f, frame in zip(self.rows, forces, frames))

    def elastic(self, blocks=None) -> tuple[Array, Array, Array]:
        """f, K and M of the limbs themselves, in the coordinates of the tree."""
        q, forces, stiff, masses = self.state.q, [], [], []
        for number, (limb, span) in enumerate(zip(self.limbs, self.spans)):
            factor = limb.scale**3 * limb.stiffening**2
            if isinstance(limb.model, ReducedModel):
                at_rest = blocks is not None and number in blocks
                forces.append(factor * limb.model.force(q[span]))
                stiff.append(factor * limb.model.stiffness(None if at_rest else q[span]))
            masses.append(limb.scale**5 * limb.model.mass)
        return np.concatenate(forces), la.block_diag(*stiff), la.block_diag(*masses)

    def accelerations(self, c=(0.0, 0.0, 0.0), free=False, elastic=True, at_rest=(), load=0.0) -> tuple[Array, Array]:
        """q'' and the root's (a; al): (M(q) + Keff) q'' = load + rhs - bias, by a dense solve.

        Args:
            c: dt, alpha, beta.
            at_rest: limbs whose K is K(0).
            load: (6 + r,) from outside.
        """
        state, (dt, alpha, beta) = self.state, c
        M, right, root = self.mass, load - self.bias, np.concatenate([state.pull, state.twist])
        f, K, Mq = self.elastic(at_rest)
        D = alpha * Mq + beta * K
        ahead, quick = dt * state.v + 0.25 * dt * dt * state.a, state.v + 0.5 * dt * state.a
        right[6:] -= (f if elastic else 0) + K @ ahead + D @ quick
        M[6:, 6:] += 0.5 * dt * D + 0.25 * dt * dt * K
        if free:
            found = np.linalg.solve(M, right)
            return found[6:], found[:6]
        return np.linalg.solve(M[6:, 6:], right[6:] - M[6:, :6] @ root), root
