"""`python -m tests.lowest`: the lowest versions of the dependencies of pyproject.toml, as constraints for pip."""

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def lowest() -> list[str]:
    """Lines such as numpy==1.26."""
    project = tomllib.loads(PROJECT.read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(line for name, lines in extras.items() if name != "docs" for line in lines)]
    found = (re.fullmatch(r"([A-Za-z0-9_-]+)>=([0-9.]+)", line) for line in wanted)
    return sorted({f"{match[1].lower()}=={match[2]}" for match in found if match})


if __name__ == "__main__":
    print("\n".join(lowest()))
