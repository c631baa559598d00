from __future__ import annotations

import copy
import gc
import io
import multiprocessing
import os
from pathlib import Path
from pickle import UnpicklingError

import pytest

pytest.importorskip("torch", reason="the simulator simulates torch")

from collections.abc import Callable

import numpy as np
import torch
from torch import distributed, nn
from torch.cuda import _sanitizer
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset

from torchlint.verify import simulated_cuda

MIXED = "Expected all tensors to be on the same device, but found at least two devices"


def network() -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 10)
    )


def losses_of_training(device: str, optimizer: Callable[..., torch.optim.Optimizer]) -> list[float]:
    torch.manual_seed(0)
    model = network().to(device)
    steps = optimizer(model.parameters(), lr=0.01)
    losses = []
    for _ in range(3):
        batch, labels = torch.randn(4, 3, 12, 12).to(device), torch.randint(10, (4,)).to(device)
        steps.zero_grad()
        loss = functional.cross_entropy(model(batch), labels)
        loss.backward()
        steps.step()
        losses.append(loss.item())
    return losses


OPTIMIZERS = ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "NAdam")


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_training_gives_the_numbers_that_the_cpu_gives(name: str) -> None:
    optimizer = getattr(torch.optim, name)
    expected = losses_of_training("cpu", optimizer)

    with simulated_cuda():
        losses = losses_of_training("cuda", optimizer)

    assert losses == pytest.approx(expected, rel=1e-5)


def test_a_tensor_says_where_it_is() -> None:
    with simulated_cuda(gpus=2):
        tensors = [
            torch.zeros(2, device="cuda:1"),
            torch.zeros(2).cuda(1),
            torch.zeros(2).to("cuda:1"),
            torch.zeros(2).to(1),
            torch.tensor([1.0, 2.0], device="cuda:1"),
            torch.zeros(2).to(torch.zeros(1, device="cuda:1")),
            torch.zeros(4, device="cuda:1")[::2],
            torch.zeros(2, device="cuda:1").detach().view(1, 2) + 1,
        ]

        assert [(str(tensor.device), tensor.is_cuda, tensor.get_device()) for tensor in tensors] == [
            ("cuda:1", True, 1)
        ] * len(tensors)


def test_a_module_is_where_it_was_moved_however_it_was_asked() -> None:
    with simulated_cuda(gpus=2):
        asked = [
            nn.Linear(2, 2).cuda(1),
            nn.Linear(2, 2).to("cuda:1"),
            nn.Linear(2, 2).to(1),
            nn.Linear(2, 2, device="cuda:1"),
            copy.deepcopy(nn.Linear(2, 2).to("cuda:1")),
        ]

        assert {str(model.weight.device) for model in asked} == {"cuda:1"}


def test_the_current_gpu_is_what_cuda_means() -> None:
    with simulated_cuda(gpus=3):
        with torch.cuda.device(2):
            inside = torch.zeros(1, device="cuda")
        torch.cuda.set_device(1)
        after = torch.zeros(1).cuda()

        assert (inside.get_device(), after.get_device(), torch.cuda.current_device()) == (2, 1, 1)


def test_the_default_device_may_be_a_gpu() -> None:
    with simulated_cuda():
        with torch.device("cuda"):
            placed = (torch.zeros(2), nn.Linear(2, 2).weight, torch.tensor([1]))

        assert all(tensor.is_cuda for tensor in placed)
        assert not torch.zeros(2).is_cuda


@pytest.mark.parametrize(
    "mix",
    [
        lambda gpu: gpu + torch.ones(4, 4),
        lambda gpu: torch.ones(4, 4) + gpu,
        lambda gpu: gpu @ torch.ones(4, 4),
        lambda gpu: gpu + torch.ones(4, 4, device="cuda:1"),
        lambda gpu: functional.cross_entropy(gpu, torch.zeros(4, dtype=torch.long)),
        lambda gpu: functional.embedding(torch.zeros(2, dtype=torch.long), gpu),
        lambda gpu: torch.cat([gpu, torch.ones(4, 4)]),
        lambda gpu: nn.BatchNorm1d(4).cuda()(torch.ones(4, 4)),
    ],
)
def test_tensors_on_two_devices_are_refused_in_the_words_of_pytorch(mix: Callable[[torch.Tensor], object]) -> None:
    with simulated_cuda(gpus=2), pytest.raises(RuntimeError, match=MIXED):
        mix(torch.ones(4, 4, device="cuda"))


