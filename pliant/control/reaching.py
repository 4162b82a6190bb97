"""Space-time control by keyframes ([MR12] section 5): smooth forces that bring a body through poses at times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.linalg as la
from numpy.typing import ArrayLike

from pliant.control.aims import Aim
from pliant.control.keyframe import Keyframe, checked_keyframes
from pliant.control.keyframe_search import STAGE, Search
from pliant.control.splines import spline
from pliant.control.steered import Steered
from pliant.control.steered_body import SteeredBody
from pliant.control.steered_part import SteeredPart
from pliant.errors import ArgumentError, Array, PliantError, check_array, check_count, check_number
from pliant.numerics.progress import Progress, report
from pliant.reduced.cache import ROOMS, cached_arrays, origin
from pliant.systems import Clamped, System
from pliant.systems.playing import EachStep, play_and_look
from pliant.systems.saving import packed
from pliant.systems.world.body import Body

ABOVE = ("collide", "skin", "systems", "control")  # rooms whose code makes a motion, besides those of models
POWERLESS = 1e-9  # of what as strong a force on the whole body does: those that do less do nothing


@dataclass(frozen=True, eq=False)
class Reached:
    """A motion through keyframes; made by `reach`.

    Attributes:
        keyframes: in order. steps: after which each is due.
        controls: g (T, c), one row a step.
        distances: how far each keyframe is missed in the motion that was looked for, of a free body on smoothed ground:
            root mean square over the body, or over the vertices that it names [m].
        beyond: of that what no pose of the body can help (k,) [m].
        before: the same of how it is at the start.
        motions: that were tried.
        _steered, _aims: what plays it, and what was asked for.
    """

    keyframes: tuple[Keyframe, ...]
    steps: tuple[int, ...]
    controls: Array
    distances: Array
    beyond: Array
    before: Array
    motions: int
    _steered: Steered = field(repr=False)
    _aims: tuple[Aim, ...] = field(repr=False)

    def __repr__(self) -> str:
        return f"Reached({len(self.keyframes)} keyframes within {self.distances.max():.2g} m, {self.motions} motions)"

    def push(self, k: int) -> None:
        """Push the real system as it needs during the step after the k-th, besides what pushes it; nothing later."""
        if k < len(self.controls):
            self._steered.push(k, self.controls[k])

    def on(self, system: Clamped | Body) -> Reached:
        """The same motion for another system like it, such as a copy."""
        return replace(self, _steered=self._steered.moved_to(system))

    def off(self, k: int) -> float:
        """How far the real system is from keyframe k now, root mean square [m]."""
        return float(np.hypot(self._steered.off(self._aims[k]), self.beyond[k]))

    def play(self, look: Callable[[System], None] | None = None) -> Array:
        """Step the real system from its present state, which should be that of `reach`, under these forces.

        Args:
            look: called with the system or the world after every step.

        Returns:
            How far each keyframe was missed in it (k,) [m].
        """
        due, missed, taken = {step: k for k, step in enumerate(self.steps)}, [], 0

        def steer(system: System) -> None:
            system.release()
            self.push(taken)

        def see(system: System) -> None:
            nonlocal taken
            taken += 1
            if taken in due:
                missed.append(self.off(due[taken]))
            if look is not None:
                look(system)

        count = len(self.controls)
        try:
            play_and_look(self._steered.system, EachStep(steer), range(1, count + 1), see)
        finally:
            self._steered.system.release()
        return np.array(missed)


def reach(
    system: Clamped | Body,
    keyframes: Sequence[Keyframe],
    actuators: ArrayLike | None = None,
    duration: float | None = None,
    pieces: int | None = None,
    gentleness: float = 1e-7,
    smoothness: float = 0.01,
    hold: float | None = None,
    within: float = 1e-3,
    motions: int = 60,
    progress: Progress = None,
) -> Reached:
    """Find smooth forces that bring a body from its present state through keyframes; it is left as it was.

    Args:
        system: a clamped part with implicit steps, or a free body of a world. While forces for the latter are looked
            for it moves on smoothed ground: it feels the planes of its world and their friction, and no other body;
            `play` then tells what becomes of it in the world.
        actuators: forces (c, n, 3) on all vertices of the mesh, of each control at one, in the axes of the body:
            patches, muscles; None: all coordinates can be moved, and a free body as a whole.
        duration: of the motion [s]; None: until the last keyframe.
        pieces: of the splines that forces are over time; None: three for each keyframe.
        gentleness: price of forces, of what moves the body most.
        smoothness: price of their change over the duration, besides that.
        hold: a free body is also kept near a way through its keyframes, by springs of this period [s], since what
            stands or flies would soon lose its way; None: half the mean time between keyframes, none with actuators; 0:
            forces alone.
        within: share of the size of the body by which keyframes may be missed; the search then ends.
        motions: that are tried, at most.
        progress: called with a stage, and how many of the motions were tried.

    Raises:
        ArgumentError: keyframes are of another mesh or out of order, or actuators can move nothing.
        Diverged: without any forces the motion has no solution.
    """
    steered: Any = SteeredBody(system) if isinstance(system, Body) else SteeredPart(system)
    due, steps = checked_keyframes(keyframes, steered.dt, duration)
    count = check_count("pieces", 3 * len(keyframes) if pieces is None else pieces)
    price = check_number("gentleness", gentleness, above=0)
    rate = check_number("smoothness", smoothness, at_least=0)
    gap = steps * steered.dt / len(keyframes)
    springs = check_number("hold", (gap / 2 if actuators is None else 0.0) if hold is None else hold, at_least=0)
    _adopt(steered, actuators, gap)
    aims = [steered.aim(keyframe, k) for k, keyframe in enumerate(keyframes)]
    if springs:
        steered.lead(due, aims, steps, springs)
    before = np.array([steered.off(aim) for aim in aims])
    most, share = check_count("motions", motions), check_number("within", within, at_least=0)

    def search() -> dict[str, Array]:
        found = Search(steered, due, aims, spline(steps, min(count, steps)), price, rate)
        found.lower(most, share * found.length, progress)
        return {"controls": found.controls, "distances": found.distances(), "tried": np.array([found.tried])}

    law = origin(steered.model.material_law)
    asked = [
        law,
        [_content(keyframe) for keyframe in keyframes],
        steps,
        None if actuators is None else np.asarray(actuators, dtype=float),
    ]
    known = _kept(system, [*asked, count, price, rate, springs, share, most], search)
    report(progress, STAGE, 1.0)
    beyond = np.array([aim.beyond for aim in aims])
    distances = np.hypot(known["distances"], beyond), beyond, np.hypot(before, beyond)
    tried = int(known["tried"][0])
    return Reached(tuple(keyframes), tuple(due), known["controls"], *distances, tried, steered, tuple(aims))


def _content(keyframe: Keyframe) -> list[Any]:
    """All of it, as arrays."""
    state = None if keyframe.state is None else {name: np.asarray(each) for name, each in keyframe.state.items()}
    others = [
        getattr(keyframe, name) for name in ("time", "q", "position", "rotation", "vertices", "targets", "weight")
    ]
    return [state, *(None if each is None else np.asarray(each, dtype=float) for each in others)]


def _kept(thing: Clamped | Body, asked: list[Any], search: Callable[[], dict[str, Array]]) -> dict[str, Array]:
    """What a search finds, from the cache where the same was asked of the same system in the same state."""
    name, system = (thing.name, thing._there) if isinstance(thing, Body) else (None, thing)
    try:
        whole = packed(system)[:3]
    except PliantError:  # it holds what no file can
        return search()
    return cached_arrays(["motion through keyframes", name, *whole, *asked], search, ROOMS + ABOVE)


def _adopt(steered: Steered, actuators: ArrayLike | None, span: float) -> None:
    """Controls that at one would each move the body by about as much within a span [s]."""
    root = la.cholesky(steered.metric(span), lower=True)
    if actuators is None:
        steered.adopt(None, root)
        return
    n = len(steered.model.X)
    given = check_array("actuators", actuators, (None, None, 3))
    if given.shape[1] != n or not len(given):
        raise ArgumentError(f"actuators have shape {given.shape}; give one force on each of {n} vertices, (c, {n}, 3)")
    forces = np.moveaxis(given, 0, 2)
    even = np.full(
        (n, 3, 1), np.linalg.norm(given.reshape(len(given), -1), axis=1).max() / np.sqrt(3 * n)
    )  # surely moves something
    both = steered.adopt(np.concatenate([forces, even], axis=2), root)
    *strength, most = np.linalg.norm(la.solve_triangular(root, both, lower=True), axis=0)
    for k, each in enumerate(strength):
        if each <= POWERLESS * most:
            raise ArgumentError(f"actuator {k} can move nothing; give it forces on vertices that are not fixed")
    steered.adopt(forces / np.array(strength), root)
