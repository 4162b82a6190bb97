"""Constants that a motion depends on: Young's modulus and density of a group, and damping.

The steps solve R = M a + (alpha M + beta D) v + f - weight - B g = 0, in which M is linear in densities, f and D are
linear in Young's moduli, and alpha and beta stand as they are: differences of R along any of them are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np

from pliant.control.trajectory import Trajectory
from pliant.errors import ArgumentError, Array, check_choice
from pliant.systems import Clamped
from pliant.systems.strain_points import StrainRule, rate_damping
from pliant.systems.system import untold

NAMES = ("young", "density", "alpha", "beta")
SHARE = 0.25  # of a constant, by which it is changed for a difference


class Constant(NamedTuple):
    """A name of `NAMES`, and the material group that it is of; None: of all, or of the damping."""

    name: str
    group: int | None

    def __str__(self) -> str:
        return self.name if self.group is None else f"{self.name} {self.group}"


def constants_of(system: Clamped, vary: Sequence[str]) -> list[Constant]:
    """Those that `vary` names; moduli and densities once for each group of the material."""
    count = system.model.groups.count
    found: list[Constant] = []
    for name in dict.fromkeys([vary] if isinstance(vary, str) else vary):
        of_groups = check_choice("what is fitted", name, NAMES) in ("young", "density")
        found += [Constant(name, g) for g in range(count)] if of_groups and count > 1 else [Constant(name, None)]
    if not found:
        raise ArgumentError(f"vary must name at least one of {', '.join(NAMES)}; none was given")
    if count > 1 and system.strain_rule is not None:
        raise ArgumentError('several groups can be fitted with damping_law="stiffness", or without beta; make it so')
    for constant, value in zip(found, values_of(system, found)):
        if value <= 0:
            raise ArgumentError(f"{constant} is {value:g}, from where it cannot be fitted; begin above zero")
    return found


def values_of(system: Clamped, constants: Sequence[Constant]) -> Array:
    """(p,) what the constants of a system are."""
    groups = system.model.groups
    damping = {"alpha": system.alpha, "beta": system.beta}
    return np.array(
        [damping[c.name] if c.name in damping else getattr(groups, c.name)[c.group or 0] for c in constants]
    )


def with_values(system: Clamped, constants: Sequence[Constant], values: Array) -> Clamped:
    """The same system in the same state with other constants; accelerations are made anew."""
    model, alpha, beta = system.model, system.alpha, system.beta
    for constant, value in zip(constants, values):
        if constant.name == "alpha":
            alpha = float(value)
        elif constant.name == "beta":
            beta = float(value)
        else:
            model = model.with_material(**{constant.name: float(value)}, group=constant.group)
    with untold():
        made = cast(Clamped, system.retuned(model=model, damping=(alpha, beta)))
    made.q[:], made.v[:] = system.q, system.v
    return made


class Law(NamedTuple):
    """What R is made of, but for its states."""

    system: Clamped
    rule: StrainRule | None

    def unbalanced(self, at: Array, q: Array, v: Array, a: Array) -> Array:
        """R (r,) without the controls, of a step linearised at `at`."""
        model, alpha, beta = self.system.model, self.system.alpha, self.system.beta
        K = model.stiffness(at) if self.rule is None or np.any(q != at) else np.zeros((model.size, model.size))
        D = K if self.rule is None else rate_damping(self.rule, at)
        M, weight = model.mass, model.inertia.N.T @ self.system.gravity
        return M @ (a + alpha * v) + beta * (D @ v) + model.force(at) + K @ (q - at) - weight


class Slopes:
    """dR/dtheta (r, p) along a trajectory, theta the logarithms of the constants."""

    def __init__(self, system: Clamped, constants: Sequence[Constant]):
        values = values_of(system, constants)
        self._pairs = []
        for k, value in enumerate(values):
            change = SHARE * value * (np.arange(len(values)) == k)
            ends = [with_values(system, constants, values + sign * change) for sign in (1, -1)]
            self._pairs.append(([Law(end, end.strain_rule) for end in ends], 2 * SHARE))

    def at(self, trajectory: Trajectory, k: int) -> Array:
        """In the states after step k, or at the start, k = 0."""
        q, v, a = trajectory.q[k], trajectory.v[k], trajectory.a[k]
        single = k > 0 and not trajectory.converged
        at = trajectory.q[k - 1] + trajectory.dt * trajectory.v[k - 1] if single else q
        columns = [
            (ends[0].unbalanced(at, q, v, a) - ends[1].unbalanced(at, q, v, a)) / width for ends, width in self._pairs
        ]
        return np.stack(columns, axis=1)
