"""What a file may be asked about devices, and what is on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from torchlint.model.worlds import ANYWHERE, WITH_CUDA, WITHOUT_CUDA
from torchlint.model.written import WrittenFile

if TYPE_CHECKING:
    from torchlint.model.calls import Call
    from torchlint.model.devices.conversions import RefusedConversion
    from torchlint.model.devices.creating import CreatedThenMoved
    from torchlint.model.devices.default_device import Shuffle
    from torchlint.model.devices.device_arguments import DeviceArgument
    from torchlint.model.devices.device_strings import RefusedDevice
    from torchlint.model.devices.hardcoded import CudaDemand
    from torchlint.model.devices.leaves import LostLeaf
    from torchlint.model.devices.left_states import LeftState
    from torchlint.model.devices.legacy import LegacyType
    from torchlint.model.devices.misplaced import MisplacedKind, MisplacedTensor
    from torchlint.model.devices.pinning import RefusedPinning
    from torchlint.model.devices.requests import DeviceRequest
    from torchlint.model.devices.visible import AbsentDevice
    from torchlint.model.edits.device_names import DeviceNames
    from torchlint.model.modules.lacking import LackingModule
    from torchlint.model.options.environment import EnvironmentStore
    from torchlint.model.place import Place
    from torchlint.model.training.entering import Story
    from torchlint.model.worlds import World


class AboutDevices(WrittenFile):
    """A file that can be asked these questions; what answers one is imported when somebody asks it."""

    def cuda_demands(self) -> Iterator[CudaDemand]:
        """Yield the places that ask for CUDA with nothing to keep them from machines that have none."""
        from torchlint.model.devices.hardcoded import cuda_demands

        return cuda_demands(self.project.evaluator(WITHOUT_CUDA), self)

    def device_names(self, places: Iterable[Place], *, is_any_accelerator: bool = False) -> DeviceNames:
        """Return what finds a name for the device at places that are to be mended."""
        from torchlint.model.edits.device_names import DeviceNames

        return DeviceNames(self, tuple(places), is_any_accelerator=is_any_accelerator)

    def environment_stores(self, name: str) -> Iterator[EnvironmentStore]:
        """Yield where the file sets an environment variable of its own process."""
        from torchlint.model.options.environment import environment_stores

        return environment_stores(self, name)

    def late_stores(self, name: str) -> Iterator[tuple[EnvironmentStore, Story]]:
        """Yield where the file sets an environment variable for CUDA after CUDA was started, and how it was."""
        from torchlint.model.devices.cuda_start import late_stores

        return late_stores(self.project.evaluator(ANYWHERE), self, name)

    def absent_devices(self) -> Iterator[AbsentDevice]:
        """Yield the GPUs that the file asks for beyond those that the program makes visible."""
        from torchlint.model.devices.visible import absent_devices

        return absent_devices(self.project.evaluator(ANYWHERE), self)

    def device_requests(self, world: World = ANYWHERE) -> Iterator[DeviceRequest]:
        """Yield the calls that ask for a device, with the argument that names it."""
        from torchlint.model.devices.requests import device_requests

        return device_requests(self.project.evaluator(world), self)

    def contexts_as_devices(self) -> Iterator[DeviceArgument]:
        """Yield the devices that calls are given and that may be a `torch.cuda.device`, which they refuse."""
        from torchlint.model.devices.cuda_contexts import contexts_as_devices, keeps_contexts

        is_kept = self.project.once(keeps_contexts)
        return contexts_as_devices(self.project.evaluator(ANYWHERE), self) if is_kept else iter(())

    def device_arguments(self, world: World = ANYWHERE) -> Iterator[DeviceArgument]:
        """Yield what the calls of PyTorch's functions and methods are given for a device."""
        from torchlint.model.devices.device_arguments import device_arguments

        return device_arguments(self.project.evaluator(world), self)

    def refused_devices(self) -> Iterator[RefusedDevice]:
        """Yield the texts that PyTorch is given where it expects a device, and refuses."""
        from torchlint.model.devices.device_strings import refused_devices

        return refused_devices(self)

    def legacy_cuda_types(self) -> Iterator[LegacyType]:
        """Yield where the file makes tensors of CUDA's old types, whatever the machine has."""
        from torchlint.model.devices.legacy import legacy_cuda_types

        return legacy_cuda_types(self.project.evaluator(WITHOUT_CUDA), self)

    def lacking_modules(self, attribute: str) -> Iterator[LackingModule]:
        """Yield where an attribute is read off a module whose classes have none of that name."""
        from torchlint.model.modules.lacking import lacking_modules

        return lacking_modules(self.project.evaluator(ANYWHERE), self, attribute)

    def created_then_moved(self) -> Iterator[CreatedThenMoved]:
        """Yield the calls that move a tensor right after it was made on the host, with every step."""
        from torchlint.model.devices.creating import created_then_moved

        return created_then_moved(self.project.evaluator(WITH_CUDA), self)

    def discarded_copies(self) -> Iterator[Call]:
        """Yield the calls that move, convert or detach what is a tensor for sure, and whose result nobody takes."""
        from torchlint.model.devices.discarding import discarded_copies

        return discarded_copies(self.project.evaluator(ANYWHERE), self)

    def lost_leaves(self) -> Iterator[LostLeaf]:
        """Yield the calls that move a tensor that wants gradients, and keep only the copy."""
        from torchlint.model.devices.leaves import lost_leaves

        return lost_leaves(self.project.evaluator(ANYWHERE), self)

    def shuffles_on_host(self) -> Iterator[Shuffle]:
        """Yield where the file shuffles with a generator on the CPU in a program whose default device is the GPU."""
        from torchlint.model.devices.default_device import shuffles_on_host

        return shuffles_on_host(self.project.evaluator(ANYWHERE), self)

    def misplaced_tensors(self, kind: MisplacedKind) -> Iterator[MisplacedTensor]:
        """Yield the tensors of a kind that are left on the CPU, and meet something on the GPU."""
        return (found for found in self._misplaced_tensors if found.kind == kind)

    @cached_property
    def _misplaced_tensors(self) -> tuple[MisplacedTensor, ...]:
        from torchlint.model.devices.misplaced import misplaced_tensors

        return tuple(misplaced_tensors(self.project.evaluator(WITH_CUDA), self))

    def left_states(self) -> Iterator[LeftState]:
        """Yield where optimizers are given a state that stays on the host when the module is moved afterwards."""
        from torchlint.model.devices.left_states import left_states

        return iter(self.project.once(left_states).get(self.path, ()))

    def refused_pinnings(self) -> Iterator[RefusedPinning]:
        """Yield where tensors are to be pinned that are on a GPU already."""
        from torchlint.model.devices.pinning import refused_pinnings

        return refused_pinnings(self.project.evaluator(WITH_CUDA), self)

    def refused_conversions(self) -> Iterator[RefusedConversion]:
        """Yield the conversions to ndarrays that raise: of tensors on a GPU, and of those that require grad."""
        from torchlint.model.devices.conversions import refused_conversions

        return refused_conversions(self.project.evaluator(WITH_CUDA), self)
