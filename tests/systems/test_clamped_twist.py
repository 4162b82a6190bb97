"""The twist of [SI05] Fig. 7: 270 degrees in the space of two twisting modes and their derivatives, r = 5."""

import numpy as np
import pytest

from pliant.basis import Basis, Modes, modal_derivatives, vibration_modes
from pliant.fem import Solid, StVK
from pliant.mesh import shapes
from pliant.reduced import reduce
from pliant.systems.clamped.clamped import Clamped

KEPT = 0.25  # five vectors cannot follow a helix exactly; a quarter is what the eye takes for whole


def twisting(X, vectors):
    """Share of each mode's motion at the far end that is rotation about the axis x."""
    end = X[:, 0] > X[:, 0].max() - 1e-9
    arm = X[end] - X[end].mean(axis=0)
    shares = []
    for mode in vectors.T:
        u = mode.reshape(-1, 3)[end]
        turn = np.cross([1.0, 0, 0], arm)
        shares.append(abs((turn * u).sum()) / np.linalg.norm(turn) / np.linalg.norm(u))
    return np.array(shares)


def end_angle(X, x):
    """Rotation of the far end's cross-section about x [rad], between -pi and pi."""
    end = np.flatnonzero(X[:, 0] > X[:, 0].max() - 1e-9)
    a, b = X[end, 1:] - X[end, 1:].mean(axis=0), x[end, 1:] - x[end, 1:].mean(axis=0)
    return np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum())


def section_size(X, x, place):
    """Radius of gyration of a cross-section about its middle, over that at rest."""
    here = np.isclose(X[:, 0], place)
    deformed, rest = ((y[here, 1:] - y[here, 1:].mean(axis=0)) for y in (x, X))
    return np.linalg.norm(deformed) / np.linalg.norm(rest)


def test_beam_is_twisted_by_270_degrees_with_five_vectors():
    mesh = shapes.bar((2, 0.2, 0.2), (20, 2, 2))
    X = mesh.vertices
    solid = Solid(mesh, StVK(young=1e5, poisson=0.3, density=1000), fixed=np.flatnonzero(X[:, 0] < 1e-9))
    modes = vibration_modes(solid, 12)
    chosen = np.flatnonzero(twisting(X, modes.vectors) > 0.9)[:2]
    assert len(chosen) == 2
    twists = Modes(modes.eigenvalues[chosen], modes.vectors[:, chosen])
    columns = np.concatenate([twists.vectors, modal_derivatives(solid, twists)], axis=1)
    assert columns.shape[1] == 5
    model = reduce(solid, Basis(columns / np.linalg.norm(columns, axis=0)))
    system = Clamped(model, 0.01, gravity=None, integrator="static")
    end = np.flatnonzero(X[:, 0] > 2 - 1e-9)
    turned, last, torque = 0.0, 0.0, 0.0
    while turned < np.radians(270) and torque < 400:
        # A follower couple on the end section, a little stronger each time.
        torque += 0.5
        arm = system.vertices()[end] - system.vertices()[end].mean(axis=0)
        system.release()
        system.push(end, torque * np.cross([1.0, 0, 0], arm) / (arm**2).sum())
        system.step()
        angle = end_angle(X, system.vertices())
        turned += (angle - last + np.pi) % (2 * np.pi) - np.pi
        last = angle
    assert turned >= np.radians(270)
    # A linear twist by this angle swells the end sqrt(1 + 4.7^2) = 4.8 times; derivatives hold it together.
    for place in (0.5, 1.0, 1.5, 2.0):
        assert section_size(X, system.vertices(), place) == pytest.approx(1.0, abs=KEPT)
