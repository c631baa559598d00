"""The user's settings of the output."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class OutputSettings:
    """How to write, whatever the format; a format that has no use for a setting passes over it.

    `width` is the terminal's, None where nothing is to be cut. `quiet` leaves the findings by themselves.
    `statistics` asks for a table of rules: in place of the findings where people read, beside them
    where programs do. `cwd` is what the paths of findings are relative to. The seconds of the summary
    are those of `clock` since `started`, or else since rendering began. `fixed` are the lines that say
    what was fixed before, and `left_out` is what there is to say of files that were left out. Where people read, no
    more than `most` findings are shown, 0 for all. `to_file` tells that the text goes to a file, beside what stdout
    shows. `group` has findings of one cause shown as one; None leaves that to the format.
    `site` is the address of the manual, empty if there is none.
    `command` and `date` are those of the run, for a report that is kept.
    """

    color: bool = False
    width: int | None = None
    quiet: bool = False
    statistics: bool = False
    hyperlinks: bool = False
    cwd: Path = Path()
    clock: Callable[[], float] = time.monotonic
    started: float | None = None
    fixed: tuple[str, ...] = ()
    left_out: str = ""
    most: int = 0
    to_file: bool = False
    group: bool | None = None
    site: str = ""
    command: tuple[str, ...] = ()
    date: str = ""

    @property
    def elapsed(self) -> float:
        """Return the seconds since the run began."""
        return 0.0 if self.started is None else self.clock() - self.started
