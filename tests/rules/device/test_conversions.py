"""Which conversions to ndarrays raise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rules.device.detectors.conversions import refused_conversions
from tests.checkout import Checkout, asked
from torchlint.model import Project
from torchlint.model.worlds import WITH_CUDA

HEAD = """\
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
moved = nn.Linear(4, 2).to(device)
still = nn.Linear(4, 2)
"""


def refused(folder: Path, body: str) -> list[tuple[str, bool]]:
    """Return the conversions of a program that raise, and whether because of the device."""
    path = folder / "main.py"
    path.write_text(HEAD + body)
    file = Project(folder).open(path, "main.py")
    return [(found.place.text, found.is_on_device) for found in asked(refused_conversions, file, WITH_CUDA)]


@pytest.mark.parametrize(
    ("conversion", "is_on_device"),
    [
        ("moved(torch.ones(4, device=device)).numpy()", True),
        ("torch.ones(4).cuda().numpy()", True),
        ("np.mean(moved(torch.ones(4, device=device)).detach())", True),
        ("np.asarray(still(torch.ones(4)))", False),
    ],
)
def test_what_is_on_a_gpu_or_requires_grad_is_refused(tmp_path: Path, conversion: str, is_on_device: bool) -> None:
    assert refused(tmp_path, f"x = {conversion}\n") == [(conversion, is_on_device)]


@pytest.mark.parametrize(
    "body",
    [
        "x = moved(torch.ones(4, device=device)).detach().cpu().numpy()\n",
        "x = moved(torch.ones(4, device=device)).numpy(force=True)\n",
        "x = torch.ones(4).numpy()\n",
        "with torch.no_grad():\n    x = still(torch.ones(4)).numpy()\n",
        "def show(out):\n    return out.numpy()\n",
        "def run(model):\n    return still(torch.ones(4)).numpy()\nwith torch.no_grad():\n    run(still)\n",
        "x = np.mean([1.0, 2.0])\n",
    ],
)
def test_what_is_copied_or_records_nothing_is_not_refused(tmp_path: Path, body: str) -> None:
    assert refused(tmp_path, body) == []


@pytest.mark.parametrize("name", ["fromiter", "iterable", "isscalar", "ndim", "shape", "size", "squeeze"])
def test_what_iterates_or_reads_attributes_converts_nothing(tmp_path: Path, name: str) -> None:
    assert refused(tmp_path, f"x = np.{name}(moved(torch.ones(4, device=device)).detach())\n") == []


def test_what_an_iterator_is_made_of_may_be_refused_before(tmp_path: Path) -> None:
    body = "x = np.fromiter(np.ravel(moved(torch.ones(4, device=device)).detach()), dtype=float)\n"

    assert refused(tmp_path, body) == [("np.ravel(moved(torch.ones(4, device=device)).detach())", True)]


CONVERTED = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(4, 4)
    def forward(self, x, lengths):
        if {test}:
            lengths = {first}
        else:
            lengths = {second}
        return x, lengths
"""


@pytest.mark.parametrize(
    ("test", "first", "second", "found"),
    [
        ("torch.is_tensor(lengths)", "lengths.cpu().numpy()", "np.array(lengths)", []),
        ("isinstance(lengths, torch.Tensor)", "lengths.cpu().numpy()", "np.array(lengths)", []),
        ("not torch.is_tensor(lengths)", "np.array(lengths)", "lengths.cpu().numpy()", []),
        ("torch.is_tensor(lengths)", "np.array(lengths)", "lengths.cpu()", [("np.array(lengths)", True)]),
        ("not torch.is_tensor(lengths)", "lengths.cpu()", "np.array(lengths)", [("np.array(lengths)", True)]),
    ],
)
def test_where_a_test_says_that_it_is_no_tensor_none_is_converted(
    tmp_path: Path, test: str, first: str, second: str, found: list[tuple[str, bool]]
) -> None:
    assert refused(tmp_path, CONVERTED.format(test=test, first=first, second=second)) == found


SPLIT = """\
def least(x, sizes):
    {use}
    return np.min(sizes)

class Net(nn.Module):
    def forward(self, x, sizes):
        return least(x * 2, {given})
"""


