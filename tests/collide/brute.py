"""The slow truth: distances to all triangles at once, inside by solid angles, contacts by all points against all."""

import numpy as np


def nearest_points(p, corners):
    """Nearest point (t, 3) of every triangle (t, 3, 3) to p: its foot if that is inside, else the best of its edges."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    n = np.cross(b - a, c - a)
    height = np.einsum("ij,ij->i", p - a, n) / np.einsum("ij,ij->i", n, n)
    foot = p - height[:, None] * n
    sides = [np.einsum("ij,ij->i", np.cross(v - u, foot - u), n) for u, v in ((a, b), (b, c), (c, a))]
    candidates = [_on_segment(p, u, v) for u, v in ((a, b), (b, c), (c, a))]
    best, least = candidates[0], np.linalg.norm(candidates[0] - p, axis=1)
    for candidate in candidates[1:]:
        distance = np.linalg.norm(candidate - p, axis=1)
        best, least = np.where((distance < least)[:, None], candidate, best), np.minimum(least, distance)
    return np.where((np.min(sides, axis=0) >= 0)[:, None], foot, best)


def _on_segment(p, u, v):
    along = np.einsum("ij,ij->i", p - u, v - u) / np.einsum("ij,ij->i", v - u, v - u)
    return u + np.clip(along, 0, 1)[:, None] * (v - u)


def winding(p, corners):
    """How often the triangles go around p, by the solid angle of each (van Oosterom & Strackee 1983)."""
    a, b, c = (corners[:, k] - p for k in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
    dot = [np.einsum("ij,ij->i", u, v) for u, v in ((a, b), (b, c), (c, a))]
    volume = np.einsum("ij,ij->i", a, np.cross(b, c))
    return np.arctan2(volume, la * lb * lc + dot[0] * lc + dot[1] * la + dot[2] * lb).sum() / (2 * np.pi)


def signed_distance(p, corners):
    """Distance of p from closed triangles (t, 3, 3), negative inside."""
    distance = np.linalg.norm(nearest_points(p, corners) - p, axis=1).min()
    return -distance if winding(p, corners) > 0.5 else distance


def vertex_normals(x, triangles):
    """Angle-weighted unit normals (n, 3)."""
    normals = np.zeros_like(x)
    for corner in range(3):
        v, b, c = triangles[:, corner], triangles[:, (corner + 1) % 3], triangles[:, (corner + 2) % 3]
        u, w = x[b] - x[v], x[c] - x[v]
        n = np.cross(u, w)
        n /= np.linalg.norm(n, axis=1, keepdims=True)
        cosine = np.einsum("ij,ij->i", u, w) / np.linalg.norm(u, axis=1) / np.linalg.norm(w, axis=1)
        np.add.at(normals, v, np.arccos(np.clip(cosine, -1, 1))[:, None] * n)
    return normals / np.linalg.norm(normals, axis=1, keepdims=True)


def contact(p, m, corners, margin, reach):
    """Gap and normal (3,) of a point p, whose surface looks along m, with closed triangles; or None."""
    near = nearest_points(p, corners)
    distance = np.linalg.norm(near - p, axis=1)
    if winding(p, corners) < 0.5:
        best = distance.argmin()
        n = (p - near[best]) / distance[best]
        return (distance[best], n) if distance[best] < margin and n @ m < -0.1 else None
    if distance.min() > max(reach, margin):
        return None
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    distance = np.where(normals @ m < -0.1, distance, np.inf)
    best = distance.argmin()
    if distance[best] > max(reach, margin):
        return None
    way = (near[best] - p) / distance[best]
    n = way if way @ m < -0.1 else normals[best]
    return (p - near[best]) @ n, n
