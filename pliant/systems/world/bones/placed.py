"""A character in a world: its bones as bodies, joined, and the skin that they move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, check_array
from pliant.systems.world.body import Body, Path, checked_rotation
from pliant.systems.world.bones.character import Bone, Character, CharacterSkin
from pliant.systems.world.joint import Joint

if TYPE_CHECKING:
    from pliant.systems.world.world import World

ANY = (-np.inf, np.inf)


class Placed:
    """A character among the bodies of a world; made by `world.add(character)`.

    Attributes:
        character: what it is.
        skin: the body that alone touches others, and is drawn.
        bones: the bodies that move it, in the order of the character's bones.
        joints: between them.
    """

    def __init__(self, character: Character, skin: Body, joints: tuple[Joint, ...]):
        self.character, self.skin, self.bones, self.joints = character, skin, skin.bones, joints

    def __repr__(self) -> str:
        return f"Placed({self.character})"

    def bone(self, name: str | int) -> Body:
        """The body of a bone, by name or number."""
        return self.bones[self.character.number_of(name)]

    def vertices(self) -> Array:
        """World positions (n, 3) [m] of its skin, all vertices of the mesh ([MC15] Eq. 42)."""
        return self.skin.vertices()

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

    def drive(self, bone: str | int, path: Path) -> None:
        """Let a kinematic bone go along a path, time [s] -> position (3,) and rotation (3, 3) of the whole at rest."""
        body = self.bone(bone)
        if body.kind != "kinematic":
            raise ArgumentError(
                f"{body.name} is {body.kind}; only kinematic bones are driven: say so in kinds= of pl.bones"
            )
        if not callable(path):
            raise ArgumentError("path must be a function of time that gives a position (3,) and a rotation (3, 3)")
        body.path = path

    def remove(self) -> None:
        """Take it out of its world."""
        world = self.skin._there
        for body in (self.skin, *self.bones):
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
) -> Placed:
    """Its bones and its skin as bodies, and its joints."""
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
            bone.model, x, R, v + np.cross(w, arm), w, name=f"{label} {bone.name}", **_kind(bone, x, R), **manners
        )
        for bone, arm in zip(character.bones, arms)
    )
    joints = tuple(
        Joint(world, "rigid", (bodies[a], bodies[b]), (places, places), None, 0.0, 0.0, ANY)
        for a, b, places in character.joints
    )
    world.joints = (*world.joints, *joints)
    skin = world.add(character.skin_part, name=label, group=group, **{**manners, "damping": (0.0, 0.0)})
    dress(skin, bodies)
    world._change_joints()
    return Placed(character, skin, joints)


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
            found.append(Placed(skin.model.character, skin, tuple(joints)))
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
