"""Compiling ahead covers what scenes run."""

from dataclasses import replace

import pytest
from typer.testing import CliRunner

import pliant as pl
from pliant.app import cli
from pliant.app.warming import start_warming, warm
from pliant.scenes.kinds import SYSTEMS
from pliant.systems.tree.stepping import full_steps


def test_a_tree_scene_compiles_nothing_more_once_warm():
    told = CliRunner().invoke(cli.app, ["warm"])
    assert (told.exit_code, "all kinds of systems are compiled" in told.output) == (0, True)
    ready = len(full_steps.signatures)
    tree = pl.load_scene("letters").build()
    tree.push([0], (0.0, 1.0, 0.0))
    tree.step(2)
    assert len(full_steps.signatures) == ready == 1


@pytest.mark.parametrize("kind", [kind for kind, made in SYSTEMS.items() if made.warm is not None])
def test_what_compiles_is_said_before_it_does(monkeypatch, kind):
    said, begun = [], []
    monkeypatch.setitem(SYSTEMS, kind, replace(SYSTEMS[kind], warm=lambda *_: begun.append(said[-1])))
    warm([kind], lambda stage, fraction: said.append((stage, fraction)))
    assert begun == [(f"compiling, once: {kind}", 0.0), (f"compiling, once: {kind}", 0.5)]
    assert said[-1] == ("compiling, once", 1.0)


def test_the_process_can_be_ended_early():
    process = start_warming()
    process.terminate()
    assert process.wait(10) != 0


def test_the_process_ends_with_the_one_that_began_it():
    """However that ends, the pipe between them is closed."""
    process = start_warming()
    process.stdin.close()
    assert process.wait(60) == 0
