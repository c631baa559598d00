"""Which tensors are left on the host, and meet something on the device."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent, indent

import pytest

from rules.device.detectors.misplaced import MisplacedKind, misplaced_tensors
from tests.checkout import asked
from torchlint.model import Project
from torchlint.model.worlds import WITH_CUDA

HEAD = """\
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset, random_split

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
loader = DataLoader(TensorDataset(torch.randn(8, 4), torch.randint(2, (8,))), batch_size=4)
"""


def misplaced(folder: Path, body: str, name: str = "main.py") -> list[tuple[str, str]]:
    """Return the kinds and texts of what a program leaves on the host."""
    path = folder / name
    path.write_text(HEAD + dedent(body))
    file = Project(folder).open(path, name)
    kinds: tuple[MisplacedKind, ...] = ("attribute", "factory", "batch", "other")
    return [(kind, found.place.text) for kind in kinds for found in asked(misplaced_tensors, file, WITH_CUDA, kind)]


def in_forward(*lines: str, before: str = "pass") -> str:
    """Return a module with a linear layer, whose `forward` takes `x` and `mask`."""
    head = f"class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        {before}\n"
    head += "        self.layer = nn.Linear(4, 4)\n\n    def forward(self, x, mask):\n"
    return head + "".join(f"        {line}\n" for line in lines)


@pytest.mark.parametrize(
    "body",
    [
        "model = nn.Linear(4, 2).to(device)\nfor x, y in loader:\n    model(x)\n",
        "model = nn.Linear(4, 2)\nmodel.cuda()\nx, y = next(iter(loader))\nmodel(x)\n",
        "model = nn.Linear(4, 2)\nif torch.cuda.is_available():\n    model.cuda()\nfor x, y in loader:\n    model(x)\n",
        "model = nn.Linear(4, 2).to(device)\ndef run():\n    for x, y in loader:\n        model(x)\nrun()\n",
        "def run(model, x):\n    return model(x)\nfor x, y in loader:\n    run(nn.Linear(4, 2).cuda(), x)\n",
        "def build():\n    return nn.Linear(4, 2).to(device), nn.L1Loss()\nmodel, loss = build()\n"
        "for x, y in loader:\n    model(x)\n",
        "class T:\n    def __init__(self, m):\n        self.m = m.to(device)\n    def run(self):\n"
        "        for x, y in loader:\n            self.m(x)\nT(nn.Linear(4, 2)).run()\n",
        "class T:\n    def __init__(self, m):\n        self.m = m\n        self.m.to(device)\n    def run(self):\n"
        "        for x, y in loader:\n            self.m(x)\nT(nn.Linear(4, 2)).run()\n",
    ],
)
def test_a_batch_that_a_moved_model_is_given_is_left_behind(tmp_path: Path, body: str) -> None:
    assert misplaced(tmp_path, body) == [("batch", "x")]


@pytest.mark.parametrize(
    "body",
    [
        "model = nn.Linear(4, 2)\nfor x, y in loader:\n    model(x)\n",
        "model = nn.DataParallel(nn.Linear(4, 2)).to(device)\nfor x, y in loader:\n    model(x)\n",
        "from torch.nn.parallel import DistributedDataParallel as DDP\n"
        "model = DDP(nn.Linear(4, 2).cuda(0), device_ids=[0])\n"
        "for x, y in loader:\n    model(x)\n",
        "model = nn.Linear(4, 2).to('cpu')\nfor x, y in loader:\n    model(x)\n",
        "model = nn.Linear(4, 2).to(torch.float64)\nfor x, y in loader:\n    model(x)\n",
        "model = nn.Linear(4, 2).to(device)\nfor x, y in loader:\n    x = x.to(device)\n    model(x)\n",
        "model = nn.Linear(4, 2).to(device)\nmodel.cpu()\nfor x, y in loader:\n    model(x)\n",
        "model = nn.Linear(4, 2).to(device)\nif not torch.cuda.is_available():\n    for x, y in loader:\n"
        "        model(x)\n",
        "model = nn.Linear(4, 2).to(device)\nfor x, y in accelerator.prepare(loader):\n    model(x)\n",
        "model = nn.Linear(4, 2).to(device)\nfor x, y in loader:\n    if args.cuda:\n        x = x.cuda()\n"
        "    model(x)\n",
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.layer = nn.Linear(4, 2)\n"
        "    def forward(self, x):\n        return self.layer(x.to(device))\nmodel = Net().to(device)\n"
        "for x, y in loader:\n    model(x)\n",
        "torch.set_default_device('cuda')\nmodel = nn.Linear(4, 2).to(device)\nfor x, y in loader:\n    model(x)\n",
    ],
)
def test_a_batch_that_somebody_moves_or_nobody_needs_to_move_is_right(tmp_path: Path, body: str) -> None:
    assert misplaced(tmp_path, body) == []


@pytest.mark.parametrize(
    "dataset",
    [
        "class Own(Dataset):\n    def __getitem__(self, i):\n        return torch.randn(4).to(device)\ndata = Own()\n",
        "data = TensorDataset(torch.randn(8, 4).to(device))\n",
        "class Own(Dataset):\n    def __init__(self, x):\n        self.x = x\n    def __getitem__(self, i):\n"
        "        return self.x[i]\ndata = Own(torch.randn(8, 4).to(device))\n",
        "data = torch.randn(8, 4, device=device)\n",
        "data, more = random_split(TensorDataset(torch.randn(8, 4, device=device)), [6, 2])\n",
        "data = random_split(torch.randn(8, 4, device=device), [6, 2])[0]\n",
    ],
)
def test_batches_of_a_data_set_on_the_device_are_on_the_device(tmp_path: Path, dataset: str) -> None:
    body = dataset + "model = nn.Linear(4, 2).to(device)\nfor batch in DataLoader(data):\n    model(batch)\n"

    assert misplaced(tmp_path, body) == []


def test_batches_of_a_part_of_what_is_on_the_host_are_there(tmp_path: Path) -> None:
    data = "data, more = random_split(TensorDataset(torch.randn(8, 4)), [6, 2])\n"
    body = data + "model = nn.Linear(4, 2).to(device)\nfor (x,) in DataLoader(data):\n    model(x)\n"

    assert misplaced(tmp_path, body) == [("batch", "x")]


@pytest.mark.parametrize(
    ("given", "is_left"), [("", False), ("None", False), ("device", True), ("device=device", True)]
)
def test_a_constructor_that_moves_when_it_is_told_where(tmp_path: Path, given: str, is_left: bool) -> None:
    body = f"""
        class Net(nn.Module):
            def __init__(self, device=None):
                super().__init__()
                self.layer = nn.Linear(4, 2)
                if device is not None:
                    self.to(device)

            def forward(self, x):
                return self.layer(x)

        model = Net({given})
        for x, y in loader:
            model(x)
        """

    assert misplaced(tmp_path, body) == [("batch", "x")] * is_left


def test_the_file_that_moves_the_model_may_be_another_one(tmp_path: Path) -> None:
    (tmp_path / "network.py").write_text(
        "import torch\nfrom torch import nn\n\ndef build(device):\n    model = nn.Linear(4, 2)\n"
        "    return model.to(device)\n"
    )
    body = "from network import build\nmodel = build(device)\nfor x, y in loader:\n    model(x)\n"

    assert misplaced(tmp_path, body) == [("batch", "x")]


@pytest.mark.parametrize(
    ("move", "is_moved"),
    [
        ("model.to(device)", True),
        ("model.to(device).eval()", True),
        ("model.eval().cuda()", True),
        ("model.cpu().train().cuda().half()", True),
        ("model.cuda().cpu()", False),
        ("model.deployed().to(device)", False),
        ("other.to(device).eval()", False),
    ],
)
@pytest.mark.parametrize("holder", ["{model}", "self.{model}"])
def test_a_chain_of_calls_moves_a_model_where_its_last_move_does(
    tmp_path: Path, move: str, is_moved: bool, holder: str
) -> None:
    model = holder.format(model="model")
    lines = [
        f"{model} = nn.Linear(4, 2)",
        move.replace("model.", f"{model}."),
        "for x, y in loader:",
        f"    {model}(x)",
    ]
    body = "\n".join(lines) + "\n"
    if "self" in holder:
        body = "class Run:\n    def train(self, loader):\n" + indent(body, " " * 8) + "Run().train(loader)\n"

    assert misplaced(tmp_path, body) == [("batch", "x")] * is_moved


def test_the_target_of_a_wrapped_model_is_left_behind_though_the_wrapper_moves_its_inputs(tmp_path: Path) -> None:
    body = (
        "model = nn.DataParallel(nn.Linear(4, 2).to(device))\nfor x, y in loader:\n    F.cross_entropy(model(x), y)\n"
    )

    assert misplaced(tmp_path, body) == [("batch", "y")]


@pytest.mark.parametrize(
    ("own", "found"),
    [
        ("    def scatter(self, inputs, kwargs, device_ids):\n        return [inputs[0].to(0)], [kwargs]\n", []),
        ("    def describe(self):\n        return 1\n", [("batch", "x")]),
    ],
    ids=["scatters in its own way", "scatters as ever"],
)
@pytest.mark.parametrize("base", ["nn.DataParallel", "nn.parallel.DistributedDataParallel"])
def test_what_a_wrapper_with_a_scatter_of_its_own_may_be_given_is_no_input_for_the_module_alone(
    tmp_path: Path, base: str, own: str, found: list[tuple[str, str]]
) -> None:
    body = (
        f"class Parallel({base}):\n{own}\n"
        "model = nn.Linear(4, 2)\nif torch.cuda.device_count() > 1:\n    model = Parallel(model, device_ids=[0, 1])\n"
        "model.to(device)\nfor x, y in loader:\n    model(x)\n"
    )

    assert misplaced(tmp_path, body) == found


def test_a_batch_is_left_behind_where_the_module_is_wrapped_on_several_gpus_alone(tmp_path: Path) -> None:
    body = (
        "model = nn.Linear(4, 2)\nif torch.cuda.device_count() > 1:\n    model = nn.DataParallel(model)\n"
        "model.to(device)\nfor x, y in loader:\n    model(x)\n"
    )

    assert misplaced(tmp_path, body) == [("batch", "x")]


def test_targets_and_weights_of_a_loss_are_left_behind(tmp_path: Path) -> None:
    body = (
        "model = nn.Linear(4, 2).to(device)\nloss = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0]))\n"
        "for x, y in loader:\n    x = x.to(device)\n    F.cross_entropy(model(x), y)\n"
        "    loss(model(x), y.to(device))\n"
    )

    assert misplaced(tmp_path, body) == [("batch", "y"), ("batch", "torch.tensor([1.0, 2.0])")]


@pytest.mark.parametrize("move", ["loss = loss.to(device)", "loss.cuda()", "if args.cuda:\n    loss.cuda()"])
def test_a_loss_that_may_be_moved_takes_its_weights_along(tmp_path: Path, move: str) -> None:
    body = (
        "model = nn.Linear(4, 2).to(device)\nloss = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0]))\n"
        f"{move}\nfor x, y in loader:\n    loss(model(x.to(device)), y.to(device))\n"
    )

    assert misplaced(tmp_path, body) == []


@pytest.mark.parametrize(
    ("factory", "use"),
    [
        ("torch.arange(x.size(1))", "self.layer(made)"),
        ("torch.zeros(x.size(0), 4)", "torch.cat([self.layer(x), made])"),
        ("torch.ones(4, 4)", "self.layer(x).masked_fill(made.tril() == 0, 0.0)"),
        ("torch.randn(x.size())", "x + made"),
        ("torch.tensor([1.0, 2.0])", "mask * made"),
        ("torch.FloatTensor(4)", "self.layer(x) @ made"),
    ],
)
def test_what_forward_makes_by_default_is_on_the_host(tmp_path: Path, factory: str, use: str) -> None:
    body = in_forward(f"made = {factory}", f"return {use}")

    assert misplaced(tmp_path, body) == [("factory", factory)]


@pytest.mark.parametrize(
    ("separate", "left"),
    [("", 1), ("use_separate_proj_weight=False", 1), ("use_separate_proj_weight=True, q_proj_weight=weight", 0)],
)
def test_attention_with_separate_weights_reads_no_common_one(tmp_path: Path, separate: str, left: int) -> None:
    call = f"F.multi_head_attention_forward(x, x, x, 4, 1, torch.empty(12, 4), self.layer.bias, {separate})"
    body = in_forward("weight = self.layer.weight", f"return {call}")

    assert misplaced(tmp_path, body) == [("factory", "torch.empty(12, 4)")] * left


def test_what_is_computed_from_tensors_on_the_host_is_left_where_they_are_made(tmp_path: Path) -> None:
    body = in_forward("made = torch.complex(torch.zeros(4), torch.ones(4))", "return x + made")

    assert misplaced(tmp_path, body) == [("factory", "torch.zeros(4)"), ("factory", "torch.ones(4)")]


def test_a_device_that_a_module_remembers_is_not_the_one_it_was_moved_to(tmp_path: Path) -> None:
    body = in_forward(
        "made = torch.randn(4, device=self.device)", "return self.layer(made)", before="self.device = 'cpu'"
    )

    assert misplaced(tmp_path, body) == [("factory", "torch.randn(4, device=self.device)")]


SCALED = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(torch.ones(3))
            self.register_buffer("mean", torch.zeros(3))

    def build():
        return Net()

    net = build(){moved}
    torch.isclose(net.{name}, torch.zeros(3))
    """


