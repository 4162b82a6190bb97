"""Files: every format gives back what was written, real meshes load, .veg with all its commands, atomic writing."""

import numpy as np
import pytest

from pliant.errors import FileError, PliantWarning
from pliant.mesh import Mesh, Surface, read_mesh, read_surface, shapes

FLOAT32 = 1e-6  # .stl and .ply keep single precision

BAR = """# a comment
*VERTICES
8 3 0 0
1 0 0 0
2, 1, 0, 0
3 1 1 0
4 0 1 0
5 0 0 1
6 1 0 1
7 1 1 1
8 0 1 1

*ELEMENTS
CUBES
1 8 0
1 1 2 3 4 5 6 7 8
"""


@pytest.mark.parametrize("kind", ["tet", "hex"])
@pytest.mark.parametrize("ending", [".vtu", ".vtk", ".msh", ".mesh", ".meshb", ".veg", ".inp", ".avs", ".su2"])
def test_written_meshes_read_back_the_same(tmp_path, ending, kind):
    mesh = shapes.bar((1, 0.3, 1 / 3), (3, 2, 1), kind)
    mesh.write(tmp_path / f"bar{ending}")
    again = read_mesh(tmp_path / f"bar{ending}")
    assert np.array_equal(again.cells, mesh.cells)
    assert np.allclose(again.vertices, mesh.vertices, rtol=0, atol=1e-15)
    assert [file.name for file in tmp_path.iterdir()] == [f"bar{ending}"]


@pytest.mark.parametrize("ending", [".node", ".ele"])
def test_tetgen_pair_reads_back_from_either_file(tmp_path, ending):
    mesh = shapes.spoon()
    mesh.write(tmp_path / f"spoon{ending}")
    again = read_mesh(tmp_path / "spoon.node")
    assert np.array_equal(again.cells, read_mesh(tmp_path / "spoon.ele").cells)
    assert np.array_equal(again.vertices, mesh.vertices)


def test_tetgen_files_may_count_from_one_and_carry_more_columns(tmp_path):
    (tmp_path / "a.node").write_text("# made by hand\n4 3 1 1\n1 0 0 0 9 1\n2 1 0 0 9 1\n3 0 1 0 9 1\n4 0 0 1 9 1\n")
    (tmp_path / "a.ele").write_text("1 4 1\n1 1 2 3 4 7\n# the end\n")
    assert np.array_equal(read_mesh(tmp_path / "a.ele").cells, [[0, 1, 2, 3]])


@pytest.mark.parametrize("ending", [".obj", ".off", ".ply", ".stl"])
def test_written_surfaces_read_back_the_same(tmp_path, ending):
    mesh = shapes.sphere(0.5, 4)
    surface = Surface(mesh.vertices[mesh.surface_vertices], np.searchsorted(mesh.surface_vertices, mesh.surface))
    surface.write(tmp_path / f"ball{ending}")
    again = read_surface(tmp_path / f"ball{ending}")
    assert np.allclose(again.vertices[again.triangles], surface.vertices[surface.triangles], atol=FLOAT32)


@pytest.mark.parametrize(
    ("name", "vertices", "cells"),
    [("bunny.mesh", 5433, 34055), ("octopus-low.mesh", 452, 1140), ("beam3.veg", 208, 75), ("beam3_tet.veg", 208, 450)],
)
def test_real_volume_meshes_load(real_mesh, name, vertices, cells):
    mesh = read_mesh(real_mesh(name))
    assert (mesh.vertex_count, mesh.cell_count) == (vertices, cells)
    assert Surface(mesh.vertices, mesh.surface).volume == pytest.approx(mesh.volumes.sum(), rel=1e-9)


def test_real_beams_of_cubes_and_tets_are_the_same_beam(real_mesh):
    cubes, tets = read_mesh(real_mesh("beam3.veg")), read_mesh(real_mesh("beam3_tet.veg"))
    assert cubes.volumes.sum() == pytest.approx(tets.volumes.sum(), rel=1e-12)
    assert cubes.materials == {"allElements": {"young": 1e7, "poisson": 0.45, "density": 1000}}


