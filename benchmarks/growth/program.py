"""The parts of a program: what every one imports and trains, and lines that repeat with a number."""

from __future__ import annotations

from collections.abc import Iterable
from string import Template
from textwrap import dedent, indent

from benchmarks.growth.family import Files

HEAD = """\
import torch
import torch.nn as nn
from torch.utils.data import DataLoader

data = [torch.randn(4) for _ in range(64)]
"""


def program(*parts: str | Iterable[str]) -> Files:
    """Return a program of one file."""
    return {"main.py": text(HEAD, *parts)}


def text(*parts: str | Iterable[str]) -> str:
    """Return parts as lines, one below the other."""
    lines = [line for part in parts for line in ([part] if isinstance(part, str) else part)]
    return "\n".join(map(unindented, lines)) + "\n"


def each(n: int, template: str, by: int = 0, *, ring: bool = False) -> list[str]:
    """Return a template n times, indented: `$i` is its number, `$j` and `$k` are those after it, in a ring or not."""
    written = Template(indented(template, by))

    def number(i: int) -> int:
        return i % n if ring else i

    return [written.substitute(i=i, j=number(i + 1), k=number(i + 2)) for i in range(n)]


def nested(n: int, template: str, innermost: str) -> list[str]:
    """Return n blocks, each in the one before, around what is innermost."""
    opened = [" " * i + line for i, line in enumerate(each(n, template))]
    return [*opened, indented(innermost, n)]


def unindented(block: str) -> str:
    """Return a block that starts on a line of its own as if nothing stood around it, and others as they are."""
    return dedent(block).strip("\n") if block.startswith("\n") else block


def indented(block: str, by: int = 4) -> str:
    """Return a block of lines, further in."""
    return indent(unindented(block), " " * by)


def training(device: str = "d", model: str = "nn.Linear(4, 1)", loss: str = "model(batch).sum()") -> str:
    """Return a training with all that rules ask about: what is made, moved, trained, read, saved and loaded."""
    return f"""\
model = {model}
model.to({device})
noise = torch.zeros(4, device={device})
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total = 0
for batch in DataLoader(data, batch_size=2):
    batch = batch.to({device}) + noise
    loss = {loss}
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss
    print(loss.item())
torch.save(model.state_dict(), "model.pt")
model.load_state_dict(torch.load("model.pt", map_location={device}))"""


def trainer(name: str = "train", parameters: str = "d", **what: str) -> str:
    """Return a function that trains."""
    return f"def {name}({parameters}):\n{indented(training(**what))}\n"


def listed(n: int, template: str) -> str:
    """Return a template n times, with commas between."""
    return ", ".join(each(n, template))
