"""Which ranks come to a place."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlint.model import ANYWHERE, Project
from torchlint.model.parallel.rank_doubts import may_depend_on_rank
from torchlint.model.parallel.ranks import rank_test

HEAD = """
import os
import torch.distributed as dist
from accelerate import Accelerator
accelerator = Accelerator()
def is_first(): return not dist.is_initialized() or dist.get_rank() == 0
"""


def rank_tests(tmp_path: Path, body: str) -> tuple[bool, bool]:
    """Return whether `here()` is surely, and whether it is maybe, kept to some ranks."""
    path = tmp_path / "main.py"
    path.write_text(HEAD + body)
    file = Project(tmp_path).open(path, "main.py")
    (here,) = file.method_calls("here")
    ev = file.project.evaluator(ANYWHERE)
    return rank_test(ev, here) is not None, may_depend_on_rank(ev, here)


@pytest.mark.parametrize(
    "test",
    [
        "dist.get_rank() == 0",
        "0 == args.rank",
        "args.local_rank in (-1, 0)",
        "not rank",
        "rank < 1",
        "int(os.environ['RANK']) == 0",
        "os.environ['RANK'] == '0'",
        "os.environ.get('LOCAL_RANK', '0') in ('0', '-1')",
        "not int(os.environ['RANK'])",
        "not int(os.getenv('SLURM_PROCID', 0))",
        "not args.distributed or args.rank == 0",
        "args.rank == 0 and step % 10 == 0",
        "accelerator.is_main_process",
        "is_first()",
        "utils.is_main_process()",
        "is_rank_zero()",
    ],
)
def test_a_comparison_or_predicate_of_the_rank_keeps_others_out(tmp_path: Path, test: str) -> None:
    assert rank_tests(tmp_path, f"if {test}:\n    here()\n") == (True, True)


@pytest.mark.parametrize(
    "test", ["args.local_rank == -1", "rank >= 0", "dist.is_initialized()", "step == 0", "best",
             "os.environ['RANK']", "'RANK' in os.environ", "os.environ['RANK'] != ''", "int(os.environ['WORLD_SIZE'])",
             "int(table['RANK'])", "os.environ['WORLD_SIZE'] == '0'"],
)  # fmt: skip
def test_other_tests_let_every_rank_through(tmp_path: Path, test: str) -> None:
    assert not rank_tests(tmp_path, f"if {test}:\n    here()\n")[0]


def test_leaving_early_on_other_ranks_is_enough(tmp_path: Path) -> None:
    assert rank_tests(tmp_path, "def save(rank):\n    if rank != 0:\n        return\n    here()\n") == (True, True)


def test_the_first_argument_of_a_spawned_function_is_its_rank(tmp_path: Path) -> None:
    body = """
import torch.multiprocessing as mp
def work(gpu):
    if gpu == 0:
        here()
mp.spawn(work, nprocs=2)
"""

    assert rank_tests(tmp_path, body) == (True, True)


def test_a_variable_holds_the_test(tmp_path: Path) -> None:
    assert rank_tests(tmp_path, "def save():\n    chosen = dist.get_rank() == 0\n    if chosen:\n        here()\n")[0]


@pytest.mark.parametrize(
    ("held", "test", "is_kept"),
    [
        ("int(os.environ['RANK'])", "not rank", True),
        ("int(os.environ.get('LOCAL_RANK', 0))", "rank", True),
        ("'RANK' in os.environ", "rank", False),
    ],
)
def test_a_variable_holds_the_rank_of_the_environment(tmp_path: Path, held: str, test: str, is_kept: bool) -> None:
    body = f"def save():\n    rank = {held}\n    if {test}:\n        here()\n"

    assert rank_tests(tmp_path, body)[0] is is_kept


def test_a_guard_in_every_caller_may_be_enough(tmp_path: Path) -> None:
    body = "def save(): here()\ndef main(rank):\n    if rank == 0:\n        save()\n"

    assert rank_tests(tmp_path, body) == (False, True)


def test_one_caller_without_a_guard_is_too_many(tmp_path: Path) -> None:
    body = "def save(): here()\ndef main(rank):\n    if rank == 0:\n        save()\ndef other(): save()\n"

    assert rank_tests(tmp_path, body) == (False, False)


def test_a_decorator_keeps_others_out(tmp_path: Path) -> None:
    assert rank_tests(tmp_path, "@rank_zero_only\ndef save(): here()\n")[1]


DECORATOR = """\
def decorator(function):
    def wrapper(*args, **kwargs):
        if {test}:
            return function(*args, **kwargs)
    return wrapper
@decorator
def save(): here()
"""


@pytest.mark.parametrize(("test", "is_kept"), [("device.assigned_rank <= 0", True), ("args", False)])
def test_a_decorator_of_the_project_is_looked_into(tmp_path: Path, test: str, is_kept: bool) -> None:
    assert rank_tests(tmp_path, DECORATOR.format(test=test))[1] is is_kept


def test_a_decorator_that_also_calls_it_without_a_test_keeps_nobody_out(tmp_path: Path) -> None:
    body = DECORATOR.format(test="rank == 0").replace("        if", "        function()\n        if")

    assert not rank_tests(tmp_path, body)[1]
