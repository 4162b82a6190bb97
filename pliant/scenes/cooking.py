"""From a checked scene to a system: mesh, solid, basis, part; the part comes from the cache where it is there."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from pliant.basis import Basis, modal_basis, vibration_modes
from pliant.errors import ArgumentError, Array, SceneError, SelectionError
from pliant.fem import MATERIALS, Solid
from pliant.fem import Material as SolidMaterial
from pliant.mesh import Mesh, read_mesh, shapes, tetrahedralise, voxelise
from pliant.reduced import ReducedModel, cached, reduce
from pliant.scenes.models import MODELS
from pliant.scenes.schema import Material, Part, SceneFile
from pliant.systems import Clamped, Full, System

Progress = Callable[[str, float], None] | None

SHAPES = ("bar", "box", "spoon", "sphere", "cylinder", "torus")
DEFAULT_VOXELS = 32


def cook(scene: SceneFile, solid: Solid, progress: Progress = None) -> System:
    """The system of a scene whose part is `solid`."""
    return SYSTEMS[scene.system](scene, solid, progress)


def cook_solid(part: Part, mesh: Mesh) -> Solid:
    """A part's mesh with its material, held where it is fixed."""
    return Solid(mesh, cook_material(part.material, mesh), fixed=part.fixed)


def cook_mesh(part: Part, folder: Path) -> Mesh:
    """The cells of a part, scaled."""
    if part.shape is not None:
        mesh = _shape(part.shape)
    elif part.mesh is not None:
        mesh = read_mesh(folder / part.mesh)
    elif part.edge is not None:
        mesh = tetrahedralise(folder / str(part.surface), part.edge)
    else:
        mesh = voxelise(folder / str(part.surface), part.voxels or DEFAULT_VOXELS)
    if part.scale == 1.0:
        return mesh
    return Mesh(part.scale * mesh.vertices, mesh.cells, mesh.vertex_groups, mesh.cell_groups)


def _shape(given: str | dict) -> Mesh:
    options = {"name": given} if isinstance(given, str) else dict(given)
    name = options.pop("name", None)
    makers = {shape: getattr(shapes, shape) for shape in SHAPES} | MODELS
    if name not in makers:
        raise SceneError(f"part.shape must name one of {', '.join(makers)}; {name!r} was given")
    try:
        return makers[name](**options)
    except TypeError as reason:
        raise SceneError(f"part.shape {name}: {reason}") from None


def cook_material(given: Material, mesh: Mesh) -> SolidMaterial:
    """The material, per cell where groups differ; later groups win."""
    constants: dict[str, float | Array] = {key: getattr(given, key) for key in ("young", "poisson", "density")}
    for group in given.groups:
        cells = mesh.select_cells(group.where)
        if not len(cells):
            raise SelectionError(f"material group where = {group.where!r} selects no cell of {mesh}")
        for key in constants:
            if getattr(group, key) is not None:
                constants[key] = np.array(np.broadcast_to(constants[key], mesh.cell_count))
                constants[key][cells] = getattr(group, key)
    return MATERIALS[given.model](**constants)


def cook_basis(part: Part, solid: Solid, progress: Progress = None) -> Basis:
    """The subspace a part asks for."""
    wanted = part.basis
    if wanted.kind == "modes":
        count = wanted.modes if wanted.size == "auto" else wanted.size
        modes = vibration_modes(solid, count, progress)
        return Basis(modes.vectors, frequencies=modes.frequencies)
    return modal_basis(solid, wanted.modes, wanted.size, tolerance=wanted.tolerance, progress=progress)


def cook_model(part: Part, solid: Solid, progress: Progress = None) -> ReducedModel:
    """The reduced part, from the cache where it is there."""

    def build() -> ReducedModel:
        return reduce(solid, cook_basis(part, solid, progress), force=part.force, progress=progress)

    return cached((solid, part.basis.model_dump_json(), part.force), build)


def _clamped(scene: SceneFile, solid: Solid, progress: Progress) -> System:
    if not len(solid.fixed):
        raise ArgumentError('part[0].fixed is missing: a clamped system needs vertices that are held, e.g. "y < 0.01"')
    model = cook_model(scene.part[0], solid, progress)
    return Clamped(model, scene.dt, damping=scene.damping, gravity=scene.gravity, newton=scene.newton)


def _full(scene: SceneFile, solid: Solid, _progress: Progress) -> System:
    return Full(solid, scene.dt, damping=scene.damping, gravity=scene.gravity, newton=max(scene.newton, 2))


SYSTEMS: dict[str, Callable[[SceneFile, Solid, Progress], System]] = {"clamped": _clamped, "full": _full}
