"""Which dtypes tensors and ndarrays have, by what made them. Checked on torch 2.13 with NumPy 2.4."""

from __future__ import annotations

from torchlint.pytorch import factories
from torchlint.pytorch.layers import WEIGHTED
from torchlint.pytorch.symbols import NN

_SAME = {"double": "float64", "float": "float32", "half": "float16", "long": "int64", "int": "int32", "short": "int16"}
_NAMES = frozenset("float64 float32 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64 complex128".split())

DTYPES = {
    **{f"torch.{name}": name for name in _NAMES},
    **{f"torch.{name}": dtype for name, dtype in _SAME.items()},
    **{f"numpy.{name}": name for name in _NAMES - {"bfloat16", "bool"}},
    "numpy.double": "float64", "numpy.single": "float32", "numpy.half": "float16", "numpy.bool_": "bool",
}  # fmt: skip
"""What a name stands for where a dtype is expected."""
PYTHON_TYPES = {"builtins.float": "float64", "builtins.int": "int64", "builtins.bool": "bool"}
"""What a type of Python stands for where NumPy expects a dtype; `int` is `int64` since NumPy 2.0 on Windows, too."""
NOT_OF_NUMPY = frozenset({"bfloat16"})
"""Dtypes that no ndarray has: to convert such a tensor raises `Got unsupported ScalarType BFloat16`."""
LEGACY_TENSORS = {
    f"torch.{name}Tensor": dtype
    for name, dtype in {
        "Float": "float32", "Double": "float64", "Half": "float16", "Long": "int64", "Int": "int32", "Short": "int16",
        "Byte": "uint8", "Bool": "bool", "Char": "int8",
    }.items()
}  # fmt: skip
"""Constructors of tensors, which convert what they are given, and name a dtype for `type()`."""

CASTS = {**_SAME, "bfloat16": "bfloat16", "char": "int8", "byte": "uint8", "bool": "bool"}
"""Methods of tensors that convert them."""
CONVERTING = frozenset({*CASTS, "to", "type", "type_as"})
"""Methods of tensors whose results may have another dtype than they have."""
OTHER_FLOATS = frozenset(name for name, dtype in CASTS.items() if "float" in dtype and dtype != "float32")
"""Those that convert to a floating-point dtype that is not the default."""
KEEPING = frozenset(
    "abs chunk clamp clip clone contiguous cpu cuda detach dropout expand expand_as flatten flip index_select"
    " movedim narrow neg permute pin_memory ravel relu repeat requires_grad_ reshape roll select split squeeze"
    " swapaxes t tile transpose unfold unsqueeze view".split()
)
"""Methods of tensors whose result has their dtype."""
KEEPING_FUNCTIONS = frozenset(f"torch.{name}" for name in KEEPING - {"cpu", "cuda", "expand", "repeat", "view"}) | {
    "torch.autograd.Variable",
    "torch.nn.functional.dropout",
    "torch.nn.functional.relu",
}
"""Functions whose result has the dtype of their first argument."""
REDUCING = frozenset({"mean", "std", "sum", "var"})
"""Methods of tensors and arrays of floating-point numbers that sum them up in their dtype."""
JOINING = frozenset(
    f"torch.{name}"
    for name in ("cat", "column_stack", "concat", "concatenate", "dstack", "hstack", "row_stack", "stack", "vstack")
)
"""Functions whose result has the dtype that all tensors of a list have."""
APPENDING = frozenset(name.rpartition(".")[2] for name in JOINING) - {"stack"}
"""Those that put a tensor behind what they returned before, `found = torch.cat((found, x))`, by their last names."""
OF_DATA = factories.OF_DATA | {"torch.from_numpy"}
"""Functions that make a tensor with the dtype of the array that they are given, unless `dtype=` says another."""
DEFAULT_FLOAT = frozenset(f"torch.{name}" for name in ("rand", "randn", "zeros", "ones", "empty", "linspace", "eye"))
"""Functions whose tensors have the default dtype, unless `dtype=` says another."""
OF_FILL = {"bool": "bool", "int": "int64", "float": "float32"}
"""The dtype of `torch.full(…)` for the types of Python of its fill value, unless `dtype=` says another.

Since 1.7; a floating-point one makes the default dtype. https://docs.pytorch.org/docs/stable/generated/torch.full.html
"""
FILLING = frozenset({"torch.full"})
ALWAYS_LONG = frozenset({"torch.randint", "torch.randperm"})
"""Functions whose tensors are `int64`, unless `dtype=` says another."""
SETS_DEFAULT = ("set_default_dtype", "set_default_tensor_type", "precision=64", "64-true")
"""What changes the default dtype, `float32`, of tensors and layers; Lightning's trainers take a `precision`."""