@pytest.mark.parametrize("name", ["scale", "mean"])
@pytest.mark.parametrize(("moved", "left"), [(".to(device)", 1), (".cuda()", 1), ("", 0), (".cpu()", 0)])
def test_what_a_module_registers_is_where_that_was_moved(tmp_path: Path, name: str, moved: str, left: int) -> None:
    assert len(misplaced(tmp_path, SCALED.format(moved=moved, name=name))) == left


ENCODER = """
    def positions(coord):
        device = coord.device
        made = torch.zeros(coord.shape[0], 4, device=device)
        made[:, :2] = coord
        return made

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Linear(4, 8)
            self.rotary = nn.Linear(4, 8)
            self.seen = torch.zeros(1)
        def encode(self, patches, coord):
            return self.embed(patches) + self.rotary({used})
{run}
    net = Net(){moved}
    {call}
    """
RUN = "        def run(self, coord):\n            return self.encode(torch.zeros(3, 4, device=coord.device), coord)\n"
PLAIN = "net.encode(torch.zeros(3, 4, device=device), torch.zeros(3, 4))"


@pytest.mark.parametrize("used", ["coord", "positions(coord)", "coord.float()"])
@pytest.mark.parametrize(
    ("run", "call"),
    [("", "net.encode(torch.zeros(3, 4), torch.zeros(3, 4))"), (RUN, "net.run(torch.zeros(3, 4))")],
)
def test_what_a_method_of_an_unmoved_module_is_given_is_beside_it(
    tmp_path: Path, used: str, run: str, call: str
) -> None:
    assert misplaced(tmp_path, ENCODER.format(used=used, moved="", run=run, call=call)) == []


