"""From the table of a part to its mesh, surface, material and solid, all in the coordinates of the part."""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from pliant.errors import Array, Ids, PliantWarning, SceneError, SelectionError
from pliant.fem import MATERIALS, Material, Shell, Solid
from pliant.fem.solid import fixed_vertices
from pliant.mesh import Mesh, Surface, read_mesh, read_surface, tetrahedralise, voxelise
from pliant.mesh.congruence import loose_piece
from pliant.mesh.mending import mended_sheet
from pliant.mesh.parting import Parting, labels_of_runs
from pliant.mesh.pieces import kept_pieces
from pliant.mesh.tetrahedralisation import method_here
from pliant.reduced import cached_arrays
from pliant.scenes.makers import MAKERS, MODELS, model_recipe
from pliant.scenes.part_tables import COMMON, MaterialTable
from pliant.scenes.schema import Part

Made = TypeVar("Made")

DEFAULT_VOXELS = 32
FILLERS = ("libigl", "pytetwild")  # other versions may fill a surface otherwise
GROUP = "group {:06d} {}"  # a cell group in the cache, where arrays have no order


def build_solid(part: Part, mesh: Mesh) -> Solid:
    """A part's mesh with its material, held where it is fixed."""
    return solid_of(part, mesh, mesh)


def solid_of(part: Part, mesh: Mesh, shape: Mesh) -> Solid:
    """A part whose mesh may stand elsewhere than its shape, which selections speak of."""
    return held_solid(part, mesh, build_material(part.material, shape), part.fixed, shape)


def held_solid(part: Part, mesh: Mesh, material: Material, fixed: str | None, shape: Mesh | None = None) -> Solid:
    """A solid, or a shell where it is thin, of some material, held where a shape is selected."""
    of = mesh if shape is None else shape
    held = None if fixed is None else fixed_vertices(of, fixed)
    if mesh.kind != "triangle" or part.thickness is None:
        return Solid(mesh, material, held)
    hinged = None if part.hinged is None else fixed_vertices(of, part.hinged, "hinged")
    return Shell(mesh, material, part.thickness, held, hinged)


def read_cells(file: Path, clip: bool) -> Mesh:
    """The cells of a file, without vertices that none uses, such as the points that a geometry was made from."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* vertices belong to no cell", PliantWarning)
        return read_mesh(file, clip).without_unused()


def build_mesh(part: Part, folder: Path) -> Mesh:
    """The cells of a part, scaled."""
    if part.shape is not None:
        mesh = _shape(part.shape)
    elif part.mesh is not None:
        mesh = kept_pieces(read_cells(folder / part.mesh, part.clip), part.keep or "all")
    elif part.shell_thickness is not None:
        mesh = kept_pieces(mended_sheet(_surface_of(part, folder, str(part.surface))), part.keep or "all")
    else:
        surface = _surface_of(part, folder, str(part.surface))
        mesh = kept_pieces(fill_surface(part, surface), part.keep or "largest")
    if part.order == 2 and mesh.order == 1:
        mesh = mesh.refine_order()
    if part.labels is not None:
        mesh = labelled(mesh, part.labels, part.label_names)
    if part.scale == 1.0:
        return mesh
    return mesh.moved_to(part.scale * mesh.vertices)


def labelled(mesh: Mesh, labels: str, names: Sequence[str]) -> Mesh:
    """A mesh with a cell group for each of the parts that runs of labels make."""
    parting = Parting.of(mesh, labels_of_runs(labels, mesh.cell_count), names or None)
    groups = {name: np.flatnonzero(parting.labels == k) for k, name in enumerate(parting.names)}
    return Mesh(mesh.vertices, mesh.cells, mesh.vertex_groups, groups)


def build_skin(part: Part, folder: Path) -> Surface | None:
    """The surface that a part is drawn by, scaled as its cells are; None: its own."""
    if part.skin is None:
        return None
    surface = _surface_of(part, folder, part.skin)
    return Surface(part.scale * surface.vertices, surface.triangles)


def _surface_of(part: Part, folder: Path, file: str) -> Surface:
    """What a file has, or that loose piece of it which the part is, if it is the file of the part."""
    surface = read_surface(folder / file)
    return surface if part.piece is None or file != part.surface else loose_piece(surface, part.piece)


def fill_surface(part: Part, surface: Surface) -> Mesh:
    """A surface made solid, all its pieces, from the cache where it is there: good tets take many seconds."""
    options: dict[str, Any] = {"resolution": part.voxels or DEFAULT_VOXELS}
    if part.edge is not None:
        options = {"edge": part.edge, "method": method_here(part.method), "thickness": part.thickness}
    fill = tetrahedralise if part.edge is not None else voxelise
    key = (fill.__name__, options, surface.vertices, surface.triangles, [_version(name) for name in FILLERS])
    arrays = cached_arrays(key, lambda: _arrays(fill(surface, keep="all", **options)))
    return Mesh(arrays["vertices"], arrays["cells"])


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


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
        raise SceneError(f"{name}: {reason}") from None


def build_material(given: MaterialTable, mesh: Mesh) -> Material:
    """The material, per cell where groups differ; later groups win."""
    constants: dict[str, float | Array] = {**given.constants}
    for group in given.groups:
        cells = mesh.select_cells(group.where)
        if not len(cells):
            raise SelectionError(f"material group where = {group.where!r} selects no cell of {mesh}")
        for key in COMMON:
            if getattr(group, key) is not None:
                values = np.array(np.broadcast_to(constants[key], mesh.cell_count))
                values[cells] = getattr(group, key)
                constants[key] = values
    return MATERIALS[given.model](**constants)
