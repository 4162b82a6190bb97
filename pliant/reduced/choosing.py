"""A reduced model whose basis is chosen for a tolerance, from the cache where it was chosen before.

A tolerance that somebody asks for, and that cannot be had by far, is refused; the usual one is warned of. Where the
loads turn cells of StVK inside out, which it does not resist, the model is one of FirmStVK, and says so.
"""

import warnings
from collections.abc import Callable
from dataclasses import replace

from numpy.typing import ArrayLike

from pliant.basis import Basis
from pliant.basis.chosen import allowed, choose
from pliant.basis.columns import as_columns
from pliant.basis.size_report import SizeReport
from pliant.errors import Array, BasisError, PliantWarning, check_number
from pliant.fem import FirmStVK, Solid
from pliant.numerics.progress import Progress
from pliant.reduced.cache import cached, cached_arrays
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
    firm: Callable[[], ReducedModel] | None = None,
) -> ReducedModel:
    """The model with the smallest basis found that meets the tolerance, and its report.

    Args:
        recipe: plain values that `build` depends on.
        build: the model on a basis.
        firm: the model to take where the loads turn cells inside out, of a material that resists.

    Raises:
        BasisError: a tolerance was asked for, without a limit on the vectors, and twice as much is not met either.
    """
    asked = tolerance is not None and most is None
    tolerance = check_number("tolerance", TOLERANCE if tolerance is None else tolerance, above=0, at_most=1)
    columns = None if loads is None else as_columns(solid, "loads", loads)
    most = allowed(solid, tolerance, most)
    key = ["chosen", solid, tolerance, columns, most]

    def chosen() -> dict[str, Array]:
        basis, measured = choose(solid, tolerance, columns, most, progress)
        return {"vectors": basis.vectors, **measured.arrays()}

    if firm is not None and (share := SizeReport.of_arrays(cached_arrays(key, chosen)).inverted) > 0:
        _tell_of_firmness(share)
        return firm()

    def chosen_and_built() -> ReducedModel:
        arrays = cached_arrays(key, chosen)
        measured = SizeReport.of_arrays(arrays)
        if asked and measured.far_off:
            raise BasisError(_refusal(measured))
        return replace(build(Basis(arrays["vectors"])), report=measured)

    model = cached([*key, asked, recipe], chosen_and_built)
    if model.report is not None:
        model.report.warn_if_short(3)
        model.report.warn_if_crushed(type(solid.material), 3)
    return model


def _tell_of_firmness(share: float) -> None:
    warnings.warn(
        f"the loads that a basis is chosen for turn {share:.2g} of the volume inside out, which StVK does not resist: "
        f"the model is of FirmStVK, the same while a cell keeps {FirmStVK.threshold:g} of its volume; "
        "force='cells' keeps StVK",
        PliantWarning,
        4,
    )


def _refusal(measured: SizeReport) -> str:
    """What was reached, what more would cost, and what to use instead."""
    return (
        f"a tolerance of {measured.tolerance:g} was asked for, and {measured.size} vectors leave an estimated error of "
        f"{measured.reached:.2g}; ask for that much, allow more with most= (a step takes twice as long with 1.4 times "
        "as many), give the loads= that act, or cut the solid into parts: pl.assemble, pl.couple_nonlinear"
    )