@pytest.mark.parametrize(
    ("used", "expected"), [("coord", ("batch", "coord")), ("positions(coord)", ("batch", "positions(coord)"))]
)
def test_what_a_method_of_a_moved_module_is_given_is_left_behind(
    tmp_path: Path, used: str, expected: tuple[str, str]
) -> None:
    assert misplaced(tmp_path, ENCODER.format(used=used, moved=".to(device)", run="", call=PLAIN)) == [expected]


POLICY = """
    class Policy(nn.Module):
        def __init__(self, device="cpu"):
            super().__init__()
            self.device = device
            self.context = torch.zeros(2).to(self.device)
            self.mean = nn.Sequential(nn.Linear(6, 8), nn.Linear(8, 1)){placed}
        def forward(self, state):
            state = torch.cat((state.to(self.device), self.context))
            return self.mean(state)

    name = "cpu"
    Policy(torch.device(name))(torch.zeros(4))
    """


@pytest.mark.parametrize("placed", [".to(self.device)", ".to(device)", ".to(device=device)"])
def test_parts_that_a_class_moves_itself_are_where_it_moves_what_they_are_given(tmp_path: Path, placed: str) -> None:
    assert misplaced(tmp_path, POLICY.format(placed=placed)) == []


@pytest.mark.parametrize("placed", ["", ".to('cpu')", ".cpu()", ".to(device)\n            self.to('cuda')"])
def test_parts_that_go_along_with_the_whole_are_where_that_was_moved(tmp_path: Path, placed: str) -> None:
    assert ("batch", "state") in misplaced(tmp_path, POLICY.format(placed=placed))


