"""Universal Scene Description (.usd, .usda, .usdc): blend shapes for recordings with a skin, moving points for others.

Every piece of the recording is a prim that its frame moves, with a mesh whose blend shapes are the columns; the weights
are time samples of a SkelAnimation. A texture is written beside the stage, and named by it.
"""

from pathlib import Path
from typing import Any

import numpy as np

from pliant.errors import Array, check_number
from pliant.export.creases import CreasedSurface
from pliant.export.piece import Piece
from pliant.export.pieces import creased, pieces
from pliant.export.recording import Recording
from pliant.mesh.files.paths import replacing
from pliant.mesh.files.surface_texture import Texture
from pliant.mesh.packages import imported

COLOUR = (0.13, 0.32, 0.45)  # linear RGB


def write_usd(recording: Recording, path: Path, fps: float = 24) -> None:
    """Write a stage in meters, y up.

    Args:
        fps: time codes a second; frames lie between whole codes where their times ask for it. Blender takes a code for
            a frame, and has 24 of them a second unless it is told otherwise.
    """
    pxr = imported("pxr", "writing USD files")
    for module in ("Tf", "Usd", "UsdGeom", "UsdShade", "UsdSkel", "Sdf", "Gf", "Vt"):
        imported(f"pxr.{module}", "writing USD files")
    rate = check_number("fps", fps, above=0)
    with replacing(path, pxr.Tf.ErrorException) as temporary:
        stage = pxr.Usd.Stage.CreateNew(str(temporary))
        codes = [float(time) for time in (recording.times - recording.times[0]) * rate]
        _set_metadata(pxr, stage, recording, codes, rate)
        material = _material(pxr, stage, recording.texture, path)
        if recording.skin is None:
            meshes = [_add_moving_points(pxr, stage, recording, codes)]
        else:
            meshes = [
                _add_piece(pxr, stage, f"/recording/part_{p}", piece, codes)
                for p, piece in enumerate(pieces(recording, creased(recording)))
            ]
        for mesh in meshes if material is not None else []:
            pxr.UsdShade.MaterialBindingAPI.Apply(mesh.GetPrim()).Bind(material)
        stage.GetRootLayer().Save()


def _set_metadata(pxr: Any, stage: Any, recording: Recording, codes: list[float], rate: float) -> None:
    pxr.UsdGeom.SetStageUpAxis(stage, pxr.UsdGeom.Tokens.y)
    pxr.UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    stage.SetTimeCodesPerSecond(rate)
    stage.SetFramesPerSecond(rate)
    stage.SetStartTimeCode(codes[0])
    stage.SetEndTimeCode(codes[-1])
    root = pxr.UsdGeom.Xform.Define(stage, "/recording").GetPrim()
    stage.SetDefaultPrim(root)
    root.SetCustomDataByKey("name", recording.name)
    root.SetCustomDataByKey("claim", recording.claim)


def _add_moving_points(pxr: Any, stage: Any, recording: Recording, codes: list[float]) -> Any:
    surface = creased(recording)
    start = recording.vertices(0)[surface.source]
    mesh = _mesh(pxr, stage, "/recording/surface", start, surface)
    for frame, code in enumerate(codes):
        mesh.GetPointsAttr().Set(_vectors(pxr, recording.vertices(frame)[surface.source]), code)
    return mesh


def _add_piece(pxr: Any, stage: Any, path: str, piece: Piece, codes: list[float]) -> Any:
    root = pxr.UsdSkel.Root.Define(stage, path)
    if piece.frames is not None:
        _move(pxr, root, piece, codes)
    mesh = _mesh(pxr, stage, f"{path}/surface", piece.base, piece)
    if not len(piece.columns):
        return mesh
    names = [f"shape_{i}" for i in range(len(piece.columns))]
    shapes = [f"{path}/surface/{name}" for name in names]
    for shape, column in zip(shapes, piece.columns):
        pxr.UsdSkel.BlendShape.Define(stage, shape).CreateOffsetsAttr(_vectors(pxr, column))
    binding = pxr.UsdSkel.BindingAPI.Apply(mesh.GetPrim())
    binding.CreateBlendShapesAttr(names)
    binding.CreateBlendShapeTargetsRel().SetTargets([pxr.Sdf.Path(shape) for shape in shapes])
    binding.CreateSkeletonRel().SetTargets([_skeleton(pxr, stage, path)])
    _animate(pxr, stage, path, names, piece.weights, codes)
    return mesh


