"""A file, and the questions that a rule may ask of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from torchlint.model.aliasing import StateAlias, state_aliases
from torchlint.model.asynchronous import PageableCopy, UnfinishedCopy, pageable_copies, unfinished_copies
from torchlint.model.bare_modules import BareModule, bare_modules
from torchlint.model.bypasses import Bypass, bypasses
from torchlint.model.calls import Call
from torchlint.model.checkpoint_loads import BareLoad, bare_loads
from torchlint.model.collectives import LonelyCollective, lonely_collectives
from torchlint.model.conversions import RefusedConversion, refused_conversions
from torchlint.model.creating import CreatedThenMoved, created_then_moved
from torchlint.model.cuda_start import late_stores
from torchlint.model.default_device import Shuffle, shuffles_on_host
from torchlint.model.device_arguments import DeviceArgument, device_arguments
from torchlint.model.device_names import DeviceNames
from torchlint.model.device_strings import RefusedDevice, refused_devices
from torchlint.model.discarding import discarded_copies
from torchlint.model.elementwise import ElementTransfer, element_transfers
from torchlint.model.environment import EnvironmentStore, environment_stores
from torchlint.model.evaluation import every_evaluated_batch
from torchlint.model.forks import ForkedCuda, forked_cuda
from torchlint.model.gathered_losses import GatheredLoss, gathered_losses
from torchlint.model.hardcoded import CudaDemand, cuda_demands
from torchlint.model.keeping import KeptGraph, kept_graphs
from torchlint.model.lacking import LackingModule, lacking_modules
from torchlint.model.leaves import LostLeaf, lost_leaves
from torchlint.model.legacy import LegacyType, legacy_cuda_types
from torchlint.model.loading import Load, loads_of
from torchlint.model.local_ranks import local_rank_options
from torchlint.model.misplaced import MisplacedKind, MisplacedTensor, misplaced_tensors
from torchlint.model.place import Place
from torchlint.model.rank_saves import RankSave, rank_saves
from torchlint.model.reads import WaitKind, reads
from torchlint.model.repeated_orders import RepeatedOrder, repeated_orders
from torchlint.model.replicas import LostState, lost_states
from torchlint.model.requests import DeviceRequest, device_requests
from torchlint.model.restoring import Taken, loaded_for_modules
from torchlint.model.saved import PickledModule, pickled_modules
from torchlint.model.saves import WrappedSave, wrapped_saves
from torchlint.model.steps import Story
from torchlint.model.streams import Crossing, unordered_crossings
from torchlint.model.sums import RunningSum, running_sum
from torchlint.model.timing import Timing, unsynchronized_timings
from torchlint.model.uncalled import Uncalled, uncalled_methods
from torchlint.model.unsharded import UnshardedLoader, unsharded_loaders
from torchlint.model.visible import AbsentDevice, absent_devices
from torchlint.model.waiting import Wait, wait_of
from torchlint.model.worlds import ANYWHERE, WITH_CUDA, WITHOUT_CUDA, World
from torchlint.model.wrapper_attributes import HiddenAttribute, hidden_attributes
from torchlint.model.wrapping_calls import MisplacedModule, misplaced_modules
from torchlint.model.written import WrittenFile


class SourceFile(WrittenFile):
    """A file of a project, as rules see it: beside what is written in it, what that means."""

    def cuda_demands(self) -> Iterator[CudaDemand]:
        """Yield the places that ask for CUDA with nothing to keep them from machines that have none."""
        return cuda_demands(self.project.evaluator(WITHOUT_CUDA), self)

    def device_names(self, places: Iterable[Place], *, is_any_accelerator: bool = False) -> DeviceNames:
        """Return what finds a name for the device at places that are to be mended."""
        return DeviceNames(self, tuple(places), is_any_accelerator=is_any_accelerator)

    def waits_every_step(self, kind: WaitKind) -> Iterator[tuple[Wait, Story]]:
        """Yield the reads of a kind that make the host wait with every training step, with the way to each."""
        return self._waits(kind, self.every_step) if self in self.project.training.files else iter(())

    def running_sum(self, place: Place, tensor: Place) -> RunningSum | None:
        """Return the sum that a number out of a tensor is added to, where nobody reads it before the loop is over."""
        return running_sum(place, tensor)

    def waits_every_batch(self, kind: WaitKind) -> Iterator[tuple[Wait, Story]]:
        """Yield the reads of a kind that make the host wait with every batch of an evaluation."""
        return self._waits(kind, self.every_evaluated_batch)

    def _waits(self, kind: WaitKind, when: Callable[[Place], Story | None]) -> Iterator[tuple[Wait, Story]]:
        """Yield the waits among the reads that run when asked for; when is cheaper to say than what."""
        if not self.project.library.asks_for_devices:
            return
        found: set[tuple[str, int, int, int, int]] = set()
        for read in reads(self, kind):
            if read.place.key in found or (story := when(read.place)) is None:
                continue
            if (wait := wait_of(self.project.evaluator(ANYWHERE), read, kind)) is not None:
                found.add(read.place.key)
                yield wait, story

    def environment_stores(self, name: str) -> Iterator[EnvironmentStore]:
        """Yield where the file sets an environment variable of its own process."""
        return environment_stores(self, name)

    def absent_devices(self) -> Iterator[AbsentDevice]:
        """Yield the GPUs that the file asks for beyond those that the program makes visible."""
        return absent_devices(self.project.evaluator(ANYWHERE), self)

    def discarded_copies(self) -> Iterator[Call]:
        """Yield the calls that move, convert or detach what is a tensor for sure, and whose result nobody takes."""
        return discarded_copies(self.project.evaluator(ANYWHERE), self)

    def lost_leaves(self) -> Iterator[LostLeaf]:
        """Yield the calls that move a tensor that wants gradients, and keep only the copy."""
        return lost_leaves(self.project.evaluator(ANYWHERE), self)

    def legacy_cuda_types(self) -> Iterator[LegacyType]:
        """Yield where the file makes tensors of CUDA's old types, whatever the machine has."""
        return legacy_cuda_types(self.project.evaluator(WITHOUT_CUDA), self)

    def created_then_moved(self) -> Iterator[CreatedThenMoved]:
        """Yield the calls that move a tensor right after it was made on the host, with every step."""
        return created_then_moved(self.project.evaluator(ANYWHERE), self)

    def shuffles_on_host(self) -> Iterator[Shuffle]:
        """Yield where the file shuffles with a generator on the CPU in a program whose default device is the GPU."""
        return shuffles_on_host(self.project.evaluator(ANYWHERE), self)

    def late_stores(self, name: str) -> Iterator[tuple[EnvironmentStore, Story]]:
        """Yield where the file sets an environment variable for CUDA after CUDA was started, and how it was."""
        return late_stores(self.project.evaluator(ANYWHERE), self, name)

    def device_requests(self, world: World = ANYWHERE) -> Iterator[DeviceRequest]:
        """Yield the calls that ask for a device, with the argument that names it."""
        return device_requests(self.project.evaluator(world), self)

    def device_arguments(self, world: World = ANYWHERE) -> Iterator[DeviceArgument]:
        """Yield what the calls of PyTorch's functions and methods are given for a device."""
        return device_arguments(self.project.evaluator(world), self)

    def lacking_modules(self, attribute: str) -> Iterator[LackingModule]:
        """Yield where an attribute is read off a module whose classes have none of that name."""
        return lacking_modules(self.project.evaluator(ANYWHERE), self, attribute)

    def refused_devices(self) -> Iterator[RefusedDevice]:
        """Yield the texts that PyTorch is given where it expects a device, and refuses."""
        return refused_devices(self)

    def kept_graphs(self) -> Iterator[KeptGraph]:
        """Yield where graphs are kept step after step."""
        return kept_graphs(self.project.evaluator(ANYWHERE), self.project.training, self)

    def every_evaluated_batch(self, place: Place) -> Story | None:
        """Return the evaluation loop with whose every round a place runs, or None where it is in none."""
        return every_evaluated_batch(self.project.evaluator(ANYWHERE), self.project.training, place)

    def every_step(self, place: Place) -> Story | None:
        """Return the way from a training loop to a place that runs with every step, or None where none does."""
        return self.project.training.every_step(place)

    def loads(self) -> Iterator[Load]:
        """Yield the calls of `torch.load`, in source order."""
        return loads_of(self)

    def project_loads(self) -> Iterator[Load]:
        """Yield the loads of files in the whole project, this file's first."""
        yield from self.loads()
        for path in list(self.project.library.holding("torch.load(")):
            other = self.project.parsed(path)
            if other is not None and other is not self:
                yield from other.loads()

    def uncalled_methods(self) -> Iterator[Uncalled]:
        """Yield the methods that are named where what they do or return was wanted."""
        return uncalled_methods(self.project.evaluator(ANYWHERE), self)

    def pickled_modules(self) -> Iterator[PickledModule]:
        """Yield the modules that the file saves whole."""
        return pickled_modules(self.project.evaluator(ANYWHERE), self)

    def loaded_for_modules(self) -> Iterator[Taken]:
        """Yield the calls of `load_state_dict` whose result is taken for the module."""
        return loaded_for_modules(self.project.evaluator(ANYWHERE), self)

    def state_aliases(self) -> Iterator[StateAlias]:
        """Yield the state dicts and modules that are kept by reference while training goes on."""
        return state_aliases(self.project.evaluator(ANYWHERE), self.project.training, self)

    def unsynchronized_timings(self) -> Iterator[Timing]:
        """Yield where a clock is read before the GPU is done with what was to be timed."""
        return unsynchronized_timings(self.project.evaluator(ANYWHERE), self)

    def unfinished_copies(self) -> Iterator[UnfinishedCopy]:
        """Yield the copies to the host that are read before anything has waited for them."""
        return unfinished_copies(self.project.evaluator(ANYWHERE), self)

    def pageable_copies(self) -> Iterator[PageableCopy]:
        """Yield the copies of batches that are asked not to block, and block because the loader does not pin."""
        return pageable_copies(self.project.evaluator(ANYWHERE), self)

    def unordered_crossings(self) -> Iterator[Crossing]:
        """Yield where a tensor goes from one CUDA stream to another while nobody waits."""
        return unordered_crossings(self.project.evaluator(ANYWHERE), self)

    def element_transfers(self) -> Iterator[ElementTransfer]:
        """Yield the transfers between host and GPU that are repeated for each element."""
        return element_transfers(self.project.evaluator(ANYWHERE), self)

    def wrapped_saves(self) -> Iterator[WrappedSave]:
        """Yield the state dicts taken from wrappers in this file that are saved, here or elsewhere in the project."""
        return iter(self.project.once(wrapped_saves).get(self.path, ()))

    def hidden_attributes(self) -> Iterator[HiddenAttribute]:
        """Yield where attributes of a module are read from the wrapper around it, which does not have them."""
        return hidden_attributes(self.project.evaluator(WITH_CUDA), self)

    def bare_modules(self) -> Iterator[BareModule]:
        """Yield where `.module` is read from something that is a wrapper only under some conditions."""
        return bare_modules(self.project.evaluator(ANYWHERE), self)

    def lonely_collectives(self) -> Iterator[LonelyCollective]:
        """Yield the calls that only some ranks make though all must, or something in what they call."""
        return iter(self.project.once(lonely_collectives).get(self.path, ()))

    def rank_saves(self) -> Iterator[RankSave]:
        """Yield the saves of distributed modules that every rank makes, to the same path."""
        return iter(self.project.once(rank_saves).get(self.path, ()))

    def repeated_orders(self) -> Iterator[RepeatedOrder]:
        """Yield the epoch loops whose DistributedSampler is never told which epoch it is."""
        return iter(self.project.once(repeated_orders).get(self.path, ()))

    def bypasses(self) -> Iterator[Bypass]:
        """Yield where training calls the module inside DistributedDataParallel and not the wrapper."""
        return bypasses(self.project.evaluator(WITH_CUDA), self.project.training, self)

    def gathered_losses(self) -> Iterator[GatheredLoss]:
        """Yield where `backward()` starts from the losses of several replicas, which nothing made one of."""
        return gathered_losses(self.project.evaluator(WITH_CUDA), self)

    def local_rank_options(self) -> Iterator[Place]:
        """Yield the options for the local rank where nobody reads the variable that the launcher sets instead."""
        return local_rank_options(self)

    def lost_states(self) -> Iterator[LostState]:
        """Yield what the forward of a module under DataParallel leaves on its replica, and somebody reads later."""
        return lost_states(self.project.evaluator(ANYWHERE), self)

    def forked_cuda(self) -> Iterator[ForkedCuda]:
        """Yield where the file asks for CUDA in a process that was forked from one that has it."""
        return iter(self.project.once(forked_cuda).get(self.path, ()))

    def unsharded_loaders(self) -> Iterator[UnshardedLoader]:
        """Yield the loaders that give every rank of a distributed training all of the data."""
        return iter(self.project.once(unsharded_loaders).get(self.path, ()))

    def bare_loads(self) -> Iterator[BareLoad]:
        """Yield where a wrapper is given a state dict that the project saved without the wrapper's prefix."""
        return iter(self.project.once(bare_loads).get(self.path, ()))

    def misplaced_tensors(self, kind: MisplacedKind) -> Iterator[MisplacedTensor]:
        """Yield the tensors of a kind that are left on the CPU, and meet something on the GPU."""
        return (found for found in self._misplaced_tensors if found.kind == kind)

    @cached_property
    def _misplaced_tensors(self) -> tuple[MisplacedTensor, ...]:
        return tuple(misplaced_tensors(self.project.evaluator(WITH_CUDA), self))

    def refused_conversions(self) -> Iterator[RefusedConversion]:
        """Yield the conversions to ndarrays that raise: of tensors on a GPU, and of those that require grad."""
        return refused_conversions(self.project.evaluator(WITH_CUDA), self)

    def misplaced_modules(self) -> Iterator[MisplacedModule]:
        """Yield the wrapping calls whose module provably is on another GPU than the wrapper starts from."""
        return misplaced_modules(self.project.evaluator(WITH_CUDA), self)
