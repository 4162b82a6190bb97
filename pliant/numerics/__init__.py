"""Numerics: rotations, small dense solves, sparse factorisations."""

from pliant.numerics.bordered import BorderedFactor
from pliant.numerics.cholesky import (
    cholesky,
    cholesky_backward,
    cholesky_forward,
    cholesky_solve,
    cholesky_solve_many,
)
from pliant.numerics.eigen import lowest_eigenpairs, told_apart, with_fixed_signs
from pliant.numerics.pardiso import factor_with_one_thread
from pliant.numerics.polar import polar, polar_with, signed_svd
from pliant.numerics.rotations import (
    cross_matrix,
    quaternion_conjugate,
    quaternion_exponential,
    quaternion_from_rotation,
    quaternion_multiply,
    quaternion_multiply_into,
    quaternion_normalise,
    quaternion_rotate,
    quaternion_rotate_into,
    quaternion_turn_into,
    rotation_exponential,
    rotation_exponential_into,
    rotation_from_quaternion,
    rotation_from_quaternion_into,
    rotation_logarithm,
)
from pliant.numerics.sparse import PatternSolver, factor
from pliant.numerics.sparse_factor import Factor

__all__ = [
    "BorderedFactor",
    "Factor",
    "PatternSolver",
    "cholesky",
    "cholesky_backward",
    "cholesky_forward",
    "cholesky_solve",
    "cholesky_solve_many",
    "cross_matrix",
    "factor",
    "factor_with_one_thread",
    "lowest_eigenpairs",
    "polar",
    "polar_with",
    "quaternion_conjugate",
    "quaternion_exponential",
    "quaternion_from_rotation",
    "quaternion_multiply",
    "quaternion_multiply_into",
    "quaternion_normalise",
    "quaternion_rotate",
    "quaternion_rotate_into",
    "quaternion_turn_into",
    "rotation_exponential",
    "rotation_exponential_into",
    "rotation_from_quaternion",
    "rotation_from_quaternion_into",
    "rotation_logarithm",
    "signed_svd",
    "told_apart",
    "with_fixed_signs",
]
