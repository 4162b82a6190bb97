"""Whoever is killed while writing loses nothing that was written, and leaves nothing for long."""

import pytest
from killing import kill_writers, sweep_old


def check(count, folder, monkeypatch):
    monkeypatch.setenv("PLIANT_CACHE", str(folder / "cache"))
    wrong, left = kill_writers(count, 0, folder)
    assert wrong == []
    assert sweep_old(folder, left) == []


def test_kills_while_writing_lose_nothing(tmp_path, monkeypatch):
    check(12, tmp_path, monkeypatch)


@pytest.mark.slow
def test_a_thousand_kills_while_writing_lose_nothing(tmp_path, monkeypatch):
    check(1000, tmp_path, monkeypatch)
