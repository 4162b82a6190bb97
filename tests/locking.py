"""`python -m tests.locking`: every package of this environment with its version, as pip takes it; no addresses."""

import re
from importlib.metadata import distributions

OWN = {"pliant", "pip", "setuptools", "wheel"}


def locked() -> list[str]:
    """Lines such as numpy==2.3.1, sorted."""
    found = {re.sub(r"[-_.]+", "-", each.metadata["Name"]).lower(): each.version for each in distributions()}
    return [f"{name}=={version}" for name, version in sorted(found.items()) if name not in OWN]


if __name__ == "__main__":
    print("# Made by `make lock`: the versions that the tests last ran with. pip install -r requirements-dev.txt")
    print("\n".join(locked()))
