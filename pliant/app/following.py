"""Control in the viewer: what follows the motion of a scene is learnt, and made gentler, beside the steps."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from pliant.errors import ArgumentError, PliantError
from pliant.systems import System
from pliant.systems.playing import Forces

if TYPE_CHECKING:
    from pliant.scenes import Control

Learn = Callable[[System], Any]


@dataclass(frozen=True)
class FollowingFacts:
    """Attributes:
    on: does it act? ready: has it learnt how?
    gentleness: that is wanted.
    failed: why it cannot act; none where it can.
    """

    on: bool
    ready: bool
    gentleness: float
    failed: str = ""


class Following:
    """The control of the system on stage, as people want it. Its own thread learns; others only look.

    Args:
        learn: makes the control of a system, which it may move; takes seconds.
        gentleness: to begin with.
        changed: called from that thread when there is something new.
    """

    def __init__(self, learn: Learn, gentleness: float, changed: Callable[[], None]):
        self._learn, self._changed = learn, changed
        self.on, self.gentleness, self.failed = True, gentleness, ""
        self._control: Control | None = None
        self._acting: tuple[float, Forces] | None = None  # with which gentleness
        self._system: System | None = None
        self._work: threading.Thread | None = None
        self._turn, self._new = 0, False

    def __repr__(self) -> str:
        return f"Following({'on' if self.on else 'off'}, gentleness {self.gentleness:g})"

    @property
    def facts(self) -> FollowingFacts:
        """For pages."""
        return FollowingFacts(self.on, self._acting is not None, self.gentleness, self.failed)

    def take(self, system: System) -> None:
        """Learn to steer this one from where it is, without the hands on it."""
        self._control, self._acting, self._system, self.failed = None, None, system, ""
        self._turn += 1
        self._new = True
        self._go_on()

    def change(self, on: bool | None, gentleness: float | None) -> None:
        """What people want."""
        self.on = self.on if on is None else on
        self.gentleness = self.gentleness if gentleness is None else gentleness
        self._go_on()

    def forces(self, system: System, alone: Forces | None) -> Forces | None:
        """What acts on the system; `alone`: where nothing steers it."""
        self._go_on()
        if not self.on or self._acting is None or system is not self._system:
            return alone
        return self._acting[1]

    def distance(self, system: System) -> float | None:
        """How far it is from where it should be [m], root mean square; None where that is not known."""
        if self._control is None or system is not self._system:
            return None
        away = self._control.follower.distance(system)
        return away if isfinite(away) else None

    def wait(self) -> None:
        """Until nothing is left to be learnt."""
        while self._work is not None:
            self._work.join()
            self._work = None
            self._go_on()

    def _go_on(self) -> None:
        """Begin what is wanted by now, where the thread has nothing to do: however often people change their minds."""
        if self._work is not None and self._work.is_alive():
            return
        if self._new and self._system is not None:
            self._new = False
            apart = copy.copy(self._system)
            for hold in apart.holds:
                hold.release()
            apart.release()
            self._begin(lambda: self._learn(apart))
        elif self._acting is not None and self._acting[0] != self.gentleness and not self.failed:
            self._begin(lambda: self._control)

    def _begin(self, control: Callable[[], Any]) -> None:
        turn = self._turn

        def work() -> None:
            self._make(control, turn)
            self._changed()

        self._work = threading.Thread(target=work, name="following", daemon=True)
        self._work.start()

    def _make(self, control: Callable[[], Any], turn: int) -> None:
        wanted = self.gentleness
        try:
            made = control()
            follower = made.follower if made.follower.gentleness == wanted else made.follower.gentler(wanted)
        except (PliantError, np.linalg.LinAlgError) as reason:
            if turn == self._turn:
                self.failed = f"It cannot be steered: {reason}"
            return
        if turn == self._turn:  # nobody has taken another system meanwhile
            self._control, self._acting = made, (wanted, made.by(follower))


def check_following(following: Following | None) -> Following:
    """There is something to steer."""
    if following is None:
        raise ArgumentError("nothing is steered here; open the startled hare, or give a scene a [control] table")
    return following
