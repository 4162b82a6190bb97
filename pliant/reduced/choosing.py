"""A reduced model whose basis is chosen for a tolerance, from the cache where it was chosen before."""

from collections.abc import Callable
from dataclasses import replace

from numpy.typing import ArrayLike

from pliant.basis import Basis
from pliant.basis.chosen import allowed, choose
from pliant.basis.columns import as_columns
from pliant.errors import check_number
from pliant.fem import Solid
from pliant.numerics.progress import Progress
from pliant.reduced.cache import cached
from pliant.reduced.model import ReducedModel

TOLERANCE = 0.02


def chosen_model(
    solid: Solid,
    tolerance: float | None,
    loads: ArrayLike | None,
    most: int | None,
    recipe: object,
    build: Callable[[Basis], ReducedModel],
    progress: Progress = None,
) -> ReducedModel:
    """The model with the smallest basis found that meets the tolerance, and its report.

    Args:
        recipe: plain values that `build` depends on.
        build: the model on a basis.
    """
    tolerance = check_number("tolerance", TOLERANCE if tolerance is None else tolerance, above=0, at_most=1)
    columns = None if loads is None else as_columns(solid, "loads", loads)
    most = allowed(most, tolerance)

    def choose_and_build() -> ReducedModel:
        basis, measured = choose(solid, tolerance, columns, most, progress)
        return replace(build(basis), report=measured)

    model = cached(["chosen", solid, tolerance, columns, most, recipe], choose_and_build)
    if model.report is not None:
        model.report.warn_if_short(3)
        model.report.warn_if_crushed(type(solid.material), 3)
    return model
