"""Scenes of parts whose columns are chosen for a tolerance."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from pliant.app.cli import app
from pliant.errors import SceneError
from pliant.scenes.reading import check_scene
from pliant.scenes.scene import Scene

PART = {"shape": {"name": "bar", "size": [1, 0.1, 0.1], "cells": [16, 2, 2]}, "cut": 3, "fixed": "x < 0.01"}


def report_of(**said):
    return Scene("it", check_scene({"part": [PART], **said}), Path()).build().report


@pytest.mark.parametrize("force", ["linear", "cubic"])
def test_seams_are_chosen_for_the_tolerance_of_their_table(force):
    report = report_of(system="seams", seams={"force": force, "tolerance": 0.05})
    assert report.error <= report.tolerance == 0.05
    assert report_of(system="seams", seams={"force": force, "soft": 6}) is None


def test_cubic_parts_that_nobody_counts_are_chosen():
    assert report_of(system="seams", seams={"force": "cubic"}).tolerance == 0.02


def test_assembled_parts_are_chosen_for_the_tolerance_of_the_basis():
    report = report_of(system="assembled", part=[{**PART, "basis": {"tolerance": 0.05}}])
    assert report.error <= report.tolerance == 0.05


@pytest.mark.parametrize("key", ["soft", "order", "columns", "derivatives"])
def test_columns_are_chosen_or_counted(key):
    with pytest.raises(SceneError, match=f"seams.tolerance chooses the columns, and {key} counts them"):
        report_of(system="seams", seams={"tolerance": 0.05, key: 3})


def test_build_draws_the_error_over_the_size(tmp_path):
    scene, picture = tmp_path / "bar.toml", tmp_path / "sizes.svg"
    scene.write_text(
        'system = "seams"\n[seams]\ntolerance = 0.05\n[[part]]\ncut = 3\nfixed = "x < 0.01"\n'
        'shape = { name = "bar", size = [1, 0.1, 0.1], cells = [16, 2, 2] }\n'
    )
    said = CliRunner().invoke(app, ["build", str(scene), "--report", str(picture)])
    assert said.exit_code == 0, said.output
    assert "estimated error" in said.output
    assert picture.is_file()
