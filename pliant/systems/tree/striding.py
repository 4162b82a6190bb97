"""How far the limbs go in a step, and what a step does about it: more passes, and in the end smaller steps.

A pass linearises forces and inertia where the last one ended. One is enough where limbs turn and move little; where
they do not, passes go on until they agree, and where they do not agree the step is taken in halves.

A single pass has the inertia of the start of the step, so that it feeds every mode omega of a limb that swings by theta
about 0.15 theta dt omega^2 of its energy a second, whatever dt is. beta takes beta omega^2; alpha takes the same of all
modes, and does not keep fast ones. Where beta is too small, passes go on until nothing is fed: the trapezoidal rule,
which is the same forwards and backwards and keeps energies in bounds.
"""

from numba import njit

from pliant.numerics.simd8 import load8, spread8, store8
from pliant.numerics.simd8_matrices import dot, load3
from pliant.systems.tree.frames import FRAME, SPIN
from pliant.systems.tree.parts import FAR

HASTY = 0.05  # [rad] a limb turned in a step, or [sizes of its part] it moved: beyond this one pass is not enough
SETTLED = 0.02  # of that stride: passes that change less agree
STEADY = 0.25  # of dt: such a beta takes more than a single pass feeds to anything that swings by up to 1.6 rad
GENTLE = 3.0  # in a stride of so many beta omega, omega the lowest frequency, a smaller beta does as well
AGREED, LEAST = 1e-6, 1e-13  # of a stride, and of the size of a part: a change that feeds nothing
PASSES = 8  # at most
FINEST = 16  # a step is taken in so many at most
FINER, STRETCH = 4, 32  # where energy appears: steps are taken again, so much finer, for so many steps
FINE, UNEXPLAINED, UNSETTLED = -1, -2, -3  # how steps end, besides the number of a pack without a solution


def hastes(dt: float, beta: float, slowest: float) -> tuple[float, float]:
    """What of a stride one pass is enough for, and which change of it agrees, where the lowest frequency is `slowest`.

    Args:
        slowest: [rad/s], of the whole tree.
    """
    if beta >= STEADY * dt:
        return HASTY, SETTLED
    return min(HASTY, GENTLE * beta * slowest), AGREED


@njit(cache=True, nogil=True)
def largest_turn(packs, scratch):
    """The largest spin of a limb [rad/s]."""
    largest, workspace = 0.0, scratch.workspace
    for pack in range(len(packs.size)):
        w = load3(scratch.frames, 8 * FRAME * pack + SPIN)
        store8(workspace, 0, dot(w, w))
        for lane in range(packs.lanes[pack]):
            largest = max(largest, workspace[lane])
    return largest**0.5


@njit(cache=True, nogil=True)
def largest_change(parts, packs, q, other, workspace):
    """The largest root mean square displacement between two sets of coordinates of a limb, in sizes of its part."""
    largest = 0.0
    for pack in range(len(packs.size)):
        at, size = packs.vector_at[pack], parts.limit[packs.part[pack]] / FAR
        total = spread8(0.0)
        for i in range(at, at + 8 * packs.size[pack], 8):
            change = load8(q, i) - load8(other, i)
            total += change * change
        store8(workspace, 0, total)
        for lane in range(packs.lanes[pack]):
            largest = max(largest, workspace[lane] / (size * size))
    return largest**0.5
