"""An oak, 5.5 m high, of instanced pieces: 41 branches of five kinds, and 1,394 leaves of one; it stands on y = 0."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pliant.errors import Array
from pliant.mesh import Mesh
from pliant.mesh.stuffing import solid_of_tets
from pliant.reduced.interface import patch_centroid
from pliant.scenes.assembly import Assembly, Piece, Placement
from pliant.scenes.models.wood import Slot, Wood, wood

BRANCH_SIZE, LEAF_SIZE = 20, 8
LEAVES_ON_TWIG, LEAVES_ON_BRANCH = 47, 30  # 22 twigs and 12 branches: 1394 leaves
BOUGHS = 5
GOLDEN = np.pi * (3 - np.sqrt(5))
UP = np.array([0.0, 1.0, 0.0])
HEART = np.array([0.0, 3.0, 0.0])  # of the crown: branches and leaves grow away from it
LEAN = np.array([0.05, 0.0, 0.03])  # of the crown
LEAF_LENGTH = 0.42
# How deep a piece is sunk into its parent, in its own length: the rim of its base must not stand out of the curved
# side, and instances of one piece share their frame, so that they are stepped together.
SUNK = {"crown": 0.0825, "bough": 0.095, "branch": 0.039, "twig": 0.018, "leaf": 0.01}
MIDDLE, RADII, LOWEST = np.array([0.0, 3.6, 0.0]), np.array([2.5, 1.7, 2.5]), 2.3  # [m], of the crown
REACH = {"branch": 1.1, "twig": 0.75}  # [m]
SIDE_PLACES, SIDE_TURNS = (0.29, 0.635), np.arange(4) * np.pi / 2
# Place along the wood, corner of its section, length [m].
BRANCH_SHOOTS = ((0.38, 0, 0.55), (0.55, 4, 0.6), (0.72, 1, 0.45), (0.87, 5, 0.4))
TWIG_SHOOTS = ((0.28, 4, 0.48), (0.46, 0, 0.46), (0.63, 5, 0.4), (0.8, 1, 0.32))
COMPASS = np.array([(0, 0, 0), (1, 0, 0), (-1, 0, 0), (0, 0, 1), (0, 0, -1)])
LEAF_YOUNG, LEAF_DENSITY = 2e7, 500.0


def oak(seed: int = 5) -> Assembly:
    """The tree; another seed turns and scales its leaves a little differently."""
    woods = _woods()
    leaf = leaf_mesh()
    pieces = {name: Piece(each.mesh, each.base, BRANCH_SIZE) for name, each in woods.items()}
    pieces["leaf"] = Piece(leaf, np.arange(4), LEAF_SIZE, LEAF_YOUNG, LEAF_DENSITY)
    growth = _Growth(woods, np.random.default_rng(seed))
    growth.branches()
    growth.leaves()
    return Assembly(pieces, growth.placements)


def leaf_mesh() -> Mesh:
    """A lobed leaf of length 1 along y, upper side +z: wedges that are thick at the midrib and sharp at the edge."""
    y = np.array([0.0, 0.14, 0.25, 0.34, 0.41, 0.51, 0.61, 0.68, 0.79, 0.91, 1.0])
    half = np.array([0.016, 0.014, 0.12, 0.14, 0.075, 0.225, 0.235, 0.12, 0.25, 0.20, 0.03])
    thick = np.array([0.014, 0.016, 0.020, 0.022, 0.022, 0.021, 0.019, 0.016, 0.013, 0.010, 0.006])
    forward = 0.2 * half * (y > 0)  # lobes point to the tip
    height = 0.16 * np.sin(np.pi * y * 0.9) - 0.15 * y**2
    raised = height + 0.35 * half  # the halves fold up along the midrib
    zero = np.zeros(len(y))
    rows = [
        (zero, y, height - thick),
        (zero, y, height + thick),
        (-half, y + forward, raised),
        (half, y + forward, raised),
    ]
    vertices = np.stack([np.stack(row, axis=1) for row in rows], axis=1).reshape(-1, 3)
    below = 4 * np.arange(len(y) - 1)[:, None]
    wedges = [below + np.array([0, 1, edge, 4, 5, 4 + edge]) for edge in (2, 3)]
    cells = np.concatenate([wedge[:, tet] for wedge in wedges for tet in ([0, 1, 2, 5], [0, 1, 4, 5], [0, 3, 4, 5])])
    return solid_of_tets(vertices, cells)


def _woods() -> dict[str, Wood]:
    trunk = np.array(
        [(0, 0, 0), (0.01, 0.2, 0), (0.04, 0.6, 0.01), (0.02, 1.15, 0.05), (-0.03, 1.65, 0.03), (0.0, 2.1, 0)]
    )
    crown = np.array([(0, 0, 0), (0.04, 0.42, -0.03), (-0.05, 0.85, 0.06), (0.06, 1.25, 0.0)])
    bough = np.array([(0, 0, 0), (0, 0.28, 0.0), (0.05, 0.75, 0.06), (-0.03, 1.25, 0.22), (0.05, 1.65, 0.46)])
    branch = np.array([(0, 0, 0), (0.02, 0.35, 0.02), (-0.04, 0.75, 0.10), (0.04, 1.12, 0.26)])
    twig = np.array([(0, 0, 0), (0.02, 0.25, 0.02), (-0.02, 0.5, 0.08), (0.02, 0.78, 0.2)])
    return {
        "trunk": wood(trunk, np.array([0.46, 0.335, 0.255, 0.21, 0.19, 0.165]), 3, 13),
        "crown": wood(crown, np.array([0.16, 0.125, 0.095, 0.06]), 3, 13),
        "bough": wood(bough, np.array([0.165, 0.118, 0.095, 0.075, 0.06]), 3, 13),
        "branch": wood(branch, np.array([0.064, 0.05, 0.04, 0.03]), 2, 8, BRANCH_SHOOTS),
        "twig": wood(twig, np.array([0.036, 0.03, 0.025, 0.018]), 2, 8, TWIG_SHOOTS),
    }


@dataclass(frozen=True, eq=False)
class _Bud:
    """Something to be placed: piece, parent's number, slot on it, direction in the world, scale."""

    piece: str
    parent: int
    slot: Slot
    direction: Array
    scale: float


