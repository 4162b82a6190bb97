"""Parts that share the coordinates of their interfaces, through time: linear and warped, or nonlinear ([BA13])."""

from pliant.systems.seams.coupling import couple_linear
from pliant.systems.seams.either import couple
from pliant.systems.seams.nonlinear import NonlinearSeams, couple_nonlinear
from pliant.systems.seams.seams import Seams

__all__ = ["NonlinearSeams", "Seams", "couple", "couple_linear", "couple_nonlinear"]
