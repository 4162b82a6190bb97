"""How much of a correction d to take in a Newton iteration: all of it, unless it overshoots.

    slope(s) = r(q + s d) . d,    r = -grad W,    W the potential of a step

The slope falls from slope(0) > 0 to where W is least along d. Where it is below -slope(0) at s = 1, d went more than
twice as far, and the secant says where to go back to. Without that the iteration may go astray, the step is halved,
and halves of a step ring otherwise than the whole: a snake of 123 vectors, 50 steps a period, erred by 2.3 % against
the unreduced solid in such steps, and by less than 0.1 % in whole ones.
"""

from pliant.numerics.inner import inner

LEAST = 0.1


@inner
def share_of(before, after):
    """The share of d to take, given its slopes at 0 and at 1."""
    return max(LEAST, before / (before - after)) if before > 0 and after < -before else 1.0
