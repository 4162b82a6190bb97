"""A recording: what a system looked like at a row of instants, small enough to keep and whole enough to export."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pliant.errors import ArgumentError, Array, Ids, check_array, check_number
from pliant.export.camera import Camera
from pliant.export.soundtrack import Soundtrack
from pliant.fem import Material, Solid
from pliant.mesh import Mesh
from pliant.mesh.files.surface_texture import Texture
from pliant.mesh.notebook import framed
from pliant.numerics.progress import Progress, report
from pliant.skin import Pose, Skin
from pliant.systems import System
from pliant.systems.playing import EachStep, Forces, play_and_look
from pliant.systems.rigged import Rigged


@dataclass(frozen=True, eq=False)
class Recording:
    """Frames of a moving surface: a skin and its poses, or plain vertices where there is no skin (`Full`).

    Attributes:
        triangles: what is drawn, (t, 3) vertex ids.
        times: one a frame, growing, (f,) [s].
        skin: what draws the poses; None where `positions` are given.
        poses: one a frame.
        positions: (f, n, 3) [m], only where there is no skin.
        mesh: the volume behind the vertices, vertex by vertex; for volume output.
        material: what the volume is made of; for stresses.
        colours: sRGB of each triangle, (t, 3) from 0 to 1; None: one colour for all.
        texture: a picture on the triangles, in place of their colours in files that can have one (.glb, .usd).
        name: what it is, for people.
        claim: what it shows, in a sentence.
        camera: where pictures are taken from; None: where all frames are in the picture.
        sound: what is heard meanwhile, for .wav, films and pages; None: nothing.
        rigs: characters among the parts of the skin, for .glb files.
    """

    triangles: Ids
    times: Array
    skin: Skin | None = None
    poses: tuple[Pose, ...] = ()
    positions: Array | None = None
    mesh: Mesh | None = None
    material: Material | None = None
    colours: Array | None = None
    name: str = "pliant"
    claim: str = ""
    camera: Camera | None = None
    texture: Texture | None = None
    sound: Soundtrack | None = None
    rigs: tuple[Rigged, ...] = ()

    def __repr__(self) -> str:
        span = f"{self.times[0]:.4g} to {self.times[-1]:.4g} s"
        return f"Recording({self.name[:40]!r}, {len(self.times)} frames, {span}, {len(self.triangles)} triangles)"

    def _repr_html_(self) -> str:
        from pliant.export.html import player_page  # the player is made of recordings, and so stands above them

        return framed(player_page(self))

    def __post_init__(self) -> None:
        object.__setattr__(self, "times", check_array("times", self.times, (None,)))
        object.__setattr__(self, "triangles", check_array("triangles", self.triangles, (None, 3), dtype=np.int64))
        if self.colours is not None:
            shape = (len(self.triangles), 3)
            object.__setattr__(self, "colours", check_array("colours of a recording", self.colours, shape))
        if self.texture is not None and len(self.texture.uv) != len(self.triangles):
            raise ArgumentError(
                f"the texture is of {len(self.texture.uv)} triangles but the recording draws {len(self.triangles)}"
            )
        if not len(self.times) or (np.diff(self.times) <= 0).any():
            raise ArgumentError("times of a recording must grow from frame to frame, and there must be at least one")
        if (self.skin is None) == (self.positions is None):
            raise ArgumentError("a recording needs either a skin with poses or positions, not both")
        if self.positions is not None:
            object.__setattr__(self, "positions", check_array("positions", self.positions, (len(self.times), None, 3)))
        elif len(self.poses) != len(self.times):
            raise ArgumentError(
                f"a recording needs one pose a time; {len(self.poses)} and {len(self.times)} were given"
            )
        if self.skin is not None and not all(np.array_equal(p.offsets, self.skin.offsets) for p in self.poses):
            raise ArgumentError(
                "the poses of a recording must be those of its skin; hold vertices before the recording begins, since "
                "that gives parts more coordinates"
            )
        for rigged in self.rigs:
            if self.skin is None or not 0 <= rigged.first <= len(self.skin.parts) - len(rigged.armature.names):
                raise ArgumentError(f"{rigged.name} has bones that are no parts of the skin of the recording")
        if self.mesh is not None and self.mesh.vertex_count != self.vertex_count:
            raise ArgumentError(
                f"the mesh has {self.mesh.vertex_count} vertices but the recording draws {self.vertex_count}; "
                "leave the mesh out to export the surface alone"
            )

    def with_sound(self, samples: Array, rate: int) -> Recording:
        """The same with a sound track, samples (k,) or (k, 2) from the first frame on, as of `Sound.samples`."""
        return replace(self, sound=Soundtrack(samples, rate))

    @property
    def frame_count(self) -> int:
        """f."""
        return len(self.times)

    @property
    def vertex_count(self) -> int:
        """n."""
        return self.skin.vertex_count if self.skin is not None else len(self._positions[0])

    @cached_property
    def drawn(self) -> Ids:
        """Sorted ids of the vertices that triangles use."""
        return np.unique(self.triangles)

    def vertices(self, frame: int) -> Array:
        """World positions (n, 3) [m] of a frame."""
        return self._positions[frame] if self.skin is None else self.skin.vertices(self.poses[frame])

    @cached_property
    def full_vertices(self) -> Array:
        """World positions (f, n, 3) [m] of all frames."""
        if self.skin is None:
            return self._positions
        return np.stack([self.skin.vertices(pose) for pose in self.poses])

    @cached_property
    def rotations(self) -> Array:
        """Frames of the parts of all poses, (f, d, 3, 3)."""
        return np.stack([pose.rotations for pose in self.poses])

    @cached_property
    def translations(self) -> Array:
        """Where the parts of all poses are, (f, d, 3) [m]."""
        return np.stack([pose.translations for pose in self.poses])

    @cached_property
    def coordinates(self) -> Array:
        """Coordinates of all poses, (f, r)."""
        return np.stack([pose.flat for pose in self.poses])

    @cached_property
    def rest(self) -> Array:
        """Positions (n, 3) [m] that displacements count from: of the mesh, or else of the first frame."""
        return self.vertices(0) if self.mesh is None else self.mesh.vertices

    @cached_property
    def bounds(self) -> Array:
        """Smallest and largest coordinates (2, 3) [m] of what is drawn in any frame."""
        boxes = [(x.min(axis=0), x.max(axis=0)) for x in map(self._drawn_vertices, range(self.frame_count))]
        return np.stack([np.min([low for low, _ in boxes], axis=0), np.max([high for _, high in boxes], axis=0)])

    @property
    def farthest(self) -> int:
        """The frame with the largest displacement from the first one."""
        start = self._drawn_vertices(0)
        return int(np.argmax([np.abs(self._drawn_vertices(k) - start).max() for k in range(self.frame_count)]))

    def sample(self, count: int) -> Ids:
        """At most `count` frames, evenly spread, the first and the last among them."""
        return np.unique(np.linspace(0, self.frame_count - 1, count).astype(np.int64))

    def frame_at(self, time: float) -> int:
        """The frame nearest to a time [s]."""
        return int(np.argmin(np.abs(self.times - check_number("time", time))))

    def _drawn_vertices(self, frame: int) -> Array:
        return self.vertices(frame)[self.drawn]

    @property
    def _positions(self) -> Array:
        assert self.positions is not None
        return self.positions


def record(
    system: System,
    seconds: float,
    rate: float = 60,
    before_step: Forces | Callable[[System], None] | None = None,
    progress: Progress = None,
    solid: Solid | None = None,
    name: str = "pliant",
    claim: str = "",
    camera: Camera | None = None,
) -> Recording:
    """Step a system and keep a frame now and then; the first frame is what the system looks like now.

    A frame is taken at the step nearest to its due time; nothing is interpolated, and `times` are those of the steps.
    Where `rate` asks for more frames than there are steps, there is one frame a step.

    Args:
        seconds: how long [s].
        rate: frames a second.
        before_step: what acts over time, such as the schedule of a scene; or a function that is called with the system
            before every step, to push and release.
        progress: told the stage "recording" and its fraction.
        solid: whose mesh has the vertices of the skin, for volume output; most systems bring their own, unless
            they wear a surface.
        name, claim: what it is and what it shows, for people.
        camera: where pictures of it are taken from; None: where all frames are in the picture.
    """
    span, often = check_number("seconds", seconds, at_least=0), check_number("rate", rate, above=0)
    due = np.arange(np.floor(span * often + 1e-9) + 1) / often
    steps = np.unique(np.round(due / system.dt).astype(np.int64))
    times: list[float] = []
    poses: list[Pose] = []
    positions: list[Array] = []

    def look(system: System) -> None:
        times.append(system.time)
        if system.drawn_by is None:
            positions.append(system.vertices())
        else:
            poses.append(system.pose())
        report(progress, "recording", (steps[len(times) - 1] + 1) / (steps[-1] + 1))

    play_and_look(system, _forces(before_step), map(int, steps), look)
    if solid is None and system.worn is None:
        solid = _solid_of(system)
    return Recording(
        triangles=system.triangles,
        times=np.array(times),
        skin=system.drawn_by,
        poses=tuple(poses),
        positions=np.stack(positions) if positions else None,
        mesh=None if solid is None else solid.mesh,
        material=None if solid is None else solid.material,
        colours=system.colours,
        name=name,
        claim=claim,
        camera=camera,
        texture=system.texture,
        rigs=tuple(system.rigs),
    )


def _solid_of(system: System) -> Solid | None:
    """What can be traced back to none, such as a tree, has no volume to write."""
    try:
        return system.solid
    except ArgumentError:
        return None


def _forces(given: Forces | Callable[[System], None] | None) -> Forces | None:
    return EachStep(given) if callable(given) else given
