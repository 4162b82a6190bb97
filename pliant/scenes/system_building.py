"""From a body of a scene, or all of them, to a system that is prepared, blown on, thrown and dressed as it says."""

import warnings
from collections.abc import Sequence

import numpy as np

from pliant.errors import Diverged, PliantWarning, SceneError
from pliant.numerics.progress import Progress, report
from pliant.scenes.bodies import Body
from pliant.scenes.dressing import dress
from pliant.scenes.hands import ScheduledHand
from pliant.scenes.kinds import SYSTEMS
from pliant.scenes.schema import SceneFile
from pliant.scenes.throwing import throw
from pliant.systems import System, Wind


def build_body(scene: SceneFile, body: Body, hands: Sequence[ScheduledHand], progress: Progress = None) -> System:
    """The system of one body; `hands` are those that will hold it."""
    kind = SYSTEMS[body.kind]
    system = kind.build(scene, body, progress)
    if scene.start == "equilibrium" and "start" in kind.accepts:
        report(progress, "equilibrium", 0.0)
        _settle(system, body.name)
    for hand in hands:
        if hand.key not in kind.accepts:
            raise SceneError(f"{body.name} is {kind.name}, which knows no [[{hand.key}]]; use [[push]]")
        hand.prepare(system)
    if scene.wind is not None and "wind" in kind.accepts:
        system.wind = wind_of(scene)
    throw(system, body.table.velocity, body.table.spin, body.name)
    report(progress, "surface", 0.0)
    dress(scene, body, system)
    report(progress, "surface", 1.0)
    return system


def build_whole(
    scene: SceneFile, bodies: Sequence[Body], hands: Sequence[ScheduledHand], progress: Progress = None
) -> System:
    """One system of all bodies; `hands` are those that will hold them."""
    make = SYSTEMS[scene.system].whole
    assert make is not None, "asked for only where a kind makes one system of all bodies"
    system = make(scene, bodies, progress, lambda file, body: SYSTEMS[body.kind].build(file, body, progress))
    for hand in hands:
        hand.prepare(system)
    return system


def _settle(system: System, name: str) -> None:
    try:
        system.settle()
    except Diverged:
        warnings.warn(
            f"{name} finds no equilibrium under its weight, so it starts from rest; make it stiffer", PliantWarning, 2
        )


def wind_of(scene: SceneFile) -> Wind | None:
    """None where a scene has no wind."""
    wanted = scene.wind
    if wanted is None:
        return None
    return Wind(np.array(wanted.velocity), wanted.gust, wanted.length, wanted.seed, wanted.drag)
