"""The moving line of the terminal: it names the stage, and its time runs on though a stage says that it is full."""

import re

from rich.console import Console

from pliant.app import progress
from pliant.app.progress import progress_bar


def test_time_runs_on_while_the_last_stage_takes_long(monkeypatch):
    now = [0.0]
    screen = Console(force_terminal=True, width=80, get_time=lambda: now[0], record=True)
    monkeypatch.setattr(progress, "Console", lambda **_: screen)
    with progress_bar() as tell:
        tell("compiling, if this is the first time", 1.0)
        now[0] = 65.0
        tell("compiling, if this is the first time", 1.0)
    said = screen.export_text()
    assert "compiling, if this is the first time" in said
    assert re.search(r"100 % +0:01:05", said)
