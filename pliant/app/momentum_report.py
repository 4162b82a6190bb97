"""What models of a free body do to its momentum and energy: rows of a table, and the curves of [MC15] Fig. 3."""

from pathlib import Path
from typing import Any

import numpy as np

from pliant.app.comparison import Outcome
from pliant.export.plot import Panel, write_panels
from pliant.scenes import Scene
from pliant.scenes.verdict import MEASURES

DRIFTS = ("momentum drift", "angular momentum drift", "energy drift")


def drifts(scene: Scene, outcome: Outcome) -> dict[str, Any]:
    """Those that checks of the scene ask for."""
    asked = [measure for measure in DRIFTS if any(check.measure == measure for check in scene.file.check)]
    return {measure: MEASURES[measure](outcome.track, "") if outcome.track.times else float("nan") for measure in asked}


def keeps_momentum(scene: Scene) -> bool:
    """Is it a world that claims to keep its angular momentum, and its energy?"""
    asked = {check.measure for check in scene.file.check}
    return scene.file.system == "world" and asked >= set(DRIFTS[1:])


def draw_momenta(scene: Scene, outcomes: list[Outcome], path: Path) -> None:
    """How far angular momentum and energy are, after the last push, from what they were then."""
    turned, gained = {}, {}
    for outcome in outcomes:
        track = outcome.track
        after = np.array(track.times) >= track.pushed_until
        L, E = np.array(track.momenta)[after, 3:], np.array(track.energies)[after]
        times = np.array(track.times)[after]
        turned[outcome.method] = times, np.linalg.norm(L - L[0], axis=1)
        gained[outcome.method] = times, E - E[0]
    spin = Panel(turned, "angular momentum: change since it was let go", "time [s]", "[N m s]")
    energy = Panel(gained, "energy: change since it was let go", "time [s]", "[J]")
    write_panels(path, [[spin], [energy]], title=scene.title)
