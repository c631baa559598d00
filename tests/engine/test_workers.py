"""Several processes report what one does, and end well."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import torchlint
from tests.engine.projects import CUDA, Fails, job_of, linted, said, written
from torchlint.engine import lint
from torchlint.engine.shares import shares
from torchlint.finding import Finding
from torchlint.model import SourceFile
from torchlint.report import FileReport

FIXTURES = next(folder for root in torchlint.__path__ if (folder := Path(root, "fixtures")).is_dir())
posix = pytest.mark.skipif(os.name != "posix", reason="signals")


class Dies(Fails):
    """Kill the process that reads a file with the word."""

    def check(self, file: SourceFile) -> Iterator[Finding]:
        if "fail to live" in file.source.text:
            os.kill(os.getpid(), signal.SIGKILL)
        if "fail to end" in file.source.text:
            time.sleep(60)
        yield from ()


def digest(reports: list[FileReport]) -> str:
    return hashlib.sha256(repr(reports).encode()).hexdigest()


def otherwise() -> list[FileReport]:
    """Return what two processes report, one of another project between them, that begin with the last files."""
    jobs = [job_of(FIXTURES), job_of(FIXTURES / "demo-project")]
    return linted(*(replace(job, targets=job.targets[::-1]) for job in jobs), workers=2)


def test_neither_workers_nor_the_order_of_files_nor_the_seed_of_hashes_changes_a_report() -> None:
    code = "from tests.engine import test_workers as w\nprint(w.digest(w.otherwise()))"
    alone = [*linted(job_of(FIXTURES)), *linted(job_of(FIXTURES / "demo-project"))]

    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": "4242", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert run.stdout.strip() == digest(sorted(alone, key=lambda report: report.path))
    assert sum(len(report.findings) for report in alone) > 50


@posix
def test_a_worker_that_is_killed_costs_its_file_and_no_other(tmp_path: Path) -> None:
    written(tmp_path, {f"m{number}.py": CUDA for number in range(12)})
    written(tmp_path, {"m4.py": f"{CUDA}# fail to live\n", "m9.py": f"{CUDA}# fail to live\n"})
    job = job_of(tmp_path)

    reports = linted(replace(job, rules=(*job.rules, Dies())), workers=2)

    died = {report.path: error.message for report in reports for error in report.errors}
    words = "was not checked: the process that linted it was killed by SIGKILL"
    assert died == {"m4.py": f"m4.py {words}", "m9.py": f"m9.py {words}"}
    assert len(said(reports)) == 10
    assert len(reports) == 12
    assert multiprocessing.active_children() == []


@posix
@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupt_reaches_the_caller_and_leaves_nobody_behind(tmp_path: Path, workers: int) -> None:
    written(tmp_path, {f"m{number}.py": "import torch  # fail to end\n" for number in range(4)})
    code = f"""
        import multiprocessing, os, signal, threading
        from pathlib import Path
        from tests.engine.projects import job_of, linted
        from tests.engine.test_workers import Dies

        if __name__ == "__main__":
            job = job_of(Path({str(tmp_path)!r}), (Dies(),))
            signal.signal(signal.SIGALRM, lambda *_: os.killpg(0, signal.SIGINT))
            signal.alarm(2)
            try:
                linted(job, workers={workers})
            except KeyboardInterrupt:
                print("interrupted", multiprocessing.active_children())
    """
    written(tmp_path, {"main.txt": code})
    started = time.monotonic()

    run = subprocess.run(
        [sys.executable, str(tmp_path / "main.txt")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
        start_new_session=True,
    )

    assert run.stdout == "interrupted []\n"
    assert run.stderr == ""
    assert time.monotonic() - started < 30


def test_what_the_caller_raises_ends_the_workers(tmp_path: Path) -> None:
    written(tmp_path, {f"m{number}.py": CUDA for number in range(12)})

    def refuse(report: FileReport) -> None:
        raise LookupError(report.path)

    with pytest.raises(LookupError):
        lint([job_of(tmp_path)], 2, refuse)
    assert multiprocessing.active_children() == []


def test_the_processes_module_is_not_imported_where_there_is_little_to_do(tmp_path: Path) -> None:
    written(tmp_path, {"a.py": CUDA})
    code = f"""
        import sys
        from pathlib import Path
        from tests.engine.projects import job_of, linted
        print(len(linted(job_of(Path({str(tmp_path)!r})), workers=0)), "multiprocessing" in sys.modules)
    """
    written(tmp_path, {"main.txt": code})

    run = subprocess.run(
        [sys.executable, str(tmp_path / "main.txt")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert run.stdout == "1 False\n"


def test_the_shares_are_everything_once_and_the_largest_files_come_first(tmp_path: Path) -> None:
    written(tmp_path, {f"m{number:02}.py": "x = 1\n" * 1_000 * number for number in range(40)})
    job = job_of(tmp_path)

    found = list(shares([job, job], 2))

    for number in (0, 1):
        members = [target for share in found if share.job == number for target in share.targets]
        assert members == sorted(range(40), reverse=True)
    assert len(found) > 8
