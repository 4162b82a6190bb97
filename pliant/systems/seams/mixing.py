"""Which forces of parts mix their iterations (`systems/mixing.py`): those whose factor is kept."""

from pliant.fem.material import implements
from pliant.systems.mixing import Mixing, mix_corrections, mixing_workspace
from pliant.systems.seams.part_forces import Jets
from pliant.systems.seams.point_forces import PointForces

__all__ = ["Mixing", "mix", "mixing_workspace"]


def mix(forces, mixing, factor, begins, q, residual, change):
    """Improve the correction `change` (size,) from q; forces that take a new factor each iteration need it not.

    Args:
        factor: the number of the factor that made it.
        begins: whether this is the first correction of a step that may be compared with the next.
    """
    raise NotImplementedError


@implements(mix, Jets)
def _mix_jets(forces, mixing, factor, begins, q, residual, change):
    pass


@implements(mix, PointForces)
def _mix_points(forces, mixing, factor, begins, q, residual, change):
    mix_corrections(mixing, factor, begins, q, residual, change)
