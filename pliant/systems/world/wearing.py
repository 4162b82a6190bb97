"""A surface that the bodies of a world wear, beside the obstacles, which are drawn as they are."""

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from pliant.mesh import Mesh, Surface
from pliant.mesh.embedding import Embedding
from pliant.skin import Worn, wear
from pliant.systems.world.body import Model
from pliant.systems.world.obstacle import Obstacle


def worn_with_obstacles(mesh: Mesh, surface: Surface, models: Sequence[Model]) -> Worn:
    """Hang a surface on the mesh of a world, whose vertices are those of these models in a row."""
    worn = wear(mesh, surface)
    starts = np.cumsum([0, *(len(model.X) for model in models)])
    shells = [(model.surface, int(at)) for model, at in zip(models, starts) if isinstance(model, Obstacle)]
    if not shells:
        return worn
    drawn = [worn.surface, *(shell for shell, _ in shells)]
    rows = [sp.eye(len(shell.vertices), int(starts[-1]), at, format="csr") for shell, at in shells]
    firsts = np.cumsum([0, *(len(each.vertices) for each in drawn)])
    nowhere = np.zeros(int(firsts[-1] - firsts[1]), dtype=np.int64)
    return Worn(
        Surface(
            np.concatenate([each.vertices for each in drawn]),
            np.concatenate([each.triangles + first for each, first in zip(drawn, firsts)]),
        ),
        Embedding(
            sp.vstack([worn.embedding.rows, *rows], format="csr"),
            np.concatenate([worn.embedding.cells, nowhere]),
            np.concatenate([worn.embedding.outside, nowhere.astype(bool)]),
        ),
    )
