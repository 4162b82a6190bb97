"""Clients that ask for too much: builds, steps, connections and addresses have bounds, and others go on."""

import http.client
import queue
import socket
import threading
import time
from urllib.parse import urlsplit

import numpy as np
import pytest
from live_standins import clamped_bar

import pliant as pl
from pliant.app import builder, connections
from pliant.app.builder import Builder
from pliant.app.messages import Set, Step
from pliant.app.server import _listening
from pliant.app.session import Session
from pliant.app.sources import SceneSource
from pliant.errors import ArgumentError

STALL = 0.5  # [s], of the live thread, on a machine that does other things too; a quarter of what is due took 50


@pytest.mark.parametrize("tells", [True, False])
def test_of_many_builds_one_runs_and_the_last_is_delivered(monkeypatch, tells):
    """380 in a row, of which most never begin; those that cannot be stopped are at most two."""
    monkeypatch.setattr(builder, "PATIENCE", 0.05)
    made, lock, running, most, begun, results = Builder(), threading.Lock(), [0], [0], [0], []

    def job(report, number):
        with lock:
            running[0] += 1
            begun[0] += 1
            most[0] = max(most[0], running[0])
        try:
            for _ in range(20):
                time.sleep(0.005)
                if tells:
                    report("stage", 0.5)
        finally:
            with lock:
                running[0] -= 1
        return number

    for number in range(380):
        made.start(lambda report, k=number: job(report, k), lambda *_: None, results.append, results.append)
        time.sleep(0.0005)
    end = time.monotonic() + 10
    while not results and time.monotonic() < end:
        time.sleep(0.01)
    assert results == [379]
    assert most[0] <= (1 if tells else 2)
    assert begun[0] < 100


class Slow:
    """A clamped bar of which a step takes 2 ms."""

    def __new__(cls):
        made = clamped_bar()
        step = made.step
        made.step = lambda count=1: (time.sleep(0.002 * count), step(count))
        return made


@pytest.fixture(scope="module")
def slow():
    return Slow()


def session_of(system):
    """On stage at once."""
    waiting = []
    made = Session({"bar": SceneSource(lambda progress: system)}, lambda *_: None, waiting.append)
    made.begin()
    end = time.monotonic() + 20
    while made.stage is None and time.monotonic() < end:
        while waiting:
            waiting.pop(0)()
        time.sleep(0.01)
    assert made.stage is not None
    return made


def test_ticks_keep_their_budget_however_short_steps_are(slow):
    """dt = 1e-6 s asks for 16,000 steps a frame, of which 15 are in the budget."""
    session = session_of(slow)
    session.apply(Set(dt=1e-6), 1)
    for _ in range(4):
        time.sleep(0.02)
        begun = time.monotonic()
        session.tick(begun)
        assert time.monotonic() - begun < STALL


@pytest.mark.slow
def test_ticks_of_the_oak_keep_their_budget_at_the_shortest_step():
    """1,435 limbs, milliseconds a step; steps of 1e-6 s froze it."""
    oak = pl.load_scene("oak").build()
    session, longest = session_of(oak), []
    session.apply(Set(dt=1e-6), 1)
    for _ in range(60):
        time.sleep(0.01)
        begun = time.thread_time()
        session.tick(time.monotonic())
        longest.append(time.thread_time() - begun)
    assert session.stage.system.time > 0
    assert np.median(longest) < 1 / 30
    assert max(longest[5:]) < STALL


def test_steps_that_are_asked_for_come_in_ticks(slow):
    session = session_of(slow)
    session.tick(time.monotonic())
    session.apply(Step(count=1), 1)
    before = session.stage.system.time
    begun = time.monotonic()
    session.apply(Step(count=100), 1)
    assert time.monotonic() - begun < STALL
    for _ in range(40):
        session.tick(time.monotonic())
    assert session.stage.system.time == pytest.approx(before + 100 * session.stage.system.dt)
    assert not session.playing


@pytest.mark.parametrize("number", [5000 * "9", "-1", "%D9%A1", "1.5", "x"])
def test_numbers_that_are_none_are_not_found(session_server, number):
    _, address = session_server
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=5)
    connection.request("GET", f"{parts.path}geometry/{number}")
    assert connection.getresponse().status == 404


@pytest.mark.parametrize("host", ["127.0.0.1:80; script-src *", "127.0.0.1:x", "127.0.0.1:123456", "localhost:80 x"])
def test_ports_of_hosts_are_numbers(session_server, host):
    _, address = session_server
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=5)
    connection.request("GET", parts.path, headers={"Host": host})
    response = connection.getresponse()
    assert response.status in (400, 403)
    assert "content-security-policy" not in response.headers


@pytest.mark.parametrize("host", ["", "  "])
def test_no_host_is_no_address(host):
    with pytest.raises(ArgumentError, match="host must name"):
        _listening(host, 0)


@pytest.mark.parametrize("said", [b"", b"GET / HT", b"GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET "])
def test_half_open_connections_are_closed(session_server, monkeypatch, said):
    monkeypatch.setattr(connections, "PATIENCE", 0.2)
    parts = urlsplit(session_server[1])
    with socket.create_connection((parts.hostname, parts.port), timeout=5) as line:
        line.sendall(said)
        begun = time.monotonic()
        while line.recv(4096):
            pass
        assert time.monotonic() - begun < 4


def test_builds_share_a_thread(monkeypatch):
    """Libraries keep memory for every thread that calls them; and a thread that nobody needs ends."""
    monkeypatch.setattr(builder, "IDLE", 0.3)
    made, threads, done = Builder(), [], queue.SimpleQueue()
    for _ in range(5):
        for _ in range(2):
            made.start(lambda _: threading.current_thread(), lambda *_: None, done.put, done.put)
        threads.append(done.get(timeout=10))
        time.sleep(0.05)
    assert len(set(threads)) == 1
    threads[0].join(timeout=10)
    assert not threads[0].is_alive()
