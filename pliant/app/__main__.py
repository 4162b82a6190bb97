"""`python -m pliant.app` is the command `pliant`."""

from pliant.app.cli import main

main()
