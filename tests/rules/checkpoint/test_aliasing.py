"""States that are kept by reference while training goes on."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from rules.checkpoint.detectors.aliasing import state_aliases
from tests.checkout import asked
from torchlint.model import Project

LOOP = """
import copy, torch
from torch import nn

def step(model, optimizer):
    for _ in range(3):
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()

def train(model, optimizer):
    best, kept = 0, None
    for epoch in range(9):
        step(model, optimizer)
        {keep}
    {use}
train(nn.Linear(2, 1), torch.optim.SGD([]))
"""


STATE = "model.state_dict()"


def kept(folder: Path, keep: str, use: str) -> list[str]:
    source = LOOP.format(keep=textwrap.indent(textwrap.dedent(keep), " " * 8).strip(), use=use)
    (folder / "main.py").write_text(source)
    return [one.place.text for one in asked(state_aliases, Project(folder).open(folder / "main.py", "main.py"))]


@pytest.mark.parametrize(
    ("keep", "use", "place"),
    [
        ("if epoch > best: kept = model.state_dict()", "model.load_state_dict(kept)", "model.state_dict()"),
        ("if epoch > best: kept = dict(model.state_dict())", "return kept", "model.state_dict()"),
        ("if epoch > best: kept = model.state_dict().copy()", "return kept", "model.state_dict()"),
        ("if epoch > best: kept = copy.copy(model.state_dict())", "return kept", "model.state_dict()"),
        ("if epoch > best: kept = {'net': model.state_dict()}", "torch.save(kept, 'a.pt')", "model.state_dict()"),
        ("if epoch > best: kept = {k: v for k, v in model.state_dict().items()}", "return kept", "model.state_dict()"),
        ("if epoch > best: kept = model", "return kept", "model"),
        ("if epoch % 3 == 2: kept = model.state_dict()", "return kept", "model.state_dict()"),
        ("if epoch != epochs - 1: kept = model.state_dict()", "return kept", "model.state_dict()"),
        ("if epoch > best: best, kept = epoch, model.state_dict()", "return kept", "model.state_dict()"),
        ("if epoch > best: best, kept = epoch, model", "return kept", "model"),
        # A module that is kept for a record is used for what it was.
        ("if epoch > best:\n    best = epoch\n    kept = model", "evaluate(kept)", "model"),
        ("if epoch > best:\n    best = epoch\n    kept = model", "kept(torch.ones(1, 2))", "model"),
        ("if epoch > best:\n    best = epoch\n    kept = model", "model = kept", "model"),
        ("is_best = epoch > best\nbest = max(best, epoch)\nif is_best: kept = model", "evaluate(kept)", "model"),
        # What another iteration has kept is read in an iteration that keeps nothing.
        ("if epoch > best: kept = model.state_dict()\nif epoch == 8: model.load_state_dict(kept)", "return", STATE),
        ("if epoch > best: kept = model.state_dict()\ntorch.save(kept, 'a.pt')", "return", STATE),
    ],
)
def test_what_is_kept_without_a_copy_is_found(keep: str, use: str, place: str, tmp_path: Path) -> None:
    assert kept(tmp_path, keep, use) == [place]


@pytest.mark.parametrize(
    ("keep", "use"),
    [
        ("if epoch > best: kept = copy.deepcopy(model.state_dict())", "return kept"),
        ("if epoch > best: kept = {k: v.clone() for k, v in model.state_dict().items()}", "return kept"),
        ("kept = model.state_dict()", "return kept"),
        ("if epoch == epochs - 1: kept = model.state_dict()", "return kept"),
        ("if epoch > best:\n    if epoch % 3 == 2 or epoch + 1 == epochs: kept = model.state_dict()", "return kept"),
        ("if epoch > best: kept = model.state_dict()", "print(kept is None)"),
        ("if epoch > best:\n    kept = model.state_dict()\n    break", "return kept"),
        ("if epoch > best:\n    kept = model.state_dict()\n    torch.save(kept, 'a.pt')", "return model"),
        ("model = nn.Linear(2, 1)\nif epoch > best: kept = model.state_dict()", "return kept"),
        # No record: the module is exchanged on purpose.
        ("if epoch == 5: kept = model", "kept(torch.ones(1, 2))"),
        ("if epoch > best:\n    best = epoch\n    kept = model", "print(kept is None)"),
        # Each iteration that reads it has kept it just now.
        ("if epoch > best: kept = model.state_dict()\nif epoch > best: torch.save(kept, 'a.pt')", "return"),
        ("if epoch > best: kept = model.state_dict()\nelse: kept = {}\ntorch.save(kept, 'a.pt')", "return"),
        ("kept = model.state_dict()\nif epoch > best: kept = model.state_dict()\ntorch.save(kept, 'a.pt')", "return"),
        ("if epoch > best: kept = model.state_dict()\nelse: continue\ntorch.save(kept, 'a.pt')", "return"),
    ],
)
def test_what_is_copied_or_does_not_change_again_is_left_alone(keep: str, use: str, tmp_path: Path) -> None:
    assert kept(tmp_path, keep, use) == []


def test_what_a_loop_of_another_file_builds_is_no_state_of_a_round_before(tmp_path: Path) -> None:
    # The lines of the two files overlap, which says nothing.
    (tmp_path / "models.py").write_text(
        textwrap.dedent("""
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self, weights=None):
                super().__init__()
                self.body = nn.Linear(4, 4)
                if weights:
                    net = nn.Sequential(self.body)
                    state = net.state_dict()
                    state.update(torch.load(weights))
                    net.load_state_dict(state)
        """)
    )
    (tmp_path / "train.py").write_text(
        textwrap.dedent("""
        from torch import optim
        from models import Net

        def train(model, loader, weights):
            optimizer = optim.SGD(model.parameters())
            for epoch in range(10):
                for x in loader:
                    model(x).sum().backward()
                    optimizer.step()
                Net(weights).load_state_dict(model.state_dict())
        """)
    )

    assert not [*asked(state_aliases, Project(tmp_path).open(tmp_path / "models.py", "models.py"))]


SWAPPING = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head, self.best = nn.Linear(2, 1), None

    def forward(self, x): return self.head(x)

def fit(net: Net, average: nn.Linear, optimizer, path):
    for epoch in range(9):
        net(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        if epoch % 3 == 0: save(net, average, path)
        if epoch % 3 == 0:
            {inside}
    {after}

def save(net: Net, average: nn.Linear, path):
    if path:
        {swap}

fit(Net(), nn.Linear(2, 1), torch.optim.SGD([]), "net.pt")
"""
SWAPS = """
own = net.head
net.head = average
torch.save(net.state_dict(), path)
{back}
"""


