"""`python -m pliant` is the command `pliant`."""

import sys

from pliant.errors import MissingPackage
from pliant.mesh.packages import needed_for


def main() -> None:
    """Run the command line, or say what to install for it."""
    try:
        with needed_for("the command line of pliant"):
            from pliant.app.cli import main as command
    except MissingPackage as error:
        sys.exit(str(error))
    command()


if __name__ == "__main__":
    main()
