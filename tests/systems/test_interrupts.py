"""Ctrl-C in the midst of steps: what is left was reached by whole steps, at their time, and it is heard soon."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from kinds import AND_BODIES, bar, stirred, system, tip

import pliant as pl
from pliant.systems import slices

SOON = 0.05  # [s], of processor time, since the machine may be busy
AGAIN = 10.0  # [s], after one that was dropped


@pytest.fixture(autouse=True)
def heard():
    """Ctrl-C raises KeyboardInterrupt here also where a shell started the tests in the background, which ignores it."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, previous)


class Late:
    """A Ctrl-C after so many seconds, and how long it took to be heard.

    Python drops one that comes while it runs a callback of its collector; a person would press again.
    """

    def __init__(self, after):
        self._after, self._begun, self._heard = after, threading.Event(), threading.Event()

    def __enter__(self):
        self._timer = threading.Thread(target=self._send)
        self._timer.start()
        self._begun.set()
        return self

    def _send(self):
        self._begun.wait()
        time.sleep(self._after)
        while not self._heard.is_set():
            self.sent = time.process_time()
            os.kill(os.getpid(), signal.SIGINT)
            self._heard.wait(AGAIN)

    def __exit__(self, kind, *_):
        self._heard.set()
        self.waited = time.process_time() - self.sent
        self._timer.join()
        return kind is KeyboardInterrupt


@pytest.mark.parametrize(("kind", "free"), AND_BODIES)
def test_interrupted_state_and_time_are_those_of_whole_steps(kind, free):
    moving = stirred(kind, free)
    before = moving.state()
    moving.step(3)  # how long they take is known from here
    moving.restore(before)
    with Late(0.05) as late:
        moving.step(10_000_000)
    steps = round((moving.time - before.time) / moving.dt)
    assert (0 if kind == "bodies" else 1) <= steps < 10_000_000
    left = moving.state()
    moving.restore(before)
    moving.step(steps)
    for name, array in moving.state().items():
        np.testing.assert_allclose(
            array, left[name], rtol=1e-12, atol=1e-13 * np.abs(array).max(initial=1), err_msg=name
        )
    assert late.waited < (1.0 if kind == "full" else SOON)


@pytest.mark.parametrize("integrator", ["explicit", "exact"])
def test_interrupted_integrators_are_at_their_time(integrator):
    force = "linear" if integrator == "exact" else "cubic"
    model = pl.reduce(bar(), pl.modal_basis(bar(), 6, 12), force=force)
    made = pl.Clamped(model, dt=1e-5, damping=(0.1, 0.0), integrator=integrator)
    with Late(0.05) as late:
        made.step(1_000_000_000)
    steps, left = round(made.time / made.dt), made.q.copy()
    assert 0 < steps < 1_000_000_000
    assert late.waited < SOON
    again = pl.Clamped(model, dt=1e-5, damping=(0.1, 0.0), integrator=integrator)
    again.step(steps)
    np.testing.assert_allclose(again.q, left, rtol=1e-9, atol=1e-12 * np.abs(left).max())


def test_an_interrupt_between_single_steps_never_tears_them():
    """After every step, an interrupt that came at any time during it: 300 of them, spread over a step."""
    moving, times = system("clamped", gravity=(0.0, -9.81, 0.0)), []
    previous = signal.signal(signal.SIGALRM, _stop)
    for k in range(300):
        before = moving.q.copy(), moving.time
        try:
            signal.setitimer(signal.ITIMER_REAL, 1e-4 + 1e-7 * k)
            for _ in range(100_000):
                before = moving.q.copy(), moving.time
                moving.step()
        except KeyboardInterrupt:
            moved = not np.array_equal(moving.q, before[0])
            times.append(moved)
            assert (moving.time != before[1]) == moved
    signal.signal(signal.SIGALRM, previous)
    assert len(times) == 300


def _stop(*_):
    raise KeyboardInterrupt


@pytest.mark.parametrize(("kind", "free"), AND_BODIES)
def test_steps_do_not_depend_on_slices_to_the_last_bit(kind, free, monkeypatch):
    """One slice of all, against slices of one, with a hand on the tip; Full has none, and worlds count their bodies."""
    made = stirred(kind, free)
    if kind != "bodies":
        made.hold(tip(bar(free)), made.vertices("mesh")[tip(bar(free))] + 0.02)
    start, found = made.state(), []
    for size in (1_000_000, 1):
        monkeypatch.setattr(slices, "next_size", lambda *_, size=size: size)
        made.restore(start)
        made._slice = size
        made.step(20)
        found.append(made.state())
    assert found[0] == found[1]


@pytest.mark.parametrize("kind", ["full", "clamped"])
def test_explicit_steps_of_one_call_are_those_of_many(kind):
    """60 x 1 and 1 x 60, damped, after a push that jumps: to the last bit."""
    solid, settings = bar(), {"dt": 1e-4, "damping": (0.5, 1e-4), "gravity": None, "integrator": "explicit"}
    model = pl.reduce(solid, pl.modal_basis(solid, 6, 12)) if kind == "clamped" else None
    found = []
    for calls, steps in ((1, 60), (60, 1)):
        made = pl.Full(solid, **settings) if model is None else pl.Clamped(model, **settings)
        made.push([tip(solid)], (0.0, 2.0, 0.0))
        for _ in range(calls):
            made.step(steps)
        made.release()
        for _ in range(calls):
            made.step(steps)
        found.append(made.vertices())
    np.testing.assert_array_equal(*found)
