"""Options that are lists and switches, and options that several programs share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model import WITHOUT_CUDA, Place

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
Program: TypeAlias = Callable[[str], Checkout]


GPU_LIST = """
import argparse
import torch
parser = argparse.ArgumentParser()
parser.add_argument("--gpus", default={default})
def parse():
    args = parser.parse_args()
    texts = args.gpus.split(",")
    {filling}
    return args
args = parse()
use({test})
"""
FILLINGS = (
    "args.gpus = [int(text) for text in texts]",
    "args.gpus = [int(text) for text in texts if int(text) >= 0]",
    "args.gpus = []\n    for text in texts:\n        args.gpus.append(int(text))",
    "args.gpus = []\n    for text in texts:\n        gpu = int(text)\n        if gpu >= 0:\n            args.gpus.append(gpu)",
)
NOT_SURELY = (
    "args.gpus = []\n    for text in texts[more:]:\n        args.gpus.append(int(text))",
    "args.gpus = []\n    for text in texts:\n        if text in more:\n            args.gpus.append(int(text))",
    "args.gpus = []\n    args.gpus.extend(more)",
    "args.gpus = [int(text) for text in texts if text in more]",
)
COUNTED = {
    "args.gpus": True,
    "len(args.gpus) > 0": True,
    "len(args.gpus) >= 1": True,
    "len(args.gpus) != 0": True,
    "len(args.gpus) == 0": False,
    "not args.gpus": False,
}


@pytest.mark.parametrize("filling", FILLINGS)
@pytest.mark.parametrize(("test", "outcome"), COUNTED.items())
def test_a_list_that_is_filled_from_the_default_is_not_empty(
    program: Program, test: str, outcome: bool, filling: str
) -> None:
    place = program(GPU_LIST.format(default="'0'", filling=filling, test=f"bool({test})")).place(f"bool({test})")

    assert place.truth(WITHOUT_CUDA) is outcome


@pytest.mark.parametrize("filling", NOT_SURELY)
def test_a_list_that_may_stay_empty_is_left_open(program: Program, filling: str) -> None:
    code = GPU_LIST.format(default="'0'", filling=filling, test="len(args.gpus) > 0")

    assert program(code).place("len(args.gpus) > 0").truth(WITHOUT_CUDA) is None


def test_a_list_that_the_default_keeps_empty_is_so(program: Program) -> None:
    code = GPU_LIST.format(default="'-1'", filling=FILLINGS[-1], test="bool(args.gpus)")

    assert program(code).place("bool(args.gpus)").truth(WITHOUT_CUDA) is False


@pytest.mark.parametrize("test", ["len(args.gpus) > 1", "len(args.gpus) == 1", "len(args.gpus) < more"])
def test_how_many_are_in_it_is_left_open(program: Program, test: str) -> None:
    code = GPU_LIST.format(default="'0'", filling=FILLINGS[-1], test=test)

    assert program(code).place(test).truth(WITHOUT_CUDA) is None


FLAG = """\
import argparse
import torch
parser = argparse.ArgumentParser()
parser.add_argument("--evaluate", action={action}, default={default})
{more}
args = parser.parse_args()

def main():
    if args.evaluate:
        return
    model = torch.nn.Linear(4, 1).cuda()

main()
"""
MOVED = "model = torch.nn.Linear(4, 1).cuda()"


@pytest.mark.parametrize(
    ("action", "default", "more", "found"),
    [
        ("'store_true'", True, "", []),
        ("'store_false'", True, "", [MOVED]),
        ("argparse.BooleanOptionalAction", True, "", [MOVED]),
        (
            "'store_true'",
            True,
            "parser.add_argument('--train', dest='evaluate', action='store_false')",
            [MOVED],
        ),
    ],
    ids=["a constant", "can be unset", "can be negated", "unset by another"],
)
def test_a_switch_that_is_on_by_default_is_always_on(
    program: Program, action: str, default: bool, more: str, found: list[object]
) -> None:
    code = FLAG.format(action=action, default=default, more=more)

    assert program(code).reported("hardcoded-cuda") == found


SHARED = """\
from torch import nn

def build(args):
    net = nn.Linear(4, 1)
    if args.gpu:
        net = net.cuda()
    return net
"""
SHARING = """\
import argparse
from shared import build
parser = argparse.ArgumentParser()
parser.add_argument("--gpu", {how})
args = parser.parse_args()
{call}
"""


@pytest.mark.parametrize(
    ("how", "call", "found"),
    [
        ("type=bool, default=True", "build(args)", ["net = net.cuda()"]),
        ("action='store_true'", "build(args)", []),
        ("type=bool, default=True", "import torch\nif torch.cuda.is_available():\n    build(args)", []),
        ("type=bool, default=find()", "build(args)", []),
    ],
    ids=["on in one", "off in both", "on where there is CUDA", "nobody knows"],
)
def test_what_programs_share_is_judged_by_the_options_of_each(
    project_of: ProjectOf, how: str, call: str, found: list[str]
) -> None:
    train = SHARING.format(how="action='store_true'", call="build(args)")
    files = {"shared.py": SHARED, "train.py": train, "find.py": SHARING.format(how=how, call=call)}

    assert project_of(files).reported("hardcoded-cuda", "shared.py") == found


_EIGHT = "jitter scale rotate flip crop mix drop cut".split()


def test_of_many_options_few_are_given_at_once(program: Program) -> None:
    # Each more would double the queries.
    steps = "\n".join(f"    if args.{one}:\n        x = {one}(x)" for one in _EIGHT)
    made = "\n".join(f"def {one}(x): return x + torch.rand(2)" for one in _EIGHT)
    code = f"import torch\n{made}\ndef changed(x, args):\n{steps}\n    return x\nuse(changed(torch.ones(2), args))\n"

    checkout = program(code)

    assert checkout.values("changed(torch.ones(2), args)")
    asked = checkout.project.shared.table("value")
    assert max(len(place.given) for place in asked if isinstance(place, Place)) <= 3


TWO_OF_A_NAME = """
    class Config:
        def __init__(self, path):
            self.path = path

    def load(path, device="cuda"):
        args = {made}
        args.device = device
        return build(args)

    def main(args):
        load(args.path).to(args.device)  # last

    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    main(parser.parse_args())
    """


@pytest.mark.parametrize(
    ("made", "found"),
    [("Config(path)", ["cpu"]), ("dict(path=path)", ["cpu"]), ("read(path)", ["cuda"])],
)
def test_what_is_put_into_another_object_of_the_same_name_is_no_option(
    program: Program, made: str, found: list[object]
) -> None:
    project = program(TWO_OF_A_NAME.format(made=made))

    assert project.literals("args.device", mark="last", world=WITHOUT_CUDA) == found
