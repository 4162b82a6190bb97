"""A ring, 1.2 m across, that stands upright and is cut into equal parts all around: a closed loop; leave it free."""

from collections.abc import Sequence

import numpy as np

from pliant.errors import check_count
from pliant.mesh import Mesh, shapes
from pliant.scenes.models.parting import numbered_parts


def ring(
    radius: float = 0.5, thickness: float = 0.1, parts: int = 6, cells: Sequence[int] = (6, 16), kind: str = "tet"
) -> Mesh:
    """The ring around the z axis.

    Args:
        radius: from the axis to the middle of the section [m].
        thickness: radius of the section [m].
        parts: 3 or more, "part 1" at angle 0 on the x axis, then counter-clockwise.
        cells: bricks along a diameter of the section (about), and along each part.
        kind: "tet" or "hex".
    """
    check_count("parts", parts, at_least=3)
    lying = shapes.torus(radius, thickness, (cells[0], cells[1] * parts), kind)
    x, y, z = lying.vertices.T
    mesh = Mesh(np.stack([x, -z, y], axis=1), lying.cells)
    angle = np.arctan2(mesh.centroids[:, 1], mesh.centroids[:, 0]) % (2 * np.pi)
    labels = np.floor(angle / (2 * np.pi) * parts).astype(np.int64)
    return numbered_parts(mesh, labels)
