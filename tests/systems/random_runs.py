"""Runs drawn at random: a shape, a material, a kind of system, a step, and what acts on it and when."""

import warnings
from dataclasses import dataclass

import numpy as np

import pliant as pl
from pliant.errors import PliantWarning
from pliant.systems.system import System

STEPS = 192
ANY = ("StVK", "FirmStVK", "NeoHookean", "Corotational", "Linear")
LAWS = {
    "full": ANY,
    "full-explicit": ANY,
    "clamped": ("StVK",),
    "cubature": ("FirmStVK", "NeoHookean", "Corotational"),
    "linear": ("Linear", "StVK"),
    "tree": ("StVK", "Linear"),
    "seams": ANY,
    "seams-nonlinear": ("StVK",),
    "bodies": ("StVK",),
}
KINDS = tuple(LAWS)
HELD_ALONE = ("clamped", "cubature", "linear", "bodies")
CELLS = ("hex", "tet", "sliver", "tet10")
NEEDLE = 0.02  # thickness of a layer of slivers, over that of its neighbours


@dataclass(frozen=True)
class Hand:
    """Holds the tip from one step on, jerks it to other places, and lets go."""

    begins: int
    ends: int
    every: int
    reach: float  # over the length of the body
    aims: tuple

    def target(self, step, x, length):
        """Where to at a step at which the tip is at x; None: nothing new."""
        if not self.begins <= step < self.ends or (step - self.begins) % self.every:
            return None
        aim = self.aims[(step - self.begins) // self.every % len(self.aims)]
        return x + self.reach * length * np.array(aim)


def run_of(number):
    """The run of this number, as a dictionary that can be printed; kinds take turns."""
    random = np.random.default_rng(number)
    kind = KINDS[number % len(KINDS)]
    free = kind not in HELD_ALONE and bool(random.integers(2))
    inertia = random.choice(["L1", "L2", "full"])
    graspable = kind not in ("tree", "bodies") or inertia == "full"  # trees with lumped masses refuse hands
    return {
        "kind": kind,
        "law": random.choice(LAWS[kind]),
        "free": free,
        "size": (random.uniform(0.3, 2.0), *random.uniform(0.08, 0.4, 2)),
        "cells": random.choice(CELLS),
        "bent": random.random() < 0.5,
        "young": 10 ** random.uniform(3, 9),
        "patchy": random.random() < 0.3,
        "poisson": random.uniform(0.0, 0.45),
        "newton": int(random.choice([1, 10, 30])),
        "integrator": random.choice(["implicit", "explicit"], p=[0.7, 0.3]),
        "precision": random.choice(["float64", "float32"], p=[0.8, 0.2]),
        "inertia": inertia,
        "steps": 10 ** random.uniform(0.6, 2.3),  # in a period
        "damping": random.choice([0.0, 0.005, 0.05]),
        "gravity": random.uniform(0, 1) if random.random() < 0.5 else 0.0,  # over what bends it by its own length
        "pull": 10 ** random.uniform(-6, 1),  # likewise
        "pushes": [(int(random.integers(STEPS)), aim_of(random)) for _ in range(random.integers(7))],  # when, where to
        "hand": hand_of(random) if graspable and random.random() < 0.4 else None,
        "wind": (random.uniform(-3, 1), aim_of(random)) if random.random() < 0.4 else None,
        "spin": random.uniform(0, 10) if free else 0.0,
    }


def aim_of(random):
    return tuple(random.uniform(-1, 1, 3))


def hand_of(random):
    begins = int(random.integers(STEPS // 2))
    times = (begins, int(random.integers(begins + 1, STEPS)), int(random.integers(1, 41)))
    return Hand(*times, random.uniform(0, 0.5), tuple(aim_of(random) for _ in range(3)))


def shape(run):
    """A bar, or one that is bent, slender or stocky."""
    kind, size = run["cells"], run["size"]
    mesh = pl.shapes.bar(size, (3, 1, 1) if kind == "tet10" else (6, 2, 2), "tet" if kind == "sliver" else kind)
    X = mesh.vertices.copy()
    if kind == "sliver":
        layer = np.round(6 * X[:, 0] / size[0])
        X[layer == 3, 0] = (2 + NEEDLE) * size[0] / 6
        X[:, 1:] *= 1 + 0.1 * np.sin(37.0 * np.arange(len(X)))[:, None]
    if run["bent"]:
        X[:, 1] += 0.5 * X[:, 0] ** 2 / size[0]
    return pl.Mesh(X, mesh.cells)


@dataclass(frozen=True)
class Made:
    """A system, and the loads of its run in newtons and pascals."""

    system: System
    push: float
    length: float
    wind: pl.Wind | None
    mass: np.ndarray  # (n, 3) of the vertices


def made(run):
    """The system of a run; long steps are meant."""
    mesh = shape(run)
    young = run["young"] * (1 + 9 * (np.arange(mesh.cell_count) % 3 == 0)) if run["patchy"] else run["young"]
    material = getattr(pl, run["law"])(young, run["poisson"], 1000)
    solid = pl.Solid(mesh, material, fixed=None if run["free"] else "x < 1e-9")
    modes = pl.vibration_modes(solid, 4)
    omega = float(modes.frequencies[modes.frequencies > 1e-3 * modes.frequencies.max()][0])
    gravity = run["gravity"] * omega**2 * run["size"][0] / 3
    given = {
        "dt": 2 * np.pi / omega / run["steps"],
        "damping": (0.0, 2 * run["damping"] / omega),
        "gravity": (0.0, -gravity, 0.0),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PliantWarning)
        system = MAKERS[run["kind"]](solid, run, given)
    if run["free"]:
        system.launch((0, 0, 0), run["spin"] * np.array([0.6, 0.0, 0.8]))
    whole = solid.lumped_mass.sum() / 3
    push = run["pull"] * omega**2 * whole * run["size"][0]
    return Made(system, push, run["size"][0], _wind(run, push), np.asarray(solid.mass.sum(axis=0)).reshape(-1, 3))


def _wind(run, push):
    """With a pressure of about so much force over the body's side."""
    if run["wind"] is None:
        return None
    power, aim = run["wind"]
    speed = np.sqrt(10**power * push / (0.6 * run["size"][0] * run["size"][1]))
    return pl.Wind(speed * np.array(aim), gust=0.5, length=20 * run["size"][0])


def _full(solid, run, given):
    return pl.Full(solid, **given, newton=run["newton"])


def _full_explicit(solid, run, given):
    fastest = 2 / np.sqrt(_largest(solid))
    return pl.Full(solid, **given | {"dt": min(given["dt"], 0.3 * fastest)}, integrator="explicit")


def _largest(solid):
    """A bound on the square of the fastest frequency, by the rows of M^-1 K."""
    return float((np.asarray(abs(solid.stiffness()).sum(axis=1)).ravel() / solid.lumped_mass)[solid.free].max())


def _reduced(solid, run, given, force, modes, size, **training):
    model = pl.reduce(solid, pl.modal_basis(solid, modes, size), force=force, **training)
    if run["integrator"] == "explicit":
        fastest = 2 / np.sqrt(np.linalg.eigvals(np.linalg.solve(model.mass, model.stiffness())).real.max())
        given = given | {"dt": min(given["dt"], 0.5 * fastest)}
    return pl.Clamped(model, **given, newton=run["newton"], integrator=run["integrator"], dtype=run["precision"])


def _clamped(solid, run, given):
    return _reduced(solid, run, given, run.get("force", "cubic"), 4, 8)


def _cubature(solid, run, given):
    return _reduced(solid, run, given, "cubature", 3, 5, samples=20, points=24)


def _linear(solid, run, given):
    return _reduced(solid, run, given, "linear", 4, 8)


def _thirds(solid, run):
    return np.minimum((3 * solid.mesh.centroids[:, 0] / run["size"][0]).astype(int), 2)


def _tree(solid, run, given):
    return pl.substructure(solid, _thirds(solid, run), inertia=run["inertia"], size=18, **given)


def _seams(solid, run, given):
    return pl.couple(solid, _thirds(solid, run), 6, **given, nonlinear=False)


def _nonlinear(solid, run, given):
    return pl.couple_nonlinear(solid, _thirds(solid, run), 1, 4, modes=4, newton=run["newton"], **given)


def _bodies(solid, run, given):
    return pl.Bodies([_tree(solid, run, given), _clamped(solid, {**run, "integrator": "implicit"}, given)])


MAKERS = {
    "full": _full,
    "full-explicit": _full_explicit,
    "clamped": _clamped,
    "cubature": _cubature,
    "linear": _linear,
    "tree": _tree,
    "seams": _seams,
    "seams-nonlinear": _nonlinear,
    "bodies": _bodies,
}
