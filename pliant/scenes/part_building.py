"""From the tables of a scene to mesh, solid, basis and part; the part comes from the cache where it is there."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from pliant.basis import Basis, modal_basis, pose_basis, sketch_basis, vibration_modes
from pliant.errors import Array, Ids, SceneError, SelectionError
from pliant.fem import MATERIALS, Material, Solid
from pliant.mesh import Mesh, Surface, read_mesh, read_surface, tetrahedralise, voxelise
from pliant.numerics.progress import Progress
from pliant.reduced import ReducedModel, cached, cached_arrays, reduce
from pliant.scenes.makers import MAKERS, MODELS, model_recipe
from pliant.scenes.schema import BasisTable, MaterialTable, Part

Made = TypeVar("Made")

DEFAULT_VOXELS = 32
GROUP = "group {:06d} {}"  # a cell group in the cache, where arrays have no order


def build_solid(part: Part, mesh: Mesh) -> Solid:
    """A part's mesh with its material, held where it is fixed."""
    return Solid(mesh, build_material(part.material, mesh), fixed=part.fixed)


def build_mesh(part: Part, folder: Path) -> Mesh:
    """The cells of a part, scaled."""
    if part.shape is not None:
        mesh = _shape(part.shape)
    elif part.mesh is not None:
        mesh = read_mesh(folder / part.mesh, part.clip)
    elif part.edge is not None:
        mesh = _filled(folder / str(part.surface), "tets", part.edge, tetrahedralise)
    else:
        mesh = _filled(folder / str(part.surface), "voxels", part.voxels or DEFAULT_VOXELS, voxelise)
    if part.scale == 1.0:
        return mesh
    return Mesh(part.scale * mesh.vertices, mesh.cells, mesh.vertex_groups, mesh.cell_groups)


def build_skin(part: Part, folder: Path) -> Surface | None:
    """The surface that a part is drawn by, scaled as its cells are; None: its own."""
    if part.skin is None:
        return None
    surface = read_surface(folder / part.skin)
    return Surface(part.scale * surface.vertices, surface.triangles)


def _filled(path: Path, kind: str, size: float, fill: Callable[[Surface, Any], Mesh]) -> Mesh:
    """A surface made solid, from the cache where it is there: good tets take many seconds."""
    surface = read_surface(path)
    key = (kind, size, surface.vertices, surface.triangles)
    arrays = cached_arrays(key, lambda: _arrays(fill(surface, size)))
    return Mesh(arrays["vertices"], arrays["cells"])


def _arrays(mesh: Mesh) -> dict[str, Any]:
    return {"vertices": mesh.vertices, "cells": mesh.cells}


def _shape(given: str | dict) -> Mesh:
    """A ready-made shape; our models come from the cache where they are there, since they take seconds."""
    options = {"name": given} if isinstance(given, str) else given
    if options["name"] not in MODELS:
        return made(MAKERS, given)

    def grouped() -> dict[str, Any]:
        mesh = made(MAKERS, given)
        return _arrays(mesh) | {GROUP.format(*group): cells for *group, cells in _numbered(mesh)}

    arrays = cached_arrays(("model", repr(sorted(options.items())), model_recipe()), grouped)
    names = sorted(set(arrays) - {"vertices", "cells"})
    groups = {name.removeprefix(GROUP.format(number, "")): arrays[name] for number, name in enumerate(names)}
    return Mesh(arrays["vertices"], arrays["cells"], cell_groups=groups)


def _numbered(mesh: Mesh) -> Iterable[tuple[int, str, Ids]]:
    return ((number, name, cells) for number, (name, cells) in enumerate(mesh.cell_groups.items()))


def made(makers: Mapping[str, Callable[..., Made]], given: str | dict) -> Made:
    """What a maker makes of a name, or of a table with its name and options."""
    options = {"name": given} if isinstance(given, str) else dict(given)
    name = options.pop("name")
    try:
        return makers[name](**options)
    except TypeError as reason:
        raise SceneError(f"part[0] {name}: {reason}") from None


def build_material(given: MaterialTable, mesh: Mesh) -> Material:
    """The material, per cell where groups differ; later groups win."""
    constants: dict[str, float | Array] = {key: getattr(given, key) for key in ("young", "poisson", "density")}
    for group in given.groups:
        cells = mesh.select_cells(group.where)
        if not len(cells):
            raise SelectionError(f"material group where = {group.where!r} selects no cell of {mesh}")
        for key in constants:
            if getattr(group, key) is not None:
                values = np.array(np.broadcast_to(constants[key], mesh.cell_count))
                values[cells] = getattr(group, key)
                constants[key] = values
    return MATERIALS[given.model](**constants)


def build_basis(part: Part, solid: Solid, folder: Path, progress: Progress = None) -> Basis:
    """The subspace a part asks for."""
    return BASES[part.basis.kind](part.basis, solid, folder, progress)


def _modal(wanted: BasisTable, solid: Solid, _folder: Path, progress: Progress) -> Basis:
    return modal_basis(solid, wanted.modes, wanted.size, tolerance=wanted.tolerance, progress=progress)


def _modes(wanted: BasisTable, solid: Solid, _folder: Path, progress: Progress) -> Basis:
    modes = vibration_modes(solid, int(wanted.size), progress)
    return Basis(modes.vectors, frequencies=modes.frequencies)


def _sketch(wanted: BasisTable, solid: Solid, _folder: Path, progress: Progress) -> Basis:
    loads = np.zeros((len(wanted.loads), solid.mesh.vertex_count, 3))
    for load, given in zip(loads, wanted.loads):
        ids = solid.mesh.select(given.where)
        if not len(ids):
            raise SelectionError(f"part.basis.loads where = {given.where!r} selects no vertex of {solid.mesh}")
        load[ids] = np.asarray(given.force) / len(ids)
    return sketch_basis(solid, loads, _at_most(wanted), progress=progress)


def _poses(wanted: BasisTable, solid: Solid, folder: Path, _progress: Progress) -> Basis:
    return pose_basis(solid, [read_mesh(folder / name).vertices for name in wanted.poses], _at_most(wanted))


def _at_most(wanted: BasisTable) -> int | None:
    """Loads and poses span no more directions than there are of them."""
    count = len(wanted.loads) + len(wanted.poses)
    return None if wanted.size == "auto" or wanted.size >= count else wanted.size


BASES: dict[str, Callable[[BasisTable, Solid, Path, Progress], Basis]] = {
    "modal": _modal,
    "modes": _modes,
    "sketch": _sketch,
    "poses": _poses,
}


def build_model(part: Part, solid: Solid, folder: Path, progress: Progress = None) -> ReducedModel:
    """The reduced part, from the cache where it is there."""

    def build() -> ReducedModel:
        return reduce(solid, build_basis(part, solid, folder, progress), force=part.force, progress=progress)

    files = [(folder / name).read_bytes().hex() for name in part.basis.poses if (folder / name).is_file()]
    return cached((solid, part.basis.model_dump_json(), part.force, files), build)