def _move(pxr: Any, root: Any, piece: Piece, codes: list[float]) -> None:
    assert piece.frames is not None
    operation = root.AddTransformOp()
    for R, t, code in zip(*piece.frames, codes):
        matrix = np.eye(4)
        # USD multiplies row vectors from the left.
        matrix[:3, :3], matrix[3, :3] = piece.scale * R.T, t
        operation.Set(pxr.Gf.Matrix4d(matrix.tolist()), code)


def _skeleton(pxr: Any, stage: Any, path: str) -> Any:
    """One still joint: blend shapes are evaluated by a skeleton even where nothing bends."""
    skeleton = pxr.UsdSkel.Skeleton.Define(stage, f"{path}/skeleton")
    skeleton.CreateJointsAttr(["root"])
    for attribute in (skeleton.CreateBindTransformsAttr(), skeleton.CreateRestTransformsAttr()):
        attribute.Set(pxr.Vt.Matrix4dArray([pxr.Gf.Matrix4d(1.0)]))
    binding = pxr.UsdSkel.BindingAPI.Apply(skeleton.GetPrim())
    binding.CreateAnimationSourceRel().SetTargets([pxr.Sdf.Path(f"{path}/animation")])
    return skeleton.GetPath()


def _animate(pxr: Any, stage: Any, path: str, names: list[str], weights: Array, codes: list[float]) -> None:
    animation = pxr.UsdSkel.Animation.Define(stage, f"{path}/animation")
    animation.CreateBlendShapesAttr(names)
    values = animation.CreateBlendShapeWeightsAttr()
    for row, code in zip(weights.astype("f4"), codes):
        values.Set(pxr.Vt.FloatArray.FromNumpy(row), code)


def _mesh(pxr: Any, stage: Any, path: str, points: Array, looks: Piece | CreasedSurface) -> Any:
    mesh = pxr.UsdGeom.Mesh.Define(stage, path)
    corners = np.ascontiguousarray(looks.triangles, dtype=np.int32).ravel()
    mesh.CreatePointsAttr(_vectors(pxr, points))
    mesh.CreateFaceVertexIndicesAttr(pxr.Vt.IntArray.FromNumpy(corners))
    mesh.CreateFaceVertexCountsAttr(pxr.Vt.IntArray.FromNumpy(np.full(len(corners) // 3, 3, dtype=np.int32)))
    mesh.CreateSubdivisionSchemeAttr(pxr.UsdGeom.Tokens.none)
    if looks.colours is None:
        mesh.CreateDisplayColorAttr([pxr.Gf.Vec3f(*COLOUR)])
    else:
        mesh.CreateDisplayColorPrimvar(pxr.UsdGeom.Tokens.vertex).Set(_vectors(pxr, looks.colours))
    if looks.uv is not None:
        kind, values = pxr.Sdf.ValueTypeNames.TexCoord2fArray, np.ascontiguousarray(looks.uv, dtype=np.float32)
        places = pxr.UsdGeom.PrimvarsAPI(mesh).CreatePrimvar("st", kind, pxr.UsdGeom.Tokens.vertex)
        places.Set(pxr.Vt.Vec2fArray.FromNumpy(values))
    return mesh


def _material(pxr: Any, stage: Any, texture: Texture | None, path: Path) -> Any:
    """A surface with the picture, which is written beside the stage; None without one."""
    if texture is None:
        return None
    picture = path.with_name(f"{path.stem}_texture.png")
    with replacing(picture) as temporary:
        temporary.write_bytes(texture.png)
    types, shade = pxr.Sdf.ValueTypeNames, pxr.UsdShade.Shader
    made = pxr.UsdShade.Material.Define(stage, "/recording/material")
    reader, image, surface = (
        shade.Define(stage, f"/recording/material/{name}") for name in ("places", "picture", "surface")
    )
    reader.CreateIdAttr("UsdPrimvarReader_float2")
    reader.CreateInput("varname", types.String).Set("st")
    image.CreateIdAttr("UsdUVTexture")
    image.CreateInput("file", types.Asset).Set(f"./{picture.name}")
    image.CreateInput("st", types.Float2).ConnectToSource(reader.CreateOutput("result", types.Float2))
    surface.CreateIdAttr("UsdPreviewSurface")
    surface.CreateInput("roughness", types.Float).Set(0.6)
    seen = image.CreateOutput("rgb", types.Float3)
    surface.CreateInput("diffuseColor", types.Color3f).ConnectToSource(seen)
    made.CreateSurfaceOutput().ConnectToSource(surface.CreateOutput("surface", types.Token))
    return made


def _vectors(pxr: Any, values: Array) -> Any:
    return pxr.Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(values, dtype=np.float32))
