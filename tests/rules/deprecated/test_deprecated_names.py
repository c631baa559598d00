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
from torchlint.pytorch.deprecated import DEPRECATED

Program: TypeAlias = Callable[[str], Checkout]
RULE = "deprecated-symbol"
HEAD = """\
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn import init
from torch.nn.utils import clip_grad_norm, weight_norm
"""
# They warn where a GPU, or processes, are there to be asked.
_ELSEWHERE = re.compile(r"torch\.(distributed|nn\.parallel|cuda\.reset)")
CALLED: dict[str, Callable[[Any, Any], object]] = {
    "torch.nn.init.constant": lambda torch, call: call(torch.empty(2, 2), 1.0),
    "torch.nn.init.dirac": lambda torch, call: call(torch.empty(2, 2, 2)),
    "torch.nn.init.sparse": lambda torch, call: call(torch.empty(2, 2), 0.5),
    "torch.nn.utils.clip_grad_norm": lambda torch, call: call([torch.nn.Parameter(torch.ones(1))], 1.0),
    "torch.nn.NLLLoss2d": lambda torch, call: call(),
    "torch.nn.Container": lambda torch, call: call(),
    "torch.nn.utils.weight_norm": lambda torch, call: call(torch.nn.Linear(2, 2)),
    "torch.nn.utils.stateless.functional_call": lambda torch, call: call(torch.nn.Linear(2, 2), {}, torch.ones(1, 2)),
    "torch.backends.cuda.sdp_kernel": lambda torch, call: ExitStack().enter_context(call()),
    "torch.cuda.memory_cached": lambda torch, call: call(),
    "torch.cuda.max_memory_cached": lambda torch, call: call(),
    "torch.range": lambda torch, call: call(0, 2),
    "torch.chain_matmul": lambda torch, call: call(torch.eye(2), torch.eye(2)),
    "torch.triangular_solve": lambda torch, call: call(torch.eye(2), torch.eye(2)),
    "torch.set_default_tensor_type": lambda torch, call: call(torch.FloatTensor),
    "torch.testing.assert_allclose": lambda torch, call: call(torch.eye(2), torch.eye(2)),
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
    "with other arguments": ("torch.qr(x, some=False)", None),
    "by its name alone": ("clip_grad_norm(ps, 1)", None),
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


@pytest.mark.parametrize("name", [name for name in DEPRECATED if not _ELSEWHERE.match(name)])
def test_it_warns(name: str) -> None:
    torch = pytest.importorskip("torch", minversion="2.9")
    call = found_in_torch(name)

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        CALLED.get(name, _of_a_matrix)(torch, call)

    assert re.search("deprecated|renamed", " ".join(str(one.message) for one in warned))


@pytest.mark.parametrize("name", DEPRECATED)
def test_it_is_there_and_so_is_what_stands_for_it(name: str) -> None:
    pytest.importorskip("torch", minversion="2.9")
    replacement = DEPRECATED[name]

    assert found_in_torch(name) is not None
    assert all(found_in_torch(one) is not None for one in re.findall(r"`(torch\.[\w.]+)`", replacement.instead))
    assert replacement.same == "" or found_in_torch(replacement.same) is not None


@pytest.mark.parametrize(("code", "mended"), MENDED.values(), ids=MENDED)
def test_what_means_the_same_is_written(program: Program, code: str, mended: str | None) -> None:
    (finding,) = program(f"{HEAD}{code}\n").findings(RULE)

    draft = Draft("main.py", f"{HEAD}{code}\n".encode())
    text = draft.edited(finding.fix.edits).decode() if finding.fix is not None else None
    assert text == (f"{HEAD}{mended}\n" if mended is not None else None)


@pytest.mark.parametrize("code", LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_what_is_others_or_prepared_is_left_alone(program: Program, code: str) -> None:
    assert not program(f"{HEAD}{code}").findings(RULE)
