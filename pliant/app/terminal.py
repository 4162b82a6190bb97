"""What the terminal says of a live session: a moving line while something is built, and what pages are told."""

from contextlib import ExitStack

from rich.console import Console

from pliant.app.progress import progress_bar
from pliant.app.reports import Notice, Progress, Report
from pliant.app.wording import shown
from pliant.numerics.progress import Report as Tell


class Terminal:
    """A listener of a live session."""

    def __init__(self, console: Console, quiet: bool = False):
        self._console, self._quiet = console, quiet
        self._line = ExitStack()
        self._tell: Tell | None = None

    def on_frame(self, frame: bytes) -> None:
        """Pictures are for pages."""

    def on_report(self, report: Report, client: int | None) -> None:
        if client is not None:
            return
        if isinstance(report, Progress):
            self._move(report)
        elif isinstance(report, Notice) and (report.level == "error" or not self._quiet):
            self.rest()
            self._console.print(shown(report.sentence), highlight=False, soft_wrap=True)

    def _move(self, report: Progress) -> None:
        if not report.stage:
            self.rest()
            return
        if self._tell is None:
            self._tell = self._line.enter_context(progress_bar(self._quiet))
        if self._tell is not None:
            self._tell(report.stage, report.fraction)

    def rest(self) -> None:
        """Take the moving line away until there is more to tell."""
        self._line.close()
        self._tell = None
