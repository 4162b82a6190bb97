"""Which tuner knows which kind of system."""

from pliant.app.tuning import Tuner, Untouched
from pliant.app.tuning_clamped import ClampedTuner
from pliant.app.tuning_full import FullTuner
from pliant.app.tuning_seams import SeamsTuner
from pliant.app.tuning_tree import TreeTuner
from pliant.systems import Clamped, Full, NonlinearSeams, Seams, System, Tree

TUNERS: dict[type[System], Tuner] = {
    Clamped: ClampedTuner(),
    Full: FullTuner(),
    NonlinearSeams: SeamsTuner(),
    Seams: SeamsTuner(),
    Tree: TreeTuner(),
}


def tuner_of(system: System) -> Tuner:
    """The tuner of a system; one that changes nothing for kinds it does not know."""
    return TUNERS.get(type(system), Untouched())
