"""Small programs that took for ever once: each is linted by every rule in some thousand steps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.checkout import Checkout
from tests.engine.projects import job_of, written
from torchlint.engine.depth import deeply
from torchlint.engine.linter import Linter
from torchlint.model.parallel.device_transfer import transferred
from torchlint.model.values.value_sets import HOST, Device, Tuple
from torchlint.model.worlds import ANYWHERE
from torchlint.report import FileReport

TRAINING = """\
import torch
import torch.nn as nn
from torch.utils.data import DataLoader

def leaf(d):
    model = nn.Linear(1, 1).to(d)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    total = 0
    for batch in DataLoader(data, batch_size=2):
        loss = model(batch.to(d)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss
        print(loss.item())
    torch.save(model.state_dict(), "a.pt")
"""


def calling_each_other(n: int, parameters: str, arguments: str) -> str:
    def body(own: int) -> str:
        others = "".join(f"    f{i}({arguments})\n" for i in range(n) if i != own)
        return f"def f{own}({parameters}):\n    leaf({arguments})\n{others}"

    return TRAINING + "".join(map(body, range(n))) + "f0('cuda')\n"


def returning_each_other(n: int) -> str:
    def body(own: int) -> str:
        others = "".join(f"    if a == {i}:\n        return f{i}(a)\n" for i in range(n) if i != own)
        return f"def f{own}(a):\n{others}    return 'cuda'\n"

    return TRAINING + "".join(map(body, range(n))) + "leaf(f0(1))\n"


def ring_of_attributes(n: int) -> str:
    methods = "".join(
        f"    def f{i}(self):\n        self.d{i} = self.d{(i + 1) % n} or self.d{(i + 2) % n}\n" for i in range(n)
    )
    return f"{TRAINING}class C:\n{methods}    def run(self):\n        leaf(self.d0)\n"


def ifs_in_a_row(n: int) -> str:
    tests = "".join(f"if a{i}:\n    d = 'cuda'\nelse:\n    d = d\n" for i in range(n))
    return f"{TRAINING}d = 'cpu'\n{tests}leaf(d)\n"


def rebound(n: int) -> str:
    return TRAINING + 'x = torch.ones(3, device="cuda")\n' * n


def stores_into_items(n: int) -> str:
    return f"{TRAINING}x = {{}}\n" + "".join(f"x['k{i}'] = x.get('k{i + 1}', 'cuda')\n" for i in range(n))


PROGRAMS = {
    "functions that hand keywords to each other": calling_each_other(4, "d, **kwargs", "d, **kwargs"),
    "functions that call each other": calling_each_other(8, "d", "d"),
    "functions that return each other": returning_each_other(20),
    "attributes that are made of each other": ring_of_attributes(16),
    "tests in a row that rebind a name": ifs_in_a_row(64),
    "a name that is bound a thousand times": rebound(1000),
    "items that are made of each other": stores_into_items(200),
}


def linted(root: Path, text: str) -> tuple[FileReport, int]:
    """Return the report of a program, and the steps that all rules took for it."""
    written(root, {"a.py": text})
    job = job_of(root)
    linter = Linter(job)
    reports: list[FileReport] = []
    deeply(lambda: map(linter.lint, job.targets), reports.append)
    return reports[0], sum(linter.steps.values())


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_small_program_takes_some_steps_for_each_line(tmp_path: Path, name: str) -> None:
    report, steps = linted(tmp_path, PROGRAMS[name])

    assert (report.errors, report.incomplete) == ((), ())
    assert steps < 2_000 * PROGRAMS[name].count("\n")


def test_texts_that_double_in_each_line_are_not_made(tmp_path: Path) -> None:
    doubling = "".join(f'd{i + 1} = f"{{d{i}}}{{d{i}}}"\n' for i in range(60))
    wide = 'd = "%0999999999d" % 1\ntorch.zeros(1, device=d)\n'

    report, _ = linted(tmp_path, f'import torch\nd0 = "cuda"\n{doubling}torch.zeros(1, device=d60)\n{wide}')

    assert (report.errors, report.incomplete) == ((), ())


def test_a_function_of_no_class_called_forward_is_looked_for_in_no_class(tmp_path: Path) -> None:
    text = """\
    from torch.nn import functional as F
    def forward(self, logits, targets):
        return F.cross_entropy(logits, targets)
    """

    report, _ = linted(tmp_path, text)

    assert report.errors == ()


def test_a_tuple_that_holds_itself_is_moved_a_few_times(program: Callable[[str], Checkout]) -> None:
    text = """\
    import torch
    pair = (torch.zeros(1), torch.zeros(1))
    for _ in range(3):
        pair = (pair, torch.zeros(1))
    print(pair)  # here
    """
    place = program(text).place("pair", mark="here")
    ev = place.file.project.evaluator(ANYWHERE)

    moved = transferred(ev, ev.evaluate(place), frozenset({HOST, None}), Device("cuda"))

    assert any(isinstance(one.value, Tuple) for one in moved)


def test_a_guard_that_calls_itself_is_asked_once(tmp_path: Path) -> None:
    text = """\
    import torch
    from torch import nn
    class Config:
        def get(self, key, default=None):
            return vars(self).get(key, default)
    def load(net, config):
        if config.get("resume", False):
            net.load_state_dict(torch.load(config.path))
        net.to("cuda" if torch.cuda.is_available() else "cpu")
    load(nn.Linear(2, 2), Config())
    """

    report, _ = linted(tmp_path, text)

    assert report.errors == ()


def test_classes_that_a_loop_makes_bases_of_each_other_are_gone_through_once(tmp_path: Path) -> None:
    text = """\
    import torch
    def build(n):
        B = object
        for _ in range(n):
            class A(B):
                def go(self):
                    self.d = "cuda"
            class B(A):
                def run(self):
                    self.e = self.d
                    return torch.zeros(4, device=self.e)
        b = B()
        b.go()
        return b.run()
    build(1).item()
    """

    report, _ = linted(tmp_path, text)

    assert report.errors == ()


def test_functions_that_return_a_wrapper_to_each_other_are_asked_once(tmp_path: Path) -> None:
    text = """\
    import torch
    from torch import nn
    def made(net, n):
        if n:
            return again(net, n - 1)
        return nn.DataParallel(net)
    def again(net, n):
        return made(net, n)
    model = made(nn.Linear(4, 1), 3).cuda()
    """

    report, _ = linted(tmp_path, text)

    assert report.errors == ()
