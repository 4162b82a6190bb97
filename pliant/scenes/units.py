"""How long a unit of a mesh file is: said, or guessed from its extent."""

from pliant.errors import check_choice, check_number

UNITS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "in": 0.0254}  # [m]
NAMES = {"mm": "millimetres", "cm": "centimetres", "m": "metres", "in": "inches"}
LARGEST_IN_METRES = 10.0  # what is longer is hardly drawn in metres


def length_of_unit(extent: float, scale: float | None, unit: str | None) -> tuple[float, str]:
    """Metres a unit, and a sentence about it.

    Args:
        extent: the longest side of the mesh in its own units.
        scale: multiplies; without a unit it says metres a unit.
        unit: of the file; None: guessed, unless there is a scale.
    """
    factor = 1.0 if scale is None else check_number("scale", scale, above=0)
    guessed = unit is None and scale is None
    if unit is None:
        unit = "mm" if guessed and extent > LARGEST_IN_METRES else "m"
    length = factor * UNITS[check_choice("unit", unit, tuple(UNITS))]
    times = "" if scale is None else f" times {factor:g}"
    reading = "read as" if guessed else "in"
    return length, f"{extent:.4g} units: {reading} {NAMES[unit]}{times}, {said_length(extent * length)} long"


def said_length(metres: float) -> str:
    """In the unit that people would use."""
    for factor, name in ((1000.0, "km"), (1.0, "m"), (0.01, "cm")):
        if float(f"{metres:.3g}") >= factor:
            return f"{metres / factor:.3g} {name}"
    return f"{1000 * metres:.3g} mm"
