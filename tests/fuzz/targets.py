"""What is attacked: all readers, scenes, worlds, messages, model files, recordings and states.

A target is a function of a random generator and a folder. It must end in a value or a `PliantError`, soon and without
much memory; whatever else comes out is a fault.
"""

import json
import struct
import tempfile
import tomllib
import warnings
from functools import cache
from pathlib import Path

import numpy as np
from fuzz.mutations import spoilt_array, spoilt_bytes, spoilt_document

import pliant as pl
import pliant.scenes
from pliant.app.messages import decode
from pliant.app.session import Session
from pliant.app.sources import SceneSource
from pliant.app.stage import Stage
from pliant.errors import ArgumentError
from pliant.export import read_recording, record, write
from pliant.mesh.files.surface_colours import read_colours
from pliant.mesh.files.surface_texture import read_texture
from pliant.reduced.file import read_arrays, write_arrays
from pliant.scenes import Scene, load_scene
from pliant.scenes.reading import check_scene
from pliant.systems.state import State

CORPUS = Path(__file__).parent / "corpus"
GALLERY = Path(pliant.scenes.__file__).parent / "gallery"
SURFACES = (".obj", ".off", ".ply", ".stl", ".glb", ".gltf")
NO_MESHES = (".json", ".toml", ".tgf")
GLB_JSON, GLB_HEAD = 0x4E4F534A, 20


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
    kinds = [path for path in corpus() if path.suffix not in (*SURFACES, *NO_MESHES)]
    mesh = pl.read_mesh(_spoilt(random, folder, kinds))
    assert np.isfinite(mesh.volumes).all()


def surfaces(random, folder):
    """With what is painted on them."""
    path = _spoilt(random, folder, corpus(*SURFACES))
    surface = pl.read_surface(path)
    assert np.isfinite(surface.vertices).all()
    for read in (read_colours, read_texture):
        read(path, surface.vertices, surface.triangles)


def rigs(random, folder):
    """Half of them whole files whose document lies."""
    whole = (CORPUS / "arm.glb").read_bytes()
    path = folder / "arm.glb"
    if random.integers(4):
        length = struct.unpack_from("<I", whole, GLB_HEAD - 8)[0]
        document = json.dumps(spoilt_document(random, json.loads(whole[GLB_HEAD : GLB_HEAD + length]))).encode()
        document += b" " * (-len(document) % 4)
        head = struct.pack("<4sIIII", b"glTF", 2, 0, len(document), GLB_JSON)
        path.write_bytes(head + document + whole[GLB_HEAD + length :])
    else:
        path.write_bytes(spoilt_bytes(random, whole, [whole]))
    rig = pl.read_rig(path)
    assert np.isfinite(rig.surface.vertices).all()
    assert np.isfinite(rig.weights).all()
    for clip in rig.clips.values():
        for joint in clip.joints:
            x, R = clip.path(joint, repeats=True)(0.3)
            assert np.isfinite(x).all()
            assert np.isfinite(R).all()


def skeletons(random, folder):
    assert np.isfinite(pl.read_skeleton(_spoilt(random, folder, corpus(".tgf"))).ends).all()


def worlds(random, folder):
    """A character, joints, motors, muscles and obstacles as a scene file may have them, built and stepped."""
    _build(spoilt_document(random, _document("eel.toml")), folder)


def builds(random, folder):
    """Of other kinds; trees and seams take long."""
    kind = ("clamped", "full")[random.integers(2)]
    _build(spoilt_document(random, _document("bar.toml") | {"system": kind}), folder)


@cache
def _document(name):
    return tomllib.loads((CORPUS / name).read_text())


def _build(document, folder):
    system = Scene("spoilt", check_scene(document), folder).build()
    system.step(2)
    assert np.isfinite(system.vertices()).all()


def scenes(random, folder):
    load_scene(_spoilt(random, folder, sorted(GALLERY.glob("*.toml"))))


def messages(random, folder):
    path = _spoilt(random, folder, corpus(".json"))
    decode(path.read_bytes())


@cache
def _eel():
    return load_scene(CORPUS / "eel.toml")


@cache
def _played():
    said = []
    source = SceneSource(lambda progress: _eel().build(progress), "An eel", "")
    session = Session({"eel": source}, lambda report, client: said.append(report), lambda work: None)
    session.stage = Stage("eel", source, source.build(None), 1)
    return session, said


