"""Inertia of a deformed body in its own axes, maths sheet momentum 1 and 2: O(r^2), whatever the mesh.

I = sum z_k z_l J_kl,   dI_l = 2 sum_k z_k J_kl,   G_l = sum_k z_k H_kl,   Mt = M - G^T I^-1 G,   z = (1, q)
"""

from pliant.numerics.counting import borrowing, borrowing_inlined, quick_borrowing_inlined


@quick_borrowing_inlined
def shape_at(models, model, q, shape, with_mass):
    """Fill `shape` for coordinates q (r,) of a model; Mt only where it is asked for."""
    r = models.size[model]
    wide = 6 * (r + 1)
    J, first = models.J, models.first_J[model]
    dI, G, IG = shape.dI, shape.G, shape.IG
    row = J[first : first + wide]
    for i in range(wide):
        dI[i] = 2 * row[i]
    for k in range(r):
        row, scale = J[first + (k + 1) * wide : first + (k + 2) * wide], 2 * q[k]
        for i in range(wide):
            dI[i] += scale * row[i]
    a, b, c, d, e, f = dI[0], dI[1], dI[2], dI[3], dI[4], dI[5]
    for l in range(r):
        at = 6 * (l + 1)
        a += q[l] * dI[at]
        b += q[l] * dI[at + 1]
        c += q[l] * dI[at + 2]
        d += q[l] * dI[at + 3]
        e += q[l] * dI[at + 4]
        f += q[l] * dI[at + 5]
    I = shape.I
    I[0, 0], I[1, 1], I[2, 2] = 0.5 * a, 0.5 * b, 0.5 * c
    I[0, 1] = I[1, 0] = 0.5 * d
    I[0, 2] = I[2, 0] = 0.5 * e
    I[1, 2] = I[2, 1] = 0.5 * f
    invert_symmetric(I, shape.inverse)
    # G_l = sum_k z_k H_kl, without the first column.
    H, at, wide = models.H, models.first_H[model], 3 * (r + 1)
    row = H[at + 3 : at + wide]
    for i in range(3 * r):
        G[i] = row[i]
    for k in range(r):
        row = H[at + (k + 1) * wide + 3 : at + (k + 2) * wide]
        for i in range(3 * r):
            G[i] += q[k] * row[i]
    for l in range(r):
        for i in range(3):
            total = 0.0
            for j in range(3):
                total += shape.inverse[i, j] * G[3 * l + j]
            IG[3 * l + i] = total
    if with_mass:
        M, at = models.M, models.first_M[model]
        for k in range(r):
            for l in range(r):
                total = M[at + k * r + l]
                for i in range(3):
                    total -= G[3 * k + i] * IG[3 * l + i]
                shape.Mt[k * r + l] = total


@borrowing
def invert_symmetric(A, out):
    """out = A^-1 (3, 3) by its cofactors."""
    c0, c1 = A[1, 1] * A[2, 2] - A[1, 2] * A[1, 2], A[0, 2] * A[1, 2] - A[0, 1] * A[2, 2]
    c2, c3 = A[0, 1] * A[1, 2] - A[0, 2] * A[1, 1], A[0, 0] * A[2, 2] - A[0, 2] * A[0, 2]
    c4, c5 = A[0, 1] * A[0, 2] - A[0, 0] * A[1, 2], A[0, 0] * A[1, 1] - A[0, 1] * A[0, 1]
    scale = 1 / (A[0, 0] * c0 + A[0, 1] * c1 + A[0, 2] * c2)
    out[0, 0], out[1, 1], out[2, 2] = scale * c0, scale * c3, scale * c5
    out[0, 1] = out[1, 0] = scale * c1
    out[0, 2] = out[2, 0] = scale * c2
    out[1, 2] = out[2, 1] = scale * c4


@borrowing_inlined
def turn_tensor(R, A, out):
    """out = R A R^T (3, 3), symmetric."""
    for i in range(3):
        x = R[i, 0] * A[0, 0] + R[i, 1] * A[1, 0] + R[i, 2] * A[2, 0]
        y = R[i, 0] * A[0, 1] + R[i, 1] * A[1, 1] + R[i, 2] * A[2, 1]
        z = R[i, 0] * A[0, 2] + R[i, 1] * A[1, 2] + R[i, 2] * A[2, 2]
        for j in range(i, 3):
            out[i, j] = out[j, i] = x * R[j, 0] + y * R[j, 1] + z * R[j, 2]


@quick_borrowing_inlined
def spin_in_axes(shape, r, Lo, qd, o):
    """o = I^-1 Lo - I^-1 G q': the spin of the frame, in its axes (Eq. 4b)."""
    for i in range(3):
        total = 0.0
        for j in range(3):
            total += shape.inverse[i, j] * Lo[j]
        o[i] = total
    for l in range(r):
        for i in range(3):
            o[i] -= shape.IG[3 * l + i] * qd[l]


@quick_borrowing_inlined
def fictitious(models, model, shape, o, Lo, torque, qd, out):
    """out (r,) = c + d - G^T I^-1 b_w: centrifugal, Coriolis and Euler forces (sheet 3).

    c_l = o dI_l o / 2,  d_l = -2 sum_k q'_k o . H_kl,  b_w = torque - o x Lo - I' o,  all in the body's axes. Forces on
    points are in `torque` here, which is their projection P, and S^T f of them is added elsewhere.
    """
    r = models.size[model]
    if r == 0:
        return
    dI = shape.dI
    a, b, c, d, e, f = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0  # I' = sum q'_l dI_l
    for l in range(r):
        at = 6 * (l + 1)
        a += qd[l] * dI[at]
        b += qd[l] * dI[at + 1]
        c += qd[l] * dI[at + 2]
        d += qd[l] * dI[at + 3]
        e += qd[l] * dI[at + 4]
        f += qd[l] * dI[at + 5]
    x, y, z = o[0], o[1], o[2]
    b0 = torque[0] - (y * Lo[2] - z * Lo[1]) - (a * x + d * y + e * z)
    b1 = torque[1] - (z * Lo[0] - x * Lo[2]) - (d * x + b * y + f * z)
    b2 = torque[2] - (x * Lo[1] - y * Lo[0]) - (e * x + f * y + c * z)
    for l in range(r):
        at = 6 * (l + 1)
        along = dI[at] * x * x + dI[at + 1] * y * y + dI[at + 2] * z * z
        across = dI[at + 3] * x * y + dI[at + 4] * x * z + dI[at + 5] * y * z
        out[l] = 0.5 * along + across - (shape.IG[3 * l] * b0 + shape.IG[3 * l + 1] * b1 + shape.IG[3 * l + 2] * b2)
    H, wide = models.H, 3 * (r + 1)
    for k in range(r):
        row, scale = models.first_H[model] + (k + 1) * wide + 3, -2 * qd[k]
        for l in range(r):
            at = row + 3 * l
            out[l] += scale * (x * H[at] + y * H[at + 1] + z * H[at + 2])


@borrowing_inlined
def to_axes(R, a, out):
    """out = R^T a."""
    for i in range(3):
        out[i] = R[0, i] * a[0] + R[1, i] * a[1] + R[2, i] * a[2]


@borrowing_inlined
def to_world(R, a, out):
    """out = R a."""
    for i in range(3):
        out[i] = R[i, 0] * a[0] + R[i, 1] * a[1] + R[i, 2] * a[2]