METHODS = """
    class Base(nn.Module):
        def __init__(self):
            super().__init__()
            self.out = nn.Linear(4, 2)
        def forward(self, x):
            return self.out(x)

    class Net(Base):
        def inherited(self, x):
            return super().forward(x)
        def through(self, x):
            return self.forward(x)

    def train(model, criterion):
        for rows, labels in loader:
            loss = criterion({call}, labels)

    train(Net(){moved}, nn.CrossEntropyLoss())
    """
CALLS = ["model(rows)", "model.forward(rows)", "model.inherited(rows)", "model.through(rows)"]


@pytest.mark.parametrize("call", [*CALLS, "Base.forward(model, rows)"])
@pytest.mark.parametrize("moved", ["", ".cpu()"])
def test_what_a_method_makes_is_no_further_than_the_module_it_is_called_on(
    tmp_path: Path, call: str, moved: str
) -> None:
    assert misplaced(tmp_path, METHODS.format(call=call, moved=moved)) == []


@pytest.mark.parametrize("call", CALLS)
def test_what_a_method_of_a_moved_module_makes_is_on_the_device(tmp_path: Path, call: str) -> None:
    assert ("batch", "labels") in misplaced(tmp_path, METHODS.format(call=call, moved=".to(device)"))


def test_one_caller_that_moves_the_module_is_enough(tmp_path: Path) -> None:
    call = f"{PLAIN}\n    Net().encode(torch.zeros(3, 4), torch.zeros(3, 4))"

    assert misplaced(tmp_path, ENCODER.format(used="coord", moved=".to(device)", run="", call=call)) == [
        ("batch", "coord")
    ]


