"""From mesh to saved model: where the time goes, and how it grows with the number of cells."""

import resource
import tempfile
import time
from pathlib import Path

import numpy as np

import pliant as pl
from bench.timing import table
from pliant.reduced.cubic import cubic_force
from pliant.reduced.groups import groups_of

MODES, SIZE = 10, 30
MATERIAL = pl.StVK(young=2e6, poisson=0.3, density=1000)
# 12,000 to 500,000 tets, always 10 times as long as thick.
GRIDS = ((58, 6, 6), (100, 10, 10), (146, 15, 15), (203, 20, 20))


def stages(cells: tuple[int, int, int]) -> dict[str, object]:
    """Wall times of the stages, the warm way: everything compiled before."""
    clock = [time.perf_counter()]

    def lap() -> float:
        clock.append(time.perf_counter())
        return clock[-1] - clock[-2]

    solid = pl.Solid(pl.shapes.bar((1, 0.1, 0.1), cells), MATERIAL, fixed="x < 1e-9")
    row: dict[str, object] = {"tets": solid.mesh.cell_count, "mesh": lap()}
    basis = pl.modal_basis(solid, MODES, SIZE)
    row["basis"] = lap()
    cubic_force(solid, np.ascontiguousarray(basis.vectors), groups_of(solid))
    row["polynomials"] = lap()
    model = pl.reduce(solid, basis)
    whole = lap()
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "bar.pliant")
        row["save"] = lap()
    parts = [row[name] for name in ("mesh", "basis", "save")]
    row["all s"] = sum(float(part) for part in parts) + whole  # type: ignore[arg-type]
    row["us per tet"] = 1e6 * row["all s"] / solid.mesh.cell_count  # type: ignore[operator]
    row["polynomials us per tet"] = 1e6 * row["polynomials"] / solid.mesh.cell_count  # type: ignore[operator]
    row["peak GB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return row


def main() -> None:
    stages((12, 2, 2))
    rows = [stages(cells) for cells in GRIDS]
    print(
        f"{MODES} modes, {MODES * (MODES + 1) // 2} derivatives, r = {SIZE}; asked of 12,000 tets: 6 s, polynomials 3 s"
    )
    print(table(rows))