@pytest.mark.parametrize(
    ("name", "triangles"), [("spot.obj", 5856), ("cheburashka.off", 13334), ("armadillo.obj", 86482)]
)
def test_real_surfaces_load_closed(real_mesh, name, triangles):
    surface = read_surface(real_mesh(name))
    assert len(surface.triangles) == triangles
    assert surface.volume > 0


def test_veg_reads_sets_regions_and_materials(tmp_path):
    two = (
        BAR.replace("1 8 0\n", "2 8 0\n")
        .replace("8 3 0 0", "12 3 0 0")
        .replace("\n\n*ELE", "\n9 0 0 2\n10 1 0 2\n11 1 1 2\n12 0 1 2\n\n*ELE")
    )
    rest = "2 5 6 7 8 9 10 11 12\n*SET low\n1\n*SET high\n2,\n*MATERIAL soft\nENU, 900, 1e5, 0.4\n*REGION\nhigh, soft\n"
    (tmp_path / "two.veg").write_text(two + rest)
    mesh = read_mesh(tmp_path / "two.veg")
    assert {name: ids.tolist() for name, ids in mesh.cell_groups.items()} == {
        "allElements": [0, 1],
        "low": [0],
        "high": [1],
    }
    assert mesh.materials == {"high": {"young": 1e5, "poisson": 0.4, "density": 900}}
    mesh.write(tmp_path / "again.veg")
    again = read_mesh(tmp_path / "again.veg")
    assert again.materials == mesh.materials
    assert np.array_equal(again.cell_groups["low"], [0])


def test_veg_includes_other_files(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "box.veg").write_text(BAR)
    (tmp_path / "top.veg").write_text("*INCLUDE parts/box.veg\n*MATERIAL m\nENU, 1, 2, 0.3\n*REGION\nallElements, m\n")
    assert read_mesh(tmp_path / "top.veg").materials["allElements"]["density"] == 1


def test_veg_counts_from_zero_when_the_file_does(tmp_path):
    lines = [
        "*VERTICES",
        "4 3 0 0",
        "0 0 0 0",
        "1 1 0 0",
        "2 0 1 0",
        "3 0 0 1",
        "*ELEMENTS",
        "TETS",
        "1 4 0",
        "0 0 1 2 3",
    ]
    (tmp_path / "zero.veg").write_text("\n".join(lines))
    assert np.array_equal(read_mesh(tmp_path / "zero.veg").cells, [[0, 1, 2, 3]])


def test_veg_leaves_out_materials_it_does_not_know_and_says_so(tmp_path):
    (tmp_path / "a.veg").write_text(BAR + "*MATERIAL wood\nORTHOTROPIC, 1, 2, 3\n*REGION\nallElements, wood\n")
    with pytest.warns(PliantWarning, match="'wood' is ORTHOTROPIC"):
        assert read_mesh(tmp_path / "a.veg").materials == {}


def test_inp_keeps_groups(tmp_path):
    bar = shapes.bar((1, 1, 1), (2, 1, 1))
    mesh = Mesh(bar.vertices, bar.cells, {"left": bar.select("x < 0.1")}, {"right": bar.select_cells("x > 0.5")})
    mesh.write(tmp_path / "bar.inp")
    again = read_mesh(tmp_path / "bar.inp")
    assert np.array_equal(again.select('group("left")'), mesh.vertex_groups["left"])
    assert np.array_equal(again.cell_groups["right"], mesh.cell_groups["right"])


def test_triangles_and_lines_beside_the_tets_are_left_out(tmp_path):
    import meshio

    bar = shapes.bar((1, 1, 1), (1, 1, 1))
    blocks = [("triangle", bar.surface), ("tetra", bar.cells[:2]), ("line", bar.edges), ("tetra", bar.cells[2:])]
    meshio.Mesh(bar.vertices, blocks).write(tmp_path / "mixed.vtu")
    assert np.array_equal(read_mesh(tmp_path / "mixed.vtu").cells, bar.cells)


