"""What companions of PyTorch are: held against those that are installed."""

from __future__ import annotations

import importlib.util
import inspect
import pkgutil
import re
from importlib import import_module

import pytest

from torchlint.pytorch import companions
from torchlint.pytorch.companions import COMPANIONS, TAKEOVERS
from torchlint.pytorch.companions.accelerate import (
    ACCELERATORS,
    COLLECTIVE_FUNCTIONS,
    COLLECTIVES,
    COLLECTIVES_WITH,
    OWN_STEPS,
    PROCESSES,
    UNWRAPPING,
)
from torchlint.pytorch.companions.lightning import CONFIGURE, MANUAL, MODULES, REMOVED_HOOKS, STEPPED
from torchlint.pytorch.companions.torchmetrics import COUNTING, IN_PLACE
from torchlint.pytorch.companions.transformers import (
    ARGUMENTS,
    EVALUATION,
    KEPT_LESS,
    PASSED,
    REDUCED,
    SCHEDULES,
    SPEAKING,
    TRAINERS,
)
from torchlint.pytorch.kinds import Companion, PassedArgument, Takeover


def member(name: str) -> object:
    """Return what a full name stands for; a package that is not installed skips the test."""
    package, *parts = name.split(".")
    found: object = pytest.importorskip(package)
    path = package
    for part in parts:
        path = f"{path}.{part}"
        try:
            found = getattr(found, part)
        except AttributeError:
            found = import_module(path)
    return found


def _named(companion: Companion) -> set[str]:
    """Return the full names of the functions and classes that a companion's rows are about."""
    return {
        *companion.aliases,
        *companion.modules,
        *companion.passing,
        *companion.registries,
        *companion.environments,
        *companion.comparing_versions,
        *(row.name for row in companion.wrappers),
        *(name for row in companion.host_arguments for name in row.names),
    }


def test_a_companion_is_a_module_of_its_name() -> None:
    modules = [found.name for found in pkgutil.iter_modules(companions.__path__)]

    assert [companion.name for companion in COMPANIONS] == modules
    # Lightning had another name.
    other = {name for one in COMPANIONS for name in _named(one) if not name.startswith(f"{one.name}.")}
    assert {name.partition(".")[0] for name in other} == {"pytorch_lightning"}


_INSTALLED = [companion for companion in COMPANIONS if importlib.util.find_spec(companion.name)]


@pytest.mark.parametrize("companion", _INSTALLED, ids=lambda companion: companion.name)
def test_what_a_companion_has_is_there(companion: Companion) -> None:
    for name in sorted(_named(companion)):
        if name.startswith(f"{companion.name}."):
            assert callable(member(name)), name
    for prefix in (*companion.module_makers, *companion.module_spaces):
        assert prefix.rstrip(".") == companion.name or member(prefix.rstrip(".")), prefix


@pytest.mark.parametrize("name", sorted(name for row in TAKEOVERS for name in row.names))
def test_what_takes_a_module_over_is_there(name: str) -> None:
    assert callable(member(name))


@pytest.mark.parametrize("row", TAKEOVERS, ids=lambda row: row.source)
def test_whoever_takes_a_module_over_goes_back(row: Takeover) -> None:
    owners = {"deepspeed.DeepSpeedEngine"} if row.is_module else {name.rpartition(".")[0] for name in row.names}

    assert [owner for owner in sorted(owners) if not callable(vars(member(owner)).get("backward"))] == []


def test_an_accelerator_is_one_class_by_any_name() -> None:
    assert len({member(name) for name in ACCELERATORS}) == 1


@pytest.mark.parametrize("row", PASSED, ids=lambda row: row.method)
def test_a_trainer_takes_what_it_passes(row: PassedArgument) -> None:
    method = getattr(member("transformers.Trainer"), row.method)
    parameters = list(inspect.signature(method).parameters)[1:]

    assert row.name in parameters
    assert row.position is None or parameters[row.position] == row.name
    assert [caller for caller in row.callers if not hasattr(member("transformers.Trainer"), caller)] == []


