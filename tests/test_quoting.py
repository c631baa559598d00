"""Code in messages is on one line, short, and ends where its backticks do."""

from __future__ import annotations

import pytest

from torchlint import quoted
from torchlint.quoting import LONGEST


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("loss.item()", "loss.item()"),
        ("torch.load(self.path, map_location='cpu', pickle_module=pickle)", "torch.load(…)"),
        ("F.cross_entropy(logits, wanted, reduction='sum').item()", "F.cross_entropy(…).item()"),
        ("model(inputs.to(device), targets.to(device))", "model(inputs.to(device), targets.to(…))"),
        ("(logits.detach().softmax(dim=1).amax(dim=1) < 0.5).nonzero()", "(…).nonzero()"),
        ("nn.Sequential(\n    nn.Linear(8, 2),\n    nn.GLU(),\n)", "nn.Sequential(nn.Linear(8, 2), nn.GLU())"),
        ("scores\n    .detach()\n    .cpu()", "scores.detach().cpu()"),
        ('print(f"step {step} of {steps} :) has a loss of {loss}")', "print(…)"),
        ("self.a_module_with_a_long_name.another_long_name.weight", "self….weight"),
        ("torch.empty(4).fill_(0.5).unsqueeze(1).to(device)", "torch.empty(4)….unsqueeze(1).to(…)"),
        ('"a text that is far too long to be quoted"', '"a text that is far…o long to be quoted"'),
        # What is left of an operation does not read as a chain.
        ("self.embedding.requires_grad = config.encoder.update_embedding", "self.embedding.requires_grad = …"),
        ("self.sum_of_all_the_losses / self.number_of_batches_seen", "self.sum_of_all_the_losses / …"),
        ("self.model.encoder.attention.largest_of_all not in seen.values", "self.model….largest_of_all not in …"),
        ("len(samples) * number_of_epochs // self.processes", "len(…) * number_of_epochs // …"),
        ('"a - b" + self.name_of_the_experiment + self.suffix', '"a - b" + …'),
        ("run(`ls`)", "run('ls')"),
        (")(", ")("),
    ],
)
def test_code_is_quoted_on_one_line_and_short(code: str, shown: str) -> None:
    assert quoted(code) == f"`{shown}`"
    assert len(shown) <= LONGEST


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        (f"x{'.relu(1 + 2)' * 3_000}.cpu()", "x.relu(…).relu(…)….relu(…).cpu()"),
        (f"net({'f(a, ' * 60}b{')' * 60}).item()", "net(f(a, f(a, f(a, f(a, f(…)))))).item()"),
        (f"run({', '.join(['f(a(1), 2)'] * 2_000)})", "run(…)"),
    ],
)
def test_a_long_chain_is_shortened_in_one_go(code: str, shown: str) -> None:
    assert quoted(code) == f"`{shown}`"


@pytest.mark.parametrize("code", ["(" * 50, "]" * 50 + "[", "'" * 51, "f(" * 30 + ")" * 30, "x" * 41])
def test_whatever_is_quoted_comes_to_an_end(code: str) -> None:
    assert len(quoted(code)) <= LONGEST + 2
