"""A catamaran under sail, 9 m long and 11 m high, in 24 parts that close 7 loops; hold it at the keels."""

import numpy as np

from pliant.errors import Array
from pliant.mesh import Mesh, sdf
from pliant.scenes.models.lofting import bent, frame, loft, placed, sheet
from pliant.scenes.models.parting import Cut, near, parted, sliced

# x, y [m] of the middle line, half width, half height [m]; both hulls are alike
HULL = np.array([(-4.0, 0.12, 0.13, 0.24), (-3.0, 0.04, 0.27, 0.36), (-1.0, 0.0, 0.34, 0.42), (1.0, 0.0, 0.31, 0.42),
                 (2.8, 0.06, 0.20, 0.37), (3.8, 0.15, 0.11, 0.29), (4.2, 0.22, 0.10, 0.22)])  # fmt: skip
BEAM = 1.9  # z of the hulls [m], to either side
BEAMS = {"front beam": 2.5, "mast beam": 0.3, "rear beam": -2.6}  # x [m]
HULL_CUTS, MAST_CUT, MAINSAIL_CUTS, JIB_CUT = (-1.5, 1.5), 5.0, (4.3, 7.2), 4.0
MAST, MASTHEAD, CROSSTREE, BOOM = 0.3, 10.9, 7.0, 1.5  # x of the mast, heights on it [m]
SWING = 0.22  # of the boom to leeward [rad]
TACK, HOUNDS, CLEW = np.array([4.75, 0.80, 0.0]), np.array([MAST + 0.06, 8.8, 0.0]), np.array([1.0, 1.45, 0.75])
MARGIN = 0.5  # [m] beyond which distances need not be exact

Piece = tuple[sdf.Field, list[Cut]]  # a solid, and where it is cut into parts


def sailboat(edge: float = 0.087) -> Mesh:
    """Tets of about `edge` [m], 250,000 by default, with a cell group for each part; bows towards x, y up.

    Two hulls and three beams make 2 loops, the shrouds, the jib and its sheet, and the mainsail with the boom the
    other 5. No three parts meet.
    """
    thickness, rope = max(0.13, 1.7 * edge), max(0.062, 0.85 * edge)  # thinner ones would be ragged
    pieces = _platform(thickness, spar=1.6 * rope) | _rigging(rope, spar=1.5 * rope) | _sails(thickness, rope)
    regions: dict[str, sdf.Field] = {}
    for names, (solid, cuts) in pieces.items():
        regions |= dict(zip(names, sliced(near(solid, MARGIN), cuts), strict=True))
    return parted(sdf.smooth_union(*(near(solid, MARGIN) for solid, _ in pieces.values()), radius=0.08), regions, edge)


def _platform(thickness: float, spar: float) -> dict[tuple[str, ...], Piece]:
    """Hulls, beams, bowsprit and rudders."""
    pieces: dict[tuple[str, ...], Piece] = {}
    for name, z in (("port", -BEAM), ("starboard", BEAM)):
        x, y, width, height = sdf.spline(HULL, 17).T
        hull = loft(np.stack([x, y, np.full(17, z), width, height], axis=1), side=(0, 0, 1))
        pieces[f"{name} stern", f"{name} hull", f"{name} bow"] = hull, [((x, 0, 0), (1, 0, 0)) for x in HULL_CUTS]
        blade = [(-4.18, 0.40, z, 0.13, thickness / 2), (-4.28, -0.38, z, 0.17, thickness / 2)]
        pieces[f"{name} rudder",] = loft(blade, side=(1, 0, 0), section="stadium"), []
    for name, x in BEAMS.items():
        arch = [(x, 0.60 - 0.3 * t**2, BEAM * t) for t in np.linspace(-1, 1, 9)]
        pieces[name,] = sdf.sweep(arch, max(0.14, spar)), []
    pieces["bowsprit",] = sdf.capsule((2.5, 0.60, 0), TACK, max(0.11, spar)), []
    return pieces


