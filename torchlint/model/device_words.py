"""Which names are about where a program runs, and on how many devices and processes."""

from __future__ import annotations

import ast
import re

from torchlint.model.walk import walk

_WORDS = re.compile(
    r"(?<![a-z])(cuda|n?gpus?|devices?|accelerator|distributed|ddp|dist|((local|global|node)_?)?rank|world_?size|"
    r"nproc|launcher|slurm|ompi|pmix?|torchelastic|local_size|master_(addr|port)|amp|apex|fp16|half|mps|cpu|parallel|"
    r"multigpu|multiprocessing)(?![a-z])"
)


def is_about_device(name: str) -> bool:
    """Tell whether a name says device, GPU, rank or the like: `use_cuda`, `n_gpu`, `LOCAL_RANK`."""
    return _WORDS.search(name.lower()) is not None


def asks_about_device(test: ast.expr) -> bool:
    """Tell whether a test is about the device, the GPUs or the processes that a program has."""
    return any(is_about_device(word) for word in _words(test))


def _words(test: ast.expr) -> list[str]:
    words = []
    for node in walk(test):
        match node:
            case ast.Attribute(attr=word) | ast.Name(id=word) | ast.Constant(value=str(word)):
                words.append(word)
    return words
