"""Which names PyTorch warns of, and their replacements."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, TypeAlias

import pytest

from tests.checkout import Checkout
from tests.rules.deprecated.test_removed_names import found_in_torch
from torchlint.fixing.draft import Draft
from torchlint.pytorch.deprecated import DEPRECATED, READ
from torchlint.pytorch.marked import MARKED
from torchlint.registry import builtin_rules

Program: TypeAlias = Callable[[str], Checkout]
RULE = "deprecated-symbol"
HEAD = """\
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn import init
from torch.nn.utils import clip_grad_norm, weight_norm
"""
# What the sources say warns is compared with the table by other tests. These it cannot tell: they are compiled, or only
# a docstring is written there.
RUN = [
    name
    for name in DEPRECATED
    if name.startswith(("torch.nn.init.", "functorch."))
    or (name in MARKED and MARKED[name].how == "documented" and not name.startswith(("torch.nn.modules.", "torch.fun")))
]
DOCUMENTED_ALONE = frozenset({
    "torch.ger", "torch.norm", "torch.svd", "torch.nn.UpsamplingNearest2d", "torch.nn.UpsamplingBilinear2d",
})  # fmt: skip
CALLED: dict[str, Callable[[Any, Any], object]] = {
    "torch.nn.init.constant": lambda torch, call: call(torch.empty(2, 2), 1.0),
    "torch.nn.init.dirac": lambda torch, call: call(torch.empty(2, 2, 2)),
    "torch.nn.init.sparse": lambda torch, call: call(torch.empty(2, 2), 0.5),
    "torch.nn.utils.clip_grad_norm": lambda torch, call: call([torch.nn.Parameter(torch.ones(1))], 1.0),
    "torch.nn.NLLLoss2d": lambda torch, call: call(),
    "torch.nn.Container": lambda torch, call: call(),
    "torch.nn.utils.weight_norm": lambda torch, call: call(torch.nn.Linear(2, 2)),
    "torch.nn.utils.weight_norm.weight_norm": lambda torch, call: call(torch.nn.Linear(2, 2)),
    "torch.nn.utils.stateless.functional_call": lambda torch, call: call(torch.nn.Linear(2, 2), {}, torch.ones(1, 2)),
    "torch.backends.cuda.sdp_kernel": lambda torch, call: ExitStack().enter_context(call()),
    "torch.cuda.memory_cached": lambda torch, call: call(),
    "torch.cuda.max_memory_cached": lambda torch, call: call(),
    "torch.range": lambda torch, call: call(0, 2),
    "torch.chain_matmul": lambda torch, call: call(torch.eye(2), torch.eye(2)),
    "torch.triangular_solve": lambda torch, call: call(torch.eye(2), torch.eye(2)),
    "torch.set_default_tensor_type": lambda torch, call: call(torch.FloatTensor),
    "torch.testing.assert_allclose": lambda torch, call: call(torch.eye(2), torch.eye(2)),
    "torch.ger": lambda torch, call: call(torch.ones(2), torch.ones(2)),
    "torch.lu_solve": lambda torch, call: call(torch.eye(2), *torch.linalg.lu_factor(torch.eye(2))),
    "torch.nn.UpsamplingNearest2d": lambda torch, call: call(2),
    "torch.nn.UpsamplingBilinear2d": lambda torch, call: call(2),
    "torch.utils.data.graph.traverse": lambda torch, call: call(torch.utils.data.datapipes.iter.IterableWrapper([1])),
    "functorch.vjp": lambda torch, call: call(torch.sin, torch.eye(2)),
    "functorch.jvp": lambda torch, call: call(torch.sin, (torch.eye(2),), (torch.eye(2),)),
    "functorch.make_functional": lambda torch, call: call(torch.nn.Linear(2, 2)),
    "functorch.make_functional_with_buffers": lambda torch, call: call(torch.nn.Linear(2, 2)),
    "functorch.combine_state_for_ensemble": lambda torch, call: call([torch.nn.Linear(2, 2)]),
    "torch.library.impl_abstract": lambda torch, call: call("torchlint::none"),
    **{
        name: lambda torch, call: call(torch.ones(1, 1, 2, 2), scale_factor=2)
        for name in DEPRECATED
        if name.startswith("torch.nn.functional.upsample")
    },
}
MENDED = {
    "through the package": ("nn.init.normal(w)", "nn.init.normal_(w)"),
    "through the module": ("init.xavier_uniform(w, gain=2)", "init.xavier_uniform_(w, gain=2)"),
    "in full": ("torch.nn.utils.clip_grad_norm(ps, 1)", "torch.nn.utils.clip_grad_norm_(ps, 1)"),
    "of another name": ("F.upsample(x, size=3)", "F.interpolate(x, size=3)"),
    "with other arguments": ("torch.triangular_solve(x, y)", None),
    "by its name alone": ("clip_grad_norm(ps, 1)", None),
    "with a list": ("torch.chain_matmul(x, y)", "torch.linalg.multi_dot([x, y])"),
    "of an enumeration": ("op = torch.distributed.reduce_op.SUM", "op = torch.distributed.ReduceOp.SUM"),
    "through an import": ("from functorch import vmap, grad\nvmap(f)", "from torch.func import vmap, grad\nvmap(f)"),
    "through an import of more": ("from functorch import vmap, make_functional\nvmap(f)", None),
    "of the tree": (
        "import torch.utils._pytree as pytree\npytree._register_pytree_node(a, b, c)",
        "import torch.utils._pytree as pytree\npytree.register_pytree_node(a, b, c)",
    ),
    "of what changes the keys": ("weight_norm(nn.Linear(2, 2))", None),
}
LEFT_ALONE = {
    "a method of a tensor": "x.normal_(); y.cholesky()",
    "the range of Python": "range(3)",
    "a method of the project": "class Net:\n    def upsample(self, x): return x\nNet().upsample(x)",
    "what is not called": "f = nn.init.normal",
    "in what is done otherwise": (
        "try:\n    from torch.nn.utils import clip_grad_norm_\n"
        "except ImportError:\n    torch.nn.utils.clip_grad_norm(ps, 1)"
    ),
    "behind a test": "if hasattr(nn.init, 'normal_'): nn.init.normal_(w)\nelse: nn.init.normal(w)",
}


def _of_a_matrix(torch: Any, call: Any) -> object:
    return call(torch.eye(2))


@pytest.mark.parametrize("name", RUN)
def test_it_warns(name: str) -> None:
    torch = pytest.importorskip("torch", minversion="2.9")
    call = found_in_torch(name)

    # What is written in C++ warns once in a process, which another test may have done.
    torch.set_warn_always(True)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        CALLED.get(name, _of_a_matrix)(torch, call)
    torch.set_warn_always(False)

    said = re.search("deprecated|renamed|replaced", " ".join(str(one.message) for one in warned))
    assert (said is None) == (name in DOCUMENTED_ALONE)


def test_the_operation_of_a_reduction_warns_where_it_is_read() -> None:
    distributed = pytest.importorskip("torch", minversion="2.9").distributed

    with pytest.warns(FutureWarning, match="reduce_op` is deprecated"):
        operation = distributed.reduce_op.SUM
    assert operation == distributed.ReduceOp.SUM


@pytest.mark.parametrize("name", DEPRECATED)
def test_it_is_there_and_so_is_what_stands_for_it(name: str) -> None:
    torch = pytest.importorskip("torch", minversion="2.13")
    pytest.importorskip(name.partition(".")[0])
    replacement = DEPRECATED[name]
    if replacement.since > tuple(int(part) for part in torch.__version__.split(".")[:2]):
        pytest.skip("a newer PyTorch has the replacement")

    assert found_in_torch(name) is not None
    assert all(found_in_torch(one) is not None for one in re.findall(r"`(torch\.[\w.]+)`", replacement.instead))
    assert replacement.same == "" or found_in_torch(replacement.same) is not None


@pytest.mark.parametrize("name", [*DEPRECATED, *READ])
def test_a_file_that_names_it_is_looked_at(name: str) -> None:
    words = builtin_rules()[RULE].words
    module, _, last = name.rpartition(".")

    for text in (f"{name}(x)", f"from {module} import {last}\n"):
        assert any(word in text for word in words)


@pytest.mark.parametrize(("code", "mended"), MENDED.values(), ids=MENDED)
def test_what_means_the_same_is_written(program: Program, code: str, mended: str | None) -> None:
    (finding,) = program(f"{HEAD}{code}\n").findings(RULE)

    draft = Draft("main.py", f"{HEAD}{code}\n".encode())
    text = draft.edited(finding.fix.edits).decode() if finding.fix is not None else None
    assert text == (f"{HEAD}{mended}\n" if mended is not None else None)


@pytest.mark.parametrize("code", LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_what_is_others_or_prepared_is_left_alone(program: Program, code: str) -> None:
    assert not program(f"{HEAD}{code}").findings(RULE)
