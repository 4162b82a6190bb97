"""Trees of pieces are read where their nodes put them, and triangles in the colours of their file."""

import io

import numpy as np
import pytest
from PIL import Image

import pliant as pl
from pliant.errors import FileError
from pliant.mesh.files.surface_colours import LEVELS, read_colours
from pliant.mesh.files.surface_texture import read_texture
from pliant.scenes import scene_of_mesh

trimesh = pytest.importorskip("trimesh")
RED, GREEN = [255, 0, 0, 255], [0, 255, 0, 255]
STEP = 1 / LEVELS


@pytest.fixture
def pair(tmp_path):
    """A red box, and a green one that its node turns by 90 degrees about z and moves along x."""
    scene = trimesh.Scene()
    for colour, at in ((RED, 0), (GREEN, 5)):
        box = trimesh.creation.box((1, 2, 3))
        box.visual.vertex_colors = colour
        turn = trimesh.transformations.rotation_matrix(np.pi / 2 if at else 0, [0, 0, 1])
        turn[0, 3] = at
        scene.add_geometry(box, transform=turn)
    return scene


def arrays_of(mesh):
    return np.asarray(mesh.vertices), np.asarray(mesh.faces)


def colours_of(path):
    surface = pl.read_surface(path)
    return surface, read_colours(path, surface.vertices, surface.triangles)


def test_pieces_of_a_glb_stand_where_its_nodes_put_them_in_their_colours(pair, tmp_path):
    pair.export(tmp_path / "pair.glb")
    surface, colours = colours_of(tmp_path / "pair.glb")
    np.testing.assert_allclose(surface.bounds, [[-0.5, -1, -1.5], [6, 1, 1.5]], atol=1e-6)
    assert len(surface.vertices) == 16, "corners that lie in one place are one"
    assert surface.volume == pytest.approx(12)
    right = surface.vertices[surface.triangles].mean(axis=1)[:, 0] > 2
    np.testing.assert_array_equal(colours[right], np.tile([0, 1, 0], (12, 1)))
    np.testing.assert_array_equal(colours[~right], np.tile([1, 0, 0], (12, 1)))


def test_gltf_finds_its_buffers_beside_it(pair, tmp_path):
    for name, data in trimesh.exchange.gltf.export_gltf(pair).items():
        (tmp_path / name).write_bytes(data)
    surface, colours = colours_of(tmp_path / "model.gltf")
    assert len(surface.triangles) == 24
    assert len(np.unique(colours, axis=0)) == 2


@pytest.mark.parametrize("ending", ["glb", "obj"])
def test_textures_are_averaged_over_triangles(tmp_path, ending):
    """Red grows with u, which grows with x; the mean over a triangle is the value at its centre."""
    vertices = np.array([[x, y, 0] for x in range(9) for y in range(9)], dtype=float)
    cells = [(9 * i + j, 9 * (i + 1) + j, 9 * (i + 1) + j + 1, 9 * i + j + 1) for i in range(8) for j in range(8)]
    triangles = np.array([t for a, b, c, d in cells for t in ((a, b, c), (a, c, d))])
    ramp = np.zeros((256, 256, 3), dtype=np.uint8)
    ramp[:, :, 0] = np.arange(256)
    image = Image.fromarray(ramp)
    visual = trimesh.visual.TextureVisuals(uv=vertices[:, :2] / 8, image=image)
    trimesh.Trimesh(vertices, triangles, visual=visual, process=False).export(tmp_path / f"sheet.{ending}")
    surface, colours = colours_of(tmp_path / f"sheet.{ending}")
    wanted = surface.vertices[surface.triangles].mean(axis=1)[:, 0] / 8
    np.testing.assert_allclose(colours[:, 0], wanted, atol=0.5 * STEP + 2 / 255)
    assert not colours[:, 1:].any()
    texture = read_texture(tmp_path / f"sheet.{ending}", surface.vertices, surface.triangles)
    np.testing.assert_allclose(texture.uv, surface.vertices[surface.triangles][:, :, :2] / 8, atol=1e-6)
    np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(texture.png))), ramp)


def test_colours_of_vertices_and_faces_are_read_and_plain_files_have_none(tmp_path):
    box = trimesh.creation.box((1, 1, 1))
    box.export(tmp_path / "plain.obj")
    box.export(tmp_path / "plain.stl")
    assert colours_of(tmp_path / "plain.obj")[1] is None
    assert colours_of(tmp_path / "plain.stl")[1] is None
    assert read_texture(tmp_path / "plain.obj", *arrays_of(box)) is None
    box.visual.vertex_colors = RED
    box.export(tmp_path / "red.ply")
    np.testing.assert_array_equal(colours_of(tmp_path / "red.ply")[1], np.tile([1, 0, 0], (12, 1)))


def test_damaged_and_empty_trees_are_refused(pair, tmp_path):
    whole = pair.export(file_type="glb")
    for number, data in enumerate((whole[:50], whole[: len(whole) // 2], b"glTF" + bytes(40))):
        path = tmp_path / f"{number}.glb"
        path.write_bytes(data)
        with pytest.raises(FileError, match="damaged or not what its ending says"):
            pl.read_surface(path)
    with pytest.raises(FileError, match=r"must end in one of \.obj, \.off, \.ply, \.stl"):
        pl.Surface(np.eye(3), [[0, 1, 2]]).write(tmp_path / "no.glb")


def test_a_bare_glb_is_drawn_in_its_colours(pair, tmp_path):
    pair.export(tmp_path / "pair.glb")
    scene = scene_of_mesh(tmp_path / "pair.glb")
    assert any("2 bodies that do not touch" in note for note in scene.notes)
    system = scene.changed(part=[{"basis": {"kind": "modes", "modes": 4, "size": 4}}]).build()
    assert len(np.unique(system.colours, axis=0)) == 2
    assert len(system.colours) == len(system.triangles) == 24


def test_a_build_reads_its_surface_twice_once_with_materials(tmp_path, monkeypatch):
    """Shape, colours and texture are asked for one after the other; what is read anew sees what was changed."""
    box, read, load = trimesh.creation.box((1, 2, 1)), [], trimesh.load
    box.export(tmp_path / "box.obj")
    scene = scene_of_mesh(tmp_path / "box.obj").changed(part=[{"basis": {"kind": "modal", "modes": 2, "size": 3}}])
    monkeypatch.setattr(trimesh, "load", lambda path, **options: read.append(path) or load(path, **options))
    assert len(scene.build().triangles) == 12
    assert len(read) == 2
    trimesh.creation.icosphere(subdivisions=1).export(tmp_path / "box.obj")
    assert len(pl.read_surface(tmp_path / "box.obj").triangles) == 80
    assert len(read) == 3
