"""Large-deformation substructuring at the push of a button ([LS11]): a labelled solid becomes a tree of parts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from pliant.errors import ArgumentError, Array
from pliant.fem import Solid
from pliant.mesh.domains import PartKey
from pliant.numerics.progress import COMPILING, Progress, report
from pliant.systems.estimating import warn_of_errors
from pliant.systems.system import check_step
from pliant.systems.tree.cutting import limbs_of
from pliant.systems.tree.steadying import steady_damping
from pliant.systems.tree.tree import Tree

SIZE = 156  # coordinates of the trees in [LS11]
REMEDY = "give size= or sizes= where that is good enough, or take pl.couple_nonlinear, which meets a tolerance"


def substructure(
    solid: Solid,
    labels: ArrayLike | None = None,
    root: PartKey | None = None,
    inertia: Literal["full", "L1", "L2"] = "full",
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
        tolerance: refused. A part stands on the mean motion of an interface, so neighbours gape or overlap there, and
            what the parts can do is no basis of the solid, whose errors the full model could estimate. Neither does a
            larger `size` mend it. Seams have such a basis.
        progress: called with a stage and the fraction of it that is done.

    Raises:
        MeshError: the parts go round in a circle, touch outside their interfaces, or are not in one piece.
    """
    if tolerance is not None:
        raise ArgumentError(
            "a tree cannot choose its size for a tolerance, since its parts gape at their interfaces; "
            "give size=, or use pl.couple_nonlinear(..., tolerance=)"
        )
    dt = check_step(dt)
    limbs, numbers = limbs_of(
        solid,
        labels,
        root,
        SIZE if size is None else size,
        sizes=sizes,
        rule=rule,
        modes=modes,
        attachment=attachment,
        rigid=rigid,
        instances=instances,
        names=names,
        progress=progress,
    )
    report(progress, COMPILING, 1.0)
    if damping is None:
        damping = steady_damping(limbs, inertia, dt)
    free, surface = not len(solid.fixed), solid.mesh.surface
    tree = Tree(limbs, dt, inertia, damping, gravity, passes, free, numbers=numbers, triangles=surface)
    if size is None and sizes is None:
        recipe = [_plain(labels), root, inertia, rule, modes, attachment, sorted(map(str, rigid)), instances]
        warn_of_errors(tree, solid, recipe, REMEDY, progress)
    return tree


def _plain(labels: ArrayLike | None) -> Array | None:
    """Labels as the key of a cache takes them; the solid has those of its groups."""
    return None if labels is None else np.asarray(labels)
