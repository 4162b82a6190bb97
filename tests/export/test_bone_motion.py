"""Rotations and normals of what glTF files animate, each against its formula."""

import numpy as np
from scipy.spatial.transform import Rotation

from pliant.export.bones import BonedSurface
from pliant.export.gltf import _unblended
from pliant.export.gltf_motion import quaternions
from pliant.numerics import rotation_exponential


def test_quaternions_of_many_turns_never_change_sides():
    """Five turns in small steps: each is the double cover of its rotation, and near the one before."""
    angles = np.linspace(0, 10 * np.pi, 200)
    R = np.stack([rotation_exponential(angle * np.array([0.6, 0.0, 0.8])) for angle in angles])
    turns = quaternions(R)
    assert (turns[1:] * turns[:-1]).sum(axis=1).min() > 0.9
    np.testing.assert_allclose(Rotation.from_quat(turns).as_matrix(), R, atol=1e-12)


def test_normals_of_bones_are_pulled_back_by_blended_rotations():
    """n = A^T N with A = sum_p w_p R_p, as positions are blended ([MC15] Eq. 42)."""
    random, k, f = np.random.default_rng(2), 7, 3
    joints, shares = random.integers(0, 3, (k, 4)), random.dirichlet(np.ones(4), k)
    frames = [(Rotation.random(f, random_state=p).as_matrix(), np.zeros((f, 3))) for p in range(3)]
    surface = BonedSurface(
        np.zeros((0, 3), int), np.zeros((k, 3)), np.zeros((0, k, 3)), np.zeros((f, 0)), joints, shares, frames
    )
    normals = random.standard_normal((f, k, 3))
    found = _unblended(surface, normals, np.arange(f))
    for frame in range(f):
        for v in range(k):
            A = sum(share * frames[joint][0][frame] for joint, share in zip(joints[v], shares[v]))
            np.testing.assert_allclose(found[frame, v], A.T @ normals[frame, v], atol=1e-12)
