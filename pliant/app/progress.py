"""A progress bar for long work, on standard error, gone when it is done."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from pliant.app.wording import plain
from pliant.numerics.compiling import telling_of_compiling

FULL = 0.999  # what is full stops the time that is shown, though the last stage may take long


@contextmanager
def progress_bar(quiet: bool = False) -> Iterator[Callable[[str, float], None] | None]:
    """A function of a stage and the fraction of it that is done; None where nobody wants to see it."""
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield None
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("starting", total=1.0)

        def tell(stage: str, fraction: float) -> None:
            bar.update(task, description=plain(stage), completed=min(FULL, max(0.0, fraction)))

        with telling_of_compiling(tell) as telling:
            yield telling
