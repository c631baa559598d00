"""What is known to be on the host, and what of that reaches the rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model.values.value_sets import HOST, Device, Tensor, Unknown

ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]
Program: TypeAlias = Callable[[str], Checkout]

HEAD = "import torch\nfrom torch import nn\nfrom elsewhere import given\nwhat = given()\n"


def devices_of(program: Program, text: str) -> set[object]:
    values = program(f"{HEAD}{text}\nresult = x\nresult").values("result")
    return {value.device if isinstance(value, Tensor) else value for value in values}


@pytest.mark.parametrize(
    "code",
    [
        "x = torch.ones(3) * what",
        "x = what - torch.ones(3)",
        "x = (torch.ones(3) + what).sum() * what",
        "x = torch.randn(3, 4).pow(2).mean() / what.scale",
        "x = nn.Linear(2, 2)(torch.ones(3, 2)).sum()",
        "x = torch.cat((what, torch.zeros(1, 3)))",
        "x = torch.stack(tensors=[what, torch.zeros(3)], dim=0)",
        "x = torch.ones(3)\nfor _ in range(3):\n    x = x * what",
        "def make(n, device=None):\n    return torch.ones(n).to(device)\nx = make(3)",
        "def make(n, device=None):\n    return torch.ones(n, device=device)\nx = make(3)",
    ],
)
def test_what_has_dimensions_on_the_host_meets_only_its_like(program: Program, code: str) -> None:
    assert devices_of(program, code) == {HOST}


@pytest.mark.parametrize(
    "code",
    [
        "x = torch.tensor(0.0) + what",
        "x = torch.tensor(0.5) * what",
        "x = torch.ones(3).sum() + what",
        "x = torch.ones(3).cuda() * what",
        "x = torch.cat((what, torch.ones(3).cuda()))",
        "x = nn.DataParallel(nn.Linear(2, 2))(torch.ones(3, 2))",
    ],
)
def test_a_number_on_the_host_may_meet_what_is_on_a_device(program: Program, code: str) -> None:
    assert HOST not in devices_of(program, code)


METER = """\
class Meter:
    def __init__(self):
        self.sum = {start}
    def update(self, value):
        self.sum += value
meter = Meter()
meter.update(what)
x = meter.sum
"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = torch.tensor(0.0)\nx += what", {HOST}),
        ("x = torch.tensor(0.0)\nfor one in what:\n    x *= one\nx -= 1", {HOST}),
        ("x = torch.tensor(0.0).cuda()\nx += what", {Device("cuda")}),
        ("x = torch.tensor(0.0).cuda()\nx += torch.tensor(1.0)", {Device("cuda")}),
        ("x = given(torch.tensor(0.0))\nx += what", {Unknown()}),
        ("x = what.detach()\nx += torch.tensor(1.0)", {None}),
        ("x = 0.0\nx += what.detach()", {None}),
        (METER.format(start="torch.tensor(0.0)"), {HOST}),
        (METER.format(start="what"), {Unknown()}),
    ],
)
def test_what_is_added_to_a_tensor_does_not_move_it(program: Program, code: str, expected: set[object]) -> None:
    assert devices_of(program, code) == expected


@pytest.mark.parametrize(("log", "expected"), [("torch.zeros(3)", {HOST}), ("torch.zeros(3).cuda()", {Device("cuda")})])
def test_what_may_be_anything_else_does_not_meet_the_tensor_that_it_may_be(
    program: Program, log: str, expected: set[object]
) -> None:
    code = f"log = {log}\nif what:\n    log = given()\nx = 3.5 < log"

    assert devices_of(program, code) == expected


def test_callers_that_leave_a_parameter_to_its_default_count_as_one(program: Program) -> None:
    text = "def run(x, device='cpu'):\n    return device\n" + "run(1)\n" * 30

    assert program(text).literals("device") == ["cpu"]


METER = """\
class Meter:
    def update(self, **values):
        for name, value in values.items():
            if isinstance(value, torch.Tensor):
                value = value.item()"""


@pytest.mark.parametrize(("value", "is_read"), [("3.0", False), ("len('ab')", False), ("given()", True)])
def test_a_meter_that_is_given_numbers_alone_reads_no_tensor(program: Program, value: str, is_read: bool) -> None:
    code = f"""\
{HEAD}
{METER}
model, meter = nn.Linear(2, 2).cuda(), Meter()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in given():
    loss = model(x).sum()
    loss.backward()
    optimizer.step()
    meter.update(loss={value}, rate=optimizer.param_groups[0]["lr"])
"""

    assert bool(program(code).reported("item-in-training-loop")) is is_read


