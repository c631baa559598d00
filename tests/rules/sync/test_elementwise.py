"""Transfers that go element by element."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from rules.sync.detectors.elementwise import element_transfers
from tests.checkout import asked
from torchlint.model import Project

HEAD = """
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(30, device=device)
y = torch.ones(30, 2, device=device)
host = torch.ones(30)
table = torch.randn(30, 3)
net = torch.nn.Linear(3, 2).to(device)
rows = open("rows").readlines()
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(table, table))
"""


def transfers(folder: Path, source: str) -> list[tuple[str, bool]]:
    (folder / "main.py").write_text(HEAD + textwrap.dedent(source))
    found = asked(element_transfers, Project(folder).open(folder / "main.py", "main.py"))
    return [(one.place.text, one.is_upload) for one in found]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("[one.item() for one in x]", ("one.item()", False)),
        ("{i: float(one) for i, one in enumerate(x)}", ("float(one)", False)),
        ("for a, b in zip(x, x):\n    print(a.item(), b.item())", ("a.item()", False)),
        ("for i in range(len(x)):\n    value = x[i].cpu()", ("x[i].cpu()", False)),
        ("for i in range(len(y)):\n    value = y[i, 0].item()", ("y[i, 0].item()", False)),
        ("for i in range(len(y)):\n    value = float(y[i][1])", ("float(y[i][1])", False)),
        (
            "for i in range(30):\n    value = y[i, 0:1].view(-1).detach().cpu()",
            ("y[i, 0:1].view(-1).detach().cpu()", False),
        ),
        (
            "for i in range(30):\n    value = y[i].squeeze(0).flatten().cpu()",
            ("y[i].squeeze(0).flatten().cpu()", False),
        ),
        ("for row in table:\n    net(row.to(device))", ("row.to(device)", True)),
        ("for row in table:\n    net(row.reshape(1, 3).to(device))", ("row.reshape(1, 3).to(device)", True)),
        ("[net(row.unsqueeze(0).cuda()) for row in table]", ("row.unsqueeze(0).cuda()", True)),
        ("for i in range(len(table)):\n    net(table[i].to(device))", ("table[i].to(device)", True)),
        ("[torch.tensor(row, device=device) for row in rows]", ("torch.tensor(row, device=device)", True)),
        ("[torch.tensor(row).float().cuda() for row in rows]", ("torch.tensor(row).float().cuda()", True)),
    ],
)
def test_what_is_moved_for_each_element_is_found(source: str, found: tuple[str, bool], tmp_path: Path) -> None:
    assert transfers(tmp_path, source) == [found]


@pytest.mark.parametrize(
    "source",
    [
        "[one.item() for one in host]",
        "boxes, scores = [one.cpu() for one in y]",
        "top = 5\nvalues, order = x.topk(top)\nfor i in range(top):\n    print(order[i].item())",
        "for i in range(2, 16):\n    print(x[i].item())",
        "[one for one in x.tolist()]",
        "for part in table.split(8):\n    net(part.to(device))",
        "for batch in torch.randn(4, 8, 3):\n    net(batch.to(device))",
        "for i in range(0, len(table), 8):\n    net(table[i:i + 8].to(device))",
        "for one in (table, host):\n    net(one.to(device))",
        "for one in torch.load('rows.pt'):\n    net(one.to(device))",
        "for row in table:\n    print(row.sum())",
        "[one.to(device) for one in (x, host)]",
        "for batch in loader:\n    batch = tuple(one.to(device) for one in batch)",
        "for batch in loader:\n    batch = [one.cuda() for one in batch[:2]]",
        "[torch.tensor(row) for row in rows]",
        "[torch.tensor(row['audio'][None], device=device) for row in rows]",
        "[torch.tensor(row.samples[None, :]).to(device) for row in rows]",
        "[torch.tensor(one, device=device) for one in (1, 2)]",
        "kept = dict(a=rows, b=rows)\n{key: torch.Tensor(value).to(device) for key, value in kept.items()}",
        "[torch.tensor(value, device=device) for value in vars(loader).values()]",
        "[x.sum().item() for row in rows]",
        "for i in range(9):\n    value = x.sum().item()",
        "[int(part) for part in torch.__version__.split('.')[:2]]",
    ],
)
def test_what_is_on_the_host_or_moved_as_a_whole_is_left_alone(source: str, tmp_path: Path) -> None:
    assert transfers(tmp_path, source) == []


@pytest.mark.parametrize(
    "source",
    [
        "state = torch.nn.Linear(2, 2).cuda().state_dict()\nfor key, value in state.items():\n    state[key] = value.cpu()",
        "import sys\ny = x.cpu() if sys.argv else x\nfor i in range(len(y)):\n    print(y[i].item())",
    ],
)
def test_whole_tensors_of_a_dict_and_what_may_be_on_the_host_are_left_alone(source: str, tmp_path: Path) -> None:
    assert transfers(tmp_path, source) == []


def test_a_read_in_two_loops_over_elements_is_one_transfer(tmp_path: Path) -> None:
    loops = (
        "for i in range(y.shape[0]):\n    for j in range(y.shape[1]):\n        if y[i, j] > 0:\n            print(i)"
    )

    assert transfers(tmp_path, loops) == [("y[i, j] > 0", False)]


@pytest.mark.parametrize("name", ["__getitem__", "__iter__", "collate_fn"])
def test_what_loads_samples_works_on_the_host(name: str, tmp_path: Path) -> None:
    """It is run by a worker, unless it names a device; elsewhere, rows that may be anywhere are on the host as often."""
    head = "class Data:\n    def {name}(self, rows):\n        near = {near} > 0.9"
    reads = "\n        return [one.item() for one in near]\n"
    here, there = "torch.stack(rows).norm(dim=1)", "torch.stack(rows).to(device).norm(dim=1)"

    assert transfers(tmp_path, head.format(name=name, near=here) + reads) == []
    assert transfers(tmp_path, head.format(name="score", near=here) + reads) == []
    assert transfers(tmp_path, head.format(name=name, near=there) + reads) == [("one.item()", False)]
