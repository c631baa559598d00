"""What is a guard for CUDA, and what is not: attempts that fail without a GPU."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from tests.model.guards.programs import HEAD, RULE

Program: TypeAlias = Callable[[str], Checkout]

GUARDED = {
    "an attempt that goes elsewhere where it fails": """
        def pick():
            try:
                torch.zeros(1, device="cuda")
            except (AssertionError, RuntimeError):
                return "cpu"
            return "cuda"
        model.to(pick())
        """,
    "the rest of an attempt": """
        try:
            torch.cuda.current_device()
        except Exception:
            device = torch.device("cpu")
        else:
            device = torch.device("cuda")
        model.to(device)
        """,
    "try": """
        try:
            model.cuda()
        except RuntimeError:
            print("on the CPU")
        """,
    "try with any": """
        try:
            model.cuda()
        except Exception:
            print("on the CPU")
        """,
}
UNGUARDED = {
    "an attempt that goes on": """
        try:
            torch.zeros(1, device="cuda")
        except RuntimeError:
            print("slow")
        model.cuda()
        """,
    "an attempt at something else": """
        def load(path):
            try:
                torch.zeros(1, device=sys.argv[1])
                state = torch.load(path, map_location="cpu")
            except RuntimeError:
                return None
            return model.cuda().load_state_dict(state)
        """,
    "an attempt that catches something else": """
        def load(path):
            try:
                state = torch.load(path, map_location="cuda")
            except FileNotFoundError:
                return None
            return model.load_state_dict(state)
        """,
    "a handler that raises again": """
        try:
            model.cuda()
        except RuntimeError:
            print("no")
            raise
        """,
    "a handler of something else": """
        try:
            model.cuda()
        except KeyError:
            print("no")
        """,
    "a handler of interruptions": """
        try:
            model.cuda()
        except (RuntimeError, KeyboardInterrupt):
            torch.save(model.state_dict(), "model.pt")
        """,
}


@pytest.mark.parametrize("code", GUARDED.values(), ids=GUARDED)
def test_a_machine_without_cuda_never_comes_here_or_is_prepared(program: Program, code: str) -> None:
    assert program(HEAD + dedent(code)).reported(RULE) == []


@pytest.mark.parametrize("code", UNGUARDED.values(), ids=UNGUARDED)
def test_what_keeps_nobody_away_is_no_guard(program: Program, code: str) -> None:
    assert len(program(HEAD + dedent(code)).reported(RULE)) == 1


STARTED = """\
import logging
import sys
import traceback
import torch
def main():
    net = torch.nn.Linear(2, 2)
    net.cuda()
def slowly():
    print(torch.nn.Linear(2, 2))
{started}
"""
IN_SCRIPT = 'if __name__ == "__main__":\n    try:\n        main()\n    except {}:\n        {}'
ENDING = {
    "a printed failure": IN_SCRIPT.format("Exception as error", "print(error)"),
    "a logged one": IN_SCRIPT.format("Exception", "logging.exception('failed')"),
    "a traceback": IN_SCRIPT.format("BaseException", "traceback.print_exc()"),
    "an exit": IN_SCRIPT.format("Exception as error", "print(error); sys.exit(1)"),
    "an exit, and more below": IN_SCRIPT.format("Exception", "sys.exit(1)") + "\n    print('done')",
    "nothing at all": IN_SCRIPT.format("Exception", "pass"),
    "some cleaning up": IN_SCRIPT.format("Exception as error", "print(error)") + "\n    finally:\n        print('bye')",
    "outside of a test": "try:\n    main()\nexcept Exception as error:\n    print(error)",
}
GOING_ON = {
    "another attempt": IN_SCRIPT.format("Exception", "slowly()"),
    "another way further down": IN_SCRIPT.format("Exception as error", "print(error)") + "\n    print(torch.zeros(2))",
    "a word about CUDA": IN_SCRIPT.format("Exception", "print('no CUDA here')"),
    "a value": IN_SCRIPT.format("Exception", "failed = True"),
    "a loop": "for _ in range(3):\n    try:\n        main()\n    except Exception as error:\n        print(error)",
    "a function": "def run():\n    try:\n        main()\n    except Exception as error:\n        print(error)\nrun()",
    "a probe": "try:\n    torch.zeros(1).cuda()\n    main()\nexcept Exception as error:\n    print('no', error)",
}


@pytest.mark.parametrize("started", ENDING.values(), ids=ENDING)
def test_a_program_that_only_reports_its_failure_has_no_other_way(program: Program, started: str) -> None:
    assert program(STARTED.format(started=started)).reported(RULE) == ["net.cuda()"]


@pytest.mark.parametrize("started", GOING_ON.values(), ids=GOING_ON)
def test_one_that_goes_on_may_have_one(program: Program, started: str) -> None:
    assert program(STARTED.format(started=started)).reported(RULE) == []
