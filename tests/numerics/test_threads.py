"""Work over threads: results in order, what fails is told, and one thing alone asks for no threads."""

import threading

import pytest

from pliant.numerics.threads import in_threads


def test_results_come_in_order_and_several_at_a_time(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    both = threading.Barrier(2, timeout=20)

    def work(k):
        both.wait()  # two at a time, or it breaks
        return k * k

    assert list(in_threads(work, range(6))) == [k * k for k in range(6)]


def test_what_fails_is_told():
    with pytest.raises(ZeroDivisionError):
        list(in_threads(lambda k: 1 // k, [1, 0, 2]))


def test_one_core_needs_no_threads(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    assert set(in_threads(lambda _: threading.current_thread(), range(3))) == {threading.current_thread()}
