"""Export: a system's motion as files: .glb .usd .vtu .pvd .npz .html .wav, pictures, films, and charts."""

from pliant.export.camera import Camera
from pliant.export.gltf import allowed_error
from pliant.export.npz import read_recording
from pliant.export.plot import write_plot
from pliant.export.recording import Recording, record
from pliant.export.soundtrack import Soundtrack
from pliant.export.stress import von_mises_stress
from pliant.export.writing import DRAWN, EXPORTERS, HEARD, check_suffix, write

__all__ = [
    "DRAWN",
    "EXPORTERS",
    "HEARD",
    "Camera",
    "Recording",
    "Soundtrack",
    "allowed_error",
    "check_suffix",
    "read_recording",
    "record",
    "von_mises_stress",
    "write",
    "write_plot",
]