def _rigging(rope: float, spar: float) -> dict[tuple[str, ...], Piece]:
    """Mast and boom, shrouds from the hulls to the crosstree, and the sheet that holds the clew of the jib."""
    radii = np.maximum([0.12, 0.15, 0.13, 0.10], spar)
    mast = sdf.sweep([(MAST, 0.66, 0), (MAST, 1.3, 0), (MAST, 6.0, 0), (MAST, MASTHEAD, 0)], radii)
    crosstree = sdf.capsule((MAST, CROSSTREE, -0.55), (MAST, CROSSTREE, 0.55), spar)
    boom = sdf.capsule((MAST, BOOM, 0), _aft(3.95, BOOM + 0.08), max(0.10, spar))
    port, starboard = (sdf.capsule((-0.6, 0.3, z), (MAST, CROSSTREE, 0.52 * z / BEAM), rope) for z in (-BEAM, BEAM))
    jib_sheet = sdf.capsule(CLEW + np.array([0.08, 0.06, -0.02]), (MAST, 0.55, 0.95), rope)
    return {
        ("lower mast", "upper mast"): (mast | crosstree, _levels(MAST_CUT)),
        ("boom",): (boom, []),
        ("port shroud",): (port, []),
        ("starboard shroud",): (starboard, []),
        ("jib sheet",): (jib_sheet, []),
    }


def _sails(thickness: float, rope: float) -> dict[tuple[str, ...], Piece]:
    main = _sail(_aft(0.42, BOOM), _aft(0.42, 10.1), _aft(3.85, BOOM + 0.08), thickness, camber=0.34, roach=0.55)
    halyard = sdf.capsule(_aft(0.5, 9.9), (MAST - 0.06, 10.25, 0), rope)
    jib = _sail(TACK + 0.04 * (HOUNDS - TACK), TACK + 0.85 * (HOUNDS - TACK), CLEW, thickness, camber=0.30, roach=-0.12)
    luff = sdf.capsule(TACK, HOUNDS, 1.1 * rope)
    wave = bent(sheet([(0, -0.24), (1.25, 0), (0, 0.24)], thickness), lambda x, _: 0.09 * np.sin(5 * x), 0.09)
    pennant = placed(wave, frame((-np.cos(SWING), 0, np.sin(SWING)), (0, 1, 0)), (MAST, MASTHEAD - 0.2, 0))
    return {
        ("lower mainsail", "middle mainsail", "upper mainsail"): (main | halyard, _levels(*MAINSAIL_CUTS)),
        ("lower jib", "upper jib"): (jib | luff, _levels(JIB_CUT)),
        ("pennant",): (pennant, []),
    }


def _sail(tack: Array, head: Array, clew: Array, thickness: float, camber: float, roach: float) -> sdf.Field:
    """A sheet through three corners, bulging by `camber` [m] to starboard, its leech curved outwards by `roach` [m]."""
    up = head - tack
    axes = frame(up, clew - tack)
    height, (rise, chord) = float(np.linalg.norm(up)), (axes @ (clew - tack))[:2]
    t = np.linspace(0, 1, 9)[:, None]
    leech = (1 - t) * [rise, chord] + t * [height, 0.12] + roach * np.sin(np.pi * t) * [0.2, 1.0]

    def bulge(v: Array, u: Array) -> Array:
        width = np.maximum(chord * (1 - v / height), 0.3)
        s = np.clip(u / width, 0, 1)
        return camber * (width / chord) ** 0.5 * 6.75 * s * (1 - s) ** 2 * (1 - np.exp(-np.maximum(v, 0) / 0.9))

    return placed(bent(sheet([(0, 0), *leech, (height, 0)], thickness), bulge, camber), axes, tack)


def _aft(distance: float, y: float) -> Array:
    """The point over the boom at a distance [m] from the mast and a height [m]."""
    return np.array([MAST - distance * np.cos(SWING), y, distance * np.sin(SWING)])


def _levels(*heights: float) -> list[Cut]:
    return [((0, y, 0), (0, 1, 0)) for y in heights]
