"""Domains that share the coordinates of their interfaces: numbering, reduced matrices, and the rows that draw them.

q = [q_B (all entities); internal of domain 0; ...; of domain d - 1],   z_i = q[places_i]   (maths sheet 3)

Everything here is linear and knows no time; the systems that step it read `CoupledParts`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, overload

import numpy as np

from pliant.basis.boundary import InnerShapes, PartColumns, PartMatrices, boundary_columns, dofs_of
from pliant.basis.interface_entities import Entity, interface_entities, sharing
from pliant.basis.size_report import SizeReport
from pliant.basis.trace import Trace, interface_shapes, rigid_fields, trace_basis
from pliant.errors import Array, Ids, check_array, check_ids
from pliant.fem import Solid
from pliant.mesh.domains import Domains
from pliant.numerics.progress import Progress, report
from pliant.numerics.threads import in_threads
from pliant.reduced import cached_arrays
from pliant.reduced.cache import written
from pliant.skin import SkinPart
from pliant.skin.nodal_rotation import rotation_sums
from pliant.systems.saving import savable


class LazyParts(Sequence[PartMatrices]):
    """Stiffness, mass and factor of every domain, made when a held vertex first asks for them."""

    def __init__(self, solid: Solid, domains: Domains, shared: Ids):
        self._solid, self._domains, self._shared = solid, domains, shared
        self._made: dict[int, PartMatrices] = {}

    def make(self, i: int) -> PartMatrices:
        """A new one, which is not kept."""
        return PartMatrices(self._solid, self._domains.parts[i], self._shared)

    def __len__(self) -> int:
        return self._domains.count

    @overload
    def __getitem__(self, index: int) -> PartMatrices: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[PartMatrices, ...]: ...
    def __getitem__(self, index: int | slice) -> PartMatrices | tuple[PartMatrices, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        i = range(len(self))[index]
        if i not in self._made:
            self._made[i] = self.make(i)
        return self._made[i]


@dataclass(frozen=True, eq=False)
class CoupledParts:
    """A solid cut into domains, each with its columns; made by `coupled_parts`.

    Attributes:
        solid: the whole.
        domains: the cut.
        entities: what the domains share.
        trace: the columns of the entities.
        parts: stiffness, mass and factor of every domain, made when they are asked for.
        columns: reduced matrices of every domain.
        turning: of every domain, sum_e V_e w_e of its columns (3n_i, r_i), for warping.
        report: error over size, where the columns were chosen for a tolerance; else None.
        drawn: the groups of late, by number, with the columns that they were made of.
    """

    solid: Solid
    domains: Domains
    entities: tuple[Entity, ...]
    trace: Trace
    parts: Sequence[PartMatrices]
    columns: tuple[PartColumns, ...]
    turning: tuple[Array, ...]
    volumes: Array
    masses: Array
    report: SizeReport | None = None
    drawn: dict[int, tuple[tuple[PartColumns, ...], SkinPart]] = field(default_factory=dict, repr=False)

    @property
    def size(self) -> int:
        """Number of coordinates q."""
        return self.trace.size + sum(len(c.values) for c in self.columns)

    @cached_property
    def internal(self) -> Ids:
        """(d + 1,) where the internal coordinates of each domain begin in q."""
        return self.trace.size + np.concatenate([[0], np.cumsum([len(c.values) for c in self.columns])]).astype(int)

    @cached_property
    def places(self) -> tuple[Ids, ...]:
        """Of every domain, which of q its coordinates z are."""
        starts = self.internal
        return tuple(np.concatenate([c.boundary, np.arange(a, b)]) for c, a, b in zip(self.columns, starts, starts[1:]))

    @cached_property
    def sharing(self) -> tuple[Ids, tuple[tuple[int, ...], ...]]:
        """Of every vertex the set of domains that have it, and the sets: those of one domain first."""
        return sharing(self.domains)

    @cached_property
    def groups(self) -> tuple[SkinPart, ...]:
        """The rows of all vertices: those of one domain alone, domain by domain, then one group a set that shares some.

        Both the displacement and the rotation vector of a shared vertex have one value, whoever draws it.
        """
        return tuple(self._drawn(k, reads) for k, reads in enumerate(self.sharing[1]))

    def _drawn(self, k: int, reads: tuple[int, ...]) -> SkinPart:
        """That of the last time where its domains have the same columns."""
        columns = tuple(self.columns[i] for i in reads)
        known = self.drawn.get(k)
        if known is None or any(now is not then for now, then in zip(columns, known[0])):
            known = self.drawn[k] = columns, self._group(np.flatnonzero(self.sharing[0] == k), reads)
        return known[1]

    def _group(self, vertices: Ids, reads: tuple[int, ...]) -> SkinPart:
        U, W = [], []
        for i in reads:
            rows = dofs_of(self.domains.parts[i].local(vertices))
            u = self.columns[i].U[rows]
            U.append(u if i == reads[0] else np.zeros_like(u))
            W.append(self.turning[i][rows])
        omega = np.hstack(W) / np.repeat(self.volumes[vertices], 3)[:, None]
        X, ones = self.solid.mesh.vertices[vertices], np.ones(len(vertices))
        return SkinPart(vertices, ones, X, np.hstack(U), omega, None if len(reads) == 1 else reads)

    @cached_property
    def reads(self) -> Ids:
        """Which of q the coordinates of a pose are, one domain after the other."""
        return np.concatenate(self.places)

    def with_columns(self, part: int, columns: PartColumns) -> "CoupledParts":
        """The same with other columns in one domain."""
        turning = rotation_sums(self.parts[part].solid, columns.U)[0]
        changed = replace(
            self, columns=_swapped(self.columns, part, columns), turning=_swapped(self.turning, part, turning)
        )
        changed.__dict__["sharing"] = self.sharing  # of the cut alone
        return changed

    def assembled(self) -> tuple[Array, Array]:
        """M and K of q, dense (size, size): sum_i P_i^T M_i P_i."""
        M, K = np.zeros((self.size, self.size)), np.zeros((self.size, self.size))
        for c, places in zip(self.columns, self.places):
            k = len(c.values)
            M[np.ix_(places, places)] += np.block([[c.M_bb, c.M_bi], [c.M_bi.T, np.eye(k)]])
            b = len(c.boundary)
            K[np.ix_(places[:b], places[:b])] += c.K_bb
            K[places[b:], places[b:]] += c.values
        return M, K

    def displacement(self, q: Array) -> Array:
        """The linear displacements U q (n, 3) [m]."""
        u = np.zeros(self.solid.mesh.vertices.shape)
        for domain, c, places in zip(self.domains.parts, self.columns, self.places):
            u[domain.vertices] = (c.U @ q[places]).reshape(-1, 3)
        return u

    def basis(self) -> Array:
        """U of the whole (3n, size)."""
        U = np.zeros((self.solid.dof_count, self.size))
        for domain, c, places in zip(self.domains.parts, self.columns, self.places):
            U[np.ix_(dofs_of(domain.vertices), places)] = c.U
        return U

    def rigid_motions(self) -> Array:
        """Coordinates Q (size, 6) with U Q = [I | e_k x (X - c)], c the centre of mass: exact, since the trace has
        them and the lift keeps them; free solids only."""
        X = self.solid.mesh.vertices
        fields = rigid_fields(X - self.masses @ X / self.masses.sum())
        rows = np.unique(self.trace.columns.indices)
        Psi = self.trace.columns.tocsr()[rows]
        Q = np.zeros((self.size, 6))
        Q[: self.trace.size] = np.linalg.lstsq(Psi.toarray(), fields[rows], rcond=None)[0]
        return Q


def _without_factors(coupled: CoupledParts) -> dict[str, Any]:
    return {each.name: getattr(coupled, each.name) for each in fields(coupled) if each.name not in ("parts", "drawn")}


def _with_factors(**given: Any) -> CoupledParts:
    """Factors are made again when a held vertex asks for them."""
    shared = np.concatenate([np.empty(0, np.int64), *(entity.vertices for entity in given["entities"])])
    coupled = CoupledParts(parts=LazyParts(given["solid"], given["domains"], shared), **given)
    _check_lengths(coupled)
    return coupled


def _check_lengths(coupled: CoupledParts) -> None:
    """Of all arrays of the domains: compiled loops trust them."""
    n, domains = coupled.solid.mesh.vertex_count, coupled.domains.parts
    for domain, c, turning in zip(domains, coupled.columns, coupled.turning, strict=True):
        rows, b, k = 3 * len(domain.vertices), len(c.boundary), len(c.values)
        check_ids("vertices", domain.vertices, n)
        check_ids("boundary", c.boundary, coupled.trace.size)
        shapes = {"U": (rows, b + k), "values": (k,), "K_bb": (b, b), "M_bb": (b, b), "M_bi": (b, k)}
        for name, shape in shapes.items():
            check_array(name, getattr(c, name), shape)
        check_array("turning", turning, (rows, b + k))
    for name in ("volumes", "masses"):
        check_array(name, getattr(coupled, name), (n,))


savable(CoupledParts, _without_factors, _with_factors)


def coupled_parts(
    solid: Solid,
    domains: Domains,
    soft: int,
    order: int,
    internal: str,
    columns: Sequence[int] | None,
    trace_kind: str,
    shapes: str = "harmonics",
    progress: Progress = None,
    inner: InnerShapes | None = None,
) -> CoupledParts:
    """Cut, reduce every domain on its own, in threads, and number the result; arguments as of `couple`.

    What is computed of the domains comes from the cache where it is there.

    Args:
        inner: displacements of the whole that interfaces and domains take in, beside modes; None: none.
    """
    entities = interface_entities(domains, solid.fixed)
    whole = _interface_shapes(solid, soft) if shapes == "modes" and soft and entities else None
    if whole is not None and inner is not None:
        whole = np.hstack([whole, inner.displacements])
    trace = trace_basis(solid.mesh.vertices, entities, soft, trace_kind, whole)
    parts = LazyParts(solid, domains, np.concatenate([np.empty(0, np.int64), *(e.vertices for e in entities)]))

    def reduced(i: int) -> tuple[PartMatrices, PartColumns, Array, Array]:
        part = parts.make(i)
        made = boundary_columns(part, trace, internal, order, None if columns is None else columns[i], inner)
        return part, made, *rotation_sums(part.solid, made.U)

    def build() -> dict[str, Array]:
        arrays: dict[str, Any] = {}
        volumes, masses = np.zeros(solid.mesh.vertex_count), np.zeros(solid.mesh.vertex_count)
        for i, (part, made, turning, own) in enumerate(in_threads(reduced, range(domains.count))):
            arrays |= {f"{i} {each.name}": getattr(made, each.name) for each in fields(made)}
            arrays[f"{i} turning"] = turning
            volumes[part.domain.vertices] += own
            masses[part.domain.vertices] += part.solid.lumped_mass[::3]
            report(progress, "columns of the parts", (i + 1) / domains.count)
        return arrays | {"volumes": volumes, "masses": masses}

    code = [written(coupled_parts), written(rotation_sums)]
    key = ["coupled parts", code, solid, domains.labels, soft, order, internal, columns, trace_kind, shapes]
    key += [] if inner is None else [inner]
    found = cached_arrays(key, build)
    made = tuple(_columns(found, i) for i in range(domains.count))
    turning = tuple(found[f"{i} turning"] for i in range(domains.count))
    volumes, masses = np.array(found["volumes"]), np.array(found["masses"])
    return CoupledParts(solid, domains, entities, trace, parts, made, turning, volumes, masses)


def _interface_shapes(solid: Solid, soft: int) -> Array:
    key = ["interface shapes", written(interface_shapes), solid, soft]
    return cached_arrays(key, lambda: {"shapes": interface_shapes(solid, soft)})["shapes"]


def _columns(found: dict[str, Any], i: int) -> PartColumns:
    return PartColumns(**{each.name: found[f"{i} {each.name}"] for each in fields(PartColumns)})


def _swapped(items: tuple, place: int, item: object) -> tuple:
    return (*items[:place], item, *items[place + 1 :])
