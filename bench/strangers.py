"""Shapes of other people, filled with tets, each held at what it stands on; none where their files are not there.

They lie in `../shared/meshes` beside the repository, as for the tests.
"""

from collections.abc import Callable
from pathlib import Path

import pliant as pl

Made = tuple[pl.Mesh, str]  # a mesh, and what of it is held
FOLDER = Path(__file__).parents[2] / "shared" / "meshes"


def filled(file: str, edge: float) -> pl.Mesh:
    """`edge`: over the diagonal of the surface."""
    return pl.tetrahedralise(FOLDER / file, edge, method="lattice")


def spot(fine: float = 1.0) -> Made:
    """A cow on four feet, 6,200 tets."""
    return filled("spot.obj", 0.045 / fine), "y < -0.68"


def cheburashka(fine: float = 1.0) -> Made:
    """A plush toy with large ears, 2,800 tets."""
    return filled("cheburashka.off", 0.05 / fine), "y < 0.12"


def armadillo(fine: float = 1.0) -> Made:
    """Of thin limbs, a tail and a snout, 3,200 tets."""
    return filled("armadillo.obj", 0.045 / fine), "y < -0.53"


def fertility(fine: float = 1.0) -> Made:
    """A sculpture with four handles, 5,700 tets."""
    return filled("fertility.off", 0.04 / fine), "y < -66"


def knight(fine: float = 1.0) -> Made:
    """A coarse chess knight, 2,200 tets."""
    return filled("decimated-knight.off", 0.05 / fine), "y < 0.09"


STRANGERS: dict[str, Callable[[float], Made]] = {
    make.__name__: make for make in (knight, cheburashka, armadillo, fertility, spot) if FOLDER.is_dir()
}
