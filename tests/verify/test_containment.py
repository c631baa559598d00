"""Whatever a program does, there is a verdict, and nothing of it is left."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="what runs the programs imports torch first")

from torchlint.verify.installed import installed_torch
from torchlint.verify.job import Job, Machine, Watch
from torchlint.verify.outcome import Failure, Observation
from torchlint.verify.server import Runner, runner

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="only Linux forks safely and tells who is left")


needs_races = pytest.mark.skipif(installed_torch().numbers < (2, 6), reason="the races of streams are told since 2.6")


@pytest.fixture(scope="module")
def forking(server: Runner) -> Runner:
    return server


def run(programs: Runner, folder: Path, text: str, limit: float = 10.0) -> Observation | Failure:
    path = folder / "program.py"
    path.write_text(text)
    return programs.run(Job(str(path), str(folder), Machine.SIMULATED, 1, limit=limit))


DEADLY = {
    "abort": ("import os; os.abort()", "killed by SIGABRT"),
    "segmentation fault": ("import ctypes; ctypes.string_at(0)", "killed by SIGSEGV"),
    "endless loop": ("while True: pass", "stopped after 1 s"),
    "os._exit": ("import os; os._exit(0)", "ended with status 0 before it was done"),
    "floods stdout": ("while True: print('x' * 100000)", "stopped after printing 16 MiB"),
    "fork bomb": ("import os\nwhile True: os.fork()", "stopped when it had become 200 processes"),
}


@linux_only
@pytest.mark.parametrize(("text", "reason"), DEADLY.values(), ids=DEADLY)
def test_a_deadly_program_is_a_failure_with_a_reason(forking: Runner, tmp_path: Path, text: str, reason: str) -> None:
    seen = run(forking, tmp_path, text, limit=1.0 if "stopped after 1 s" in reason else 20.0)

    assert isinstance(seen, Failure)
    assert seen.reason == reason


@linux_only
def test_the_next_program_runs_as_if_nothing_had_been(forking: Runner, tmp_path: Path) -> None:
    run(forking, tmp_path, "import os; os.abort()")

    seen = run(forking, tmp_path, "RESULT = 6 * 7")

    assert isinstance(seen, Observation)
    assert seen.result == "42"


@linux_only
def test_a_server_that_was_killed_is_started_again(tmp_path: Path) -> None:
    with runner(forks=True) as programs:
        killed = run(programs, tmp_path, "import os, signal; os.kill(os.getppid(), signal.SIGKILL)")
        after = run(programs, tmp_path, "RESULT = 1")

    assert isinstance(killed, Failure)
    assert isinstance(after, Observation)


@linux_only
def test_a_program_that_is_not_quiet_prints_on_stderr(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "loud.py"
    path.write_text("import sys\nprint('one')\nprint('two', file=sys.stderr)\n")

    with runner(forks=True) as programs:
        programs.run(Job(str(path), str(tmp_path), quiet=False))

    captured = capfd.readouterr()
    assert (captured.out, sorted(captured.err.split())) == ("", ["one", "two"])


LINGERING = """
import os, time
if os.fork() == 0:
    {escape}
    open({path!r}, "w").write(str(os.getpid()))
    time.sleep(100)
while not os.path.exists({path!r}): time.sleep(0.01)
"""


@linux_only
@pytest.mark.parametrize("escape", ["pass", "os.setsid()"])
def test_what_a_program_leaves_running_is_ended(forking: Runner, tmp_path: Path, escape: str) -> None:
    file = tmp_path / "pid"

    seen = run(forking, tmp_path, LINGERING.format(escape=escape, path=str(file)))

    assert isinstance(seen, Observation)
    assert not is_running(int(file.read_text()))


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


BENIGN = {
    "closes its output": "import os; os.close(1); os.close(2)",
    "exits": "import sys; sys.exit(3)",
    "leaves its folder": "import os; os.chdir('/')",
    "prints much": "print('x' * 5_000_000)",
    "is the output of nobody": "import sys; sys.stdout = None; sys.stderr = None",
    "asks for input": "try: input()\nexcept EOFError: pass",
}


@linux_only
@pytest.mark.parametrize("text", BENIGN.values(), ids=BENIGN)
def test_an_odd_program_still_tells_how_it_went(forking: Runner, tmp_path: Path, text: str) -> None:
    seen = run(forking, tmp_path, text)

    assert isinstance(seen, Observation)
    assert seen.raised is None
    assert len(seen.output) <= 20_000


@linux_only
def test_an_exception_is_told_with_its_line(forking: Runner, tmp_path: Path) -> None:
    seen = run(forking, tmp_path, "def f():\n    raise ValueError('no')\n\nf()\n")

    assert isinstance(seen, Observation)
    assert seen.raised is not None
    assert (seen.raised.words, seen.raised.line) == ("ValueError: no", 2)


@linux_only
def test_programs_leave_nothing_where_the_user_is(forking: Runner, tmp_path: Path) -> None:
    before = set(Path.cwd().iterdir())

    run(forking, tmp_path, "open('litter.txt', 'w').write('x')")

    assert set(Path.cwd().iterdir()) == before


def test_an_interpreter_for_each_program_does_as_well(tmp_path: Path) -> None:
    with runner(forks=False) as programs:
        fine = run(programs, tmp_path, "import torch\nprint('hello')\nRESULT = torch.ones(2).cuda().device.type")
        started = time.monotonic()
        hung = run(programs, tmp_path, "while True: pass", limit=1.0)
        took = time.monotonic() - started
        gone = run(programs, tmp_path, "import os; os._exit(7)")

    assert isinstance(fine, Observation)
    assert (fine.result, fine.output) == ("'cuda'", "hello\n")
    assert hung == Failure("stopped after 1 s")
    assert took < 60
    assert gone == Failure("ended with status 7 before it was done")


@linux_only
@needs_races
def test_a_race_ends_a_program(forking: Runner, tmp_path: Path) -> None:
    path = tmp_path / "race.py"
    path.write_text(
        "import torch\n"
        "stream = torch.cuda.Stream()\n"
        "batch = torch.ones(8, device='cuda')\n"
        "with torch.cuda.stream(stream):\n"
        "    batch.mul_(2)\n"
    )

    seen = forking.run(Job(str(path), str(tmp_path), Machine.SIMULATED, 1, watch=Watch.RACES))

    assert isinstance(seen, Observation)
    assert seen.raised is not None
    assert (seen.raised.kind, seen.raised.line) == ("CUDASanitizerErrors", 5)