def kept_in_attributes(folder: Path, inside: str = "pass", after: str = "pass", swap: str = "pass") -> list[str]:
    parts = {"inside": (inside, 12), "after": (after, 4), "swap": (swap, 8)}
    texts = {name: textwrap.indent(text.strip(), " " * width).strip() for name, (text, width) in parts.items()}
    (folder / "main.py").write_text(SWAPPING.format(**texts))
    return [one.place.text for one in asked(state_aliases, Project(folder).open(folder / "main.py", "main.py"))]


@pytest.mark.parametrize("where", ["swap", "inside"])
def test_what_is_swapped_in_and_back_before_training_goes_on_is_no_alias(tmp_path: Path, where: str) -> None:
    assert kept_in_attributes(tmp_path, **{where: SWAPS.format(back="net.head = own")}) == []


@pytest.mark.parametrize("where", ["swap", "inside"])
def test_what_is_swapped_in_and_left_there_is_one(tmp_path: Path, where: str) -> None:
    assert kept_in_attributes(tmp_path, **{where: SWAPS.format(back="print(own)")}) == ["average"]


def test_what_is_put_back_after_training_was_kept_through_it(tmp_path: Path) -> None:
    after = "net.load_state_dict(net.best)\nnet.best = None"

    assert kept_in_attributes(tmp_path, "net.best = net.state_dict()", after) == ["net.state_dict()"]


GROWING = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 1)])

    def forward(self, x): return self.layers[-1](x)

    def grow(self, layer, width):
        if width:
            {made}
            self.layers[-1] = layer

    def state(self):
        return self.layers[-1].state_dict()

def fit(net: Net, layer: nn.Linear, optimizer):
    for width in range(9):
        net.grow(layer, width)
        net(torch.ones(1, 2)).sum().backward()
        optimizer.step()

