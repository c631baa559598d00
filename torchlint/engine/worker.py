"""A worker process: it lints what it receives until the end of the input."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from functools import partial
from multiprocessing.connection import Connection

from torchlint.engine.depth import deeply
from torchlint.engine.job import Job
from torchlint.engine.lifeline import end_with
from torchlint.engine.linter import Linter
from torchlint.engine.shares import Share


def work(connection: Connection, starter: Connection, jobs: Sequence[Job], inherited: Sequence[Connection]) -> None:
    """Send a report of each file of each share; interrupts are handled by the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for other in inherited:
        other.close()
    end_with(starter)
    try:
        deeply(partial(_shares, connection, jobs), lambda _: None)
    except (EOFError, OSError):
        # There is no parent to report to.
        return


def _shares(connection: Connection, jobs: Sequence[Job]) -> Iterator[None]:
    at, linter = -1, None
    while True:
        share: Share = connection.recv()
        if linter is None or share.job != at:
            at, linter = share.job, Linter(jobs[share.job])
        for target in share.targets:
            # Sent before the next file is begun: should that one end this process, no other file is blamed.
            connection.send(linter.noted(jobs[at].targets[target]))
        yield
