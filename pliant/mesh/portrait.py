"""A small still picture of a surface, as SVG: flat shading from the front left, far triangles first."""

import numpy as np

from pliant.errors import Array, Ids
from pliant.mesh.clustering import clustered

WIDTH, HEIGHT, MARGIN = 300, 200, 8  # pixels
MOST = 3000  # triangles; larger surfaces are drawn coarser
COARSE = 36  # cubes along the longest side of those
PLAIN = np.array([0.38, 0.65, 0.80])  # as the player draws
AMBIENT = 0.45
TURN, TILT = np.radians([-35.0, 20.0])


def portrait(x: Array, triangles: Ids, colours: Array | None = None) -> str:
    """The SVG element of triangles (t, 3) at vertices x (n, 3); colours (t, 3) from 0 to 1."""
    if len(triangles) > MOST:
        x, triangles = clustered(x, triangles, float(np.ptp(x, axis=0).max()) / COARSE)
        colours = None
    seen = x @ _camera().T
    corners = seen[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    facing = np.flatnonzero(normals[:, 2] > 0)
    front = facing[np.argsort(corners[facing, :, 2].mean(axis=1))]
    light = normals[front] @ np.array([-0.4, 0.6, 0.7]) / np.linalg.norm(normals[front], axis=1)
    shade = AMBIENT + (1 - AMBIENT) * np.clip(light, 0, 1)
    paint = PLAIN if colours is None else colours[front]
    return _svg(_on_paper(seen)[triangles[front]], (255 * np.clip(shade[:, None] * paint, 0, 1)).astype(int))


def _camera() -> Array:
    """World axes to right, up and towards the eye (3, 3)."""
    c, s = np.cos(TURN), np.sin(TURN)
    a, b = np.cos(TILT), np.sin(TILT)
    return np.array([[1, 0, 0], [0, a, -b], [0, b, a]]) @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def _on_paper(seen: Array) -> Array:
    """Pixels (n, 2), all of it in the middle."""
    low, high = seen[:, :2].min(axis=0), seen[:, :2].max(axis=0)
    room = np.array([WIDTH, HEIGHT]) - 2.0 * MARGIN
    scale = float((room / np.maximum(high - low, 1e-12 + 1e-9 * (high - low).max())).min())
    return np.array([WIDTH, HEIGHT]) / 2 + (seen[:, :2] - (low + high) / 2) * scale * [1, -1]


def _svg(corners: Array, colours: Ids) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">'
    rows = []
    for (a, b, c, d, e, f), rgb in zip(corners.reshape(-1, 6), colours):
        paint = "#{:02x}{:02x}{:02x}".format(*rgb)
        # Drawn round as well, or the ground shines through between neighbours.
        rows.append(f'<path d="M{a:.1f} {b:.1f}L{c:.1f} {d:.1f}L{e:.1f} {f:.1f}Z" fill="{paint}" stroke="{paint}"/>')
    return head + "".join(rows) + "</svg>"
