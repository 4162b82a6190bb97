"""Made-up recordings of every kind of system, and the comparison of what a reader found with what was recorded."""

import numpy as np
from scipy.spatial import cKDTree

import pliant as pl
from pliant.export import Recording
from pliant.numerics import rotation_exponential
from pliant.skin import Pose, Skin, SkinPart, plain_skin

KINDS = ("one part", "bodies", "tree", "rigid bones", "deformable bones", "seams", "chained", "full")
# A few roundings of float32, in the rotation, the columns and the sum, of coordinates that are about 2 m.
FLOAT32 = 2e-6
SCALES = (1.0, 0.7, 1.3, 0.9)
Z = np.array([0.0, 0.0, 1.0])


def made_up(kind: str, seed: int = 0, frames: int = 5) -> Recording:
    """A recording of random but smooth motion."""
    draw = np.random.default_rng(seed)
    mesh = pl.shapes.bar((1.0, 0.3, 0.3), (4, 1, 1))
    times = np.cumsum(draw.uniform(0.01, 0.05, frames))
    if kind == "full":
        positions = mesh.vertices + 0.1 * draw.standard_normal((frames, mesh.vertex_count, 3))
        seen = Recording(mesh.surface, times, positions=positions, mesh=mesh, material=pl.StVK(1e6, 0.3), name=kind)
        return seen.with_sound(draw.standard_normal((800, 2)), 8000)
    skin = SKINS[kind](draw, mesh)
    framed = kind not in ("one part", "seams")
    poses = tuple(_pose(draw, skin, framed, k) for k in range(frames))
    seen = Recording(skin.triangles, times, skin, poses, name=kind, claim="made up")
    return seen.with_sound(draw.standard_normal(800), 8000)


def copies() -> Recording:
    """Four copies of a bar, of four sizes, that swing and bend; two of their five columns do next to nothing."""
    mesh, draw = pl.shapes.bar((1.0, 0.1, 0.1), (6, 1, 1)), np.random.default_rng(3)
    n, d = mesh.vertex_count, len(SCALES)
    U = np.linalg.qr(draw.standard_normal((3 * n, 5)))[0]
    ids = np.arange(n)
    parts = tuple(SkinPart(ids + p * n, np.ones(n), s * mesh.vertices, U) for p, s in enumerate(SCALES))
    skin = Skin(d * n, np.concatenate([mesh.surface + p * n for p in range(d)]), parts)
    times, rates, sizes = np.linspace(0, 2, 121), draw.uniform(3, 6, (d, 5)), np.array([0.4, 0.3, 0.2, 1e-4, 1e-4])
    poses = tuple(
        Pose(
            [(rotation_exponential(0.6 * np.sin(3 * t + p) * Z), [2.0 * p, 0.3 * np.sin(4 * t), 0]) for p in range(d)],
            list(sizes * np.sin(rates * t)),
        )
        for t in times
    )
    return Recording(skin.triangles, times, skin, poses, name="copies")


def beside_obstacles() -> Recording:
    """A ball falls between an obstacle that stands and one that moves and turns."""
    world, block = pl.World(5e-3), pl.shapes.box((0.2, 0.2, 0.2), (1, 1, 1))
    world.obstacle(pl.Surface(block.vertices, block.surface), position=(0.0, -0.3, 0.0))
    world.add(pl.Rigid(pl.shapes.sphere(0.1, 3), 1000.0), (0.05, 0.2, 0.0))

    def way(time):
        return (-1.0 - time, 0.3, 0.0), rotation_exponential(np.array([0.0, 2 * time, 0.0]))

    world.obstacle(pl.Surface(block.vertices, block.surface), path=way)
    return pl.record(world, 0.5, rate=10)


def assert_same_triangles(found, recording: Recording, tolerance: float = FLOAT32) -> None:
    """Corners (f, t, 3, 3) that a reader found are those of the recording, in any order of the triangles."""
    expected = recording.full_vertices[:, recording.triangles]
    assert found.shape == expected.shape
    rows = [corners.transpose(1, 0, 2, 3).reshape(len(recording.triangles), -1) for corners in (found, expected)]
    distance, match = cKDTree(rows[0]).query(rows[1], p=np.inf)
    assert distance.max() < tolerance
    assert len(np.unique(match)) == len(match)


def _pose(draw, skin: Skin, framed: bool, k: int) -> Pose:
    frames = tuple(
        (rotation_exponential(0.15 * k * draw.standard_normal(3)), 0.2 * draw.standard_normal(3))
        if framed
        else (np.eye(3), np.zeros(3))
        for _ in skin.sizes
    )
    return Pose(frames, tuple(0.3 * draw.standard_normal(r) for r in skin.sizes))


def _basis(draw, count: int, r: int = 3):
    return 0.2 * draw.standard_normal((3 * count, r))


def _one_part(draw, mesh) -> Skin:
    return plain_skin(mesh.vertices, mesh.surface, _basis(draw, mesh.vertex_count, 4))


def _bodies(draw, mesh) -> Skin:
    n = mesh.vertex_count
    parts = tuple(SkinPart(np.arange(n) + b * n, np.ones(n), mesh.vertices, _basis(draw, n)) for b in range(2))
    return Skin(2 * n, np.concatenate([mesh.surface, mesh.surface + n]), parts)


def _tree(draw, mesh) -> Skin:
    """Two halves that share the vertices of their interface, one half each."""
    x = mesh.vertices[:, 0]
    parts = []
    for side in (x <= 0.5, x >= 0.5):
        ids = np.flatnonzero(side)
        parts.append(SkinPart(ids, np.where(x[ids] == 0.5, 0.5, 1.0), mesh.vertices[ids], _basis(draw, len(ids))))
    return Skin(mesh.vertex_count, mesh.surface, tuple(parts))


def _rigid_bones(draw, mesh, r: int = 0) -> Skin:
    n = mesh.vertex_count
    share = 0.05 + 0.9 * mesh.vertices[:, 0]
    ids = np.arange(n)
    parts = tuple(SkinPart(ids, w, mesh.vertices, _basis(draw, n, r)) for w in (1 - share, share))
    return Skin(n, mesh.surface, parts)


def _deformable_bones(draw, mesh) -> Skin:
    return _rigid_bones(draw, mesh, r=2)


def _seams(draw, mesh) -> Skin:
    n = mesh.vertex_count
    return plain_skin(mesh.vertices, mesh.surface, _basis(draw, n), 0.5 * draw.standard_normal((3 * n, 3)))


def _chained(draw, mesh) -> Skin:
    """Two halves, and the vertices between them, which read both and warp."""
    x = mesh.vertices[:, 0]
    parts = []
    for mine, reads in ((x < 0.5, None), (x > 0.5, None), (x == 0.5, (1, 0))):
        ids, r = np.flatnonzero(mine), 3 if reads is None else 6
        omega = None if reads is None else 0.5 * draw.standard_normal((3 * len(ids), r))
        parts.append(SkinPart(ids, np.ones(len(ids)), mesh.vertices[ids], _basis(draw, len(ids), r), omega, reads))
    return Skin(mesh.vertex_count, mesh.surface, tuple(parts))


SKINS = {
    "one part": _one_part,
    "bodies": _bodies,
    "tree": _tree,
    "rigid bones": _rigid_bones,
    "deformable bones": _deformable_bones,
    "seams": _seams,
    "chained": _chained,
}