def test_a_convolution_has_its_own_words() -> None:
    with (
        simulated_cuda(),
        pytest.raises(RuntimeError, match=r"\(torch.FloatTensor\) and .* \(torch.cuda.FloatTensor\)"),
    ):
        nn.Conv2d(1, 1, 3).cuda()(torch.ones(1, 1, 4, 4))


def test_a_number_on_the_cpu_mixes_with_everything() -> None:
    with simulated_cuda():
        assert (torch.ones(2, device="cuda") + torch.tensor(1.0)).is_cuda
        assert torch.ones(3, device="cuda")[torch.tensor([0, 2])].is_cuda


def test_gradients_find_their_way_back_to_the_cpu() -> None:
    with simulated_cuda():
        weight = torch.ones(3, requires_grad=True)
        (weight.cuda() * 2).sum().backward()

        assert weight.grad is not None
        assert (str(weight.grad.device), weight.grad.tolist()) == ("cpu", [2.0, 2.0, 2.0])


def test_numpy_has_to_be_asked_by_way_of_the_cpu() -> None:
    with simulated_cuda():
        tensor = torch.ones(2, device="cuda")

        for convert in (torch.Tensor.numpy, np.asarray):
            with pytest.raises(TypeError, match="can't convert cuda:0 device type tensor to numpy"):
                convert(tensor)
        assert np.asarray(tensor.cpu()).tolist() == [1.0, 1.0]


@pytest.mark.parametrize(("home", "gpus"), [(0, None), (0, [0, 1]), (2, [2, 3]), (1, [1])])
def test_data_parallel_computes_what_the_model_computes(home: int, gpus: list[int] | None) -> None:
    with simulated_cuda(gpus=4):
        torch.manual_seed(0)
        model = network().cuda(home).eval()
        batch = torch.randn(8, 3, 12, 12).cuda(home)
        parallel = nn.DataParallel(model, device_ids=gpus)

        output = parallel(batch)
        output.sum().backward()

        assert torch.allclose(output, model(batch), atol=1e-6)
        assert output.get_device() == home
        assert {
            gradient.get_device() for parameter in model.parameters() if (gradient := parameter.grad) is not None
        } == {home}


def test_data_parallel_scatters_batches_that_are_still_on_the_cpu() -> None:
    with simulated_cuda(gpus=2):
        assert nn.DataParallel(nn.Linear(3, 2).cuda())(torch.ones(4, 3)).shape == (4, 2)


def test_distributed_data_parallel_of_one_process_trains_on_a_gpu(tmp_path: Path) -> None:
    distributed.init_process_group("gloo", f"file://{tmp_path}/ranks", rank=0, world_size=1)
    with simulated_cuda(gpus=2):
        model = nn.Linear(3, 2).to("cuda:1")
        wrapped = DistributedDataParallel(model)

        for _ in range(3):
            wrapped(torch.ones(4, 3, device="cuda:1")).sum().backward()

        assert model.weight.grad is not None
        assert model.weight.grad.get_device() == 1
        assert model.weight.grad.tolist() == [[12.0] * 3] * 2
        del wrapped
    distributed.destroy_process_group()


def test_data_parallel_wants_the_model_on_its_first_gpu() -> None:
    wanted = r"on device cuda:2 \(device_ids\[0\]\) but found one of them on device: cuda:0"
    with simulated_cuda(gpus=4):
        model = nn.DataParallel(nn.Linear(2, 2).cuda(0), device_ids=[2, 3])

        with pytest.raises(RuntimeError, match=wanted):
            model(torch.ones(4, 2).cuda())


def test_there_are_no_more_gpus_than_asked_for() -> None:
    with simulated_cuda(gpus=2):
        with pytest.raises(RuntimeError, match="invalid device ordinal"):
            torch.zeros(1, device="cuda:2")
        with pytest.raises((RuntimeError, AssertionError)):
            nn.DataParallel(nn.Linear(2, 2).cuda(), device_ids=[0, 9])


def test_a_machine_without_gpus_says_so() -> None:
    with simulated_cuda(gpus=0):
        assert not torch.cuda.is_available()
        with pytest.raises(RuntimeError, match="Found no NVIDIA driver"):
            torch.zeros(1).cuda()


def test_a_tensor_stays_where_it_is_whatever_the_collector_does() -> None:
    with simulated_cuda():
        model = nn.Linear(2, 2).cuda()
        torch.save(model.state_dict(), io.BytesIO())
        gc.collect()

        assert model.weight.is_cuda


