"""What the forces of now do to seams, before any step: M a = load - K q - C v, of a free body with its spin.

As in a step of `flight` that takes no time.
"""

from typing import TYPE_CHECKING

import numpy as np

from pliant.errors import Array
from pliant.systems.seams.loads import add_outer_loads
from pliant.systems.seams.middle import find_turning, measure_middle, spin_forces
from pliant.systems.seams.rigid_motion import remove_rigid
from pliant.systems.seams.solver import Condensed, add_forces, solve_arrow
from pliant.systems.system_points import act_as_warped

if TYPE_CHECKING:
    from pliant.systems.seams.seams import Seams


def acceleration_of(seams: "Seams", time: float) -> Array:
    """(size,) of the coordinates, without rigid motion where the frame carries it; wind as it is at a time [s]."""
    seams.step(0)
    seams._measure()
    load, mass = np.zeros(seams.size), seams.mass_factor
    add_outer_loads(seams._loads, seams._frame, seams._shape, time, seams._q, load)
    add_forces(seams._arrow, seams.alpha, seams.beta, seams._q, seams._v, -1.0, load)
    if seams.free:
        return _spinning(seams, mass, load)
    solve_arrow(seams._arrow, mass, load)
    return load


def _spinning(seams: "Seams", mass: Condensed, load: Array) -> Array:
    seams._measure()
    shape, middle, frame = seams._shape, seams._flight.middle, seams._frame
    for name in ("u", "w", "du", "dw"):
        getattr(middle, name)[:] = getattr(shape, name)
    middle.ddu[:], middle.ddw[:] = 0.0, 0.0
    measure_middle(seams._masses, middle, seams._rigid.mass)
    middle.turn[:] = frame.axes[:3] @ frame.drift[1]
    seams._ahead.force[:], seams._ahead.torque[:] = frame.force, frame.torque
    find_turning(frame, seams._ahead, middle, seams._rigid.mass, 0.0)
    spin_forces(seams._masses, middle)
    act_as_warped(seams._masses, middle.Rt, middle.D, middle.forces, load)
    remove_rigid(seams._rigid.B, seams._rigid.Q, load)
    solve_arrow(seams._arrow, mass, load)
    return load
