"""Control: steering a reduced part, so that it goes where it should by forces of little effort."""

from pliant.control.adjoint import gradient
from pliant.control.fitting import Fit, fit
from pliant.control.keyframe import Keyframe
from pliant.control.objective import Objective, StageCost
from pliant.control.optimisation import Optimum, optimise
from pliant.control.reaching import Reached, reach
from pliant.control.regulator import Regulator, follow, regulate
from pliant.control.tracking import Tracking
from pliant.control.trajectory import Trajectory, simulate

__all__ = [
    "Fit",
    "Keyframe",
    "Objective",
    "Optimum",
    "Reached",
    "Regulator",
    "StageCost",
    "Tracking",
    "Trajectory",
    "fit",
    "follow",
    "gradient",
    "optimise",
    "reach",
    "regulate",
    "simulate",
]