@pytest.mark.parametrize(
    ("use", "given", "is_found"),
    [
        ("parts = torch.split(x, sizes, 0)", "sizes", False),
        ("parts = x.split(sizes)", "sizes", False),
        ("parts = torch.split(x, split_size_or_sections=sizes)", "sizes", False),
        ("count = torch.tensor(sizes, dtype=torch.int64).to(x.device)", "sizes", False),
        ("parts = torch.split(sizes, 2)", "sizes", True),
        ("parts = sizes.split(2)", "sizes", True),
        ("parts = torch.split(x, 2)", "sizes", True),
        ("count = torch.tensor(sizes)", "sizes.cuda()", True),
        ("sizes = torch.tensor(sizes).to(device)", "sizes", True),
    ],
)
def test_what_is_given_where_numbers_are_wanted_is_a_list_unless_it_was_moved(
    tmp_path: Path, use: str, given: str, is_found: bool
) -> None:
    found = refused(tmp_path, SPLIT.format(use=use, given=given))

    assert found == ([("np.min(sizes)", True)] if is_found else [])


CALLED = """\
class Net(nn.Module):
    def forward(self, x, sizes):
        return x * np.prod(sizes)

def main(loader, given):
    net = Net()
    for x, y in loader:
        net(x.cuda(), {passed})
"""


@pytest.mark.parametrize(
    ("passed", "is_found"),
    [("[1, 2]", False), ("(2, 3)", False), ("x.shape", False), ("len(x)", False), ("y.cuda()", True), ("given", True)],
)
def test_what_a_module_is_called_with_is_a_tensor_unless_a_call_says_otherwise(
    tmp_path: Path, passed: str, is_found: bool
) -> None:
    found = refused(tmp_path, CALLED.format(passed=passed))

    assert found == ([("np.prod(sizes)", True)] if is_found else [])


ROUNDS = """\
class Layer(nn.Module):
    def forward(self, x, height):
        rows = int(np.ceil(height / 7))
        return x * rows, height

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Layer() for _ in range(3)])

    def forward(self, x):
        height = {first}
        for layer in self.layers:
            x, height = layer(x, height)
        return x
"""


@pytest.mark.parametrize(("first", "is_found"), [("x.size(2)", False), ("7", False), ("x[:, 0]", True)])
def test_what_is_computed_of_numbers_that_modules_hand_on_is_a_number(
    tmp_path: Path, first: str, is_found: bool
) -> None:
    found = refused(tmp_path, ROUNDS.format(first=first))

    assert found == ([("np.ceil(height / 7)", True)] if is_found else [])


CRITIC = """\
class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Linear(4, 8), nn.Linear(8, 1)
    def value(self, x):
        return self.out(torch.relu(self.hidden(x)))
    def gain(self, states, rewards):
        return (rewards - self.value(states)).detach().numpy()
"""
GAIN = ".gain(torch.rand(5, 4), torch.rand(5, 1))"


@pytest.mark.parametrize(
    ("program", "is_refused"),
    [
        (f"print(Critic(){GAIN})\n", False),
        (f"critic = Critic()\nprint(critic{GAIN})\n", False),
        (f"critic = Critic().cpu()\nprint(critic{GAIN})\n", False),
        (f"critic = Critic().cuda()\nprint(critic{GAIN})\n", True),
        (f"if __name__ == '__main__':\n    print(Critic(){GAIN})\n", True),
        ("", True),
    ],
    ids=["made there", "kept", "on the host", "moved", "imported", "for others"],
)
def test_what_a_module_makes_that_nobody_moves_is_on_the_host(tmp_path: Path, program: str, is_refused: bool) -> None:
    (tmp_path / "other.py").write_text("import torch\nmodel = torch.nn.Linear(2, 2).cuda()\n")
    path = tmp_path / "main.py"
    path.write_text(f"import torch\nfrom torch import nn\n{CRITIC}{program}")
    file = Project(tmp_path).open(path, "main.py")
    found = [one.place.text for one in asked(refused_conversions, file, WITH_CUDA)]

    assert found == ["(rewards - self.value(states)).detach().numpy()"] * is_refused


SWITCHED = """\
use_cuda = {switch}
net = nn.Linear(4, 2)
if use_cuda:
    net.cuda()
{otherwise}
def train(x):
    out = net(x.cuda() if use_cuda else x)
    return out.detach().numpy()
train(torch.ones(4))
"""


@pytest.mark.parametrize(
    ("switch", "otherwise", "is_refused"),
    [
        ("False", "", False),
        ("False", "else:\n    net.cuda()", True),
        ("True", "", True),
        ("torch.cuda.is_available()", "", True),
        ("torch.cuda.is_available()", "else:\n    net.cpu()", True),
        ("not torch.cuda.is_available()", "", False),
    ],
)
def test_a_move_that_never_runs_moves_nothing(tmp_path: Path, switch: str, otherwise: str, *, is_refused: bool) -> None:
    assert bool(refused(tmp_path, SWITCHED.format(switch=switch, otherwise=otherwise))) is is_refused


