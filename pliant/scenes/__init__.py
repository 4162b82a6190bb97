"""Scenes: a simulation as data: schema, building, the gallery."""

from pliant.scenes.bare_mesh import scene_of_mesh
from pliant.scenes.bare_pieces import scene_of_pieces
from pliant.scenes.controlling import Control
from pliant.scenes.kinds import Kind
from pliant.scenes.registering import register
from pliant.scenes.scene import Scene, gallery, load_scene
from pliant.scenes.scene_model import scene_model
from pliant.scenes.schema import SceneFile
from pliant.scenes.sounding import Listening
from pliant.scenes.verdict import Track, Verdict

__all__ = [
    "Control",
    "Kind",
    "Listening",
    "Scene",
    "SceneFile",
    "Track",
    "Verdict",
    "gallery",
    "load_scene",
    "register",
    "scene_model",
    "scene_of_mesh",
    "scene_of_pieces",
]
