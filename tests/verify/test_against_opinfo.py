"""PyTorch's own database of operations: on a pretend GPU each gives what it gives on the CPU, and says it is there."""

from __future__ import annotations

import warnings

import pytest

pytest.importorskip("torch", reason="the simulator simulates torch")
pytest.importorskip("expecttest", reason="PyTorch's database of operations needs expecttest")

import torch
from torch import Tensor
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import OpInfo, SampleInput
from torch.utils._pytree import tree_leaves, tree_map

from torchlint.verify import simulated_cuda

# A few of each kind: elementwise, reductions, shapes, indexing, linear algebra, layers, losses, random.
SAMPLE = """
    add addcmul all amax any arange argsort atan2 bmm bucketize cat cdist chunk clamp cumsum diff einsum
    expand fft.fft2 flip full gather index_add index_copy index_select kthvalue
    linalg.cholesky linalg.inv linalg.norm linalg.solve linspace logsumexp masked_fill masked_select matmul
    max median nan_to_num new_zeros nonzero norm ones_like permute polygamma prod quantile
    repeat_interleave roll scatter_add searchsorted softmax sort split stack std svd take_along_dim
    topk trapezoid tril unbind unfold unique var where zeros
    nn.functional.avg_pool2d nn.functional.batch_norm nn.functional.binary_cross_entropy nn.functional.conv2d
    nn.functional.cosine_similarity nn.functional.cross_entropy nn.functional.embedding nn.functional.gelu
    nn.functional.group_norm nn.functional.interpolate nn.functional.layer_norm nn.functional.linear
    nn.functional.max_pool2d nn.functional.pad nn.functional.scaled_dot_product_attention
"""
NAMES = frozenset(SAMPLE.split())
OPERATIONS = [op for op in op_db if op.name in NAMES and not op.variant_test_name]


def on(device: str, value: object) -> object:
    """Copy the tensors of a nest to a device."""
    return tree_map(lambda leaf: leaf.detach().clone().to(device) if isinstance(leaf, Tensor) else leaf, value)


def tensors(value: object) -> list[Tensor]:
    return [leaf for leaf in tree_leaves(value) if isinstance(leaf, Tensor)]


def run(op: OpInfo, sample: SampleInput, device: str) -> list[Tensor]:
    torch.manual_seed(0)
    keywords = {name: device if name == "device" else on(device, value) for name, value in sample.kwargs.items()}
    return tensors(op(on(device, sample.input), *on(device, sample.args), **keywords))  # type: ignore[misc]  # a tuple


@pytest.mark.parametrize("op", OPERATIONS, ids=lambda op: op.name)
def test_an_operation_gives_what_the_cpu_gives(op: OpInfo) -> None:
    warnings.simplefilter("ignore")
    samples = list(op.sample_inputs("cpu", torch.float32))[:3]
    assert samples

    for sample in samples:
        expected = run(op, sample, "cpu")
        with simulated_cuda():
            results = run(op, sample, "cuda")
            devices = {str(result.device) for result in results}
            on_host = [result.cpu() for result in results]
        assert devices <= {"cuda:0"}
        torch.testing.assert_close(on_host, expected, equal_nan=True)


def test_the_sample_is_as_large_as_it_says() -> None:
    assert len({op.name for op in OPERATIONS}) >= 60
