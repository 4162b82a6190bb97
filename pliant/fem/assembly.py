"""Compiled loops over the cells: energy, force, stiffness and curvature of any material on any element.

F = I + sum_a u_a g_a^T,   f_a = sum_p w P g_a,   K_ab = sum_p w g_a . (dP/dF) . g_b        (single-body sheet, 1)
"""

import numpy as np
from numba import njit

from pliant.fem.material import clamped_stress_derivative, energy, stress, stress_curvature, stress_derivative
from pliant.numerics.inner import inner
from pliant.numerics.specialisation import specialised


@inner
def displacement_gradient(u, corners, gradients, H):
    """H = sum_a u_a g_a^T of one cell at one point; u (n, 3), gradients (corners, 3)."""
    for i in range(3):
        for j in range(3):
            total = 0.0
            for a in range(len(corners)):
                total += u[corners[a], i] * gradients[a, j]
            H[i, j] = total


@inner
def deformation_gradient(u, corners, gradients, F):
    """F = I + H."""
    displacement_gradient(u, corners, gradients, F)
    for i in range(3):
        F[i, i] += 1.0


@specialised
def assemble_energy(material, cells, blocks, gradients, weights, u):
    """W(u) = sum over cells and points of w psi(F)."""
    F, total = np.empty((3, 3)), 0.0
    for c in range(len(cells)):
        for p in range(weights.shape[1]):
            deformation_gradient(u, cells[c], gradients[blocks[c], p], F)
            total += weights[blocks[c], p] * energy(material, c, F)
    return total


@njit(cache=True, nogil=True)
def _spread(weight, P, corners, gradients, f):
    """f_a += w P g_a."""
    for a in range(len(corners)):
        for i in range(3):
            f[corners[a], i] += weight * (
                P[i, 0] * gradients[a, 0] + P[i, 1] * gradients[a, 1] + P[i, 2] * gradients[a, 2]
            )


@specialised
def assemble_force(material, cells, blocks, gradients, weights, u, f):
    """Add f(u) = dW/du to f (n, 3)."""
    F, P = np.empty((3, 3)), np.empty((3, 3))
    for c in range(len(cells)):
        for p in range(weights.shape[1]):
            g = gradients[blocks[c], p]
            deformation_gradient(u, cells[c], g, F)
            stress(material, c, F, P)
            _spread(weights[blocks[c], p], P, cells[c], g, f)


@inner
def _add_cell_stiffness(weight, D, g, T, K):
    """K[ia, jb] += w g_a[k] D[ik, jl] g_b[l]; ia = i corners + a, so that the inner loops run over whole rows."""
    corners = len(g)
    for row in range(9):
        for j in range(3):
            x, y, z = weight * D[row, 3 * j], weight * D[row, 3 * j + 1], weight * D[row, 3 * j + 2]
            for b in range(corners):
                T[row, j * corners + b] = x * g[b, 0] + y * g[b, 1] + z * g[b, 2]
    for i in range(3):
        for a in range(corners):
            x, y, z = g[a, 0], g[a, 1], g[a, 2]
            for column in range(3 * corners):
                K[i * corners + a, column] += x * T[3 * i, column] + y * T[3 * i + 1, column] + z * T[3 * i + 2, column]


@inner
def _scatter(K, places, pitches, data):
    """Add a cell's K to the matrix data."""
    corners = len(places)
    for a in range(corners):
        for i in range(3):
            row, shift = i * corners + a, i * pitches[a]
            for b in range(corners):
                for j in range(3):
                    data[places[a, b] + shift + j] += K[row, j * corners + b]


@specialised
def assemble_tangent(material, cells, blocks, gradients, weights, places, pitch, u, clamp, f, data):
    """Add f(u) to f (n, 3) and K(u) = df/du to the data of the pattern.

    Args:
        clamp: True makes every cell's K semidefinite; None does not, and is a type of its own: what clamps takes as
            long to compile as all the rest, and most never ask for it.
    """
    corners = cells.shape[1]
    F, P, D = np.empty((3, 3)), np.empty((3, 3)), np.empty((9, 9))
    T, K = np.empty((9, 3 * corners)), np.empty((3 * corners, 3 * corners))
    pitches = np.empty(corners, np.int64)
    for c in range(len(cells)):
        K[:] = 0.0
        for p in range(weights.shape[1]):
            g, weight = gradients[blocks[c], p], weights[blocks[c], p]
            deformation_gradient(u, cells[c], g, F)
            stress(material, c, F, P)
            _spread(weight, P, cells[c], g, f)
            if clamp is None:
                stress_derivative(material, c, F, D)
            else:
                clamped_stress_derivative(material, c, F, D)
            _add_cell_stiffness(weight, D, g, T, K)
        for a in range(corners):
            pitches[a] = pitch[cells[c, a]]
        _scatter(K, places[c], pitches, data)


@specialised
def assemble_curvature(material, cells, blocks, gradients, weights, a, b, f):
    """Add (H:a) b, the second derivative of the force at rest, to f (n, 3); a, b (n, 3)."""
    A, B, P = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    for c in range(len(cells)):
        for p in range(weights.shape[1]):
            g = gradients[blocks[c], p]
            displacement_gradient(a, cells[c], g, A)
            displacement_gradient(b, cells[c], g, B)
            stress_curvature(material, c, A, B, P)
            _spread(weights[blocks[c], p], P, cells[c], g, f)


@specialised
def assemble_curvatures(material, cells, blocks, gradients, weights, vectors, f):
    """Add (H:v_i) v_j for all pairs i <= j to f (pairs, n, 3); vectors (k, n, 3)."""
    k = len(vectors)
    A, P = np.empty((k, 3, 3)), np.empty((3, 3))
    for c in range(len(cells)):
        for p in range(weights.shape[1]):
            g, pair = gradients[blocks[c], p], 0
            for i in range(k):
                displacement_gradient(vectors[i], cells[c], g, A[i])
            for i in range(k):
                for j in range(i, k):
                    stress_curvature(material, c, A[i], A[j], P)
                    _spread(weights[blocks[c], p], P, cells[c], g, f[pair])
                    pair += 1


@njit(cache=True, nogil=True)
def assemble_mass(cells, blocks, cell_mass, density, places, pitch, data):
    """Add rho int phi_a phi_b I to the data of the pattern."""
    for c in range(len(cells)):
        for a in range(cells.shape[1]):
            for b in range(cells.shape[1]):
                value = density[c] * cell_mass[blocks[c], a, b]
                for i in range(3):
                    data[places[c, a, b] + i * pitch[cells[c, a]] + i] += value
