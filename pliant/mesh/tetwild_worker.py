"""A process of its own for fTetWild: `python tetwild_worker.py folder edge` reads surface.npz, writes tets.npz.

fTetWild is native code that prints, and that can end the process it runs in.
"""

import sys
import types
from pathlib import Path

import numpy as np

ENVELOPE = 0.05  # of the edge of the tets: how far the result may leave the surface
ITERATIONS = 10  # of optimisation; more than these take minutes and improve the tets little


def main(folder: Path, edge: float) -> None:
    """Tetrahedralise folder/surface.npz with edges of `edge` times the bounding box diagonal."""
    try:
        import pyvista  # noqa: F401
    except ImportError:
        # pytetwild imports pyvista to add a method to its classes, which is of no use here.
        sys.modules["pyvista"] = types.ModuleType("pyvista")
    import pytetwild

    with np.load(folder / "surface.npz", allow_pickle=False) as surface:
        vertices, triangles = surface["vertices"], surface["triangles"]
    points, tets = pytetwild.tetrahedralize(
        vertices,
        triangles.astype(np.int32),
        edge_length_fac=edge,
        epsilon=ENVELOPE * edge,
        num_opt_iter=ITERATIONS,
        quiet=True,
    )
    np.savez(folder / "tets.npz", vertices=points, tets=tets)


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]))
