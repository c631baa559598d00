"""Whole modules that are loaded as weights."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rules.checkpoint.detectors.whole_loads import whole_loads
from tests.checkout import Checkout, asked
from torchlint.model import Project

HEAD = "import pickle\nimport torch\n\n"


def found(folder: Path, body: str) -> list[tuple[str, str]]:
    """Return the loads of whole modules in a program, and what uses each as one."""
    (folder / "main.py").write_text(HEAD + body)
    loads = asked(whole_loads, Project(folder).open(folder / "main.py", "main.py"))
    return [(load.call.text, load.shown.text) for load in loads]


@pytest.mark.parametrize(
    ("body", "use"),
    [
        ("net = torch.load('a.pt')\nnet.eval()", "net.eval"),
        ("net = torch.load('a.pt')\nprint(net(torch.ones(2)))", "net(torch.ones(2))"),
        ("net = torch.load('a.pt')['model']\nnet.train()", "net.train"),
        ("saved = torch.load('a.pt')\nsaved['model'].state_dict()", "saved['model'].state_dict"),
        ("saved = torch.load('a.pt')\nnet = saved['model']\nlist(net.parameters())", "net.parameters"),
        ("def load():\n    return torch.load('a.pt')\nload().eval()", "load().eval"),
        ("class Runner:\n    def load(self):\n        self.net = torch.load('a.pt')\n"
         "    def run(self, x):\n        return self.net(x)\n", "self.net(x)"),
        ("class Runner:\n    def __init__(self):\n        self.net = torch.nn.Linear(2, 2)\n"
         "    def load(self):\n        self.net = torch.load('a.pt')\n"
         "    def run(self, x):\n        return self.net(x)\n", "self.net(x)"),
    ],
)  # fmt: skip
def test_what_is_used_as_a_module_is_one(tmp_path: Path, body: str, use: str) -> None:
    assert found(tmp_path, body) == [("torch.load('a.pt')", use)]


@pytest.mark.parametrize(
    "body",
    [
        "net = torch.load('a.pt', weights_only=False)\nnet.eval()",
        "net = torch.load('a.pt', weights_only=True)\nnet.eval()",
        "net = torch.load('a.pt', pickle_module=pickle)\nnet.eval()",
        "options = {}\nnet = torch.load('a.pt', **options)\nnet.eval()",
        "try:\n    net = torch.load('a.pt')\nexcept pickle.UnpicklingError:\n    net = None\nnet.eval()",
        "torch.serialization.add_safe_globals([dict])\nnet = torch.load('a.pt')\nnet.eval()",
        "net = torch.jit.load('a.pt')\nnet.eval()",
        "saved = torch.load('a.pt')\nnet = torch.nn.Linear(2, 2)\nnet.load_state_dict(saved)\nnet.eval()",
        "saved = torch.load('a.pt')\nprint(saved['train'], saved.keys(), saved.get('eval'))",
        "data = torch.load('a.pt')\nprint(data.train.shape, data.to('cpu'))",
        "def best(fresh):\n    net = torch.load('a.pt')\n    if fresh:\n        net = torch.nn.Linear(2, 2)\n"
        "        net.load_state_dict(torch.load('a.pt'))\n    return net\nbest(True).eval()",
        "best = torch.load('a.pt')['best']\nif not isinstance(best, dict):\n    best = best.state_dict()",
        "saved = torch.load('a.pt')\nnet = saved.eval() if hasattr(saved, 'eval') else None",
        "class Runner:\n    def __init__(self):\n        self.net = torch.nn.Linear(2, 2)\n"
        "    def load(self):\n        self.net = torch.load('a.pt')\n        self.net = torch.nn.Linear(2, 2)\n"
        "    def run(self, x):\n        return self.net(x)\n",
        "class Scale:\n    mean = 0.0\nscale = Scale()\nscale.mean = torch.load('a.pt')['mean']\nx = torch.ones(2)\nx.mean()",
    ],
    ids=[
        "chosen",
        "refused",
        "unpickler",
        "options",
        "tried",
        "allowed",
        "script",
        "state",
        "dict",
        "data",
        "chosen by a flag",
        "asked for its kind",
        "asked for a method",
        "replaced at once",
        "another attribute",
    ],
)
def test_other_loads_may_be_of_weights(tmp_path: Path, body: str) -> None:
    assert found(tmp_path, body) == []


SAVING = """
def save(net, optimizer, path="a.pt"):
    saved = {entries}
    torch.save(saved, path)
    {more}