def test_batches_come_from_other_processes() -> None:
    with simulated_cuda():
        torch.zeros(1).cuda()
        batches = list(DataLoader(TensorDataset(torch.ones(4, 2)), batch_size=2, num_workers=2))

        assert [batch.cuda().is_cuda for (batch,) in batches] == [True, True]


# Before 2.6 `weights_only` wraps what is wrong with a file.
REFUSED = (RuntimeError, UnpicklingError)


def saved(gpu: int) -> io.BytesIO:
    file = io.BytesIO()
    with simulated_cuda(gpus=4):
        torch.save(nn.Linear(2, 2).cuda(gpu).state_dict(), file)
    file.seek(0)
    return file


def test_a_checkpoint_remembers_its_gpu() -> None:
    file = saved(gpu=1)

    with simulated_cuda(gpus=2):
        assert str(torch.load(file, weights_only=True)["weight"].device) == "cuda:1"


@pytest.mark.parametrize(
    ("gpus", "words"),
    [
        (1, r"CUDA device 3 but torch\.cuda\.device_count\(\) is 1"),
        (0, r"on a CUDA device but torch\.cuda\.is_available\(\) is False"),
    ],
)
def test_a_checkpoint_does_not_load_where_its_gpu_is_missing(gpus: int, words: str) -> None:
    file = saved(gpu=3)

    with simulated_cuda(gpus=gpus), pytest.raises(REFUSED, match=words):
        torch.load(file, weights_only=True)


def test_a_checkpoint_of_a_pretend_gpu_needs_map_location_on_the_real_machine() -> None:
    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    file = saved(gpu=0)

    with pytest.raises(REFUSED, match="Attempting to deserialize object on a CUDA device"):
        torch.load(file, weights_only=True)
    file.seek(0)
    assert str(torch.load(file, map_location="cpu", weights_only=True)["weight"].device) == "cpu"


needs_races = pytest.mark.skipif(
    not hasattr(_sanitizer, "FACTORY_FUNCTION_REGEX"), reason="the races of streams are told since 2.6"
)


@needs_races
def test_a_stream_that_waits_for_nobody_races() -> None:
    with simulated_cuda(races=True):
        stream = torch.cuda.Stream()
        batch = torch.ones(8, device="cuda")
        with torch.cuda.stream(stream), pytest.raises(Exception, match="detected 1 errors") as caught:
            batch.mul_(2)

        assert type(caught.value).__name__ == "CUDASanitizerErrors"


@needs_races
def test_a_stream_that_waits_does_not_race() -> None:
    with simulated_cuda(races=True):
        stream = torch.cuda.Stream()
        batch = torch.ones(8, device="cuda")
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            batch.mul_(2)
        torch.cuda.current_stream().wait_stream(stream)

        assert batch.sum().item() == 16


def use_cuda_in_child(answers: multiprocessing.queues.SimpleQueue[str]) -> None:
    try:
        torch.zeros(1, device="cuda")
        answers.put("used")
    except RuntimeError as error:
        answers.put(str(error))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_cannot_use_cuda_once_its_parent_has() -> None:
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()
    with simulated_cuda():
        torch.zeros(1, device="cuda")
        child = context.Process(target=use_cuda_in_child, args=(answers,))
        child.start()
        child.join()

    assert "Cannot re-initialize CUDA in forked subprocess" in answers.get()


def add_in_child(answers: multiprocessing.SimpleQueue[str], tensor: torch.Tensor) -> None:
    try:
        tensor[0].add(1)
        answers.put("used")
    except RuntimeError as error:
        answers.put(str(error))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize(("device", "answer"), [("cuda", "CUDA error: initialization error"), ("cpu", "used")])
def test_a_forked_child_cannot_work_on_what_its_parent_has_on_the_gpu(device: str, answer: str) -> None:
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()
    with simulated_cuda():
        torch.zeros(1, device="cuda")
        child = context.Process(target=add_in_child, args=(answers, torch.ones(2, device=device)))
        child.start()
        child.join()

    assert answers.get() == answer


def test_visible_devices_count_until_cuda_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with simulated_cuda(gpus=4):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,3")
        seen = [torch.cuda.device_count()]
        torch.cuda.init()
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
        seen.append(torch.cuda.device_count())

        assert seen == [2, 2]


def test_no_visible_device_is_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with simulated_cuda(gpus=4):
        assert not torch.cuda.is_available()
        with pytest.raises(RuntimeError, match="No CUDA GPUs are available"):
            torch.zeros(1, device="cuda")


