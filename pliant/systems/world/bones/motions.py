"""Have bones enough motions for their joints? Three places that two bones share are nine equations, two of a hinge six.

A soft bone has 6 + r motions, a rigid one 6, and what an artist leads or what stands none. Two bones of which none
deforms hold each other by six equations, whatever their places; others by those of all places. Joined bones that move,
with nothing else to hold them, also move as a whole, which no joint asks for.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from pliant.errors import Array, PliantWarning

if TYPE_CHECKING:
    from pliant.systems.world.bones.character import Bone

WHOLE = 6
MOVES = ("soft", "rigid")


def warn_of_gaps(bones: Sequence[Bone], joints: Sequence[tuple[int, int, Array]]) -> None:
    """A sentence about the first bones whose joints ask for more than they can do, so that gaps stay."""
    moves = np.array([bone.kind in MOVES for bone in bones])
    pairs = [(a, b) for a, b, _ in joints]
    asked = [
        3 * len(places) if bones[a].kind == "soft" or bones[b].kind == "soft" else WHOLE for a, b, places in joints
    ]
    own = [k for k, (a, b) in enumerate(pairs) if moves[a] and moves[b]]
    a, b = np.array([pairs[k] for k in own], dtype=np.int64).reshape(-1, 2).T
    _, group = connected_components(coo_array((np.ones(len(a)), (a, b)), shape=(len(bones), len(bones))), False)
    for number in np.unique(group[moves]):
        inside = [k for k in range(len(bones)) if moves[k] and group[k] == number]
        touched = [k for k, (a, b) in enumerate(pairs) if a in inside or b in inside]
        led = any(not (moves[a] and moves[b]) for a, b in (pairs[k] for k in touched))
        able = sum(WHOLE + bones[k].model.size for k in inside) - (0 if led else WHOLE)
        needed = sum(asked[k] for k in touched)
        soft = [bones[k] for k in inside if bones[k].kind == "soft"]
        if needed > able and soft:
            more = -(-(needed - able) // len(soft))
            warnings.warn(
                f"{soft[0].name} and the bones that move with it have {able} motions for the {needed} equations of "
                f"their joints, so that gaps stay; take at least {soft[0].model.size + more} modes",
                PliantWarning,
                stacklevel=4,
            )
            return
