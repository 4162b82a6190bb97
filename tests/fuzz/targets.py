"""What is attacked: all readers, scenes, messages, model files, recordings and states.

A target is a function of a random generator and a folder. It must end in a value or a `PliantError`, soon and without
much memory; whatever else comes out is a fault.
"""

import warnings
from functools import cache
from pathlib import Path

import numpy as np
from fuzz.mutations import spoilt_array, spoilt_bytes

import pliant as pl
import pliant.scenes
from pliant.app.messages import decode
from pliant.export import read_recording, record, write
from pliant.reduced.file import read_arrays, write_arrays
from pliant.scenes import load_scene
from pliant.systems.state import State

CORPUS = Path(__file__).parent / "corpus"
GALLERY = Path(pliant.scenes.__file__).parent / "gallery"
SURFACES = (".obj", ".off", ".ply", ".stl")


@cache
def corpus(*endings: str) -> list[Path]:
    return sorted(path for path in CORPUS.iterdir() if not endings or path.suffix in endings)


@cache
def model() -> pl.ReducedModel:
    solid = pl.Solid(pl.shapes.bar((1, 0.2, 0.2), (4, 1, 1)), pl.StVK(1e6, 0.3), fixed="x < 0.01")
    return pl.reduce(solid, pl.modal_basis(solid, modes=3, size=5))


def _spoilt(random, folder, paths) -> Path:
    path = paths[random.integers(len(paths))]
    others = [other.read_bytes() for other in paths]
    target = folder / f"spoilt{path.suffix}"
    target.write_bytes(spoilt_bytes(random, path.read_bytes(), others))
    return target


def meshes(random, folder):
    kinds = [path for path in corpus() if path.suffix not in (*SURFACES, ".json")]
    mesh = pl.read_mesh(_spoilt(random, folder, kinds))
    assert np.isfinite(mesh.volumes).all()


def surfaces(random, folder):
    surface = pl.read_surface(_spoilt(random, folder, corpus(*SURFACES)))
    assert np.isfinite(surface.vertices).all()


def scenes(random, folder):
    load_scene(_spoilt(random, folder, sorted(GALLERY.glob("*.toml"))))


def messages(random, folder):
    path = _spoilt(random, folder, corpus(".json"))
    decode(path.read_bytes())


def _with_spoilt(random, arrays):
    name = sorted(arrays)[random.integers(len(arrays))]
    return {**arrays, name: spoilt_array(random, np.asarray(arrays[name]))}


def models(random, folder):
    """Half of them with a right checksum."""
    path = folder / "a.pliant"
    model().save(path)
    if random.integers(2):
        header, arrays = read_arrays(path)
        write_arrays(path, header, _with_spoilt(random, arrays))
    else:
        path.write_bytes(spoilt_bytes(random, path.read_bytes(), [b"PK", path.read_bytes()]))
    loaded = pl.load(path)
    assert np.isfinite(loaded.force(0.01 * np.ones(loaded.size))).all()


def recordings(random, folder):
    path = folder / "a.npz"
    write(_recorded(), path)
    if random.integers(2):
        with np.load(path) as archive:
            arrays = _with_spoilt(random, dict(archive))
        np.savez(path, **arrays)
    else:
        path.write_bytes(spoilt_bytes(random, path.read_bytes(), [path.read_bytes()]))
    read_recording(path).vertices(-1)


@cache
def _recorded():
    return record(pl.Clamped(model(), 0.01), 0.03)


@cache
def _system():
    return pl.Clamped(model(), 0.01)


def states(random, _folder):
    system = _system()
    good = State(**{name: np.zeros_like(array) for name, array in system.state().items()})
    if random.integers(2):
        given = State.from_bytes(spoilt_bytes(random, bytes(good), [bytes(good)]))
    else:
        given = _with_spoilt(random, dict(good))
    try:
        system.restore(given)
        system.step(3)
    finally:
        assert np.isfinite(system.vertices()).all()
        system.restore(good)


TARGETS = (meshes, surfaces, scenes, messages, models, recordings, states)
warnings.simplefilter("ignore")