def test_a_pinned_batch_may_be_on_its_way_while_the_host_goes_on() -> None:
    with simulated_cuda() as simulation:
        loader = DataLoader(TensorDataset(torch.ones(4, 2)), batch_size=2, pin_memory=True)
        for (batch,) in loader:
            assert batch.is_pinned()
            batch.to("cuda", non_blocking=True)

        assert simulation.log.total == 0


@pytest.mark.parametrize("name", ["FloatTensor", "BoolTensor"])
def test_types_of_tensors_on_a_gpu_say_so(name: str) -> None:
    with simulated_cuda():
        tensor = torch.zeros(2).type(f"torch.{name}")

        assert (tensor.type(), tensor.cuda().type()) == (f"torch.{name}", f"torch.cuda.{name}")


def test_what_is_on_a_gpu_cannot_be_pinned() -> None:
    refused = r"^cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be pinned$"
    with simulated_cuda():
        moved = torch.ones(4, 2).cuda()
        with pytest.raises(RuntimeError, match=refused):
            moved.pin_memory()
        with pytest.raises(RuntimeError, match=refused):
            next(iter(DataLoader(TensorDataset(moved), pin_memory=True)))

        assert torch.ones(2).pin_memory().is_pinned()


def test_mixed_precision_trains() -> None:
    with simulated_cuda():
        model = nn.Linear(4, 4).cuda()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        scaler = torch.amp.GradScaler("cuda", init_scale=2.0)
        before = model.weight.detach().clone()
        for _ in range(2):
            with torch.autocast("cuda", dtype=torch.float16):
                output = model(torch.ones(2, 4, device="cuda"))
            scaler.scale(output.float().sum()).backward()
            scaler.step(optimizer)
            scaler.update()

        assert output.dtype == torch.float16
        assert not torch.equal(before, model.weight)


def test_recurrent_and_attending_networks_run() -> None:
    with simulated_cuda():
        sequence = torch.randn(5, 2, 8, device="cuda")

        assert nn.LSTM(8, 4).cuda()(sequence)[0].is_cuda
        assert nn.TransformerEncoderLayer(8, 2, 16).cuda()(sequence).is_cuda


def test_a_wait_is_told_with_its_line_and_column() -> None:
    with simulated_cuda() as simulation:
        loss = torch.ones((), device="cuda")
        first, second = loss.item(), float(loss)

    sites = sorted(wait.site for wait in simulation.log.waits)
    assert {site.path for site in sites} == {__file__}
    assert simulation.log.total == first + second
    if hasattr(test_a_wait_is_told_with_its_line_and_column.__code__, "co_positions"):
        assert [(site.column, site.end_column) for site in sites] == [(24, 35), (37, 48)]


def test_a_wait_inside_pytorch_is_told_at_the_users_line() -> None:
    with simulated_cuda() as simulation:
        model = nn.Linear(2, 2).cuda()
        model(torch.ones(1, 2, device="cuda")).sum().backward()
        simulation.log.waits.clear()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)

    (wait,) = simulation.log.waits
    assert wait.site.path == __file__
    assert "torch/nn/utils/clip_grad.py" in wait.site.via


def test_only_one_simulation_runs_at_a_time() -> None:
    with simulated_cuda(), pytest.raises(RuntimeError, match="running already"), simulated_cuda():
        pass


def test_leaving_puts_pytorch_back_as_it_was() -> None:
    places = (torch, torch.cuda, torch.Tensor, torch._C, torch._C._nn, torch.nn.functional, torch.nn.parallel.comm)
    before = [dict(vars(place)) for place in places]
    packages = list(torch.serialization._package_registry)

    with pytest.raises(ZeroDivisionError), simulated_cuda():
        raise ZeroDivisionError

    assert [dict(vars(place)) for place in places] == before
    assert torch.serialization._package_registry == packages
    assert not torch.zeros(1).is_cuda


@pytest.mark.parametrize("name", ["clamp", "clamp_", "clip", "clamp_min", "clamp_max"])
def test_a_bound_on_the_cpu_is_refused_even_without_dimensions(name: str) -> None:
    with simulated_cuda(), pytest.raises(RuntimeError, match=MIXED):
        getattr(torch.ones(3, device="cuda"), name)(torch.tensor(0.5))


@pytest.mark.parametrize("name", ["clamp", "clip"])
def test_a_bound_beside_a_number_is_read_as_a_number(name: str) -> None:
    with simulated_cuda():
        result = getattr(torch.ones(3, device="cuda"), name)(0, torch.tensor(0.5))

    assert result.tolist() == [0.5, 0.5, 0.5]