def test_a_trainer_is_a_class() -> None:
    assert [name for name in TRAINERS if not name.startswith("trl.") and not inspect.isclass(member(name))] == []


def test_a_lightning_module_has_none_of_the_hooks_that_were_removed() -> None:
    module = member("lightning.LightningModule")

    assert [row.method for row in REMOVED_HOOKS if hasattr(module, row.method)] == []
    assert module is member("lightning.pytorch.core.module.LightningModule")
    assert {"lightning.LightningModule", "pytorch_lightning.LightningModule"} <= MODULES


def test_an_accelerator_is_told_how_schedulers_step() -> None:
    accelerator = member("accelerate.Accelerator")
    assert inspect.isclass(accelerator)

    assert OWN_STEPS - set(inspect.signature(accelerator).parameters) == set()
    assert hasattr(accelerator, PROCESSES)


def test_functions_that_return_schedulers_are_named_alike() -> None:
    names = [name for name in vars(member("transformers.optimization")) if re.match("get_.*schedule", name)]

    assert [one for one in names if not SCHEDULES.match(f"transformers.{one}")] == ["get_reduce_on_plateau_schedule"]


def test_the_collectives_of_an_accelerator_are_there() -> None:
    accelerator = member("accelerate.Accelerator")
    methods = COLLECTIVES.union(*COLLECTIVES_WITH.values())
    assert inspect.isclass(accelerator)

    assert [name for name in methods if not callable(getattr(accelerator, name, None))] == []
    assert COLLECTIVES_WITH.keys() - inspect.signature(accelerator).parameters.keys() == set()
    assert [name for name in COLLECTIVE_FUNCTIONS if not callable(member(name))] == []


def test_an_accelerator_gives_back_the_module_inside() -> None:
    assert [name for name in UNWRAPPING if not callable(member(name))] == []


def test_a_trainer_is_told_to_keep_less() -> None:
    trainer, told = member("transformers.Trainer"), member("transformers.Seq2SeqTrainingArguments")
    assert inspect.isclass(trainer)
    assert inspect.isclass(told)

    assert REDUCED in inspect.signature(trainer).parameters
    assert [name for name in KEPT_LESS if not hasattr(told, name)] == []
    assert "eval_accumulation_steps" in inspect.signature(told).parameters
    # The one that is not there belongs to 4.x.
    assert {name for name in EVALUATION if not hasattr(trainer, name)} <= {"prediction_loop"}
    assert [name for name in ARGUMENTS if not name.startswith("trl.") and not inspect.isclass(member(name))] == []


@pytest.mark.parametrize("name", ["AutoModelForCausalLM", "GPT2LMHeadModel", "BertForMaskedLM"])
def test_a_language_model_is_known_by_its_name(name: str) -> None:
    assert SPEAKING.fullmatch(f"transformers.{name}.from_pretrained")
    assert inspect.isclass(member(f"transformers.{name}"))


def test_a_lightning_module_is_told_who_steps() -> None:
    module, trainer = member("lightning.LightningModule"), member("lightning.Trainer")

    assert [name for name in (MANUAL, CONFIGURE) if not hasattr(module, name)] == []
    assert [name for name in STEPPED if not hasattr(module, name) and not hasattr(trainer, name)] == []


@pytest.mark.parametrize("name", "Accuracy ConfusionMatrix F1Score JaccardIndex Precision Recall StatScores".split())
def test_a_metric_that_counts_has_tensors_and_no_lists(name: str) -> None:
    full = f"torchmetrics.classification.Multiclass{name}"
    metric = getattr(pytest.importorskip("torchmetrics.classification"), f"Multiclass{name}")(num_classes=3)

    assert COUNTING.fullmatch(full)
    assert [state for state in vars(metric)["_defaults"].values() if isinstance(state, list)] == []
    assert [method for method in IN_PLACE if not callable(getattr(metric, method))] == []
