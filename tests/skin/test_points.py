"""Material points: how they move is how their places change."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_skin import chained_skin, random_pose_of

from pliant.errors import ArgumentError
from pliant.numerics import rotation_exponential
from pliant.skin import Pose, Rates

SIZES = (4, 0, 2)
H = 2e-3  # of differences whose error is of the order h^6
DIFFERENCE = 1e-8


@given(seed=st.integers(0, 10**6), warped=st.booleans())
def test_velocities_and_accelerations_are_differences_of_places(seed, warped):
    skin = chained_skin(seed, sizes=SIZES, warped=warped)
    points, pose = skin.points([3, 7, 11, 12]), random_pose_of(SIZES, seed)
    draw = np.random.default_rng(seed)
    V, s, A, al = 0.3 * draw.standard_normal((4, len(SIZES), 3))
    first, second = 0.3 * draw.standard_normal((2, sum(SIZES)))

    def at(t):
        # The spin at t = 0 is s, and al its rate: what s x al adds is of the order t^2.
        R = [rotation_exponential(t * s[p] + t**2 / 2 * al[p]) @ pose.rotations[p] for p in range(len(SIZES))]
        place, flat = pose.translations + t * V + t**2 / 2 * A, pose.flat + t * first + t**2 / 2 * second
        return points.place(Pose.stacked(np.array(R), place, flat, pose.offsets))

    x = {k: at(k * H) for k in range(-3, 4)}
    rates, changes = Rates(V, s, first, pose.offsets), Rates(A, al, second, pose.offsets)
    velocity = (45 * (x[1] - x[-1]) - 9 * (x[2] - x[-2]) + x[3] - x[-3]) / (60 * H)
    acceleration = (270 * (x[1] + x[-1]) - 27 * (x[2] + x[-2]) + 2 * (x[3] + x[-3]) - 490 * x[0]) / (180 * H**2)
    np.testing.assert_allclose(points.velocity(pose, rates), velocity, rtol=0, atol=DIFFERENCE)
    np.testing.assert_allclose(points.acceleration(pose, rates, changes), acceleration, rtol=0, atol=DIFFERENCE)


def test_points_of_fewer_coordinates_than_a_pose_are_refused():
    """Their entries would read the coordinates of other parts."""
    points = chained_skin(0, sizes=SIZES).points([3, 7])
    with pytest.raises(ArgumentError, match="poses with 6 coordinates, this one has 9; ask the system"):
        points.place(random_pose_of((4, 3, 2), 0))
