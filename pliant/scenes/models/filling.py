"""Signed distances made into the cells that a scene asks for."""

from pliant.errors import check_choice
from pliant.mesh import Mesh, sdf


def filled(field: sdf.Field, edge: float, kind: str) -> Mesh:
    """Voxels ("hex"), or tets that follow the surface ("tet"), of about `edge` [m]."""
    return field.tets(edge) if check_choice("kind", kind, ("hex", "tet")) == "tet" else field.voxels(edge)
