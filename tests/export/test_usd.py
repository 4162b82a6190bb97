"""USD stages, baked by UsdSkel itself, show what was recorded."""

import sys

import numpy as np
import pytest
from recordings import FLOAT32, KINDS, assert_same_triangles, beside_obstacles, made_up

from pliant.errors import MissingPackage
from pliant.export import write

Usd = pytest.importorskip("pxr.Usd", reason="usd-core is not installed")


def corners(path, recording):
    """Corners (f, t, 3, 3) of all meshes after UsdSkel has baked blend shapes into points."""
    from pxr import UsdGeom, UsdSkel

    stage = Usd.Stage.Open(str(path))
    codes = (recording.times - recording.times[0]) * stage.GetTimeCodesPerSecond()
    for prim in stage.Traverse():
        if prim.IsA(UsdSkel.Root):
            UsdSkel.BakeSkinning(UsdSkel.Root(prim))
    frames = []
    for code in codes:
        meshes = [UsdGeom.Mesh(prim) for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]
        frames.append(np.concatenate([placed_corners(mesh, float(code)) for mesh in meshes]))
    return np.stack(frames)


def placed_corners(mesh, code):
    points = np.array(mesh.GetPointsAttr().Get(code), dtype=float)
    matrix = np.array(mesh.ComputeLocalToWorldTransform(code))
    ids = np.array(mesh.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3)
    return (points @ matrix[:3, :3] + matrix[3, :3])[ids]


@pytest.mark.parametrize("ending", [".usdc", ".usda"])
@pytest.mark.parametrize("kind", KINDS)
def test_usd_reproduces_every_frame_to_float32(tmp_path, kind, ending):
    recording, path = made_up(kind), tmp_path / f"recording{ending}"
    write(recording, path)
    assert_same_triangles(corners(path, recording), recording, FLOAT32)


def test_usd_has_obstacles_that_stand_and_that_move(tmp_path):
    recording, path = beside_obstacles(), tmp_path / "obstacles.usdc"
    write(recording, path)
    assert_same_triangles(corners(path, recording), recording, FLOAT32)


def test_stage_is_in_meters_with_y_up(tmp_path):
    from pxr import UsdGeom

    write(made_up("one part"), tmp_path / "a.usdc", fps=24)
    stage = Usd.Stage.Open(str(tmp_path / "a.usdc"))
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert UsdGeom.GetStageUpAxis(stage) == "Y"
    assert stage.GetTimeCodesPerSecond() == 24


def test_missing_package_says_how_to_install_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pxr", None)
    with pytest.raises(MissingPackage, match=r"usd-core.*pip install 'pliant\[usd\]'"):
        write(made_up("one part"), tmp_path / "a.usdc")
