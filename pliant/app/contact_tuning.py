"""The sliders of a world: friction and bounce of its bodies, and how often contacts are solved."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pliant.systems import System

MANNERS = ("friction", "restitution")
COUNTS = ("substeps", "sweeps")


def contact_settings(system: System) -> dict[str, Any]:
    """What can be changed of a system whose bodies touch, as it is now; nothing of others."""
    if not hasattr(system, "sweeps"):
        return {}
    manners = {name: float(np.mean([getattr(body, name) for body in _moving(system)] or [0.0])) for name in MANNERS}
    return {"dt": system.dt, **manners, **{name: getattr(system, name) for name in COUNTS}}


def adjust_contacts(system: System, wanted: Mapping[str, Any]) -> None:
    """Change it where it is other than wanted; friction and restitution become those of all bodies that move."""
    now = contact_settings(system)
    for name, value in wanted.items():
        if now[name] == value:
            continue
        for target in _moving(system) if name in MANNERS else [system]:
            setattr(target, name, value)


def _moving(system: Any) -> list[Any]:
    return [body for body in system.bodies if np.isfinite(body.mass)]