def test_what_a_method_makes_itself_is_left_behind_whoever_calls_it(tmp_path: Path) -> None:
    call = "if __name__ == '__main__':\n        net.encode(torch.zeros(3), torch.zeros(3))"
    body = ENCODER.format(used="torch.zeros(3, 4)", moved="", run="", call=call)

    assert ("factory", "torch.zeros(3, 4)") in misplaced(tmp_path, body)


@pytest.mark.parametrize(
    "lines",
    [
        ("made = torch.zeros(4, device=x.device)", "return x + made"),
        ("made = torch.zeros(4).to(x)", "return x + made"),
        ("made = torch.zeros(4).type_as(x)", "return x + made"),
        ("other = x.numpy() if mask else x", "made = torch.zeros(4).type_as(other)", "return x + made"),
        ("other = torch.ones(4) if mask else x", "made = torch.zeros(4).to(other)", "return x + made"),
        ("made = x.new_zeros(4)", "return x + made"),
        ("made = torch.zeros_like(x)", "return x + made"),
        ("return x * torch.tensor(2.0)",),
        ("return x * torch.ones(3).sum()",),
        ("return x + torch.zeros(())",),
        ("return x[torch.randperm(4)]",),
        ("made = torch.zeros(4)", "made.copy_(x)", "return self.layer(x)"),
        ("made = torch.zeros(4)", "made = unknown(made)", "return x + made"),
        ("made = torch.complex(unknown(x), unknown(mask))", "return x + made"),
        ("made = torch.complex(x, mask)", "return x + made"),
    ],
)
def test_what_is_moved_or_may_be_mixed_is_right(tmp_path: Path, lines: tuple[str, ...]) -> None:
    assert misplaced(tmp_path, in_forward(*lines)) == []


