"""How many coordinates a tree needs for a tolerance, as the full model sees it at rest under loads.

The parts of a tree stand on the mean motion of their interfaces, so what they can do is no basis of the solid, and what
they gape by no size mends: so each tree that is tried is built, loaded and looked at (`systems/estimating.py`), and
where errors no longer fall the search ends.
"""

from collections.abc import Callable
from typing import Any

from pliant.basis.size_report import SizeReport
from pliant.errors import Array
from pliant.fem import Solid
from pliant.numerics.progress import Progress
from pliant.reduced.cache import ROOMS, written
from pliant.systems.estimating import estimate_errors
from pliant.systems.growing import grown, kept_search, scaled
from pliant.systems.tree.tree import Tree

PATIENCE = 2  # steps, sizes 1.7 times as large together, in which errors must fall
REMEDY = "take pl.couple_nonlinear, whose parts do not gape"


def chosen_size(
    tree_of: Callable[[int], Tree],
    usual: int,
    most: int,
    solid: Solid,
    tolerance: float,
    loads: Array | None,
    recipe: Any,
    progress: Progress = None,
) -> SizeReport:
    """The smallest size found that meets the tolerance, or the one that errs least, and what was measured.

    Args:
        tree_of: a tree with so many coordinates, of full inertia; at rest that does not matter.
        usual: coordinates near which the search begins, from below.
        most: coordinates that are allowed.
        loads: (3n, s) [N] that will act; None: typical ones.
        recipe: plain values that, with the solid, say how trees are made.
    """

    def search() -> tuple[int, SizeReport]:
        return grown(
            lambda step: tree_of(min(scaled(usual, step), most)),
            lambda tree: estimate_errors(tree, loads, solid, progress),
            tolerance,
            most,
            progress,
            size=lambda tree: tree.size,
            patience=PATIENCE,
        )

    key = ["size of a tree", written(grown), solid, recipe, usual, tolerance, loads, most]
    _, measured = kept_search(key, search, (*ROOMS, "systems"))
    measured.warn_if_short(3, REMEDY)
    return measured
