"""`.module` of what only may be wrapped."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.parallel.detectors.bare_modules import bare_modules
from tests.checkout import asked
from torchlint.model import Project

MAYBE = """
import torch
from torch import nn
m = nn.Linear(2, 2)
if torch.cuda.device_count() > 1:
    m = nn.DataParallel(m)
"""


def bare_in(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "main.py"
    path.write_text(text)
    return [one.place.text for one in asked(bare_modules, Project(tmp_path).open(path, "main.py"))]


def test_a_model_that_some_machines_do_not_wrap_may_be_bare(tmp_path: Path) -> None:
    assert bare_in(tmp_path, MAYBE + "print(m.module)\n") == ["m.module"]


@pytest.mark.parametrize(
    "use",
    [
        "print(m.module if hasattr(m, 'module') else m)",
        "if torch.cuda.device_count() > 1:\n    print(m.module)",
        "if args.distributed:\n    print(m.module)",
        "m = nn.DataParallel(m)\nprint(m.module)",
    ],
)
def test_a_test_or_a_wrapper_before_is_enough(tmp_path: Path, use: str) -> None:
    assert bare_in(tmp_path, f"{MAYBE}{use}\n") == []


ON_A_GPU = """
import torch
from torch import nn
def train(args):
    m = nn.Linear(2, 2)
    if torch.cuda.is_available():
        m = nn.DataParallel(m)
    {use}
"""


@pytest.mark.parametrize(
    ("use", "found"),
    [
        ("print(m.module if torch.cuda.is_available() else m)", []),
        ("if torch.cuda.is_available() and args.resume: print(m.module)", []),
        ("print(m if not torch.cuda.is_available() else m.module)", []),
        ("print(m if torch.cuda.is_available() else m.module)", ["m.module"]),
        ("print(m.module if args.resume else m)", ["m.module"]),
    ],
)
def test_the_condition_for_the_wrapper_implies_it(tmp_path: Path, use: str, found: list[str]) -> None:
    assert bare_in(tmp_path, ON_A_GPU.format(use=use)) == found


ENGINE = """
import deepspeed
from torch import nn
def setup(args):
    m = nn.Linear(2, 2)
    if not args.deepspeed:
        m = nn.DataParallel(m)
    if args.engine:
        m, optimizer = deepspeed.initialize(model=m)
    if {test}:
        print(m.module)
setup(parse())
"""


@pytest.mark.parametrize(("test", "found"), [("args.deepspeed", []), ("args.resume", ["m.module"])])
def test_where_the_wrapper_cannot_be_something_else_may_have_a_module(
    tmp_path: Path, test: str, found: list[str]
) -> None:
    assert bare_in(tmp_path, ENGINE.format(test=test)) == found


def test_of_two_conditions_for_a_wrapper_one_implies_nothing(tmp_path: Path) -> None:
    wrap = "    if torch.cuda.is_available() and args.half:\n        m = nn.DataParallel(m)\n"
    text = ON_A_GPU.format(use="print(m.module if args.half else m)")
    text = text.replace("    if torch.cuda.is_available():\n        m = nn.DataParallel(m)\n", wrap)

    assert wrap in text
    assert bare_in(tmp_path, text) == ["m.module"]


def test_a_test_whose_arms_all_take_the_wrapper_off_tells_nothing_of_it(tmp_path: Path) -> None:
    use = "if args.verify:\n    m.module.load(1)\nelif args.resume is not None:\n    m.module.load(2)\n"

    assert bare_in(tmp_path, MAYBE + use) == ["m.module", "m.module"]


def test_a_model_that_its_method_goes_on_to_wrap_is_not_bare(tmp_path: Path) -> None:
    text = """
from torch import nn
class Trainer:
    def __init__(self):
        self.model = nn.Linear(2, 2)
        self.model = nn.DataParallel(self.model)
    def save(self):
        return self.model.module
"""

    assert bare_in(tmp_path, text) == []


WRAPPED_EARLY_OR_LATE = """
import argparse
from torch import nn
def wrap(net):
    return nn.DataParallel(net)
