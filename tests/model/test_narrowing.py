"""What an expression cannot be any more, after the tests about it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.checkout import Checkout
from torchlint.model import WITHOUT_CUDA, Project
from torchlint.model.parallel.wrappers import wrappings

PROGRAM = """
import torch
from torch import nn
def bare(model):
    if {test}:
        model = model.module
    {after}
    return model
def main():
    model = nn.Linear(2, 2)
    if torch.cuda.device_count() > 1:
        model = nn.DataParallel(model)
    show(bare(model))
"""


def wrappings_shown(tmp_path: Path, test: str, after: str = "pass") -> int:
    path = tmp_path / "main.py"
    path.write_text(PROGRAM.format(test=test, after=after))
    (call,) = Project(tmp_path).open(path, "main.py").method_calls("show")
    return len(wrappings(call.arguments[0]))


@pytest.mark.parametrize(
    "test",
    ["isinstance(model, nn.DataParallel)", 'hasattr(model, "module")', "len(ids) > 1", "torch.cuda.device_count() > 1"],
)
def test_what_came_past_the_test_that_unwraps_is_no_wrapper(tmp_path: Path, test: str) -> None:
    assert wrappings_shown(tmp_path, test) == 0


ALIASED = """
import torch
from torch import nn
def is_layer(model):
    return isinstance(model, nn.Linear)
class Trainer:
    def __init__(self):
        self.model = nn.DataParallel(nn.Linear(2, 2))
        self.other = nn.DataParallel(nn.Linear(2, 2))
    def run(self):
        model = self.model
        {between}
        if {test}:
            model = self.model.module
        show(model)
"""


@pytest.mark.parametrize(
    ("between", "test", "count"),
    [
        ("", 'hasattr(self.model, "module")', 0),
        ("", 'hasattr(self.model, "module") and not is_layer(self.model)', 0),
        ("", 'hasattr(self.other, "module")', 1),
        ("", 'hasattr(self.model, "module") and unknown()', 1),
        ("model = self.other", 'hasattr(self.model, "module")', 1),
    ],
    ids=["the same", "and it is no other", "about another", "and more than that", "replaced since"],
)
def test_a_test_may_ask_what_a_name_was_given(tmp_path: Path, between: str, test: str, count: int) -> None:
    path = tmp_path / "main.py"
    path.write_text(ALIASED.format(between=between, test=test))

    (call,) = Project(tmp_path).open(path, "main.py").method_calls("show")

    assert len(wrappings(call.arguments[0])) == count


def test_what_is_wrapped_again_afterwards_is_a_wrapper(tmp_path: Path) -> None:
    assert wrappings_shown(tmp_path, 'hasattr(model, "module")', "model = nn.DataParallel(model)") == 1


CHOSEN = """
import torch
from torch import nn
def {function}
    if args.many:
        model = nn.Linear(2, 3)
    return model
def main(args):
    model = nn.Linear(2, 2)
    if args.{asked}:
        model = nn.DataParallel(model)
    {call}
"""


@pytest.mark.parametrize(("asked", "count"), [("many", 0), ("quick", 1)])
@pytest.mark.parametrize(
    ("function", "call"),
    [
        ("chosen(model, args):", "show(chosen(model, args))"),
        (
            "other(args):\n    model = nn.Linear(2, 2)",
            "if args.many:\n        model = nn.Linear(2, 3)\n    show(model)",
        ),
    ],
    ids=["of a caller", "of its own"],
)
def test_what_one_test_wraps_the_same_test_replaces(
    tmp_path: Path, function: str, call: str, asked: str, count: int
) -> None:
    path = tmp_path / "main.py"
    path.write_text(CHOSEN.format(function=function, call=call, asked=asked))
    (shown,) = Project(tmp_path).open(path, "main.py").method_calls("show")

    assert len(wrappings(shown.arguments[0])) == count


def test_whatever_a_test_looks_at_it_tells_the_wrapped_from_the_bare(tmp_path: Path) -> None:
    path = tmp_path / "main.py"
    path.write_text(
        """
