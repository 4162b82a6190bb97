"""Trees from a scene: a mesh cut into parts, or an assembly of instanced pieces."""

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from pliant.basis.part_basis import part_basis
from pliant.errors import Ids, SceneError
from pliant.fem import Solid
from pliant.numerics.progress import COMPILING, Progress
from pliant.reduced import ReducedModel, cached, reduce
from pliant.reduced.rigid import Rigid
from pliant.scenes.assembly import Assembly, Piece
from pliant.scenes.bodies import Body
from pliant.scenes.kinds.comparing import Method, check_parts
from pliant.scenes.kinds.kind import Kind
from pliant.scenes.part_building import build_material
from pliant.scenes.schema import MaterialTable, SceneFile
from pliant.scenes.tables import Positive, Table, Vector
from pliant.systems import Limb, Tree, substructure

if TYPE_CHECKING:
    from pliant.scenes.scene import Scene

INERTIAS: tuple[Literal["full", "L1"], ...] = ("full", "L1")  # L2 runs the compiled code of L1


class TreeTable(Table):
    """How a tree is cut and stepped ([LS11])."""

    inertia: Literal["full", "L1", "L2"] = Field(
        "full", description="what a part feels of those that stand on it: all of it, or a lumped mass"
    )
    size: int | None = Field(None, ge=0, le=100_000, description="coordinates of all parts together; 156")
    sizes: dict[str, int] = Field(default_factory=dict, description="coordinates of parts by name, instead")
    tolerance: Positive | None = Field(
        None, le=1, description="of the tree at rest under typical loads, for which the size is chosen, not counted"
    )
    rule: Literal["log", "proportional"] = Field("log", description="how the coordinates are shared by the parts")
    modes: int | None = Field(None, ge=1, le=500, description="vibration modes a part to begin with")
    attachment: bool | None = Field(
        None,
        description="static responses to loads on interfaces in the bases: all, none, or half of 20 vectors and more",
    )
    rigid: list[str] = Field(default_factory=list, max_length=10_000, description="names of the parts that stay rigid")
    instances: bool = Field(True, description="parts of one shape share a model")
    root: str | None = Field(None, description="name of the part that carries the others")
    passes: int | None = Field(None, ge=1, le=20, description="of full inertia a step; as many as it needs")
    velocity: Vector = Field((0.0, 0.0, 0.0), description="of a free root at the start [m/s]")
    spin: Vector = Field((0.0, 0.0, 0.0), description="of a free root at the start [1/s]")


OF_A_CUT = ("size", "sizes", "tolerance", "rule", "modes", "attachment", "instances", "root")


def build_tree(scene: SceneFile, body: Body, progress: Progress) -> Tree:
    """The solid of a body cut into limbs, or its pieces, the root thrown as the table says."""
    wanted = scene.table(TreeTable)
    make = _cut if body.assembly is None else _assembled
    tree = make(scene, body, wanted, progress)
    if any(wanted.velocity) or any(wanted.spin):
        tree.velocity, tree.spin = wanted.velocity, wanted.spin
    return tree


def _cut(scene: SceneFile, body: Body, wanted: TreeTable, progress: Progress) -> Tree:
    return substructure(
        body.solid,
        body.labels,
        wanted.root,
        wanted.inertia,
        wanted.size,
        dt=scene.dt,
        sizes=wanted.sizes or None,
        rule=wanted.rule,
        modes=wanted.modes,
        attachment=wanted.attachment,
        rigid=wanted.rigid,
        instances=wanted.instances,
        damping=scene.damping,
        gravity=scene.gravity,
        passes=wanted.passes,
        tolerance=wanted.tolerance,
        progress=progress,
    )


