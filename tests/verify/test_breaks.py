"""`torchlint verify SCRIPT` of a program that compiles: where Dynamo breaks its graphs, and what the linter said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("torch", reason="what is run is a PyTorch program")

from torchlint import Confidence, Finding, Severity, Span
from torchlint.verify.breaklines import BreakStatus, about_breaks, break_lines
from torchlint.verify.breaklog import Broken
from torchlint.verify.command import verify_command

pytestmark = pytest.mark.usefixtures("one_server")

PROGRAM = """
import time
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 2)

    def forward(self, x, verbose=False):
        y = self.body(x)
        if y.mean() > 1e6:
            y = y + 1
        started = time.time()
        if verbose:
            print(started)
        return summed(y) + len(y.shape)

def summed(y):
    total = y.sum()
    for row in y:
        total = total + row.max().item()
        print("row", row.shape)
    return total

net = Net()
fast = torch.compile(net, mode="max-autotune")
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    loss = fast(torch.ones(2, 4))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def finding(code: str, rule: str = "graph-break") -> Finding:
    """Return what the linter would say of a piece of code."""
    line, text = next((number, line) for number, line in enumerate(PROGRAM.splitlines(), 1) if code in line)
    column = text.index(code) + 1
    span = Span(line, column, line, column + len(code))
    return Finding(rule, "compile", "train.py", span, "breaks", Severity.WARNING, Confidence.HIGH)


SAID = [
    finding("y.mean() > 1e6"),
    finding("print(started)"),
    finding("row.max().item()"),
    finding('print("row", row.shape)'),
    finding("len(y.shape)"),
    finding("loss.backward()", rule="kept-graph"),
]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory, one_server: None) -> dict[str, str]:
    """Run the program, and return the statuses of its lines by their code."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "train.py").write_text(PROGRAM)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        command = verify_command(lambda script: SAID)
        result = CliRunner().invoke(command, ["--simulate", "--output-format", "json", "train.py"])
    assert result.exit_code == 0, result.output
    lines = PROGRAM.splitlines()
    return {lines[row["line"] - 1].strip(): row["status"] for row in json.loads(result.stdout)["breaks"]}


def test_each_line_has_the_result_of_the_run(found: dict[str, str]) -> None:
    assert found == {
        "if y.mean() > 1e6:": "confirmed",
        "started = time.time()": "missed",
        "print(started)": "not reached",
        "total = total + row.max().item()": "confirmed",
        'print("row", row.shape)': "not traced",
        "return summed(y) + len(y.shape)": "no break",
    }


def test_only_findings_about_graphs_are_compared() -> None:
    assert about_breaks(SAID) == SAID[:-1]


def test_a_break_within_the_lines_of_a_finding_is_the_same(tmp_path: Path) -> None:
    path = str(tmp_path / "train.py")
    said = Finding("graph-break", "compile", path, Span(3, 1, 5, 2), "breaks", Severity.WARNING, Confidence.HIGH)

    lines = break_lines([said], [Broken(path, 4, 2, "for some reason")], ())

    assert [(one.status, one.line, one.times) for one in lines] == [(BreakStatus.CONFIRMED, 3, 2)]
