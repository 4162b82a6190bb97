"""A built scene on stage: its system as it is tuned now, and what is needed to draw, reset and change it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pliant.app.following import Following
from pliant.app.guests import Guests
from pliant.app.holding import Grip, await_hands
from pliant.app.keyframing import Keyframing, Led
from pliant.app.leading import Lead, Leading, Touch
from pliant.app.packing import (
    Geometry,
    is_rounded,
    pack_geometry,
    pack_pose,
    pack_vertices,
    resized,
    same_basis,
)
from pliant.app.parting import PartDraft, colours_of
from pliant.app.resketching import Resketched
from pliant.app.rigging import Draft
from pliant.app.rounding import pose_error, vertices_error
from pliant.app.sounding import Heard
from pliant.app.sources import SceneSource
from pliant.app.standing import floor_under
from pliant.app.tuning import Settings, adjust, carried, in_place, settings_of, tunable, tuned
from pliant.app.vibrations import Vibrations, vibrations_of
from pliant.app.volumes import Volumes
from pliant.errors import ArgumentError, Array, check_count
from pliant.mesh.files.surface_texture import Texture
from pliant.systems import System
from pliant.systems.playing import Forces, play

ANSWERS = ("a", "balanced", "felt")  # of a state: accelerations, the load that they answer, and that felt at last
BROKEN = "more than a tenth of its cells turned inside out or grew to eight times their volume"


class Stage:
    """The scene that is played.

    Attributes:
        name, source: which scene it is.
        base: the system as it was built; tuned ones are made from it.
        system: the one that runs.
        settings: what the sliders show.
        most_vectors: columns of the basis.
        geometry: what pages draw it with.
        rest, rest_pose: what it looks like at the start.
        ground: height of the floor that it stands on [m]; None: it hangs in the air, or floats.
        guests: bodies that people threw in.
        leading: bones that go their own way.
        following: what steers it; None: nothing does.
    """

    following: Following | None = None

    def __init__(self, name: str, source: SceneSource, system: System, number: int):
        self.name, self.source = name, source
        self._shows_parts = source.mesh is not None and source.mesh.parted is not None
        self.forces: Forces | None = source.forces() if source.forces else None
        self._adopt(system, number)
        self.settings: Settings = settings_of(system)
        self._defaults = self.settings
        await_hands(system)

    @property
    def changes(self) -> dict[str, Any]:
        """The settings that are not as the scene has them, with what the scene has."""
        usual = replace(self._defaults, vectors=self.most_vectors)
        pairs = {f.name: (getattr(usual, f.name), getattr(self.settings, f.name)) for f in fields(Settings)}
        return {name: was for name, (was, now) in pairs.items() if was != now}

    def _adopt(self, base: System, number: int, before: Geometry | None = None) -> None:
        self.base = self.system = base
        self.guests, self.leading = Guests(base), Leading(base)
        self._start, self.most_vectors = base.state(), base.size
        self._fresh: Mapping[str, Any] = self._start
        self.rest, self.rest_pose = base.vertices(), base.pose()
        self.ground = floor_under(base, self.rest, self.source.ground)
        self._built_colours = base.colours
        base.paint(self._colours)
        self.geometry: Geometry = pack_geometry(number, base, before, self._texture)
        self._seen, self._volumes = base.drawn_by, Volumes(base)
        self._base_vibrations = vibrations_of(base)

    @property
    def vibrations(self) -> Vibrations:
        """Modes at rest; frequencies go with the square root of the stiffness."""
        if self.settings.vectors != self.most_vectors:
            return vibrations_of(self.system)
        known = self._base_vibrations
        return Vibrations(np.sqrt(self.settings.stiffness) * known.frequencies, known.coordinates)

    def tune(self, number: int, changes: dict[str, Any]) -> None:
        """Change settings and go on from the same shape; `number` is for a new geometry, should there be one."""
        stuck = [name for name in changes if name not in tunable(self.base)]
        if stuck:
            raise ArgumentError(f"{', '.join(stuck)} cannot be changed in this scene")
        if "vectors" in changes:
            check_count("vectors", changes["vectors"], at_most=self.most_vectors)
        settings = replace(self.settings, **changes)
        if in_place(self.system, changes):
            adjust(self.system, settings)
            self.settings = settings
            self.follow()
            return
        system = tuned(self.base, settings)
        self._fresh = system.state()
        system.restore(carried(self.system.state(), self.system.size, system))
        self.system, self.settings, self._seen = system, settings, system.drawn_by
        self.follow()
        if not same_basis(self.geometry, system):
            self.geometry = pack_geometry(number, system, self.geometry, self._texture)

    def follow(self, following: Following | None = None) -> None:
        """Have the system of now steered, if anything steers."""
        self.following = self.following if following is None else following
        if self.following is not None:
            self.following.take(self.system)

    def reset(self) -> None:
        """Back to the start, with the settings of now."""
        self.system.release()
        self.leading.reset()
        if len(self.guests):
            self.guests.leave()
        self.system.restore(self.beginning())
        if self.following is not None and self.following.failed:
            self.follow()

    def beginning(self) -> Mapping[str, Any]:
        """The state of the start, with the settings of now."""
        start = dict(carried(self._start, self.most_vectors, self.system))
        # Accelerations are those of the weight of now.
        return start | {name: self._fresh[name] for name in ANSWERS if name in start and name in self._fresh}

    def lead(self, keyframing: Keyframing) -> None:
        """Let the forces of a motion that was found act, besides those of the scene."""
        assert keyframing.found is not None, "what was looked for was found"
        usual = self.source.forces() if self.source.forces else None
        self.forces = Led(usual, keyframing.found, self.system)

    def redraft(self, draft: Draft) -> None:
        """Have these bones placed in the bare mesh that it is made from."""
        assert self.source.mesh is not None, "bones are placed in bare meshes"
        self.source = replace(self.source, mesh=replace(self.source.mesh, draft=draft))

    def repart(self, draft: PartDraft, number: int) -> None:
        """Have these parts made of the bare mesh that it is made from, and show them; `number` is for a geometry."""
        assert self.source.mesh is not None, "parts are made of bare meshes"
        self.source = replace(self.source, mesh=replace(self.source.mesh, parts=draft))
        self.show_parts(draft.parting is not None, number)

    def show_parts(self, on: bool, number: int) -> None:
        """Draw the parts that are made in colours, or the solid without."""
        self._shows_parts = on
        shown = self._colours
        for system in {id(each): each for each in (self.base, self.system)}.values():
            system.paint(shown)
        self.geometry = pack_geometry(number, self.system, self.geometry, self._texture)

    @property
    def _colours(self) -> Array | None:
        """Of every triangle (t, 3): of parts where they are shown, else as it was built, which may be in parts."""
        mesh = self.source.mesh
        if mesh is not None and self._shows_parts:
            return colours_of(mesh, mesh.parting)
        return None if mesh is not None and mesh.parted else self._built_colours

    @property
    def _texture(self) -> Texture | None:
        """Which would hide the colours of parts."""
        return None if self._shows_parts else self.source.texture

    def hand(self, vertex: int, target: ArrayLike) -> Grip | Lead:
        """A hand on a vertex: it pulls, or takes a bone along that goes its own way."""
        led = self.leading.at(vertex)
        if led is None:
            return Grip(self.system, vertex, target)
        return Lead(self.system, led, vertex, target)

    def advance(self, count: int, hands: Sequence[Touch] = (), heard: Heard | None = None) -> None:
        """Take `count` steps under the forces of the scene and of hands; what is heard is noted."""
        for hand in hands:
            hand.aim()
        forces = self.forces if self.following is None else self.following.forces(self.system, self.forces)
        if heard is None:
            play(self.system, forces, count)
        else:
            heard.advance(forces, count)

    def refit(self, new_number: Callable[[], int]) -> bool:
        """Make another geometry where the system has got another skin meanwhile; returns whether it has."""
        skin = self.system.drawn_by
        if skin is self._seen:
            return False
        self._seen = skin
        if same_basis(self.geometry, self.system):
            return False
        self.geometry = pack_geometry(new_number(), self.system, self.geometry, self._texture)
        return True

    def frame(self, number: int) -> bytes:
        """What it looks like now."""
        if self.geometry.skin is None:
            return pack_vertices(self.geometry, number, self.system.time, self.system.vertices())
        return pack_pose(self.geometry, number, self.system.time, self.system.pose())

    def rounding(self) -> float | None:
        """How far a vertex of the frame is from its place, where frames are sent in 16 bits [m]."""
        if not is_rounded(self.geometry):
            return None
        if self.geometry.skin is None:
            return vertices_error(self.system.vertices()[self.geometry.surface])
        return pose_error(self.geometry.skin, resized(self.system.pose(), self.geometry.skin.offsets))

    def __repr__(self) -> str:
        return f"Stage({self.name}: {self.system})"

    def fault(self) -> str:
        """Why it looks broken, in words; none where it does not."""
        if not np.isfinite(self.system.pose().flat).all():
            return "the coordinates grew beyond all bounds"
        return "" if self._volumes.are_sound(self.system) else BROKEN

    def on_mesh(self, loads: Array) -> Array:
        """Forces (s, n, 3) [N] on what is drawn as forces on the mesh."""
        worn = self.base.worn
        return loads if worn is None else np.stack([worn.embedding.gather(load) for load in loads])

    def install(self, resketched: Resketched, number: int) -> None:
        """Go on with a new basis, from the same shape as far as it can hold it."""
        old, before = self.system.state(), self.settings
        self._adopt(resketched.base, number, self.geometry)
        projection = resketched.projection[:, : before.vectors]
        state = {n: projection @ value if value.shape == (before.vectors,) else value for n, value in old.items()}
        self.settings = replace(before, vectors=self.most_vectors)
        self.system = tuned(self.base, self.settings)
        self._fresh = self.system.state()
        self._seen = self.system.drawn_by
        self.system.restore(state)
        self.follow()