fit(Net(), nn.Linear(2, 1), torch.optim.SGD([]))
"""


@pytest.mark.parametrize(("made", "found"), [("layer = nn.Linear(2, width)", []), ("print(layer)", ["layer"])])
def test_what_the_function_makes_itself_is_another_one_each_time(tmp_path: Path, made: str, found: list[str]) -> None:
    (tmp_path / "main.py").write_text(GROWING.format(made=made))

    aliases = asked(state_aliases, Project(tmp_path).open(tmp_path / "main.py", "main.py"))

    assert [one.place.text for one in aliases] == found


@pytest.mark.parametrize(
    "keep",
    [
        "assert epoch >= 0\n    kept = model.state_dict()",
        "if epoch < 0: raise ValueError(epoch)\n    kept = model.state_dict()",
        "if epoch >= 0: pass\n    else: raise ValueError(epoch)\n    kept = model.state_dict()",
    ],
)
def test_what_only_refuses_lets_every_round_keep_its_state(keep: str, tmp_path: Path) -> None:
    assert kept(tmp_path, keep.replace("\n    ", "\n"), "return kept") == []


CALLED = """
import torch
from torch import nn

parts = {{"a": nn.Linear(3, 3), "b": nn.Linear(3, 3)}}
optimizer = torch.optim.Adam([*parts["a"].parameters(), *parts["b"].parameters()])

def save(path, warmup=None):
    {start}
    for name in parts:
        torch.save(kept, path)
        if warmup is not None:
            kept = {{**kept, name: parts[name].state_dict()}}

for epoch in range(4):
    parts["b"](parts["a"](torch.ones(2, 3))).sum().backward()
    optimizer.step()
    save("a.pt", optimizer if epoch else None)
"""


@pytest.mark.parametrize(
    ("start", "found"),
    [
        ("kept = {}", []),
        ("global kept", ["parts[name].state_dict()"]),
    ],
)
def test_a_local_of_what_a_loop_calls_is_gone_with_the_call(start: str, found: list[str], tmp_path: Path) -> None:
    code = CALLED.format(start=start)
    (tmp_path / "main.py").write_text(code)

    aliases = asked(state_aliases, Project(tmp_path).open(tmp_path / "main.py", "main.py"))

    assert [one.place.text for one in aliases] == found


WAITING = """
import torch
from torch import nn

class Stopper:
    def __init__(self):
        self.best, self.waited, self.state = 9, 0, None
    def check(self, error, model):
        {first}
        if error < self.best:
            self.best, self.waited = error, 0
            self.state = model.state_dict()
        {other}
        return self.waited > 3

def train(model, optimizer):
    stoppers = [Stopper()]
    for epoch in range(9):
        error = model(torch.ones(1, 2)).sum()
        error.backward()
        optimizer.step()
        if any(one.check(error.item(), model) for one in stoppers):
            break
train(nn.Linear(2, 1), torch.optim.SGD([]))
"""


@pytest.mark.parametrize(
    ("first", "other", "found"),
    [
        ("pass", "elif self.waited == 3:\n            model.load_state_dict(self.state)", 1),
        ("pass", "if self.waited == 3:\n            model.load_state_dict(self.state)", 1),
        ("pass", "if error < self.best:\n            model.load_state_dict(self.state)", 0),
        ("self.state = model.state_dict()", "model.load_state_dict(self.state)", 0),
        ("pass", "else:\n            self.state = model.state_dict()\n        model.load_state_dict(self.state)", 0),
    ],
)
def test_a_call_that_keeps_nothing_reads_what_an_earlier_one_kept(
    first: str, other: str, found: int, tmp_path: Path
) -> None:
    (tmp_path / "main.py").write_text(WAITING.format(first=first, other=other))

    assert len(list(asked(state_aliases, Project(tmp_path).open(tmp_path / "main.py", "main.py")))) == found


STOPPER = """
import torch
from torch import nn

class Stopper:
    def __init__(self):
        self.best, self.state = 9, None
    def __call__(self, error, model):
        if error < self.best:
            self.best = error
            self.state = model.state_dict()
        return False

def train(model, optimizer):
    stopper = Stopper()
    for epoch in range(9):
        {made}error = model(torch.ones(1, 2)).sum()
        error.backward()
        optimizer.step()
        if stopper(error.item(), model):
            break
    model.load_state_dict(stopper.state)
train(nn.Linear(2, 1), torch.optim.SGD([]))
"""


@pytest.mark.parametrize(("made", "found"), [("", 1), ("model = nn.Linear(2, 1); ", 0)])
def test_what_a_loop_makes_anew_counts_where_it_is_the_module(made: str, found: int, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(STOPPER.format(made=made))

    assert len(list(asked(state_aliases, Project(tmp_path).open(tmp_path / "main.py", "main.py")))) == found


RETURNING = """
import copy, torch
from torch import nn

