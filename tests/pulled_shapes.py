"""The shapes of bodies that are pulled at: how far they are from rest, their edges and cells, how they spin.

A body is a system, one of several that do not touch, or one of a world. A character is seen by its skin as well, which
its bones move together: its edges, and all that it holds.
"""

from dataclasses import dataclass

import numpy as np

import pliant as pl
from pliant.errors import Array
from pliant.systems import System
from pliant.systems.world.body import Body as WorldBody
from pliant.systems.world.bones.placed import Placed


@dataclass(frozen=True)
class Whole:
    """A system that is one body."""

    system: System

    def __post_init__(self):
        for name in ("vertices", "velocities", "launch"):
            object.__setattr__(self, name, getattr(self.system, name))
        object.__setattr__(self, "rest", self.vertices)

    mesh = property(lambda self: self.system.mesh)
    triangles = property(lambda self: self.system.triangles)
    bare = property(lambda self: self.system.worn is None)
    free = property(lambda self: self.system.free)
    omega = property(lambda self: self.system._bearing.omega)
    damping = property(lambda self: self.system.damping)


@dataclass(frozen=True)
class InWorld:
    """A body of a world, which shows its mesh. It may come to lie in many ways, so its rest is without any load."""

    body: WorldBody
    bare = True

    def __post_init__(self):
        object.__setattr__(self, "mesh", self.body.model.mesh)
        object.__setattr__(self, "triangles", self.mesh.surface)

    def rest(self, _: str = "mesh") -> Array:
        return self.body.model.X @ self.body.rotation.T + self.body.position

    def vertices(self, _: str = "mesh") -> Array:
        return self.body.vertices()

    def velocities(self, _: str = "mesh") -> Array:
        world, first = self.body.world, self.body._in_world([0])[0]
        return world.velocities("mesh")[first : first + self.mesh.vertex_count]

    def launch(self, spin: Array) -> None:
        """Alone; what is joined keeps the spin of the whole."""
        if self.joined == 1:
            self.body.spin = spin

    @property
    def joined(self) -> int:
        """How many bodies hang together with it."""
        group, links = {self.body}, [set(joint.bodies) - {None} for joint in self.body.world.joints]
        while more := set().union(*(each for each in links if each & group)) - group:
            group |= more
        return len(group)

    @property
    def omega(self) -> float:
        """That of the whole it is joined to: a bar n times as long bends n^2 times as slowly."""
        return 2 * np.pi / self.body.world._period(self.body.model) / self.joined**2

    free = property(lambda self: self.body.kind == "free")
    damping = property(lambda self: self.body.damping)


class HostedByWorld(InWorld):
    """A system of its own kind that is a body of a world."""

    def launch(self, spin: Array) -> None:
        self.body.system.launch(spin=self.body.rotation.T @ spin)

    free = property(lambda self: self.body.system.free)
    damping = property(lambda self: self.body.system.damping)


Body = Whole | InWorld


def bodies_of(system: System) -> tuple[Body, ...]:
    """Those that can change their shape; all that fly where none can."""
    if isinstance(system, pl.World):
        soft = [body for body in system.bodies if body.kind in ("free", "held") and len(body.q)]
        hosted = [body for body in system.bodies if body.kind == "system"]
        rigid = [] if soft or hosted else [body for body in system.bodies if body.kind == "free"]
        return (*map(InWorld, (*soft, *rigid)), *map(HostedByWorld, hosted))
    return tuple(map(Whole, getattr(system, "systems", (system,))))


class Skin:
    """What a person sees of a character: a surface that its bones blend, against that of its mesh."""

    def __init__(self, placed: Placed):
        self._vertices, mesh = placed.vertices, placed.character.solid.mesh
        self._triangles = mesh.surface
        self._ends = _edges(self._triangles)
        self._lengths = _lengths(mesh.vertices, self._ends)
        self._held = _enclosed(mesh.vertices, self._triangles)

    def strained(self) -> tuple[float, float]:
        """The volume that it holds and its longest edge, over those at rest."""
        x = self._vertices()
        return _enclosed(x, self._triangles) / self._held, float((_lengths(x, self._ends) / self._lengths).max())


