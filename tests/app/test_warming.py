"""Compiling ahead covers what scenes run."""

import pliant as pl
from pliant.app.warming import start_warming, warm
from pliant.systems.tree.stepping import full_steps


def test_a_tree_scene_compiles_nothing_more_once_warm():
    warm()
    ready = len(full_steps.signatures)
    tree = pl.load_scene("letters").build()
    tree.push([0], (0.0, 1.0, 0.0))
    tree.step(2)
    assert len(full_steps.signatures) == ready == 1


def test_the_process_can_be_ended_early():
    process = start_warming()
    process.terminate()
    assert process.wait(10) != 0
