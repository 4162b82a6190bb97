"""Materials in files go by the name they are registered under."""

from typing import Any

from pliant.errors import FileError
from pliant.fem import MATERIALS, Material


def name_in_files(kind: type[Material]) -> str:
    """The name of a material; refused where it has none, since no file could bring it back."""
    for name, known in MATERIALS.items():
        if known is kind:
            return name
    title = kind.__name__
    raise FileError(
        f"{title} is not registered, so a file cannot name it; call "
        f'pl.register("material", "{title.lower()}", {title}) before writing'
    )


def material_called(name: str, path: Any) -> type[Material]:
    """The material that a file names."""
    if name not in MATERIALS:
        raise FileError(
            f"{path} has a material called {name}, which this pliant does not know; call "
            f'pl.register("material", "{name}", ...) before reading'
        )
    return MATERIALS[name]


def material_title(kind: type[Material]) -> str:
    """Its registered name, else that of its class."""
    return next((name for name, known in MATERIALS.items() if known is kind), kind.__name__)
