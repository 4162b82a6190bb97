"""From a body of a scene to its basis and its reduced part, which comes from the cache where it is there."""

from typing import Any

import numpy as np

from pliant.basis import BASES, Basis
from pliant.errors import Array, SelectionError
from pliant.mesh import read_mesh
from pliant.numerics.progress import Progress
from pliant.reduced import ReducedModel, cached, reduce
from pliant.reduced.cache import origin
from pliant.reduced.uncounted import warn_if_poor
from pliant.scenes.bodies import Body
from pliant.scenes.choices import parameters
from pliant.scenes.part_tables import BasisTable

CHOSEN = "chosen"  # the basis that `reduce` finds itself, measures, and keeps in the cache
SCENE_KEYS = ("modes", "size", "tolerance")  # that every basis table has


def build_model(body: Body, progress: Progress = None) -> ReducedModel:
    """The reduced part of a body."""
    part, options = body.part, basis_options(body, progress)
    if part.basis.kind == CHOSEN:
        return reduce(body.solid, force=part.force, **options)
    maker = BASES[part.basis.kind]

    def build() -> ReducedModel:
        basis = maker(body.solid, **options)
        return reduce(body.solid, basis.truncate(basis.size), force=part.force, progress=progress)

    read = {name: value for name, value in options.items() if name != "progress"}
    model = cached((body.solid, part.basis.kind, read, part.force, origin(maker)), build)
    if part.basis.kind == "modal" and "size" not in part.basis.model_fields_set and part.force != "linear":
        warn_if_poor(body.solid, Basis(model.U, counted=False), progress)  # also where it comes from the cache
    return model


def basis_options(body: Body, progress: Progress = None) -> dict[str, Any]:
    """What the function of the basis gets beside the solid."""
    wanted = body.part.basis
    taken = parameters(BASES[wanted.kind])
    needed = {key for key, parameter in taken.items() if parameter.default is parameter.empty}
    said = wanted.model_fields_set | needed | ({"tolerance"} if wanted.size == "auto" else set())
    options: dict[str, Any] = {key: getattr(wanted, key) for key in SCENE_KEYS if key in taken and key in said}
    options |= wanted.model_extra or {}
    if wanted.loads:
        options |= {"loads": _loads(body)} | ({"size": _at_most(wanted)} if "size" in taken else {})
    if wanted.poses:
        options |= {"poses": _poses(body), "size": _at_most(wanted)}
    if "progress" in taken:
        options["progress"] = progress
    return options


def _loads(body: Body) -> Array:
    """(s, n, 3) [N], turned as the body is."""
    given = body.part.basis.loads
    loads = np.zeros((len(given), body.of_part.vertex_count, 3))
    for load, wanted in zip(loads, given):
        ids = body.of_part.select(wanted.where)
        if not len(ids):
            raise SelectionError(f"part.basis.loads where = {wanted.where!r} selects no vertex of {body.of_part}")
        load[ids] = body.stand.vectors(np.asarray(wanted.force)) / len(ids)
    return loads


def _poses(body: Body) -> list[Array]:
    return [body.stand.points(read_mesh(body.folder / name).vertices) for name in body.part.basis.poses]


def _at_most(wanted: BasisTable) -> int | None:
    """Loads and poses span no more directions than there are of them."""
    count = len(wanted.loads) + len(wanted.poses)
    return None if wanted.size == "auto" or wanted.size >= count else wanted.size
