"""The sliders: what can be changed about a running system, asked of the system itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pliant.app.contact_tuning import adjust_contacts, contact_settings
from pliant.app.wind_speed import wind_speed, with_speed
from pliant.systems import System

# What a system calls the settings of a page.
NAMES = {
    "stiffness": "stiffness",
    "alpha": "damping",
    "beta": "damping",
    "gravity": "gravity",
    "vectors": "size",
    "dt": "dt",
    "newton": "newton",
    "wind": "wind",
    "friction": "friction",
    "restitution": "restitution",
    "substeps": "substeps",
    "sweeps": "sweeps",
}


@dataclass(frozen=True)
class Settings:
    """What the sliders show.

    Attributes:
        stiffness: factor on Young's modulus of the scene.
        alpha, beta: Rayleigh damping [1/s], [s].
        gravity: (3,) [m/s^2].
        vectors: columns of the basis in use.
        dt: time step [s].
        newton: Newton iterations a step.
        wind: its mean speed [m/s].
        friction, restitution: of the bodies of a world, the median.
        substeps, sweeps: of a world, in each step.
    """

    stiffness: float = 1.0
    alpha: float = 0.0
    beta: float = 0.0
    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    vectors: int = 0
    dt: float = 0.001
    newton: int = 1
    wind: float = 0.0
    friction: float = 0.0
    restitution: float = 0.0
    substeps: int = 1
    sweeps: int = 1


def tunable(system: System) -> tuple[str, ...]:
    """The settings that this system can change."""
    known = {**system.settings, **contact_settings(system)}
    return tuple(name for name, own in NAMES.items() if own in known)


def settings_of(system: System) -> Settings:
    """As the system is now."""
    now = system.settings
    alpha, beta = now.get("damping", (0.0, 0.0))
    x, y, z = (float(g) for g in now.get("gravity", np.zeros(3)))
    newton, wind = now.get("newton", 1), wind_speed(now.get("wind"))
    touching = contact_settings(system)
    stiffness = float(now.get("stiffness", 1.0))
    return Settings(stiffness, float(alpha), float(beta), (x, y, z), system.size, system.dt, newton, wind, **touching)


def in_place(system: System, changes: Mapping[str, Any]) -> bool:
    """Can these settings change without another system?"""
    writable = {*system.writable, *contact_settings(system)}
    return all(NAMES[name] in writable for name in changes)


def adjust(system: System, settings: Settings) -> None:
    """Change what is writable of a running system."""
    for name, value in _own(system, settings).items():
        if name in system.writable and np.any(system.settings[name] != value):
            setattr(system, name, value)
    adjust_contacts(system, {name: getattr(settings, name) for name in contact_settings(system)})


def tuned(base: System, settings: Settings) -> System:
    """`base` with other settings, at rest and at time 0."""
    return base.retuned(**_own(base, settings))


def _own(system: System, settings: Settings) -> dict[str, Any]:
    """The settings in the words of the system, as far as it knows them."""
    said = {
        "stiffness": settings.stiffness,
        "damping": (settings.alpha, settings.beta),
        "gravity": settings.gravity,
        "size": settings.vectors,
        "dt": settings.dt,
        "newton": settings.newton,
        "wind": with_speed(system.wind, settings.wind),
    }
    return {name: value for name, value in said.items() if name in system.settings}


def carried(state: Mapping[str, NDArray], before: int, system: System) -> Mapping[str, NDArray]:
    """The state of one with `before` coordinates as a state of `system`, whose basis may be longer or shorter."""
    if "size" not in system.settings:
        return state
    return {
        name: _resized(value, system.size) if np.shape(value) == (before,) else value for name, value in state.items()
    }


def _resized(array: NDArray, size: int) -> NDArray:
    """The first `size` entries, zeros where there are fewer."""
    return np.pad(array[:size], (0, max(0, size - len(array))))
