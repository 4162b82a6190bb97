"""The response to harmonic forces, against the unreduced solid, one oscillator, and a motion that was stepped."""

import numpy as np
import pytest
import scipy.sparse.linalg as sla

import pliant as pl
from pliant.errors import ArgumentError

DAMPING = (0.4, 0.002)


@pytest.fixture(scope="module")
def bar():
    mesh = pl.shapes.bar((1, 0.1, 0.1), (6, 1, 1))
    return pl.Solid(mesh, pl.Linear(1e6, 0.3, 1000), fixed="x < 1e-9")


@pytest.fixture(scope="module")
def tip(bar):
    return bar.mesh.select("x > 0.999")


def test_all_modes_respond_as_the_unreduced_solid(bar, tip):
    model = pl.reduce(bar, pl.Basis(pl.vibration_modes(bar, len(bar.free)).vectors))
    omega = np.array([0.0, 3.0, 9.0, 40.0])
    K, M = bar.free_matrix(bar.stiffness()), bar.free_matrix(bar.mass)
    d = np.zeros((bar.mesh.vertex_count, 3))
    d[tip, 1] = 1 / len(tip)
    load = d.ravel()[bar.free]
    found = pl.frequency_response(model, tip, (0, 2, 0), omega, DAMPING)
    for w, H in zip(omega, found):
        C = DAMPING[0] * M + DAMPING[1] * K
        exact = load @ sla.spsolve((K + 1j * w * C - w**2 * M).tocsc(), load)
        assert pytest.approx(exact, rel=1e-8) == H


def test_one_mode_peaks_as_an_oscillator(bar, tip):
    """|H| = (phi.d)^2 / (omega d) at resonance, a quarter of a turn behind the force."""
    modes = pl.vibration_modes(bar, 1)
    model, [w] = pl.reduce(bar, pl.Basis(modes.vectors)), modes.frequencies
    [H] = pl.frequency_response(model, tip, (0, 1, 0), [w], DAMPING)
    [shape] = modes.vectors.reshape(-1, 3)[tip, 1].mean()[None]
    assert pytest.approx(-1j * shape**2 / (w * (DAMPING[0] + DAMPING[1] * w**2)), rel=1e-9) == H


def test_steps_under_a_harmonic_force_come_to_the_response(bar, tip):
    model, w, dt = pl.reduce(bar, pl.Basis(pl.vibration_modes(bar, 4).vectors)), 20.0, 5e-4
    system = pl.Clamped(model, dt, damping=(3.0, 0.01), gravity=None)
    [H] = pl.frequency_response(model, tip, (0, 1, 0), [w], (3.0, 0.01))
    moved = []
    for k in range(round(4.0 / dt)):
        system.release()
        system.push(tip, (0, np.cos(w * (k + 1) * dt) / len(tip), 0))
        system.step()
        moved.append((system.vertices() - bar.mesh.vertices)[tip, 1].mean())
    t = dt * np.arange(1, len(moved) + 1)
    late = t > 3.0
    assert np.array(moved)[late] == pytest.approx((H * np.exp(1j * w * t[late])).real, abs=0.02 * abs(H))


def test_bad_input_is_refused(bar, tip):
    model = pl.reduce(bar, pl.Basis(pl.vibration_modes(bar, 2).vectors))
    with pytest.raises(ArgumentError, match="along a direction other than"):
        pl.frequency_response(model, tip, (0, 0, 0), [1.0], DAMPING)
    with pytest.raises(ArgumentError, match="frequencies must be finite"):
        pl.frequency_response(model, tip, (0, 1, 0), [np.nan], DAMPING)
    with pytest.raises(ArgumentError, match="damping must be finite and at least 0"):
        pl.frequency_response(model, tip, (0, 1, 0), [1.0], (-1, 0))


def test_stress_of_a_stretched_bar_is_hookes(bar):
    """u = e x along the bar, and -nu e across: sigma_xx = E e everywhere, and nothing else."""
    X, e = bar.mesh.vertices, 1e-3
    u = np.stack([e * X[:, 0], -0.3 * e * X[:, 1], -0.3 * e * X[:, 2]], axis=1)
    model = pl.reduce(pl.Solid(bar.mesh, bar.material), pl.Basis(u.reshape(-1, 1)))
    expected = np.zeros((3, 3))
    expected[0, 0] = 1e6 * e
    q = np.linalg.lstsq(model.U, u.ravel(), rcond=None)[0]
    for at, count in (("cells", bar.mesh.cell_count), ("vertices", bar.mesh.vertex_count)):
        sigma = model.stress(q, at=at)
        assert sigma.shape == (count, 3, 3)
        assert sigma == pytest.approx(np.broadcast_to(expected, sigma.shape), abs=1e-6 * expected[0, 0])
    with pytest.raises(ArgumentError, match="at must be one of cells, vertices"):
        model.stress(q, at="faces")
