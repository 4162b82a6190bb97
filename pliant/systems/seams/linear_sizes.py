"""Linear parts as small as a tolerance allows, measured in the limit of small loads, some of which were held out.

Static responses to typical loads are cut at the interfaces: modes do not hold the give of a pulled surface.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from pliant.basis.boundary import InnerShapes
from pliant.basis.columns import as_columns
from pliant.basis.held_out import small_errors
from pliant.basis.learning import Learning
from pliant.basis.size_report import SizeReport
from pliant.errors import Array
from pliant.fem import Solid
from pliant.mesh.domains import Domains
from pliant.numerics.progress import Progress
from pliant.reduced import cached_arrays
from pliant.reduced.cache import written
from pliant.systems.growing import BELOW, REMEDY, attempted, grown, kept_search, scaled
from pliant.systems.seams.parts import CoupledParts, coupled_parts

MODES = 12  # whose inertia is held out
INNER = 6  # columns inside a part, from static responses, that it begins with about
SHARE = 0.1  # of the lowest mode, in the mass: how much a static response counts at an interface


@dataclass(frozen=True)
class Recipe:
    """What does not grow; as of `couple`."""

    internal: str
    trace: str
    shapes: str

    def parts(
        self,
        solid: Solid,
        domains: Domains,
        soft: int,
        order: int,
        columns: Sequence[int] | None = None,
        progress: Progress = None,
        inner: InnerShapes | None = None,
    ) -> CoupledParts:
        """`coupled_parts` of these."""
        return coupled_parts(
            solid, domains, soft, order, self.internal, columns, self.trace, self.shapes, progress, inner
        )


def chosen_parts(
    solid: Solid,
    domains: Domains,
    usual: int,
    tolerance: float,
    loads: ArrayLike | None,
    most: int,
    recipe: Recipe,
    progress: Progress = None,
) -> CoupledParts:
    """The smallest parts found that meet the tolerance; arguments as of `couple`.

    Args:
        usual: soft columns of parts for which no tolerance is asked.
    """
    given = None if loads is None else as_columns(solid, "loads", loads)
    code = [written(grown), written(chosen_parts)]
    key = [code, solid, given]

    def parts(attempt: int, step: int) -> CoupledParts:
        shapes = cached_arrays(["static responses", *key, attempt], lambda: {"u": _responses(solid, given, attempt)})
        inner = InnerShapes(shapes["u"], scaled(INNER, step))
        return recipe.parts(solid, domains, scaled(usual, step), 1 + step // BELOW, None, progress, inner)

    def measured_from(first: int, attempt: int) -> tuple[int, SizeReport]:
        learning = Learning(solid, given, MODES)
        held_out = learning.held_out(attempt)
        return grown(
            lambda step: parts(attempt, step).basis(),
            lambda U: small_errors(learning, U, held_out),
            tolerance,
            most,
            progress,
            first,
        )

    def search(attempt: int, first: int) -> tuple[int, SizeReport]:
        asked = ["size of seams", *key, domains.labels, recipe, usual, tolerance, most, attempt]
        return kept_search(asked, lambda: measured_from(first, attempt))

    attempt, step, measured = attempted(search)
    measured.warn_if_short(3, REMEDY)
    return replace(parts(attempt, step), report=measured)


def _responses(solid: Solid, given: Array | None, attempt: int) -> Array:
    """(3n, s) [m] to typical loads, to pulls at single vertices and to what was held out, each as large as counts."""
    learning = Learning(solid, given, MODES)
    lessons = np.hstack([learning.loads, *(learning.held_out(before) for before in range(attempt))])
    u = np.hstack([learning.response.solve(lessons), learning.give])
    return u * (SHARE / np.sqrt(np.einsum("ij,ij->j", u, learning.solid.mass @ u)))
