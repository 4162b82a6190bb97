"""Files that were cut short, that do not end, and that ask for more memory than they can mean."""

import base64
import io
import struct
import time
import tracemalloc
import warnings
import zlib

import meshio
import numpy as np
import pytest
import trimesh
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from pliant.errors import FileError, PliantError, PliantWarning
from pliant.mesh import Mesh, read_mesh, read_surface, sdf, shapes
from pliant.mesh.files import small_images, surface_files
from pliant.mesh.files.surface_colours import image_of

BAR = shapes.bar((1, 0.2, 0.2), (3, 1, 1))
BALL = sdf.sphere(0.5).surface(0.25)
SECONDS, BYTES = 5.0, 2**28  # of processor time, and of memory

names = st.text(min_size=1, max_size=8)


def write_mesh(path, kind):
    block = [("tetra", BAR.cells)]
    if kind == "VTK 4.2":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            meshio.Mesh(BAR.vertices, block).write(path.with_suffix(".vtk"), "vtk42", binary=False)
    elif kind == "VTK 5.1":
        meshio.Mesh(BAR.vertices, block).write(path.with_suffix(".vtk"), "vtk51", binary=True)
    else:
        BAR.write(path.with_suffix(kind))
    return path.with_suffix(kind if kind[0] == "." else ".vtk")


@pytest.mark.parametrize("kind", ["VTK 4.2", "VTK 5.1", ".su2", ".inp"])
def test_truncated_meshes_are_whole_refused_or_told_of(tmp_path, kind):
    """Cut anywhere, and before and after the ends of lines; an .inp file counts nothing, and is whole after them."""
    path = write_mesh(tmp_path / "bar", kind)
    content = path.read_bytes()
    ends = np.flatnonzero(np.frombuffer(content, np.uint8) == ord("\n"))[:-1]
    for cut in {*np.linspace(1, len(content) - 1, 60).astype(int), *ends, *(() if kind == ".inp" else ends + 1)}:
        path.write_bytes(content[:cut])
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", PliantWarning)
            try:
                mesh = read_mesh(path)
            except PliantError:
                continue
        assert mesh.cell_count == BAR.cell_count or told


@pytest.mark.parametrize("kind", [".off", ".ply"])
def test_truncated_surfaces_are_whole_or_refused(tmp_path, kind):
    path, options = tmp_path / f"ball{kind}", {"encoding": "ascii"} if kind == ".ply" else {}
    trimesh.Trimesh(BALL.vertices, BALL.triangles, process=False).export(path, **options)
    content = path.read_bytes()
    assert len(read_surface(path).triangles) == len(BALL.triangles)
    for cut in np.linspace(1, len(content) - 1, 60).astype(int):
        path.write_bytes(content[:cut])
        try:
            surface = read_surface(path)
        except PliantError:
            continue
        assert len(surface.triangles) == len(BALL.triangles)


@pytest.mark.parametrize(
    "content", ["OFF\n{0} 1 0\n0 0 0\n", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n{0} 0 1 2\n"], ids=["vertices", "corners"]
)
def test_counts_of_thousands_of_digits_are_refused(tmp_path, content):
    path = tmp_path / "a.off"
    path.write_text(content.format("9" * 5000))
    with pytest.raises(FileError):
        read_surface(path)


def test_a_last_row_that_is_too_short_is_refused(tmp_path):
    (tmp_path / "a.off").write_text("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1")
    with pytest.raises(FileError, match="midst of its last row"):
        read_surface(tmp_path / "a.off")


def test_an_off_file_may_count_in_its_first_line(tmp_path):
    (tmp_path / "a.off").write_text("OFF 4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2 # end\n")
    assert len(read_surface(tmp_path / "a.off").triangles) == 4


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(given=st.lists(names, min_size=2, max_size=3, unique=True), ending=st.sampled_from([".veg", ".inp"]))
def test_groups_keep_their_names_or_are_refused(tmp_path, given, ending):
    groups = {name: np.arange(k + 1) for k, name in enumerate(given)}
    try:
        Mesh(BAR.vertices, BAR.cells, cell_groups=groups).write(tmp_path / f"bar{ending}")
    except FileError:
        return
    back = read_mesh(tmp_path / f"bar{ending}").cell_groups
    for name, ids in groups.items():
        np.testing.assert_array_equal(back[name], ids)


@pytest.mark.parametrize("given", [("a b", "a_b"), ("#1", "x#1"), ("left,right", "a=b"), ("allElements", "all")])
def test_groups_with_strange_names_come_back_from_veg(tmp_path, given):
    groups = {name: np.arange(k + 1) for k, name in enumerate(given)}
    constants = {"young": 1e6, "poisson": 0.3, "density": 500.0}
    Mesh(BAR.vertices, BAR.cells, cell_groups=groups, materials={given[0]: constants}).write(tmp_path / "bar.veg")
    back = read_mesh(tmp_path / "bar.veg")
    for name, ids in groups.items():
        np.testing.assert_array_equal(back.cell_groups[name], ids)
    assert back.materials == {given[0]: constants}


def in_bounds(read, path):
    """Refused, soon and without much memory."""
    start = time.process_time()
    tracemalloc.start()
    with pytest.raises(PliantError):
        read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert time.process_time() - start < SECONDS
    assert peak < BYTES


def test_ansys_file_without_end_is_refused_soon(tmp_path):
    (tmp_path / "a.msh").write_text("(10 (1 1 3f 1 3)(\n")
    start = time.monotonic()
    in_bounds(read_mesh, tmp_path / "a.msh")
    assert time.monotonic() - start < 60  # of a machine that does other things too


def test_ansys_file_is_read(tmp_path):
    meshio.Mesh(BAR.vertices, [("tetra", BAR.cells)]).write(tmp_path / "a.msh", "ansys")
    assert read_mesh(tmp_path / "a.msh").cell_count == BAR.cell_count


@pytest.mark.parametrize("ending", [".bdf", ".nas", ".fem"])
def test_nastran_file_without_data_is_refused_soon(tmp_path, ending):
    """meshio skips comments and empty lines to the first line of data, and at the end of the file goes on."""
    path = tmp_path / f"a{ending}"
    path.write_text("BEGIN BULK\n$ nothing\n\n")
    begun = time.process_time()
    with pytest.raises(FileError, match="no ENDDATA after BEGIN BULK"):
        read_mesh(path)
    assert time.process_time() - begun < SECONDS


def test_vol_file_without_vertices_is_refused(tmp_path):
    path = tmp_path / "a.vol"
    BAR.write(path)
    lines = path.read_text().splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith("points"))
    path.write_text("\n".join(lines[:at]))
    with pytest.raises(FileError, match="lacks its vertices"):
        read_mesh(path)


