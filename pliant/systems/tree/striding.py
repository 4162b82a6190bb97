"""How far the limbs go in a step, and what a step does about it: more passes, and in the end smaller steps.

A pass linearises forces and inertia where the last one ended. One is enough where limbs turn and move little; where
they do not, passes go on until they agree, and where they do not agree the step is taken in halves.
"""

from numba import njit

from pliant.numerics.simd8 import load8, spread8, store8
from pliant.numerics.simd8_matrices import dot, load3
from pliant.systems.tree.frames import FRAME, SPIN
from pliant.systems.tree.parts import FAR

HASTY = 0.05  # [rad] a limb turned in a step, or [sizes of its part] it moved: beyond this one pass is not enough
SETTLED = 0.02  # of that stride: passes that change less agree
PASSES = 8  # at most
FINEST = 16  # a step is taken in so many at most
FINER, STRETCH = 4, 32  # where energy appears: steps are taken again, so much finer, for so many steps
FINE, UNEXPLAINED, UNSETTLED = -1, -2, -3  # how steps end, besides the number of a pack without a solution


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
