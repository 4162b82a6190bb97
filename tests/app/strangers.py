"""Meshes as people have them, of the shared folder and made here, and how they fare in the viewer."""

import time
from pathlib import Path

import numpy as np

import pliant as pl
from pliant.app.bare import BareMesh
from pliant.app.holding import Grip

SHARED = (
    *("alligator.obj", "arm.obj", "armadillo.obj", "beam3.veg", "beam3_tet.veg", "beetle.obj", "bunny.mesh"),
    *("camelhead.off", "cheburashka.off", "decimated-knight.off", "fandisk.obj", "fertility.off", "inspired_mesh.obj"),
    *("lilium.obj", "octopus-low.mesh", "rocker-arm.obj", "screwdriver.off", "snail.obj", "spot.obj", "suzanne.obj"),
    *("teapot.obj", "truck.obj"),
)
SECONDS = 1.0  # of standing, of pulling, and of swinging back
PULL = 0.2  # of the size of the body


def ball(radius=1.0, at=(0, 0, 0), inside_out=False):
    import trimesh

    made = trimesh.creation.icosphere(subdivisions=3, radius=radius)
    triangles = made.faces[:, ::-1] if inside_out else made.faces
    return made.vertices + np.asarray(at), np.asarray(triangles)


def box(size, at=(0, 0, 0)):
    mesh = pl.shapes.bar(size, (2, 2, 2))
    return mesh.vertices + np.asarray(at), mesh.surface


def joined(*surfaces):
    first = np.cumsum([0, *(len(X) for X, _ in surfaces)])
    return np.concatenate([X for X, _ in surfaces]), np.concatenate([t + n for (_, t), n in zip(surfaces, first)])


def bowl():
    X, triangles = ball()
    return X, triangles[(X[triangles][:, :, 1] < 0.01).all(axis=1)]


def ring():
    import trimesh

    made = trimesh.creation.torus(1.0, 0.01)
    return made.vertices[:, [0, 2, 1]][:, [0, 2, 1]], made.faces


def soup():
    X, triangles = ball()
    return X[triangles].reshape(-1, 3), np.arange(3 * len(triangles)).reshape(-1, 3)


MADE = {
    "millimetres.stl": lambda: box((80, 120, 60)),
    "z-up-rod.ply": lambda: box((0.1, 0.1, 1.2)),
    "triangle.obj": lambda: (np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.0]]), np.array([[0, 1, 2]])),
    "two-bodies.off": lambda: joined(ball(), ball(0.6, (3, 2, 0))),
    "ball-in-ball.obj": lambda: joined(ball(), ball(0.5)),
    "overlapping.stl": lambda: joined(ball(), ball(0.8, (1.2, 0, 0))),
    "inside-out.ply": lambda: ball(inside_out=True),
    "bowl.obj": bowl,
    "ring.obj": ring,
    "soup.stl": soup,
    "far-away.off": lambda: box((1, 1, 1), (1e5, 2e5, -3e5)),
    "tiny.obj": lambda: box((2e-6, 3e-6, 1e-6)),
    "crowd.stl": lambda: joined(*(ball(0.3, (x, 0, z)) for x in range(5) for z in range(4))),
}
REFUSED = {
    "line.obj": (b"v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "are points or lines"),
    "nothing.obj": (b"# nothing\n", "holds no triangles; get another file"),
    "empty.stl": (b"", "is empty; write it again"),
    "cloud.ply": (
        b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n",
        "is damaged or not what its ending says",
    ),
    "letter.docx": (b"PK", "use one of .obj .off .ply .stl .glb .gltf .veg"),
    "nan.obj": (
        b"v 0 0 0\nv 1 0 0\nv nan 1 0\nf 1 2 3\n",
        "the first at index (2, 0); get another file, or write it again",
    ),
    "words.obj": (b"\x00\x01 these are no triangles", "holds no triangles"),
}


def write_made(name: str, folder: Path) -> Path:
    """A mesh of our own as a file."""
    if name == "textured.glb":
        return _textured(folder / name)
    pl.Surface(*MADE[name]()).write(folder / name)
    return folder / name


def _textured(path: Path) -> Path:
    import trimesh
    from PIL import Image

    made = trimesh.creation.icosphere(subdivisions=3)
    picture = np.random.default_rng(0).integers(0, 255, (64, 64, 3)).astype(np.uint8)
    made.visual = trimesh.visual.TextureVisuals(uv=made.vertices[:, :2] / 2 + 0.5, image=Image.fromarray(picture))
    made.export(path)
    return path


def among_used(triangles):
    """With numbers among the vertices that triangles use: others cannot be seen, and are left out of shells."""
    return np.unique(triangles, return_inverse=True)[1].reshape(triangles.shape)


class Fare:
    """How a mesh fares: opened as the viewer does, left standing, pulled, and let go.

    Times are those of the processor, which are no less than those of the clock on a machine that does nothing else.

    Attributes:
        seconds: until it can be touched. first: until the first word of progress [s].
        drawn: whether what is drawn is the surface of the file, vertex by vertex.
    """

    def __init__(self, path: Path):
        began, self.told = time.process_time(), [0.0]

        def tell(_stage, _fraction):
            self.told.append(time.process_time() - began)

        source = BareMesh.read(path).source().open(tell)
        self.scene = source.mesh.scene
        system = (source.first or source.build)(tell)
        self.seconds, self.first = time.process_time() - began, [*self.told, np.inf][1]
        self.size = float(np.ptp(system.vertices(), axis=0).max())
        shape = BareMesh.read(path).shape
        self.drawn = isinstance(shape, pl.Mesh) or np.array_equal(*map(among_used, (system.triangles, shape.triangles)))
        start, steps = system.vertices(), round(SECONDS / system.dt)
        system.step(steps)
        self.moved = np.abs(system.vertices() - start).max() / self.size
        far = int(np.argmax(np.linalg.norm(start - self.scene.rest[self.scene.solid.fixed].mean(axis=0), axis=1)))
        self.body = self._body(start[far])
        hand = Grip(system, far, start[far] + PULL * self.body * np.array([0.6, 0.0, 0.8]))
        for _ in range(60):
            hand.aim()
            system.step(max(1, steps // 60))
        self.pulled = float(np.linalg.norm(system.vertices()[far] - start[far])) / self.body
        hand.release()
        system.step(steps)
        self.energy = system.energy()

    def _body(self, point) -> float:
        """The size of the loose piece that a point belongs to."""
        mesh = self.scene.mesh
        piece = mesh.components[1][np.argmin(np.linalg.norm(mesh.centroids - point, axis=1))]
        return float(np.ptp(mesh.vertices[mesh.cells[mesh.components[1] == piece]].reshape(-1, 3), axis=0).max())

    @property
    def silence(self) -> float:
        """The longest time [s] without a word."""
        return float(np.diff([*self.told, self.seconds]).max())
