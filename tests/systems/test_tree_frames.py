"""Frames of limbs on random trees: compiled rates against differences in time (maths sheet substructuring 3-4, 10)."""

from dataclasses import replace

import numpy as np
import pytest
from tree_kernels import accelerated, frame_numbers, hold_numbers, jacobians, moving, solved
from tree_motion import axial, difference, nearest_rotation, second_difference

from pliant.numerics import cross_matrix
from pliant.systems.tree.frames import AT, PULL, REL_SPIN, REL_TWIST, SPEED, SPIN, TWIST

RATES, WORLD = 1e-9, 1e-7  # relative, as the sheet accepts; differences of the fourth order
ROUNDING = 1e-12  # relative, of values of order one that are computed in two ways
TURNED_OVER = 1e-6  # the nearest rotation is sensitive where the two smallest singular values are nearly opposite
SEEDS = range(3)


@pytest.fixture(params=SEEDS)
def state(request):
    return moving(request.param, rigid=True)


def relative(found, wanted):
    return np.abs(found - wanted).max() / max(1.0, np.abs(wanted).max())


def rates_along(state, t):
    """R_ij, w_ij and wdot_ij of all joints where the path is at t."""
    later = replace(state, q=state.q + t * state.v + 0.5 * t * t * state.a, v=state.v + t * state.a)
    tree = later.tree()
    accelerated(tree)
    return (
        hold_numbers(tree, 0, 9).reshape(-1, 3, 3)[1:],
        hold_numbers(tree, REL_SPIN)[1:],
        hold_numbers(tree, REL_TWIST)[1:],
    )


def test_interface_rates_match_differences_in_time(state):
    """R' = tilde(w) R, S' = R^T (A' - tilde(w) A), w' and R'' = (tilde(w') + tilde(w)^2) R."""
    plain, path = state.plain, state.path()
    R, w, turn = rates_along(state, 0.0)
    R_rate, w_rate = (difference(lambda t, k=k: rates_along(state, t)[k]) for k in (0, 1))
    R_second = difference(lambda t: np.array([cross_matrix(b) @ A for A, b, _ in zip(*rates_along(state, t))]))
    for j in range(len(R)):
        W = cross_matrix(w[j])

        def gradient(t, j=j):
            return plain.gradient(path(t)[0], j + 1)

        A, A_rate = gradient(0.0), difference(gradient)
        S_rate = difference(lambda t: nearest_rotation(gradient(t)).T @ gradient(t))
        assert relative(W @ R[j], R_rate[j]) < RATES
        assert relative(R[j].T @ (A_rate - W @ A), S_rate) < RATES
        assert relative(turn[j], w_rate[j]) < RATES
        assert relative((cross_matrix(turn[j]) + W @ W) @ R[j], R_second[j]) < RATES


def test_interface_jacobians_give_the_angular_velocities(state):
    tree = state.tree()
    w, spans = hold_numbers(tree, REL_SPIN), state.plain.spans
    for j, (limb, J) in enumerate(zip(state.limbs, jacobians(tree))):
        if J is not None:
            np.testing.assert_allclose(J @ state.v[spans[limb.parent]], w[j], rtol=0, atol=ROUNDING)


def world_motion(state, j):
    """v, w, a, al of frame j in its own axes, by differences of where it is."""
    plain, path = state.plain, state.path()
    R = plain.frames(state.q, state.root)[j].R

    def at(t):
        return plain.frames(*path(t))[j]

    return (
        R.T @ difference(lambda t: at(t).x),
        axial(R.T @ difference(lambda t: at(t).R)),
        R.T @ second_difference(lambda t: at(t).x),
        axial(R.T @ second_difference(lambda t: at(t).R)),
    )


def test_frames_and_their_rates_match_the_motion_in_the_world(state):
    tree = state.tree()
    accelerated(tree)
    for j, frame in enumerate(state.plain.frames(state.q, state.root)):
        assert relative(frame_numbers(tree, 0, 9)[j].reshape(3, 3), frame.R) < ROUNDING
        assert relative(frame_numbers(tree, AT)[j], frame.x) < ROUNDING
        for at, wanted in zip((SPEED, SPIN, PULL, TWIST), world_motion(state, j)):
            assert relative(frame_numbers(tree, at)[j], wanted) < WORLD


def test_full_inertia_accelerates_the_frames_alike(state):
    """The way down of the recursion finds a and al on its own, from the q'' that it solves for."""
    tree = state.tree()
    tree._scratch.load[:], tree._scratch.wrench[:] = 0.0, 0.0
    qdd, _ = solved(tree)
    went = replace(state, a=qdd).tree()
    accelerated(went)
    for at in (PULL, TWIST):
        assert relative(frame_numbers(tree, at), frame_numbers(went, at)) < ROUNDING


@pytest.mark.parametrize("seed", SEEDS)
def test_turned_over_interfaces_keep_proper_rotations(seed):
    """Far beyond any solution A(q) is inverted in some lanes; R stays the nearest rotation in all of them."""
    state, random = moving(seed), np.random.default_rng(seed)
    inverted = 0
    for _ in range(20):
        wild = replace(state, q=np.linalg.norm(state.q) * random.standard_normal(len(state.q)))
        inverted += sum(np.linalg.det(wild.plain.gradient(wild.q, j)) < 0 for j in range(1, len(state.limbs)))
        R = frame_numbers(wild.tree(), 0, 9).reshape(-1, 3, 3)
        for found, frame in zip(R, wild.plain.frames(wild.q, wild.root)):
            assert relative(found @ found.T, np.eye(3)) < ROUNDING
            assert relative(found, frame.R) < TURNED_OVER
    assert inverted


def test_vertices_are_the_copies_of_all_limbs(state):
    tree = state.tree()
    np.testing.assert_allclose(tree.vertices().ravel(), state.plain.copies(state.q, state.root), rtol=0, atol=ROUNDING)
