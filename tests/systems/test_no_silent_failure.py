"""Random shapes, materials, loads and steps, of every kind of system: energy is explained, or `Diverged` is raised.

The ledger is kept from outside: energy by `system.energy()`, and the work of pushes by where the pushed points go. What
is gained without work must stay below `energy_watch.BOUND` of all the energy that was there, or `Diverged` comes at
the next check.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pliant as pl
from pliant.systems.energy_watch import BOUND

STEPS = 160
LATE = 64  # steps between two checks, at most
MARGIN = 1.2  # works are summed here step by step, and inside by what acts
ROUNDING = 1e-12  # [J]
KINDS = ("full", "clamped", "cubature", "tree", "seams", "seams-nonlinear")


@st.composite
def runs(draw):
    """A system and a push on it: the shape is a bar, an L or a slab, slender or stocky."""
    kind = draw(st.sampled_from(KINDS))
    free = kind not in ("clamped", "cubature") and draw(st.booleans())
    return {
        "kind": kind,
        "fixed": None if free else "x < 1e-9",
        "size": (draw(st.floats(0.3, 2.0)), draw(st.floats(0.08, 0.4)), draw(st.floats(0.08, 0.4))),
        "bent": draw(st.booleans()),
        "young": 10 ** draw(st.floats(3.0, 9.0)),
        "poisson": draw(st.floats(0.0, 0.45)),
        "steps": 10 ** draw(st.floats(0.3, 2.3)),  # in a period
        "damping": draw(st.sampled_from([0.0, 0.005, 0.05])),
        "pull": 10 ** draw(st.floats(-6.0, 1.0)),  # over what bends it by its own length, were it linear
        "spin": draw(st.floats(0.0, 10.0)) if free else 0.0,
        "aim": draw(st.tuples(*[st.floats(-1, 1)] * 3)),
    }


def made(run):
    mesh = pl.shapes.bar(run["size"], (6, 2, 2), kind="hex")
    if run["bent"]:
        X = mesh.vertices.copy()
        X[:, 1] += 0.5 * X[:, 0] ** 2 / run["size"][0]
        mesh = pl.Mesh(X, mesh.cells)
    law = pl.NeoHookean if run["kind"] == "cubature" else pl.StVK
    solid = pl.Solid(mesh, law(run["young"], run["poisson"], 1000), fixed=run["fixed"])
    modes = pl.vibration_modes(solid, 4)
    omega = 2 * np.pi * float(modes.frequencies[modes.frequencies > 1e-3 * modes.frequencies.max()][0])
    given = {"dt": 2 * np.pi / omega / run["steps"], "damping": (0.0, 2 * run["damping"] / omega), "gravity": None}
    thirds = np.minimum((3 * mesh.centroids[:, 0] / run["size"][0]).astype(int), 2)
    if run["kind"] == "full":
        system = pl.Full(solid, **given)
    elif run["kind"] == "clamped":
        system = pl.Clamped(pl.reduce(solid, pl.modal_basis(solid, 4, 8)), **given)
    elif run["kind"] == "cubature":
        model = pl.reduce(solid, pl.modal_basis(solid, 3, 5), force="cubature", samples=20, points=24)
        system = pl.Clamped(model, **given)
    elif run["kind"] == "tree":
        system = pl.substructure(solid, thirds, size=18, **given)
    elif run["kind"] == "seams":
        system = pl.couple(solid, thirds, **given)
    else:
        system = pl.couple_nonlinear(solid, thirds, 1, 4, modes=4, **given)
    if solid.fixed.size == 0:
        system.launch((0, 0, 0), run["spin"] * np.array([0.6, 0.0, 0.8]))
    stiffness = omega**2 * solid.lumped_mass.sum() / 3  # about that of its first mode
    return system, run["pull"] * stiffness * run["size"][0] * np.array(run["aim"])


def unexplained(system, force):
    """The longest run of steps in which energy from nowhere is above the bound; until it ends, or diverges."""
    vertex = int(np.argmax(system.mesh.vertices[:, 0]))
    tip = system.points([vertex], on="mesh")
    system.push([vertex], force, on="mesh")
    x, longest, now_long, work, exchanged = tip.place(system.pose())[0], 0, 0, 0.0, 0.0
    lowest = content = system.energy()
    for step in range(STEPS):
        if step == STEPS // 4:
            system.release()
            force = np.zeros(3)
        try:
            system.step()
        except pl.Diverged:
            return longest
        there, energy = tip.place(system.pose())[0], system.energy()
        done, x = float(force @ (there - x)), there
        work, exchanged = work + done, exchanged + abs(done)
        if not energy - work > lowest:
            lowest, content, exchanged = energy - work, energy, 0.0
        fine = energy - work - lowest <= MARGIN * BOUND * (content + exchanged) + ROUNDING
        now_long = 0 if fine else now_long + 1
        longest = max(longest, now_long)
    return longest


def holds(run):
    system, force = made(run)
    assert unexplained(system, force) <= LATE, run


@settings(max_examples=12)
@given(runs())
def test_energy_is_explained_or_it_diverges(run):
    holds(run)


@pytest.mark.slow
@settings(max_examples=1000)
@given(runs())
def test_energy_is_explained_or_it_diverges_in_a_thousand_runs(run):
    holds(run)
