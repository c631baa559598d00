"""States of optimizers that stay on the host when the module is moved, and those that do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Project: TypeAlias = Callable[[dict[str, str]], Checkout]
Program: TypeAlias = Callable[[str], Checkout]

MAIN = """\
import os
import torch
from torch import nn
from resuming import resume
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
def main(args):
    model = nn.Linear(2, 2)
    optimizer = torch.optim.{made}
    if os.path.exists(args.path):
        resume(args.path, model, optimizer)
    {moved}
    optimizer.step()
main({{}})
"""
RESUMING = """\
import torch
def resume(path, net, opt):
    found = torch.load(path, map_location="cpu")
    net.load_state_dict(found["net"])
    opt.load_state_dict(found["opt"])
"""


def reported(project_of: Project, made: str = "Adam(model.parameters())", moved: str = "model.to(device)") -> list[str]:
    files = {"main.py": MAIN.format(made=made, moved=moved), "resuming.py": RESUMING}
    return project_of(files).reported("left-optimizer-state")


@pytest.mark.parametrize("made", ["Adam(model.parameters())", "SGD(params=model.parameters(), lr=1, momentum=0.9)",
                                  "AdamW([{'params': model.parameters()}])"])  # fmt: skip
def test_what_is_restored_before_the_move_stays_behind(project_of: Project, made: str) -> None:
    assert reported(project_of, made) == ["resume(args.path, model, optimizer)"]


@pytest.mark.parametrize("moved", ["model = model.cuda()", "model = nn.DataParallel(model).cuda()", "model.cuda(0)"])
def test_a_module_is_moved_in_many_ways(project_of: Project, moved: str) -> None:
    assert reported(project_of, moved=moved) == ["resume(args.path, model, optimizer)"]


def test_where_there_may_be_no_optimizer_nothing_is_known(project_of: Project) -> None:
    made = "Adam(model.parameters())\n    if args.frozen:\n        optimizer = None"
    resuming = RESUMING.replace("    opt.load", "    if opt is not None:\n        opt.load")
    project = project_of({"main.py": MAIN.format(made=made, moved="model.to(device)"), "resuming.py": resuming})

    assert project.reported("left-optimizer-state") == []


@pytest.mark.parametrize("made", ["SGD(model.parameters(), lr=1)", "SGD(model.parameters(), lr=1, momentum=0)"])
def test_plain_descent_keeps_nothing(project_of: Project, made: str) -> None:
    assert reported(project_of, made) == []


@pytest.mark.parametrize(
    "moved",
    [
        "model.to('cpu')",
        "model.to(torch.float16)",
        "other.to(device)",
        "model.to(device)\n    optimizer = torch.optim.Adam(model.parameters())",
        "model.to(device)\n    resume(args.path, model, optimizer)\n    optimizer.load_state_dict({})",
        "model.to(device)\n    for state in optimizer.state.values(): state['exp_avg'] = state['exp_avg'].to(device)",
    ],
)
def test_what_is_moved_or_made_again_is_left_alone(project_of: Project, moved: str) -> None:
    assert reported(project_of, moved=moved) == []


def test_a_module_that_was_moved_before_is_left_alone(project_of: Project) -> None:
    assert reported(project_of, "Adam(model.cuda().parameters())") == []


def test_a_run_that_is_not_resumed_there_is_left_alone(program: Program) -> None:
    text = MAIN.format(made="Adam(model.parameters())", moved="model.to(device)")
    resuming = text.replace("        resume(args.path, model, optimizer)\n", "        print(args.path)\n")

    assert program(resuming).reported("left-optimizer-state") == []


def test_arms_of_one_test_are_no_order(project_of: Project) -> None:
    text = MAIN.format(made="Adam(model.parameters())", moved="if not os.path.exists(args.path): model.to(device)")

    assert project_of({"main.py": text, "resuming.py": RESUMING}).reported("left-optimizer-state") == []


@pytest.mark.parametrize("after", ["del optimizer", "model.eval()", "print(optimizer)"])
def test_an_optimizer_that_nobody_uses_any_more_makes_no_steps(project_of: Project, after: str) -> None:
    main = MAIN.format(made="Adam(model.parameters())", moved="model.to(device)").replace("optimizer.step()", after)
    found = project_of({"main.py": main, "resuming.py": RESUMING}).reported("left-optimizer-state")

    assert bool(found) is (after == "print(optimizer)")


def test_a_function_may_use_the_optimizer_of_its_file(program: Program) -> None:
    code = RESUMING + "from torch import nn\nnet = nn.Linear(2, 2)\nopt = torch.optim.Adam(net.parameters())\n"
    code += "def step():\n    opt.step()\nresume('x', net, opt)\nnet.cuda()\nstep()\n"

    assert program(code).reported("left-optimizer-state") == ["resume('x', net, opt)"]


MOVING = """\
import torch
def fit(net, opt, device, rank):
    {body}
    opt.step()
"""
BY_CALLEE = "fit({}, optimizer, device, 0)"
MOVED_WITHIN = ["net.to(device)", "net = net.to(device)", "net = torch.nn.DataParallel(net).cuda()"]
NOT_WITHIN = [
    "print(net)",
    "net.to('cpu')",
    "net = net.half()",
    "if rank: net.to(device)",
    "net.to(device)\n    opt.load_state_dict({})",
    "net = torch.nn.Linear(2, 2)",
]


def _resumed(project_of: Project, body: str, passed: str = "model") -> list[str]:
    main = MAIN.replace("from resuming", "from fitting import fit\nfrom resuming")
    code = main.format(made="Adam(model.parameters())", moved=BY_CALLEE.format(passed))
    files = {"main.py": code, "resuming.py": RESUMING, "fitting.py": MOVING.replace("{body}", body)}
    return project_of(files).reported("left-optimizer-state")


@pytest.mark.parametrize("body", MOVED_WITHIN)
def test_a_function_moves_what_it_is_given(project_of: Project, body: str) -> None:
    assert _resumed(project_of, body) == ["resume(args.path, model, optimizer)"]


@pytest.mark.parametrize("body", NOT_WITHIN)
def test_a_function_that_may_move_nothing_is_left_alone(project_of: Project, body: str) -> None:
    assert _resumed(project_of, body) == []


def test_so_is_one_that_is_given_another_module(project_of: Project) -> None:
    assert _resumed(project_of, "net.to(device)", "nn.Linear(2, 2)") == []
