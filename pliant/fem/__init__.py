"""The full model: materials, elements, assembly and statics of an unreduced solid."""

from pliant.fem.corotational import Corotational
from pliant.fem.linear import Linear
from pliant.fem.material import Material
from pliant.fem.neo_hookean import NeoHookean
from pliant.fem.solid import Solid
from pliant.fem.statics import solve_static
from pliant.fem.stvk import StVK

MATERIALS: dict[str, type[Material]] = {
    "stvk": StVK,
    "neo-hookean": NeoHookean,
    "corotational": Corotational,
    "linear": Linear,
}

__all__ = ["MATERIALS", "Corotational", "Linear", "Material", "NeoHookean", "Solid", "StVK", "solve_static"]
