"""Scenes: a simulation as data: schema, building, the gallery."""

from pliant.scenes.scene import Scene, gallery, load_scene, scene_of_mesh
from pliant.scenes.schema import SceneFile
from pliant.scenes.verdict import Track, Verdict

__all__ = ["Scene", "SceneFile", "Track", "Verdict", "gallery", "load_scene", "scene_of_mesh"]
