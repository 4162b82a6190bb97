"""How a motion changes with its constants: forwards, all states by all constants; backwards, one cost by all of them.

A dq+ = P dq + V dv + (a3 M - a6 C) da - dR/dtheta        (maths sheet section 10, with constants in place of forces)
dJ/dtheta = - sum_k y_k . dR_k/dtheta + ah_0 . da_0/dtheta,   da_0/dtheta = -M^-1 dR_0/dtheta
"""

from collections.abc import Sequence

import numpy as np

from pliant.control.adjoint import multipliers
from pliant.control.objective import Objective
from pliant.control.parameters import Constant, Slopes
from pliant.control.step_tangent import step_tangent
from pliant.control.trajectory import Trajectory
from pliant.errors import Array
from pliant.systems import Clamped
from pliant.systems.newmark import newmark


def sensitivities(system: Clamped, trajectory: Trajectory, constants: Sequence[Constant]) -> Array:
    """dq/dtheta (T + 1, r, p), theta the logarithms of the constants; the first q and v are taken as given."""
    slopes, M, c = Slopes(system, constants), trajectory.model.mass, newmark(trajectory.dt)
    found = np.zeros((trajectory.step_count + 1, trajectory.model.size, len(constants)))
    dv, da = np.zeros_like(found[0]), -np.linalg.solve(M, slopes.at(trajectory, 0))
    for k in range(1, trajectory.step_count + 1):
        tangent = step_tangent(trajectory, k)
        dq = found[k - 1]
        push = tangent.P @ dq + tangent.V @ dv + (c.a3 * M - c.a6 * tangent.C) @ da - slopes.at(trajectory, k)
        found[k] = np.linalg.solve(tangent.A, push)
        step = found[k] - dq
        dv, da = c.a4 * step + c.a5 * dv + c.a6 * da, c.a1 * step - c.a2 * dv - c.a3 * da
    return found


def constants_gradient(
    system: Clamped, trajectory: Trajectory, objective: Objective, constants: Sequence[Constant]
) -> tuple[float, Array]:
    """J and dJ/dtheta (p,), by one pass backwards, whatever the number of constants."""
    slopes = Slopes(system, constants)
    cost, y, start = multipliers(trajectory, objective)
    total = -np.linalg.solve(trajectory.model.mass, start[2]) @ slopes.at(trajectory, 0)
    for k in range(1, trajectory.step_count + 1):
        total -= y[k - 1] @ slopes.at(trajectory, k)
    return objective.effort(trajectory.controls)[0] + cost, total
