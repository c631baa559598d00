"""What the releases of PyTorch from 1.8 to 2.14 say is deprecated, and since when it raises.

Generated from their sources by `python -m benchmarks.deprecations.run --record`, of the wheels 1.8.1, 1.9.1, 1.10.2,
1.11.0, 1.12.1, 1.13.1, 2.0.1, 2.1.2, 2.2.2, 2.3.1, 2.4.1, 2.5.1, 2.6.0, 2.7.1, 2.8.0, 2.9.1, 2.10.0, 2.11.0,
2.12.1, 2.13.0 and 2.14.1; the same command without arguments compares it with the installed PyTorch.
"""

from __future__ import annotations

from typing import NamedTuple


class Marked(NamedTuple):
    """What the releases say of a name."""

    how: str
    """`warns`, `documented` (in a docstring alone, as far as the sources tell), `raises` (it exists, and only raises),
    or `silent` (it was removed and never marked)."""
    since: tuple[int, int] | None
    """The first release that marks it; 1.8 stands for that or an earlier one."""
    gone: tuple[int, int] | None
    """The first release in which it raises or is absent."""
    instead: str = ""
    """The replacement that PyTorch names, by its full name."""
    instead_since: tuple[int, int] | None = None


# Name, how, since, gone, instead, and the first release with that.
_ROWS = """\
functorch.combine_state_for_ensemble warns 2.0 -
functorch.functionalize warns 2.0 -
functorch.grad warns 2.0 -
functorch.grad_and_value warns 2.0 -
functorch.hessian warns 2.0 -
functorch.jacfwd warns 2.0 -
functorch.jacrev warns 2.0 -
functorch.jvp warns 2.0 -
functorch.make_functional warns 2.0 -
functorch.make_functional_with_buffers warns 2.0 -
functorch.vjp warns 2.0 -
functorch.vmap warns 2.0 -
torch._check_is_size warns 2.11 - torch._check 2.1
torch._sparse_coo_tensor_unsafe warns 2.0 2.4 torch.sparse_coo_tensor 1.8
torch.ao.quantization.QConfigDynamic warns 1.11 - torch.ao.quantization.QConfig 1.11
torch.ao.quantization.convert warns 2.8 -
torch.ao.quantization.get_default_qat_qconfig_dict warns 1.13 - torch.ao.quantization.get_default_qat_qconfig_mapping 1.13
torch.ao.quantization.get_default_qconfig_dict warns 1.13 - torch.ao.quantization.get_default_qconfig_mapping 1.13
torch.ao.quantization.prepare warns 2.8 -
torch.ao.quantization.prepare_qat warns 2.8 -
torch.ao.quantization.pt2e silent - 2.11
torch.ao.quantization.qconfig.QConfigDynamic warns 1.11 - torch.ao.quantization.qconfig.QConfig 1.10
torch.ao.quantization.qconfig.get_default_qat_qconfig_dict warns 1.13 - torch.ao.quantization.get_default_qat_qconfig_mapping 1.13
torch.ao.quantization.qconfig.get_default_qconfig_dict warns 1.13 - torch.ao.quantization.get_default_qconfig_mapping 1.13
torch.ao.quantization.quantize warns 2.8 -
torch.ao.quantization.quantize.convert warns 2.8 -
torch.ao.quantization.quantize.prepare warns 2.8 -
torch.ao.quantization.quantize.prepare_qat warns 2.8 -
torch.ao.quantization.quantize.quantize warns 2.8 -
torch.ao.quantization.quantize.quantize_dynamic warns 2.8 -
torch.ao.quantization.quantize.quantize_qat warns 2.8 -
torch.ao.quantization.quantize_dynamic warns 2.8 -
torch.ao.quantization.quantize_fx.convert_fx warns 2.8 -
torch.ao.quantization.quantize_fx.prepare_fx warns 2.8 -
torch.ao.quantization.quantize_fx.prepare_qat_fx warns 2.8 -
torch.ao.quantization.quantize_pt2e silent - 2.11
torch.ao.quantization.quantize_pt2e.convert_pt2e warns 2.8 2.11
torch.ao.quantization.quantize_pt2e.prepare_pt2e warns 2.8 2.11
torch.ao.quantization.quantize_pt2e.prepare_qat_pt2e warns 2.8 2.11
torch.ao.quantization.quantize_qat warns 2.8 -
torch.ao.quantization.quantizer silent - 2.11
torch.ao.quantization.quantizer.xnnpack_quantizer.XNNPACKQuantizer warns 2.7 2.11
torch.ao.sparsity silent - 2.0
torch.autograd.function.traceable warns 2.3 2.4
torch.autograd.gradcheck.get_analytical_jacobian warns 1.9 -
torch.autograd.gradcheck.get_numerical_jacobian warns 1.9 -
torch.autograd.gradcheck.zero_gradients silent - 1.9
torch.autograd.variable raises 1.8 1.12 torch.tensor 1.8
torch.backends.cuda.sdp_kernel warns 2.3 -
torch.chain_matmul documented 1.9 - torch.linalg.multi_dot 1.9
torch.cholesky raises 1.9 2.14 torch.linalg.cholesky 1.8
torch.compiler._patch_autograd_grad warns 2.13 - torch.compiler._patch_engine_backward 2.13
torch.cpu.amp.GradScaler warns 2.4 - torch.amp.GradScaler 2.3
torch.cpu.amp.autocast warns 2.4 - torch.amp.autocast 1.12
torch.cpu.amp.autocast_mode.autocast warns 2.4 - torch.amp.autocast 1.12
torch.cpu.amp.grad_scaler.GradScaler warns 2.4 - torch.amp.GradScaler 2.3
torch.cuda.amp.GradScaler warns 2.4 - torch.amp.GradScaler 2.3
torch.cuda.amp.autocast warns 2.4 - torch.amp.autocast 1.12
torch.cuda.amp.autocast_mode._cast warns 2.4 - torch.amp.autocast_mode._cast 2.4
torch.cuda.amp.autocast_mode.autocast warns 2.4 - torch.amp.autocast 1.12
torch.cuda.amp.autocast_mode.custom_bwd warns 2.4 - torch.amp.custom_bwd 2.4
torch.cuda.amp.autocast_mode.custom_fwd warns 2.4 - torch.amp.custom_fwd 2.4
torch.cuda.amp.custom_bwd warns 2.4 - torch.amp.custom_bwd 2.4
torch.cuda.amp.custom_fwd warns 2.4 - torch.amp.custom_fwd 2.4
torch.cuda.amp.grad_scaler.GradScaler warns 2.4 - torch.amp.GradScaler 2.3
torch.cuda.max_memory_cached warns 1.8 - torch.cuda.max_memory_reserved 1.8
torch.cuda.memory.max_memory_cached warns 1.8 - torch.cuda.max_memory_reserved 1.8
torch.cuda.memory.memory_cached warns 1.8 - torch.cuda.memory_reserved 1.8
torch.cuda.memory_cached warns 1.8 - torch.cuda.memory_reserved 1.8
torch.distributed._all_gather_base warns 1.13 - torch.distributed.all_gather_single 2.13
torch.distributed._reduce_scatter_base warns 1.13 - torch.distributed.reduce_scatter_single 2.13
torch.distributed.all_gather_coalesced warns 1.13 -
torch.distributed.all_gather_into_tensor warns 2.13 - torch.distributed.all_gather_single 2.13
torch.distributed.all_gather_multigpu warns 1.13 2.2
torch.distributed.all_reduce_coalesced warns 1.13 -
torch.distributed.all_reduce_multigpu warns 1.13 2.2
torch.distributed.broadcast_multigpu warns 1.13 2.2
torch.distributed.checkpoint.load_state_dict warns 2.2 - torch.distributed.checkpoint.load 2.2
torch.distributed.checkpoint.save_state_dict warns 2.2 - torch.distributed.checkpoint.save 2.2
torch.distributed.checkpoint.state_dict_loader.load_state_dict warns 2.2 - torch.distributed.checkpoint.state_dict_loader.load 2.2
torch.distributed.checkpoint.state_dict_saver.save_state_dict warns 2.2 - torch.distributed.checkpoint.state_dict_saver.save 2.2
torch.distributed.distributed_c10d._all_gather_base warns 1.13 - torch.distributed.all_gather_single 2.13
torch.distributed.distributed_c10d._get_global_rank warns 1.13 - torch.distributed.distributed_c10d.get_global_rank 1.13
torch.distributed.distributed_c10d._get_pg_default_device warns 2.6 - torch.distributed.distributed_c10d._get_object_coll_device 2.6
torch.distributed.distributed_c10d._reduce_scatter_base warns 1.13 - torch.distributed.reduce_scatter_single 2.13
torch.distributed.distributed_c10d._set_pg_timeout warns 2.14 - torch.distributed.set_timeout 2.14
torch.distributed.distributed_c10d.all_gather_coalesced warns 1.13 -
torch.distributed.distributed_c10d.all_gather_into_tensor warns 2.13 - torch.distributed.all_gather_single 2.13
torch.distributed.distributed_c10d.all_gather_multigpu warns 1.13 2.2
torch.distributed.distributed_c10d.all_reduce_coalesced warns 1.13 -
torch.distributed.distributed_c10d.all_reduce_multigpu warns 1.13 2.2
torch.distributed.distributed_c10d.broadcast_multigpu warns 1.13 2.2
torch.distributed.distributed_c10d.gather_into_tensor warns 2.14 - torch.distributed.gather_single 2.14
torch.distributed.distributed_c10d.reduce_multigpu warns 1.13 2.2
torch.distributed.distributed_c10d.reduce_scatter_multigpu warns 1.13 2.2
torch.distributed.distributed_c10d.reduce_scatter_tensor warns 2.13 - torch.distributed.reduce_scatter_single 2.13
torch.distributed.fsdp.wrap.default_auto_wrap_policy silent - 1.12
torch.distributed.gather_into_tensor warns 2.14 - torch.distributed.gather_single 2.14
torch.distributed.launch.main warns 1.9 - torch.distributed.run 1.9
torch.distributed.pipeline warns 2.3 2.4
torch.distributed.reduce_multigpu warns 1.13 2.2
torch.distributed.reduce_scatter_multigpu warns 1.13 2.2
torch.distributed.reduce_scatter_tensor warns 2.13 - torch.distributed.reduce_scatter_single 2.13
torch.distributed.tensor.parallel.PairwiseParallel silent - 2.2
torch.eig raises 1.9 1.13 torch.linalg.eig 1.9
torch.export.dynamic_dim silent - 2.5
torch.export.export_for_inference silent - 2.8
torch.export.export_for_training warns 2.9 2.11 torch.export.export 2.1
torch.functional.chain_matmul documented 1.9 - torch.linalg.multi_dot 1.9
torch.functional.norm documented 1.8 - torch.linalg.vector_norm 1.9
torch.ger documented 1.8 - torch.outer 1.8
torch.hub._download_url_to_file warns 1.8 1.12 torch.hub.download_url_to_file 1.8
torch.hub.import_module warns 1.11 1.12
torch.is_deterministic warns 1.8 1.10 torch.are_deterministic_algorithms_enabled 1.8
torch.jit._fork warns 2.11 - torch.compile 2.0
torch.jit._set_fusion_strategy warns 2.11 - torch.compile 2.0
torch.jit._wait warns 2.11 - torch.compile 2.0
torch.jit.fork warns 2.11 - torch.compile 2.0
torch.jit.freeze warns 2.11 - torch.compile 2.0
torch.jit.interface warns 2.11 - torch.compile 2.0
torch.jit.load warns 2.10 - torch.export 2.1
torch.jit.optimize_for_inference warns 2.11 - torch.compile 2.0
torch.jit.save warns 2.10 - torch.export 2.1
torch.jit.script warns 2.10 - torch.compile 2.0
torch.jit.script_method warns 2.10 - torch.compile 2.0
torch.jit.set_fusion_strategy warns 2.11 - torch.compile 2.0
torch.jit.trace warns 2.10 - torch.compile 2.0
torch.jit.trace_module warns 2.10 - torch.compile 2.0
torch.jit.wait warns 2.11 - torch.compile 2.0
torch.library.impl_abstract warns 2.4 - torch.library.register_fake 2.4
torch.lstsq raises 1.9 1.13 torch.linalg.lstsq 1.9
torch.lu_solve documented 1.13 - torch.linalg.lu_solve 1.13
torch.matrix_rank raises 1.8 1.13 torch.linalg.matrix_rank 1.8
torch.multiprocessing.SpawnContext warns 1.8 - torch.multiprocessing.ProcessContext 1.8
torch.multiprocessing.spawn.SpawnContext warns 1.8 - torch.multiprocessing.spawn.ProcessContext 1.8
torch.nested_tensor silent - 1.13
torch.nn.Container warns 1.8 -
torch.nn.NLLLoss2d warns 1.8 - torch.nn.NLLLoss 1.8
torch.nn.UpsamplingBilinear2d documented 1.8 - torch.nn.functional.interpolate 1.8
torch.nn.UpsamplingNearest2d documented 1.8 - torch.nn.functional.interpolate 1.8
torch.nn.functional.upsample warns 1.8 - torch.nn.functional.interpolate 1.8
torch.nn.functional.upsample_bilinear warns 1.8 - torch.nn.functional.interpolate 1.8
torch.nn.functional.upsample_nearest warns 1.8 - torch.nn.functional.interpolate 1.8
torch.nn.modules.Container warns 1.8 -
torch.nn.modules.NLLLoss2d warns 1.8 - torch.nn.modules.NLLLoss 1.8
torch.nn.modules.UpsamplingBilinear2d documented 1.8 - torch.nn.functional.interpolate 1.8
torch.nn.modules.UpsamplingNearest2d documented 1.8 - torch.nn.functional.interpolate 1.8
torch.nn.modules.container.Container warns 1.8 -
torch.nn.modules.linear._LinearWithBias silent - 1.9
torch.nn.modules.loss.NLLLoss2d warns 1.8 - torch.nn.modules.loss.NLLLoss 1.8
torch.nn.modules.module.register_module_backward_hook documented 1.8 - torch.nn.modules.module.register_module_full_backward_hook 1.8
torch.nn.modules.rnn.apply_permutation warns 1.13 -
torch.nn.modules.upsampling.UpsamplingBilinear2d documented 1.8 - torch.nn.functional.interpolate 1.8
torch.nn.modules.upsampling.UpsamplingNearest2d documented 1.8 - torch.nn.functional.interpolate 1.8
torch.nn.parallel.DistributedDataParallelCPU warns 1.8 - torch.nn.parallel.DistributedDataParallel 1.8
torch.nn.parallel.scatter_gather.is_namedtuple warns 1.13 -
torch.nn.quantized.functional.upsample warns 1.8 1.13
torch.nn.quantized.functional.upsample_bilinear warns 1.8 1.13
torch.nn.quantized.functional.upsample_nearest warns 1.8 1.13
torch.nn.utils.clip_grad.clip_grad_norm warns 1.8 - torch.nn.utils.clip_grad_norm_ 1.8
torch.nn.utils.clip_grad_norm warns 1.8 - torch.nn.utils.clip_grad_norm_ 1.8
torch.nn.utils.stateless.functional_call warns 2.0 - torch.func.functional_call 2.0
torch.nn.utils.weight_norm documented 2.1 - torch.nn.utils.parametrizations.weight_norm 2.1
torch.nn.utils.weight_norm.weight_norm documented 2.1 - torch.nn.utils.parametrizations.weight_norm 2.1
torch.norm documented 1.8 - torch.linalg.vector_norm 1.9
torch.onnx.ExportOptions warns 2.8 2.9 torch.onnx.export 1.8
torch.onnx._export warns 1.13 2.5
torch.onnx.dynamo_export warns 2.7 2.9 torch.onnx.export 1.8
torch.onnx.export_to_pretty_string warns 2.5 2.6
torch.onnx.symbolic_registry silent - 1.13
torch.onnx.utils.export_to_pretty_string warns 2.5 2.6
torch.onnx.utils.setup_onnx_logging warns 2.7 2.9
torch.onnx.utils.unconvertible_ops warns 2.5 2.9
torch.onnx.verification.GraphInfo warns 2.7 2.9
torch.onnx.verification.find_mismatch warns 2.7 2.9
torch.onnx.verification.verify_aten_graph warns 2.7 2.9
torch.profiler.ExecutionGraphObserver silent - 2.1
torch.qr raises 1.9 2.14 torch.linalg.qr 1.8
torch.quantization.QConfigDynamic warns 1.11 - torch.quantization.QConfig 1.8
torch.quantization.convert warns 2.8 -
torch.quantization.prepare warns 2.8 -
torch.quantization.prepare_qat warns 2.8 -
torch.quantization.quantize warns 2.8 -
torch.quantization.quantize_dynamic warns 2.8 -
torch.quantization.quantize_qat warns 2.8 -
torch.range documented 1.8 - torch.arange 1.8
torch.set_default_tensor_type documented 2.2 - torch.set_default_dtype 1.8
torch.set_deterministic warns 1.8 1.10 torch.use_deterministic_algorithms 1.8
torch.solve raises 1.9 1.12 torch.linalg.solve 1.8
torch.svd documented 1.8 - torch.linalg.svd 1.8
torch.symeig raises 1.9 2.0 torch.linalg.eigh 1.8
torch.triangular_solve documented 1.11 - torch.linalg.solve_triangular 1.11
torch.utils._pytree.LeafSpec warns 2.10 -
torch.utils._pytree._is_leaf warns 2.8 - torch.utils._pytree.tree_is_leaf 2.8
torch.utils._pytree._is_namedtuple_instance warns 2.8 - torch.utils._pytree.is_namedtuple_instance 2.8
torch.utils._pytree._register_pytree_node warns 2.2 - torch.utils._pytree.register_pytree_node 2.2
torch.utils._pytree.pytree_to_str warns 2.1 - torch.utils._pytree.treespec_dumps 2.1
torch.utils._pytree.str_to_pytree warns 2.1 - torch.utils._pytree.treespec_loads 2.1
torch.utils.bottleneck silent - 2.10
torch.utils.data.backward_compatibility.worker_init_fn warns 1.12 -
torch.utils.data.graph.traverse documented 1.13 - torch.utils.data.graph.traverse_dps 1.13
torch.utils.data.graph_settings.apply_shuffle_seed warns 1.13 - torch.utils.data.graph_settings.apply_random_seed 1.13
torch.utils.model_dump.main warns 2.6 -
"""


def _version(text: str) -> tuple[int, int] | None:
    major, _, minor = text.partition(".")
    return (int(major), int(minor)) if minor else None


def _row(how: str, since: str, gone: str, instead: str = "", instead_since: str = "") -> Marked:
    return Marked(how, _version(since), _version(gone), instead, _version(instead_since))


MARKED = {name: _row(*columns) for name, *columns in (line.split() for line in _ROWS.splitlines())}
"""What is marked or removed, by its full name."""
