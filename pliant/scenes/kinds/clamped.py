"""Clamped parts from a scene."""

import numpy as np

from pliant.errors import ArgumentError
from pliant.numerics.progress import Progress
from pliant.scenes.bodies import Body
from pliant.scenes.kinds.kind import Kind
from pliant.scenes.model_building import build_model
from pliant.scenes.schema import SceneFile
from pliant.systems import Clamped
from pliant.systems.clamped.clamped import CONVERGED


def build_clamped(scene: SceneFile, body: Body, progress: Progress) -> Clamped:
    """The part of a body, reduced and fixed to the ground."""
    if not len(body.solid.fixed):
        raise ArgumentError(
            f'{body.place}.fixed is missing: a clamped system needs vertices that are held, e.g. "y < 0.01"'
        )
    return Clamped(
        build_model(body, progress),
        scene.dt,
        damping=scene.damping,
        gravity=scene.gravity,
        newton=scene.newton or CONVERGED,
        integrator=scene.integrator,
        dtype=np.float32 if scene.precision == "single" else np.float64,
    )


ACCEPTED = frozenset({"wind", "hold", "newton", "integrator", "precision", "start"})
CLAMPED = Kind("clamped", build_clamped, accepts=ACCEPTED)
