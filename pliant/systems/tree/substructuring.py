"""Large-deformation substructuring at the push of a button ([LS11]): a labelled solid becomes a tree of parts."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from pliant.basis.basis import check_solid
from pliant.basis.columns import as_columns
from pliant.basis.part_sizes import SHORT
from pliant.basis.size_report import SizeReport
from pliant.errors import Array, PliantWarning, check_count, check_number
from pliant.fem import Solid
from pliant.mesh.domains import PartKey, labelled_domains
from pliant.numerics.progress import COMPILING, Progress, report
from pliant.systems.estimating import warn_of_errors
from pliant.systems.growing import MOST, refuse_with_tolerance, refuse_without_tolerance
from pliant.systems.system import check_step
from pliant.systems.tree.cutting import limbs_of
from pliant.systems.tree.sizes import chosen_size
from pliant.systems.tree.steadying import steady_damping
from pliant.systems.tree.tree import Tree

Inertia = Literal["full", "L1", "L2"]
SIZE = 156  # coordinates of the trees in [LS11]
FEW, MANY = 4, 50  # coordinates of a part: where a search begins about, and beyond which cubic forces are dear
REMEDY = "give size= or sizes= where that is good enough, ask for a tolerance=, or take pl.couple_nonlinear"


def substructure(
    solid: Solid,
    labels: ArrayLike | None = None,
    root: PartKey | None = None,
    inertia: Inertia = "full",
    size: int | None = None,
    *,
    dt: float,
    sizes: Sequence[int] | Mapping[Any, int] | None = None,
    rule: str = "log",
    modes: int | None = None,
    attachment: bool | None = None,
    rigid: Collection[PartKey] = (),
    instances: bool = True,
    names: Sequence[str] | None = None,
    damping: ArrayLike | None = None,
    gravity: ArrayLike | None = (0.0, -9.81, 0.0),
    passes: int | None = None,
    tolerance: float | None = None,
    loads: ArrayLike | None = None,
    most: int = MOST,
    progress: Progress = None,
) -> Tree:
    """The tree of the parts of a solid, each reduced with its interface to its parent held.

    Args:
        labels: (m,) a part number for every cell; None: the cell groups of the mesh. Parts that touch share faces, and
            make a tree.
        root: number or name of the part that carries the others; None: the one that holds the fixed vertices, of a
            free solid the one that makes the tree least deep.
        inertia: what a part feels of those that stand on it: "full" (all, exact), "L1" or "L2" ([LS11]: a point mass at
            the interface or at the centre of mass; quicker, and too high in frequency).
        size: coordinates of all parts together; None: 156, and `pl.estimate_errors` are warned of.
        dt: time step [s].
        sizes: coordinates of every part instead, in order or by name; 0 makes a part rigid.
        rule: how `size` is shared: "log" or "proportional" to the vertices of a part.
        modes: vibration modes a part whose derivatives go into its basis; None: half of its size and one.
        attachment: static responses to loads on the interfaces of its children stand in front of each basis: lower and
            truer frequencies for the same size. None: they take up to half of bases of 20 vectors and more, and leave
            smaller ones to the derivatives that large motion needs; True: as many as there are; False: none ([LS11]),
            so that parts are alike wherever their children stand.
        rigid: numbers or names of parts that do not deform.
        instances: parts that are congruent up to rotation and uniform scale share one model.
        names: of the parts; None: those of the cell groups, else "part 0", ...
        damping: Rayleigh (alpha [1/s], beta [s]); None: `steady_damping`.
        gravity: [m/s^2]; None: weightless.
        passes: of "full" in a step; None: one, two for a free root.
        tolerance: instead of `size` and `sizes`: relative error of the tree at rest under loads, as the full model sees
            it that goes on from there. The size grows until it holds, or is of no help any more, since neighbours gape
            a little at their interfaces; then a warning says so. `system.report` says what was measured.
        loads: for a tolerance: those that will act, (3n, s), (s, 3n) or (s, n, 3) [N]; None: weight, pulls at the
            extremities and the inertia of low modes.
        most: for a tolerance: coordinates of all parts that are allowed.
        progress: called with a stage and the fraction of it that is done.

    Raises:
        MeshError: the parts go round in a circle, touch outside their interfaces, or are not in one piece.
    """
    dt, free, surface = check_step(dt), not len(check_solid(solid).fixed), solid.mesh.surface
    options: dict[str, Any] = {"rule": rule, "modes": modes, "attachment": attachment, "rigid": rigid}
    options |= {"instances": instances, "names": names, "progress": progress}
    recipe = [_plain(labels), root, inertia, rule, modes, attachment, sorted(map(str, rigid)), instances]

    def tree_of(size: int, inertia: Inertia = "full", measured: SizeReport | None = None) -> Tree:
        with warnings.catch_warnings():
            if tolerance is not None:  # nobody asked for what parts cannot span
                warnings.filterwarnings("ignore", SHORT, PliantWarning)
            limbs, numbers = limbs_of(solid, labels, root, size, sizes=sizes, **options)
        report(progress, COMPILING, 1.0)
        steady = steady_damping(limbs, inertia, dt) if damping is None else damping
        acting = (inertia, steady, gravity, passes, free)
        return Tree(limbs, dt, *acting, numbers=numbers, triangles=surface, report=measured)

    if tolerance is None:
        refuse_without_tolerance(loads, most)
        tree = tree_of(SIZE if size is None else size, inertia)
        if size is None and sizes is None:
            warn_of_errors(tree, solid, recipe, REMEDY, progress)
        return tree
    refuse_with_tolerance(size=size, sizes=sizes)
    tolerance, most = check_number("tolerance", tolerance, above=0, at_most=1), check_count("most", most)
    given = None if loads is None else as_columns(solid, "loads", loads)
    parts = max(1, labelled_domains(solid.mesh, labels, names).count - len(rigid))
    between = max(SIZE, FEW * parts), min(most, MANY * parts)
    measured = chosen_size(tree_of, *between, solid, tolerance, given, recipe, progress)
    return tree_of(measured.size, inertia, measured)


def _plain(labels: ArrayLike | None) -> Array | None:
    """Labels as the key of a cache takes them; the solid has those of its groups."""
    return None if labels is None else np.asarray(labels)
