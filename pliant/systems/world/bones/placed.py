"""A character in a world: its bones as bodies, joined, and the skin that they move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from pliant.collide import CollisionShape
from pliant.errors import ArgumentError, Array, check_array, check_choice, check_count, check_ids, check_number
from pliant.mesh.bones.clip import Clip
from pliant.mesh.decimation import Proxy
from pliant.systems.world.actuating import Strength
from pliant.systems.world.body import Body, Path, checked_rotation, pose_of
from pliant.systems.world.bones.character import Bone, Character, CharacterSkin
from pliant.systems.world.bones.muscles import Muscle
from pliant.systems.world.bones.picking import Picked, boxes_of, pick, spheres_of, tree_of
from pliant.systems.world.joint import Joint

if TYPE_CHECKING:
    from pliant.systems.world.world import World

ANY = (-np.inf, np.inf)
CONTACT = ("skin", "bones")  # what of a character touches
FLYING = ("soft", "rigid")  # kinds of bones that can be thrown


class Placed:
    """A character among the bodies of a world; made by `world.add(character)`.

    Attributes:
        character: what it is.
        bones: the bodies that move it, in the order of the character's bones.
        joints: between them.
    """

    def __init__(self, character: Character, skin: Body | None, bones: tuple[Body, ...], joints: tuple[Joint, ...]):
        self.character, self.bones, self.joints, self._skin = character, bones, joints, skin

    @property
    def skin(self) -> Body:
        """The body that alone touches others, and is drawn."""
        if self._skin is None:
            raise ArgumentError("its bones touch by themselves, so it has no skin; add it with contact='skin'")
        return self._skin

    def __repr__(self) -> str:
        return f"Placed({self.character})"

    @property
    def name(self) -> str:
        """That of its skin."""
        return self.skin.name

    def bone(self, name: str | int) -> Body:
        """The body of a bone, by name or number."""
        return self.bones[self.character.number_of(name)]

    def joint(self, first: str | int, second: str | int) -> Joint:
        """Between two bones, by name or number; of a hinge it has angle, motor and limits."""
        pair = [self.bone(first), self.bone(second)]
        for joint in self.joints:
            if all(any(body is each for each in pair) for body in joint.bodies):
                return joint
        raise ArgumentError(f"no joint holds {pair[0].name} and {pair[1].name} together")

    @property
    def proxy(self) -> Proxy | None:
        """The coarser surface that touches, with its counts and its error; None: all of the skin does."""
        return self._part.proxy

    def vertices(self) -> Array:
        """World positions (n, 3) [m] of its skin, all vertices of the mesh ([MC15] Eq. 42)."""
        return self.character.skin.vertices(pose_of(self.bones))

    def spheres(self, level: int) -> Array:
        """Centres and radii (k, 4) [m] of a level of the BD-tree of what touches, the root being 0, for looking at."""
        depth = check_count("level", level, at_least=0)
        return spheres_of(tree_of(self._part, self._shape), self.bones, depth)

    def boxes(self, level: int) -> Array:
        """Least and greatest corner (k, 6) [m] of boxes around what the spheres of a level hold, refit to places."""
        depth = check_count("level", level, at_least=0)
        return boxes_of(self._part, self._shape, self.bones, depth)

    def pick(self, origin: ArrayLike, direction: ArrayLike) -> Picked | None:
        """What of its touching surface a ray from `origin` (3,) along `direction` (3,) hits first; None: nothing."""
        start, along = check_array("origin", origin, (3,)), check_array("direction", direction, (3,))
        if not along.any():
            raise ArgumentError("direction must have one; (0, 0, 0) was given")
        return pick(self._part, self._shape, self.bones, start, along)

    @property
    def _part(self) -> CharacterSkin:
        assert isinstance(self.skin.model, CharacterSkin)
        return self.skin.model

    @property
    def _shape(self) -> CollisionShape:
        return self.skin._there._shape_of(self._part)

    def gap(self) -> float:
        """The largest distance between places that joints keep together [m]."""
        return max((joint.gap for joint in self.joints), default=0.0)

    def momentum(self) -> tuple[Array, Array]:
        """Linear (3,) [kg m/s] and angular (3,) momentum about the origin [kg m^2/s], of the bones that move."""
        each = [body.momentum() for body in self.bones]
        return sum((P for P, _ in each), np.zeros(3)), sum((L for _, L in each), np.zeros(3))

    def energy(self) -> float:
        """Kinetic + elastic + gravitational [J]."""
        return sum(body.energy() for body in self.bones)

    def drive(self, bone: str | int, path: Path | Clip) -> None:
        """Let a kinematic bone go along a path, time [s] -> position (3,) and rotation (3, 3) of the whole at rest.

        A `Clip` of a rig leads it as it leads the joint of the same name, from where the character was placed.
        """
        body = self.bone(bone)
        if body.kind != "kinematic":
            raise ArgumentError(
                f"{body.name} is {body.kind}; only kinematic bones are driven: say so in kinds= of pl.bones"
            )
        if isinstance(path, Clip):
            own = path.path(self.character.bones[self.character.number_of(bone)].name)
            body.path = FromPlace(self.skin.position, self.skin.rotation, own, path.duration)
        elif callable(path):
            body.path = path
        else:
            raise ArgumentError("path must be a function of time that gives a position (3,) and a rotation (3, 3)")

    def play(self, clip: Clip) -> None:
        """Let a clip of its rig lead all of its kinematic bones."""
        led = [bone.name for bone in self.character.bones if bone.kind == "kinematic"]
        if not led:
            raise ArgumentError(
                f"{self.skin.name} has no kinematic bone for a clip to lead: say so in kinds= of pl.bones"
            )
        for name in led:
            self.drive(name, clip)

    def actuate(self, patches: Sequence[ArrayLike], functions: Sequence[Strength]) -> tuple[Muscle, ...]:
        """Let patches of its skin pull at each other, so that it moves itself ([MC15] Fig. 8).

        The pulls of a muscle on its two patches are equal and opposite, along the line between their middles: it bends
        the character, and neither pushes nor turns it as a whole.

        Args:
            patches: two or more, each the vertices (k,) of the mesh that it has.
            functions: time [s] -> pull [N], asked for in the middle of every small step: one for two patches; else one
                for each with the next, the last with the first.
        """
        sides = [check_ids("a patch", patch, len(self.skin.model.X)) for patch in patches]
        pairs = list(zip(sides, [*sides[1:], sides[0]]))[: 1 if len(sides) == 2 else None]
        if len(sides) < 2 or len(functions) != len(pairs):
            raise ArgumentError(
                f"{self.skin.name} was given {len(sides)} patches and {len(functions)} functions; two patches need "
                "one, more need one each"
            )
        if not all(len(side) for side in sides) or not all(callable(function) for function in functions):
            raise ArgumentError("patches must have vertices, and functions must be functions of time")
        muscles = tuple(Muscle(self.skin, pair, function) for pair, function in zip(pairs, functions))
        self.skin._there._add_muscles(muscles)
        return muscles

    def remove(self) -> None:
        """Take it out of its world."""
        world = self.bones[0]._there
        for body in (*(() if self._skin is None else (self._skin,)), *self.bones):
            body.is_bone, body.bones = False, ()
            world.remove(body)


def place_character(
    world: World,
    character: Character,
    position: ArrayLike,
    rotation: ArrayLike | None,
    velocity: ArrayLike,
    spin: ArrayLike,
    name: str | None,
    group: int,
    manners: dict[str, Any],
    skin_part: CharacterSkin | None,
) -> Placed:
    """Its bones and its skin as bodies, and its joints; None: without a skin, so that bones touch by themselves."""
    x, R = (
        check_array("position", position, (3,)),
        checked_rotation("rotation", np.eye(3) if rotation is None else rotation),
    )
    v, w = check_array("velocity", velocity, (3,)), check_array("spin", spin, (3,))
    label = f"character {len(world.bodies)}" if name is None else str(name)
    masses = np.array([bone.model.inertia.mass for bone in character.bones])
    centres = np.array([bone.model.inertia.centre for bone in character.bones])
    arms = (centres - masses @ centres / masses.sum()) @ R.T
    bodies = tuple(
        world.add(
            bone.model,
            x,
            R,
            (bone.kind in FLYING) * (v + np.cross(w, arm)),
            (bone.kind in FLYING) * w,
            name=f"{label} {bone.name}",
            group=group if skin_part is None else 0,
            **_kind(bone, x, R),
            **manners,
        )
        for bone, arm in zip(character.bones, arms)
    )
    axes = dict(character.axes)
    joints = tuple(
        Joint(
            world,
            "hinge" if k in axes else "rigid",
            (bodies[a], bodies[b]),
            (places, places),
            axes.get(k),
            0.0,
            0.0,
            ANY,
        )
        for k, (a, b, places) in enumerate(character.joints)
    )
    world.joints = (*world.joints, *joints)
    if skin_part is None:
        world._change_joints()
        return Placed(character, None, bodies, joints)
    skin = world.add(skin_part, x, R, name=label, group=group, **{**manners, "damping": (0.0, 0.0)})
    dress(skin, bodies)
    world._change_joints()
    return Placed(character, skin, bodies, joints)


@dataclass(frozen=True, eq=False)
class FromPlace:
    """The path of a joint in a clip, from another place; it has an end [s]."""

    position: Array
    rotation: Array
    path: Path
    duration: float

    def __call__(self, time: float) -> tuple[Array, Array]:
        x, R = self.path(time)
        return self.position + self.rotation @ np.asarray(x), self.rotation @ np.asarray(R)


def checked_skin(
    character: Character, contact: str, proxy: int | None, spacing: float | None, self_collision: bool | float
) -> CharacterSkin | None:
    """The skin of a character that touches as it is wanted to; None where its bones do."""
    if check_choice("contact", contact, CONTACT) == "bones":
        if proxy is not None or spacing is not None or self_collision is not False:
            raise ArgumentError("proxy, spacing and self_collision are those of a skin; leave contact='bones' out")
        return None
    count = None if proxy is None else check_count("proxy", proxy)
    apart = None if spacing is None else check_number("spacing", spacing, above=0)
    if isinstance(self_collision, bool | np.bool_):
        touching = 0.0 if self_collision else None
    else:
        touching = check_number("self_collision", self_collision, at_least=0)
    return character.skin_part(count, apart, touching)


def dress(skin: Body, bones: tuple[Body, ...]) -> None:
    """Let these bodies be the bones of a skin."""
    skin.bones = bones
    for bone in bones:
        bone.is_bone = True


def _kind(bone: Bone, x: Array, R: Array) -> dict[str, Any]:
    if bone.kind == "kinematic":
        return {"kind": "kinematic", "path": lambda _: (x, R)}
    return {"kind": "static"} if bone.kind == "static" else {}


def placed_in(world: World) -> list[Placed]:
    """The characters of a world."""
    found = []
    for skin in world.bodies:
        if isinstance(skin.model, CharacterSkin):
            own = {id(bone) for bone in skin.bones}
            joints = [each for each in world.joints if all(id(body) in own for body in each.bodies)]
            found.append(Placed(skin.model.character, skin, skin.bones, tuple(joints)))
    return found


def held_vertex(bodies: Sequence[Body], vertex: int) -> int:
    """Of a vertex of a skin, that of the bone that moves it most; others as they are. Numbers are those of a world."""
    firsts = np.cumsum([0, *(len(body.model.X) for body in bodies)])
    body = bodies[int(np.searchsorted(firsts, vertex, side="right")) - 1]
    if not isinstance(body.model, CharacterSkin):
        return vertex
    number, at = vertex - firsts[bodies.index(body)], np.zeros(len(body.bones))
    for k, bone in enumerate(body.model.character.bones):
        at[k] = bone.weights[bone.vertices == number].sum()
    k = int(at.argmax())
    own = int(np.searchsorted(body.model.character.bones[k].vertices, number))
    return int(firsts[bodies.index(body.bones[k])]) + own