@pytest.mark.parametrize("other", ["torch.ones(4)", "torch.ones(4).numpy() if mask else torch.ones(4)"])
def test_what_is_moved_to_another_tensor_on_the_host_is_left_behind(tmp_path: Path, other: str) -> None:
    body = in_forward(f"other = {other}", "made = torch.zeros(4).type_as(other)", "return self.layer(x) + made")

    assert misplaced(tmp_path, body) != []


@pytest.mark.parametrize(
    ("attribute", "use"),
    [
        ("torch.arange(4)", "x + self.table"),
        ("torch.arange(4)", "self.table[mask]"),
        ("torch.randn(4, 4, requires_grad=True)", "self.layer(x) @ self.table.T"),
        ("[torch.ones(4) for _ in range(2)]", "sum(self.layer(x) * one for one in self.table)"),
    ],
)
def test_an_attribute_that_is_no_buffer_stays_on_the_host(tmp_path: Path, attribute: str, use: str) -> None:
    body = in_forward(f"return {use}", before=f"self.table = {attribute}")

    assert misplaced(tmp_path, body) == [("attribute", attribute)]


@pytest.mark.parametrize(
    ("before", "use"),
    [
        ("self.register_buffer('table', torch.arange(4))", "x + self.table"),
        ("self.table = nn.Parameter(torch.zeros(4))", "x + self.table"),
        ("self.table = torch.arange(4)", "x + self.table.to(x.device)"),
        ("self.table = torch.arange(4)", "x[self.table]"),
        ("self.table = torch.tensor(4.0)", "x * self.table"),
        ("self.table = None", "x + self.table"),
    ],
)
def test_an_attribute_that_moves_or_need_not_is_right(tmp_path: Path, before: str, use: str) -> None:
    assert misplaced(tmp_path, in_forward(f"return {use}", before=before)) == []


def test_an_operation_that_raises_has_no_second_mistake_after_it(tmp_path: Path) -> None:
    body = (
        "table = torch.linspace(0, 1, 10)\nmodel = nn.Linear(4, 4).to(device)\n"
        "steps = torch.randint(10, (4,), device=device)\nkept = table[steps].view(-1, 1)\n"
        "x = kept * model(torch.ones(4, 4, device=device))\n"
    )

    assert misplaced(tmp_path, body) == [("other", "table[steps]")]


def test_a_project_that_knows_no_device_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text("import torch\nfrom torch import nn\n" + in_forward("return x + torch.zeros(4)"))
    file = Project(tmp_path).open(path, "net.py")

    assert list(asked(misplaced_tensors, file, WITH_CUDA, "factory")) == []


