"""How a bare mesh stands: which axis of its file points up, and which vertices are held."""

import numpy as np
from scipy.sparse.csgraph import connected_components

from pliant.errors import Array, SelectionError
from pliant.fem.solid import fixed_vertices
from pliant.mesh import Mesh
from pliant.mesh.selection import MAX_LENGTH
from pliant.numerics import rotation_exponential
from pliant.scenes.ground import Ground, said

TURNS = {"x": (0.0, 0.0, 90.0), "y": (0.0, 0.0, 0.0), "z": (-90.0, 0.0, 0.0)}  # to y, axis times angle [degrees]
ENDS = {"feet": (0, -1, 0), "top": (0, 1, 0), "left": (-1, 0, 0), "right": (1, 0, 0)}  # in the world
NOTHING = "nothing"
SLENDER = 2.5  # times as long as wide: it stands on its end
FLAT = 0.1  # as thick as wide, of what is a plate and no rod
LEVELS = (0.03, 0.05, 0.07, 0.1, 0.15, 0.2)  # of the height
RAISED = (1.0, 1.05, 1.1, 1.15, 1.2, 1.3, 1.4)  # times a level that just reaches a foot
LOW = 0.1  # of the height: a level that rises for the sake of a small foot rises no higher
FOOTPRINT = 0.6
WIDER = 1.2  # times the area: for which ground is taken to lean
FEWEST, PINNED = 6, 3  # vertices that are held, of an end and of a piece
LEVEL, FLUSH = 1e-3, 0.15  # of the height: what is flat; of what is below it all: a foot to stand on
BARELY = 0.25  # of the vertices of the largest foot


def guessed_up(X: Array) -> str:
    """y, as most files have it; of rods, which are slender both ways and not flat, the long axis.

    z, as files for printing and machining have it, where X (n, 3) stands on a flat foot then, has no such top, which
    what is extruded along z would have, and would stand on no flat foot along y.
    """
    extents = np.ptp(X, axis=0)
    thin, wide, long = np.sort(extents)
    if thin <= FLAT * wide:
        return "y"
    if long >= SLENDER * wide:
        return "xyz"[int(np.argmax(extents))]
    stands = _flat(X, "feet", "z") > FLUSH and max(_flat(X, "top", "z"), _flat(X, "feet", "y")) < FLUSH
    return "z" if stands else "y"


def _flat(X: Array, end: str, up: str) -> float:
    """How much of its shadow a thing X (n, 3) stands on at an end, where that is flat; as rectangles."""
    ground = Ground(*_direction(end, up))
    return _footprint(X, ground, LEVEL) / float(np.prod(np.ptp(ground.across(X), axis=0)))


def feet(X: Array, up: str) -> str:
    """A selection of the lowest vertices (n, 3)."""
    return end_of(X, "feet", up)


def end_of(X: Array, end: str, up: str) -> str:
    """A selection of the vertices (n, 3) at an end: those below a level that is as low as reaches all feet.

    The lowest fifth tells where the feet are; the level rises from 3 % of the height until what is below it is at least
    0.6 times as wide as that, both ways, so that no foot hangs in the air. Other ends alike.
    The ground may lean where what is held is wider then, or where level ground reaches all feet at the last level only.
    """
    ground, levels = _ground(X, end, up)
    return ground.selection(X, levels[0])


def _ground(X: Array, end: str, up: str) -> tuple[Ground, list[float]]:
    """What an end stands on, its level, of the height, and higher ones after it."""
    level = Ground(*_direction(end, up))
    leant, levels = level.leant(X), _levels(X, level)
    lower = _levels(X, leant)
    wider = lower[0] <= levels[0] and _footprint(X, leant, lower[0]) > WIDER * _footprint(X, level, levels[0])
    return (leant, lower) if wider or lower[0] < levels[0] == LEVELS[-1] else (level, levels)


def _footprint(X: Array, ground: Ground, level: float) -> float:
    """The area that what is below a level takes, as a rectangle."""
    return float(np.prod(np.ptp(ground.across(X)[ground.below(X, level)], axis=0)))


