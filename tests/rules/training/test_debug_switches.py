"""Which programs leave debugging features on without a choice."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
Project: TypeAlias = Callable[[dict[str, str]], Checkout]
RULE = "debug-left-on"
HEAD = """\
import argparse, os, sys, torch
from torch.autograd import detect_anomaly, set_detect_anomaly
parser = argparse.ArgumentParser()
parser.add_argument("--debug", action="store_true")
args = parser.parse_args()
DEBUG = True
def loss_of(batch): return batch.sum()
def train(batches, optimizer):
    for batch in batches:
        loss_of(batch).backward()
        optimizer.step()
"""
ON = "set_detect_anomaly(True)"
BLOCKING = 'os.environ["CUDA_LAUNCH_BLOCKING"] = "1"'

LEFT_ON = {
    "in the file": ON,
    "by keyword": "set_detect_anomaly(mode=True, check_nan=True)",
    "by its full name": "torch.autograd.set_detect_anomaly(True)",
    "of the file that is started": f"if __name__ == '__main__':\n    {ON}\n    train([], None)",
    "on machines with CUDA": f"if torch.cuda.is_available():\n    {ON}",
    "past a check of what is there": f"if not os.path.exists('data'):\n    sys.exit(1)\n{ON}",
    "in a function that is called": f"def prepare():\n    {ON}\nprepare()",
    "two calls away": f"def prepare():\n    {ON}\ndef main():\n    prepare()\nmain()",
    "in an object that is made": f"class Trainer:\n    def __init__(self):\n        {ON}\ntrainer = Trainer()",
    "in a function that trains": f"def main():\n    {ON}\n    train([], None)",
    "around a loop": "with detect_anomaly():\n    for batch in []:\n        loss_of(batch).backward()",
    "around what has a loop": f"with {ON}:\n    train([], None)",
    "around a step": (
        "def fit(batches, optimizer):\n    for batch in batches:\n        with detect_anomaly():\n"
        "            loss_of(batch).backward()\n        optimizer.step()"
    ),
    "in one phase of each round": (
        "def fit(batches, optimizer):\n    for phase in ('train', 'val'):\n        for batch in batches:\n"
        "            if phase == 'train':\n                with detect_anomaly():\n"
        "                    loss_of(batch).backward()\n                optimizer.step()"
    ),
    "waiting for kernels": BLOCKING,
    "waiting for kernels, by a function": 'os.putenv("CUDA_LAUNCH_BLOCKING", "1")',
    "waiting for kernels, with others": 'os.environ.update({"CUDA_LAUNCH_BLOCKING": "1", "OMP_NUM_THREADS": "1"})',
    "waiting for the kernels of one GPU": f'os.environ["CUDA_VISIBLE_DEVICES"] = "1"\n{BLOCKING}',
}
CHOSEN = {
    "off": "set_detect_anomaly(False)",
    "by an option": "set_detect_anomaly(args.debug)",
    "behind an option": f"if args.debug:\n    {ON}",
    "behind a flag of the program": f"if DEBUG:\n    {ON}",
    "by a flag of the program": "set_detect_anomaly(DEBUG)",
    "behind a variable of the shell": f"if os.environ.get('DEBUG'):\n    {ON}",
    "behind an option and what the machine has": f"if torch.cuda.is_available() and args.debug:\n    {ON}",
    "past an option": f"def prepare(args):\n    if not args.debug:\n        return\n    {ON}\nprepare(args)",
    "in a function that an option has called": f"def prepare():\n    {ON}\nif args.debug:\n    prepare()",
    "in a function that nobody calls": f"def look_closer():\n    {ON}",
    "in a function that is for debugging": f"def debug_step():\n    {ON}\n    train([], None)\ndebug_step()",
    "in a test": f"def test_gradients():\n    {ON}\n    train([], None)",
    "once something failed": f"try:\n    train([], None)\nexcept RuntimeError:\n    {ON}\n    train([], None)",
    "turned off again": f"{ON}\nloss_of(torch.ones(2)).backward()\nset_detect_anomaly(False)\ntrain([], None)",
    "around nothing that trains": "with detect_anomaly():\n    print(loss_of(torch.ones(2)))",
    "around a single backward": "loss = loss_of(torch.ones(2))\nwith detect_anomaly():\n    loss.backward()",
    "turned off around a loop": "with set_detect_anomaly(False):\n    train([], None)",
    "around a loop, behind an option": "if args.debug:\n    with detect_anomaly():\n        train([], None)",
    "around a loop or not": "with detect_anomaly() if args.debug else open('log'):\n    train([], None)",
    "now and then": (
        "def fit(batches, optimizer):\n    for i, batch in enumerate(batches):\n        if i % 100 == 0:\n"
        "            with detect_anomaly():\n                loss_of(batch).backward()\n"
        "        else:\n            loss_of(batch).backward()\n        optimizer.step()"
    ),
    "made, and not entered": "detect_anomaly()",
    "another function of that name": f"def set_detect_anomaly(on): pass\n{ON}",
    "not waiting": 'os.environ["CUDA_LAUNCH_BLOCKING"] = "0"',
    "waiting unless the shell says otherwise": 'os.environ.setdefault("CUDA_LAUNCH_BLOCKING", "1")',
    "waiting behind an option": f"if args.debug:\n    {BLOCKING}",
    "waiting as an option says": 'os.environ["CUDA_LAUNCH_BLOCKING"] = "1" if args.debug else "0"',
    "waiting for a while": f'{BLOCKING}\ntrain([], None)\nos.environ["CUDA_LAUNCH_BLOCKING"] = "0"',
    "waiting until it is taken back": f'{BLOCKING}\ntrain([], None)\ndel os.environ["CUDA_LAUNCH_BLOCKING"]',
    "waiting in runs that repeat exactly": f"def repeat():\n    {BLOCKING}\n    torch.use_deterministic_algorithms(True)\n"
    "repeat()",
    "without a GPU": f'os.environ["CUDA_VISIBLE_DEVICES"] = ""\n{BLOCKING}',
    "of another process": 'env = dict(os.environ)\nenv["CUDA_LAUNCH_BLOCKING"] = "1"',
    "once CUDA is started": f"torch.cuda.is_available()\n{BLOCKING}",
}


@pytest.mark.parametrize("code", LEFT_ON.values(), ids=LEFT_ON)
def test_what_nobody_chooses_is_found(program: Program, code: str) -> None:
    assert len(program(f"{HEAD}{code}\n").findings(RULE)) == 1


@pytest.mark.parametrize("code", CHOSEN.values(), ids=CHOSEN)
def test_what_somebody_chooses_or_turns_off_is_left_alone(program: Program, code: str) -> None:
    assert program(f"{HEAD}{code}\n").reported(RULE) == []


@pytest.mark.parametrize(
    ("name", "is_found"),
    [("losses.py", True), ("tests/losses.py", False), ("conftest.py", False), ("debug_losses.py", False)],
)
def test_files_that_test_or_debug_are_left_alone(project_of: Project, name: str, is_found: bool) -> None:
    assert bool(project_of({name: f"{HEAD}{ON}\n"}).findings(RULE, name)) is is_found


def test_a_program_that_computes_no_gradients_is_slowed_down_by_none(program: Program) -> None:
    assert program(f"import torch\ntorch.autograd.{ON}\nprint(torch.ones(2).sum())\n").reported(RULE) == []


@pytest.mark.parametrize("elsewhere", ["set_detect_anomaly(False)", "set_detect_anomaly(args.debug)"])
@pytest.mark.parametrize("is_imported", [True, False])
def test_another_file_of_the_program_may_say_otherwise(project_of: Project, elsewhere: str, is_imported: bool) -> None:
    head = HEAD + ("import setup\n" if is_imported else "")

    checkout = project_of({"main.py": f"{head}{ON}\n", "setup.py": f"{HEAD}{elsewhere}\n"})

    assert bool(checkout.findings(RULE)) is not is_imported


def test_the_trace_leads_from_the_program_to_the_switch(project_of: Project) -> None:
    files = {
        "main.py": "from setup import prepare\nprepare()\nloss.backward()\n",
        "setup.py": f"import torch\ndef prepare():\n    anomalies()\ndef anomalies():\n    torch.autograd.{ON}\n",
    }

    assert project_of(files).trace(RULE, "setup.py") == [
        ("main.py", "prepare()", "`prepare` is called here"),
        ("setup.py", "anomalies()", "`anomalies` is called here"),
    ]
