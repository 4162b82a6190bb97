"""The full model: materials, elements, assembly and statics of an unreduced solid."""

from pliant.fem.corotational import Corotational
from pliant.fem.firm_stvk import FirmStVK
from pliant.fem.inversion import inverted_share
from pliant.fem.linear import Linear
from pliant.fem.material import Material
from pliant.fem.neo_hookean import NeoHookean
from pliant.fem.shell import Shell
from pliant.fem.solid import Solid
from pliant.fem.statics import solve_static
from pliant.fem.stvk import StVK

MATERIALS: dict[str, type[Material]] = {
    "stvk": StVK,
    "firm-stvk": FirmStVK,
    "neo-hookean": NeoHookean,
    "corotational": Corotational,
    "linear": Linear,
}

__all__ = [
    "MATERIALS",
    "Corotational",
    "FirmStVK",
    "Linear",
    "Material",
    "NeoHookean",
    "Shell",
    "Solid",
    "StVK",
    "inverted_share",
    "solve_static",
]
