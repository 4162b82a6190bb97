"""A rigged bar as a .glb file, written by another library."""

import numpy as np
import pygltflib

import pliant as pl

BAR = pl.shapes.bar((2, 0.3, 0.3), (12, 2, 2))
IDS = BAR.surface_vertices
X, TRIANGLES = BAR.vertices[IDS], np.searchsorted(IDS, BAR.surface)
SHARE = np.clip((X[:, 0] - 0.7) / 0.6, 0, 1)


class Writer:
    """A document of pygltflib and its one buffer."""

    def __init__(self):
        self.gltf, self.blob = pygltflib.GLTF2(), b""

    def array(self, values, kind, component=pygltflib.FLOAT, normalized=False):
        types = {pygltflib.FLOAT: "f4", pygltflib.UNSIGNED_SHORT: "u2", pygltflib.UNSIGNED_BYTE: "u1"}
        data = np.ascontiguousarray(values, dtype=types[component])
        self.blob += b"\0" * (-len(self.blob) % 4)
        self.gltf.bufferViews.append(pygltflib.BufferView(buffer=0, byteOffset=len(self.blob), byteLength=data.nbytes))
        self.blob += data.tobytes()
        view, count = len(self.gltf.bufferViews) - 1, data.size // {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}[kind]
        accessor = pygltflib.Accessor(bufferView=view, componentType=component, count=count, type=kind)
        accessor.normalized = normalized
        self.gltf.accessors.append(accessor)
        return len(self.gltf.accessors) - 1

    def save(self, path):
        self.gltf.buffers = [pygltflib.Buffer(byteLength=len(self.blob))]
        self.gltf.set_binary_blob(self.blob)
        self.gltf.save_binary(str(path))
        return path


def write_rig(path, lift=1.0, scaled=1.0, way="LINEAR"):
    """Two joints along the bar, below an armature that stands `lift` above the ground and turns y to z; the second
    joint turns about its own z by 1 rad within a second."""
    out = Writer()
    half = np.sqrt(0.5)
    out.gltf.nodes = [
        pygltflib.Node(name="armature", translation=[0, lift, 0], rotation=[half, 0, 0, half], children=[1, 3]),
        pygltflib.Node(name="upper", children=[2]),
        pygltflib.Node(name="lower", translation=[1, 0, 0]),
        pygltflib.Node(name="body", mesh=0, skin=0),
    ]
    binds = np.tile(np.eye(4), (2, 1, 1))
    binds[1, :3, 3] = -1, 0, 0
    joints = np.zeros((len(X), 4))
    joints[:, 1] = 1
    weights = np.zeros((len(X), 4))
    weights[:, 0], weights[:, 1] = 1 - SHARE, SHARE
    attributes = pygltflib.Attributes(
        POSITION=out.array(X, "VEC3"),
        JOINTS_0=out.array(joints, "VEC4", pygltflib.UNSIGNED_BYTE),
        WEIGHTS_0=out.array(np.round(weights * 65535), "VEC4", pygltflib.UNSIGNED_SHORT, True),
    )
    indices = out.array(TRIANGLES.ravel(), "SCALAR", pygltflib.UNSIGNED_SHORT)
    out.gltf.meshes = [pygltflib.Mesh(primitives=[pygltflib.Primitive(attributes=attributes, indices=indices)])]
    out.gltf.skins = [pygltflib.Skin(joints=[1, 2], inverseBindMatrices=out.array(binds.transpose(0, 2, 1), "MAT4"))]
    turned = [[0, 0, 0, 1], [0, 0, np.sin(0.5), np.cos(0.5)]]
    if way == "CUBICSPLINE":
        turned = [v for key in turned for v in ([0, 0, 0, 0], key, [0, 0, 0, 0])]
    times = out.array([0.0, 1.0], "SCALAR")
    samplers = [pygltflib.AnimationSampler(input=times, output=out.array(turned, "VEC4"), interpolation=way)]
    target = pygltflib.AnimationChannelTarget(node=2, path="rotation")
    channels = [pygltflib.AnimationChannel(sampler=0, target=target)]
    if scaled != 1:
        sizes = out.array([[1, 1, 1], [scaled] * 3], "VEC3")
        samplers.append(pygltflib.AnimationSampler(input=times, output=sizes, interpolation="LINEAR"))
        channels.append(
            pygltflib.AnimationChannel(sampler=1, target=pygltflib.AnimationChannelTarget(node=2, path="scale"))
        )
    out.gltf.animations = [pygltflib.Animation(name="wave", samplers=samplers, channels=channels)]
    return out.save(path)
