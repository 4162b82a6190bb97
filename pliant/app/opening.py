"""What commands open: a gallery scene, a scene file, or any mesh and what a person says of it."""

from pathlib import Path
from typing import Any

from pliant.errors import ArgumentError
from pliant.numerics.progress import Progress
from pliant.scenes import Scene, gallery, load_scene, scene_of_mesh, scene_of_pieces


def open_scene(source: str, progress: Progress = None, **of_mesh: Any) -> Scene:
    """A gallery name, a .toml file, or any mesh, of which more may be said (as of `scene_of_mesh`)."""
    given = {key: value for key, value in of_mesh.items() if value is not None}
    if is_scene(source, given):
        return load_scene(source)
    return scene_of_mesh(Path(source), progress=progress, **given)


def open_pieces(source: str, given: dict[str, Any]) -> Scene:
    """A surface of loose pieces as a tree of instances; what is said of one mesh alone is refused."""
    if others := [key for key in ("parts", "keep", "floor") if given.get(key) is not None]:
        raise ArgumentError(f"--{others[0]} does not go with --pieces, which makes one tree of all loose pieces")
    said = {key: value for key, value in given.items() if value is not None}
    return scene_of_pieces(Path(source), **said)


def is_scene(source: str, given: dict[str, Any]) -> bool:
    """Is it a scene, of which nothing more can be said, and no bare mesh?"""
    path = Path(source)
    if source not in gallery() and path.suffix and path.suffix != ".toml":
        return False
    said = [key for key, value in given.items() if value is not None]
    if said:
        words = _instead(said[0], given)
        raise ArgumentError(f"--{said[0]} is for mesh and surface files; in the scene {source} {words}")
    return True


def _instead(key: str, given: dict[str, Any]) -> str:
    """What a scene file would say."""
    if key == "pieces":
        return "write a [[place]] for every piece"
    if key == "parts":
        return f"write cut = {given[key] or 8}"
    if key in ("young", "poisson", "density"):
        return f"write material = {{ {key} = {given[key]:g} }} in its part"
    if key == "floor":
        return f"write floor = {given[key]:g}"
    if key == "keep":
        return f'write keep = "{given[key]}" in its part'
    if key == "fixed":
        return f"write fixed = '{given[key]}' in its part"
    if key == "up":
        return "write gravity, or turn in a [[body]] table"
    return (
        "write material = { model = ..., young = ... } in its part" if key == "material" else "write scale in its part"
    )
