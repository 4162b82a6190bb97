"""The texture of a surface file goes through to .glb and .usd: the same picture at the same corners."""

import dataclasses

import numpy as np
import pytest
from glb_reader import Reader

import pliant as pl
from pliant.errors import ArgumentError
from pliant.export import record, write
from pliant.export.png_file import save_png
from pliant.mesh.files.surface_texture import Texture, read_texture
from pliant.scenes import load_scene

SIZE = (0.4, 0.2, 0.2)
SCENE = """
title = "Painted"
dt = 0.01
[[part]]
shape = { name = "bar", size = [0.4, 0.2, 0.2], cells = [4, 2, 2] }
skin = "box.obj"
fixed = "x < 0.01"
material = { model = "stvk", young = 1e5, poisson = 0.3, density = 1000 }
basis = { modes = 2, size = 3 }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A box whose twelve triangles have corners of their own in the picture, and a scene that wears it."""
    made = tmp_path_factory.mktemp("painted")
    box = pl.shapes.bar(SIZE, (1, 1, 1))
    uv = np.random.default_rng(4).uniform(0.05, 0.95, (len(box.surface), 3, 2)).round(4)
    lines = ["mtllib box.mtl", "usemtl paint", *(f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in box.vertices)]
    lines += [f"vt {u:.4f} {v:.4f}" for u, v in uv.reshape(-1, 2)]
    for t, corners in enumerate(box.surface + 1):
        lines.append("f " + " ".join(f"{vertex}/{3 * t + k + 1}" for k, vertex in enumerate(corners)))
    (made / "box.obj").write_text("\n".join(lines) + "\n")
    (made / "box.mtl").write_text("newmtl paint\nmap_Kd paint.png\n")
    save_png(made / "paint.png", np.random.default_rng(5).integers(0, 255, (16, 16, 3), dtype=np.uint8))
    (made / "scene.toml").write_text(SCENE)
    np.savez(made / "truth.npz", corners=box.vertices[box.surface], uv=uv)
    return made


@pytest.fixture(scope="module")
def painted(folder):
    """A recording of the scene that begins at rest."""
    return record(load_scene(folder / "scene.toml").build(), 0.1, 20)


def rows(corners, uv):
    """Corners and their places in one sorted table, triangle by triangle, from whichever corner they begin."""
    table = np.concatenate([corners, uv], axis=2).round(5) + 0.0
    return sorted(tuple(map(tuple, sorted(triangle.tolist()))) for triangle in table)


def truth(folder):
    known = np.load(folder / "truth.npz")
    return rows(known["corners"], known["uv"])


def test_texture_is_read_for_triangles_in_any_order(folder):
    surface = pl.read_surface(folder / "box.obj")
    order = np.random.default_rng(1).permutation(len(surface.triangles))
    turned = np.roll(surface.triangles[order], 1, axis=1)
    texture = read_texture(folder / "box.obj", surface.vertices, turned)
    assert rows(surface.vertices[turned], texture.uv) == truth(folder)
    assert read_texture(folder / "box.obj", surface.vertices * [1, 2, 1], turned) is None, "another shape"


def test_glb_has_the_picture_and_its_places(painted, folder, tmp_path):
    write(painted, tmp_path / "a.glb")
    reader = Reader(tmp_path / "a.glb")
    primitive = reader.gltf.meshes[0].primitives[0]
    corners = reader.corners(0.0)
    down = reader.array(primitive.attributes.TEXCOORD_0)[reader.array(primitive.indices).reshape(-1, 3)]
    assert rows(corners, down * [1, -1] + [0, 1]) == truth(folder)
    assert primitive.attributes.COLOR_0 is None
    material = reader.gltf.materials[primitive.material].pbrMetallicRoughness
    image = reader.gltf.images[reader.gltf.textures[material.baseColorTexture.index].source]
    view = reader.gltf.bufferViews[image.bufferView]
    assert reader.binary[view.byteOffset : view.byteOffset + view.byteLength] == painted.texture.png
    assert image.mimeType == "image/png"


def test_usd_has_the_picture_beside_it(painted, folder, tmp_path):
    Usd = pytest.importorskip("pxr.Usd", reason="usd-core is not installed")
    from pxr import UsdGeom, UsdShade

    write(painted, tmp_path / "a.usdc")
    stage = Usd.Stage.Open(str(tmp_path / "a.usdc"))
    mesh = next(UsdGeom.Mesh(prim) for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh))
    uv = np.array(UsdGeom.PrimvarsAPI(mesh).GetPrimvar("st").Get())
    ids = np.array(mesh.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3)
    found, known = uv[ids].reshape(-1, 2).astype(float).round(4), np.load(folder / "truth.npz")["uv"].reshape(-1, 2)
    np.testing.assert_allclose(found[np.lexsort(found.T)], known[np.lexsort(known.T)], atol=1e-6)
    assert UsdShade.MaterialBindingAPI(mesh).ComputeBoundMaterial()[0]
    assert (tmp_path / "a_texture.png").read_bytes() == painted.texture.png


def test_textures_fit_their_triangles(painted):
    with pytest.raises(ArgumentError, match="texture is of 1 triangles"):
        dataclasses.replace(painted, texture=Texture(np.zeros((1, 3, 2)), painted.texture.png))
