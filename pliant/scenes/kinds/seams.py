"""Seams from a scene: the parts are the cell groups of the mesh, or a cut of it."""

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from pliant.errors import Ids
from pliant.fem import Solid
from pliant.numerics.progress import Progress
from pliant.scenes.bodies import Body
from pliant.scenes.kinds.comparing import Method, check_parts, on_its_part
from pliant.scenes.kinds.kind import Kind
from pliant.scenes.schema import SceneFile
from pliant.scenes.tables import Positive, Table, Vector
from pliant.scenes.throwing import throw
from pliant.systems import NonlinearSeams, Seams, couple_nonlinear
from pliant.systems.seams import couple_linear
from pliant.systems.system import CONVERGED

if TYPE_CHECKING:
    from pliant.scenes.scene import Scene

COUNTED = ("soft", "order", "columns", "derivatives")
LINEAR = ("order", "columns", "internal", "trace", "shapes", "projection")  # keys of linear parts


class SeamsTable(Table):
    """How parts that share their interfaces are reduced ([BA13])."""

    force: Literal["cubic", "linear"] = Field(
        "cubic", description="cubic: parts with the nonlinear forces of StVK; linear: warped linear parts, quicker"
    )
    soft: int | None = Field(None, ge=0, le=200, description="soft columns an interface; 6")
    order: int | None = Field(None, ge=0, le=20, description="blocks of internal columns a part; 2")
    internal: Literal["inertia", "normal"] = Field(
        "inertia", description="columns inside a part: answers to the inertia of its interfaces, or vibrations"
    )
    trace: Literal["entity", "hat"] = Field(
        "entity", description="hat: edges and points where several parts meet carry their neighbourhood along"
    )
    shapes: Literal["modes", "harmonics"] = Field(
        "modes", description="soft columns: what interfaces do in the lowest modes of the solid, or their harmonics"
    )
    columns: int | list[int] | None = Field(
        None, description="columns a part, boundary and internal together, instead of order: one number, or one a part"
    )
    projection: Literal["R", "none", "Rt", "J"] = Field("R", description="how loads are turned into the rest state")
    derivatives: int | None = Field(
        None, ge=0, le=100, description="of cubic parts: columns inside each; free ones have 20"
    )
    tolerance: Positive | None = Field(
        None,
        le=1,
        description="of the displacement after a period, for which columns are chosen, not counted; cubic: 0.02",
    )
    velocity: Vector = Field((0.0, 0.0, 0.0), description="of a free solid at the start [m/s]")
    spin: Vector = Field((0.0, 0.0, 0.0), description="of a free solid at the start [1/s]")


def build_seams(scene: SceneFile, body: Body, progress: Progress) -> Seams | NonlinearSeams:
    """The solid of a body, its parts coupled by their interfaces, thrown as the table says."""
    wanted = scene.table(SeamsTable)
    make = _cubic if wanted.force == "cubic" else _linear
    system = make(scene, body, wanted, progress)
    throw(system, wanted.velocity, wanted.spin)
    return system


def _cubic(scene: SceneFile, body: Body, wanted: SeamsTable, progress: Progress) -> NonlinearSeams:
    return couple_nonlinear(
        body.solid,
        body.labels,
        wanted.soft,
        wanted.derivatives,
        dt=scene.dt,
        damping=scene.damping,
        gravity=scene.gravity,
        newton=scene.newton or CONVERGED,
        tolerance=wanted.tolerance,
        damping_law=scene.damping_law,
        progress=progress,
    )


def _linear(scene: SceneFile, body: Body, wanted: SeamsTable, progress: Progress) -> Seams:
    return couple_linear(
        body.solid,
        body.labels,
        wanted.soft,
        wanted.order,
        dt=scene.dt,
        damping=scene.damping,
        gravity=scene.gravity,
        internal=wanted.internal,
        columns=wanted.columns,
        trace=wanted.trace,
        shapes=wanted.shapes,
        projection=wanted.projection,
        tolerance=wanted.tolerance,
        progress=progress,
    )


def _check(scene: SceneFile) -> None:
    wanted = scene.table(SeamsTable)
    if wanted.tolerance and (said := [key for key in COUNTED if getattr(wanted, key) is not None]):
        raise ValueError(f"seams.tolerance chooses the columns, and {said[0]} counts them; leave one of them out")
    if wanted.force == "cubic" and (said := [key for key in LINEAR if getattr(wanted, key) != _usual(key)]):
        raise ValueError(f'seams.{said[0]} is for linear parts; say force = "linear" in [seams], or leave it out')


def _usual(key: str) -> object:
    return SeamsTable.model_fields[key].default


def _warm(solid: Solid, labels: Ids) -> None:
    couple_linear(solid, labels, 0, 1, dt=0.01).step()
    couple_nonlinear(solid, labels, 0, 1, dt=0.01, modes=2).step()


def _shared(soft: bool) -> Method:
    """As the scene says, or with rigid interfaces instead of soft ones."""

    def changed(scene: "Scene") -> "Scene":
        check_parts(scene, "couple")
        seams = {**scene.file.table(SeamsTable).model_dump(exclude_unset=True), "force": "linear"}
        return scene.with_system("seams", seams=seams if soft else {**seams, "soft": 0, "tolerance": None})

    return changed


def _nonlinear(scene: "Scene") -> "Scene":
    """The same parts with cubic forces, with the columns that they have by default."""
    check_parts(scene, "couple")
    return scene.with_system("seams", seams={"force": "cubic"}, newton=None)


def _modal_warping(scene: "Scene") -> "Scene":
    """Warped vibration modes of the whole, as many as the basis of the part has: seams without a seam."""
    basis = scene.bodies[0].part.basis
    size = basis.modes if basis.size == "auto" else basis.size
    seams = {
        "force": "linear",
        "columns": size,
        "internal": "normal",
        "projection": scene.file.table(SeamsTable).projection,
    }
    return scene.with_system("seams", seams=seams, part=on_its_part(scene, cut=1))


METHODS: dict[str, Method] = {
    "modal-warping": _modal_warping,
    "seams": _shared(soft=False),
    "seams-soft": _shared(soft=True),
    "seams-nonlinear": _nonlinear,
}
SEAMS = Kind(
    "seams",
    build_seams,
    SeamsTable,
    frozenset({"wind", "hold", "turn", "newton", "damping_law"}),
    _check,
    _warm,
    comparisons=METHODS,
    compared=lambda _: ["seams-soft", "seams"],
    visits=True,
)