def test_second_order_tets_keep_their_nodes(tmp_path):
    import meshio

    corners = np.vstack([np.zeros(3), np.eye(3)])
    pairs = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]
    points = np.vstack([corners, [corners[[a, b]].mean(axis=0) for a, b in pairs]])
    meshio.Mesh(points, [("tetra10", [np.arange(10)])]).write(tmp_path / "second.vtu")
    mesh = read_mesh(tmp_path / "second.vtu")
    assert mesh.kind == "tet10"
    assert np.array_equal(mesh.cells, [np.arange(10)])
    assert np.array_equal(mesh.linear().cells, [[0, 1, 2, 3]])
    assert np.array_equal(mesh.linear().vertices, corners)


def test_second_order_hexes_keep_the_nodes_of_their_edges(tmp_path):
    import meshio

    brick = shapes.box((2, 2, 2), (1, 1, 1), "hex20")
    middles = [[-1, 0, 0], [1, 0, 0], [0, -1, 0], [0, 1, 0], [0, 0, -1], [0, 0, 1], [0, 0, 0]]  # VTK's order
    cell = np.concatenate([brick.cells[0], 20 + np.arange(7)])
    whole = meshio.Mesh(np.vstack([brick.vertices, middles]), [("hexahedron27", [cell])])
    whole.write(tmp_path / "whole.vtu")
    with pytest.warns(PliantWarning, match="corners and edges are used"):
        mesh = read_mesh(tmp_path / "whole.vtu")
    assert mesh.kind == "hex20"
    assert np.array_equal(mesh.vertices, brick.vertices)
    assert np.array_equal(mesh.cells, brick.cells)


@pytest.mark.parametrize("kind", ["tet10", "hex20"])
@pytest.mark.parametrize("ending", [".vtu", ".vtk", ".msh", ".inp"])
def test_quadratic_cells_come_back_from_files(tmp_path, kind, ending):
    bar = shapes.bar((1, 0.5, 0.5), (3, 1, 2), kind)
    bar = Mesh(bar.vertices + 0.02 * np.sin(9 * bar.vertices[:, ::-1]), bar.cells)  # curved
    bar.write(tmp_path / f"bar{ending}")
    again = read_mesh(tmp_path / f"bar{ending}")
    assert again.kind == kind
    assert np.array_equal(again.cells, bar.cells)
    np.testing.assert_allclose(again.vertices, bar.vertices, atol=1e-15)


@pytest.mark.parametrize("kind", ["tet10", "hex20"])
@pytest.mark.parametrize("ending", [".veg", ".ele", ".mesh", ".meshb", ".su2", ".avs"])
def test_formats_of_linear_cells_refuse_quadratic_ones(tmp_path, kind, ending):
    with pytest.raises(FileError, match=rf"cannot hold quadratic {kind[:3]}.*mesh\.linear\(\)"):
        shapes.bar((1, 1, 1), (1, 1, 1), kind).write(tmp_path / f"bar{ending}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["bar.vtu", "bar.veg", "bar.xyz"])
def test_failed_writing_leaves_the_old_file_and_no_rubbish(tmp_path, monkeypatch, name):
    (tmp_path / name).write_text("old")

    def refuse(*_):
        raise OSError(28, "no space left")

    monkeypatch.setattr("os.replace", refuse)
    with pytest.raises(FileError, match=name):
        shapes.bar((1, 1, 1), (1, 1, 1)).write(tmp_path / name)
    assert (tmp_path / name).read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_clip_keeps_what_the_listed_surface_encloses(real_mesh):
    """The tets of the bunny fill its convex hull; its triangles are the bunny, 6,966 of them."""
    whole, clipped = read_mesh(real_mesh("bunny.mesh")), read_mesh(real_mesh("bunny.mesh"), clip=True)
    assert len(clipped.surface) == 6966
    assert clipped.volumes.sum() < 0.7 * whole.volumes.sum()


def test_clip_leaves_other_meshes_alone(real_mesh, tmp_path):
    octopus = read_mesh(real_mesh("octopus-low.mesh"), clip=True)
    assert octopus.cell_count == 1140
