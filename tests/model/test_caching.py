"""What is computed only if it is not cached yet, and what is computed in any case."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "created-then-moved"
HEAD = """\
import torch
from torch import nn
class Net(nn.Module):
    def forward(self, x, size=None):
        n = len(x)
"""
MADE = "torch.ones(n).to(x.device)"
ONCE = {
    "nothing there": f"if self.mask is None:\n    self.mask = {MADE}",
    "nothing there, on the other side": f"if self.mask is not None:\n    pass\nelse:\n    self.mask = {MADE}",
    "no attribute": f"if not hasattr(self, 'mask'):\n    self.mask = {MADE}",
    "no attribute, or none": f"if getattr(self, 'mask', None) is None:\n    self.mask = {MADE}",
    "no attribute, or nothing": f"if not getattr(self, 'mask', None):\n    self.mask = {MADE}",
    "no attribute in its dict": f"if 'mask' not in self.__dict__:\n    self.mask = {MADE}",
    "no attribute yet, and a buffer then": f"if not hasattr(self, 'mask'):\n    self.register_buffer('mask', {MADE})",
    "nothing in it": f"if not self.mask:\n    self.mask = {MADE}",
    "no such key": f"if n not in self.masks:\n    self.masks[n] = {MADE}",
    "too small": f"if self.mask.size(0) < n:\n    mask = {MADE}\n    self.mask = mask",
    "none or another size": f"if self.mask is None or self.mask.shape[0] != n:\n    self.mask = {MADE}",
    "for another size": f"if self.size != n:\n    self.mask = {MADE}\n    self.size = n",
    "for another size, as nobody gave one": f"""\
if size is not None or self.size != n:
    self.size = n
    if size is None:
        self.mask = {MADE}""",
    "for another size, in the other arm": f"""\
if self.size != n or not (size is None):
    self.size = n
    if size is not None:
        self.mask = size
    else:
        self.mask = {MADE}""",
    "a number that stands for none": f"if self.mask < 0:\n    self.mask = {MADE}",
    "a number that stands for none, by name": f"mask = self.mask.item()\nif mask == -1:\n    self.mask = {MADE}",
    "an item that stands for none": f"mask = self.masks[2]\nif mask < 0:\n    self.masks[2] = mask = {MADE}",
    "nothing there, by name": f"mask = self.mask\nif mask is None:\n    self.mask = mask = {MADE}",
    "nothing in its dict": f"if len(self.masks) == 0:\n    self.masks['mask'] = {MADE}",
    "nothing in a dict of dicts": f"state = self.masks[n]\nif not len(state):\n    state['mask'] = {MADE}",
    "no items in a dict of dicts": f"state = self.masks[n]\nif not state:\n    state['mask'] = {MADE}",
    "at least one item in the other arm": f"""\
state = self.masks[n]
if len(state) > 0:
    pass
else:
    state['mask'] = {MADE}""",
    "below what is there": f"if self.mask is not None:\n    return self.mask\nself.mask = {MADE}",
    "below what fits": f"if self.mask is not None and len(self.mask) == n:\n    return x\nself.mask = {MADE}",
}
EVERY_TIME = {
    "kept under another name": f"if self.mask is None:\n    self.other = {MADE}",
    "kept under another name than is got": f"if getattr(self, 'mask', None) is None:\n    self.other = {MADE}",
    "got of another": f"if getattr(x, 'mask', None) is None:\n    self.mask = {MADE}",
    "in a dict of this call": f"masks = {{}}\nif len(masks) == 0:\n    masks['mask'] = {MADE}",
    "where its dict has items": f"if len(self.masks) > 0:\n    self.masks['mask'] = {MADE}",
    "in another dict": f"if len(self.masks) == 0:\n    x['mask'] = {MADE}",
    "not kept": f"if self.mask is None:\n    x = x + {MADE}",
    "changed where it is there": f"if self.mask is not None:\n    self.mask = self.mask + {MADE}",
    "of this call": f"mask = size\nif mask is None:\n    mask = {MADE}",
    "of a count": f"if self.count > 0:\n    self.count = {MADE}",
    "of a number that was kept for another": f"mask = self.scale\nif mask < 0:\n    self.mask = {MADE}",
    "of a name that is kept by none": f"mask = x.sum()\nif mask < 0:\n    mask = self.mask = {MADE}",
    "of a name for other things": f"mask = self.mask\nmask = x\nif mask is None:\n    self.mask = {MADE}",
    "an item of this call": f"if x['mask'] is None:\n    x['mask'] = {MADE}",
    "kept, or asked for": f"if self.mask is None or x.dim() > 1:\n    self.mask = {MADE}",
    "for another size, or one that was given": f"""\
if size is not None or self.size != n:
    self.size = n
    self.mask = {MADE}""",
    "for one that was given": f"""\
if size is not None or self.size != n:
    self.size = n
    if size is not None:
        self.mask = {MADE}""",
    "for one that was given, if not then": f"""\
if size is not None or self.size != n:
    self.size, size = n, None
    if size is None:
        self.mask = {MADE}""",
    "where something else was asked": f"if self.scale != 1:\n    self.scale = 1\n    x = x + {MADE}",
    "beside what is kept": f"if self.mask is None:\n    self.mask = x\nx = x + {MADE}",
}


def method(code: str) -> str:
    return HEAD + "".join(f"        {line}\n" for line in code.split("\n"))


@pytest.mark.parametrize("code", ONCE.values(), ids=ONCE)
def test_what_is_kept_for_the_next_time_is_made_once(program: Program, code: str) -> None:
    assert program(method(code)).findings(RULE) == []


@pytest.mark.parametrize("code", EVERY_TIME.values(), ids=EVERY_TIME)
def test_what_is_kept_by_nobody_is_made_again(program: Program, code: str) -> None:
    assert len(program(method(code)).findings(RULE)) == 1


def test_a_wait_for_what_is_kept_comes_once(program: Program) -> None:
    once = program(LOOP.format("is None")).findings("item-in-training-loop")
    always = program(LOOP.format("is not None")).findings("item-in-training-loop")

    assert (len(once), len(always)) == (0, 1)


LOOP = """\
import torch
model = torch.nn.Linear(2, 2).cuda()
for x in loader:
    loss = model(x.cuda()).sum()
    loss.backward()
    if self.first {}:
        self.first = loss.item()
"""
