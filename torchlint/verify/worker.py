"""The process that runs programs: once, or as a server that forks a child for each.

The server imports torch once, and never touches CUDA: a GPU is opened by the child that needs it.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from torchlint.errors import TorchlintError
from torchlint.verify import job, outcome
from torchlint.verify.job import Job

OUTCOME, OUTPUT, REFUSAL = "outcome.json", "output.txt", "refusal.txt"


def main() -> None:
    """Run the command in the first argument."""
    if sys.argv[1] == "serve":
        serve()
    else:
        once()


def once() -> None:
    """Run the program of the first line of input."""
    wanted = job.read(sys.stdin.readline())
    prepare()
    # The clock of the program starts here, not with the import of torch.
    os.write(1, b"ready\n")
    perform(wanted)
    # Threads of the program do not keep the process alive.
    os._exit(0)


def serve() -> None:
    """Run the program of each line of input; answer with why it has no outcome, or an empty line."""
    from torchlint.verify import processes

    # Our output is for answers: all other output goes to stderr.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    processes.adopt_orphans()
    processes.end_with_parent()
    prepare()
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        answers.write(f"{_forked(job.read(line), answers.fileno())}\n")


def prepare() -> None:
    """Import what programs import."""
    import torch
    import torch._dynamo  # every optimizer imports it, for more than a second

    import torchlint.verify.child  # noqa: F401
    from torchlint.verify.private import simulator

    # The child that needs what is missing reports it.
    with suppress(TorchlintError):
        simulator()
    # A fork of several threads would be a copy of one of them.
    torch.set_num_threads(1)


def _forked(wanted: Job, answers: int) -> str:
    from torchlint.verify import processes

    desk = Path(wanted.desk)
    pid = os.fork()
    if pid == 0:
        os.close(answers)
        _be_child(wanted)
    try:
        ending = processes.watch(pid, wanted.limit, desk / OUTPUT)
    finally:
        processes.end_all(pid)
    return "" if (desk / OUTCOME).exists() else ending.reason


def _be_child(wanted: Job) -> NoReturn:
    status = 1
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        perform(wanted)
        status = 0
    finally:
        # In any case: the code after this is the server's.
        os._exit(status)


def perform(wanted: Job) -> None:
    """Run a program in this process; its outcome, or why it cannot be run, is written to its desk."""
    from torchlint.verify.child import run

    desk = Path(wanted.desk)
    _redirect(desk / OUTPUT if wanted.quiet else None)
    _no_core_dumps()
    os.chdir(wanted.cwd or desk)
    streams = (sys.stdout, sys.stderr)
    try:
        observation = run(wanted)
    except TorchlintError as error:
        (desk / REFUSAL).write_text("\n".join(error.lines), encoding="utf-8")
        return
    for stream in streams:
        with suppress(OSError, ValueError):
            stream.flush()
    unfinished = desk / f"{OUTCOME}.new"
    unfinished.write_text(outcome.written(observation), encoding="utf-8")
    unfinished.replace(desk / OUTCOME)


def _redirect(output: Path | None) -> None:
    """Redirect output to a file, or to stderr, and input to nothing."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    if output is not None:
        os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), 2)
    os.dup2(2, 1)


def _no_core_dumps() -> None:
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
