"""What a file may be asked about modules that are wrapped, and programs of several processes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchlint.model.worlds import ANYWHERE, WITH_CUDA
from torchlint.model.written import WrittenFile

if TYPE_CHECKING:
    from torchlint.model.calls import Call
    from torchlint.model.checkpoints.checkpoint_loads import BareLoad
    from torchlint.model.checkpoints.rank_saves import RankSave
    from torchlint.model.checkpoints.saves import WrappedSave
    from torchlint.model.parallel.bare_modules import BareModule
    from torchlint.model.parallel.bypasses import Bypass
    from torchlint.model.parallel.collectives import LonelyCollective
    from torchlint.model.parallel.forks import ForkedCuda
    from torchlint.model.parallel.gathered_losses import GatheredLoss
    from torchlint.model.parallel.repeated_orders import RepeatedOrder
    from torchlint.model.parallel.replicas import LostState
    from torchlint.model.parallel.unsharded import UnshardedLoader
    from torchlint.model.parallel.wrapper_attributes import HiddenAttribute
    from torchlint.model.parallel.wrapping_calls import MisplacedModule


class AboutWrappers(WrittenFile):
    """A file that can be asked these questions; what answers one is imported when somebody asks it."""

    def hidden_attributes(self) -> Iterator[HiddenAttribute]:
        """Yield where attributes of a module are read from the wrapper around it, which does not have them."""
        from torchlint.model.parallel.wrapper_attributes import hidden_attributes

        return hidden_attributes(self.project.evaluator(WITH_CUDA), self)

    def bare_modules(self) -> Iterator[BareModule]:
        """Yield where `.module` is read from something that is a wrapper only under some conditions."""
        from torchlint.model.parallel.bare_modules import bare_modules

        return bare_modules(self.project.evaluator(ANYWHERE), self)

    def bypasses(self) -> Iterator[Bypass]:
        """Yield where training calls the module inside DistributedDataParallel and not the wrapper."""
        from torchlint.model.parallel.bypasses import bypasses

        return bypasses(self.project.evaluator(WITH_CUDA), self)

    def gathered_losses(self) -> Iterator[GatheredLoss]:
        """Yield where `backward()` starts from the losses of several replicas, which nothing made one of."""
        from torchlint.model.parallel.gathered_losses import gathered_losses

        return gathered_losses(self.project.evaluator(WITH_CUDA), self)

    def lost_states(self) -> Iterator[LostState]:
        """Yield what the forward of a module under DataParallel leaves on its replica, and somebody reads later."""
        from torchlint.model.parallel.replicas import lost_states

        return lost_states(self.project.evaluator(ANYWHERE), self)

    def misplaced_modules(self) -> Iterator[MisplacedModule]:
        """Yield the wrapping calls whose module provably is on another GPU than the wrapper starts from."""
        from torchlint.model.parallel.wrapping_calls import misplaced_modules

        return misplaced_modules(self.project.evaluator(WITH_CUDA), self)

    def wrapped_saves(self) -> Iterator[WrappedSave]:
        """Yield the state dicts taken from wrappers in this file that are saved, here or elsewhere in the project."""
        from torchlint.model.checkpoints.saves import wrapped_saves

        return iter(self.project.once(wrapped_saves).get(self.path, ()))

    def bare_loads(self) -> Iterator[BareLoad]:
        """Yield where a wrapper is given a state dict that the project saved without the wrapper's prefix."""
        from torchlint.model.checkpoints.checkpoint_loads import bare_loads

        return iter(self.project.once(bare_loads).get(self.path, ()))

    def lonely_collectives(self) -> Iterator[LonelyCollective]:
        """Yield the calls that only some ranks make though all must, or something in what they call."""
        from torchlint.model.parallel.collectives import lonely_collectives

        return iter(self.project.once(lonely_collectives).get(self.path, ()))

    def rank_saves(self) -> Iterator[RankSave]:
        """Yield the saves of distributed modules that every rank makes, to the same path."""
        from torchlint.model.checkpoints.rank_saves import rank_saves

        return iter(self.project.once(rank_saves).get(self.path, ()))

    def repeated_orders(self) -> Iterator[RepeatedOrder]:
        """Yield the epoch loops whose DistributedSampler is never told which epoch it is."""
        from torchlint.model.parallel.repeated_orders import repeated_orders

        return iter(self.project.once(repeated_orders).get(self.path, ()))

    def unsharded_loaders(self) -> Iterator[UnshardedLoader]:
        """Yield the loaders that give every rank of a distributed training all of the data."""
        from torchlint.model.parallel.unsharded import unsharded_loaders

        return iter(self.project.once(unsharded_loaders).get(self.path, ()))

    def forked_cuda(self) -> Iterator[ForkedCuda]:
        """Yield where the file asks for CUDA in a process that was forked from one that has it."""
        from torchlint.model.parallel.forks import forked_cuda

        return iter(self.project.once(forked_cuda).get(self.path, ()))

    def local_rank_options(self) -> Iterator[Call]:
        """Yield the options for the local rank where nobody reads the variable that the launcher sets instead."""
        from torchlint.model.options.local_ranks import local_rank_options

        return local_rank_options(self)
