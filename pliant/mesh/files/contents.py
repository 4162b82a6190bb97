"""What a mesh file holds, before it is validated."""

from dataclasses import dataclass, field

from pliant.errors import Array, Ids


@dataclass
class MeshContents:
    """Arguments for `Mesh`, gathered by a reader, and the boundary triangles (t, 3) that the file lists, if any."""

    vertices: Array
    cells: Ids
    vertex_groups: dict[str, Ids] = field(default_factory=dict)
    cell_groups: dict[str, Ids] = field(default_factory=dict)
    materials: dict[str, dict[str, float]] = field(default_factory=dict)
    boundary: Ids | None = None
