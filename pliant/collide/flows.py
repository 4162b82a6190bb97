"""How the points of two bodies go against each other in a small step, from where each is and how fast.

A body's points go about as if it were rigid, U(x) = v + w x (x - t); the velocity u of no point differs from that by
more than e, so that between a point p of a and the point c of b next to it

    |u_p - u_c| <= |u_p - U_b(p)| + |w_b| |p - c| + e_b,

which is less than what the fastest points of both could do. A gap of theirs matters that is no wider than the small
step times this, and a share of how far both bodies get, since they may be thrown off their ways.

Since contacts were last found, a small step ago, they came as they go now, but for a rest,
|x_p - x_p' - dt u_p| <= rest_a, so that p is no deeper inside b than any point was, the small step times the same, and
both rests; nor deeper below a place c, along the way n out of it, than it was itself and

    dt max(0, -n . (u_p - u_c)) + rest_a + rest_b.

Where skins are turned inside out, or folded through themselves, triangles may say of points that only touch them that
they are deep inside; this tells that they are not.
"""

from math import sqrt

from pliant.numerics.counting import borrowing, borrowing_inlined, quick_borrowing

SPIN, E, REST, ASIDE = 6, 7, 8, 9  # columns of `surfaces.flow`, after v - w x t and w: dt |w|, dt e, rest, share
NUMBERS = 10
UNKNOWN = 1e40  # a place that is none
SHARE = 0.25  # of how far bodies get: what may turn to where a contact is, as they are thrown off


@quick_borrowing
def fit_flow(surfaces, x, u, b, t, v, w, dt, aside):
    """Write the flow of body b, whose frame is at t and moves by v and w, in small steps of dt, and its share."""
    flow, begin, end = surfaces.flow[b], surfaces.first_vertex[b], surfaces.first_vertex[b + 1]
    c0, c1, c2 = v[0] - w[1] * t[2] + w[2] * t[1], v[1] - w[2] * t[0] + w[0] * t[2], v[2] - w[0] * t[1] + w[1] * t[0]
    w0, w1, w2, off, rest = w[0], w[1], w[2], 0.0, 0.0
    place, speed, was = x[begin:end], u[begin:end], surfaces.was[begin:end]
    for k in range(len(place)):
        x0, x1, x2, u0, u1, u2 = place[k, 0], place[k, 1], place[k, 2], speed[k, 0], speed[k, 1], speed[k, 2]
        d0, d1, d2 = u0 - c0 - w1 * x2 + w2 * x1, u1 - c1 - w2 * x0 + w0 * x2, u2 - c2 - w0 * x1 + w1 * x0
        off = max(off, d0 * d0 + d1 * d1 + d2 * d2)
        r0, r1, r2 = x0 - was[k, 0] - dt * u0, x1 - was[k, 1] - dt * u1, x2 - was[k, 2] - dt * u2
        rest = max(rest, r0 * r0 + r1 * r1 + r2 * r2)
    flow[0], flow[1], flow[2], flow[3], flow[4], flow[5] = c0, c1, c2, w0, w1, w2
    flow[SPIN], flow[E] = dt * sqrt(w0 * w0 + w1 * w1 + w2 * w2), dt * sqrt(off)
    flow[REST], flow[ASIDE] = sqrt(rest), aside


@borrowing
def keep_points(surfaces, x, b, unknown):
    """Contacts were found: where the vertices of body b are, if they were looked at, and how deep; `unknown`: none is
    placed."""
    first, end, was, sunk = surfaces.first_vertex[b], surfaces.first_vertex[b + 1], surfaces.was, surfaces.sunk
    if not surfaces.again[b]:
        for v in range(first, end):
            sunk[v] = max(sunk[v], surfaces.sinks[v])
    elif not unknown:
        for v in range(first, end):
            was[v, 0], was[v, 1], was[v, 2], sunk[v] = x[v, 0], x[v, 1], x[v, 2], surfaces.sinks[v]
    elif end > first and was[first, 0] != UNKNOWN:
        for v in range(first, end):
            was[v, 0], was[v, 1], was[v, 2], sunk[v] = UNKNOWN, UNKNOWN, UNKNOWN, 0.0


@borrowing_inlined
def closing(flow, soon, near, p, u):
    """How far a point at p with velocity u may come closer in a small step to what is near on the body of a flow."""
    d0 = u[0] - flow[0] - flow[4] * p[2] + flow[5] * p[1]
    d1 = u[1] - flow[1] - flow[5] * p[0] + flow[3] * p[2]
    d2 = u[2] - flow[2] - flow[3] * p[1] + flow[4] * p[0]
    return soon * sqrt(d0 * d0 + d1 * d1 + d2 * d2) + flow[SPIN] * near + flow[E]


@borrowing_inlined
def closes(B, t, weights, speeds, n, u):
    """The speed at which a point with velocity u goes along -n against that with these weights of triangle t of B."""
    i, j, k = B.triangles[t, 0], B.triangles[t, 1], B.triangles[t, 2]
    along = n[0] * u[0] + n[1] * u[1] + n[2] * u[2]
    for axis in range(3):
        mean = weights[0] * speeds[i, axis] + weights[1] * speeds[j, axis] + weights[2] * speeds[k, axis]
        along -= n[axis] * mean
    return max(0.0, -along)
