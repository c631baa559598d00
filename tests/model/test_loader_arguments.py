"""Which arguments of a loader contradict each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout

Program: TypeAlias = Callable[[str], Checkout]
RULE = "contradictory-loader-arguments"
HEAD = """\
import argparse, os, torch
from elsewhere import anything, options
from torch.utils.data import DataLoader, IterableDataset, RandomSampler, BatchSampler
class Stream(IterableDataset):
    def __iter__(self): yield from range(8)
stream, data = Stream(), list(range(8))
sampler = RandomSampler(data)
batches = BatchSampler(sampler, 2, False)
parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=0)
parser.add_argument("--distributed", action="store_true")
args = parser.parse_args()
"""
REFUSED = {
    "a sampler and shuffle": ("data, sampler=sampler, shuffle=True", "shuffle=True"),
    "by position": ("data, 4, True, sampler", "True"),
    "a batch sampler and a size": ("data, batch_sampler=batches, batch_size=4", "batch_size=4"),
    "a batch sampler and no size": ("data, batch_sampler=batches, batch_size=None", "batch_size=None"),
    "a batch sampler and shuffle": ("data, batch_sampler=batches, shuffle=True", "shuffle=True"),
    "a batch sampler and a sampler": ("data, batch_sampler=batches, sampler=sampler", "sampler=sampler"),
    "a batch sampler and dropping": ("data, batch_sampler=batches, drop_last=True", "drop_last=True"),
    "no batches, and the last dropped": ("data, batch_size=None, drop_last=True", "drop_last=True"),
    "kept workers, and none": ("data, persistent_workers=True", "persistent_workers=True"),
    "none written out": ("data, num_workers=0, prefetch_factor=2", "prefetch_factor=2"),
    "a context for none": ("data, multiprocessing_context='spawn'", "multiprocessing_context='spawn'"),
    "a timeout for none": ("data, timeout=30", "timeout=30"),
    "none on some machines": (
        "data, num_workers=0 if os.name == 'nt' else 4, persistent_workers=True",
        "persistent_workers=True",
    ),
    "a sampler in some runs": (
        "data, sampler=sampler if args.distributed else None, shuffle=True",
        "shuffle=True",
    ),
    "a stream that is shuffled": ("stream, shuffle=True", "shuffle=True"),
    "a stream with a sampler": ("stream, sampler=sampler", "sampler=sampler"),
    "a stream with a batch sampler": ("stream, batch_sampler=batches", "batch_sampler=batches"),
}
TAKEN = {
    "a sampler, and no shuffle": "data, sampler=sampler, shuffle=False",
    "no sampler": "data, sampler=None, shuffle=True",
    "shuffled where there is no sampler": (
        "data, sampler=sampler if args.distributed else None, shuffle=not args.distributed"
    ),
    "either": "data, sampler=sampler if args.distributed else None, shuffle=False if args.distributed else True",
    "nobody knows the sampler": "data, sampler=anything(), shuffle=True",
    "nobody knows whether to shuffle": "data, sampler=sampler, shuffle=options.shuffle",
    "a batch sampler by itself": "data, batch_sampler=batches, num_workers=2",
    "a batch sampler, and the size that is the default": "data, batch_sampler=batches, batch_size=1",
    "a batch sampler, and some size": "data, batch_sampler=batches, batch_size=anything()",
    "no batches": "data, batch_size=None",
    "no batches, nothing dropped": "data, batch_size=None, drop_last=False",
    "workers": "data, num_workers=2, prefetch_factor=2, persistent_workers=True, timeout=30",
    "as many as the user asks for": "data, num_workers=args.workers, persistent_workers=True",
    "some workers": "data, num_workers=anything(), persistent_workers=True",
    "kept where there are some": "data, num_workers=args.workers, persistent_workers=args.workers > 0",
    "asked ahead where there are some": "data, num_workers=args.workers, prefetch_factor=2 if args.workers else None",
    "more that nobody sees": "data, persistent_workers=True, **anything()",
    "more by position": "*anything(), persistent_workers=True",
    "a stream": "stream, batch_size=2, shuffle=False",
    "what may be a stream": "stream if args.distributed else data, shuffle=True",
}


@pytest.mark.parametrize(("arguments", "reported"), REFUSED.values(), ids=REFUSED)
def test_arguments_that_exclude_each_other_are_found(program: Program, arguments: str, reported: str) -> None:
    checkout = program(f"{HEAD}loader = DataLoader({arguments})\n")
    (found,) = checkout.findings(RULE)

    line = checkout.file().source.text.split("\n")[found.span.line - 1]
    assert line[found.span.column - 1 : found.span.end_column - 1] == reported


@pytest.mark.parametrize("arguments", TAKEN.values(), ids=TAKEN)
def test_arguments_that_a_loader_takes_are_left_alone(program: Program, arguments: str) -> None:
    assert program(f"{HEAD}loader = DataLoader({arguments})\n").reported(RULE) == []


@pytest.mark.parametrize(
    "code",
    [
        "try:\n    DataLoader(data, timeout=3)\nexcept ValueError:\n    pass\n",
        "with pytest.raises(ValueError):\n    DataLoader(data, timeout=3)\n",
        "class DataLoader:\n    def __init__(self, *args, **kwargs): pass\nDataLoader(data, timeout=3)\n",
        "from functools import partial\nmake = partial(DataLoader, num_workers=2)\nmake(data, timeout=3)\n",
    ],
    ids=["caught", "expected", "another class", "with workers elsewhere"],
)
def test_what_is_tried_out_or_no_loader_of_pytorch_is_left_alone(program: Program, code: str) -> None:
    assert program(HEAD + code).reported(RULE) == []


def test_the_callers_of_a_helper_say_what_its_parameters_are(program: Program) -> None:
    helper = "def make(data, shuffle, sampler=None):\n    return DataLoader(data, shuffle=shuffle, sampler=sampler)\n"

    apart = program(f"{HEAD}{helper}make(data, True)\nmake(data, False, sampler)\n").reported(RULE)
    both = program(f"{HEAD}{helper}make(data, True, sampler)\n").reported(RULE)

    assert (apart, both) == ([], ["return DataLoader(data, shuffle=shuffle, sampler=sampler)"])


@pytest.mark.parametrize("test", ["drawn is None", "not args.distributed"])
def test_a_test_before_the_loader_is_asked(program: Program, test: str) -> None:
    made = "drawn = sampler if args.distributed else None\n"

    code = f"{made}if {test}:\n    loader = DataLoader(data, sampler=drawn, shuffle=True)\n"

    assert program(HEAD + code).reported(RULE) == []