from torch import nn
def bare(model, gpus):
    return model.module.state_dict() if gpus > 1 else show(model)
def main(gpus):
    model = nn.Linear(2, 2)
    if gpus > 1:
        model = nn.DataParallel(model)
    bare(model, gpus)
"""
    )
    (call,) = Project(tmp_path).open(path, "main.py").method_calls("show")

    assert wrappings(call.arguments[0]) == ()


@pytest.mark.parametrize(
    ("test", "count"), [("i == 0", 1), ("i % 100 == 0", 1), ("not i % 100", 1), ("args.first", 0), ("gpus == 1", 0)]
)
def test_which_round_it_is_tells_nothing_of_what_is_wrapped(tmp_path: Path, test: str, count: int) -> None:
    path = tmp_path / "main.py"
    path.write_text(
        f"""
from torch import nn
def train(model, args, gpus):
    for i in range(100):
        if {test}:
            model.module.start()
            continue
        show(model)
train(nn.DataParallel(nn.Linear(2, 2)), args, gpus)
"""
    )
    (call,) = Project(tmp_path).open(path, "main.py").method_calls("show")

    assert len(wrappings(call.arguments[0])) == count


LEFT = {
    'kind == "cuda"': ["cuda"],
    'kind != "cuda"': ["cpu", "mps"],
    'kind in {"cuda", "mps"}': ["cuda", "mps"],
    'kind not in ("cuda", "mps")': ["cpu"],
    'kind in ["cuda", other]': ["cpu", "cuda", "mps"],
    "kind in known": ["cpu", "cuda", "mps"],
    'other == "cuda"': ["cpu", "cuda", "mps"],
    '"c" in kind': ["cpu", "cuda"],
    '"c" not in kind': ["mps"],
    'not ("u" in kind and not torch.cuda.is_available())': ["mps"],
    'not ("u" in kind and other)': ["cpu", "cuda", "mps"],
    'kind == "cpu" or torch.cuda.is_available()': ["cpu"],
}


@pytest.mark.parametrize(("test", "left"), LEFT.items(), ids=LEFT)
def test_of_constants_those_are_left_that_a_test_lets_by(
    program: Callable[[str], Checkout], test: str, left: list[object]
) -> None:
    code = f"""
        import torch

        def choose(kind, other, known):
            if {test}:
                use(kind)  # here

        choose("cuda", *rest)
        choose("cpu", *rest)
        choose("mps", *rest)
        """

    assert program(code).literals("kind", mark="here", world=WITHOUT_CUDA) == left


NUMBERS = {"gpu >= 0": [0, 1], "gpu < 1": [-1, 0], "gpu > gpus": [-1, 0, 1], "gpu == 1": [1]}


@pytest.mark.parametrize(("test", "left"), NUMBERS.items(), ids=NUMBERS)
def test_of_numbers_those_are_left_that_a_comparison_lets_by(
    program: Callable[[str], Checkout], test: str, left: list[object]
) -> None:
    code = f"""
        def choose(gpu, gpus):
            if {test}:
                use(gpu)  # here

        choose(-1, *rest)
        choose(0, *rest)
        choose(1, *rest)
        """

    assert program(code).literals("gpu", mark="here") == left


LENGTHS = {
    "len(x) > 0": ["cuda"],
    "len(x)": ["cuda"],
    "not len(x) == 0": ["cuda"],
    "len(x) == 0": [""],
    "not len(x)": [""],
    "len(x) > n": ["", "cuda"],
    "len(y) > 0": ["", "cuda"],
}


@pytest.mark.parametrize(("test", "left"), LENGTHS.items(), ids=LENGTHS)
def test_a_text_has_the_length_that_was_asked_for(
    program: Callable[[str], Checkout], test: str, left: list[str]
) -> None:
    code = f"def run(n, y):\n    x = '' if n else 'cuda'\n    if {test}:\n        use(x)  # here\n"

    assert program(code).literals("x", mark="here") == left


TOLD = """
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from elsewhere import is_parallel
model = nn.DataParallel(nn.Linear(2, 2))
{unwrapped}
torch.save(m.state_dict(), "model.pt")
"""
TESTS = {
    "isinstance(model, DDP)": ['torch.save(m.state_dict(), "model.pt")'],
    "isinstance(model, (DDP, nn.DataParallel))": [],
    "is_parallel(model)": [],
    "torch.cuda.device_count() > 1": [],
}


@pytest.mark.parametrize(("test", "found"), TESTS.items())
@pytest.mark.parametrize(
    "form",
    ["m = model.module if {test} else model", "m = model\nif {test}:\n    m = m.module"],
    ids=["inline", "below"],
)
def test_a_test_for_one_wrapper_lets_the_other_ones_through(
    program: Callable[[str], Checkout], test: str, found: list[str], form: str
) -> None:
    unwrapped = form.format(test=test.replace("model", "m") if "\n" in form else test)

    assert program(TOLD.format(unwrapped=unwrapped)).reported("wrapped-state-dict") == found


COMPILED = """
import torch
from torch import nn
from torch._dynamo import OptimizedModule
from torch._dynamo.eval_frame import OptimizedModule as Compiled
m = torch.compile(nn.Linear(2, 2))
if {test}:
    m = m._orig_mod
