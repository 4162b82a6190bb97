"""The doll as an artist would rig it, and a walk: joints, weights and a clip in a .glb file, for the scene "walk".

`python -m pliant.scenes.models.walker` writes the file anew.
"""

from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from pliant.errors import Array
from pliant.export.glb_file import INDEX_DATA, VERTEX_DATA, GlbFile
from pliant.mesh.bones import Skeleton, bone_weights
from pliant.scenes.models.doll import doll

FILE = Path(__file__).parents[1] / "gallery" / "walker.glb"
EDGE, MOST = 0.055, 4  # [m] of the doll's cells; joints a vertex
STRIDE, SECONDS, KEYS = 1.0, 4.0, 97  # [s] two steps; length of the clip; keyframes
# Of every joint: the one that it hangs on, where it turns, and the bone that weights are made from [m].
JOINTS = {
    "belly": (None, (0, 0.44, 0), ((0, 0.38, 0), (0, 0.5, 0))),
    "chest": ("belly", (0, 0.54, 0), ((0, 0.6, 0), (0, 0.66, 0))),
    "head": ("chest", (0, 0.72, 0), ((0, 0.78, 0), (0, 0.93, 0))),
    "left arm": ("chest", (0.12, 0.645, 0), ((0.17, 0.64, 0), (0.34, 0.61, 0))),
    "right arm": ("chest", (-0.12, 0.645, 0), ((-0.17, 0.64, 0), (-0.34, 0.61, 0))),
    "left leg": ("belly", (0.085, 0.38, 0), ((0.095, 0.34, 0), (0.12, 0.17, 0))),
    "right leg": ("belly", (-0.085, 0.38, 0), ((-0.095, 0.34, 0), (-0.12, 0.17, 0))),
    "left foot": ("left leg", (0.13, 0.1, 0), ((0.135, 0.06, -0.02), (0.145, 0.06, 0.09))),
    "right foot": ("right leg", (-0.13, 0.1, 0), ((-0.135, 0.06, -0.02), (-0.145, 0.06, 0.09))),
}
LEG, ARM, FOOT, SWAY, DOWN = 22.0, 18.0, 12.0, 4.0, 50.0  # [degrees]; arms hang down by the last
BOB, AHEAD = 0.03, 0.3  # [m] up and down, and forward in a second


def walk(time: Array) -> dict[str, Array]:
    """Rotation vectors (k, 3) [degrees] of joints over times (k,) [s]; it begins slowly, from the pose at rest."""
    begun = np.clip(time / STRIDE, 0, 1) ** 2
    phase = 2 * np.pi * time / STRIDE
    swing, none = begun * np.sin(phase), np.zeros_like(time)
    return {
        "left leg": np.stack([LEG * swing, none, none], axis=1),
        "right leg": np.stack([-LEG * swing, none, none], axis=1),
        "left foot": np.stack([-FOOT * swing, none, none], axis=1),
        "right foot": np.stack([FOOT * swing, none, none], axis=1),
        "left arm": np.stack([-ARM * swing, none, -DOWN * begun], axis=1),
        "right arm": np.stack([ARM * swing, none, DOWN * begun], axis=1),
        "chest": np.stack([none, SWAY * swing, none], axis=1),
        "head": np.stack([none, -SWAY * swing, none], axis=1),
    }


def write_walker(path: Path = FILE) -> None:
    """Write the rigged doll with its clip "walk"."""
    mesh, names = doll(EDGE), list(JOINTS)
    skeleton = Skeleton(np.array([bone for _, _, bone in JOINTS.values()]), names)
    ids = mesh.surface_vertices
    weights = bone_weights(mesh, skeleton)[ids]
    strongest = np.argsort(-weights, axis=1)[:, :MOST]
    shares = np.take_along_axis(weights, strongest, axis=1)
    shares = (shares / shares.sum(axis=1, keepdims=True)).astype("f4")
    file = GlbFile("pliant")
    attributes = {
        "POSITION": file.accessor(mesh.vertices[ids].astype("f4"), "VEC3", VERTEX_DATA, bounds=True),
        "JOINTS_0": file.accessor(strongest.astype("u2"), "VEC4", VERTEX_DATA),
        "WEIGHTS_0": file.accessor(shares, "VEC4", VERTEX_DATA),
    }
    triangles = np.searchsorted(ids, mesh.surface).astype("u2").ravel()
    primitive = {"attributes": attributes, "indices": file.accessor(triangles, "SCALAR", INDEX_DATA)}
    file.add("meshes", {"name": "doll", "primitives": [primitive]})
    nodes = {name: _node(file, name) for name in reversed(names)}
    binds = np.tile(np.eye(4, dtype="f4"), (len(names), 1, 1))
    binds[:, 3, :3] = -np.array([place for _, place, _ in JOINTS.values()])
    joints = [nodes[name] for name in names]
    bind = file.accessor(binds.reshape(-1, 16), "MAT4")
    file.add("skins", {"joints": joints, "inverseBindMatrices": bind, "skeleton": nodes["belly"]})
    body = file.add("nodes", {"name": "doll", "mesh": 0, "skin": 0})
    file.add("scenes", {"nodes": [nodes["belly"], body]})
    file.set("scene", 0)
    file.add("animations", _clip(file, nodes))
    path.write_bytes(file.encode())


def _node(file: GlbFile, name: str) -> int:
    """A joint below those that hang on it, which were added before it."""
    parent, place, _ = JOINTS[name]
    local = np.array(place, dtype=float) - (0 if parent is None else np.array(JOINTS[parent][1]))
    known = {entry["name"]: number for number, entry in enumerate(file.entries("nodes"))}
    children = [known[child] for child, (above, _, _) in JOINTS.items() if above == name]
    entry = {"name": name, "translation": local.tolist()}
    return file.add("nodes", entry | ({"children": children} if children else {}))


def _clip(file: GlbFile, nodes: dict[str, int]) -> dict:
    times = np.linspace(0, SECONDS, KEYS)
    begun = np.clip(times / STRIDE, 0, 1) ** 2
    keys = file.accessor(times.astype("f4"), "SCALAR", bounds=True)
    rise = BOB * begun * (1 - np.cos(4 * np.pi * times / STRIDE)) / 2
    way = np.stack([0 * times, JOINTS["belly"][1][1] + rise, AHEAD * begun * times], axis=1)
    samplers = [{"input": keys, "output": file.accessor(way.astype("f4").ravel(), "VEC3")}]
    channels = [{"sampler": 0, "target": {"node": nodes["belly"], "path": "translation"}}]
    for name, turns in walk(times).items():
        quaternions = Rotation.from_rotvec(np.radians(turns)).as_quat().astype("f4")
        channels.append({"sampler": len(samplers), "target": {"node": nodes[name], "path": "rotation"}})
        samplers.append({"input": keys, "output": file.accessor(quaternions.ravel(), "VEC4")})
    return {"name": "walk", "samplers": samplers, "channels": channels}


if __name__ == "__main__":
    write_walker()
