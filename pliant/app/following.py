"""Control in the viewer: what follows the motion of a scene is learnt, and made gentler, beside the steps."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

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
        self._turn = 0

    def __repr__(self) -> str:
        return f"Following({'on' if self.on else 'off'}, gentleness {self.gentleness:g})"

    @property
    def facts(self) -> FollowingFacts:
        """For pages."""
        return FollowingFacts(self.on, self._acting is not None, self.gentleness, self.failed)

    def take(self, system: System) -> None:
        """Learn to steer this one from where it is, without the hands on it."""
        apart = copy.copy(system)
        for hold in apart.holds:
            hold.release()
        apart.release()
        self._control, self._acting, self._system, self.failed = None, None, system, ""
        self._turn += 1
        self._begin(lambda: self._learn(apart))

    def change(self, on: bool | None, gentleness: float | None) -> None:
        """What people want."""
        if on is not None:
            self.on = on
        if gentleness is not None and gentleness != self.gentleness:
            self.gentleness = gentleness
            if self._control is not None:
                self._begin(lambda: self._control)

    def forces(self, system: System, alone: Forces | None) -> Forces | None:
        """What acts on the system; `alone`: where nothing steers it."""
        if not self.on or self._acting is None or system is not self._system:
            return alone
        return self._acting[1]

    def distance(self, system: System) -> float | None:
        """How far it is from where it should be [m], root mean square; None where that is not known."""
        if self._control is None or system is not self._system:
            return None
        away = self._control.follower.distance(system)
        return away if isfinite(away) else None

    def wait(self, seconds: float = 60.0) -> None:
        """Until nothing is being learnt."""
        if self._work is not None:
            self._work.join(seconds)

    def _begin(self, control: Callable[[], Any]) -> None:
        """One thread at a time; it goes on while the gentleness that is wanted is another one."""
        turn, before = self._turn, self._work

        def work() -> None:
            if before is not None:
                before.join()
            if turn == self._turn:
                self._make(control, turn)
                self._changed()

        self._work = threading.Thread(target=work, name="following", daemon=True)
        self._work.start()

    def _make(self, control: Callable[[], Any], turn: int) -> None:
        try:
            made = control()
            wanted = self.gentleness
            if self._acting is not None and self._acting[0] == wanted:
                return
            follower = made.follower if made.follower.gentleness == wanted else made.follower.gentler(wanted)
        except PliantError as reason:
            if turn == self._turn:
                self.failed = str(reason)
            return
        if turn == self._turn:  # nobody has taken another system meanwhile
            self._control, self._acting = made, (wanted, made.by(follower))


def check_following(following: Following | None) -> Following:
    """There is something to steer."""
    if following is None:
        raise ArgumentError("nothing is steered here; open the startled hare, or give a scene a [control] table")
    return following
