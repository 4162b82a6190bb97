"""`python -m pliant` is the command `pliant`."""

from pliant.app.cli import main

main()
