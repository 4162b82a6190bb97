"""Scenes: a simulation as data: schema, cooking, the gallery."""

from pliant.scenes.scene import Scene, Track, Verdict, gallery, load_scene, scene_of_mesh
from pliant.scenes.schema import SceneFile

__all__ = ["Scene", "SceneFile", "Track", "Verdict", "gallery", "load_scene", "scene_of_mesh"]