@pytest.mark.parametrize(("value", "is_read"), [("3.0", False), ("loss", True), ("given()", True)])
def test_callers_past_those_that_are_looked_at_say_nothing(program: Program, value: str, is_read: bool) -> None:
    code = f"""\
{HEAD}
{METER}
model, meter = nn.Linear(2, 2).cuda(), Meter()
for x in given():
    loss = model(x).sum()
    loss.backward()
    meter.update(loss={value})
""" + "".join(f"    meter.update(rate_{number}={number}.5)\n" for number in range(15))

    assert bool(program(code).reported("item-in-training-loop")) is is_read


@pytest.mark.parametrize(("value", "is_read"), [("x.size(0)", False), ("loss", True)])
def test_more_numbers_than_anybody_reads_are_no_tensor(program: Program, value: str, is_read: bool) -> None:
    given = [", ".join(f"n{row}{n}=x.size({n})" for n in range(7)) for row in range(3)]
    code = f"""\
{HEAD}
{METER}
model, meter = nn.Linear(2, 2).cuda(), Meter()
for x in given():
    loss = model(x).sum()
    loss.backward()
    meter.update(loss={value})
""" + "".join(f"    meter.update({one})\n" for one in given)

    assert bool(program(code).reported("item-in-training-loop")) is is_read


@pytest.mark.parametrize(("value", "is_read"), [("loss.item()", False), ("loss", True)])
def test_an_item_of_what_was_summed_up_and_divided_is_a_number(program: Program, value: str, is_read: bool) -> None:
    code = f"""\
{HEAD}
{METER}
def mean_loss(outputs):
    total, terms = 0, 0
    for one in outputs.chunk(2):
        total += one.mean()
        terms += 1
    total /= terms
    return total
model, meter = nn.Linear(2, 2).cuda(), Meter()
for x in given():
    loss = mean_loss(model(x))
    loss.backward()
    meter.update(loss={value})
"""

    assert ("value = value.item()" in program(code).reported("item-in-training-loop")) is is_read


@pytest.mark.parametrize(
    ("keys", "test", "is_asked"),
    [
        ("batch.keys()", "key != 'name'", False),
        ("batch.keys()", "not key.startswith('name')", False),
        ("batch", "key != 'name'", False),
        ("batch.keys()", "batch[key] > 0", True),
        ("batch", "key > 0", True),
    ],
)
def test_the_keys_of_a_batch_are_not_on_the_device(program: Program, keys: str, test: str, is_asked: bool) -> None:
    code = f"""\
{HEAD}
class Units(torch.utils.data.Dataset):
    def __getitem__(self, index):
        return {{"units": torch.randn(10).cuda(), "name": "a"}}
model = nn.Linear(10, 2).cuda()
for batch in torch.utils.data.DataLoader(Units()):
    for key in {keys}:
        if {test}:
            print(key)
    model(batch["units"]).sum().backward()
"""

    assert bool(program(code).reported("tensor-branch-in-training-loop")) is is_asked


def test_what_waits_for_futures_need_not_be_tensors(program: Program) -> None:
    values = program(HEAD + "torch.futures.wait_all([])").values("torch.futures.wait_all([])")

    assert not any(isinstance(one, Tensor) for one in values)


KEPT = """\
import torch
from torch import nn

class {name}(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(4, 1)

    def forward(self, x, lengths):
        return self.score(x).masked_fill(torch.arange(x.shape[1])[None, :] >= lengths[:, None], 0.0)

def {load}():
    model = {name}()
    model.load_state_dict(torch.load("w.pt", map_location="cpu"))
    return model

def rate(signal):
    return {load}()(torch.from_numpy(signal), torch.tensor([3, 4]))
"""


@pytest.mark.parametrize(
    ("name", "load", "reported"), [("_Rater", "_load", False), ("Rater", "_load", True), ("_Rater", "load", True)]
)
def test_a_private_module_of_a_file_that_moves_nothing_stays_on_the_host(
    project_of: ProjectOf, name: str, load: str, *, reported: bool
) -> None:
    project = project_of(
        {
            "rating.py": KEPT.format(name=name, load=load),
            "main.py": "from rating import rate\ndevice = 'cuda'\n",
        }
    )

    assert bool(project.reported("default-device-tensor", "rating.py")) is reported


PAIR = """
import torch
from torch import nn
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
    def forward(self, x):
        x = self.fc(x)
        return {returned}
net = Net(){moved}
out = net(torch.ones(1, 4, device={device}))
{taken}.detach().numpy()
"""


@pytest.mark.parametrize(
    ("returned", "taken"), [("x", "out"), ("x, x", "out[0]"), ("x, (x, 1)", "out[1][0]"), ("(x, x)", "out[-1]")]
)
def test_what_a_module_returns_is_where_the_module_is(program: Program, returned: str, taken: str) -> None:
    stays = program(PAIR.format(returned=returned, taken=taken, moved="", device="'cpu'"))
    assert stays.reported("numpy-of-device-tensor") == []

    moves = program(PAIR.format(returned=returned, taken=taken, moved=".to(device)", device="device"))
    assert moves.reported("numpy-of-device-tensor") == [f"{taken}.detach().numpy()"]


