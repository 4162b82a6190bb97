"""A .glb read by pygltflib and evaluated from the glTF 2.0 specification, independent of what wrote it."""

import numpy as np
import pygltflib
from scipy.spatial.transform import Rotation

DTYPES = {5126: np.float32, 5125: np.uint32, 5123: np.uint16, 5121: np.uint8}
LANES = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Reader:
    """A glTF file at its keyframes."""

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
        return values.reshape(-1, lanes).astype(float if accessor.componentType == 5126 else int)

    def animated(self, node, path):
        """Keyframes (f, ...) of a property of a node, or None."""
        sampler = self.samplers.get((node, path))
        return None if sampler is None else self.array(sampler.output).reshape(len(self.array(sampler.input)), -1)

    def placed(self, node, k, x):
        turns, shifts = self.animated(node, "rotation"), self.animated(node, "translation")
        if turns is None:
            return x
        return Rotation.from_quat(turns[k]).apply(x) + shifts[k]

    def corners(self, k):
        """Corners (t, 3, 3) of all triangles at keyframe k."""
        found = []
        for number, node in enumerate(self.gltf.nodes):
            if node.mesh is not None:
                primitive = self.gltf.meshes[node.mesh].primitives[0]
                x = self._morphed(number, primitive, k)
                x = self.placed(number, k, x) if node.skin is None else self._skinned(node, primitive, k, x)
                found.append(x[self.array(primitive.indices).reshape(-1, 3)])
        return np.concatenate(found)

    def _morphed(self, number, primitive, k):
        x = self.array(primitive.attributes.POSITION)
        weights = self.animated(number, "weights")
        for i, target in enumerate(primitive.targets or []):
            x = x + weights[k, i] * self.array(target["POSITION"])
        return x

    def _skinned(self, node, primitive, k, x):
        joints, shares = (self.array(getattr(primitive.attributes, name)) for name in ("JOINTS_0", "WEIGHTS_0"))
        skin = self.gltf.skins[node.skin]
        assert (self.array(skin.inverseBindMatrices) == np.eye(4).ravel()).all()
        placed = np.stack([self.placed(joint, k, x) for joint in skin.joints])
        return sum(shares[:, [i]] * placed[joints[:, i], np.arange(len(x))] for i in range(4))
