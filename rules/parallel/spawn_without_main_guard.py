"""Processes that a script starts, and that start processes again as they run it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint import Confidence, Rule, Severity, quoted

if TYPE_CHECKING:
    from torchlint import Finding, SourceFile

    from .detectors.unguarded_spawns import UnguardedSpawn


class SpawnWithoutMainGuard(Rule):
    """Spawn processes under `if __name__ == "__main__":`.

    A process that is spawned has nothing of its parent: it runs the file of the script again, under the name
    `__mp_main__`, to find what it is to call. If that file starts processes whenever it runs, each of them would start
    others, and so on; Python raises `An attempt has been made to start a new process before the current process has
    finished its bootstrapping phase`. `mp.spawn` then raises `ProcessExitedException`, and a `Process` ends without
    having called its function. `fork`, which copies the parent, does not run the file again.

    The same happens where a `DataLoader` starts workers. Where the program does not choose how, the finding is an info:
    `spawn` is the default on Windows and macOS, and `forkserver`, which runs the file again, too, on Linux since Python
    3.14.

    Not reported:

    - other processes of a start method that the program does not choose
    - files that others import, and notebooks
    - tests of `current_process()` in place of `__name__`

    https://docs.pytorch.org/docs/stable/multiprocessing.html#spawning-subprocesses
    """

    severity = Severity.ERROR
    confidence = Confidence.HIGH
    words = ("spawn", "num_workers")

    def check(self, file: SourceFile) -> Iterator[Finding]:
        from .detectors.unguarded_spawns import unguarded_spawns

        for found in unguarded_spawns(file.evaluator(), file):
            steps = (found.started.step("processes are spawned here"),) if found.started != found.run else ()
            yield self.finding(
                found.run,
                _message(found),
                trace=steps,
                severity=None if found.is_chosen else Severity.INFO,
            )


def _message(found: UnguardedSpawn) -> str:
    what = (
        "spawns processes that run this line again, and raise there"
        if found.is_chosen
        else "starts workers, which run this line again and raise on Windows and macOS"
    )
    return f'{quoted(found.run)} {what}; put it under `if __name__ == "__main__":`'
