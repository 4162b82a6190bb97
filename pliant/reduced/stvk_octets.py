"""Forces and stiffness of all cells of St. Venant and Kirchhoff, eight cells at a time.

H = sum_a u_a g_a^T,   F = I + H,   S = lam tr(E) I + 2 mu E,   f_a = w F S g_a,   h_a = F g_a
K_ab = w ((g_a . S g_b) I + lam h_a h_b^T + mu h_b h_a^T + mu (g_a . g_b) F F^T)

Those of `FirmStVK` have a term more where J is below J0, x = 1 - J / J0 being what is missing:

psi = k/3 J0 x^3,   p = -k x^2,   f_a = w p cof(F) g_a,   c_a = cof(F) g_a
K_ab = w (2 k x / J0 c_a c_b^T - p tilde(F (g_a x g_b)))
"""

from numba import njit

from pliant.numerics.inner import inner
from pliant.numerics.simd8 import load8, spread8, store8, total8, where_positive8
from pliant.numerics.simd8_matrices import (
    MATRICES,
    VECTORS,
    add_matrices,
    apply,
    cofactors,
    cross,
    dot,
    load3,
    load9,
    scaled_matrix,
    store3,
    store9,
    times,
)


@inner
def add_cell_forces(cells, gradients, weights, lam, mu, k, J0, u, nodal, f):
    """Add the forces of all cells to f (n, 3); returns W.

    Args:
        cells: (octets, nodes, 8) ids. gradients: flat (octets, points, nodes, 3, 8). weights: (octets, points, 8).
        lam, mu, k, J0: (octets, 8); k, J0: (0,) of StVK.
        nodal: room for two vectors of eight cells a node.
    """
    nodes, points = cells.shape[1], len(weights) // len(lam)
    forces, energy = VECTORS * nodes, spread8(0.0)
    for octet in range(len(cells)):
        _take(cells, octet, u, nodal)
        for x in range(forces, 2 * forces, 8):
            store8(nodal, x, spread8(0.0))
        l, m = load8(lam, 8 * octet), load8(mu, 8 * octet)
        for p in range(points):
            at = octet * points + p
            g = at * nodes * VECTORS
            F = _deformation(gradients, g, nodal, nodes)
            S, psi = _second_piola(F, l, m)
            P, w = times(F, S), load8(weights, 8 * at)
            if len(k):
                lack, C = _lack(F, load8(J0, 8 * octet))
                if total8(lack) > 0:
                    pressure = load8(k, 8 * octet) * lack * lack
                    psi = psi + pressure * lack * load8(J0, 8 * octet) / 3.0
                    P = add_matrices(P, scaled_matrix(-pressure, C))
            energy = energy + w * psi
            for a in range(nodes):
                own = apply(P, load3(gradients, g + a * VECTORS))
                sum_a = load3(nodal, forces + a * VECTORS)
                store3(
                    nodal, forces + a * VECTORS, (sum_a[0] + w * own[0], sum_a[1] + w * own[1], sum_a[2] + w * own[2])
                )
        _give(cells, octet, nodal, forces, f)
    return total8(energy)


@inner
def add_cell_stiffness(cells, gradients, weights, lam, mu, k, J0, u, places, pitches, nodal, pairs, data):
    """Add K(u) of all cells to the data of the pattern.

    Args:
        places: (octets, nodes, nodes, 8) where blocks begin in the data. pitches: (octets, nodes, 8) between rows.
        pairs: room for nine octets a pair of nodes.
    """
    nodes, points = cells.shape[1], len(weights) // len(lam)
    turned = VECTORS * nodes
    for octet in range(len(cells)):
        _take(cells, octet, u, nodal)
        l, m = load8(lam, 8 * octet), load8(mu, 8 * octet)
        for p in range(points):
            at = octet * points + p
            g = at * nodes * VECTORS
            F = _deformation(gradients, g, nodal, nodes)
            S, _ = _second_piola(F, l, m)
            for a in range(nodes):
                store3(nodal, turned + a * VECTORS, apply(F, load3(gradients, g + a * VECTORS)))
            w = load8(weights, 8 * at)
            _add_pairs(gradients, g, nodal, turned, nodes, F, S, w, l, m, p == 0, pairs)
            if len(k):
                j = load8(J0, 8 * octet)
                lack, C = _lack(F, j)
                if total8(lack) > 0:
                    bulk = w * load8(k, 8 * octet) * lack
                    _add_resistance(gradients, g, nodes, F, C, bulk * lack, 2.0 * bulk / j, pairs)
        _scatter(places, pitches, octet, nodes, pairs, data)


