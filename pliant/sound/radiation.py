"""What a listener hears of each mode: weights of its coordinate and its rate, s(t) = sum_i w_i z_i ([MR12] 2.2).

Air is pushed by the surface, whose acceleration along its normal is -lambda_i z_i psi_i.n where a mode rings freely. At
a distance R an element of it is heard R / c later, a phase omega_i R / c of a slowly decaying tone:

    flux      p = rho / (4 pi r) d/dt of the flux of the whole surface: a small source, or one that breathes
    rayleigh  p = rho / (2 pi) integral of the acceleration over R, of what faces the listener, each part at its time
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import Array, Ids, check_array, check_choice

AIR_DENSITY, SOUND_SPEED = 1.2, 343.0  # [kg/m^3], [m/s] at 20 degrees
KINDS = ("constant", "flux", "rayleigh")
NEAREST = 0.01  # [m] to the surface: closer ears hear no more


@dataclass(frozen=True, eq=False)
class Radiator:
    """A surface and how its modes move it.

    Attributes:
        kind: "constant", "flux" or "rayleigh".
        centres, normals: (t, 3) of its triangles; normals have the length of their areas [m^2].
        flux: (t, m) psi_i . n dA of all triangles and modes.
        eigenvalues: (m,) [1/s^2].
    """

    kind: str
    centres: Array
    normals: Array
    flux: Array
    eigenvalues: Array

    def weights(self, listener: Array | None, wait: float = 0.0) -> tuple[Array, Array]:
        """Of z and of z' (m,), heard at (3,) in the axes of the solid; `wait` [s] later than from its middle."""
        m = len(self.eigenvalues)
        if self.kind == "constant":
            near = 1.0 if listener is None else 1 / self.distance(listener)
            return self._late(np.full(m, near), np.zeros(m), wait)
        assert listener is not None, "asked for at the boundary"
        if self.kind == "flux":
            total = -AIR_DENSITY / (4 * np.pi * self.distance(listener)) * self.eigenvalues * self.flux.sum(axis=0)
            return self._late(total, np.zeros(m), wait)
        return self._rayleigh(listener, wait)

    def distance(self, listener: Array) -> float:
        """From the middle of the solid [m]."""
        return max(float(np.linalg.norm(listener - self.middle)), NEAREST)

    @property
    def middle(self) -> Array:
        """(3,) of its surface [m]."""
        areas = np.linalg.norm(self.normals, axis=1)
        return areas @ self.centres / areas.sum()

    def _late(self, place: Array, rate: Array, wait: float) -> tuple[Array, Array]:
        """z(t - wait) = cos(omega wait) z - sin(omega wait) / omega z'."""
        omega = np.sqrt(self.eigenvalues)
        c, s = np.cos(omega * wait), np.sin(omega * wait)
        return c * place + omega * s * rate, c * rate - s / omega * place

    def _rayleigh(self, listener: Array, wait: float) -> tuple[Array, Array]:
        away = listener - self.centres
        seen = np.einsum("ti,ti->t", away, self.normals) > 0
        R = np.maximum(np.linalg.norm(away[seen], axis=1), NEAREST)
        omega = np.sqrt(self.eigenvalues)
        phase = np.outer((R - self.distance(listener)) / SOUND_SPEED + wait, omega)
        share = -AIR_DENSITY / (2 * np.pi) * self.eigenvalues * self.flux[seen] / R[:, None]
        return (share * np.cos(phase)).sum(axis=0), -(share * np.sin(phase)).sum(axis=0) / omega


def radiator(kind: str, X: Array, triangles: Ids, shapes: Array, eigenvalues: Array) -> Radiator:
    """Of the surface `triangles` of vertices X (n, 3), which modes move by shapes (n, 3, m)."""
    check_choice("radiation", kind, KINDS)
    a, b, c = (X[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a) / 2
    flux = np.zeros((len(triangles), len(eigenvalues)))
    if kind != "constant":
        for k in range(3):
            flux += np.einsum("ti,tim->tm", normals, shapes[triangles[:, k]]) / 3
    return Radiator(kind, (a + b + c) / 3, normals, flux, eigenvalues)


def ears(position: ArrayLike, towards: ArrayLike, width: float = 0.18) -> Array:
    """(2, 3) left and right ear, `width` [m] apart, of someone at `position` who looks `towards` a place; y is up."""
    place = check_array("position", position, (3,))
    forward = check_array("towards", towards, (3,)) - place
    right = np.cross(forward, (0.0, 1.0, 0.0))
    length = np.linalg.norm(right)
    right = np.array([1.0, 0.0, 0.0]) if length == 0 else right / length
    return np.stack([place - width / 2 * right, place + width / 2 * right])
