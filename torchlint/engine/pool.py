"""Worker processes: each builds its own model of the project, and takes files when it has none."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from multiprocessing import connection, get_all_start_methods, get_context
from multiprocessing.context import BaseContext, ForkContext
from multiprocessing.process import BaseProcess

from torchlint.engine.failures import worker_died
from torchlint.engine.job import Job
from torchlint.engine.shares import Share, shares
from torchlint.engine.tracked_report import TrackedReport
from torchlint.engine.worker import work
from torchlint.report import FileReport

_PATIENCE = 1.0
_SAFE_PATH = "PYTHONSAFEPATH"  # since Python 3.11


class _Lifeline:
    """A pipe that is never written to: it is closed when this process ends."""

    def __init__(self, context: BaseContext) -> None:
        self.theirs, self.ours = context.Pipe(duplex=False)

    def end(self) -> None:
        """Close both ends."""
        self.theirs.close()
        self.ours.close()


class _Worker:
    """A process, and the files that it still has to report."""

    def __init__(
        self, context: BaseContext, lifeline: _Lifeline, jobs: Sequence[Job], others: Sequence[_Worker]
    ) -> None:
        self.connection, its_end = context.Pipe()
        # A fork inherits our ends of all pipes; while it holds them, others do not notice that we ended.
        inherited = [lifeline.ours, self.connection, *(other.connection for other in others)]
        ours = inherited if isinstance(context, ForkContext) else []
        words = (its_end, lifeline.theirs, jobs, ours)
        self.process: BaseProcess = context.Process(target=work, args=words, daemon=True)  # type: ignore[attr-defined]
        with _uninterrupted(), _in_no_folder():
            self.process.start()
        its_end.close()
        self.job = 0
        self.pending: deque[int] = deque()

    def give(self, share: Share) -> None:
        """Send work; a worker that is gone is noticed when its report is read."""
        self.job, self.pending = share.job, deque(share.targets)
        try:
            self.connection.send(share)
        except OSError:
            return

    def end(self) -> None:
        """Stop the process, whatever it is doing."""
        self.connection.close()
        self.process.terminate()
        self.process.join(_PATIENCE)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def lint_with(workers: int, jobs: Sequence[Job], done: Callable[[TrackedReport], None]) -> None:
    """Lint every file of every job in several processes, and receive their reports here."""
    _WorkerPool(workers, jobs, done).lint()


class _WorkerPool:
    def __init__(self, size: int, jobs: Sequence[Job], done: Callable[[TrackedReport], None]) -> None:
        # A thread of ours may hold a lock that is never released in a fork; and macOS's own libraries have such
        # threads.
        forks = threading.active_count() == 1 and sys.platform != "darwin" and "fork" in get_all_start_methods()
        self._context: BaseContext = get_context("fork" if forks else "spawn")
        if forks:
            # All workers inherit what each would import for itself.
            import_module("torchlint.model.project")
        self._jobs = jobs
        self._done = done
        self._waiting = deque(shares(jobs, size))
        self._size = min(size, len(self._waiting))
        self._workers: list[_Worker] = []
        self._lifeline = _Lifeline(self._context)

    def lint(self) -> None:
        """Keep all workers busy until everything is done, and end all of them in any case."""
        try:
            while self._waiting or any(worker.pending for worker in self._workers):
                self._hand_out()
                self._take_reports()
        finally:
            for worker in self._workers:
                worker.end()
            self._lifeline.end()

    def _hand_out(self) -> None:
        while self._waiting and len(self._workers) < self._size:
            self._workers.append(_Worker(self._context, self._lifeline, self._jobs, self._workers))
            self._workers[-1].give(self._waiting.popleft())
        for worker in self._workers:
            if self._waiting and not worker.pending:
                worker.give(self._waiting.popleft())

    def _take_reports(self) -> None:
        busy: dict[object, _Worker] = {worker.connection: worker for worker in self._workers if worker.pending}
        for ready in connection.wait([worker.connection for worker in busy.values()]):
            worker = busy[ready]
            try:
                noted: TrackedReport = worker.connection.recv()
            except (EOFError, OSError):
                self._bury(worker)
                continue
            worker.pending.popleft()
            self._done(noted)

    def _bury(self, worker: _Worker) -> None:
        """Report the file that a worker died of, and leave the rest of its share to others."""
        worker.process.join(_PATIENCE)
        how = _how(worker.process.exitcode)
        worker.end()
        self._workers.remove(worker)
        path = self._jobs[worker.job].targets[worker.pending.popleft()].shown
        if worker.pending:
            self._waiting.appendleft(Share(worker.job, tuple(worker.pending)))
        self._done(TrackedReport(FileReport(path, errors=(worker_died(path, how),))))


def _how(status: int | None) -> str:
    """Return how a process ended that should not have."""
    if status is not None and status < 0:
        names = {number.value: number.name for number in signal.Signals}
        return f"was killed by {names.get(-status, f'signal {-status}')}"
    return f"ended with status {status}"


@contextmanager
def _in_no_folder() -> Iterator[None]:
    """Have a new Python import nothing from its working directory: what is linted is there."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Block interrupts, so that a worker does not receive one before it ignores them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
