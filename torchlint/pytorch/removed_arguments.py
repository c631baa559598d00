"""Arguments that functions and classes of PyTorch had in a release from 1.8 on, and have no more: passing them raises.

Generated from the sources of the releases that `marked.py` names, by the same command. Only what takes no other
keywords is in the table. What is written here is under which name an argument is passed now: the tests check that the
newest release takes it.
"""

from __future__ import annotations

from typing import NamedTuple


class RemovedArgument(NamedTuple):
    """An argument that a function or class does not take any more."""

    argument: str
    gone: tuple[int, int]
    """The first release whose signature is without it."""
    position: int | None
    """Where it was passed, if a call with that many positional arguments raises; None if it does not."""


# Name, argument, gone, and position.
_ROWS = """\
torch.ao.quantization.FixedQParamsFakeQuantize dtype 1.11 2
torch.ao.quantization.FixedQParamsFakeQuantize qscheme 1.11 3
torch.ao.quantization.FixedQParamsFakeQuantize quant_max 1.11 5
torch.ao.quantization.FixedQParamsFakeQuantize quant_min 1.11 4
torch.ao.quantization.FixedQParamsFakeQuantize scale 1.11 -
torch.ao.quantization.FixedQParamsFakeQuantize zero_point 1.11 1
torch.ao.quantization.backend_config.utils.get_fused_module_classes backend_config_dict 1.13 -
torch.ao.quantization.backend_config.utils.get_fuser_method_mapping backend_config_dict 1.13 -
torch.ao.quantization.backend_config.utils.get_fusion_pattern_to_extra_inputs_getter backend_config_dict 1.13 -
torch.ao.quantization.backend_config.utils.get_fusion_pattern_to_root_node_getter backend_config_dict 1.13 -
torch.ao.quantization.backend_config.utils.get_module_to_qat_module backend_config_dict 1.13 -
torch.ao.quantization.backend_config.utils.get_pattern_to_dtype_configs backend_config_dict 1.13 -
torch.ao.quantization.backend_config.utils.get_pattern_to_input_type_to_index backend_config_dict 1.13 -
torch.ao.quantization.backend_config.utils.get_qat_module_classes backend_config_dict 1.13 -
torch.ao.quantization.backend_config.utils.get_root_module_to_quantized_reference_module backend_config_dict 1.13 -
torch.ao.quantization.fake_quantize.FixedQParamsFakeQuantize dtype 1.11 2
torch.ao.quantization.fake_quantize.FixedQParamsFakeQuantize qscheme 1.11 3
torch.ao.quantization.fake_quantize.FixedQParamsFakeQuantize quant_max 1.11 5
torch.ao.quantization.fake_quantize.FixedQParamsFakeQuantize quant_min 1.11 4
torch.ao.quantization.fake_quantize.FixedQParamsFakeQuantize scale 1.11 -
torch.ao.quantization.fake_quantize.FixedQParamsFakeQuantize zero_point 1.11 1
torch.ao.quantization.propagate_qconfig_ allow_list 1.11 -
torch.ao.quantization.quantize.propagate_qconfig_ allow_list 1.11 -
torch.ao.quantization.quantize_fx.convert_fx backend_config_dict 1.13 -
torch.ao.quantization.quantize_fx.convert_fx convert_custom_config_dict 1.13 -
torch.ao.quantization.quantize_fx.convert_fx is_reference 1.13 -
torch.ao.quantization.quantize_fx.convert_fx qconfig_dict 1.13 -
torch.ao.quantization.quantize_fx.fuse_fx backend_config_dict 1.13 -
torch.ao.quantization.quantize_fx.fuse_fx fuse_custom_config_dict 1.13 -
torch.ao.quantization.quantize_fx.prepare_fx backend_config_dict 1.13 -
torch.ao.quantization.quantize_fx.prepare_fx equalization_qconfig_dict 1.13 -
torch.ao.quantization.quantize_fx.prepare_fx prepare_custom_config_dict 1.13 -
torch.ao.quantization.quantize_fx.prepare_fx qconfig_dict 1.13 -
torch.ao.quantization.quantize_fx.prepare_qat_fx backend_config_dict 1.13 -
torch.ao.quantization.quantize_fx.prepare_qat_fx prepare_custom_config_dict 1.13 -
torch.ao.quantization.quantize_fx.prepare_qat_fx qconfig_dict 1.13 -
torch.autograd.gradcheck check_sparse_nnz 2.3 -
torch.autograd.gradcheck.get_analytical_jacobian input 1.9 -
torch.autograd.gradcheck.get_numerical_jacobian input 1.9 -
torch.autograd.gradcheck.gradcheck check_sparse_nnz 2.3 -
torch.autograd.profiler.FunctionEvent cuda_memory_usage 2.4 -
torch.autograd.profiler.FunctionEvent privateuse1_memory_usage 2.4 -
torch.autograd.profiler.profile use_cuda 2.14 -
torch.autograd.profiler.profile use_mtia 2.5 -
torch.autograd.profiler_util.FunctionEvent cuda_memory_usage 2.4 -
torch.autograd.profiler_util.FunctionEvent privateuse1_memory_usage 2.4 -
torch.compile shapes_spec 2.14 -
torch.cuda.MemPool symmetric 2.9 -
torch.cuda.memory.MemPool symmetric 2.9 -
torch.distributed.checkpoint.HuggingFaceStorageReader token 2.9 -
torch.distributed.checkpoint.HuggingFaceStorageWriter save_sharded 2.9 -
torch.distributed.checkpoint.HuggingFaceStorageWriter token 2.9 -
torch.distributed.checkpoint.hf_storage.HuggingFaceStorageReader token 2.9 -
torch.distributed.checkpoint.hf_storage.HuggingFaceStorageWriter save_sharded 2.9 -
torch.distributed.checkpoint.hf_storage.HuggingFaceStorageWriter token 2.9 -
torch.distributed.fsdp.FlatParameter params 2.1 -
torch.distributed.fsdp.FullyShardedDataParallel fsdp_auto_wrap_policy 1.12 -
torch.distributed.fsdp.FullyShardedDataParallel ignored_parameters 2.1 -
torch.distributed.fsdp.fully_sharded_data_parallel.FullyShardedDataParallel fsdp_auto_wrap_policy 1.12 -
torch.distributed.fsdp.fully_sharded_data_parallel.FullyShardedDataParallel ignored_parameters 2.1 -
torch.distributed.fsdp.wrap.lambda_auto_wrap_policy unwrapped_params 2.0 -
torch.distributed.fsdp.wrap.size_based_auto_wrap_policy unwrapped_params 2.0 -
torch.distributed.fsdp.wrap.transformer_auto_wrap_policy unwrapped_params 2.0 -
torch.distributed.nn.all_to_all tensors 1.11 -
torch.distributed.nn.functional.all_to_all tensors 1.11 -
torch.distributed.pipelining.ScheduleZBVZeroBubble stage_index_to_group_rank 2.7 -
torch.distributed.pipelining.schedules.PipelineScheduleMulti stage_index_to_group_rank 2.7 -
torch.distributed.pipelining.schedules.ScheduleZBVZeroBubble stage_index_to_group_rank 2.7 -
torch.distributed.tensor.parallel.api.parallelize_module tp_mesh_dim 2.3 3
torch.distributed.tensor.parallel.parallelize_module tp_mesh_dim 2.3 3
torch.einsum equation 1.10 -
torch.export.ExportedProgram call_spec 2.2 -
torch.export.ExportedProgram equality_constraints 2.3 -
torch.export.ExportedProgram tensor_constants 2.5 8
torch.export.ExportedProgram verifier 2.5 -
torch.export.export constraints 2.3 -
torch.export.export f 2.3 -
torch.export.exported_program.ExportedProgram equality_constraints 2.3 -
torch.export.exported_program.ExportedProgram tensor_constants 2.5 8
torch.export.exported_program.ExportedProgram verifier 2.5 -
torch.functional.einsum equation 1.10 -
torch.fx.Node type 1.10 -
torch.fx.Tracer enable_cpatching 1.11 -
torch.fx.node.Node type 1.10 -
torch.fx.symbolic_trace enable_cpatching 1.11 2
torch.fx.traceback.set_current_meta meta 2.1 -
torch.masked.is_masked_tensor a 2.5 -
torch.masked.maskedtensor.core.is_masked_tensor a 2.5 -
torch.masked.maskedtensor.is_masked_tensor a 2.5 -
torch.multiprocessing.ProcessContext error_queues 2.3 -
torch.multiprocessing.SpawnContext error_queues 2.3 -
torch.multiprocessing.spawn.ProcessContext error_queues 2.3 -
torch.multiprocessing.spawn.ProcessException pid 2.10 -
torch.multiprocessing.spawn.SpawnContext error_queues 2.3 -
torch.multiprocessing.spawn.start_processes numa_options 2.10 6
torch.multiprocessing.start_processes numa_options 2.10 6
torch.nested.as_nested_tensor tensor_list 2.4 -
torch.nn.ParameterList parameters 1.12 -
torch.nn.attention.varlen.varlen_attn is_causal 2.11 7
torch.nn.modules.ParameterList parameters 1.12 -
torch.nn.modules.container.ParameterList parameters 1.12 -
torch.onnx.errors.UnsupportedOperatorError domain 2.0 -
torch.onnx.errors.UnsupportedOperatorError op_name 2.0 -
torch.onnx.export aten 1.10 -
torch.onnx.export enable_onnx_checker 1.11 17
torch.onnx.export example_outputs 1.11 -
torch.onnx.export export_raw_ir 1.10 -
torch.onnx.export fallback 2.11 -
torch.onnx.export strip_doc_string 1.11 -
torch.onnx.export use_external_data_format 1.11 18
torch.optim.lr_scheduler.ConstantLR verbose 2.7 4
torch.optim.lr_scheduler.CosineAnnealingLR verbose 2.7 4
torch.optim.lr_scheduler.CosineAnnealingWarmRestarts verbose 2.7 5
torch.optim.lr_scheduler.CyclicLR verbose 2.7 13
torch.optim.lr_scheduler.ExponentialLR verbose 2.7 3
torch.optim.lr_scheduler.LRScheduler verbose 2.7 2
torch.optim.lr_scheduler.LambdaLR verbose 2.7 3
torch.optim.lr_scheduler.LinearLR verbose 2.7 5
torch.optim.lr_scheduler.MultiStepLR verbose 2.7 4
torch.optim.lr_scheduler.MultiplicativeLR verbose 2.7 3
torch.optim.lr_scheduler.OneCycleLR verbose 2.7 14
torch.optim.lr_scheduler.PolynomialLR verbose 2.7 4
torch.optim.lr_scheduler.ReduceLROnPlateau verbose 2.7 9
torch.optim.lr_scheduler.SequentialLR verbose 2.7 4
torch.optim.lr_scheduler.StepLR verbose 2.7 4
torch.optim.lr_scheduler._LRScheduler verbose 2.7 2
torch.package.PackageExporter verbose 1.10 -
torch.package.package_exporter.PackageExporter verbose 1.10 -
torch.profiler.profile use_cuda 2.14 -
torch.profiler.profiler.profile use_cuda 2.14 -
torch.quantization.FixedQParamsFakeQuantize dtype 1.11 2
torch.quantization.FixedQParamsFakeQuantize qscheme 1.11 3
torch.quantization.FixedQParamsFakeQuantize quant_max 1.11 5
torch.quantization.FixedQParamsFakeQuantize quant_min 1.11 4
torch.quantization.FixedQParamsFakeQuantize scale 1.11 -
torch.quantization.FixedQParamsFakeQuantize zero_point 1.11 1
torch.quantization.propagate_qconfig_ allow_list 1.11 -
torch.sparse.SparseSemiStructuredTensor compressed_tensor 2.2 -
torch.sparse.SparseSemiStructuredTensor compressed_tensor_cusparselt 2.3 -
torch.sparse.SparseSemiStructuredTensor meta_tensor_cutlass 2.3 -
torch.sparse.SparseSemiStructuredTensor original_shape 2.3 -
torch.sparse.SparseSemiStructuredTensor original_tensor 2.3 -
torch.sparse.SparseSemiStructuredTensor sparse_tensor_cutlass 2.3 -
torch.sparse.SparseSemiStructuredTensor threads_masks 2.4 -
torch.sparse.SparseSemiStructuredTensor transposed 2.3 -
torch.sparse.SparseSemiStructuredTensorCUSPARSELT threads_masks 2.4 -
torch.sparse.SparseSemiStructuredTensorCUTLASS threads_masks 2.4 -
torch.sparse.semi_structured.SparseSemiStructuredTensor compressed_tensor 2.2 -
torch.sparse.semi_structured.SparseSemiStructuredTensor compressed_tensor_cusparselt 2.3 -
torch.sparse.semi_structured.SparseSemiStructuredTensor meta_tensor_cutlass 2.3 -
torch.sparse.semi_structured.SparseSemiStructuredTensor original_shape 2.3 -
torch.sparse.semi_structured.SparseSemiStructuredTensor original_tensor 2.3 -
torch.sparse.semi_structured.SparseSemiStructuredTensor sparse_tensor_cutlass 2.3 -
torch.sparse.semi_structured.SparseSemiStructuredTensor threads_masks 2.4 -
torch.sparse.semi_structured.SparseSemiStructuredTensor transposed 2.3 -
torch.sparse.semi_structured.SparseSemiStructuredTensorCUSPARSELT threads_masks 2.4 -
torch.sparse.semi_structured.SparseSemiStructuredTensorCUTLASS threads_masks 2.4 -
torch.sym_sum args 2.12 -
torch.typename o 2.5 -
torch.use_deterministic_algorithms d 1.9 -
torch.utils.cpp_extension.include_paths cuda 2.6 -
torch.utils.cpp_extension.library_paths cuda 2.6 -
torch.utils.tensorboard.summary.scalar scalar 1.13 -
"""


def _parsed() -> dict[str, tuple[RemovedArgument, ...]]:
    found: dict[str, tuple[RemovedArgument, ...]] = {}
    for line in _ROWS.splitlines():
        name, argument, gone, position = line.split()
        major, minor = gone.split(".")
        row = RemovedArgument(argument, (int(major), int(minor)), None if position == "-" else int(position))
        found[name] = (*found.get(name, ()), row)
    return found


REMOVED_ARGUMENTS = _parsed()
"""The arguments that are gone, by the full name of what took them."""

RENAMED = {
    "constraints": "dynamic_shapes",
    "d": "mode",
    "f": "mod",
    "fsdp_auto_wrap_policy": "auto_wrap_policy",
    "ignored_parameters": "ignored_states",
    "parameters": "values",
    "qconfig_dict": "qconfig_mapping",
    "tensor_list": "ts",
    "unwrapped_params": "nonwrapped_numel",
}
"""What took the place of an argument, by the argument's name."""
WITHOUT_RESULT = frozenset({"verbose"})
"""Arguments of which only what a program prints depends."""
