"""What an error about a move rests on: that the move goes to a GPU by default, and that its line runs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.checkout import Checkout

HEAD = "import argparse\nimport torch\nfrom torch import nn\nfrom torch.utils.data import DataLoader, TensorDataset\n"
DEVICES = {
    "a literal": ("device = torch.device('cuda')\n", "error"),
    "the machine's": ("device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n", "error"),
    "an option that is a GPU by default": ("{}parser.add_argument('--device', default='cuda')\n{}", "error"),
    "an option that is the CPU by default": ("{}parser.add_argument('--device', default='cpu')\n{}", "warning"),
    "anything": ("device = read()\n", "warning"),
}
OPTIONS = ("parser = argparse.ArgumentParser()\n", "args = parser.parse_args()\ndevice = args.device\n")
USES = {
    "lost-leaf": "x = torch.ones(2, requires_grad=True).to(device)\nx.sum().backward()\nprint(x.grad)\n",
    "left-optimizer-state": "net = nn.Linear(2, 2)\noptimizer = torch.optim.Adam(net.parameters())\n"
    "optimizer.load_state_dict(torch.load('a.pt'))\nnet.to(device)\noptimizer.step()\n",
}
KNOWN = {
    **USES,
    "pinned-device-tensor": "DataLoader(TensorDataset(torch.ones(2, 2).to(device)), pin_memory=True)\n",
    "mismatched-generator": "torch.randn(3, generator=torch.Generator(), device=device)\n",
}


@pytest.mark.parametrize(("made", "severity"), DEVICES.values(), ids=DEVICES)
@pytest.mark.parametrize("rule", USES)
def test_an_error_needs_a_line_that_names_the_gpu(
    program: Callable[[str], Checkout], rule: str, made: str, severity: str
) -> None:
    (found,) = program(HEAD + made.format(*OPTIONS) + USES[rule]).findings(rule)

    assert found.severity.value == severity


@pytest.mark.parametrize("rule", KNOWN)
def test_an_option_that_is_off_by_default_lets_an_error_in_as_a_warning(
    program: Callable[[str], Checkout], rule: str
) -> None:
    made = OPTIONS[0] + "parser.add_argument('--fast', action='store_true')\nargs = parser.parse_args()\n"
    made += "device = torch.device('cuda')\n"
    lines = KNOWN[rule].replace("\n", "\n    ").rstrip()
    (by_default,) = program(HEAD + made + KNOWN[rule]).findings(rule)
    (on_request,) = program(f"{HEAD}{made}if args.fast:\n    {lines}\n").findings(rule)

    expected = "error" if rule == "left-optimizer-state" else "warning"
    assert (by_default.severity.value, on_request.severity.value) == ("error", expected)
