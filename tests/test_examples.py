"""The scripts in examples/ run, each in an empty folder, and docs/examples.md lists them all.

They run in this process, so that compiled code is shared; each asserts a number of its own.
"""

import ast
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
ROW = re.compile(r"^\| .* \| \[`(\w+\.py)`\]", re.MULTILINE)
LONGEST = 82  # lines; most have half of that


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_and_its_number_is_right(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out.strip()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_is_short_says_its_job_and_asserts_one_number(path):
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    job = (ast.get_docstring(tree) or "").splitlines()[0]
    assert job.endswith((".", ":", "?")), job
    assert text.count("\n") <= LONGEST
    assert sum(isinstance(node, ast.Assert) for node in ast.walk(tree)) == 1


def test_page_lists_and_shows_every_example_once():
    page = (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")
    listed = ROW.findall(page)
    assert sorted(listed) == [path.name for path in EXAMPLES]
    assert re.findall(r'^--8<-- "examples/(.*)"$', page, re.MULTILINE) == listed
    assert len(listed) >= 15
