"""Which names are about where a program runs, and on how many devices and processes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from torchlint.syntax.walk import walk

# The words of options are often written together: `usegpu`, `nocuda`, `gpuid`.
_CHIPS = r"(?:use|no|with|on|enable|multi|num|n)?(?:gpus?|cuda)(?:ids?|num)?"
_WORDS = re.compile(
    rf"(?<![a-z])({_CHIPS}|devices?|accelerator|distributed|ddp|dist|((local|global|node)_?)?rank|world_?size|"
    r"nproc|launcher|slurm|ompi|pmix?|torchelastic|local_size|master_(addr|port)|amp|apex|fp16|half|mps|cpu|parallel|"
    r"multiprocessing|deepspeed|fsdp|horovod|nccl)(?![a-z])"
)
_HARDWARE = re.compile(rf"(?<![a-z])({_CHIPS}|devices?|accelerator|mps|cpu)(?![a-z])")
# The precision of numbers is most often a question of the GPU.
_PRECISIONS = frozenset({"amp", "apex", "fp16", "half"})


def is_about_device(name: str) -> bool:
    """Tell whether a name contains device, GPU, rank or the like: `use_cuda`, `n_gpu`, `LOCAL_RANK`."""
    return _WORDS.search(name.lower()) is not None


def is_about_precision(name: str) -> bool:
    """Tell whether a name contains only a precision of all these: `use_fp16`, but not `cuda_amp`."""
    words = {found[1] for found in _WORDS.finditer(name.lower())}
    return bool(words) and words <= _PRECISIONS


def speaks_of_hardware(node: ast.AST) -> bool:
    """Tell whether some code mentions a GPU, device or CPU, in a name or a string."""
    return any(_HARDWARE.search(_word(part).lower()) for part in walk(node))


def asks_about_device(test: ast.expr) -> bool:
    """Tell whether a test is about the device, the GPUs or the processes that a program has."""
    return any(True for _ in words_about_device(test))


def words_about_device(test: ast.expr) -> Iterator[ast.AST]:
    """Yield the names, attributes and strings of a test that say so."""
    besides = {part for node in walk(test) if _asks_for_software(node) for part in walk(node)}
    return (node for node in walk(test) if is_about_device(_word(node)) and node not in besides)


def is_named_after_hardware(node: ast.AST) -> bool:
    """Tell whether a name or attribute contains a device, and no process or precision: `labels_cuda`."""
    name = _word(node).lower()
    return isinstance(node, (ast.Name, ast.Attribute)) and len(_HARDWARE.findall(name)) == len(_WORDS.findall(name))


def _asks_for_software(node: ast.AST) -> bool:
    """Tell whether this is `dist.is_available()`, which is true in a build without CUDA as well."""
    match node:
        case ast.Call(func=ast.Attribute(value=asked, attr="is_available")):
            return not speaks_of_hardware(asked)
        case _:
            return False


def _word(node: ast.AST) -> str:
    match node:
        case ast.Attribute(attr=word) | ast.Name(id=word) | ast.Constant(value=str(word)):
            return word
        case _:
            return ""
