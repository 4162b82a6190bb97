"""Which tuner knows which kind of system."""

from pliant.app.tuning import Tuner, Untouched
from pliant.app.tuning_clamped import ClampedTuner
from pliant.app.tuning_full import FullTuner
from pliant.systems import Clamped, Full, System

TUNERS: dict[type[System], Tuner] = {Clamped: ClampedTuner(), Full: FullTuner()}


def tuner_of(system: System) -> Tuner:
    """The tuner of a system; one that changes nothing for kinds it does not know."""
    return TUNERS.get(type(system), Untouched())
