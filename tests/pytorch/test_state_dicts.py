"""Functions that fill modules and optimizers with state dicts."""

from __future__ import annotations

import pytest

from torchlint.pytorch.state_dicts import FILLING_STATE

state_dict = pytest.importorskip("torch.distributed.checkpoint.state_dict", reason="these are functions of PyTorch")


def test_every_function_that_sets_a_state_dict_is_known() -> None:
    setting = {name for name in dir(state_dict) if name.startswith("set_") and name.endswith("_state_dict")}

    assert setting == {name for name in FILLING_STATE if hasattr(state_dict, name)}


def test_a_function_of_another_package_is_none_of_pytorch() -> None:
    assert {name for name in FILLING_STATE if not hasattr(state_dict, name)} == {"set_peft_model_state_dict"}
