"""Domains with cubic forces that share the coordinates of their interfaces: columns, models, numbering.

q = [q_B (all entities); internal of domain 0; ...; of domain d - 1],   z_i = q[places_i]   (maths sheet 3)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from pliant.basis import Basis
from pliant.basis.boundary import PartMatrices, dofs_of
from pliant.basis.boundary_derivatives import SIZE, bending_columns, used_trace, whole_shapes
from pliant.basis.derivatives import modal_derivatives
from pliant.basis.interface_entities import Entity, interface_entities
from pliant.basis.size_report import SizeReport
from pliant.basis.trace import Trace, trace_basis
from pliant.basis.vibration import vibration_modes
from pliant.errors import Array, BasisError, Ids, check_array, check_count, check_ids
from pliant.fem import FirmStVK, Solid
from pliant.fem.inversion import resisting
from pliant.mesh.domains import Domain, Domains
from pliant.numerics.progress import Progress, report
from pliant.reduced import ReducedModel, cached, cached_arrays, reduce
from pliant.reduced.cache import content_key, written
from pliant.reduced.cubic import MOST
from pliant.reduced.groups import groups_of
from pliant.reduced.inertia import grams
from pliant.reduced.packing import coefficient_count
from pliant.skin import SkinPart
from pliant.systems.saving import savable
from pliant.systems.seams.part_rules import RULES, moving_states, part_rule

TABLES = 600_000  # coefficients of all cubic forces together: as much as stays in fast memory
CRUSHED = 0.5  # of its volume: below this the points of an StVK solid resist, as those of `FirmStVK` do
INSIDE = 6  # affine columns inside a part at most, beside those it is given


@dataclass(frozen=True, eq=False)
class NonlinearParts:
    """A solid cut into domains, each a reduced model with a cubic force; made by `nonlinear_parts`.

    Attributes:
        solid: the whole; one of StVK has become firm below CRUSHED where its parts have cubature.
        domains: the cut.
        entities: what the domains share.
        trace: the columns of the entities.
        boundary: of every domain, which columns of the trace are its first coordinates.
        models: of every domain, in its own numbering of vertices.
        report: error over size, where the columns were chosen for a tolerance; else None.
    """

    solid: Solid
    domains: Domains
    entities: tuple[Entity, ...]
    trace: Trace
    boundary: tuple[Ids, ...]
    models: tuple[ReducedModel, ...]
    report: SizeReport | None = None

    @property
    def exact(self) -> bool:
        """Whether the parts have the cubic forces of StVK, and not cubature."""
        return self.models[0].force_law.kind == "cubic"

    @property
    def size(self) -> int:
        """Number of coordinates q."""
        return int(self.internal[-1])

    @cached_property
    def internal(self) -> Ids:
        """(d + 1,) where the internal coordinates of each domain begin in q."""
        counts = [model.size - len(used) for model, used in zip(self.models, self.boundary)]
        return self.trace.size + np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    @cached_property
    def places(self) -> tuple[Ids, ...]:
        """Of every domain, which of q its coordinates are."""
        starts = self.internal
        return tuple(np.concatenate([own, np.arange(a, b)]) for own, a, b in zip(self.boundary, starts, starts[1:]))

    @cached_property
    def skin_parts(self) -> tuple[SkinPart, ...]:
        """A shared vertex is drawn by the first domain that has it; all of them would draw it in the same place."""
        taken = np.zeros(self.solid.mesh.vertex_count, dtype=bool)
        made = []
        for domain, model in zip(self.domains.parts, self.models):
            own = np.flatnonzero(~taken[domain.vertices])
            ids = domain.vertices[own]
            taken[ids] = True
            made.append(SkinPart(ids, np.ones(len(ids)), self.solid.mesh.vertices[ids], model.U[dofs_of(own)]))
        return tuple(made)

    def mass(self) -> Array:
        """M of q (size, size): sum_i P_i^T M_i P_i."""
        return self.sum_of([model.mass for model in self.models]).toarray()

    def sum_of(self, matrices: Sequence[Array]) -> sp.csr_matrix:
        """sum_i P_i^T A_i P_i (size, size), of matrices A_i (r_i, r_i)."""
        rows = np.concatenate([np.repeat(places, len(places)) for places in self.places])
        columns = np.concatenate([np.tile(places, len(places)) for places in self.places])
        values = np.concatenate([A.ravel() for A in matrices])
        return sp.csr_matrix((values, (rows, columns)), (self.size, self.size))

    def columns(self) -> Array:
        """U of the whole (3n, size): u = U q."""
        U = np.zeros((self.solid.dof_count, self.size))
        for domain, model, places in zip(self.domains.parts, self.models, self.places):
            U[np.ix_(dofs_of(domain.vertices), places)] = model.U
        return U


def _checked_parts(**given: Any) -> NonlinearParts:
    """With arrays as long as they must be: compiled loops trust them."""
    made = NonlinearParts(**given)
    for domain, model, boundary in zip(made.domains.parts, made.models, made.boundary, strict=True):
        check_ids("vertices", domain.vertices, made.solid.mesh.vertex_count)
        check_array("X", model.X, (len(domain.vertices), 3))
        check_ids("boundary", boundary, made.trace.size)
        check_count("size of a part", model.size, at_least=len(boundary))
    return made


savable(NonlinearParts, made=_checked_parts)


@dataclass(frozen=True, eq=False)
class Shapes:
    """What a solid does as a whole.

    Attributes:
        columns: (3n, s) shapes whose leading directions are the columns of entities and domains.
        states: (k, 3n) displacements that cubature is trained on, beside those of the lowest modes.
    """

    columns: Array
    states: Array


def nonlinear_parts(
    solid: Solid,
    domains: Domains,
    soft: int,
    derivatives: int,
    modes: int,
    force: str,
    progress: Progress = None,
    given: Shapes | None = None,
) -> NonlinearParts:
    """Cut, and reduce every domain on its own; arguments as of `couple_nonlinear`. Models come from the cache.

    Domains have cubic forces, all of them, where their tables together are small and the solid is held; else cubature:
    of a free solid it also damps rates of strain alone.

    Args:
        given: shapes to cut; None: modes and modal derivatives.
    """
    report(progress, "modes and derivatives of the whole", 0.0)
    code = [written(_states), written(part_rule)]
    whole = ["shapes of nonlinear seams", code, solid, modes]
    if given is None:
        shapes = cached_arrays(whole, lambda: {"shapes": whole_shapes(solid, modes)})["shapes"]
    else:
        shapes = given.columns
    report(progress, "modes and derivatives of the whole", 1.0)
    entities = interface_entities(domains, solid.fixed)
    trace = trace_basis(solid.mesh.vertices, entities, soft, "affine", shapes)
    shared = np.concatenate([np.empty(0, np.int64), *(e.vertices for e in entities)])
    used = [used_trace(trace, domain.vertices) for domain in domains.parts]
    if force == "auto":
        sizes = [traced.shape[1] + derivatives + INSIDE for _, traced in used]
        cheap = sum(coefficient_count(size + 1) for size in sizes) <= TABLES
        plain = not isinstance(solid.material, FirmStVK)
        force = "cubic" if cheap and plain and len(solid.fixed) else "cubature"
    states = (
        cached_arrays([*whole, "states"], lambda: {"states": _states(solid, modes)})["states"]
        if force == "cubature"
        else None
    )
    if given is not None and states is not None:
        states = np.concatenate([states, given.states])
    own_shapes = [] if given is None else [given]
    key = content_key([*whole, domains.labels, soft, derivatives, force, RULES, CRUSHED, *own_shapes])
    solid = resisting(solid, CRUSHED) if force == "cubature" else solid
    models = []
    for i, (domain, (_, traced)) in enumerate(zip(domains.parts, used)):

        def build(domain: Domain = domain, traced: Array = traced) -> ReducedModel:
            part = PartMatrices(solid, domain, shared)
            U = bending_columns(part, traced, shapes[dofs_of(domain.vertices)], derivatives)
            return _model(part, U, states)

        models.append(cached(["part of nonlinear seams", key, i], build))
        report(progress, "models of the parts", (i + 1) / domains.count)
    boundary = tuple(own for own, _ in used)
    return NonlinearParts(solid, domains, entities, trace, boundary, tuple(models))


def _model(part: PartMatrices, U: Array, states: Array | None) -> ReducedModel:
    """With cubature trained on states of the whole, or cubic where there are none."""
    if states is not None:
        groups = groups_of(part.solid)
        return ReducedModel(
            X=part.solid.mesh.vertices,
            U=np.ascontiguousarray(U),
            cells=part.solid.mesh.cells,
            fixed=part.solid.fixed,
            material_law=type(part.solid.material),
            groups=groups,
            force_law=part_rule(part, U, states),
            unit_grams=grams(part.solid, U, groups),
        )
    if U.shape[1] > MOST:
        raise BasisError(
            f"{part.domain.name} would have {U.shape[1]} coordinates; cubic parts have at most {MOST}: cut where fewer "
            "interfaces meet, give fewer columns, or force='cubature'"
        )
    return reduce(part.solid, Basis(U), force="cubic")


def _states(solid: Solid, modes: int) -> Array:
    """What the whole does, by its modes and derivatives."""
    found = vibration_modes(solid, min(modes, len(solid.free) // 4))
    extent = np.ptp(solid.mesh.vertices, axis=0).max()
    reach = SIZE * extent / np.abs(found.vectors[:, 0]).max() * found.frequencies[0] / found.frequencies
    return moving_states(solid, found.vectors, modal_derivatives(solid, found), reach, seed=0)
