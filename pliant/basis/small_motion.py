"""What columns cannot do at all: their largest error in small motion, under slanting pulls and a slanting weight.

    K u = load,   U^T K U q = U^T load,   `larger_error` of u - U q

One solve a load with a factor that is there already, where `held_out_error` brings the full model to rest. How columns
lock in large motion is not seen.
"""

import scipy.linalg as la

from pliant.basis.response import StaticResponse
from pliant.basis.size_search import larger_error
from pliant.basis.typical_loads import ENDS, PULLS, slanting_loads
from pliant.basis.vibration import Modes
from pliant.errors import Array
from pliant.fem import Solid


class SmallMotion:
    """Where a held solid rests under small loads.

    Args:
        response: of the solid at rest; it is not kept, since its factor is large.
    """

    def __init__(self, solid: Solid, modes: Modes, response: StaticResponse):
        self._solid, self._loads = solid, slanting_loads(solid, modes, count=ENDS, pulls=PULLS)
        self._states = response.solve(self._loads)

    def error(self, U: Array) -> float:
        """The largest of columns (3n, r), at most 1."""
        solid, loads = self._solid, self._loads
        found = U @ la.solve(U.T @ (solid.stiffness() @ U), U.T @ loads, assume_a="pos")
        lacks = self._states - found
        return max(larger_error(solid, *each) for each in zip(found.T, lacks.T, loads.T, strict=True))
