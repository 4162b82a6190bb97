"""A soft box at rest on a plane beside MuJoCo's flexible bodies, and what steps cost over bodies and contacts."""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import pliant as pl
from bench.timing import table
from bench.world_step import box, heap

STEP = 0.0025  # [s], of both
SOFT = """<mujoco><option timestep="{dt}" gravity="0 0 -9.81" integrator="{integrator}"/><worldbody>
<geom type="plane" size="5 5 .1" friction="0.5 0.005 0.0001"/>
<flexcomp type="grid" count="3 3 3" spacing=".2 .2 .2" pos="0 0 .2" dim="3" mass="64" name="soft" dof="{dof}"
radius="0.001">
<elasticity young="1e6" poisson="0.3" damping="2e-3"/><contact selfcollide="none"/></flexcomp></worldbody></mujoco>"""
IMPLICIT = ("discrete", "implicitfast")  # what MuJoCo calls it, newer versions first
COUNTS = (4, 8, 16, 32, 64, 128, 256, 512)
WINDOWS = {40: 200, 400: 40}  # steps that are timed together, and how often: short ones find caches cold
FALL, SEEN = 40, 20  # steps before, and of which the median is taken


def resting() -> None:
    """Both in one run, in turns; without MuJoCo ours alone."""
    world = pl.World(4 * STEP)
    world.ground()
    world.add(box(10), (0.0, 0.2, 0.0), damping=(0.0, 2e-3))
    world.step(200)
    contestants: dict[str, Callable[[int], object]] = {"pliant, 10 coordinates": lambda steps: world.step(steps // 4)}
    contestants |= _flexes()
    for window, rounds in WINDOWS.items():
        found = processor_times(contestants, window, rounds)
        ours = found["pliant, 10 coordinates"]
        rows = [
            {f"box of 0.4 m, {window} steps": name, "us a step": 1e6 * t / window, "times ours": t / ours}
            for name, t in found.items()
        ]
        print(table(rows))


def processor_times(contestants: dict[str, Callable[[int], object]], window: int, rounds: int) -> dict[str, float]:
    """Median processor time of each [s], in turns: at rest some steps of a solver take no iteration, some one."""
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, run in contestants.items():
            start = time.process_time()
            run(window)
            taken[name].append(time.process_time() - start)
    return {name: float(np.median(times)) for name, times in taken.items()}


def _flexes() -> dict[str, Callable[[int], object]]:
    """So many steps of each kind."""
    try:
        import mujoco
    except ImportError:
        print("MuJoCo is not installed here; its rows are left out")
        return {}
    found = {}
    for dof in ("quadratic", "trilinear"):
        made = _flex(mujoco, dof)
        if made is not None:
            model, data = made
            mujoco.mj_step(model, data, 800)
            name = f"MuJoCo {mujoco.__version__}, {dof}, {model.nv} unknowns, {data.ncon} contacts"
            found[name] = lambda steps, model=model, data=data: mujoco.mj_step(model, data, steps)  # type: ignore[misc]
    return found


def _flex(mujoco: Any, dof: str) -> tuple[Any, Any] | None:
    """Integrated implicitly, since 1 MPa is too stiff for an explicit step of this length."""
    for integrator in IMPLICIT:
        try:
            model = mujoco.MjModel.from_xml_string(SOFT.format(dt=STEP, dof=dof, integrator=integrator))
        except ValueError as reason:
            last = reason
            continue
        return model, mujoco.MjData(model)
    print(f"this MuJoCo has no {dof} flex: {str(last).splitlines()[0]}", file=sys.stderr)
    return None


def scaling() -> list[dict[str, float]]:
    """Heaps that have come down: processor time of a step over bodies and contacts."""
    rows, model = [], box(6)
    for count in COUNTS:
        world = heap(model, count)
        world.step(FALL)
        times, contacts = [], []
        for _ in range(SEEN):
            start = time.process_time()
            world.step()
            times.append(time.process_time() - start)
            contacts.append(len(world.contacts().points))
        taken, touching = float(np.median(times)), float(np.median(contacts))
        rows.append({"bodies": count, "contacts": touching, "ms": 1e3 * taken, "us a body": 1e6 * taken / count,
                     "us a contact": 1e6 * taken / max(1.0, touching)})  # fmt: skip
    print(table(rows))  # type: ignore[arg-type]
    print(f"cost grows as bodies^{_slope(rows, 'bodies'):.2f} and as contacts^{_slope(rows, 'contacts'):.2f}")
    return rows


def _slope(rows: list[dict[str, float]], over: str) -> float:
    x, y = (np.log([row[key] for row in rows]) for key in (over, "ms"))
    return float(np.polyfit(x, y, 1)[0])


def draw(rows: list[dict[str, float]], path: str) -> None:
    """Both curves, and what is linear through the last point of each."""
    from pliant.export.plot import Panel, write_panels

    panels = []
    for over in ("bodies", "contacts"):
        x, y = np.array([row[over] for row in rows]), np.array([row["ms"] for row in rows])
        curves = {"measured": (x, y), "linear": (x, y[-1] * x / x[-1])}
        panels.append(Panel(curves, f"a step over {over}", over, "ms", logarithmic=True))
    write_panels(path, [[panel] for panel in panels], size=(8.0, 7.5))


def main() -> None:
    resting()
    rows = scaling()
    if len(sys.argv) > 2 and sys.argv[-1].endswith(".png"):
        draw(rows, sys.argv[-1])


if __name__ == "__main__":
    main()
