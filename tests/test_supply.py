"""What pliant depends on is listed: versions in a lock file, lowest versions, licences."""

import re
import tomllib
from pathlib import Path

from lowest import lowest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def _names(*extras):
    lines = [*PROJECT["dependencies"], *(line for name in extras for line in PROJECT["optional-dependencies"][name])]
    return {re.match(r"[A-Za-z0-9_-]+", line)[0].lower() for line in lines} - {"pliant"}


def _locked():
    lines = (ROOT / "requirements-dev.txt").read_text().splitlines()[1:]
    return dict(line.split("==") for line in lines)


def test_lock_file_names_versions_and_no_addresses():
    text = (ROOT / "requirements-dev.txt").read_text()
    assert not re.search(r"https?:|@|file:|--index|--find", text)
    missing = _names(*(name for name in PROJECT["optional-dependencies"] if name != "docs")) - set(_locked())
    assert not missing


def test_locked_versions_are_not_below_the_lowest():
    locked = _locked()
    for line in lowest():
        name, least = line.split("==")
        numbers = [int(part) for part in re.findall(r"\d+", locked[name])]
        wanted = [int(part) for part in least.split(".")]
        assert numbers[: len(wanted)] >= wanted, name


def test_licences_of_all_dependencies_are_listed():
    rows = {line.split("|")[1].strip() for line in (ROOT / "docs/licences.md").read_text().splitlines() if "|" in line}
    assert _names(*PROJECT["optional-dependencies"]) <= rows