GIVEN = """\
import torch
from torch import nn
from elsewhere import given
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(5, 5)
    def forward(self, x, state):
        out, state = self.rnn(x.view(1, 1, 5), state)
        return state, {returned}
net, state = Net(), torch.zeros(1, 1, 5)
for _ in range(3):
    state, out = net({x}, state)
    out
"""


@pytest.mark.parametrize(
    ("x", "returned", "device"),
    [
        ("torch.ones(5)", "out.view(-1, 5)", HOST),
        ("torch.ones(5)", "out.cuda()", Device("cuda")),
        ("given()", "out.view(-1, 5)", None),
    ],
)
def test_what_a_module_makes_of_tensors_on_the_host_is_there_in_tuples_too(
    program: Program, x: str, returned: str, device: Device | None
) -> None:
    values = program(GIVEN.format(x=x, returned=returned) + "result = out\nresult\n").values("result")

    assert {one.device for one in values if isinstance(one, Tensor)} == {device}


LIKE = """\
import torch
from elsewhere import given
x = torch.zeros(3)
gpu = torch.device("cuda")
options = given()
made = {made}
made
"""


@pytest.mark.parametrize(
    ("made", "device"),
    [
        ("torch.ones_like(x)", HOST),
        ("x.new_zeros(3)", HOST),
        ("torch.ones_like(x, device=None)", HOST),
        ("torch.ones_like(x, device=gpu)", Device("cuda")),
        ("x.new_zeros(3, device=gpu)", Device("cuda")),
        ("x.new_tensor([3.0], device='cuda:1')", Device("cuda", 1)),
        ("options.new_zeros(3, device=gpu)", Device("cuda")),
        ("torch.ones_like(x, **options)", None),
        ("torch.ones_like(x, device=options)", None),
    ],
)
def test_what_is_made_like_another_is_where_it_is_asked_for(program: Program, made: str, device: Device | None) -> None:
    (value,) = program(LIKE.format(made=made)).values("made")

    assert isinstance(value, Tensor)
    assert value.device == device


_LENGTHS = """\
import torch
from torch import nn
class Mask(nn.Module):
    def forward(self, x, lengths):
        mask = torch.zeros_like(x)
        for row, length in zip(mask, lengths):
            row[: {read}] = 1
        return x * mask
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.out, self.mask = nn.Linear(6, 6), Mask()
    def sizes(self, lengths):
        return ((lengths + 1) // 2).int()
    def forward(self, x, lengths):
        lengths = {copied}
        return self.mask(self.out(x), {passed})
net = Net().cuda()
optimizer = torch.optim.SGD(net.parameters(), 0.1)
for rows in torch.rand(4, 2, 6).cuda():
    optimizer.zero_grad()
    net(rows, torch.tensor([5, 6], device="cuda")).mean().backward()
    optimizer.step()
"""


@pytest.mark.parametrize("read", ["length.item()", "int(length)"])
@pytest.mark.parametrize(
    ("copied", "passed", "is_waiting"),
    [
        ("lengths.cpu().int()", "self.sizes(lengths)", False),
        ("lengths.cpu()", "lengths", False),
        ("lengths.tolist()", "torch.tensor(lengths)", False),
        ("lengths.int()", "self.sizes(lengths)", True),
        ("lengths.cpu()", "self.sizes(lengths).to(x.device)", True),
    ],
)
def test_what_every_step_passes_on_the_host_is_read_without_waiting(
    program: Program, read: str, copied: str, passed: str, is_waiting: bool
) -> None:
    reported = program(_LENGTHS.format(read=read, copied=copied, passed=passed)).reported("item-in-training-loop")

    assert [line for line in reported if "row[" in line] == [f"row[: {read}] = 1"] * is_waiting


PROSE = {
    "a docstring": ('"""Moves it with net.cuda() to the device."""', False),
    "code in quotes": ("'''\nnet = Net().to(\"cuda\")\n'''", False),
    "the docstring of a function": ('def f(x):\n    """To the GPU: x.cuda()"""\n    return x', False),
    "a string that is passed": ('Net().to("cuda")', True),
    "a string with a name": ('gpu = "cuda"', True),
    "both": ('"""Moves it with net.cuda()."""\nNet().cuda()', True),
}
NET = """\
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 3)
    def forward(self, x):
        state = torch.zeros(1, x.size(1), 3)
        return self.lstm(x, (state, state))
"""


@pytest.mark.parametrize(("text", "is_found"), PROSE.values(), ids=PROSE)
def test_prose_moves_nothing(project_of: ProjectOf, text: str, is_found: bool) -> None:
    checkout = project_of({"net.py": NET, "main.py": f"from net import Net\n{text}\nprint(Net())\n"})

    assert bool(checkout.findings("default-device-tensor", "net.py")) is is_found
