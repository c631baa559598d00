"""Tensors that are moved or converted, and whose copies are not used."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchlint.model import Project

HEAD = (
    "import torch\nfrom torch import nn\nfrom torch.utils.data import DataLoader\n"
    "def use(*things):\n    print(things)\n"
)


def discarded(folder: Path, code: str) -> list[str]:
    path = folder / "program.py"
    path.write_text(HEAD + code)
    return [call.text for call in Project(folder).open(path, path.name).discarded_copies()]


@pytest.mark.parametrize("copy", ["to('cpu')", "cuda()", "cpu()", "float()", "half()", "detach()", "pin_memory()"])
def test_a_tensor_is_copied_for_nobody(tmp_path: Path, copy: str) -> None:
    assert discarded(tmp_path, f"x = torch.ones(2)\nx.{copy}\nuse(x)\n") == [f"x.{copy}"]


def test_a_module_moves_in_place_and_its_parameters_do_not(tmp_path: Path) -> None:
    code = "net = nn.Linear(2, 2)\nnet.to('cpu')\nfor p in net.parameters():\n    p.to('cpu')\nuse(net)\n"

    assert discarded(tmp_path, code) == ["p.to('cpu')"]


def test_what_is_called_a_tensor_only_because_it_is_moved_may_be_none(tmp_path: Path) -> None:
    code = "def send(thing):\n    moved = thing.cuda()\n    moved.half()\n    thing.float()\n    return moved, thing\n"

    assert discarded(tmp_path, code) == []


def test_batches_are_tensors_unless_the_program_collates_them_itself(tmp_path: Path) -> None:
    loop = "for x, y in loader:\n    x.to('cpu')\n    use(x)\n"

    assert discarded(tmp_path, f"loader = DataLoader([1])\n{loop}") == ["x.to('cpu')"]
    assert discarded(tmp_path, f"loader = DataLoader([1], collate_fn=use)\n{loop}") == []


@pytest.mark.parametrize("module", ["torch_geometric.data", "torch_geometric.loader"])
def test_graphs_move_in_place_and_batches_of_tensors_do_not(tmp_path: Path, module: str) -> None:
    head = f"from {module} import DataLoader as GraphLoader\n"
    loop = "def train(loader):\n    for batch in loader:\n        batch.to('cpu')\n        use(batch.x)\n"

    assert discarded(tmp_path, f"{head}{loop}train(GraphLoader([1], batch_size=2))\n") == []
    assert discarded(tmp_path, f"{head}{loop}train(DataLoader([1], batch_size=2))\n") == ["batch.to('cpu')"]


def test_what_is_pinned_and_taken_or_may_be_no_tensor_is_left_alone(tmp_path: Path) -> None:
    code = "def pin(thing):\n    x = torch.ones(2)\n    x = x.pin_memory()\n    thing.pin_memory()\n    use(x, thing)\n"

    assert discarded(tmp_path, code) == []


def test_what_nobody_reads_again_is_left_alone(tmp_path: Path) -> None:
    assert discarded(tmp_path, "x = torch.ones(2)\nx.cuda()\nx.cuda()\n") == []


def test_a_later_turn_of_the_loop_reads_again(tmp_path: Path) -> None:
    code = "x = torch.ones(2)\nfor _ in range(2):\n    use(x)\n    x.float()\n"

    assert discarded(tmp_path, code) == ["x.float()"]


def test_a_call_that_is_expected_to_raise_has_done_its_work(tmp_path: Path) -> None:
    code = "import pytest\nx = torch.ones(2)\nwith pytest.raises(RuntimeError):\n    x.cuda()\nuse(x)\n"

    assert discarded(tmp_path, code) == []
