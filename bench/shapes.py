"""Every method with its defaults on shapes that nobody tuned for, against the unreduced solid on the same mesh.

    error = max_t |x_tip(t) - x_tip,full(t)| / max_t |x_tip,full(t) - X_tip|

Each shape is pulled at its tip and let go, dropped under a weight that comes at once, and knocked from the side; a step
is a fiftieth of the first period. Loads come at once, and would move the tip of a linear solid by a fifth of the size
(the weight by a tenth), or strain it by a quarter, if that is less. They are halved until the solid bears them and
twice as much: it finds rest under that, at most twice as far away as the linear one, without a cell inside out, in a
stable state, and the unreduced steps get through. Where rest is not stable the solid buckles to a side that rounding
decides, and no two ways to compute it agree. Loads and truths are kept in pliant's cache folder.

`python -m bench.shapes [shape ...] [method ...]` takes some of the shapes and methods, keeps what it measures in
`.cache/shapes.jsonl`, and goes on from there; table and picture of `docs/accuracy.md` are of all.
"""

import inspect
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import pliant as pl
from bench.timing import table
from bench.zoo import SHAPES, solid_of
from pliant.basis.response import StaticResponse
from pliant.errors import Array, Ids, PliantWarning, SingularMatrix
from pliant.numerics import factor
from pliant.reduced.cache import cached_arrays, written
from pliant.systems.system import System

PERIODS, PER_PERIOD, RATIO = 2.5, 50, 0.02  # of the first mode; RATIO: its damping, by the mass
WAY, STRAIN = {"pull": 0.2, "knock": 0.2, "drop": 0.1}, 0.25
LOADS = ("pull", "drop", "knock")
FINER = 1.6
GOOD, FINE = 0.05, 0.02  # errors at the defaults, and at a tolerance of 0.01
KEPT, PICTURE = Path(".cache/shapes.jsonl"), Path("docs/images/shapes.png")
SUDDEN = 2.0  # a load that comes at once goes as far as twice the load at rest
BORNE = 2.0  # times as far as the linear solid: where the real one rests farther away it has buckled

Method = Callable[[pl.Solid, dict], System]