class _Growth:
    """Placements from the ground up; all instances of a piece carry their children at the same slots."""

    def __init__(self, woods: dict[str, Wood], chance: np.random.Generator):
        self.woods, self.chance = woods, chance
        self.placements: list[Placement] = [Placement("trunk")]
        self.places: list[Array] = [np.zeros(3)]
        self.tips: list[Array] = [HEART]
        self.ends = {name: each.tip() for name, each in woods.items()}
        self.sides = {name: [each.slot(0, place, turn) for place in SIDE_PLACES for turn in SIDE_TURNS]
                      for name, each in woods.items()}  # fmt: skip

    def branches(self) -> None:
        """Trunk, then its crown and boughs, then their branches, then the twigs."""
        trunk = self.woods["trunk"]
        first = [self._add(_Bud("crown", 0, self.ends["trunk"], UP + LEAN, 1.0))]
        for k in range(BOUGHS):
            slot = trunk.slot(0, 0.72 + 0.055 * k, 0.4 + k * 4 * np.pi / BOUGHS)
            rise = 0.35 + 0.12 * k
            first.append(self._add(_Bud("bough", 0, slot, slot.outward + rise * UP, 1.1 - 0.06 * k)))
        second = [number for parent in first for number in self._pair("branch", parent, 1.0)]
        for rank, parent in enumerate(second):
            self._pair("twig", parent, 1.05, both=rank not in (1, 4))

    def _pair(self, piece: str, parent: int, scale: float, both: bool = True) -> list[int]:
        """One child that continues the parent's tip, and one from its side, both towards open space."""
        carrier, R = self.placements[parent].piece, self.placements[parent].rotation
        tip = self.ends[carrier]
        ahead = R @ tip.along + 0.2 * self._away(parent)
        ways = [_Bud(piece, parent, tip, ahead + 0.5 * R @ swing, scale) for swing in COMPASS]
        numbers = [self._add(max(ways, key=self._room))]
        if both:
            ways = [_Bud(piece, parent, slot, R @ (slot.outward + lean * slot.along), 0.92 * scale)
                    for slot in self.sides[carrier] for lean in (0.3, 0.9)]  # fmt: skip
            numbers.append(self._add(max(ways, key=self._room)))
        return numbers

    def _room(self, bud: _Bud) -> float:
        """How far the tip of a bud would be from all others [m], less what it would stand out of the crown."""
        tip = self._place(bud) + bud.scale * REACH[bud.piece] * bud.direction / np.linalg.norm(bud.direction)
        outside = np.linalg.norm((tip - MIDDLE) / RADII) - 1
        excess = max(0.0, float(outside)) + max(0.0, LOWEST - float(tip[1]))
        return float(np.linalg.norm(np.array(self.tips) - tip, axis=1).min()) - 2 * excess

    def leaves(self) -> None:
        """Around the shoots of all branches and twigs, by the golden angle."""
        slots = {name: list(self._leaf_slots(name, count)) for name, count in
                 (("branch", LEAVES_ON_BRANCH), ("twig", LEAVES_ON_TWIG))}  # fmt: skip
        carriers = [(number, placed) for number, placed in enumerate(self.placements) if placed.piece in slots]
        for number, placed in carriers:
            for slot in slots[placed.piece]:
                spread = 0.35 * self.chance.standard_normal(3)
                direction = (
                    placed.rotation @ (slot.outward + 0.55 * slot.along) + 0.3 * self._away(number) + 0.25 * UP + spread
                )
                scale = LEAF_LENGTH * self.chance.uniform(0.8, 1.15)
                self._add(_Bud("leaf", number, slot, direction, scale))

    def _leaf_slots(self, name: str, count: int) -> Iterator[Slot]:
        axes = self.woods[name].axes
        lengths = np.array([(0.5 if k == 0 else 0.8) * axis.length for k, axis in enumerate(axes)])
        ends = np.cumsum(lengths)
        for k in range(count):
            spot = (k + 0.5) / count * ends[-1]
            axis = int(np.searchsorted(ends, spot))
            part = 1 - (ends[axis] - spot) / lengths[axis]
            place = 0.5 + 0.49 * part if axis == 0 else 0.2 + 0.79 * part
            yield self.woods[name].slot(axis, place, k * GOLDEN, 3.0)

    def _away(self, number: int) -> Array:
        """The unit vector from the heart of the crown to an instance."""
        away = self.places[number] - HEART
        return away / max(float(np.linalg.norm(away)), 1e-9)

    def _place(self, bud: _Bud) -> Array:
        """Where its slot is in the world."""
        parent = self.placements[bud.parent]
        middle = patch_centroid(self.woods[parent.piece].mesh.vertices, bud.slot.triangles)
        return self.places[bud.parent] + parent.scale * parent.rotation @ (middle - parent.origin)

    def _add(self, bud: _Bud) -> int:
        above = UP + (0.4 * self._away(bud.parent) if bud.piece == "leaf" else 0)
        origin, rotation = np.array([0.0, SUNK[bud.piece], 0.0]), _facing(bud.direction, above)
        self.placements.append(Placement(bud.piece, bud.parent, bud.slot.triangles, rotation, bud.scale, origin))
        self.places.append(self._place(bud))
        if bud.piece in REACH:
            self.tips.append(self.places[-1] + bud.scale * REACH[bud.piece] * rotation[:, 1])
        return len(self.placements) - 1


def _facing(along: Array, above: Array) -> Array:
    """The rotation that turns y to a direction (3,) and z as far as possible to another."""
    y = along / np.linalg.norm(along)
    z = above - (above @ y) * y
    z /= np.linalg.norm(z)
    return np.stack([np.cross(y, z), y, z], axis=1)
