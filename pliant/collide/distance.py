"""Signed distance from points to one placed surface."""

from math import sqrt

from pliant.collide.body import body_of
from pliant.collide.nearest import FARTHEST, nearest
from pliant.collide.touching import is_behind
from pliant.numerics.counting import borrowing


@borrowing
def signed_distances(surfaces, x, b, points, triangle, distance):
    """Write the nearest triangle (p,) of body b and the distance (p,) [m] of points (p, 3), negative inside."""
    body = body_of(surfaces, x, b)
    for k in range(len(points)):
        p = points[k, 0], points[k, 1], points[k, 2]
        t, best = nearest(body.x, body.triangles, body.nodes, body.boxes, body.stack, p[0], p[1], p[2], -1, FARTHEST)
        triangle[k] = t
        distance[k] = -sqrt(best) if is_behind(body, t, p) else sqrt(best)
