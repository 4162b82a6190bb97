"""Physical groups of Gmsh files of versions 2.2 and 4.1: named and unnamed, of every dimension and of both orders."""

import numpy as np
import pytest

import pliant as pl
from pliant.mesh.shape_functions import TET_EDGES

# Two tets on a common face; the first stands on z = 0. Node numbers have a gap, as Gmsh's may.
NODES = {1: (0, 0, 0), 2: (1, 0, 0), 3: (0, 1, 0), 4: (0, 0, 1), 7: (1, 1, 1)}
CLAMP, HINGE, HOOK, UPPER = [0, 1, 2], [0, 1], [4], [1]

VERSION_2 = """$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
5
0 9 "hook"
1 4 "hinge"
2 3 "clamp"
3 3 "lower"
3 5 "upper part"
$EndPhysicalNames
$Nodes
5
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
7 1 1 1
$EndNodes
$Elements
7
1 15 2 9 1 7
2 1 2 4 1 1 2
3 2 2 3 1 1 3 2
4 2 2 8 2 1 2 4
5 2 2 0 2 1 3 4
6 4 2 3 1 1 2 3 4
7 4 2 5 2 2 3 4 7
$EndElements
"""

VERSION_4 = """$MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
5
0 9 "hook"
1 4 "hinge"
2 3 "clamp"
3 3 "lower"
3 5 "upper part"
$EndPhysicalNames
$Entities
1 1 2 2
1 1 1 1 1 9
1 0 0 0 1 0 0 1 4 0
1 0 0 0 1 1 0 1 3 0
2 0 0 0 1 0 1 1 8 0
1 0 0 0 1 1 1 1 3 0
2 0 0 0 1 1 1 1 5 0
$EndEntities
$Nodes
1 5 1 7
3 1 0 5
1
2
3
4
7
0 0 0
1 0 0
0 1 0
0 0 1
1 1 1
$EndNodes
$Elements
6 6 1 6
0 1 15 1
1 7
1 1 1 1
2 1 2
2 1 2 1
3 1 3 2
2 2 2 1
4 1 2 4
3 1 4 1
5 1 2 3 4
3 2 4 1
6 2 3 4 7
$EndElements
"""

# One tet of ten nodes; its lower face of six nodes is a physical surface.
SECOND_ORDER = """$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
2 3 "clamp"
3 1 "body"
$EndPhysicalNames
$Nodes
10
1 0.5 0 0
2 0 0 0
3 1 0 0
4 0 1 0
5 0 0 1
6 0.5 0.5 0
7 0 0.5 0
8 0 0 0.5
9 0 0.5 0.5
10 0.5 0 0.5
$EndNodes
$Elements
2
1 9 2 3 1 2 4 3 7 6 1
2 11 2 1 1 2 3 4 5 1 6 7 8 9 10
$EndElements
"""

each_version = pytest.mark.parametrize("text", [VERSION_2, VERSION_4], ids=["2.2", "4.1"])


@pytest.fixture
def written(tmp_path):
    def write(text):
        (tmp_path / "tets.msh").write_text(text)
        return pl.read_mesh(tmp_path / "tets.msh")

    return write


@each_version
def test_gmsh_groups_of_every_dimension_are_read(written, text):
    mesh = written(text)
    assert np.array_equal(mesh.vertices, list(NODES.values()))
    assert {name: ids.tolist() for name, ids in mesh.vertex_groups.items()} == {
        "hook": HOOK,
        "hinge": HINGE,
        "clamp": CLAMP,
        "physical surface 8": [0, 1, 3],
    }
    assert {name: ids.tolist() for name, ids in mesh.cell_groups.items()} == {"lower": [0], "upper part": UPPER}


@pytest.mark.parametrize(
    "text",
    [
        VERSION_2.replace("6 4 2 3 1", "6 4 2 0 1"),
        VERSION_4.replace("1 1 1 1 3 0\n2 0 0 0 1 1 1 1 5", "1 1 1 0 0\n2 0 0 0 1 1 1 1 5"),
    ],
)
def test_gmsh_cells_without_a_group_are_read(written, text):
    mesh = written(text)
    assert mesh.vertex_groups["clamp"].tolist() == CLAMP
    assert {name: ids.tolist() for name, ids in mesh.cell_groups.items()} == {"upper part": UPPER}


@each_version
def test_gmsh_surface_group_can_be_fixed(written, text):
    solid = pl.Solid(written(text), pl.StVK(1e5, 0.3), fixed='group("clamp")')
    assert solid.fixed.tolist() == CLAMP


@each_version
def test_gmsh_surface_group_can_be_fixed_in_a_scene(written, text, tmp_path):
    written(text)
    (tmp_path / "held.toml").write_text("""[[part]]\nmesh = "tets.msh"\nfixed = 'group("clamp")'\n""")
    assert pl.load_scene(tmp_path / "held.toml").solid.fixed.tolist() == CLAMP


@each_version
def test_gmsh_groups_survive_a_file_that_keeps_groups(written, text, tmp_path):
    mesh = written(text)
    mesh.write(tmp_path / "again.inp")
    again = pl.read_mesh(tmp_path / "again.inp")
    assert again.vertex_groups["clamp"].tolist() == CLAMP
    assert again.cell_groups["lower"].tolist() == [0]


def test_gmsh_second_order_nodes_are_kept_with_their_groups(written):
    mesh = written(SECOND_ORDER)
    assert mesh.kind == "tet10"
    np.testing.assert_array_equal(
        mesh.vertices[mesh.cells[0, 4:]], mesh.vertices[mesh.cells[0]][TET_EDGES].mean(axis=1)
    )
    assert mesh.vertex_groups["clamp"].tolist() == mesh.select("z == 0").tolist()
    assert mesh.cell_groups["body"].tolist() == [0]
    corners = mesh.linear()
    assert np.array_equal(corners.vertices, [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    assert corners.vertex_groups["clamp"].tolist() == [0, 1, 2]