torch.save(m.state_dict(), "model.pt")
"""


@pytest.mark.parametrize(
    ("test", "count"),
    [
        ("isinstance(m, OptimizedModule)", 0),
        ("isinstance(m, Compiled)", 0),
        ("isinstance(m, (nn.DataParallel, OptimizedModule))", 0),
        ("isinstance(m, nn.Module)", 0),
        ("isinstance(m, nn.DataParallel)", 1),
    ],
)
def test_a_compiled_module_is_of_its_own_class_and_a_module(
    program: Callable[[str], Checkout], test: str, count: int
) -> None:
    assert len(program(COMPILED.format(test=test)).reported("wrapped-state-dict")) == count


ITEM = """
import torch
from torch import nn
def main(key):
    models = {{"net": nn.DataParallel(nn.Linear(2, 2))}}
    if {test}:
        pass
    else:
        {between}
        show(models[{key}])
"""


@pytest.mark.parametrize(
    ("test", "between", "key", "expected"),
    [
        ("isinstance(models[key], nn.DataParallel)", "pass", "key", 0),
        ('isinstance(models["net"], nn.DataParallel)', "pass", "'net'", 0),
        ("isinstance(models[other], nn.DataParallel)", "pass", "key", 1),
        ("isinstance(models[key], nn.DataParallel)", "key = 'net'", "key", 1),
        ("isinstance(models[key], nn.DataParallel)", "models[key] = nn.DataParallel(models[key])", "key", 1),
        ("isinstance(models[key], nn.DataParallel)", "models = {'net': nn.DataParallel(net)}", "key", 1),
    ],
)
def test_a_test_of_an_item_is_about_that_item(tmp_path: Path, test: str, between: str, key: str, expected: int) -> None:
    path = tmp_path / "main.py"
    path.write_text(ITEM.format(test=test, between=between, key=key))
    (call,) = Project(tmp_path).open(path, "main.py").method_calls("show")

    assert len(wrappings(call.arguments[0])) == expected


ITEM_UNWRAPPED = """
import torch
from torch import nn
def main(args, config):
    models = {{"net": nn.Linear(2, 2)}}
    if args.distributed:
        models["net"] = nn.DataParallel(models["net"])
    if config["distributed"]:
        state = {wrapped}.state_dict()
    else:
        state = models["net"].state_dict()
    torch.save(state, "model.pt")
main(parse(), load())
"""


@pytest.mark.parametrize(("wrapped", "count"), [('models["net"].module', 0), ('models["net"]', 2)])
def test_where_only_the_other_arm_unwraps_an_item_it_is_bare(
    program: Callable[[str], Checkout], wrapped: str, count: int
) -> None:
    assert len(program(ITEM_UNWRAPPED.format(wrapped=wrapped)).findings("wrapped-state-dict")) == count