@inner(forceinline=True)
def _add_pairs(gradients, g, nodal, turned, nodes, F, S, w, lam, mu, first, pairs):
    """pairs[ab] (+)= K_ab of eight cells at one point, for b <= a."""
    wl, wm = w * lam, w * mu
    rows = (F[0], F[1], F[2]), (F[3], F[4], F[5]), (F[6], F[7], F[8])
    xx, xy, xz = dot(rows[0], rows[0]), dot(rows[0], rows[1]), dot(rows[0], rows[2])
    yy, yz, zz = dot(rows[1], rows[1]), dot(rows[1], rows[2]), dot(rows[2], rows[2])
    for a in range(nodes):
        g_a, h = load3(gradients, g + a * VECTORS), load3(nodal, turned + a * VECTORS)
        Sg = apply(S, g_a)
        for b in range(a + 1):
            g_b, k = load3(gradients, g + b * VECTORS), load3(nodal, turned + b * VECTORS)
            s, n = w * dot(Sg, g_b), wm * dot(g_a, g_b)
            l0, l1, l2 = wl * h[0], wl * h[1], wl * h[2]
            m0, m1, m2 = wm * h[0], wm * h[1], wm * h[2]
            block = (
                l0 * k[0] + m0 * k[0] + n * xx + s,
                l0 * k[1] + m1 * k[0] + n * xy,
                l0 * k[2] + m2 * k[0] + n * xz,
                l1 * k[0] + m0 * k[1] + n * xy,
                l1 * k[1] + m1 * k[1] + n * yy + s,
                l1 * k[2] + m2 * k[1] + n * yz,
                l2 * k[0] + m0 * k[2] + n * xz,
                l2 * k[1] + m1 * k[2] + n * yz,
                l2 * k[2] + m2 * k[2] + n * zz + s,
            )
            at = (a * nodes + b) * MATRICES
            store9(pairs, at, block if first else add_matrices(block, load9(pairs, at)))


@inner
def _add_resistance(gradients, g, nodes, F, C, pressure, bulk, pairs):
    """pairs[ab] += bulk c_a c_b^T + pressure tilde(F (g_a x g_b)), for b <= a."""
    for a in range(nodes):
        g_a = load3(gradients, g + a * VECTORS)
        c = apply(C, g_a)
        x, y, z = bulk * c[0], bulk * c[1], bulk * c[2]
        for b in range(a + 1):
            g_b, at = load3(gradients, g + b * VECTORS), (a * nodes + b) * MATRICES
            d, turn = apply(C, g_b), apply(F, cross(g_a, g_b))
            p, q, r = pressure * turn[0], pressure * turn[1], pressure * turn[2]
            block = (
                x * d[0],
                x * d[1] - r,
                x * d[2] + q,
                y * d[0] + r,
                y * d[1],
                y * d[2] - p,
                z * d[0] - q,
                z * d[1] + p,
                z * d[2],
            )
            store9(pairs, at, add_matrices(load9(pairs, at), block))


@inner(forceinline=True)
def _lack(F, J0):
    """1 - J / J0, and zero above; cof(F)."""
    C = cofactors(F)
    lack = 1.0 - dot((F[0], F[1], F[2]), (C[0], C[1], C[2])) / J0
    return where_positive8(lack, lack, spread8(0.0)), C


@inner
def _scatter(places, pitches, octet, nodes, pairs, data):
    """Add the blocks of eight cells, and their transposes, to the data."""
    for lane in range(8):
        for a in range(nodes):
            for b in range(a + 1):
                at, row = (a * nodes + b) * MATRICES + lane, pitches[octet, a, lane]
                to = places[octet, a, b, lane]
                for i in range(3):
                    for j in range(3):
                        data[to + i * row + j] += pairs[at + 24 * i + 8 * j]
                if b < a:
                    to, row = places[octet, b, a, lane], pitches[octet, b, lane]
                    for i in range(3):
                        for j in range(3):
                            data[to + i * row + j] += pairs[at + 24 * j + 8 * i]


@njit(cache=True, nogil=True)
def _take(cells, octet, u, nodal):
    """Displacements of the nodes of eight cells side by side."""
    for a in range(cells.shape[1]):
        for lane in range(8):
            vertex = cells[octet, a, lane]
            for i in range(3):
                nodal[VECTORS * a + 8 * i + lane] = u[vertex, i]


@inner
def _give(cells, octet, nodal, at, f):
    """Add the forces on the nodes of eight cells to f."""
    for a in range(cells.shape[1]):
        for lane in range(8):
            vertex = cells[octet, a, lane]
            for i in range(3):
                f[vertex, i] += nodal[at + VECTORS * a + 8 * i + lane]


@inner(forceinline=True)
def _deformation(gradients, g, nodal, nodes):
    """F of eight cells, row by row."""
    one, zero = spread8(1.0), spread8(0.0)
    xx, xy, xz, yx, yy, yz, zx, zy, zz = one, zero, zero, zero, one, zero, zero, zero, one
    for a in range(nodes):
        x, y, z = load3(nodal, a * VECTORS)
        g0, g1, g2 = load3(gradients, g + a * VECTORS)
        xx, xy, xz = xx + x * g0, xy + x * g1, xz + x * g2
        yx, yy, yz = yx + y * g0, yy + y * g1, yz + y * g2
        zx, zy, zz = zx + z * g0, zy + z * g1, zz + z * g2
    return xx, xy, xz, yx, yy, yz, zx, zy, zz


@inner(forceinline=True)
def _second_piola(F, lam, mu):
    """S (9), and psi."""
    x, y, z = (F[0], F[3], F[6]), (F[1], F[4], F[7]), (F[2], F[5], F[8])
    exx, eyy, ezz = 0.5 * (dot(x, x) - 1.0), 0.5 * (dot(y, y) - 1.0), 0.5 * (dot(z, z) - 1.0)
    exy, exz, eyz = 0.5 * dot(x, y), 0.5 * dot(x, z), 0.5 * dot(y, z)
    trace, twice = exx + eyy + ezz, mu + mu
    squares = exx * exx + eyy * eyy + ezz * ezz + 2.0 * (exy * exy + exz * exz + eyz * eyz)
    pressure = lam * trace
    sxy, sxz, syz = twice * exy, twice * exz, twice * eyz
    S = (pressure + twice * exx, sxy, sxz, sxy, pressure + twice * eyy, syz, sxz, syz, pressure + twice * ezz)
    return S, 0.5 * pressure * trace + mu * squares
