"""Whatever is sent, the answer is a clear sentence, never a crash or a hang."""

import asyncio
import json
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from live_standins import SCENES
from live_viewing import finish
from websockets.asyncio.client import connect

from pliant.app.messages import MAX_BYTES, Command, Seen, decode
from pliant.app.session import Session
from pliant.app.stage import Stage
from pliant.errors import ArgumentError

KINDS = [
    "play",
    "pause",
    "step",
    "reset",
    "grab",
    "move",
    "release",
    "turn",
    "keep",
    "free",
    "set",
    "mode",
    "scene",
    "probe",
    "record",
    "sketch",
    "seen",
]
FIELDS = [
    "count",
    "vertex",
    "vertices",
    "target",
    "rotation",
    "stiffness",
    "alpha",
    "beta",
    "gravity",
    "vectors",
    "dt",
    "newton",
    "wind",
    "mode",
    "name",
    "on",
]
wild = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20), st.lists(st.floats(), max_size=4)
)
sensible = st.one_of(
    st.integers(-1, 300),
    st.floats(1e-6, 1e3),
    st.booleans(),
    st.none(),
    st.sampled_from(["bar", "wobble", "full"]),
    st.tuples(*[st.floats(-1e6, 1e6)] * 3),
)
json_values = st.recursive(
    wild, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner)
)
near_misses = st.builds(
    lambda kind, fields: {"kind": kind, **fields},
    st.sampled_from(KINDS),
    st.dictionaries(st.sampled_from(FIELDS), wild | sensible, max_size=3),
)
texts = st.one_of(
    st.text(max_size=200),
    st.binary(max_size=200),
    json_values.map(json.dumps),
    near_misses.map(json.dumps),
    st.integers(1, 3000).map(lambda depth: "[" * depth),
    st.integers(1, 700).map(lambda depth: '{"kind":' * depth),
)


def shaped(kind):
    """Commands of a kind whose fields have the right types, with values of all sizes."""
    point = st.tuples(*[st.floats(-1e6, 1e6)] * 3)
    fields = {
        "step": {"count": st.integers(1, 100)},
        "grab": {"vertex": st.integers(0, 200), "target": point},
        "move": {"target": point},
        "turn": {"vertex": st.integers(0, 200), "rotation": st.tuples(*[st.floats(-100, 100)] * 3)},
        "mode": {"mode": st.none() | st.integers(0, 30)},
        "scene": {"name": st.text(min_size=1, max_size=9)},
        "probe": {"vertices": st.lists(st.integers(0, 200), max_size=8)},
        "record": {"on": st.booleans()},
        "sketch": {"on": st.booleans()},
    }.get(kind, {})
    if kind == "set":
        options = {
            "stiffness": st.floats(1e-3, 1e3),
            "alpha": st.floats(0, 1e3),
            "beta": st.floats(0, 10),
            "gravity": point,
            "vectors": st.integers(1, 20),
            "dt": st.floats(1e-6, 0.1),
            "newton": st.integers(1, 100),
            "wind": st.floats(0, 200),
        }
        return st.fixed_dictionaries({"kind": st.just(kind)}, optional=options)
    return st.fixed_dictionaries({"kind": st.just(kind), **fields})


commands = st.sampled_from([kind for kind in KINDS if kind != "seen"]).flatmap(shaped)


def answer_to(text):
    try:
        return decode(text)
    except ArgumentError as reason:
        return str(reason)


@settings(max_examples=1300)
@given(text=texts)
def test_decoding_answers_with_a_command_or_a_sentence(text):
    answer = answer_to(text)
    assert isinstance(answer, Command | Seen) or 5 < len(answer) < 500


def test_decoding_refuses_what_is_too_long():
    with pytest.raises(ArgumentError, match="bytes"):
        decode(" " * (MAX_BYTES + 1))


@pytest.fixture(scope="module", params=["bar", "seams", "tree"])
def session(request):
    said = []
    made = Session(SCENES, lambda report, client: said.append(report.text()), lambda work: None)
    made.stage = Stage(request.param, SCENES[request.param], SCENES[request.param].build(None), 1)
    made.said = said
    return made


@settings(max_examples=250, suppress_health_check=list(HealthCheck))
@pytest.mark.filterwarnings("ignore:dt =", "ignore:some cells")
@given(orders=st.lists(commands, min_size=1, max_size=6))
def test_session_survives_any_commands(session, orders):
    """Valid commands in any order, with values as wild as they may be: something is always said, nothing breaks."""
    for order in orders:
        session.apply(decode(json.dumps(order)), client=1)
        session.tick(1e9 + 0.001 * len(session.said))
        session.advance(1) if session.playing and not session.diverged else None
        for text in session.said:
            json.loads(text)
        session.said.clear()
    assert not session.stage.fault()
    assert session.status.diverged is None or len(session.status.diverged) > 10


def test_socket_survives_anything(session_server):
    """A few hundred messages over a real socket: each is answered, and the session goes on."""
    live, address = session_server
    parts = urlsplit(address)
    examples = [json.dumps({"kind": kind, "nonsense": kind}) for kind in KINDS] + ["", "{", "null", "[]", "\x00", "NaN"]
    examples += [json.dumps({"kind": "grab", "vertex": v, "target": [0, 0, 0]}) for v in (-1, 10**9, 5000, 1.5, "1")]
    examples += [
        b"\xff\xfe",
        b"\x00" * 100,
        '{"kind":"set","dt":1e999}',
        '{"kind":"set","dt":NaN}',
        '{"kind":"mode","mode":99}',
    ]

    async def talk():
        target = f"ws://{parts.netloc}{parts.path}live"
        async with connect(target, origin=f"http://{parts.netloc}", compression=None) as socket:
            answers = 0
            for number in range(300):
                await socket.send(examples[number % len(examples)])
                while True:
                    message = await asyncio.wait_for(socket.recv(), 5)
                    if isinstance(message, str) and json.loads(message)["kind"] == "notice":
                        assert json.loads(message)["level"] == "error"
                        answers += 1
                        break
            return answers

    assert finish(talk()) == 300
    before = live.session.stage.system.time
    live.wait(lambda s: s.stage.system.time > before)
