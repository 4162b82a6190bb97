"""Materials by everyday names: round values from the middle of the ranges that handbooks print.

[A11] M. F. Ashby, Materials Selection in Mechanical Design, 4th ed. (2011), Appendix A: rubber, foam, cork, wood,
aluminium and steel. Jelly: the order of gels of gelatine, some kPa to some tens of kPa. Poisson's ratios stay below
0.46: linear tets lock near 0.5.
"""

from dataclasses import dataclass

from pliant.errors import ArgumentError
from pliant.fem import MATERIALS
from pliant.scenes.choices import suggestion


@dataclass(frozen=True)
class Preset:
    """Young's modulus [Pa], Poisson's ratio, density [kg/m^3], and whose range they lie in."""

    young: float
    poisson: float
    density: float
    source: str
    model: str = "stvk"


PRESETS: dict[str, Preset] = {
    "jelly": Preset(1e4, 0.45, 1030.0, "gels of gelatine, 2 to 30 kPa"),
    "foam": Preset(5e5, 0.3, 25.0, "[A11] flexible polymer foam, very low density, 0.3 to 1 MPa, 16 to 35 kg/m^3"),
    "rubber": Preset(2e6, 0.45, 925.0, "[A11] natural rubber, 1.5 to 2.5 MPa, 920 to 930 kg/m^3"),
    "cork": Preset(3e7, 0.2, 180.0, "[A11] cork, 13 to 50 MPa, 120 to 240 kg/m^3"),
    "wood": Preset(1e10, 0.37, 700.0, "[A11] typical wood along the grain, 6 to 20 GPa, 600 to 800 kg/m^3"),
    "aluminium": Preset(7e10, 0.33, 2700.0, "[A11] aluminium alloys, 68 to 82 GPa, 2500 to 2900 kg/m^3"),
    "steel": Preset(2.1e11, 0.29, 7850.0, "[A11] low carbon steel, 200 to 215 GPa, 7800 to 7900 kg/m^3"),
}


def material_named(name: str) -> dict[str, str | float]:
    """The keys of a scene's material table: those of a preset, or the model alone where a law is named."""
    if name in PRESETS:
        preset = PRESETS[name]
        return {
            "model": preset.model,
            "young": preset.young,
            "poisson": preset.poisson,
            "density": preset.density,
        }
    if name in MATERIALS:
        return {"model": name}
    known = (*PRESETS, *MATERIALS)
    raise ArgumentError(f"material must be one of {', '.join(known)}; {name!r} was given{suggestion(name, known)}")
