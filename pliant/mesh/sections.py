"""Plane sections of a mesh that follow the faces of its cells: how large they are, and what lies on both sides.

    section(x, n):  the cells that the plane through x with normal n meets, connected to the cell of x through faces
    cut:            the faces between a section's cells and others whose centroids lie on the other side
    narrowness:     area / volume^(2/3) / widening^0.6, volume that of the smaller side; the smaller, the narrower
    widening:       from 1 (a limb goes straight on at both sides) to 1.9 (it ends in something wide)

Without widening half a ball has 1.92, half a cube 1.59, a limb twice as long as it is thick 0.92, six times 0.44. Where
a cut opens a ring and separates nothing, half of the ring counts: area times half the way round.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from pliant.errors import Array, Ids
from pliant.mesh.cell_kinds import KINDS
from pliant.mesh.mesh import Mesh
from pliant.mesh.topology import cell_faces, shared_faces
from pliant.numerics.inner import inner

NEARBY = 1.6  # radii of a section within which a shape widens or does not
STRAIGHT = 4.5  # what a straight round limb has there at one side, over the cube of its radius
WIDEST, WIDENING = 1.9, 0.6  # half a ball has so much more; the power by which widening counts
ROUGHNESS = 0.25  # how much of the area by which steps exceed a plane counts
TIE = 1e-9  # of the size of a mesh
DETOUR = 0.65  # a way through the faces of cells is so much shorter than the sum of its steps


class Space(NamedTuple):
    """The cells of a mesh as flood fills see them.

    Attributes:
        vertices: (n, 3).
        cells: (m, c) their vertices.
        centroids: (m, 3).
        volumes: (m,).
        faces: (m, f, 3|4) the vertices of every face.
        neighbours: (m, f) the cell behind every face; -1 behind the surface and behind what has been cut.
        areas: (m, f, 3) outward area vectors.
        taken: (n,) vertices of cuts; another cut keeps away from them.
        tie: a centroid so little below a plane counts as above it: those of a grid lie in rows.
    """

    vertices: Array
    cells: Ids
    centroids: Array
    volumes: Array
    faces: Ids
    neighbours: Ids
    areas: Array
    taken: np.ndarray
    tie: float


class Notes(NamedTuple):
    """What flood fills write down; a mark counts where it equals the number of the fill.

    Attributes:
        section: (m,) cells of the section.
        side: (m,) cells above it, and with the opposite sign those below.
        steps: (m,) from the section.
        queue, high, low: (m,) cells in the order in which they were reached.
        stamp: (2,) the number of the fill, and the cells that fills have reached.
    """

    section: Ids
    side: Ids
    steps: Ids
    queue: Ids
    high: Ids
    low: Ids
    stamp: Ids


def space_of(mesh: Mesh) -> Space:
    """Nothing is cut yet."""
    count, kind = mesh.cell_count, KINDS[mesh.cells.shape[1]]
    faces = cell_faces(mesh.cells)
    first, second = shared_faces(mesh.cells)
    neighbours = np.full(len(faces), -1)
    per_cell = len(kind.faces)
    neighbours[first], neighbours[second] = second // per_cell, first // per_cell
    sides = 3 if faces.shape[1] % 3 == 0 else 4
    corners = mesh.vertices[faces[:, :sides]]
    rays = corners[:, 1:] - corners[:, :1]
    areas = 0.5 * np.cross(rays[:, :-1], rays[:, 1:]).sum(axis=1)
    return Space(
        mesh.vertices.copy(),
        mesh.cells.astype(np.int64),
        mesh.centroids.copy(),
        mesh.volumes.copy(),
        faces.reshape(count, per_cell, -1).astype(np.int64),
        neighbours.reshape(count, per_cell),
        areas.reshape(count, per_cell, 3),
        np.zeros(mesh.vertex_count, dtype=np.bool_),
        TIE * float(np.ptp(mesh.bounds, axis=0).max()),
    )


def notes_of(space: Space) -> Notes:
    """Empty notes."""
    sizes = [len(space.cells)] * 6 + [2]
    return Notes(*(np.zeros(size, dtype=np.int64) for size in sizes))


@inner
def is_above(space, cell, x, n):
    """On which side of the plane is its centroid?"""
    height = 0.0
    for i in range(3):
        height += (space.centroids[cell, i] - x[i]) * n[i]
    return height >= -space.tie


@njit(cache=True)
def meets(space, cell, x, n):
    """Does the plane meet the cell?"""
    above = below = False
    for corner in space.cells[cell]:
        height = 0.0
        for i in range(3):
            height += (space.vertices[corner, i] - x[i]) * n[i]
        above |= height >= 0.0
        below |= height < 0.0
    return above and below


@njit(cache=True)
def section(space, notes, seed, x, n, most, centre):
    """Mark the section through a cell; the area of its cut, the area it covers, cells above and below the cut.

    Returns area -1 where the cut meets vertices that are taken, or has an area above `most`.
    """
    notes.stamp[0] += 1
    stamp = notes.stamp[0]
    vector = np.zeros(3)
    area, above, below = 0.0, 0, 0
    centre[:] = 0.0
    notes.queue[0], end, k = seed, 1, 0
    notes.section[seed] = stamp
    while k < end:
        cell = notes.queue[k]
        k += 1
        high = is_above(space, cell, x, n)
        for f in range(space.neighbours.shape[1]):
            other = space.neighbours[cell, f]
            if other < 0:
                continue
            inside = notes.section[other] == stamp
            if not inside and meets(space, other, x, n):
                inside, notes.section[other] = True, stamp
                notes.queue[end] = other
                end += 1
            if is_above(space, other, x, n) == high or (inside and not high):
                continue  # a face between two cells of the section counts once, from above
            size = 0.0
            for i in range(3):
                size += space.areas[cell, f, i] ** 2
                vector[i] += space.areas[cell, f, i] if high else -space.areas[cell, f, i]
            size = np.sqrt(size)
            area += size
            if area > most:
                return -1.0, 0.0, 0, 0
            for corner in space.faces[cell, f]:
                if space.taken[corner]:
                    return -1.0, 0.0, 0, 0
                for i in range(3):
                    centre[i] += size * space.vertices[corner, i]
            up, down = (cell, other) if high else (other, cell)
            if notes.side[up] != stamp:
                notes.side[up] = stamp
                notes.high[above], above = up, above + 1
            if notes.side[down] != -stamp:
                notes.side[down] = -stamp
                notes.low[below], below = down, below + 1
    if area > 0.0:
        centre /= area * space.faces.shape[2]
    return area, np.sqrt(vector[0] ** 2 + vector[1] ** 2 + vector[2] ** 2), above, below


@inner
def smaller_side(space, notes, x, n, above, below, centre, reach, near):
    """Volume of the smaller side of the section that was marked last, negative if below; and the steps round a ring.

    Both sides are filled in turn until one is full (its volume; steps 0), or they meet: then nothing is separated.
    What lies within `reach` of `centre` above and below the section is added up in `near`.
    """
    up, end = _begun(space, notes, notes.high, above, centre, reach, near, 0), above
    down, last = _begun(space, notes, notes.low, below, centre, reach, near, 1), below
    for k in range(len(notes.queue)):
        if k == end:
            return up, 0
        if k == last:
            return -down, 0
        notes.stamp[1] += 2
        steps, end, up = _spread(space, notes, notes.high, k, end, 1, up, x, n, centre, reach, near)
        if steps == 0:
            steps, last, down = _spread(space, notes, notes.low, k, last, -1, down, x, n, centre, reach, near)
        if steps > 0:
            return up, steps
    return up, 0


@njit(cache=True)
def _begun(space, notes, front, count, centre, reach, near, side):
    volume = 0.0
    for k in range(count):
        notes.steps[front[k]] = 0
        volume += space.volumes[front[k]]
        near[side] += _volume_near(space, front[k], centre, reach)
    return volume


@njit(cache=True)
def _spread(space, notes, front, k, end, sign, volume, x, n, centre, reach, near):
    """Add the neighbours of the k-th cell of a side; steps round a ring where one of them is of the other side."""
    cell, mark = front[k], sign * notes.stamp[0]
    for other in space.neighbours[cell]:
        if other < 0 or notes.side[other] == mark or _barred(space, notes, cell, other, x, n):
            continue
        if notes.side[other] == -mark:
            return notes.steps[cell] + notes.steps[other] + 1, end, volume
        notes.side[other], notes.steps[other] = mark, notes.steps[cell] + 1
        front[end] = other
        end += 1
        volume += space.volumes[other]
        near[(1 - sign) // 2] += _volume_near(space, other, centre, reach)
    return 0, end, volume


@inner
def _volume_near(space, cell, centre, reach):
    square = 0.0
    for i in range(3):
        square += (space.centroids[cell, i] - centre[i]) ** 2
    return space.volumes[cell] if square < reach * reach else 0.0


@inner
def _barred(space, notes, cell, other, x, n):
    """Is the face between two cells one of the cut?"""
    near = notes.section[cell] == notes.stamp[0] or notes.section[other] == notes.stamp[0]
    return near and is_above(space, cell, x, n) != is_above(space, other, x, n)


@njit(cache=True)
def section_area(space, notes, seed, x, n, most, centre):
    """Of the section through a cell, where steps count a little; inf above `most`."""
    face_area, flat_area, above, below = section(space, notes, seed, x, n, most / ROUGHNESS, centre)
    if face_area <= 0.0:
        return np.inf, 0.0, 0, 0
    return flat_area + ROUGHNESS * (face_area - flat_area), flat_area, above, below


@njit(cache=True)
def narrowness(space, notes, seed, x, n, half, spacing, least, centre):
    """Of the section through a cell, inf if of no use; and the volume of its smaller side, negative if below."""
    area, flat_area, above, below = section_area(space, notes, seed, x, n, np.inf, centre)
    if not np.isfinite(area):
        return np.inf, 0.0
    radius, near = np.sqrt(flat_area / np.pi), np.zeros(2)
    volume, steps = smaller_side(space, notes, x, n, above, below, centre, NEARBY * radius, near)
    if steps > 0:
        volume = min(half, 0.5 * flat_area * DETOUR * spacing * steps)
    elif abs(volume) < least:
        return np.inf, 0.0
    widening = max(near[0], near[1]) / (STRAIGHT * radius**3)
    return area / abs(volume) ** (2 / 3) / min(max(widening, 1.0), WIDEST) ** WIDENING, volume


@njit(cache=True)
def narrowest(space, notes, seeds, directions, half, spacing, least, most, bound, slack, places, normals):
    """For every seed the narrowest section through it: values, and where they are in `places` and `normals`.

    inf where none is below `bound`, or below `slack` times the best of all, or found before `most` cells were filled.
    """
    notes.stamp[1] = 0
    values, centre, scale = np.full(len(seeds), np.inf), np.zeros(3), half ** (2 / 3) * WIDEST**WIDENING
    areas = np.empty(len(seeds) * len(directions))
    for k in range(len(areas)):
        seed, direction = seeds[k // len(directions)], directions[k % len(directions)]
        areas[k] = section_area(space, notes, seed, space.centroids[seed], direction, bound * scale, centre)[0]
    for k in np.argsort(areas):
        i, direction = k // len(directions), directions[k % len(directions)]
        if areas[k] >= bound * scale or notes.stamp[1] > most:
            break
        if areas[k] >= values[i] * scale:
            continue
        value, _ = narrowness(
            space, notes, seeds[i], space.centroids[seeds[i]], direction, half, spacing, least, centre
        )
        if value < min(bound, values[i]):
            values[i] = value
            places[i], normals[i] = centre, direction
            bound = min(bound, slack * value)
    return values


@njit(cache=True)
def slid(space, notes, seeds, directions, place, normal, volume, least):
    """The seed and the direction of the narrowest section near one at `place` with so much volume on its smaller side.

    What a section passes over as it slides is added to that volume or taken from it.
    """
    centre, best, found = np.zeros(3), np.inf, (-1, -1)
    for i, seed in enumerate(seeds):
        height = 0.0
        for k in range(3):
            height += (space.centroids[seed, k] - place[k]) * normal[k]
        for j, direction in enumerate(directions):
            area, flat_area, _, _ = section_area(space, notes, seed, space.centroids[seed], direction, np.inf, centre)
            rest = abs(volume) - np.sign(volume) * height * flat_area
            if np.isfinite(area) and rest > least and area / rest ** (2 / 3) < best:
                best, found = area / rest ** (2 / 3), (i, j)
    return found


@njit(cache=True)
def cut_faces(space, notes, seed, x, n):
    """Pairs of cells on both sides of the cut of the section through a cell, above first."""
    centre = np.zeros(3)
    section(space, notes, seed, x, n, np.inf, centre)
    stamp = notes.stamp[0]
    pairs = []
    for cell in range(len(space.cells)):
        if notes.section[cell] != stamp:
            continue
        high = is_above(space, cell, x, n)
        for other in space.neighbours[cell]:
            if other < 0 or is_above(space, other, x, n) == high:
                continue
            if notes.section[other] == stamp and not high:
                continue
            pairs.append((cell, other) if high else (other, cell))
    return pairs
