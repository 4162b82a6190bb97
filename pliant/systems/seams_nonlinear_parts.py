"""Domains with cubic forces that share the coordinates of their interfaces: columns, models, numbering."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pliant.basis import Basis
from pliant.basis.boundary import PartMatrices
from pliant.basis.boundary_derivatives import nonlinear_columns, traced
from pliant.basis.interface_entities import Entity, interface_entities
from pliant.basis.progress import Progress, report
from pliant.basis.trace import Trace, trace_basis
from pliant.errors import Array, Ids
from pliant.fem import Solid
from pliant.mesh.domains import Domains
from pliant.reduced import ReducedModel, reduce
from pliant.skin import SkinPart


@dataclass(frozen=True, eq=False)
class NonlinearParts:
    solid: Solid
    domains: Domains
    entities: tuple[Entity, ...]
    trace: Trace
    models: tuple[ReducedModel, ...]
    boundary: tuple[Ids, ...]

    @cached_property
    def internal(self) -> Ids:
        """(d + 1,) where the internal coordinates of each domain begin in q."""
        counts = [model.size - len(used) for model, used in zip(self.models, self.boundary)]
        return self.trace.size + np.concatenate([[0], np.cumsum(counts)]).astype(int)

    @property
    def size(self) -> int:
        return int(self.internal[-1])

    @cached_property
    def places(self) -> tuple[Ids, ...]:
        """Of every domain, which of q its coordinates are."""
        starts = self.internal
        return tuple(np.concatenate([u, np.arange(a, b)]) for u, a, b in zip(self.boundary, starts, starts[1:]))

    def assembled_mass(self) -> Array:
        M = np.zeros((self.size, self.size))
        for model, places in zip(self.models, self.places):
            M[np.ix_(places, places)] += model.mass
        return M

    def columns(self) -> Array:
        """U (3n, size)."""
        U = np.zeros((self.solid.dof_count, self.size))
        for domain, model, places in zip(self.domains.parts, self.models, self.places):
            rows = (3 * domain.vertices[:, None] + np.arange(3)).ravel()
            U[np.ix_(rows, places)] = model.U
        return U

    @cached_property
    def skin_parts(self) -> tuple[SkinPart, ...]:
        """A shared vertex is drawn by the first domain that has it; all would draw it in the same place."""
        taken = np.zeros(self.solid.mesh.vertex_count, dtype=bool)
        made = []
        for domain, model in zip(self.domains.parts, self.models):
            own = np.flatnonzero(~taken[domain.vertices])
            ids = domain.vertices[own]
            taken[ids] = True
            U = model.U.reshape(-1, 3, model.size)[own].reshape(-1, model.size)
            made.append(SkinPart(ids, np.ones(len(ids)), self.solid.mesh.vertices[ids], U))
        return tuple(made)


def nonlinear_parts(solid: Solid, domains: Domains, soft: int, derivatives: int, progress: Progress = None):
    entities = interface_entities(domains, solid.fixed)
    trace = trace_basis(solid.mesh.vertices, entities, soft, "affine")
    shared = np.concatenate([np.empty(0, np.int64), *(e.vertices for e in entities)])
    models, boundary = [], []
    for i, domain in enumerate(domains.parts):
        part = PartMatrices(solid, domain, shared)
        used, Phi = traced(part, trace)
        U = nonlinear_columns(part, Phi, derivatives)
        models.append(reduce(part.solid, Basis(U), force="cubic"))
        boundary.append(used)
        report(progress, "models of the parts", (i + 1) / domains.count)
    return NonlinearParts(solid, domains, entities, trace, tuple(models), tuple(boundary))