class Stopper:
    def __init__(self):
        self.best, self.kept = 9, None
    def step(self, loss, model):
        if loss < self.best:
            self.best, self.kept = loss, {kept}
            return False
        return True

def train(model, optimizer):
    stopper = Stopper()
    for epoch in range(9):
        loss = model(torch.ones(1, 2)).sum()
        loss.backward()
        optimizer.step()
        if stopper.step(loss.item(), model):
            break
    model.load_state_dict(stopper.kept{read})
train(nn.Linear(2, 1), torch.optim.SGD([]))
"""


@pytest.mark.parametrize(
    ("kept", "read", "found"),
    [
        ("model.state_dict()", "", ["model.state_dict()"]),
        ("model", ".state_dict()", ["model"]),
        ("copy.deepcopy(model)", ".state_dict()", []),
        ("copy.deepcopy(model.state_dict())", "", []),
    ],
)
def test_a_stopper_that_returns_leaves_no_loop_of_its_caller(
    tmp_path: Path, kept: str, read: str, found: list[str]
) -> None:
    (tmp_path / "main.py").write_text(RETURNING.format(kept=kept, read=read))
    file = Project(tmp_path).open(tmp_path / "main.py", "main.py")

    assert [one.place.text for one in asked(state_aliases, file)] == found


RESET = """
import copy, torch
from torch import nn

def step(model, optimizer):
    for _ in range(3):
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()

def search(model, other):
    start = {kept}
    {between}
    for rate in (0.1, 0.01):
        {reset}
        step(model, torch.optim.SGD(model.parameters(), lr=rate))
search(nn.Linear(2, 1), nn.Linear(2, 1))
"""


@pytest.mark.parametrize(
    ("kept", "between", "reset", "expected"),
    [
        ("model.state_dict()", "pass", "model.load_state_dict(start)", [STATE]),
        ("model.state_dict()", "print(start)", "model.load_state_dict(start, strict=True)", [STATE]),
        ("copy.deepcopy(model.state_dict())", "pass", "model.load_state_dict(start)", []),
        ("other.state_dict()", "pass", "model.load_state_dict(start)", []),
        ("model.state_dict()", "start = torch.load('a.pt')", "model.load_state_dict(start)", []),
        ("model.state_dict()", "start.update(torch.load('a.pt'))", "model.load_state_dict(start)", []),
        ("model.state_dict()", "start['bias'] = 0", "model.load_state_dict(start)", []),
        ("model.state_dict()", "model = nn.Linear(2, 1)", "model.load_state_dict(start)", []),
        ("model.state_dict()", "model.load_state_dict(start)", "pass", []),
        ("model.state_dict()", "pass", "start = model.state_dict(); model.load_state_dict(start)", []),
    ],
)
def test_a_module_is_reset_to_what_its_steps_have_changed(
    tmp_path: Path, kept: str, between: str, reset: str, expected: list[str]
) -> None:
    (tmp_path / "main.py").write_text(RESET.format(kept=kept, between=between, reset=reset))
    found = asked(state_aliases, Project(tmp_path).open(tmp_path / "main.py", "main.py"))

    assert [one.place.text for one in found] == expected


CHUNKS = """
import torch
from torch import nn

def make():
    return nn.Linear(2, 1), nn.MSELoss()

model, criterion = make()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
kept = None
for chunks in (1, 2, 4):
    {made}
    if kept is None:
        kept = model.state_dict()
    else:
        model.load_state_dict(kept)
    criterion(model(torch.ones(1, 2)), torch.ones(1, 1)).backward()
    {step}
"""


@pytest.mark.parametrize(
    ("made", "step", "expected"),
    [
        ("pass", "optimizer.step()", [STATE]),
        # Gradients alone change no parameter.
        ("pass", "pass", []),
        ("model, criterion = make()", "torch.optim.SGD(model.parameters(), lr=0.1).step()", []),
    ],
)
def test_only_steps_change_what_is_kept_of_one_module(
    tmp_path: Path, made: str, step: str, expected: list[str]
) -> None:
    (tmp_path / "main.py").write_text(CHUNKS.format(made=made, step=step))
    found = asked(state_aliases, Project(tmp_path).open(tmp_path / "main.py", "main.py"))

    assert [one.place.text for one in found] == expected