def create(opt):
    net = nn.Linear(2, 2)
    if not opt.half:
        net = wrap(net)
    return {returned}
def prepare(opt, {given}):
    {taken}
    if opt.{option}:
        net.half()
        net = wrap(net)
    else:
        print(net.module)
    return {returned}
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--half", action="store_true")
    parser.add_argument("--fast", action="store_true")
    opt = parser.parse_args()
    made = create(opt)
    {taken_at_last} = prepare(opt, made)
    print(net.module)
main()
"""
ALONE = {"returned": "net", "given": "net", "taken": "pass", "taken_at_last": "net"}
AMONG_OTHERS = {"returned": "[net, 1]", "given": "nets", "taken": "net, _ = nets", "taken_at_last": "net, _"}


@pytest.mark.parametrize("how", [ALONE, AMONG_OTHERS], ids=["alone", "among others"])
def test_a_model_that_one_function_or_the_other_wraps_is_never_bare(tmp_path: Path, how: dict[str, str]) -> None:
    assert bare_in(tmp_path, WRAPPED_EARLY_OR_LATE.format(option="half", **how)) == []


@pytest.mark.parametrize("how", [ALONE, AMONG_OTHERS], ids=["alone", "among others"])
def test_a_model_that_two_options_wrap_may_be_bare(tmp_path: Path, how: dict[str, str]) -> None:
    assert bare_in(tmp_path, WRAPPED_EARLY_OR_LATE.format(option="fast", **how)) == ["net.module", "net.module"]


COUNTED = """
import torch
from torch import nn
x = torch.ones(2, 2)
m = nn.Linear(2, 2)
gpus = torch.cuda.device_count()
if {test}:
    m = nn.DataParallel(m)
print(m.module)
"""


@pytest.mark.parametrize(
    "test", ["gpus != -1", "gpus >= 0", "not gpus < 0", "len(x) > -1", "x.size(0) >= 0", "gpus != -1 and x.dim() != -2"]
)
def test_a_count_is_never_negative_so_that_the_model_is_wrapped(tmp_path: Path, test: str) -> None:
    assert bare_in(tmp_path, COUNTED.format(test=test)) == []


@pytest.mark.parametrize("test", ["gpus != 0", "gpus > 0", "gpus >= 1", "x.get_device() != -1", "gpus - 1 != -1"])
def test_what_may_come_out_either_way_may_leave_the_model_bare(tmp_path: Path, test: str) -> None:
    assert bare_in(tmp_path, COUNTED.format(test=test)) == ["m.module"]


@pytest.mark.parametrize("caught", ["AttributeError", "(AttributeError, KeyError)", "Exception"])
def test_what_the_model_itself_lacks_its_wrapper_has_inside(tmp_path: Path, caught: str) -> None:
    use = f"try:\n    m.reset()\nexcept {caught}:\n    m.module.reset()\n"

    assert bare_in(tmp_path, MAYBE + use) == []


@pytest.mark.parametrize(
    "use", ["try:\n    torch.reset()\nexcept AttributeError:", "try:\n    m.reset()\nexcept OSError:"]
)
def test_another_exception_tells_nothing_of_the_wrapper(tmp_path: Path, use: str) -> None:
    assert bare_in(tmp_path, f"{MAYBE}{use}\n    m.module.reset()\n") == ["m.module"]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("encoder = nn.Linear(2, 2)", ["m.module"]),
        (
            """@property
    def module(self):
        return self""",
            [],
        ),
    ],
)
def test_a_model_may_have_a_module_of_its_own(tmp_path: Path, body: str, found: list[str]) -> None:
    text = f"""
import torch
from torch import nn
class Net(nn.Module):
    {body}
class Small(Net):
    pass
m = Small()
if torch.cuda.device_count() > 1:
    m = nn.DataParallel(m)
print(m.module)
"""
    assert bare_in(tmp_path, text) == found
