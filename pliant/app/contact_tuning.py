"""The sliders of a world: friction and bounce of its bodies, and how often contacts are solved."""

from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from pliant.systems import System

MANNERS = ("friction", "restitution")
COUNTS = ("substeps", "sweeps")


def contact_settings(system: System) -> dict[str, Any]:
    """What can be changed of a system whose bodies touch, as it is now; nothing of others."""
    if not hasattr(system, "sweeps"):
        return {}
    manners = {name: _usual([getattr(body, name) for body in _moving(system)]) for name in MANNERS}
    return {**manners, **{name: getattr(system, name) for name in COUNTS}}


def adjust_contacts(system: System, wanted: Mapping[str, Any]) -> None:
    """Change it where it is other than wanted; friction and restitution become those of all bodies that move.

    What was usual at first gives each body its own again.
    """
    now, moving = contact_settings(system), _moving(system) if wanted else []
    for body in moving:
        _at_first.setdefault(body, {name: getattr(body, name) for name in MANNERS})
    for name, value in wanted.items():
        if now[name] == value:
            continue
        if name not in MANNERS:
            setattr(system, name, value)
            continue
        own = [_at_first[body][name] for body in moving]
        for body, first in zip(moving, own):
            setattr(body, name, first if value == _usual(own) else value)


_at_first: WeakKeyDictionary[Any, dict[str, float]] = WeakKeyDictionary()


def _usual(values: list[float]) -> float:
    return float(np.median(values)) if values else 0.0


def _moving(system: Any) -> list[Any]:
    return [body for body in system.bodies if np.isfinite(body.mass)]
