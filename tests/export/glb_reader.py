"""A .glb read by pygltflib and evaluated from the glTF 2.0 specification, independent of what wrote it."""

from functools import cache

import numpy as np
import pygltflib
from scipy.spatial.transform import Rotation, Slerp

DTYPES = {5126: np.float32, 5125: np.uint32, 5123: np.uint16, 5122: np.int16, 5121: np.uint8}
LANES = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Reader:
    """A glTF file at any time."""

    def __init__(self, path):
        self.gltf = pygltflib.GLTF2().load(str(path))
        self.binary = self.gltf.binary_blob()
        self.samplers = {
            (channel.target.node, channel.target.path): animation.samplers[channel.sampler]
            for animation in self.gltf.animations
            for channel in animation.channels
        }

    def array(self, number):
        accessor = self.gltf.accessors[number]
        view = self.gltf.bufferViews[accessor.bufferView]
        start, lanes = view.byteOffset + (accessor.byteOffset or 0), LANES[accessor.type]
        values = np.frombuffer(self.binary, DTYPES[accessor.componentType], accessor.count * lanes, start)
        values = values.reshape(-1, lanes)
        if accessor.normalized:
            return np.maximum(values / np.iinfo(values.dtype).max, -1.0)
        return values.astype(float if accessor.componentType == 5126 else int)

    def animated(self, node, path):
        """Keyframes (f, ...) of a property of a node, or None."""
        sampler = self.samplers.get((node, path))
        return None if sampler is None else self.array(sampler.output).reshape(len(self.array(sampler.input)), -1)

    def animated_at(self, node, path, time):
        """A property of a node at a time, or None: linear between keys, rotations along the shortest arc."""
        values = self.animated(node, path)
        if values is None:
            return None
        times = self.array(self.samplers[node, path].input)[:, 0]
        k = min(max(int(np.searchsorted(times, time, side="right")) - 1, 0), max(len(times) - 2, 0))
        following = min(k + 1, len(times) - 1)
        share = 0.0 if k == following else (time - times[k]) / (times[following] - times[k])
        if path == "rotation" and k != following:
            return Slerp([0, 1], Rotation.from_quat(values[[k, following]]))(min(max(share, 0.0), 1.0)).as_quat()
        return (1 - share) * values[k] + share * values[following]

    def placed(self, node, time, x):
        turn, shift = (self.animated_at(node, path, time) for path in ("rotation", "translation"))
        if turn is None:
            return x
        scale = self.gltf.nodes[node].scale
        return Rotation.from_quat(turn).apply(x if scale is None else x * scale) + shift

    def corners(self, time):
        """Corners (t, 3, 3) of all triangles at a time [s]."""
        found = []
        for number, node in enumerate(self.gltf.nodes):
            if node.mesh is not None:
                primitive = self.gltf.meshes[node.mesh].primitives[0]
                x = self._morphed(number, node.mesh, time)
                x = self.placed(number, time, x) if node.skin is None else self._skinned(node, primitive, time, x)
                found.append(x[self._shape(node.mesh)[0]])
        return np.concatenate(found)

    @cache  # noqa: B019
    def _shape(self, mesh):
        """Triangles, base and targets (c, k, 3) of a mesh."""
        primitive = self.gltf.meshes[mesh].primitives[0]
        targets = [self.array(target["POSITION"]) for target in primitive.targets or []]
        return self.array(primitive.indices).reshape(-1, 3), self.array(primitive.attributes.POSITION), targets

    def _morphed(self, number, mesh, time):
        _, x, targets = self._shape(mesh)
        return x + np.tensordot(self.animated_at(number, "weights", time), targets, axes=1) if targets else x

    def _skinned(self, node, primitive, time, x):
        """sum_k w_k J_k x, with J_k the joint's global matrix times its inverse bind matrix (section 3.7.3.3)."""
        skin = self.gltf.skins[node.skin]
        binds = self.array(skin.inverseBindMatrices).reshape(-1, 4, 4).transpose(0, 2, 1)
        matrices = np.stack([self.matrix(joint, time) @ bind for joint, bind in zip(skin.joints, binds)])
        found, total, k = np.zeros((len(x), 3)), np.zeros(len(x)), 0
        while getattr(primitive.attributes, f"JOINTS_{k}", None) is not None:
            joints, shares = (
                self.array(getattr(primitive.attributes, f"{name}_{k}")) for name in ("JOINTS", "WEIGHTS")
            )
            assert shares.min() >= 0
            found += np.einsum("vi,viab,vb->va", shares, matrices[joints, :3, :3], x)
            found += np.einsum("vi,via->va", shares, matrices[joints, :3, 3])
            total, k = total + shares.sum(axis=1), k + 1
        np.testing.assert_allclose(total, 1, atol=1e-6)
        return found

    def matrix(self, number, time):
        """(4, 4) from the axes of a node to the world."""
        node, local = self.gltf.nodes[number], np.eye(4)
        for path in ("translation", "rotation", "scale"):
            assert getattr(node, path) is None or len(getattr(node, path)) == (4 if path == "rotation" else 3)
        turn, shift = (self.animated_at(number, path, time) for path in ("rotation", "translation"))
        turn = node.rotation if turn is None else turn
        shift = node.translation if shift is None else shift
        local[:3, :3] = np.eye(3) if turn is None else Rotation.from_quat(turn).as_matrix()
        local[:3, 3] = 0 if shift is None else shift
        above = [k for k, each in enumerate(self.gltf.nodes) if number in (each.children or [])]
        assert len(above) <= 1
        return self.matrix(above[0], time) @ local if above else local
