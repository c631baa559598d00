"""What keeps a demand for CUDA from machines that have none, and what does not: loops over the GPUs that there are."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from tests.model.guards.programs import HEAD, RULE

Program: TypeAlias = Callable[[str], Checkout]

GUARDED = {
    "what a loop has beside each device": """
        for name, is_there in (("cuda", torch.cuda.is_available()), ("cpu", True)):
            if is_there:
                model.to(name)
        for name, is_there in [("cuda", torch.cuda.is_available()), ("cpu", True)]:
            if not is_there:
                continue
            model.to(torch.device(name))
        """,
    "a list that is filled where there is CUDA": """
        ids = []
        for one in range(torch.cuda.device_count()):
            ids.append(one)
        if ids:
            model.cuda()
        """,
    "a loop beside all GPUs": """
        def spread(parts):
            return [part.cuda(index) for part, index in zip(parts, range(torch.cuda.device_count()))]
        """,
    "a loop over a list of all GPUs": """
        indices = [index for index in range(torch.cuda.device_count())]
        for rank, index in enumerate(sorted(indices)):
            model.cuda(index)
        """,
    "a loop over the other GPUs": """
        for index in range(1, torch.cuda.device_count()):
            model.cuda(index)
        """,
    "a loop over the devices of a wrapper": """
        wrapped = nn.DataParallel(model, device_ids=[0, 1])
        for index in wrapped.device_ids:
            torch.cuda.set_device(index)
        """,
    "a loop over the devices of a wrapper of one's own": """
        class Spread(nn.DataParallel):
            def parts_of(self, image):
                return [image.cuda(index) for index in self.device_ids]
        """,
    "an assert of what a loop goes through": """
        def cat(xs):
            for x in xs:
                assert isinstance(x, torch.cuda.LongTensor), x
            return torch.cat([*xs, torch.zeros(3, device="cuda")])
        """,
    "a loop over the devices": """
        for index in range(torch.cuda.device_count()):
            model.to(f"cuda:{index}")
        """,
    "a comprehension": """
        [model.to(f"cuda:{i}") for i in range(torch.cuda.device_count())]
        """,
    "a comprehension's test": """
        [model.cuda() for _ in range(2) if torch.cuda.is_available()]
        """,
}
UNGUARDED = {
    "what a loop has beside another device": """
        for name, is_there in (("cuda", True), ("cpu", torch.cuda.is_available())):
            if is_there:
                model.to(name)
        """,
    "what a loop has beside each device, asked too late": """
        for name, is_there in (("cuda", torch.cuda.is_available()), ("cpu", True)):
            model.to(name)
            if is_there:
                break
        """,
    "a list that is made of itself without end": """
        def collated(batch):
            for parts in zip(*batch):
                model.cuda()
            return {key: collated([part[key] for part in batch]) for key in batch[0]}
        """,
    "what is called like a hook of DataParallel": """
        class Spread(nn.Module):
            def scatter(self, inputs, kwargs, device_ids):
                return [part.cuda(index) for part, index in zip(inputs, device_ids)]
        """,
    "a hook of DataParallel that somebody else calls too": """
        class Spread(nn.DataParallel):
            def scatter(self, inputs, kwargs, device_ids):
                return [part.cuda(index) for part, index in zip(inputs, device_ids)]
        def spread(inputs):
            return Spread(model).scatter(inputs, {}, [0])
        """,
    "a hook of DataParallel with a forward of one's own": """
        class Spread(nn.DataParallel):
            def scatter(self, inputs, kwargs, device_ids):
                return [part.cuda(index) for part, index in zip(inputs, device_ids)]
            def forward(self, inputs):
                return self.scatter(inputs, {}, [0])
        """,
    "a loop over a list of all GPUs that gets another one": """
        indices = [index for index in range(torch.cuda.device_count())]
        indices.append(0)
        for index in indices:
            model.cuda(index)
        """,
    "a loop over all GPUs and another one": """
        for index in list(range(torch.cuda.device_count())) + [0]:
            model.cuda(index)
        """,
    "a loop up to the last GPU": """
        for index in range(0, torch.cuda.device_count() + 1):
            model.cuda(index)
        """,
    "a loop over the devices that an heir of a wrapper sets": """
        class Spread(nn.DataParallel):
            def __init__(self, module):
                super().__init__(module)
                self.device_ids = [0, 1]
            def parts_of(self, image):
                return [image.cuda(index) for index in self.device_ids]
        """,
    "a loop over the devices of a module": """
        class Spread(nn.Module):
            def parts_of(self, image):
                return [image.cuda(index) for index in self.device_ids]
        """,
    "a loop over the devices of DistributedDataParallel, which may be given any": """
        wrapped = nn.parallel.DistributedDataParallel(model, device_ids=[0])
        for index in wrapped.device_ids:
            torch.cuda.set_device(index)
        """,
    "an assert about something else in a loop": """
        def cat(xs):
            for x in xs:
                assert isinstance(x, torch.LongTensor), x
            return torch.cat([*xs, torch.zeros(3, device="cuda")])
        """,
    "an assert of devices in a loop": """
        def cat(xs, y):
            for x in xs:
                assert x.device == y.device
            return torch.cat([*xs, torch.zeros(3, device="cuda")])
        """,
}


@pytest.mark.parametrize("code", GUARDED.values(), ids=GUARDED)
def test_a_machine_without_cuda_never_comes_here_or_is_prepared(program: Program, code: str) -> None:
    assert program(HEAD + dedent(code)).reported(RULE) == []


@pytest.mark.parametrize("code", UNGUARDED.values(), ids=UNGUARDED)
def test_what_keeps_nobody_away_is_no_guard(program: Program, code: str) -> None:
    assert len(program(HEAD + dedent(code)).reported(RULE)) == 1