ARRAYS_OF_FLOATS = frozenset(
    f"numpy.{name}"
    for name in (
        "zeros ones empty eye identity linspace logspace geomspace loadtxt genfromtxt bartlett blackman hamming hanning"
    ).split()
)
"""Functions of NumPy whose arrays are `float64`, unless `dtype=` says another."""
ARRAYS_OF_INTEGERS = frozenset({"numpy.random.permutation", "numpy.argsort"})
"""Functions of NumPy whose arrays are `int64`."""
RANDOM = "numpy.random."
DRAWN = {
    **dict.fromkeys("rand randn random random_sample standard_normal".split(), ("float64", 0)),
    "exponential": ("float64", 1),
    **dict.fromkeys("normal uniform beta gamma".split(), ("float64", 2)),
    **dict.fromkeys(("integers", "randint"), ("int64", 2)),
}
"""Functions of `numpy.random` and methods of generators: what they draw unless `dtype=` says another, and where `size`
is passed, without which they return a number of Python."""
ARRAY_KEEPING = frozenset("copy reshape flatten ravel transpose squeeze clip round repeat swapaxes".split())
"""Methods of arrays whose result has their dtype."""
ARRAY_FUNCTIONS = frozenset(
    f"numpy.{name}"
    for name in (
        "abs absolute array asarray ascontiguousarray clip copy expand_dims flip fliplr flipud moveaxis negative"
        " pad ravel repeat reshape roll round square squeeze tile transpose"
    ).split()
)
"""Functions of NumPy whose result has the dtype of their first argument, where that is an array."""
DTYPE_SECOND = frozenset(f"numpy.{name}" for name in ("zeros", "ones", "empty", "array", "asarray"))
"""Functions of NumPy whose second argument is the dtype."""
ARRAY_MATHS = frozenset(f"numpy.{name}" for name in "sin cos tan tanh exp log log1p sqrt mean std var".split())
"""The same, where that is an array of floating-point numbers."""
ARRAY_JOINING = frozenset(f"numpy.{name}" for name in ("concatenate", "stack", "vstack", "hstack", "column_stack"))
"""Functions of NumPy whose result has the dtype that all arrays of a list have."""

FLOAT_LAYERS = frozenset(f"{NN}{name}" for name in WEIGHTED - {"Embedding", "EmbeddingBag"} if "Lazy" not in name)
"""Layers that raise for an input of another dtype than that of their weights, which is `float32` by default."""
NO_LABELS = frozenset({"int32", "int16", "int8"})
"""Dtypes of integers that are no labels of classes for the losses below: those want `int64`, or `uint8`."""
LABEL_LOSSES = {
    "torch.nn.CrossEntropyLoss": "torch.nn.functional.cross_entropy", "torch.nn.NLLLoss": "torch.nn.functional.nll_loss"
}  # fmt: skip
"""Losses of labels of classes: classes, and their functions."""

_INTEGERS = frozenset({"int64", "int32", "int16", "int8", "uint8", "bool"})
NO_TARGETS = {
    ("torch.nn.BCELoss", "torch.nn.functional.binary_cross_entropy"): _INTEGERS,
    ("torch.nn.BCEWithLogitsLoss", "torch.nn.functional.binary_cross_entropy_with_logits"): _INTEGERS,
    ("torch.nn.KLDivLoss", "torch.nn.functional.kl_div"): _INTEGERS,
    ("torch.nn.L1Loss", "torch.nn.functional.l1_loss"): frozenset({"bool"}),
    ("torch.nn.MultiLabelSoftMarginLoss", "torch.nn.functional.multilabel_soft_margin_loss"): frozenset({"bool"}),
}
"""Losses, as classes and as functions, and the dtypes of targets that they refuse; `mse_loss` takes all of them."""
NO_DOUBLES = {
    "torch.nn.BCELoss": "torch.nn.functional.binary_cross_entropy",
    "torch.nn.HuberLoss": "torch.nn.functional.huber_loss",
}
"""Losses, and their functions, that refuse `float64` targets of `float32` inputs; others compute in `float64` then.

`binary_cross_entropy` raises `Found dtype Double but expected Float` itself, `huber_loss` in `backward()`.
"""