class Trial:
    """A shape and the loads on it.

    Attributes:
        tip: vertices around the one that is farthest from where it is held.
        period: of the first mode [s].
        forces: of each load, totals (3,) on the tip [N], or the acceleration (3,) [m/s^2] of the drop.
    """

    def __init__(self, name: str, fine: float = 1.0):
        self.name, self.solid = name, solid_of(name, fine)
        X = self.solid.mesh.vertices
        self.extent = float(np.ptp(X, axis=0).max())
        self.period = float(rounded(2 * np.pi / pl.vibration_modes(self.solid, 1).frequencies)[0])
        self.tip = self._tip(X)
        parts = ["loads", self.solid, self.tip, self.period, WAY, STRAIN, inspect.getsource(Trial), written(pl.Full)]
        self.forces = cached_arrays(parts, self._softened, rooms=("numerics", "mesh", "fem"))

    def _tip(self, X: Array) -> Ids:
        away = np.linalg.norm(X[:, None] - X[self.solid.fixed[::4]], axis=2).min(axis=1)
        near = np.linalg.norm(X - X[away.argmax()], axis=1)
        return np.flatnonzero(near <= max(0.08 * self.extent, np.sort(near)[4]))

    def _forces(self) -> dict[str, Array]:
        response, count = StaticResponse(self.solid), len(self.tip)
        loads = np.zeros((self.solid.dof_count, 3))
        for axis in range(3):
            loads[3 * self.tip + axis, axis] = 1 / count
        give = response.solve(loads).reshape(-1, 3, 3)[self.tip].mean(axis=0)
        soft = np.linalg.eigh(0.5 * (give + give.T))[1]
        pull, knock = soft[:, 2], 0.8 * soft[:, 1] + 0.6 * soft[:, 2]
        drop = np.array([0.0, -9.81, 0.0])
        forces = {
            "pull": (pull, loads @ pull),
            "knock": (knock, loads @ knock),
            "drop": (drop, self.solid.gravity_load(drop)),
        }
        return {name: force * self._scale(response, load, WAY[name]) for name, (force, load) in forces.items()}

    def _scale(self, response: StaticResponse, load: Array, way: float) -> float:
        """What to multiply a load by, so that the linear solid moves or strains as far as it should."""
        u = response.solve(load).reshape(-1, 3)
        e, cells = self.solid.elements, self.solid.mesh.cells
        slopes = np.einsum("cai,caj->cij", u[cells], e.gradients[e.blocks, 0])
        strain = np.linalg.norm(0.5 * (slopes + slopes.transpose(0, 2, 1)), axis=(1, 2))
        moved = np.linalg.norm(u[self.tip].mean(axis=0))
        return min(way * self.extent / moved, STRAIN / np.quantile(strain, 0.99))

    def _softened(self) -> dict[str, Array]:
        self.forces = self._forces()
        for load in LOADS:
            self._soften(load)
        return self.forces

    def _soften(self, load: str) -> None:
        """Halve a load until the solid bears it, and twice as much, and the unreduced steps get through."""
        start = self._load(load)
        linear = self._moved(StaticResponse(self.solid).solve(start))
        part = 1.0
        while not all(self._borne(times * part * start, BORNE * times * part * linear) for times in (SUDDEN, 1.0)):
            part /= 2
        self.forces[load] = part * rounded(self.forces[load])
        while not self._survived(load):
            self.forces[load] = self.forces[load] / 2

    def _survived(self, load: str) -> bool:
        """Whether the unreduced solid gets through: a load that comes at once goes twice as far as at rest."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", PliantWarning)  # of cells inside out
                self.truth(load)
        except (pl.Diverged, PliantWarning):
            return False
        return True

    def _borne(self, load: Array, most: float) -> bool:
        try:
            u = pl.solve_static(self.solid, load)
        except pl.PliantError:
            return False
        return self._moved(u) <= most and pl.inverted_share(self.solid, u) == 0 and self._stable(u)

    def _stable(self, u: Array) -> bool:
        try:
            factor(self.solid.free_matrix(self.solid.stiffness(u)), True)
        except SingularMatrix:
            return False
        return True

    def _moved(self, u: Array) -> float:
        return float(np.linalg.norm(u.reshape(-1, 3)[self.tip].mean(axis=0)))

    def _load(self, name: str) -> Array:
        if name == "drop":
            return self.solid.gravity_load(self.forces[name])
        load = np.zeros((len(self.solid.mesh.vertices), 3))
        load[self.tip] = self.forces[name] / len(self.tip)
        return load.ravel()

    def settings(self, load: str) -> dict:
        """Arguments that every system takes; damping by the mass, which is the same in all of them."""
        gravity = self.forces["drop"] if load == "drop" else np.zeros(3)
        omega = 2 * np.pi / self.period
        return {"dt": self.period / PER_PERIOD, "damping": (2 * RATIO * omega, 0.0), "gravity": gravity}

    def steps(self, load: str, system: System) -> Iterator[int]:
        """Numbers of the steps, the load being applied and dropped in between."""
        off = {"pull": PER_PERIOD, "knock": PER_PERIOD // 2, "drop": None}[load]
        if off is not None:
            system.push(self.tip, np.tile(self.forces[load] / len(self.tip), (len(self.tip), 1)))
        for number in range(round(PERIODS * PER_PERIOD)):
            if number == off:
                system.release()
            yield number

    def path(self, load: str, system: System) -> tuple[Array, float]:
        """Mean places of the tip (k, 3) after every step, and the median time of a step on its core [s]."""
        points, places, clock = system.points(self.tip), [], []
        for _ in self.steps(load, system):
            began = time.process_time()
            system.step()
            clock.append(time.process_time() - began)
            places.append(points.place(system.pose()).mean(axis=0))
        return np.array(places), float(np.median(clock))

    def truth(self, load: str) -> Array:
        """The path of the unreduced solid, kept in the cache."""
        settings = self.settings(load)
        parts = [self.solid, load, self.forces[load], *settings.values(), PERIODS, written(pl.Full)]

        def run() -> dict[str, Array]:
            return {"path": self.path(load, pl.Full(self.solid, **settings))[0]}

        return cached_arrays(parts, run, rooms=("numerics", "mesh", "fem"))["path"]

    def error(self, load: str, path: Array) -> float:
        """Of a path, relative to how far the tip really goes."""
        truth, start = self.truth(load), self.solid.mesh.vertices[self.tip].mean(axis=0)
        return float(np.linalg.norm(path - truth, axis=1).max() / np.linalg.norm(truth - start, axis=1).max())


def rounded(force: Array) -> Array:
    """To six digits: what threads do to the last ones shall not change the key of a truth."""
    return np.array([float(f"{component:.6g}") for component in force])


def modal(solid: pl.Solid, settings: dict) -> System:
    return pl.Clamped(pl.reduce(solid, pl.modal_basis(solid)), **settings)


def chosen(tolerance: float | None = None) -> Method:
    def method(solid: pl.Solid, settings: dict) -> System:
        return pl.Clamped(pl.reduce(solid, **({} if tolerance is None else {"tolerance": tolerance})), **settings)

    return method


def linear_seams(solid: pl.Solid, settings: dict) -> System:
    return pl.couple(solid, pl.split(solid.mesh, 4), **settings, nonlinear=False)


def nonlinear_seams(solid: pl.Solid, settings: dict) -> System:
    return pl.couple_nonlinear(solid, pl.split(solid.mesh, 4), **settings)


def tree(solid: pl.Solid, settings: dict) -> System:
    return pl.substructure(solid, pl.split(solid.mesh, 4), **settings)


def assembled(solid: pl.Solid, settings: dict) -> System:
    return pl.assemble(solid, **settings)


METHODS: dict[str, Method] = {
    "30 modal": modal,
    "reduce": chosen(),
    "reduce 1 %": chosen(0.01),
    "assemble": assembled,
    "seams": nonlinear_seams,
    "linear seams": linear_seams,
    "tree": tree,
}


def measure(trial: Trial, method: Method) -> dict[str, object]:
    """The worst error over the loads, size and time of a step under the slowest; or what was said instead."""
    system, began, made, said = None, time.perf_counter(), np.nan, ""
    errors, steps = dict[str, float](), list[float]()
    try:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always", PliantWarning)
            system = method(trial.solid, trial.settings("pull"))
            made = time.perf_counter() - began
            for load in LOADS:
                system = method(trial.solid, trial.settings(load)) if load != "pull" else system
                path, seconds = trial.path(load, system)
                errors[load] = trial.error(load, path)
                steps.append(seconds)
        said = "; ".join(dict.fromkeys(str(w.message) for w in heard if issubclass(w.category, PliantWarning)))
    except pl.PliantError as refusal:
        said = f"{type(refusal).__name__}: {refusal}"
    worst = max(errors.values()) if len(errors) == len(LOADS) else np.nan
    size = 0 if system is None else system.size
    slowest = max(steps, default=np.inf)
    timed = {"step us": 1e6 * slowest, "of a step's time": slowest * PER_PERIOD / trial.period, "made s": made}
    return {"error": worst, "size": size, **timed, "said": said, "errors": errors}


def main(names: list[str] | None = None) -> None:
    """Measure what is not in KEPT yet, a line each; then print the table and draw the picture."""
    known = results()
    KEPT.parent.mkdir(exist_ok=True)
    shapes, methods = ([each for each in some if each in (names or [])] or list(some) for some in (SHAPES, METHODS))
    for name in shapes:
        missing = [method for method in methods if method not in known.get(name, {})]
        trial = Trial(name) if missing else None
        for method in missing:
            cells = trial.solid.mesh.cell_count
            line = {"shape": name, "cells": cells, "method": method, **measure(trial, METHODS[method])}
            print(
                *(f"{key} {value:.3g}" if isinstance(value, float) else value for key, value in line.items()),
                flush=True,
            )
            with KEPT.open("a") as file:
                print(json.dumps(line), file=file)
    found = results()
    rows = [
        {"shape": name, "cells": next(iter(found[name].values()))["cells"]}
        | {method: cell(found[name][method]) if method in found[name] else "" for method in METHODS}
        | {"f1 against finer, tet10": ", ".join(f"{100 * error:.1f}" for error in mesh_errors(name))}
        for name in SHAPES
        if name in found
    ]
    print(table(rows))
    if any(np.isfinite(line["error"]) for row in found.values() for line in row.values()):
        draw(found, PICTURE)


def mesh_errors(name: str) -> tuple[float, float]:
    """How much higher the first frequency is than with finer cells, FINER times as many along an edge, and than with
    quadratic cells of the same tets: the error of the mesh itself.
    """

    def measured() -> dict[str, Array]:
        solid = solid_of(name)
        quadratic = pl.Solid(solid.mesh.refine_order(), solid.material, fixed=SHAPES[name](1.0)[1])
        solids = (solid, solid_of(name, FINER), quadratic)
        return {"f1": np.array([pl.vibration_modes(each, 1).frequencies[0] for each in solids])}

    parts = ["mesh errors", name, FINER, written(SHAPES[name])]
    own, finer, curved = cached_arrays(parts, measured, rooms=("numerics", "mesh", "fem"))["f1"].tolist()
    return own / finer - 1, own / curved - 1


def results() -> dict[str, dict[str, dict]]:
    """What was measured so far, by shape and method."""
    found: dict[str, dict[str, dict]] = {}
    for line in map(json.loads, KEPT.read_text().splitlines() if KEPT.exists() else []):
        found.setdefault(line["shape"], {})[line["method"]] = line
    return found


def draw(results: dict[str, dict[str, dict]], path: str | Path) -> None:
    """Error over the time of a step, a mark for every shape and method; hollow: a warning was given."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from pliant.export.plot import COLOURS, STYLE

    colours = (*COLOURS, "#26323c")
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.0, 5.6), layout="constrained")
        axes = figure.subplots()
        for method, colour, marker in zip(METHODS, colours, "oP^Ds<>", strict=True):
            size = 22 if method == "assemble" else 70  # mostly the same system as that of reduce
            lines = [row[method] for row in results.values() if method in row and np.isfinite(row[method]["error"])]
            x, y = [line["step us"] for line in lines], [100 * line["error"] for line in lines]
            faces = ["white" if line["said"] else colour for line in lines]
            axes.scatter(x, y, s=size, marker=marker, facecolors=faces, edgecolors=colour, linewidths=1.5, zorder=3)
            axes.scatter([], [], s=size, marker=marker, color=colour, linewidths=1.5, label=method)
        for bound, said in ((GOOD, "5 %"), (FINE, "2 %")):
            axes.axhline(100 * bound, color="#6a7884", linestyle="--", linewidth=1)
            axes.annotate(said, (0.01, 100 * bound), xycoords=("axes fraction", "data"), va="bottom", color="#45525d")
        axes.scatter([], [], s=46, facecolors="white", edgecolors="#6a7884", linewidths=1.5, label="hollow: warned of")
        axes.set(xscale="log", yscale="log", xlabel="a step [us]", ylabel="largest error of the tip [%]")
        axes.yaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_major_formatter("{x:,.0f}")
        figure.legend(loc="outside right upper")
        figure.savefig(path, dpi=110)


def cell(line: dict) -> str:
    """As in the table: per cent, with a mark where something was said; "refused" where nothing came out."""
    if not np.isfinite(line["error"]):
        return "diverged" if line["size"] else "refused"
    return f"{100 * line['error']:.1f} ({line['size']})" + "!" * bool(line["said"])


if __name__ == "__main__":
    main(sys.argv[1:])