MODULE = """\
class Of(nn.Module):
    def __init__(self):
        super().__init__()
        self.labels = ["a", "b"]
        {more}
    def forward(self, x):
        return self.read(x.argmax(dim=-1))
    def read(self, x):
        return [self.labels[i] for i in x.numpy()]
{used}
"""


@pytest.mark.parametrize(
    ("more", "used", "is_refused"),
    [
        ("pass", "", False),
        ("pass", "Of()(torch.ones(4))", False),
        ("self.cut = nn.Softmax(dim=-1)", "made = nn.Sequential(Of())", False),
        ("pass", "of = Of()\nof(moved(torch.ones(4, device=device)))", True),
        ("self.layer = nn.Linear(4, 2)", "", True),
        ("self.register_buffer('mean', torch.ones(4))", "", True),
    ],
    ids=["called by nobody", "on the host", "of an activation", "on the device", "with a layer", "with a buffer"],
)
def test_where_a_module_has_nothing_to_move_its_callers_tell(
    tmp_path: Path, more: str, used: str, *, is_refused: bool
) -> None:
    assert bool(refused(tmp_path, MODULE.format(more=more, used=used))) is is_refused


@pytest.mark.parametrize(
    ("call", "is_refused"),
    [
        ("moved.forward(torch.ones(4, device=device))", True),
        ("kept.forward(torch.ones(4))", False),
        ("nn.Linear(4, 2).to('cpu').forward(torch.ones(4))", False),
        ("nn.Linear(4, 2).cuda().forward(torch.ones(4).cuda())", True),
    ],
)
def test_forward_of_a_layer_returns_what_calling_it_does(tmp_path: Path, call: str, *, is_refused: bool) -> None:
    body = f"kept = nn.Sequential(nn.Linear(4, 2)).to('cpu')\nx = {call}.detach().numpy()\n"

    assert bool(refused(tmp_path, body)) is is_refused


ASKED = """\
def convert(out):
    {code}

tracked = torch.ones(4, requires_grad=True)
{call}
"""
PLAIN = "return out.cpu().numpy()"


@pytest.mark.parametrize(
    ("code", "call", "is_refused"),
    [
        (PLAIN, "convert(tracked)", True),
        ("return out.detach().numpy() if out.requires_grad else out.numpy()", "convert(tracked)", False),
        ("return out.numpy() if not out.requires_grad else out.detach().numpy()", "convert(tracked)", False),
        (
            "if out.requires_grad:\n        return out.detach().numpy()\n    return out.numpy()",
            "convert(tracked)",
            False,
        ),
        (
            "if not out.requires_grad:\n        return np.mean(out)\n    return np.mean(out.detach())",
            "convert(tracked)",
            False,
        ),
        ("if out.requires_grad:\n        out = out.detach()\n    return out.numpy()", "convert(tracked)", False),
        ("has = out.requires_grad\n    return out.detach().numpy() if has else out.numpy()", "convert(tracked)", False),
        ("return out.numpy() if out.grad_fn is None else out.detach().numpy()", "convert(tracked)", False),
        (PLAIN, "convert(tracked) if not tracked.requires_grad else None", False),
        ("return out.numpy() if out.requires_grad else out.detach().numpy()", "convert(tracked)", True),
        ("has = out.requires_grad\n    return out.numpy() if has else out.detach().numpy()", "convert(tracked)", True),
        ("return out.numpy() if out.dim() else out.detach().numpy()", "convert(tracked)", True),
    ],
)
def test_a_test_of_the_graph_decides_what_is_converted(
    tmp_path: Path, code: str, call: str, *, is_refused: bool
) -> None:
    assert bool(refused(tmp_path, ASKED.format(code=code, call=call))) is is_refused


FLAGGED = """
class Sampler:
    def __init__(self, config):
        self.config, self.use_cuda, self.multi_gpu = config, config["cuda"], config["many"]
        self.net = nn.Linear(4, 2)
        self.net.cuda()

    def sample(self, rows):
        out = self.net(rows.cuda()).data
        return {conversion}
"""


@pytest.mark.parametrize(
    ("conversion", "is_refused"),
    [
        ("out.cpu().numpy() if self.config['cuda'] else out.numpy()", False),
        ("out.cpu().numpy() if self.config.get('use_gpu') else out.numpy()", False),
        ("out.numpy() if not self.use_cuda else out.cpu().numpy()", False),
        ("out.numpy() if self.config['cpu'] else out.cpu().numpy()", False),
        ("out.numpy() if self.config['cuda'] else out.cpu().numpy()", True),
        ("out.numpy() if self.use_cuda else out.cpu().numpy()", True),
        ("out.cpu().numpy() if self.multi_gpu else out.numpy()", True),
        ("out.cpu().numpy() if self.config['verbose'] else out.numpy()", True),
    ],
)
def test_a_flag_that_means_the_host_decides_what_is_converted(
    tmp_path: Path, conversion: str, *, is_refused: bool
) -> None:
    assert bool(refused(tmp_path, FLAGGED.format(conversion=conversion))) is is_refused