def resume(net, path="a.pt"):
    saved = torch.load('a.pt')
    net.load_state_dict(saved["state"])

save(torch.nn.Linear(2, 2), None)
"""
WITH_MODULE = "{'net': net, 'state': net.state_dict()}"


@pytest.mark.parametrize(
    ("entries", "shown"), [(WITH_MODULE, "net"), ("[net]", "net"), ("{'all': {'net': net}}", "net"), ("net", "saved")]
)
def test_a_file_holds_a_module_that_nobody_takes_out(tmp_path: Path, entries: str, shown: str) -> None:
    assert found(tmp_path, SAVING.format(entries=entries, more="")) == [("torch.load('a.pt')", shown)]


@pytest.mark.parametrize(
    ("entries", "more"),
    [
        ("{'state': net.state_dict()}", ""),
        (WITH_MODULE, "torch.save(net.state_dict(), 'a.pt')"),
        (WITH_MODULE.replace("net,", "optimizer,"), ""),
        ("torch.jit.script(net)", ""),
    ],
)
def test_a_file_may_hold_weights_alone(tmp_path: Path, entries: str, more: str) -> None:
    assert found(tmp_path, SAVING.format(entries=entries, more=more)) == []


def test_a_module_in_another_file_does_no_harm(tmp_path: Path) -> None:
    body = SAVING.format(entries=WITH_MODULE, more="").replace("torch.load('a.pt')", "torch.load('b.pt')")

    assert found(tmp_path, body) == []


@pytest.mark.parametrize(
    ("use", "held"),
    [
        ("saved['net'].eval()", "a whole module"),
        ("saved['net'](torch.ones(2))", "a whole module"),
        ("saved['optimizer'].zero_grad()", "a module or optimizer"),
        ("saved['optimizer'].state_dict()", "a module or optimizer"),
    ],
)
def test_what_optimizers_do_too_shows_no_module(program: Callable[[str], Checkout], use: str, held: str) -> None:
    [found] = program(f"{HEAD}saved = torch.load('a.pt')\n{use}\n").findings("whole-module-load")

    assert f"raises for a file with {held} since" in found.message


@pytest.mark.parametrize(
    "saved", ["net.state_dict()", "{'net': net.state_dict()}", "{'net': net.state_dict(), 'epoch': 1}"]
)
def test_a_dict_that_is_used_as_a_module_loads(tmp_path: Path, saved: str) -> None:
    body = f"net = torch.nn.Linear(2, 2)\ntorch.save({saved}, 'a.pt')\nnet = torch.load('a.pt')\nnet.eval()\n"

    assert found(tmp_path, body) == []
    assert found(tmp_path, body.replace("load('a.pt')", "load('b.pt')")) == [("torch.load('b.pt')", "net.eval")]


ASKING = "saved = torch.load('a.pt')\nif isinstance(saved['net'], {}):\n    {}\nelse:\n    {}\n"


def test_an_entry_may_be_asked_for_its_kind(tmp_path: Path) -> None:
    assert found(tmp_path, ASKING.format("dict", "print(saved)", "saved['net'].state_dict()")) == []
    assert found(tmp_path, ASKING.format("dict", "print(saved)", "saved['ema'].state_dict()")) == [
        ("torch.load('a.pt')", "saved['ema'].state_dict")
    ]
