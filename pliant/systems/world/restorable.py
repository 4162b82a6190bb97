"""What a state of a world must be like before any of it is taken: bodies, points and triangles that it names exist."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array, Ids, check_array
from pliant.systems.world.keeping import ROW

LARGEST = 1e50  # as of the vertices of meshes
UNIT = 1e-3  # how far a quaternion may be from one; steps keep it to rounding
WHOSE = "the state is of another world, or was damaged"


def check_motion(state: Mapping[str, Array]) -> None:
    """Numbers whose squares are some, and rows of Q that are unit quaternions."""
    for name, array in state.items():
        _check_small(name, array)
    off = np.abs(np.linalg.norm(state["Q"], axis=1) - 1)
    if off.max(initial=0.0) > UNIT:
        row = int(off.argmax())
        raise ArgumentError(f"Q must be unit quaternions; row {row} is {state['Q'][row]}: {WHOSE}")


def check_memory(state: Mapping[str, ArrayLike], world: Any) -> None:
    """What a step remembers of the one before, where the state tells it: `world` is the record of compiled steps."""
    count = len(world.state.t)
    for name in ("hold_impulses", "joint_impulses", "hinge_impulses", "hinge_angles"):
        if name in state:
            check_array(name, state[name], (None,) * np.ndim(np.asarray(state[name])))
    if "spin" in state:
        check_array("spin", state["spin"], world.motion.spin.shape)
    if "asleep" in state:
        for name in ("asleep", "still", "island"):
            check_array(name, state.get(name, ()), (count,))
        _check_numbers("island", np.asarray(state["island"], dtype=np.float64), 0, np.full(count, count))
    if "warm_keys" in state:
        keys = check_array("warm_keys", state["warm_keys"], (None,))
        check_array("warm_impulses", state.get("warm_impulses", ()), (len(keys), 3))
    if "kept" in state and "kept_contacts" not in state:
        raise ArgumentError(f"state has kept, and lacks kept_contacts: {WHOSE}")
    if "kept" in state:
        _check_small("kept", check_array("kept", state["kept"], world.kept.flat.shape))
        points = state.get("kept_points", world.kept.points)
        _check_small("kept_points", check_array("kept_points", points, world.kept.points.shape))
        _check_contacts(check_array("kept_contacts", state["kept_contacts"], (None,)), world)


def _check_small(name: str, array: Array) -> None:
    if np.abs(array).max(initial=0.0) > LARGEST:
        raise ArgumentError(f"{name} must be below {LARGEST:g}; {np.abs(array).max():g} was given: {WHOSE}")


def _check_contacts(numbers: Array, world: Any) -> None:
    """Rows of `keeping.ROW`, name after name."""
    sizes = [getattr(world.contacts, name)[:1].size for name in ROW]
    count, left = divmod(len(numbers), sum(sizes))
    if left:
        raise ArgumentError(f"kept_contacts must be {sum(sizes)} numbers a contact; {len(numbers)} were given: {WHOSE}")
    ends = count * np.cumsum(sizes)
    body, sample, triangle = (part.reshape(count, size) for part, size in zip(np.split(numbers, ends), sizes[:3]))
    bodies, others = world.manners.friction.shape
    _check_numbers("bodies of kept_contacts", body[:, 0], 0, np.full(count, bodies))
    _check_numbers("bodies of kept_contacts", body[:, 1], bodies - others, np.full(count, bodies))
    a, b = body.astype(np.int64).T
    _check_numbers("points of kept_contacts", sample[:, 0], 0, _sizes(world, world.surfaces.shape_sample, a))
    solid = b >= 0  # fields have no triangles
    most = _sizes(world, world.surfaces.shape_triangle, b[solid])
    _check_numbers("triangles of kept_contacts", triangle[solid, 0], 0, most)


def _sizes(world: Any, starts: Ids, bodies: Ids) -> Ids:
    """How many points or triangles the shapes of bodies have."""
    shape = world.surfaces.shape[bodies]
    return starts[shape + 1] - starts[shape]


def _check_numbers(name: str, given: Array, least: int, count: Ids) -> None:
    wrong = np.flatnonzero((given < least) | (given >= count) | (given != np.floor(given)))
    if len(wrong):
        k = wrong[0]
        raise ArgumentError(
            f"{name} must be whole numbers from {least} to {count[k] - 1}; {given[k]:g} is not: {WHOSE}"
        )
