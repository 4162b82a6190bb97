"""What octets of points remember, F, F' and w P, and what firm StVK answers there; letters of `point_forces`."""

from pliant.numerics.inner import inner
from pliant.numerics.simd8 import WIDTH, load8, spread8, store8, total8
from pliant.systems.octets import CHUNK, rate_of, strain_of
from pliant.systems.seams.crushing import along8, cofactor_changes8, cofactors8, lack8

RATES, STRESS, SEEN = CHUNK, 2 * CHUNK, 3 * CHUNK  # where F' and w P of an octet lie behind its F, and how much in all


@inner(forceinline=True)
def load9(x, at):
    """Nine octets that lie one behind the other."""
    return (
        load8(x, at),
        load8(x, at + 8),
        load8(x, at + 16),
        load8(x, at + 24),
        load8(x, at + 32),
        load8(x, at + 40),
        load8(x, at + 48),
        load8(x, at + 56),
        load8(x, at + 64),
    )


@inner(forceinline=True)
def store9(x, at, a, b, c, d, e, f, g, h, l):
    """As `load9` reads them."""
    store8(x, at, a)
    store8(x, at + 8, b)
    store8(x, at + 16, c)
    store8(x, at + 24, d)
    store8(x, at + 32, e)
    store8(x, at + 40, f)
    store8(x, at + 48, g)
    store8(x, at + 56, h)
    store8(x, at + 64, l)


@inner
def answer8(points, octet, beta):
    """w psi and w P of an octet, at the F and F' that it remembers."""
    share = beta * points.geometric
    a, b, c, d, e, f, g, h, l = load9(points.seen, SEEN * octet)
    A = B = C = D = E = F = H = I = J = spread8(0.0)
    if beta > 0:
        A, B, C, D, E, F, H, I, J = load9(points.seen, SEEN * octet + RATES)
    lam, mu = load8(points.lam, WIDTH * octet), load8(points.mu, WIDTH * octet)
    xx, yy, zz, yz, xz, xy = strain_of(a, b, c, d, e, f, g, h, l)
    trace = lam * (xx + yy + zz)
    energy = 0.5 * trace * (xx + yy + zz) + mu * (xx * xx + yy * yy + zz * zz + 2 * (yz * yz + xz * xz + xy * xy))
    xx, yy, zz = trace + 2 * mu * xx, trace + 2 * mu * yy, trace + 2 * mu * zz
    yz, xz, xy = 2 * mu * yz, 2 * mu * xz, 2 * mu * xy
    if beta > 0:
        p1, p2, p3 = A * xx + B * xy + C * xz, A * xy + B * yy + C * yz, A * xz + B * yz + C * zz
        p4, p5, p6 = D * xx + E * xy + F * xz, D * xy + E * yy + F * yz, D * xz + E * yz + F * zz
        p7, p8, p9 = H * xx + I * xy + J * xz, H * xy + I * yy + J * yz, H * xz + I * yz + J * zz
        rx, ry, rz, ryz, rxz, rxy = rate_of(a, b, c, d, e, f, g, h, l, A, B, C, D, E, F, H, I, J)
        bulk = beta * lam * (rx + ry + rz)
        shear = 2 * beta * mu
        xx, yy, zz = xx + bulk + shear * rx, yy + bulk + shear * ry, zz + bulk + shear * rz
        yz, xz, xy = yz + shear * ryz, xz + shear * rxz, xy + shear * rxy
    else:
        p1 = p2 = p3 = p4 = p5 = p6 = p7 = p8 = p9 = spread8(0.0)
    p1, p2, p3 = (
        share * p1 + a * xx + b * xy + c * xz,
        share * p2 + a * xy + b * yy + c * yz,
        share * p3 + a * xz + b * yz + c * zz,
    )
    p4, p5, p6 = (
        share * p4 + d * xx + e * xy + f * xz,
        share * p5 + d * xy + e * yy + f * yz,
        share * p6 + d * xz + e * yz + f * zz,
    )
    p7, p8, p9 = (
        share * p7 + g * xx + h * xy + l * xz,
        share * p8 + g * xy + h * yy + l * yz,
        share * p9 + g * xz + h * yz + l * zz,
    )
    J0 = load8(points.J0, WIDTH * octet)
    lack = lack8(a, b, c, d, e, f, g, h, l, J0)
    if total8(lack) > 0:
        pressure = -lack * lack * load8(points.k, WIDTH * octet)
        energy += -pressure * lack * J0 / 3.0
        c1, c2, c3, c4, c5, c6, c7, c8, c9 = cofactors8(a, b, c, d, e, f, g, h, l)
        along = along8(c1, c2, c3, c4, c5, c6, c7, c8, c9, A, B, C, D, E, F, H, I, J)
        bulk = pressure + share * 2.0 * lack * load8(points.k, WIDTH * octet) / J0 * along
        A, B, C, D, E, F, H, I, J = cofactor_changes8(a, b, c, d, e, f, g, h, l, A, B, C, D, E, F, H, I, J)
        pressure = share * pressure
        p1, p2, p3 = p1 + bulk * c1 + pressure * A, p2 + bulk * c2 + pressure * B, p3 + bulk * c3 + pressure * C
        p4, p5, p6 = p4 + bulk * c4 + pressure * D, p5 + bulk * c5 + pressure * E, p6 + bulk * c6 + pressure * F
        p7, p8, p9 = p7 + bulk * c7 + pressure * H, p8 + bulk * c8 + pressure * I, p9 + bulk * c9 + pressure * J
    return energy, (p1, p2, p3, p4, p5, p6, p7, p8, p9)
