"""Nonlinear parts as small as a tolerance allows, measured on states at rest under loads that were held out.

Loads that pliant chose are measured twice as large as well, with twice the tolerance: loads that come at once go there.
The vibrations that weight sets going when it comes at once are held to the tolerance; where they are missed a second
attempt learns them. With twice the tolerance a spring erred by 5.2 % in two and a half periods, without either by 23 %.

The shapes that are cut are modes, derivatives and static states of typical loads. The columns of all parts are one
basis of the whole, so its errors are seen by the full model before any force of a part is made.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from pliant.basis.boundary import PartMatrices, dofs_of
from pliant.basis.boundary_derivatives import bending_columns, turned, used_trace
from pliant.basis.columns import as_columns
from pliant.basis.held_out import HeldOut, borne_loads, sudden_loads
from pliant.basis.interface_entities import interface_entities
from pliant.basis.learning import Learning
from pliant.basis.rigid import is_free
from pliant.basis.size_report import GRACE, SizeReport
from pliant.basis.sudden import Sudden
from pliant.basis.trace import trace_basis
from pliant.basis.vibration import Modes
from pliant.errors import Array
from pliant.fem import Solid, inverted_share
from pliant.mesh.domains import Domains
from pliant.numerics.progress import Progress
from pliant.reduced import cached_arrays
from pliant.reduced.cache import written
from pliant.systems.growing import REMEDY, attempted, grown, kept_search, scaled
from pliant.systems.seams.nonlinear_parts import NonlinearParts, Shapes, nonlinear_parts

MODES = 12  # with their derivatives: the ones above change nothing that static states do not hold
LEARNED = 80  # vectors of the basis in which static states begin
TURNED = 24  # leading shapes of a free solid in all directions


def chosen_parts(
    solid: Solid,
    domains: Domains,
    usual: tuple[int, int],
    tolerance: float,
    loads: ArrayLike | None,
    most: int,
    modes: int,
    force: str,
    progress: Progress = None,
) -> NonlinearParts:
    """The smallest parts found that meet the tolerance; arguments as of `couple_nonlinear`.

    Args:
        usual: soft and inner columns of parts for which no tolerance is asked.
    """
    given = None if loads is None else as_columns(solid, "loads", loads)
    code = [written(grown), written(chosen_parts)]

    def learned(attempt: int) -> dict[str, Array]:
        key = ["learned for a tolerance", code, solid, given, attempt, tolerance]
        return cached_arrays(key, lambda: _learned(solid, given, attempt, tolerance, progress))

    def search(attempt: int, first: int) -> tuple[int, SizeReport]:
        key = ["size of nonlinear seams", code, solid, domains.labels, list(usual), tolerance, given, most, attempt]
        return kept_search(key, lambda: measured_from(first, learned(attempt)))

    def measured_from(first: int, known: dict[str, Array]) -> tuple[int, SizeReport]:
        cut = _Cut(solid, domains, known["columns"])
        sudden = Sudden(solid, Modes(known["values"], known["vibrations"]), known["weights"])
        looked_at = sudden if known["weights"].size else None
        held_out = HeldOut(solid, known["held out"], known["rests"], known["allowed"], looked_at)

        def columns(step: int) -> Array:
            return cut.columns(*(scaled(count, step) for count in usual))

        step, found = grown(columns, held_out.errors, tolerance, most, progress, first)
        inverted = max(inverted_share(solid, known["states"]), inverted_share(solid, known["rests"]))
        return step, replace(found, reach=held_out.reach, inverted=inverted)

    attempt, step, measured = attempted(search)
    measured.warn_if_short(3, REMEDY)
    measured.warn_if_crushed(type(solid.material), 3)
    soft, derivatives = (scaled(count, step) for count in usual)
    known = learned(attempt)
    shapes = Shapes(known["columns"], known["states"])
    parts = nonlinear_parts(solid, domains, soft, derivatives, modes, force, progress, shapes)
    return replace(parts, report=measured)


def _learned(solid: Solid, loads: Array | None, attempt: int, tolerance: float, progress: Progress) -> dict[str, Array]:
    """What a solid does under its loads, loads that are held out with where it rests under them, and vibrations."""
    learning = Learning(solid, loads, MODES, progress)
    lessons = [learning.loads, *(learning.held_out(before) for before in range(attempt))]
    states, candidates = np.hstack([learning.learn(each, LEARNED) for each in lessons]), learning.candidates
    if attempt > 0:
        learning.learn_vibrations(candidates.basis(LEARNED), tolerance / GRACE)
    columns = np.hstack([candidates.bent, candidates.states])
    columns = turned(solid, columns, TURNED) if is_free(solid) else columns
    held_out, rests = borne_loads(learning, learning.held_out(attempt))
    far, far_rests = sudden_loads(learning, held_out, rests) if loads is None else (held_out[:, :0], rests[:0])
    weights, weighed = borne_loads(learning, learning.weights)
    heard = learning.modes if learning.sudden is None else learning.sudden.modes
    return {
        "columns": columns,
        "states": np.ascontiguousarray(states.T),
        "held out": np.hstack([held_out, weights, far]),
        "rests": np.vstack([rests, weighed, far_rests]),
        "allowed": np.repeat([1.0, GRACE], [len(rests) + len(weighed), len(far_rests)]),
        "weights": learning.weights,
        "values": heard.eigenvalues,
        "vibrations": heard.vectors,
    }


class _Cut:
    """A solid cut into domains whose columns can be made in any number."""

    def __init__(self, solid: Solid, domains: Domains, shapes: Array):
        self._solid, self._shapes = solid, shapes
        self._entities = interface_entities(domains, solid.fixed)
        shared = np.concatenate([np.empty(0, np.int64), *(e.vertices for e in self._entities)])
        self._parts = [PartMatrices(solid, domain, shared) for domain in domains.parts]

    def columns(self, soft: int, derivatives: int) -> Array:
        """U (3n, r) of the whole."""
        trace = trace_basis(self._solid.mesh.vertices, self._entities, soft, "affine", self._shapes)
        blocks, U = list[Array](), np.zeros((self._solid.dof_count, trace.size))
        for part in self._parts:
            dofs = dofs_of(part.domain.vertices)
            used, traced = used_trace(trace, part.domain.vertices)
            own = bending_columns(part, traced, self._shapes[dofs], derivatives)
            U[np.ix_(dofs, used)] = own[:, : len(used)]
            block = np.zeros((len(U), own.shape[1] - len(used)))
            block[dofs] = own[:, len(used) :]
            blocks.append(block)
        return np.hstack([U, *blocks])
