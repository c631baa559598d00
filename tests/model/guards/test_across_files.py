"""Guards and devices in other files than what needs them."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from tests.model.guards.programs import HEAD, RULE

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
Program: TypeAlias = Callable[[str], Checkout]


def test_an_option_on_the_cpu_does_not_hide_another_one(program: Program) -> None:
    code = """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--device", default="cpu")
        parser.add_argument("--teacher-device", default="cuda:1")
        args = parser.parse_args()
        model.to(args.device)
        model.to(args.teacher_device)
        """

    assert program(HEAD + dedent(code)).reported(RULE) == ['parser.add_argument("--teacher-device", default="cuda:1")']


def test_a_guard_in_main_before_spawning_guards_the_worker_in_another_file(project_of: ProjectOf) -> None:
    worker = "import torch\ndef run(rank, size):\n    torch.cuda.set_device(rank)\n    torch.zeros(2).cuda(rank)\n"
    main = "import torch\nimport torch.multiprocessing as mp\nfrom worker import run\n\ndef main():\n"
    spawn = "    mp.spawn(run, args=(2,), nprocs=2)\n\nmain()\n"

    guarded = project_of({"main.py": f"{main}    assert torch.cuda.is_available()\n{spawn}", "worker.py": worker})

    assert guarded.reported(RULE, "worker.py") == []


def test_without_that_guard_the_worker_is_reported(project_of: ProjectOf) -> None:
    project = project_of({
        "main.py": """\
            import torch.multiprocessing as mp
            from worker import run
            mp.spawn(run, args=(2,), nprocs=2)
            """,
        "worker.py": """\
            import torch
            def run(rank, size):
                torch.zeros(2).cuda(rank)
            """,
    })  # fmt: skip

    assert project.reported(RULE, "worker.py") == ["torch.zeros(2).cuda(rank)"]


def test_a_guard_in_another_file_counts_wherever_it_is_called(project_of: ProjectOf) -> None:
    project = project_of({
        "setup.py": """\
            import torch
            def require_gpu():
                if not torch.cuda.is_available():
                    raise SystemExit(1)
            """,
        "main.py": HEAD + dedent("""\
            from setup import require_gpu
            require_gpu()
            model.cuda()
            """),
    })  # fmt: skip

    assert project.reported(RULE) == []


STARTING = """\
import torch
class Starter:
    def init_dist_slurm(self, rank):
        torch.cuda.set_device(rank)
def init_dist_pytorch(rank):
    torch.cuda.set_device(rank)
"""
LOOKUPS = {
    "by a remainder": ('getattr(starting, "init_dist_%s" % args.launcher)(0)', ["slurm"]),
    "by a format": ('start = getattr(starting, "init_dist_{}".format(args.launcher))', ["slurm"]),
    "by an f-string": ('getattr(starting, f"init_{args.kind}_{args.launcher}")(0)', ["slurm"]),
    "by a sum": ('getattr(starting, "init_dist_" + args.launcher, None)(0)', ["slurm"]),
    "on an object": ('getattr(starting.Starter(), "init_dist_" + args.launcher)(0)', ["pytorch"]),
    "by another name": ('getattr(starting, "init_local_%s" % args.launcher)(0)', ["slurm", "pytorch"]),
    "on something else": ('getattr(parser, "init_dist_%s" % args.launcher)(0)', ["slurm", "pytorch"]),
    "by a name that begins with nothing": ('getattr(starting, "%s" % args.launcher)(0)', ["slurm", "pytorch"]),
}


@pytest.mark.parametrize(("lookup", "unguarded"), LOOKUPS.values(), ids=LOOKUPS)
@pytest.mark.parametrize("is_guarded", [True, False])
def test_what_is_looked_up_by_a_text_is_guarded_where_it_is_looked_up(
    project_of: ProjectOf, lookup: str, unguarded: list[str], *, is_guarded: bool
) -> None:
    test = 'args.launcher != "none"' if is_guarded else "len(sys.argv) > 1"
    project = project_of({
        "starting.py": STARTING,
        "main.py": f"""\
            import argparse
            import sys
            import starting
            import torch
            parser = argparse.ArgumentParser()
            parser.add_argument("--launcher", default="none")
            args = parser.parse_args()
            if {test}:
                {lookup}
            """,
    })  # fmt: skip

    assert len(project.reported(RULE, "starting.py")) == (len(unguarded) if is_guarded else 2)


def test_a_device_that_another_file_chooses_is_followed(project_of: ProjectOf) -> None:
    project = project_of({
        "settings.py": """\
            import torch
            DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
            OTHER = "cuda:1"
            """,
        "main.py": HEAD + dedent("""\
            import settings
            from settings import DEVICE
            model.to(DEVICE)
            model.to(settings.OTHER)
            """),
    })  # fmt: skip

    assert project.reported(RULE) == ["model.to(settings.OTHER)"]
