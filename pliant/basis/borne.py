"""How much of a load a solid bears: it finds rest under it, and not far beyond the linear displacement.

    |u|_M <= beyond |K^-1 load|_M,   else half of the load is tried

A solid that rests farther away has buckled, and one with cells inside out is crushed. Unless its user gave that load,
nobody wants a basis for how it lies on the ground.
"""

import numpy as np

from pliant.basis.galerkin import galerkin_static
from pliant.basis.indicator import mass_norm
from pliant.basis.response import StaticResponse
from pliant.errors import Array, Diverged
from pliant.fem import Solid, inverted_share

BEYOND = 2.0
HALVINGS = 3
ITERATIONS = 40


def borne(
    solid: Solid,
    U: Array,
    load: Array,
    response: StaticResponse,
    beyond: float = BEYOND,
    whole: bool = False,
) -> tuple[Array, Array] | None:
    """The load, or as much of it as is borne, and its equilibrium q (r,) in the basis; None: not even an eighth.

    Args:
        beyond: how much farther than the linear solid it may rest.
        whole: whether cells inside out mean that it is not borne.
    """
    linear = mass_norm(solid, response.solve(load))
    for halving in range(HALVINGS + 1):
        part = 0.5**halving
        try:
            q = galerkin_static(solid, U, part * load, iterations=ITERATIONS)
        except Diverged:
            continue
        if np.linalg.norm(q) <= beyond * part * linear and not (whole and inverted_share(solid, U @ q)):
            return part * load, q
    return None
