"""Cuts at narrow places: of many plane sections the narrowest first, none touching another.

Cuts that share no vertex make parts whose graph is that of the shape: every interface is one connected two-sided
surface, so a circle of parts goes round a ring that is there.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from pliant.errors import Array, Ids
from pliant.mesh.flat_cuts import flat_cut
from pliant.mesh.mesh import Mesh
from pliant.mesh.sections import cut_faces, narrowest, narrowness, notes_of, section_area, slid, space_of

NARROW = 0.6  # a cut below this narrowness is worth making where nobody says how many
LEAST_VOLUME = 0.01  # of the whole: a smaller part is not worth having
LEAST_SHARE = 0.15  # of the mean part, where somebody says how many
LEAST_CELLS = 24
MOST_PARTS = 16
SEEDS, FEW_SEEDS, NEAR_SEEDS = 48, 16, 48
CANDIDATES, SLACK = 4, 1.5  # sections of a part that are looked at closely, and how far they may be behind the best
ROUGH = 1.5  # a section at first, over the same when it is flat
DIRECTIONS = 16
MANY_DIRECTIONS = 64  # through a single cell
MOST_FILLS = 40  # of a whole part, while sections are compared
TILTS = ((1.0, 0.3), (0.3, 0.1))  # how far round a section better ones are looked for, in its radius; and radians
BETTER = 0.97  # a cut moves where that makes it so much narrower
SWEEPS = 3
MOST_SWEPT = 24  # cuts; more of them stay where they were made
BAND = 3.0  # half the width in which a cut is made flat, over the distance of neighbouring cells


@dataclass(frozen=True, eq=False)
class Section:
    """Attributes:
    value: its narrowness.
    seed: a cell that it goes through the centroid of.
    centre: (3,) of its cut.
    normal: (3,).
    """

    value: float
    seed: int
    centre: Array
    normal: Array


@dataclass(frozen=True, eq=False)
class Cut:
    """Attributes:
    value: its narrowness in the part that it was made for.
    pairs: (k, 2) the cells above and below its faces.
    section: the plane that it was made from.
    factor: how much smaller it is than the section.
    """

    value: float
    pairs: Ids
    section: Section
    factor: float


class Cutter:
    """A mesh that is being cut."""

    def __init__(self, mesh: Mesh, least_volume: float):
        self.space, self.least = space_of(mesh), least_volume
        self.notes = notes_of(self.space)
        self.behind = self.space.neighbours.copy()
        linked = self.behind >= 0
        steps = mesh.centroids[np.nonzero(linked)[0]] - mesh.centroids[self.behind[linked]]
        self.spacing = float(np.linalg.norm(steps, axis=1).mean()) if linked.any() else 0.0
        self.cuts: list[Cut] = []

    def best(self, cells: Ids, bound: float, seeds: int = SEEDS) -> list[Cut]:
        """Cuts of a part below `bound` that leave enough on both sides, the narrowest first."""
        if len(cells) < 2 * LEAST_CELLS or self.volume(cells) < 2 * self.least:
            return []
        chosen = cells[_far_apart(self.space.centroids[cells], seeds)]
        cuts = []
        for found in self._apart(self._sections(cells, chosen, _half_sphere(DIRECTIONS), ROUGH * bound, SLACK)):
            for reach, tilt in TILTS:
                found = self._refined(cells, found, reach, tilt)
            cuts.append(self._flattened(cells, found))
        return sorted((cut for cut in cuts if cut.value < bound), key=lambda cut: cut.value)

    def through(self, cells: Ids, seed: int) -> Cut | None:
        """The narrowest cut of a part through a cell; None: none leaves enough on both sides."""
        found = self._sections(cells, np.array([seed]), _half_sphere(MANY_DIRECTIONS), np.inf, np.inf)
        if not found:
            return None
        return self._flattened(cells, self._refined(cells, found[0], *TILTS[1]))

    def severed(self, cells: Ids, cut: Cut) -> list[Ids]:
        """What a part falls into by a cut."""
        self.cuts.append(cut)
        self._sever(cut)
        return self.pieces(cells)

    def _apart(self, found: list[Section]) -> list[Section]:
        """A few of some sections, each away from those before it."""
        kept: list[Section] = []
        for other in found:
            if all(np.linalg.norm(other.centre - one.centre) > self._radius(one) for one in kept):
                kept.append(other)
        return kept[:CANDIDATES]

    def value(self, cells: Ids, cut: Cut) -> float:
        """The narrowness of a cut in a part."""
        return cut.factor * self._measured(cells, cut.section.seed, cut.section.normal)[0].value

    def made(self, cells: Ids, cut: Cut) -> bool:
        """Sever the faces of a cut in a part, unless that breaks off something small."""
        pieces = self.severed(cells, cut)
        if all(self.volume(piece) >= self.least and len(piece) >= LEAST_CELLS for piece in pieces):
            return True
        self.undo(cut)
        return False

    def undo(self, cut: Cut) -> None:
        """Heal its faces."""
        self.cuts.remove(cut)
        self.space.neighbours[:] = self.behind
        self.space.taken[:] = False
        for kept in self.cuts:
            self._sever(kept)

    def pieces(self, cells: Ids) -> list[Ids]:
        """What some cells, all of one part or a few, fall into."""
        place = np.full(len(self.space.cells), -1)
        place[cells] = np.arange(len(cells))
        others = self.space.neighbours[cells]
        rows = np.repeat(np.arange(len(cells)), others.shape[1])[others.ravel() >= 0]
        columns = place[others[others >= 0]]
        graph = csr_matrix((np.ones(len(rows), dtype=np.int8), (rows, columns)), (len(cells), len(cells)))
        piece = connected_components(graph, directed=False)[1]
        return np.split(cells[np.argsort(piece, kind="stable")], np.cumsum(np.bincount(piece))[:-1])

    def parts(self) -> list[Ids]:
        """The cells of all parts."""
        return self.pieces(np.arange(len(self.space.cells)))

    def volume(self, cells: Ids) -> float:
        return float(self.space.volumes[cells].sum())

    def _flat_area(self, pairs: Ids) -> float:
        """Of what a cut covers, seen along its mean normal."""
        return float(np.linalg.norm(self.space.areas[pairs[:, 0], self._faces(pairs)].sum(axis=0)))

    def _face_area(self, pairs: Ids) -> float:
        return float(np.linalg.norm(self.space.areas[pairs[:, 0], self._faces(pairs)], axis=1).sum())

    def _faces(self, pairs: Ids) -> Ids:
        """The number that the face to the second cell has in the first."""
        return np.argmax(self.behind[pairs[:, 0]] == pairs[:, 1:], axis=1)

    def _sever(self, cut: Cut) -> None:
        for pairs in (cut.pairs, cut.pairs[:, ::-1]):
            faces = self._faces(pairs)
            self.space.neighbours[pairs[:, 0], faces] = -1
            self.space.taken[self.space.faces[pairs[:, 0], faces]] = True

    def _sections(self, cells: Ids, seeds: Ids, directions: Array, bound: float, slack: float) -> list[Section]:
        """Through some cells, the narrowest first."""
        places, normals = np.zeros((len(seeds), 3)), np.zeros((len(seeds), 3))
        given = (self.volume(cells) / 2, self.spacing, self.least, MOST_FILLS * len(cells), bound, slack)
        values = narrowest(self.space, self.notes, seeds, directions, *given, places, normals)
        order = np.argsort(values)[: np.isfinite(values).sum()]
        return [Section(float(values[k]), int(seeds[k]), places[k], normals[k]) for k in order]

    def _refined(self, cells: Ids, found: Section, reach: float, tilt: float) -> Section:
        """A narrower one near by, or the same."""
        radius = self._radius(found)
        offsets = self.space.centroids[cells] - found.centre
        heights = offsets @ found.normal
        near = np.flatnonzero((np.linalg.norm(offsets, axis=1) < radius) & (np.abs(heights) < reach * radius))
        levels = np.linspace(0, max(0, len(near) - 1), min(len(near), NEAR_SEEDS)).astype(np.int64)
        seeds = np.append(cells[near[np.argsort(heights[near], kind="stable")[levels]]], found.seed)
        directions = _tilted(found.normal, tilt)
        volume = self._measured(cells, found.seed, found.normal)[1]
        given = (found.centre, found.normal, volume, self.least)
        i, j = slid(self.space, self.notes, seeds, directions, *given)
        better = found if i < 0 else self._measured(cells, int(seeds[i]), directions[j])[0]
        return better if better.value < found.value else found

    def _measured(self, cells: Ids, seed: int, normal: Array) -> tuple[Section, float]:
        centre, plane = np.zeros(3), (self.space.centroids[seed], normal)
        given = (self.volume(cells) / 2, self.spacing, self.least)
        value, volume = narrowness(self.space, self.notes, seed, *plane, *given, centre)
        return Section(value, seed, centre, normal), volume

    def _radius(self, found: Section) -> float:
        return max(float(np.sqrt(self._areas(found)[1])), 2 * self.spacing)

    def _areas(self, found: Section) -> tuple[float, float]:
        """Of a section as narrowness counts it, and of what it covers."""
        plane = (self.space.centroids[found.seed], found.normal)
        return section_area(self.space, self.notes, found.seed, *plane, np.inf, np.zeros(3))[:2]

    def _flattened(self, cells: Ids, found: Section) -> Cut:
        plane = (self.space.centroids[found.seed], found.normal)
        pairs = np.array(cut_faces(self.space, self.notes, found.seed, *plane), dtype=np.int64)
        flat = flat_cut(self.space, cells, pairs, *plane, BAND * self.spacing)
        pairs = min(flat, pairs, key=self._face_area)
        factor = self._flat_area(pairs) / self._areas(found)[0]
        return Cut(found.value * factor, pairs, found, factor)


def narrow_parts(mesh: Mesh, count: int | None) -> list[Ids]:
    """The cells of every part of a mesh in one piece; fewer than `count` parts where no further cut has room."""
    whole = float(mesh.volumes.sum())
    cutter = Cutter(mesh, LEAST_VOLUME * whole if count is None else LEAST_SHARE * whole / count)
    _cut_narrowest_first(cutter, MOST_PARTS if count is None else count, NARROW if count is None else np.inf)
    if len(cutter.cuts) <= MOST_SWEPT:
        _settle(cutter)
    return cutter.parts()


def _cut_narrowest_first(cutter: Cutter, count: int, bound: float) -> None:
    parts, waiting, fresh = 1, [], [np.arange(len(cutter.space.cells))]
    while parts < count:
        waiting += [(cut, cells) for cells in fresh for cut in cutter.best(cells, bound)]
        if not waiting:
            return
        cut, cells = min(waiting, key=lambda pair: pair[0].value)
        made = cutter.made(cells, cut)
        waiting = [(other, own) for other, own in waiting if other is not cut and not (made and own is cells)]
        fresh = cutter.pieces(cells) if made else []
        parts += max(0, len(fresh) - 1)


def _settle(cutter: Cutter) -> None:
    """Move every cut, the others held, to where it is narrowest; drop those that separate nothing."""
    seen: dict[int, list[int]] = {}
    for _ in range(SWEEPS):
        for cut in tuple(cutter.cuts):
            sides = [piece for piece in cutter.parts() if np.isin(cut.pairs, piece).any()]
            state = [int(cell) for side in sides for cell in (side[0], len(side))]
            if len(sides) == 1:
                cutter.undo(cut)
            elif len(sides) == 2 and seen.get(id(cut)) != state:
                seen[id(cut)] = state
                _move(cutter, cut, np.sort(np.concatenate(sides)))


def _move(cutter: Cutter, cut: Cut, cells: Ids) -> None:
    """Replace a cut between two parts by a narrower one, if there is one."""
    cutter.undo(cut)
    for better in cutter.best(cells, BETTER * cutter.value(cells, cut), FEW_SEEDS)[:1]:
        if cutter.made(cells, better):
            if len(cutter.pieces(cells)) == 2:
                return
            cutter.undo(better)
    cutter.made(cells, cut)


def _half_sphere(count: int) -> Array:
    """Directions (count, 3) spread evenly, none the opposite of another."""
    z = (np.arange(count) + 0.5) / count
    angle = np.pi * (1 + np.sqrt(5)) * np.arange(count)
    radius = np.sqrt(1 - z * z)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), z], axis=1)


def _tilted(normal: Array, angle: float) -> Array:
    """A direction and six around it."""
    a = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    a /= np.linalg.norm(a)
    b = np.cross(normal, a)
    turns = np.arange(6) * np.pi / 3
    around = np.cos(turns)[:, None] * a + np.sin(turns)[:, None] * b
    return np.concatenate([normal[None], np.cos(angle) * normal + np.sin(angle) * around])


def _far_apart(points: Array, count: int) -> Ids:
    """Ids of points each of which is farthest from those before it."""
    chosen = [int(np.argmax(((points - points.mean(axis=0)) ** 2).sum(axis=1)))]
    distance = np.full(len(points), np.inf)
    while len(chosen) < min(count, len(points)):
        np.minimum(distance, ((points - points[chosen[-1]]) ** 2).sum(axis=1), out=distance)
        chosen.append(int(np.argmax(distance)))
    return np.array(chosen)