def _assembled(scene: SceneFile, body: Body, wanted: TreeTable, progress: Progress) -> Tree:
    """Instanced pieces, each reduced once."""
    assembly = body.assembly
    assert assembly is not None
    models = _models(scene, body, assembly, wanted, progress)
    stiffenings = [place.stiffening for place in scene.place] or [1.0] * len(assembly.placements)
    limbs = [
        Limb(
            models[placed.piece],
            placed.parent,
            placed.triangles,
            placed.rotation,
            placed.scale,
            placed.origin,
            placed.position,
            stiffening,
            placed.piece,
        )
        for placed, stiffening in zip(assembly.placements, stiffenings)
    ]
    if progress:
        progress(COMPILING, 1.0)
    return Tree(limbs, scene.dt, wanted.inertia, scene.damping, scene.gravity, wanted.passes)


def _models(
    scene: SceneFile, body: Body, assembly: Assembly, wanted: TreeTable, progress: Progress
) -> dict[str, ReducedModel | Rigid]:
    if unknown := [name for name in wanted.rigid if name not in assembly.pieces]:
        raise SceneError(f"tree.rigid names {unknown[0]!r}; the pieces are {', '.join(assembly.pieces)}")
    own = {part.name: part.material for part in scene.part if scene.place}
    models: dict[str, ReducedModel | Rigid] = {}
    for number, (name, piece) in enumerate(assembly.pieces.items()):
        if progress:
            progress(name, number / len(assembly.pieces))
        models[name] = _model(piece, own.get(name, body.part.material), name in wanted.rigid)
    return models


def _model(piece: Piece, material: MaterialTable, rigid: bool) -> ReducedModel | Rigid:
    given = {key: value for key in ("young", "density") if (value := getattr(piece, key))}
    chosen = material.model_copy(update={**given, "groups": []})
    if rigid or piece.size == 0:
        return Rigid(piece.mesh, chosen.density)
    solid = Solid(piece.mesh, build_material(chosen, piece.mesh), piece.fixed)
    return cached(["piece", solid, piece.size], lambda: reduce(solid, part_basis(solid, piece.size)))


def _check(scene: SceneFile) -> None:
    """What says how one mesh is cut means nothing to a tree of pieces, and pieces have sizes of their own."""
    table = scene.table(TreeTable)
    if table.tolerance and (table.size is not None or table.sizes):
        raise ValueError("tree.tolerance chooses the size, and size or sizes count it; leave one of them out")
    if not scene.place and not any(part.assembly for part in scene.part):
        return
    if strange := [key for key in OF_A_CUT if getattr(table, key) != getattr(TreeTable(), key)]:
        raise ValueError(f"tree.{strange[0]} says how one mesh is cut; pieces have their own basis.size")
    for part in scene.part if scene.place else ():
        if part.name not in table.rigid and part.basis.size == "auto":
            raise ValueError(f"{part.name}: basis.size must be a number where parts have places")


def _warm(solid: Solid, labels: Ids) -> None:
    for inertia in INERTIAS:
        substructure(solid, labels, inertia=inertia, size=8, dt=0.01).step()


def _felt(inertia: str | None = None) -> Method:
    """With the scene's inertia, or another. L1 and L2 blow up with little damping, so they have at least their own."""

    def changed(scene: "Scene") -> "Scene":
        check_parts(scene, "make a tree of")
        tree = {**scene.file.table(TreeTable).model_dump(), **({} if inertia is None else {"inertia": inertia})}
        made = scene.with_system("tree", tree=tree)
        if inertia in (None, "full"):
            return made
        alpha, beta = scene.file.damping
        return made.changed(damping=(alpha, max(beta, made.build().steady_damping[1])))

    return changed


METHODS = {"tree": _felt(), "tree-L1": _felt("L1"), "tree-L2": _felt("L2"), "tree-full": _felt("full")}
TREE = Kind(
    "tree",
    build_tree,
    TreeTable,
    frozenset({"wind", "hold", "place", "assembly"}),
    _check,
    _warm,
    comparisons=METHODS,
    compared=lambda _: ["tree-full", "tree-L2", "tree-L1"],
    visits=True,
)