@pytest.mark.parametrize(
    ("loss", "arguments", "left"),
    [
        ("nn.CTCLoss(zero_infinity=True).to(device)", "model(x).log_softmax(2), y, lengths, lengths", []),
        ("nn.CrossEntropyLoss().to(device)", "model(x), lengths", [("factory", "torch.IntTensor([3] * 4)")]),
        ("F.ctc_loss", "model(x).log_softmax(2), y, lengths, lengths", []),
        ("F.cross_entropy", "model(x), lengths", [("factory", "torch.IntTensor([3] * 4)")]),
    ],
)
def test_the_ctc_loss_alone_takes_its_lengths_from_the_host(
    tmp_path: Path, loss: str, arguments: str, left: list[tuple[str, str]]
) -> None:
    body = f"""
        model, loss = nn.Linear(4, 2).to(device), {loss}
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            lengths = torch.IntTensor([3] * 4)
            loss({arguments}).backward()
        """

    assert misplaced(tmp_path, body) == left


CHOOSING = "import torch\ntorch.set_default_tensor_type('torch.cuda.FloatTensor')\n"


@pytest.mark.parametrize(
    ("others", "is_told"),
    [
        ({"other.py": CHOOSING}, True),
        ({"other.py": f"import part\n{CHOOSING}", "part.py": ""}, True),
        ({"other.py": f"import main\n{CHOOSING}"}, False),
        ({"other.py": CHOOSING, "start.py": "import main\nimport other\n"}, False),
        ({"other.py": CHOOSING, "start.py": "import between\nimport other\n", "between.py": "import main\n"}, False),
        ({"other.py": f"import importlib\nimportlib.import_module(name)\n{CHOOSING}"}, False),
        ({"kit/__init__.py": CHOOSING, "kit/part.py": "", "start.py": "import main\nfrom kit.part import x\n"}, False),
    ],
    ids=["a script", "with parts", "imports it", "a third", "by another", "by a name", "a package"],
)
def test_who_chooses_where_tensors_are_made_does_so_for_programs_that_may_be_its_own(
    tmp_path: Path, others: dict[str, str], *, is_told: bool
) -> None:
    for name, text in others.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    body = "model = nn.Linear(4, 2).to(device)\nfor x, y in loader:\n    model(x)\n"

    assert misplaced(tmp_path, body) == ([("batch", "x")] if is_told else [])


def test_what_a_module_makes_is_on_its_device_whatever_it_meets(tmp_path: Path) -> None:
    lines = ("weights = torch.linspace(0, 1, 4)", "return (weights * (self.layer(x) - mask)).mean()")

    found = misplaced(tmp_path, in_forward(*lines))

    assert found == [("factory", "torch.linspace(0, 1, 4)")]


@pytest.mark.parametrize(
    "moving",
    [
        "    for key, value in batch.items():\n        batch[key] = value.to(device)\n    return batch\n",
        "    for key in batch:\n        batch[key] = batch[key].to(device)\n    return batch\n",
    ],
)
@pytest.mark.parametrize("given", ['{"x": torch.rand(2, 4)}', 'batch={"x": torch.rand(2, 4)}'])
def test_a_dict_that_is_written_for_a_function_holds_what_that_moves_into_it(
    tmp_path: Path, moving: str, given: str
) -> None:
    body = f"def moved(batch):\n{moving}model = nn.Linear(4, 2).to(device)\nbatch = moved({given})\nmodel(batch['x'])\n"

    assert misplaced(tmp_path, body) == []


@pytest.mark.parametrize(("test", "is_told"), [("mask.is_cuda", False), ("mask.dim() > 1", True)])
def test_where_a_tensor_is_not_on_cuda_neither_is_what_a_module_makes(tmp_path: Path, test: str, is_told: bool) -> None:
    lines = (
        "y = self.layer(x) - mask",
        f"if {test}:",
        "    return y.mean()",
        "weights = torch.linspace(0, 1, 4)",
        "return (weights * y).mean()",
    )
    assert bool(misplaced(tmp_path, in_forward(*lines))) is is_told
