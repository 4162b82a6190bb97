"""A labelled solid cut into limbs: the model of every domain, and where it stands ([LS11] section 3)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pliant.basis.part_basis import part_basis, span_limit
from pliant.basis.part_sizes import part_sizes
from pliant.errors import ArgumentError, Array, Ids, check_count
from pliant.fem import Linear, Material, Solid, StVK
from pliant.mesh import Mesh
from pliant.mesh.domain_tree import DomainTree
from pliant.mesh.domains import Domains, PartKey, labelled_domains, part_number
from pliant.mesh.matching import TOLERANCE, Alignment, Shape, alike, itself
from pliant.numerics.progress import Progress, report
from pliant.reduced import ReducedModel, cached, reduce
from pliant.reduced.interface import patch_centroid
from pliant.reduced.rigid import Rigid
from pliant.systems.tree.limb import Limb

ROOMY = 20  # vectors: smaller bases need them all for derivatives, without which they stiffen in large motion


def _share(attachment: bool | None, size: int) -> float:
    """Of a basis of `size` vectors, what attachment modes may take: all, none, or by default half of a roomy one."""
    return (0.5 if size >= ROOMY else 0.0) if attachment is None else float(attachment)


@dataclass(frozen=True, eq=False)
class Cut:
    """One domain on its way to a limb.

    Attributes:
        mesh: of the domain, where it lies in the solid.
        material: of its cells.
        held: vertices where it stands on its parent; of the root those where the solid is fixed.
        origin: (3,) the area centroid of what holds it; of a free root its centre of mass.
        children: vertices of the interfaces of its children.
    """

    mesh: Mesh
    material: Material
    held: Ids
    origin: Array
    children: tuple[Ids, ...]

    @property
    def limit(self) -> int:
        """The most coordinates that it can have."""
        return span_limit(self.mesh.vertex_count, len(self.held))

    def shape(self, size: int, attachment: bool | None) -> Shape:
        """What two parts must have in common to share a model; the children may stand elsewhere."""
        deforms = size > 0
        constants = self.material.constant_names() if deforms else ("density",)
        return Shape(
            self.mesh,
            kind=type(self.material).__name__ if deforms else "rigid",
            cell_values=np.stack([self.material.per_cell(name, self.mesh.cell_count) for name in constants], axis=1),
            held=self.held,
            ports=self.children if _share(attachment, size) and deforms else (),
        )

    def model(self, size: int, modes: int | None, attachment: bool | None) -> ReducedModel | Rigid:
        """In the frame that has its origin where the domain is held; from the cache where possible."""
        mesh = Mesh(self.mesh.vertices - self.origin, self.mesh.cells)
        if size == 0:
            return Rigid(mesh, self.material.density)
        solid, share = Solid(mesh, self.material, self.held), _share(attachment, size)
        ports = self.children if share else ()
        parts = ["limb", solid, size, modes, list(ports), share]
        force = "linear" if isinstance(self.material, Linear) else "cubic"
        return cached(parts, lambda: reduce(solid, part_basis(solid, size, modes, ports, share=share), force))


def limbs_of(
    solid: Solid,
    labels: ArrayLike | None = None,
    root: PartKey | None = None,
    size: int = 156,
    *,
    sizes: Sequence[int] | Mapping[Any, int] | None = None,
    rule: str = "log",
    modes: int | None = None,
    attachment: bool | None = None,
    rigid: Collection[PartKey] = (),
    instances: bool = True,
    names: Sequence[str] | None = None,
    progress: Progress = None,
) -> tuple[list[Limb], list[Ids]]:
    """The limbs of a labelled solid, parents first, and for each the vertex of the solid that its vertices are.

    Args: as of `substructure`.
    """
    if not isinstance(solid, Solid):
        raise ArgumentError(f"solid must be a pliant Solid; {type(solid).__name__} was given (use pl.Solid)")
    if not isinstance(solid.material, StVK | Linear):
        kind = type(solid.material).__name__
        raise ArgumentError(
            f"the parts of a tree need forces that are polynomials, of StVK or Linear; {kind} was given"
        )
    domains = labelled_domains(solid.mesh, labels, names)
    tree = domains.rooted(_root(domains, solid, root))
    cuts = [_cut(solid, domains, tree, part) for part in range(domains.count)]
    counts = _sizes(domains, cuts, size, sizes, rule, rigid)
    models, places = _models(cuts, counts, modes, attachment, instances, progress)
    limbs = [_limb(domains, tree, models, places, part) for part in tree.order]
    return limbs, [domains.parts[part].vertices[places[part].vertices] for part in tree.order]


def _root(domains: Domains, solid: Solid, root: PartKey | None) -> int:
    natural = domains.root_of(solid.fixed)
    if root is None:
        return natural
    number = part_number(domains, "root", root)
    outside = np.setdiff1d(solid.fixed, domains.parts[number].vertices)
    if len(outside):
        raise ArgumentError(
            f"root must hold the fixed vertices, so it must be {domains.names[natural]}; "
            f"{domains.names[number]} was given"
        )
    return number


def _cut(solid: Solid, domains: Domains, tree: DomainTree, part: int) -> Cut:
    domain, parent = domains.parts[part], tree.parents[part]
    children = tuple(np.unique(domain.local(domains.interface(part, child))) for child in tree.children[part])
    held = domain.local(solid.fixed if parent < 0 else np.unique(domains.interface(part, parent)))
    material, X = solid.material.of_cells(domain.cells), domain.mesh.vertices
    if parent >= 0:
        patch = domain.local(domains.interface(part, parent))
    else:
        patch = domain.mesh.surface[np.isin(domain.mesh.surface, held).all(axis=1)]
    if len(patch):
        origin = patch_centroid(X, patch)
    elif len(held):
        origin = X[held].mean(axis=0)
    else:
        inertia = Rigid(domain.mesh, material.density).inertia
        origin = inertia.first_moment / inertia.mass
    return Cut(domain.mesh, material, held, origin, children)


def _sizes(
    domains: Domains,
    cuts: Sequence[Cut],
    size: int,
    sizes: Sequence[int] | Mapping[Any, int] | None,
    rule: str,
    rigid: Collection[PartKey],
) -> Ids:
    """Coordinates of every part (d,); 0 where it is rigid."""
    rigid_parts = {part_number(domains, "rigid", key) for key in ([rigid] if isinstance(rigid, int | str) else rigid)}
    soft = [part for part in range(domains.count) if part not in rigid_parts]
    limits = np.array([cut.limit for cut in cuts])
    counts = np.zeros(domains.count, dtype=np.int64)
    if sizes is not None:
        given = _given_sizes(domains, sizes)
        for part in soft:
            counts[part] = check_count(f"size of {domains.names[part]}", given[part], 0, int(limits[part]))
    elif soft:
        if stuck := [domains.names[part] for part in soft if limits[part] == 0]:
            raise ArgumentError(f"every vertex of {', '.join(stuck[:6])} is held by its parent; name it in rigid=")
        vertex_counts = [len(domains.parts[part].vertices) for part in soft]
        counts[soft] = part_sizes(size, vertex_counts, rule, limits[soft], [domains.names[part] for part in soft])
    return counts


def _given_sizes(domains: Domains, sizes: Sequence[int] | Mapping[Any, int]) -> list[int]:
    if isinstance(sizes, Mapping):
        by_number = {part_number(domains, "sizes", key): value for key, value in sizes.items()}
        if missing := [domains.names[part] for part in range(domains.count) if part not in by_number]:
            raise ArgumentError(f"sizes must name every part; {', '.join(missing[:6])} is missing (0 makes it rigid)")
        return [by_number[part] for part in range(domains.count)]
    if isinstance(sizes, str) or len(sizes) != domains.count:
        raise ArgumentError(f"sizes must have one entry for each of the {domains.count} parts; {sizes!r} was given")
    return list(sizes)


def _models(
    cuts: Sequence[Cut],
    counts: Ids,
    modes: int | None,
    attachment: bool | None,
    instances: bool,
    progress: Progress,
) -> tuple[list[ReducedModel | Rigid], list[Alignment]]:
    """The model of every part, the same object for congruent parts, and how the model lies in the part."""
    shapes = [cut.shape(int(count), attachment) for cut, count in zip(cuts, counts)]
    first, places = alike(shapes) if instances else _all_different(shapes)
    wanted: dict[int, set[int]] = {}
    for leader, count in zip(first, counts):
        wanted.setdefault(leader, set()).add(int(count))
    models: dict[tuple[int, int], ReducedModel | Rigid] = {}
    for number, (leader, members) in enumerate(wanted.items()):
        report(progress, "parts", number / len(wanted))
        largest = cuts[leader].model(max(members), modes, attachment)
        for count in members:
            # Shares of equal parts may differ by one; the smaller model is the beginning of the larger.
            smaller = isinstance(largest, ReducedModel) and count < largest.size
            models[leader, count] = largest.truncate(count) if smaller else largest  # type: ignore[union-attr]
    report(progress, "parts", 1.0)
    return [models[leader, int(count)] for leader, count in zip(first, counts)], places


def _all_different(shapes: Sequence[Shape]) -> tuple[list[int], list[Alignment]]:
    return list(range(len(shapes))), [itself(shape.mesh) for shape in shapes]


def _limb(
    domains: Domains,
    tree: DomainTree,
    models: Sequence[ReducedModel | Rigid],
    places: Sequence[Alignment],
    part: int,
) -> Limb:
    domain, place, parent, name = domains.parts[part], places[part], tree.parents[part], domains.names[part]
    model = models[part]
    if parent < 0:
        # The model lies at  position + scale rotation X: its own origin stands where the domain is held.
        position = domain.mesh.vertices[place.vertices[0]] - place.turned(model.X[0])
        return Limb(model, rotation=place.rotation, scale=place.scale, position=position, name=name)
    triangles = domains.interface(parent, part)
    foot = patch_centroid(model.X, place.inverse[domain.local(triangles)])
    near = np.abs(foot).max() < TOLERANCE * np.ptp(model.X, axis=0).max()
    return Limb(
        model,
        parent=tree.places[parent],
        stands_on=places[parent].inverse[domains.parts[parent].local(triangles)],
        rotation=place.rotation,
        scale=place.scale,
        origin=np.zeros(3) if near else foot,  # limbs of one origin, to the bit, share their constants
        name=name,
    )
