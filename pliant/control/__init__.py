"""Control: steering systems, so that they go where they should by forces of little effort."""

from pliant.control.actuators import Muscle, Patch
from pliant.control.adjoint import gradient
from pliant.control.fitting import Fit, fit
from pliant.control.follower import Follower, track
from pliant.control.keyframe import Keyframe
from pliant.control.objective import Objective, StageCost
from pliant.control.optimisation import Optimum, optimise
from pliant.control.path import Path, in_stride, note_path
from pliant.control.reaching import Reached, reach
from pliant.control.regulator import Regulator, follow, regulate
from pliant.control.tracking import Tracking
from pliant.control.trajectory import Trajectory, simulate

__all__ = [
    "Fit",
    "Follower",
    "Keyframe",
    "Muscle",
    "Objective",
    "Optimum",
    "Patch",
    "Path",
    "Reached",
    "Regulator",
    "StageCost",
    "Tracking",
    "Trajectory",
    "fit",
    "follow",
    "gradient",
    "in_stride",
    "note_path",
    "optimise",
    "reach",
    "regulate",
    "simulate",
    "track",
]
