"""Scene files: every mistake reported at once with its place, nothing ever crashes or hangs."""

import json
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pliant.errors import FileError, PliantError, SceneError
from pliant.scenes import SceneFile, gallery, load_scene
from pliant.scenes.reading import LARGEST_FILE, check_scene, parse_scene

SMALLEST = b'[[part]]\nshape = "spoon"\n'


def mistakes(text):
    with pytest.raises(SceneError) as caught:
        parse_scene(text.encode(), "wrong.toml")
    return str(caught.value)


def test_smallest_scene_needs_a_part_and_nothing_else():
    scene = parse_scene(SMALLEST)
    assert scene.system == "clamped"
    assert scene.gravity == (0.0, -9.81, 0.0)


def test_all_mistakes_are_reported_at_once_with_their_places():
    message = mistakes("""
        dt = -1
        gravty = [0, 0, 0]
        [[part]]
        shape = "spoon"
        fixd = "x < 1"
        material = { model = "stvkk", young = -2, poisson = 0.7 }
        [[push]]
        where = "x > 1"
        """)
    assert message.startswith("wrong.toml has 7 mistakes:")
    for line in (
        "dt: should be greater than 0; -1 was given",
        "gravty: unknown key; did you mean gravity?",
        "part[0].fixd: unknown key; did you mean fixed?",
        "part[0].material.model: should be 'stvk', 'firm-stvk', 'neo-hookean', 'corotational' or 'linear'; "
        "'stvkk' was given",
        "part[0].material.young: should be greater than 0; -2 was given",
        "part[0].material.poisson: should be less than 0.5; 0.7 was given",
        "push[0].force: missing",
    ):
        assert line in message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "part: missing"),
        ("part = 3", "part: should be a valid list"),
        ("part = []", "part: "),
        ('[[part]]\nshape = "spoon"\nmesh = "a.mesh"', "give one of shape, mesh, surface or assembly; shape and mesh"),
        ("[[part]]\nname = 'x'", "give one of shape, mesh, surface or assembly; none"),
        ('[[part]]\nshape = "spoon"\nvoxels = 8', "voxels and edge go with surface"),
        ('[[part]]\nsurface = "a.obj"\nvoxels = 8\nedge = 0.1', "not both"),
        ('[[part]]\nshape = "spoon"\nbasis = { size = 0 }', "size must be between 1 and 1000"),
        ('[[part]]\nshape = "spoon"\nfixed = ""', "part[0].fixed"),
        ('dt = nan\n[[part]]\nshape = "spoon"', "dt"),
        ('dt = 1e-30\n[[part]]\nshape = "spoon"', "duration / dt must be between 1 and"),
        ('[[part]]\nshape = "spoon"\n[[push]]\nwhere = "x > 0"\nforce = [0, 1]', "push[0].force"),
        (
            '[[part]]\nshape = "spoon"\n[[push]]\nwhere="x>0"\nforce=[0,1,0]\nfrom=2\nuntil=1',
            "until must be later than from",
        ),
        ('[[part]]\nshape = "spoon"\n[[probe]]\nname = "tip"', "give where or vertex"),
        ('[[part]]\nshape = "spoon"\n[[check]]\nprobe="tip"\nmeasure="max"\nvalue=1\nwithin=0.1', "not among []"),
        ('[[part]]\nshape = "spon"\nfixed = "x <<"', "part[0].fixed: selection 'x <<' cannot be read"),
        ('[[part]]\nshape = "spon"\nfixed = "x <<"', "part[0].shape: a ready-made shape is one of bar"),
        ('[[part]]\nshape = { name = ["bar"] }', "part[0].shape: a ready-made shape is one of bar"),
        ("[[part]]\nshape = { size = 3 }", "part[0].shape: shape takes name"),
        ('[[part]]\nshape = "spoon"\nfixed = "x < ' + "9" * 400 + '"', "too large"),
        ('[[part]]\nshape = "spoon"\nforce = "cubic"\nmaterial = { model = "linear" }', "is for stvk"),
        ('system = "full"\nintegrator = "static"\n[[part]]\nshape = "spoon"', "is implicit or explicit"),
        ('duration = 0.1\ndt = 0.2\n[[part]]\nshape = "spoon"', "between 1 and"),
        ("part = [[[[[", "not valid TOML"),
    ],
)
def test_mistake_is_explained(text, expected):
    assert expected in mistakes(text)


def test_text_that_is_no_text_is_refused():
    with pytest.raises(SceneError, match="not UTF-8"):
        parse_scene(b"\xff\xfe\x00")


@pytest.mark.parametrize("bomb", [b"a = " + b"[" * 100_000, b"a." * 5_000 + b"b = 1", b"[" + b"a." * 3000 + b"b]"])
def test_nesting_bombs_are_refused(bomb):
    with pytest.raises(SceneError):
        parse_scene(bomb)


def test_files_that_are_missing_or_huge_are_refused(tmp_path):
    with pytest.raises(FileError, match="does not exist"):
        load_scene(tmp_path / "nowhere.toml")
    with pytest.raises(SceneError, match="no scene is called 'nowhere'"):
        load_scene("nowhere")
    (tmp_path / "huge.toml").write_bytes(b"#" * (LARGEST_FILE + 1))
    with pytest.raises(FileError, match="larger than"):
        load_scene(tmp_path / "huge.toml")


def test_schema_for_editors_describes_every_key():
    schema = json.loads(json.dumps(SceneFile.model_json_schema()))
    assert {"part", "push", "probe", "dt", "system"} <= set(schema["properties"])
    assert "from" in schema["$defs"]["Push"]["properties"]


keys = st.sampled_from(
    [
        "part",
        "dt",
        "gravity",
        "push",
        "probe",
        "check",
        "material",
        "young",
        "shape",
        "fixed",
        "camera",
        "body",
        "name",
        "place",
        "system",
        "tree",
        "basis",
        "kind",
        "model",
        "hold",
        "turn",
        "where",
        "wind",
        "paint",
        "at",
        "bar",
        "x > 0",
    ]
)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20), keys),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.one_of(keys, st.text(max_size=5)), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=1500)
@given(document=st.dictionaries(st.one_of(keys, st.text(max_size=8)), values, max_size=6))
def test_fuzzed_documents_are_scenes_or_scene_errors(document):
    try:
        assert isinstance(check_scene(document), SceneFile)
    except SceneError as reason:
        assert "mistake" in str(reason)


@settings(max_examples=500)
@given(data=st.one_of(st.binary(max_size=200), st.text(max_size=200).map(str.encode)))
def test_fuzzed_bytes_are_scenes_or_errors(data):
    try:
        parse_scene(data)
    except PliantError as reason:
        assert str(reason)


@settings(max_examples=500)
@given(data=st.data())
def test_damaged_gallery_files_are_scenes_or_errors(data):
    original = (load_scene("spoon").folder / "spoon.toml").read_bytes()
    start = data.draw(st.integers(0, len(original)))
    end = data.draw(st.integers(start, min(len(original), start + 30)))
    damaged = original[:start] + data.draw(st.binary(max_size=10)) + original[end:]
    try:
        parse_scene(damaged)
    except PliantError as reason:
        assert str(reason)


@pytest.mark.parametrize("name", gallery())
def test_gallery_file_is_valid_and_claims_something(name):
    scene = load_scene(name)
    assert scene.claim
    assert scene.file.check
    assert tomllib.loads((scene.folder / f"{name}.toml").read_text())["title"] == scene.title