def _levels(X: Array, ground: Ground) -> list[float]:
    """Those that reach all feet, and the highest."""
    across = ground.across(X)
    wanted = FOOTPRINT * np.ptp(across[ground.below(X, LEVELS[-1])], axis=0)

    def reaches(level: float) -> bool:
        held = ground.below(X, level)
        return bool(held.sum() >= FEWEST and (np.ptp(across[held], axis=0) >= wanted).all())

    return [level for level in LEVELS if level == LEVELS[-1] or reaches(level)]


def held_end(mesh: Mesh, end: str, up: str) -> str:
    """As `end_of`, as high as reaches most loose pieces, and with an end of every other one, too.

    No foot is held by a few vertices alone, which would be crushed by what the others do not feel; nor by a point or an
    edge, where a level that is hardly higher holds them all by more.
    """
    X = mesh.vertices
    ground, levels = _ground(X, end, up)
    level = min(levels, key=lambda level: len(_loose(mesh, ground.selection(X, level))))
    raised = [ground.selection(X, times * level) for times in RAISED]
    whole = min(raised, key=lambda held: _pinned_feet(mesh, held))
    higher = (ground.selection(X, each) for each in levels if RAISED[-1] * level < each <= LOW)
    if _pinned_feet(mesh, whole, PINNED):
        whole = next((held for held in higher if not _pinned_feet(mesh, held, PINNED)), whole)
    boxed = [_boxed(X[ids], end, up) for ids in _loose(mesh, whole)]
    held = " or ".join([whole, *(f"({box})" for box in boxed)])
    if len(held) > MAX_LENGTH:
        raise SelectionError(
            f"{len(boxed)} of {mesh.components[0]} bodies in the file hang in the air and touch no other, more than "
            "can be held one by one; keep = largest leaves them out"
        )
    return held


def checked_held(mesh: Mesh, fixed: str) -> str:
    """The selection itself; every loose piece must be held by it, or it would fall for ever."""
    count = mesh.components[0]
    loose = len(_loose(mesh, fixed))
    if loose and count == 1:
        raise SelectionError(
            f"{fixed[:60]!r} holds fewer than {PINNED} vertices, and it would turn about them; hold more"
        )
    if loose:
        raise SelectionError(
            f"{loose} of {count} bodies are not held by {fixed!r}; hold them too, or leave them out with keep = largest"
        )
    return fixed


def _loose(mesh: Mesh, fixed: str) -> list[Array]:
    """The vertices of each piece that a selection does not hold: three of them do."""
    held, pieces = fixed_vertices(mesh, fixed), mesh.components
    vertices = [np.unique(mesh.cells[pieces[1] == piece]) for piece in range(pieces[0])]
    return [ids for ids in vertices if np.isin(ids, held).sum() < PINNED]


def _pinned_feet(mesh: Mesh, held: str, fewest: int = 0) -> int:
    """How many feet, of vertices that are held and share cells, are held by fewer than `fewest`, or than others are."""
    ids = fixed_vertices(mesh, held)
    _, foot = connected_components(mesh.vertex_adjacency[ids][:, ids], directed=False)
    sizes = np.bincount(foot)
    return int((sizes < min(FEWEST, max(fewest, BARELY * sizes.max(initial=0)))).sum())


def _boxed(X: Array, end: str, up: str) -> str:
    """The end of one piece, and nothing beside it."""
    low, high, (axis, sign) = X.min(axis=0), X.max(axis=0), _direction(end, up)
    slack = 1e-3 * float(np.ptp(X, axis=0).max())
    least, most = ([said(x, 100 * slack) for x in ends] for ends in (low - slack, high + slack))
    sides = [f"{least[i]} < {'xyz'[i]} < {most[i]}" for i in range(3) if i != axis]
    far = f"{'xyz'[axis]} > {least[axis]}" if sign < 0 else f"{'xyz'[axis]} < {most[axis]}"
    return " and ".join([end_of(X, end, up), far, *sides])


def _direction(end: str, up: str) -> tuple[int, int]:
    """The axis of the file and the sign along which an end lies."""
    direction = np.rint(rotation_exponential(np.radians(TURNS[up])).T @ np.array(ENDS[end], dtype=float))
    axis = int(np.abs(direction).argmax())
    return axis, int(direction[axis])
