"""The spoon experiment: the table of the maths sheet, section 7 (cf. Fig. 12 of [SI05])."""

import numpy as np
import pytest

from pliant.basis import Basis, mass_pca, modal_basis, modal_derivatives, snapshot_basis, vibration_modes
from pliant.fem import Solid, StVK
from pliant.mesh import shapes
from pliant.reduced import reduce
from pliant.systems.clamped import Clamped
from pliant.systems.full import Full

DT, STEPS, SAMPLE, PROBE = 0.005, 800, 2, 757
IMPULSE, DURATION, BETA = 50.0, 0.1, 0.002
FULL = {"max": 1.0855, "min": -1.0383, "frequency": 0.7880}
FREQUENCIES = [0.7855, 1.1763, 6.5725, 9.8019, 11.3732, 19.4767]  # [Hz]


@pytest.fixture(scope="module")
def spoon():
    mesh = shapes.spoon()
    return Solid(mesh, StVK(young=2e8, poisson=0.3, density=1000), fixed=np.flatnonzero(mesh.vertices[:, 0] < 1e-9))


@pytest.fixture(scope="module")
def modes(spoon):
    return vibration_modes(spoon, 15)


def swing(system, X):
    """Deflection of the probe [m] after every step; the force is that at the end of the step."""
    tip, z = np.flatnonzero(X[:, 0] > 2.5 - 1e-9), []
    for k in range(1, STEPS + 1):
        t = k * DT
        system.release()
        if t <= DURATION:
            total = IMPULSE * np.pi / (2 * DURATION) * np.sin(np.pi * t / DURATION)
            system.push(tip, (0, 0, total / len(tip)))
        system.step()
        z.append(system.vertices()[PROBE, 2] - X[PROBE, 2])
    return np.array(z)


def reduced_swing(spoon, U, force="cubic"):
    model = reduce(spoon, Basis(U), force=force)
    return swing(Clamped(model, DT, damping=(0, BETA), gravity=None, newton=30), spoon.mesh.vertices)


def measured(z):
    """Changes of maximum, |minimum| and frequency from the unreduced spoon."""
    sampled = z[SAMPLE - 1 :: SAMPLE]
    up = np.flatnonzero((sampled[:-1] < 0) & (sampled[1:] >= 0))
    times = (up + sampled[up] / (sampled[up] - sampled[up + 1])) * DT * SAMPLE
    frequency = (min(len(times), 3) - 1) / (times[min(len(times), 3) - 1] - times[0])
    return sampled.max() / FULL["max"] - 1, sampled.min() / FULL["min"] - 1, frequency / FULL["frequency"] - 1


def test_spoon_frequencies(modes):
    assert np.allclose(modes.frequencies[:6] / (2 * np.pi), FREQUENCIES, atol=1e-4)


def test_spoon_with_modal_derivatives(spoon):
    highest, lowest, frequency = measured(reduced_swing(spoon, modal_basis(spoon, modes=6, size=15).vectors))
    assert abs(highest) < 0.005
    assert abs(lowest) < 0.01
    assert abs(frequency) < 0.002


def test_spoon_with_all_modes_and_derivatives(spoon, modes):
    columns = np.concatenate([modes.vectors[:, :6], modal_derivatives(spoon, vibration_modes(spoon, 6))], axis=1)
    U = mass_pca(spoon, columns / np.linalg.norm(columns, axis=0))[0]
    highest, lowest, frequency = measured(reduced_swing(spoon, U))
    assert abs(highest) < 0.001
    assert abs(lowest) < 0.001
    assert abs(frequency) < 0.0005


@pytest.mark.parametrize("count", [6, 15])
def test_spoon_with_linear_modes_locks(spoon, modes, count):
    z = reduced_swing(spoon, modes.vectors[:, :count])
    assert z.max() < 0.25
    highest, _, _ = measured(z)
    assert highest == pytest.approx(-0.845, abs=0.015)


def test_spoon_with_linear_force_swings_too_far(spoon, modes):
    highest, lowest, frequency = measured(reduced_swing(spoon, modes.vectors, force="linear"))
    assert highest == pytest.approx(0.072, abs=0.002)
    assert lowest == pytest.approx(0.035, abs=0.002)
    assert frequency == pytest.approx(-0.004, abs=0.001)


@pytest.mark.slow
def test_spoon_unreduced_and_snapshots_of_it(spoon):
    full, X, snapshots = Full(spoon, DT, damping=(0, BETA)), spoon.mesh.vertices, []

    class Recorder:
        def __getattr__(self, name):
            return getattr(full, name)

        def step(self):
            full.step()
            snapshots.append(full.u.copy())

    truth = swing(Recorder(), X)
    assert measured(truth) == pytest.approx((0, 0, 0), abs=2e-4)

    def rms(z):
        return np.sqrt(np.mean((z - truth) ** 2) / np.mean(truth**2))

    pod = reduced_swing(spoon, snapshot_basis(spoon, np.array(snapshots[::4]).T, size=15).vectors)
    assert measured(pod) == pytest.approx((0, 0, 0), abs=1e-3)
    assert rms(pod) < 0.005
    assert rms(reduced_swing(spoon, modal_basis(spoon, modes=6, size=15).vectors)) < 0.03
