"""Model files: bit for bit, whole or not at all, and clear about what is wrong."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from safetensors.numpy import save_file

from pliant.errors import FileError
from pliant.reduced import cached, load, reduce
from pliant.reduced.cache import content_key
from pliant.reduced.file import read_arrays, write_arrays

names = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=8)
arrays = hnp.arrays(
    st.sampled_from([np.float64, np.float32, np.int64]),
    hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.dictionaries(names, arrays, min_size=1, max_size=4))
def test_arrays_come_back_bit_for_bit(tmp_path, content):
    write_arrays(tmp_path / "a.pliant", {"kind": "test"}, content)
    header, back = read_arrays(tmp_path / "a.pliant")
    assert header["kind"] == "test"
    assert set(back) == set(content)
    for name, array in content.items():
        assert back[name].dtype == array.dtype
        assert back[name].shape == array.shape
        assert back[name].tobytes() == array.tobytes()


@pytest.mark.parametrize("force", ["cubic", "linear", "cubature"])
def test_model_comes_back_whole(tmp_path, bar, bar_basis, force):
    options = {"samples": 20} if force == "cubature" else {}
    model = reduce(bar, bar_basis, force=force, **options)
    model.save(tmp_path / "bar.pliant")
    back = load(tmp_path / "bar.pliant")
    q = np.linspace(-0.1, 0.2, 8)
    assert back.energy(q) == model.energy(q)
    assert np.array_equal(back.force(q), model.force(q))
    assert np.array_equal(back.mass, model.mass)
    assert np.array_equal(back.U, model.U)
    assert np.array_equal(back.with_material(young=5e5).stiffness(q), model.with_material(young=5e5).stiffness(q))
    assert back.residual(q) == pytest.approx(model.residual(q), rel=1e-9)


def test_truncated_file_is_refused(tmp_path, bar_model):
    path = tmp_path / "bar.pliant"
    bar_model.save(path)
    whole = path.read_bytes()
    for length in (0, 7, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(FileError, match="truncated"):
            load(path)


def test_damaged_file_is_refused(tmp_path, bar_model):
    path = tmp_path / "bar.pliant"
    bar_model.save(path)
    content = bytearray(path.read_bytes())
    content[-5] ^= 1
    path.write_bytes(content)
    with pytest.raises(FileError, match="checksum"):
        load(path)


def test_foreign_newer_and_missing_files_are_refused(tmp_path):
    path = tmp_path / "x.pliant"
    path.write_text("solid cube")
    with pytest.raises(FileError, match="not a whole pliant file"):
        load(path)
    save_file({"a": np.zeros(3)}, path)
    with pytest.raises(FileError, match="not one of pliant's"):
        load(path)
    save_file({"a": np.zeros(3)}, path, metadata={"pliant": json.dumps({"version": 99})})
    with pytest.raises(FileError, match="newer pliant"):
        load(path)
    write_arrays(path, {"kind": "scene"}, {"a": np.zeros(3)})
    with pytest.raises(FileError, match="not a reduced model"):
        load(path)
    with pytest.raises(FileError, match="does not exist"):
        load(tmp_path / "none.pliant")
    with pytest.raises(FileError, match="cannot be written"):
        write_arrays(tmp_path / "no folder" / "x.pliant", {}, {"a": np.zeros(3)})


KILLED = """
import sys, numpy as np
from pliant.reduced.file import write_arrays
k = 0
while True:
    k += 1
    write_arrays(sys.argv[1], {"kind": "test"}, {"a": np.full(400_000, float(k))})
    print(k, flush=True)
"""


def test_killed_while_writing_leaves_a_whole_file(tmp_path):
    path = tmp_path / "a.pliant"
    for delay in (0.0, 0.004, 0.009):
        process = subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE)
        process.stdout.readline()
        process.stdout.readline()
        time.sleep(delay)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        _, back = read_arrays(path)
        assert (back["a"] == back["a"][0]).all()


BUILD = """
import sys
import numpy as np
from pliant.basis import modal_basis
from pliant.fem import Solid, StVK
from pliant.mesh import shapes
from pliant.reduced import cached, reduce
mesh = shapes.bar((1, 0.2, 0.2), (4, 1, 1))
solid = Solid(mesh, StVK(1e6, 0.3), fixed=np.flatnonzero(mesh.vertices[:, 0] < 1e-9))
model = cached(["bar", solid, {"modes": 3}], lambda: reduce(solid, modal_basis(solid, modes=3, size=5)))
print(repr(model.energy(0.1 * np.ones(5))))
"""


def test_two_processes_build_the_same_model_at_once(tmp_path):
    environment = {**os.environ, "PLIANT_CACHE": str(tmp_path)}
    both = [subprocess.Popen([sys.executable, "-c", BUILD], stdout=subprocess.PIPE, env=environment) for _ in range(2)]
    energies = {process.communicate()[0] for process in both}
    assert len(energies) == 1
    assert float(energies.pop()) > 0
    assert len(list(tmp_path.iterdir())) == 1


def test_cache_builds_once_and_again_when_the_file_is_damaged(tmp_path, monkeypatch, bar, bar_model):
    monkeypatch.setenv("PLIANT_CACHE", str(tmp_path / "deep" / "cache"))
    built = []

    def build():
        built.append(1)
        return bar_model

    parts = [bar, {"force": "cubic"}]
    for _ in range(3):
        assert np.array_equal(cached(parts, build).U, bar_model.U)
    assert len(built) == 1
    (file,) = (tmp_path / "deep" / "cache").iterdir()
    file.write_bytes(b"junk")
    cached(parts, build)
    assert len(built) == 2


def test_content_key_sees_every_part(bar):
    keys = {
        content_key(parts)
        for parts in (
            [bar],
            [bar.mesh],
            [bar, 1],
            [bar, 1.0],
            [bar, [1]],
            [bar, "1"],
            [bar, True],
            [bar, None],
            [[bar]],
        )
    }
    assert len(keys) == 9
    assert content_key([bar, {"a": 1, "b": 2}]) == content_key([bar, {"b": 2, "a": 1}])
