"""Modules that are saved whole, and results of `load_state_dict` that are taken for modules."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from rules.checkpoint.detectors.restoring import loaded_for_modules
from rules.checkpoint.detectors.saved import pickled_modules
from tests.checkout import asked
from torchlint.model import Project, SourceFile

HEAD = "import torch\nfrom torch import nn\n"


def opened(folder: Path, source: str) -> SourceFile:
    (folder / "main.py").write_text(HEAD + textwrap.dedent(source))
    return Project(folder).open(folder / "main.py", "main.py")


@pytest.mark.parametrize(
    ("source", "places"),
    [
        ("torch.save(nn.Linear(2, 1), 'a.pt')", ["nn.Linear(2, 1)"]),
        ("net = nn.Linear(2, 1)\nstate = {'net': net, 'epoch': 3}\ntorch.save(state, 'a.pt')", ["net"]),
        ("def save(model): torch.save([model], 'a.pt')\nsave(nn.ReLU())", ["model"]),
        ("net = nn.Linear(2, 1)\ntorch.save(net.state_dict(), 'a.pt')", []),
        ("torch.save(nn.Parameter(torch.ones(2)), 'a.pt')", []),
        ("torch.save(nn.DataParallel(nn.Linear(2, 1)), 'a.pt')", []),
        ("torch.save(torch.jit.script(nn.Linear(2, 1)), 'a.pt')", []),
        ("def save(model): torch.save(model, 'a.pt')", []),
    ],
)
def test_a_module_is_pickled_where_it_is_saved_whole(source: str, places: list[str], tmp_path: Path) -> None:
    found = asked(pickled_modules, opened(tmp_path, source))

    assert [one.place.text for one in found] == places


@pytest.mark.parametrize(
    ("source", "sure"),
    [
        ("net = nn.Linear(2, 1)\nnet = net.load_state_dict({})", [True]),
        ("net = nn.Linear(2, 1).load_state_dict({})\nnet(torch.ones(2))", [True]),
        ("nn.Linear(2, 1).load_state_dict({}).to('cpu')", [True]),
        ("def f(net, state):\n    net = net.load_state_dict(state)", [False]),
        ("net = nn.Linear(2, 1)\nopt = torch.optim.SGD(net.parameters())\nopt = opt.load_state_dict({})", [True]),
        ("net = nn.Linear(2, 1)\nkeys = net.load_state_dict({})\nprint(keys.missing_keys)", []),
        ("net = nn.Linear(2, 1)\nnet.load_state_dict({})\nnet.eval()", []),
        ("class A:\n    def load_state_dict(self, s): return self\na = A()\na = a.load_state_dict({})", []),
    ],
)
def test_the_result_of_loading_is_no_module(source: str, sure: list[bool], tmp_path: Path) -> None:
    found = asked(loaded_for_modules, opened(tmp_path, source))

    assert [one.is_sure for one in found] == sure


LOADED = "def load(net, state):\n    keys = net.load_state_dict(state)\n    return net, keys\n"


@pytest.mark.parametrize(
    "source",
    [
        "net, keys = load(nn.Linear(2, 1), {})\nprint(keys.missing_keys)\nnet.eval()",
        "both = load(nn.Linear(2, 1), {})\nnet, keys = both\nnet.eval()",
        "net = load(nn.Linear(2, 1), {})[0]\nnet.eval()",
        "(net, keys), epoch = load(nn.Linear(2, 1), {}), 1\nnet.eval()",
    ],
)
def test_what_a_tuple_holds_beside_the_result_is_another_thing(source: str, tmp_path: Path) -> None:
    found = asked(loaded_for_modules, opened(tmp_path, LOADED + source))

    assert list(found) == []


@pytest.mark.parametrize(
    "source",
    [
        "keys, net = load(nn.Linear(2, 1), {})\nnet.eval()",
        "both = load(nn.Linear(2, 1), {})\nkeys, net = both\nnet.eval()",
        "net = load(nn.Linear(2, 1), {})[1]\nnet.eval()",
        "(keys, net), epoch = load(nn.Linear(2, 1), {}), 1\nnet.eval()",
    ],
)
def test_the_result_that_is_taken_out_of_a_tuple_is_no_module(source: str, tmp_path: Path) -> None:
    (found,) = asked(loaded_for_modules, opened(tmp_path, LOADED + source))

    assert [use.text for use in found.uses] == ["net"]