class Shape:
    """Bodies at rest: where their vertices are, the lengths of edges, and the volumes of tetrahedra."""

    def __init__(self, system: System):
        self._bodies = bodies_of(system)
        self._rest = [each.rest() for each in self._bodies]
        self._places = [each.rest("mesh") for each in self._bodies]
        self._ends = [_edges(each.triangles) for each in self._bodies]
        self._lengths = [_lengths(x, ends) for x, ends in zip(self._rest, self._ends)]
        self._cells = [each.mesh.cells[:, :4] if each.mesh.kind.startswith("tet") else None for each in self._bodies]
        self._volumes = [None if cells is None else _volumes(x, cells) for x, cells in zip(self._places, self._cells)]
        extents = [_extent(x) for x in self._rest]
        together = isinstance(system, pl.World)
        self._skins = [Skin(placed) for placed in system.characters] if together else []
        self.sizes = extents if together else [_extent(system.vertices())] * len(extents)

    def left(self) -> float:
        """How far the farthest vertex is from rest, over the size of its body."""
        return max(self._each_left([each.vertices() for each in self._bodies]), default=0.0)

    def strained(self) -> tuple[float, float, float]:
        """The least and the largest volume of a cell or of a skin, and the longest edge, over those at rest."""
        edges, low, high = 1.0, 1.0, 1.0
        for skin in self._skins:
            volume, longest = skin.strained()
            edges, low, high = max(edges, longest), min(low, volume), max(high, volume)
        for k, each in enumerate(self._bodies):
            x = each.vertices()
            edges = max(edges, float((_lengths(x, self._ends[k]) / self._lengths[k]).max()))
            if self._cells[k] is not None:
                share = _volumes(x if each.bare else each.vertices("mesh"), self._cells[k]) / self._volumes[k]
                low, high = min(low, float(share.min())), max(high, float(share.max()))
        return low, high, edges

    def spins(self) -> Array:
        """(b, 3) those that give the bodies at rest the angular momentum they have now, I w = R^T L, as they were."""
        pairs = zip(self._bodies, self._places, strict=True)
        return np.array([_spin(each, rest) if each.free else np.zeros(3) for each, rest in pairs]).reshape(-1, 3)

    def _each_left(self, now: list[Array]) -> list[float]:
        found = zip(self._bodies, self._rest, now, self.sizes, strict=True)
        return [_distance(rest, x, each.free) / size for each, rest, x, size in found]


def _extent(x: Array) -> float:
    return float(np.ptp(x, axis=0).max())


def _edges(triangles: Array) -> Array:
    pairs = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    return np.unique(np.sort(pairs, axis=1), axis=0)


def _lengths(x: Array, ends: Array) -> Array:
    return np.linalg.norm(x[ends[:, 0]] - x[ends[:, 1]], axis=1)


def _volumes(x: Array, cells: Array) -> Array:
    a, b, c, d = (x[cells[:, k]] for k in range(4))
    return np.einsum("ci,ci->c", np.cross(b - a, c - a), d - a) / 6


def _enclosed(x: Array, triangles: Array) -> float:
    """The volume within a closed surface, sum a . (b x c) / 6."""
    a, b, c = (x[triangles[:, k]] for k in range(3))
    return float(np.sum(a * np.cross(b, c))) / 6


def _spin(body: Body, rest: Array) -> Array:
    """As if of one density."""
    cells = body.mesh.cells
    masses = np.bincount(cells.ravel(), np.repeat(body.mesh.volumes, cells.shape[1]), len(rest))
    x, v = (_about(masses, given) for given in (body.vertices("mesh"), body.velocities("mesh")))
    rest = _about(masses, rest)
    inertia = masses @ np.sum(rest**2, axis=1) * np.eye(3) - (masses * rest.T) @ rest
    return np.linalg.solve(inertia, _rotation(rest, x).T @ (masses @ np.cross(x, v)))


def _about(masses: Array, given: Array) -> Array:
    return given - masses @ given / masses.sum()


def _rotation(a: Array, b: Array) -> Array:
    """(3, 3) the R for which R a is nearest to b, both (n, 3) about their means."""
    U, _, Vt = np.linalg.svd(a.T @ b)
    return Vt.T @ np.diag([1, 1, np.sign(np.linalg.det(Vt.T @ U.T))]) @ U.T


def _distance(rest: Array, now: Array, free: bool) -> float:
    """The largest way of a vertex [m]; of what flies, from where it best fits."""
    if free:
        a, b = rest - rest.mean(axis=0), now - now.mean(axis=0)
        rest, now = a @ _rotation(a, b).T, b
    return float(np.linalg.norm(now - rest, axis=1).max())
