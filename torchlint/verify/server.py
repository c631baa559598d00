"""Run programs, each in a process of its own, and receive their outcomes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Protocol

from torchlint.errors import TorchlintError
from torchlint.verify import outcome
from torchlint.verify.job import Job, Watch
from torchlint.verify.outcome import Failure, Outcome
from torchlint.verify.worker import OUTCOME, OUTPUT, REFUSAL

_ROOT = Path(__file__).resolve().parents[2]
_START = "import sys; sys.path.insert(0, sys.argv.pop(1)); from torchlint.verify.worker import main; main()"
_TAIL = 20_000


class Runner(Protocol):
    """Runs programs."""

    def run(self, job: Job) -> Outcome:
        """Run a program in a process of its own; raises `TorchlintError` if this torch cannot be used."""
        ...


@contextmanager
def runner(*, forks: bool | None = None) -> Iterator[Runner]:
    """Provide what runs programs: a server that forks, or, if that is not safe, a new interpreter for each."""
    # On other systems than Linux a process that has imported torch should not be forked.
    if not (sys.platform == "linux" if forks is None else forks):
        yield FreshInterpreters()
        return
    with ForkServer() as server:
        yield server


class ForkServer:
    """A process that imports torch once, and forks a child for each program."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            _command("serve"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=_environment()
        )

    def run(self, job: Job) -> Outcome:
        """Fork a child for a program."""
        with _desk() as desk:
            try:
                answer = _exchange(self._process, replace(job, desk=str(desk)).written())
            except OSError:
                answer = ""
            if not answer:
                self._end()
                self._start()
                return Failure("ended the server that runs the programs")
            return _found(desk, answer.strip())

    def __enter__(self) -> ForkServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def _end(self) -> None:
        # It ends a running child before it exits.
        self._process.terminate()
        try:
            self._process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()


class OnceEach:
    """Runs nothing twice: many bad programs of a rule have the same good twin."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._outcomes: dict[Job, Outcome] = {}

    def run(self, job: Job) -> Outcome:
        """Run a program, or return its earlier outcome; what is timed is run again."""
        if job.watch is Watch.CLOCK:
            return self._runner.run(job)
        if job not in self._outcomes:
            self._outcomes[job] = self._runner.run(job)
        return self._outcomes[job]


class FreshInterpreters:
    """A new interpreter for each program: slower by the import of torch, and possible everywhere."""

    def run(self, job: Job) -> Outcome:
        """Start an interpreter for a program."""
        with _desk() as desk:
            process = subprocess.Popen(
                _command("once"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL if job.quiet else None,
                text=True,
                env=_environment(),
                start_new_session=True,
            )
            try:
                _exchange(process, replace(job, desk=str(desk)).written())
                reason = f"ended with status {process.wait(job.limit)} before it was done"
            except subprocess.TimeoutExpired:
                reason = f"stopped after {job.limit:g} s"
            finally:
                _end_session(process)
            return _found(desk, reason)


def _exchange(process: subprocess.Popen[str], question: str) -> str:
    """Write a line to a process and return its answer, a line, empty if the process is gone."""
    if process.stdin is None or process.stdout is None:
        return ""
    process.stdin.write(f"{question}\n")
    process.stdin.flush()
    return process.stdout.readline()


def _end_session(process: subprocess.Popen[str]) -> None:
    """Kill an interpreter and what it has started."""
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True, check=False)
    else:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _command(what: str) -> list[str]:
    return [sys.executable, "-c", _START, str(_ROOT), what]


def _environment() -> dict[str, str]:
    return {**os.environ, "OMP_NUM_THREADS": "1"}


@contextmanager
def _desk() -> Iterator[Path]:
    """Provide a folder for one run; programs may leave anything there."""
    with tempfile.TemporaryDirectory(prefix="torchlint-", ignore_cleanup_errors=True) as folder:
        yield Path(folder).resolve()


def _found(desk: Path, reason: str) -> Outcome:
    if (desk / REFUSAL).exists():
        raise TorchlintError(*(desk / REFUSAL).read_text(encoding="utf-8").splitlines())
    output = ""
    if (desk / OUTPUT).exists():
        output = (desk / OUTPUT).read_bytes()[-_TAIL:].decode("utf-8", "replace")
    try:
        observation = outcome.read((desk / OUTCOME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return Failure(reason, output)
    return replace(observation, output=output)
