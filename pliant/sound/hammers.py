"""How long a hit takes: two round bodies that press each other by Hertz' law, so that soft ones sound dull.

F = k x^(3/2),  k = 4/3 E* sqrt(R),  1/E* = (1 - nu1^2)/E1 + (1 - nu2^2)/E2,  m x'' = -F, x'(0) = v
deepest = (5 m v^2 / (4 k))^(2/5),  duration = 2.9433 deepest / v,  F about F_max sin(pi t / duration)^(3/2)
"""

from dataclasses import dataclass

import numpy as np

from pliant.errors import Array, check_number

FLIGHT = 2.943275  # 4/5 sqrt(pi) Gamma(2/5) / Gamma(9/10)
_PHASES = np.linspace(0.0, 1.0, 4097)
_SHAPE = np.sin(np.pi * _PHASES) ** 1.5
_SHARE = np.concatenate([[0.0], np.cumsum((_SHAPE[1:] + _SHAPE[:-1]) / 2)])
_SHARE /= _SHARE[-1]


@dataclass(frozen=True)
class Hammer:
    """What strikes: a ball.

    Attributes:
        mass: [kg].
        radius: of its tip [m].
        young, poisson: [Pa], and without unit.
    """

    mass: float = 0.02
    radius: float = 0.01
    young: float = 1e9
    poisson: float = 0.3

    def __post_init__(self) -> None:
        for name in ("mass", "radius", "young"):
            check_number(f"the {name} of a hammer", getattr(self, name), above=0)
        check_number("the Poisson ratio of a hammer", self.poisson, above=-1, at_most=0.5)

    @property
    def compliance(self) -> float:
        """(1 - nu^2) / E [1/Pa]."""
        return (1 - self.poisson**2) / self.young


def hertz_duration(mass: float, radius: float, modulus: float, speed: float) -> float:
    """[s] of a hit at `speed` [m/s], of a mass [kg] with a radius [m] and E* [Pa]."""
    stiffness = 4 / 3 * modulus * np.sqrt(radius)
    return float(FLIGHT * (5 * mass / (4 * stiffness)) ** 0.4 * speed**-0.2)


def pulse(duration: float, offset: float, step: float) -> Array:
    """Mean force [N] in each step of `step` [s] of a hit with an impulse of 1 N s that comes `offset` [s] after the
    first begins; its sum times `step` is 1."""
    ends = np.arange(np.ceil((offset + duration) / step) + 1) * step
    return np.diff(np.interp((ends - offset) / duration, _PHASES, _SHARE)) / step