@pytest.mark.parametrize("kind", ["*ELSET", "*NSET"])
def test_inp_file_with_a_nameless_set_is_refused(tmp_path, kind):
    path = tmp_path / "a.inp"
    BAR.write(path)
    path.write_text(f"{path.read_text()}{kind}\n1, 2\n")
    with pytest.raises(FileError):
        read_mesh(path)


def test_chains_of_includes_are_bounded(tmp_path):
    for k in range(30):
        (tmp_path / f"{k}.inp").write_text(2 * f"*INCLUDE, INPUT={k + 1}.inp\n")
    BAR.write(tmp_path / "30.inp")
    in_bounds(read_mesh, tmp_path / "0.inp")
    (tmp_path / "29.inp").write_text("*INCLUDE, INPUT=29.inp\n")
    in_bounds(read_mesh, tmp_path / "29.inp")


@pytest.mark.parametrize("tag", [200_000_000, -5])
def test_far_numbers_of_nodes_are_bounded(tmp_path, tag):
    nodes = f"1 0 0 0\n2 1 0 0\n3 0 1 0\n{tag} 0 0 1\n"
    text = f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n{nodes}$EndNodes\n"
    (tmp_path / "a.msh").write_text(f"{text}$Elements\n1\n1 4 2 0 1 1 2 3 {tag}\n$EndElements\n")
    in_bounds(read_mesh, tmp_path / "a.msh")


def test_dimensions_in_small_letters_are_bounded(tmp_path):
    text = "# vtk DataFile Version 3.0\nx\nASCII\nDATASET STRUCTURED_POINTS\ndimensions 400 400 400\n"
    (tmp_path / "a.vtk").write_text(f"{text}origin 0 0 0\nspacing 1 1 1\n")
    in_bounds(read_mesh, tmp_path / "a.vtk")


def textured_box(path, side):
    """A box whose texture of nothing but zeros takes a thousandth of its pixels."""
    blank, stream = Image.new("L", (side, side)), io.BytesIO()
    blank.save(stream, "PNG")
    box = trimesh.creation.box()
    uv = np.random.default_rng(0).random((len(box.vertices), 2))
    box.visual = trimesh.visual.TextureVisuals(uv=uv, image=Image.open(stream))
    box.export(path)


def test_glb_with_a_corner_that_is_no_vertex_is_refused(tmp_path):
    path = tmp_path / "box.glb"
    trimesh.creation.box().export(path)
    content = path.read_bytes()
    faces = trimesh.creation.box().faces.astype("<u4").tobytes()
    assert content.count(faces) == 1
    path.write_bytes(content.replace(faces, faces[:-4] + struct.pack("<I", 8)))
    with pytest.raises(FileError, match="no vertex"):
        read_surface(path)


def test_textures_are_kept_small_and_the_largest_refused(tmp_path, monkeypatch):
    """With bounds of 16 times fewer pixels along a side."""
    monkeypatch.setattr(small_images, "MOST", 512 * 512)
    monkeypatch.setattr(small_images, "LARGEST", 128)
    path = tmp_path / "box.glb"
    for side, kept in ((64, 64), (512, 128)):
        textured_box(path, side)
        (piece,) = surface_files.load_pieces(path, materials=True)
        assert image_of(piece).size == (kept, kept)
    textured_box(path, 513)
    with pytest.raises(FileError, match="513 x 513 pixels"):
        read_surface(path)


@pytest.mark.parametrize(("count", "size"), [(16, 2**25), (1, 2**28)])
def test_compressed_arrays_are_bounded(tmp_path, count, size):
    """Zeros that take a thousandth of their room: 2^29 bytes in half a megabyte, and half of them in one block."""
    BAR.write(tmp_path / "bar.vtu")
    block = zlib.compress(bytes(size), 9)
    head = struct.pack(f"<{3 + count}I", count, size, size, *[len(block)] * count)
    array = base64.b64encode(head) + base64.b64encode(count * block)
    tag = b'<PointData><DataArray type="Float64" Name="x" format="binary">' + array + b"</DataArray></PointData>"
    content = (tmp_path / "bar.vtu").read_bytes()
    assert b"<Cells>" in content
    (tmp_path / "bomb.vtu").write_bytes(content.replace(b"<Cells>", tag + b"<Cells>", 1))
    in_bounds(read_mesh, tmp_path / "bomb.vtu")
