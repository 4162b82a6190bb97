"""`python -m pliant` is the command `pliant`."""

import sys


def main() -> None:
    """Run the command line, or say what to install for it."""
    try:
        from pliant.app.cli import main as command

        command()
    except ModuleNotFoundError as error:
        from pliant.errors import MissingPackage
        from pliant.mesh.packages import needed_for

        try:
            with needed_for("the command line of pliant"):
                raise error
        except MissingPackage as missing:
            sys.exit(str(missing))


if __name__ == "__main__":
    main()