def _order(random):
    """One that a page may give, with numbers as wild as they may be."""
    point = (10.0 ** random.uniform(-3, 6) * random.standard_normal(3)).clip(-1e6, 1e6).tolist()
    other = random.standard_normal(3).tolist()
    vertex, on = int(random.integers(700)), bool(random.integers(2))
    names = ("contacts", "proxies", "joints", "islands", "charts", "bones", "nets", "spheres", "boxes")
    orders = [{"kind": kind} for kind in ("play", "pause", "reset", "undo", "save", "release", "keep", "free", "drop")]
    orders += [{"kind": "throw", "eye": point, "target": other}, {"kind": "throw", "eye": other, "target": other}]
    orders += 3 * [{"kind": "grab", "vertex": vertex, "target": point if on else other}]
    orders += 3 * [{"kind": "move", "target": point if on else other}]
    orders += [{"kind": "scrub", "time": None if on else float(10.0 ** random.uniform(-5, 5))}]
    orders += [{"kind": "inspect", "what": random.choice(names, 4).tolist(), "level": int(random.integers(13))}]
    orders += [{"kind": "set", "substeps": int(random.integers(1, 9)), "friction": float(random.uniform(0, 10))}]
    orders += [{"kind": "set", "gravity": point}, {"kind": "set", "dt": float(10.0 ** random.uniform(-6, -1))}]
    orders += [{"kind": "strike", "vertex": vertex}, {"kind": "listen", "on": on}, {"kind": "record", "on": on}]
    orders += [{"kind": "probe", "vertices": [vertex, 0]}, {"kind": "turn", "vertex": vertex, "rotation": other}]
    orders += [{"kind": "colour", "by": "stress"}, {"kind": "load", "state": int(random.integers(3))}]
    return orders[random.integers(len(orders))]


def hands(random, _folder):
    """What people do to a world with a character, in any order; whatever they do, it is told in JSON."""
    session, said = _played()
    for number in range(random.integers(1, 9)):
        order = _order(random)
        if not random.integers(8):
            order = spoilt_document(random, order)
        try:
            session.apply(decode(json.dumps(order)), client=1 + number % 2)
        except ArgumentError:
            continue
        session.tick(session.stage.system.time + number)
        for report in said:
            json.loads(report.text())
        said.clear()
    assert np.isfinite(session.stage.system.vertices()).all()
    for client in (1, 2):
        session.depart(client)
    session.start_over()
    session.playing = True


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
    _spoil_state(random, _system())


@cache
def _world():
    world = _eel().build()
    world.step(10)
    return world


def world_states(random, _folder):
    """Of bodies, a character, joints and what sleeps."""
    _spoil_state(random, _world())


def _joined():
    """Two bodies on the ground, one of them rigid, with a joint between them."""
    world, mesh = pl.World(0.01, substeps=2), model().mesh
    soft = pl.reduce(free := pl.Solid(mesh, pl.StVK(1e6, 0.3)), pl.modal_basis(free, modes=3, size=5))
    a = world.add(soft, position=(0, 0.2, 0))
    b = world.add(pl.Rigid(mesh, 500.0), position=(1.0, 0.4, 0))
    world.ground()
    world.join(a, (1.0, 0.2, 0.0), b, (0.0, 0.0, 0.0))
    world.step(3)
    return world


@cache
def _saved():
    """Of a kind each: the header and the arrays of a file, and its bytes."""
    solid = model().solid
    labels = np.arange(solid.mesh.cell_count) // 12
    made = [_system(), _joined(), pl.substructure(solid, labels, size=6, dt=0.01), pl.couple(solid, labels, dt=0.01)]
    files = []
    with tempfile.TemporaryDirectory() as name:
        for system in made:
            path = Path(name) / "run.state"
            system.save(path)
            files.append((*read_arrays(path), path.read_bytes()))
    return files


def saves(random, folder):
    """Systems in files, two of three with a right checksum."""
    header, arrays, content = _saved()[random.integers(4)]
    path, way = folder / "run.state", random.integers(3)
    if way == 0:
        write_arrays(path, spoilt_document(random, header), arrays)
    elif way == 1:
        write_arrays(path, header, _with_spoilt(random, arrays))
    else:
        path.write_bytes(spoilt_bytes(random, content, [content]))
    system = pl.resume(path)
    system.step(2)
    assert np.isfinite(system.vertices()).all()


def _spoil_state(random, system):
    good = system.state()
    if random.integers(2):
        given = State.from_bytes(spoilt_bytes(random, bytes(good), [bytes(good)]))
    else:
        given = _with_spoilt(random, dict(good))
    try:
        system.restore(given)
        system.step(3)
    finally:
        finite = np.isfinite(system.vertices()).all()
        system.restore(good)
        assert finite


TARGETS = (meshes, surfaces, rigs, skeletons, scenes, worlds, messages, hands, models, recordings, states, world_states)
TARGETS += (builds, saves)
warnings.simplefilter("ignore")
