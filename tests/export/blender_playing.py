"""Run by a Python that has Blender (`bpy`): import a .glb or .usd, play it, and save the triangles of every instant.

    python blender_playing.py FILE TIMES.npy CORNERS.npy

`CORNERS.npy` gets corners (f, t, 3, 3) in the axes of pliant, y up.
"""

import sys
import time

import bpy
import numpy as np


def play(path, times):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    began = time.perf_counter()
    bring_in = bpy.ops.import_scene.gltf if path.endswith(".glb") else bpy.ops.wm.usd_import
    bring_in(filepath=path)
    print(f"imported in {time.perf_counter() - began:.2f} s, {len(bpy.data.meshes)} meshes")
    scene = bpy.context.scene
    return np.stack([shown(scene, moment * scene.render.fps / scene.render.fps_base) for moment in times])


def shown(scene, frame):
    """Corners of all triangles at a frame that may lie between whole ones."""
    scene.frame_set(int(np.floor(frame)), subframe=float(frame - np.floor(frame)))
    graph = bpy.context.evaluated_depsgraph_get()
    return np.concatenate([corners(one) for one in graph.object_instances if one.object.type == "MESH"])


def corners(instance):
    mesh = instance.object.data
    x = np.empty(3 * len(mesh.vertices))
    mesh.vertices.foreach_get("co", x)
    mesh.calc_loop_triangles()
    ids = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
    mesh.loop_triangles.foreach_get("vertices", ids)
    matrix = np.array(instance.matrix_world)
    world = x.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
    return world[:, [0, 2, 1]][ids.reshape(-1, 3)] * [1, 1, -1]  # Blender has z up


if __name__ == "__main__":
    np.save(sys.argv[3], play(sys.argv[1], np.load(sys.argv[2])))
