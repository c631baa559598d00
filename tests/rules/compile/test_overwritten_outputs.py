"""Outputs of CUDA graphs that the next run overwrites."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.compile.detectors.overwritten_outputs import overwritten_outputs
from torchlint.model import Project

PROGRAM = """import torch
from torch import nn
def head(x):
    return x * 2
@torch.compile(mode="max-autotune")
def tail(x):
    return x * 3
class Runner:
    def __init__(self, net):
        self.net = torch.compile(net, mode="reduce-overhead")
    def run(self, x):
        return self.net(x)
net = torch.compile(nn.Linear(2, 2), mode="reduce-overhead")
runner = Runner(net)
batches = torch.randn(9, 4, 2)
found, table, sums = [], {}, torch.zeros(9)
with torch.no_grad():
    for i, x in enumerate(batches):
        CODE
"""


def kept(folder: Path, code: str, *changes: tuple[str, str]) -> list[str]:
    text = PROGRAM.replace("CODE", code.replace("\n", "\n        "))
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / "program.py"
    path.write_text(text)
    file = Project(folder).open(path, path.name)
    return [one.place.text for one in overwritten_outputs(file.evaluator(), file)]


@pytest.mark.parametrize(
    ("code", "place"),
    [
        ("found.append(net(x))", "net(x)"),
        ("out = net(x)\nfound.append(out)", "out"),
        ("out = net(x)\nlast = out[0].detach()\nfound.append(last)", "last"),
        ("out, state = net(x)\nfound.append(out)", "out"),
        ("found.append(net(x)[:, -1])", "net(x)[:, -1]"),
        ("found.append(net(x).squeeze(0))", "net(x).squeeze(0)"),
        ("found.append(tail(x))", "tail(x)"),
        ("found.append(runner.run(x))", "runner.run(x)"),
        ("found.append(runner.net(x))", "runner.net(x)"),
        ("table[i] = net(x)", "net(x)"),
        ("found = [net(one) for one in x]", "net(one)"),
        ("found = {one: net(one) for one in x}", "net(one)"),
        ("a = net(x)\nb = net(2 * x)\nprint(a - b)", "net(x)"),
        ("a = net(x)\nb = tail(2 * x)\nprint(a - b)", "net(x)"),
    ],
)
def test_an_output_is_kept(tmp_path: Path, code: str, place: str) -> None:
    assert kept(tmp_path, code) == [place]


@pytest.mark.parametrize(
    "options",
    ['options={"triton.cudagraphs": True}', 'mode="max-autotune", fullgraph=True', 'mode="max-autotune", backend="inductor"'],
)  # fmt: skip
def test_graphs_are_asked_for_in_several_ways(tmp_path: Path, options: str) -> None:
    assert kept(tmp_path, "found.append(net(x))", ('mode="reduce-overhead"', options)) == ["net(x)"]


@pytest.mark.parametrize(
    "code",
    [
        "found.append(net(x).clone())",
        "found.append(net(x).cpu())",
        "found.append(net(x).mean())",
        "found.append(net(x)[x > 0])",
        "found.append(head(net(x)))",
        "out = net(x)\nif i:\n    out = out.clone()\nfound.append(out)",
        "found = []\nfound.append(net(x))",
        "sums[i] = net(x)",
        "sums += net(x)",
        "print(sum(net(one).sum() for one in x))",
        "a = net(x)\nprint(a)\nb = net(2 * x)\nprint(b)",
        "a = net(x).clone()\nb = net(2 * x)\nprint(a - b)",
        "a = net(x)\na = a * 2\nb = net(2 * x)\nprint(a - b)",
        "torch.compiler.cudagraph_mark_step_begin()\nfound.append(net(x))",
    ],
)
def test_what_is_copied_or_not_kept_is_left_alone(tmp_path: Path, code: str) -> None:
    assert kept(tmp_path, code) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('mode="reduce-overhead"', 'mode="default"'),
        ('mode="reduce-overhead"', 'mode="max-autotune-no-cudagraphs"'),
        ('mode="reduce-overhead"', 'mode="reduce-overhead", backend="aot_eager"'),
        ('mode="reduce-overhead"', 'options={"triton.cudagraphs": False}'),
        ('torch.compile(nn.Linear(2, 2), mode="reduce-overhead")', "nn.Linear(2, 2)"),
    ],
)
def test_other_modes_have_no_graphs(tmp_path: Path, old: str, new: str) -> None:
    assert kept(tmp_path, "found.append(net(x))", (old, new)) == []


def test_a_pass_whose_backward_is_to_come_begins_no_generation(tmp_path: Path) -> None:
    code = "a = net(x)\nb = net(2 * x)\nprint(a - b)"

    assert kept(tmp_path, code, ("torch.no_grad()", "torch.enable_grad()")) == []


def test_a_mode_that_only_a_docstring_names_costs_no_query(tmp_path: Path) -> None:
    text = """import torch
def compiled(net, mode=None):
    \"\"\"Compile a model; `mode` is that of `torch.compile`, such as "reduce-overhead".\"\"\"
    return torch.compile(net, mode=mode or "default")
net = compiled(torch.nn.Linear(2, 2))
found = []
for x in torch.randn(9, 4, 2):
    found.append(net(x))
"""
    project = Project(tmp_path)
    (tmp_path / "program.py").write_text(text)
    file = project.open(tmp_path / "program.py", "program.py")
    project.library.steps.allow(10)

    assert list(overwritten_outputs(file.evaluator(), file)) == []
    assert project.library.steps.taken == 0


@pytest.mark.parametrize(
    ("definition", "maker"),
    [
        ("", 'torch.compile(net, mode="reduce-overhead")'),
        ('MODE = "max-autotune"', "torch.compile(net, mode=MODE)"),
        ("fast = torch.compile", 'fast(net, mode="reduce-overhead")'),
        ('def made(net, by=torch.compile):\n    return by(net, mode="reduce-overhead")', "made(net)"),
        ('MAKERS = {"fast": torch.compile}', 'MAKERS["fast"](net, mode="reduce-overhead")'),
    ],
)
def test_a_graph_of_another_file_is_seen_by_whatever_name(tmp_path: Path, definition: str, maker: str) -> None:
    head = f"import torch\n{definition}\n"
    (tmp_path / "made.py").write_text(f"{head}def maker(net):\n    return {maker}\n")
    loop = "import torch\nfrom made import maker\nnet = maker(torch.nn.Linear(2, 2))\nfound = []\n"
    loop += "with torch.no_grad():\n    for x in torch.randn(9, 4, 2):\n        found.append(net(x))\n"
    (tmp_path / "program.py").write_text(loop)
    file = Project(tmp_path).open(tmp_path / "program.py", "program.py")

    assert [one.place.text for one in overwritten_outputs(file.evaluator(), file)] == ["net(x)"]


@pytest.mark.parametrize("decorator", ["torch.jit.script_method", "torch.jit.script", "scripted"])
def test_torchscript_calls_what_is_not_compiled(tmp_path: Path, decorator: str) -> None:
    change = ("    def run(", f"    @{decorator}\n    def run(")
    alias = ("from torch import nn\n", "from torch import nn\nscripted = torch.jit.script_method\n")
    assert kept(tmp_path, "found.append(runner.run(x))", change, alias) == []


def test_another_decorator_calls_what_is_compiled(tmp_path: Path) -> None:
    change = ("    def run(", "    @torch.no_grad()\n    def run(")
    assert kept(tmp_path, "found.append(runner.run(x))", change) == ["runner.run(x)"]