BY_FLAG = """
class Sampler:
    def __init__(self, config):
        self.config = config
        self.net = nn.Linear(4, 2)
        {moved}

    def sample(self, rows):
        if self.config["fast"]:
            rows = rows.cuda()
        out = self.net(rows.to(device)).data
        return {conversion}
"""
CHOSEN = "out.cpu().numpy() if self.config['fast'] else out.numpy()"


@pytest.mark.parametrize(
    ("moved", "conversion", "is_refused"),
    [
        ("if config['fast']: self.net.cuda()", CHOSEN, False),
        ("if config.get('fast'): self.net = self.net.to('cuda')", CHOSEN, False),
        ("if not config['fast']: return\n        self.net.to(device)", CHOSEN, False),
        (
            "if config['gpu'] >= 0: self.net.cuda()",
            "out.numpy() if self.config['gpu'] < 0 else out.cpu().numpy()",
            False,
        ),
        (
            "if config['gpu'] >= 0: self.net.cuda()",
            "out.numpy() if self.config['gpu'] > 0 else out.cpu().numpy()",
            True,
        ),
        ("self.net.cuda()", CHOSEN, True),
        ("if not config['fast']: self.net.cuda()", CHOSEN, True),
        ("if config['fast']: self.net.cuda()\n        else: self.net.to(device)", CHOSEN, True),
    ],
)
def test_a_flag_under_which_a_module_is_moved_decides_what_is_converted(
    tmp_path: Path, moved: str, conversion: str, *, is_refused: bool
) -> None:
    assert bool(refused(tmp_path, BY_FLAG.format(moved=moved, conversion=conversion))) is is_refused


ACTING = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.scale = nn.Linear(4, 2), nn.Parameter(torch.ones(2))

    def forward(self, rows):
        return self.layer(rows)

    def best(self, rows):
        return self.forward(rows).argmax(1)

    def scaled(self):
        return self.scale * 2

class Agent:
    def __init__(self):
        self.net = Net()

    def act(self, rows):
        return {result}.detach().numpy()

    def learn(self, rows, where):
        self.net.to(where)
        self.net(rows.to(where)).mean().backward()
        self.net.to("cpu")

agent = Agent()
agent.learn(torch.ones(2, 4), device)
agent.act(torch.ones(2, 4))
left = Net()
print({other})
"""


@pytest.mark.parametrize("result", ["self.net(rows)", "self.net.best(rows)"])
def test_what_takes_inputs_on_the_host_is_there_or_raises_before(tmp_path: Path, result: str) -> None:
    assert refused(tmp_path, ACTING.format(result=result, other="1")) == []


@pytest.mark.parametrize("other", ["left.scaled().detach().numpy()", "left.best(rows_of(3)).numpy()"])
def test_a_method_of_a_module_that_nobody_moves_returns_nothing_on_a_gpu(tmp_path: Path, other: str) -> None:
    assert refused(tmp_path, ACTING.format(result="self.net(rows)", other=other)) == []


INPUTS = """\
import numpy as np
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)
    def forward(self, rows):
        {loop}
            y = np.random.choice(row, 2)

net = Net().to("cuda" if torch.cuda.is_available() else "cpu")
net({rows})
"""
LOOPS = ["for row in rows:", "for i, row in enumerate(rows):", "for i in range(2):\n            row = rows[i]"]


@pytest.mark.parametrize("loop", LOOPS)
def test_the_items_of_a_list_that_a_module_is_given_are_as_they_were_put_there(
    program: Callable[[str], Checkout], loop: str
) -> None:
    code = INPUTS.format(loop=loop, rows="[np.arange(4), np.arange(5)]")

    assert program(code).reported("numpy-of-device-tensor") == []


@pytest.mark.parametrize("loop", LOOPS)
def test_the_rows_of_a_tensor_that_a_module_is_given_are_on_its_device(
    program: Callable[[str], Checkout], loop: str
) -> None:
    code = INPUTS.format(loop=loop, rows="torch.zeros(2, 4).cuda()")

    assert program(code).reported("numpy-of-device-tensor") == ["y = np.random.choice(row, 2)"]
