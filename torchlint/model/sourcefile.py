"""A file, and the questions that a rule may ask of it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from torchlint.model.aliasing import StateAlias, state_aliases
from torchlint.model.around import class_around, function_around, loops_around
from torchlint.model.asynchronous import PageableCopy, UnfinishedCopy, pageable_copies, unfinished_copies
from torchlint.model.bare_modules import BareModule, bare_modules
from torchlint.model.bypasses import Bypass, bypasses
from torchlint.model.calls import Call, calls_of, method_calls_of
from torchlint.model.checkpoint_loads import BareLoad
from torchlint.model.collectives import LonelyCollective
from torchlint.model.defined import DefinedClass, DefinedFunction
from torchlint.model.device_names import DeviceNames
from torchlint.model.elementwise import ElementTransfer, element_transfers
from torchlint.model.environment import EnvironmentStore, environment_stores
from torchlint.model.evaluation import every_evaluated_batch
from torchlint.model.forks import ForkedCuda
from torchlint.model.gathered_losses import GatheredLoss, gathered_losses
from torchlint.model.hardcoded import CudaDemand, cuda_demands
from torchlint.model.keeping import KeptGraph, kept_graphs
from torchlint.model.loading import Load, loads_of
from torchlint.model.local_ranks import local_rank_options
from torchlint.model.loop import Loop, loop_statements
from torchlint.model.parsedfile import ParsedFile
from torchlint.model.place import Place
from torchlint.model.rank_saves import RankSave
from torchlint.model.reads import WaitKind, reads
from torchlint.model.repeated_orders import RepeatedOrder
from torchlint.model.replicas import LostState, lost_states
from torchlint.model.requests import DeviceRequest, device_requests
from torchlint.model.restoring import Taken, loaded_for_modules
from torchlint.model.saved import PickledModule, pickled_modules
from torchlint.model.saves import WrappedSave
from torchlint.model.scope import Scope
from torchlint.model.steps import Story
from torchlint.model.stored import Assignment, assignments_of
from torchlint.model.streams import Crossing, unordered_crossings
from torchlint.model.timing import Timing, unsynchronized_timings
from torchlint.model.uncalled import Uncalled, uncalled_methods
from torchlint.model.unsharded import UnshardedLoader
from torchlint.model.waiting import Wait, wait_of
from torchlint.model.worlds import ANYWHERE, WITH_CUDA, WITHOUT_CUDA, World
from torchlint.model.wrapper_attributes import HiddenAttribute, hidden_attributes
from torchlint.model.wrapping_calls import MisplacedModule, misplaced_modules


class SourceFile(ParsedFile):
    """A file of a project, as rules see it."""

    def cuda_demands(self) -> Iterator[CudaDemand]:
        """Yield the places that ask for CUDA with nothing to keep them from machines that have none."""
        return cuda_demands(self.project.evaluator(WITHOUT_CUDA), self)

    def device_names(self, places: Iterable[Place]) -> DeviceNames:
        """Return what finds a name for the device at places that are to be mended."""
        return DeviceNames(self, tuple(places))

    def waits_every_step(self, kind: WaitKind) -> Iterator[tuple[Wait, Story]]:
        """Yield the reads of a kind that make the host wait with every training step, with the way to each."""
        return self._waits(kind, self.every_step) if self in self.project.training.files else iter(())

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

    # -- what is written in the file

    def calls(self, *names: str) -> Iterator[Call]:
        """Yield the calls of these functions or classes outside the project, by full name, in source order."""
        return calls_of(self, frozenset(names))

    def method_calls(self, *words: str) -> Iterator[Call]:
        """Yield the calls whose callee is written with one of these last names, in source order."""
        return method_calls_of(self, frozenset(words))

    def all_calls(self) -> Iterator[Call]:
        """Yield every call, in no order that matters."""
        for call, statement in self.index.expressions(ast.Call):
            yield Call(self, call, statement)

    def attributes(self, *words: str) -> Iterator[Place]:
        """Yield where attributes of these names are read, calls of methods included, in source order."""
        found = [pair for word in words for pair in self.attribute_reads(word)]
        for node, statement in sorted(found, key=lambda pair: (pair[0].lineno, pair[0].end_col_offset or 0)):
            yield Place(self, node, statement)

    def operations(self) -> Iterator[tuple[Place, Place, Place]]:
        """Yield every arithmetic operation with its two operands."""
        for node, statement in self.index.expressions(ast.BinOp):
            place = Place(self, node, statement)
            yield place, place.at(node.left), place.at(node.right)

    def assignments(self) -> Iterator[Assignment]:
        """Yield the assignments to names, attributes and items, in source order."""
        return assignments_of(self)

    def classes(self) -> Iterator[DefinedClass]:
        """Yield the classes, in source order."""
        return (DefinedClass(self, scope) for scope in self.index.scopes if scope.kind == "class")

    def functions(self) -> Iterator[DefinedFunction]:
        """Yield the functions and methods, in source order."""
        return (DefinedFunction(self, scope) for scope in self.index.scopes if scope.kind == "function")

    def loops(self) -> Iterator[Loop]:
        """Yield the loops, in source order."""
        return (Loop(self, node) for node in loop_statements(self))

    def loops_around(self, place: Place) -> tuple[Loop, ...]:
        """Return the loops of the same function around a place, innermost first."""
        return tuple(Loop(self, node) for node in loops_around(place))

    def function_around(self, place: Place) -> DefinedFunction | None:
        """Return the function that a place is in."""
        scope = function_around(place)
        return DefinedFunction(self, scope) if scope is not None else None

    def class_around(self, place: Place) -> DefinedClass | None:
        """Return the class that a place is in."""
        scope = class_around(place)
        return DefinedClass(self, scope) if scope is not None else None

    def call_at(self, place: Place) -> Call | None:
        """Return a place as the call that it is, None where it is none."""
        is_call = isinstance(place.expression, ast.Call)
        return Call(self, place.expression, place.statement, place.frame, place.given) if is_call else None

    def place(self, expression: ast.expr, statement: ast.stmt) -> Place:
        """Return an expression as a place."""
        return Place(self, expression, statement)

    # -- what it means

    def environment_stores(self, name: str) -> Iterator[EnvironmentStore]:
        """Yield where the file sets an environment variable of its own process."""
        return environment_stores(self, name)

    def device_requests(self, world: World = ANYWHERE) -> Iterator[DeviceRequest]:
        """Yield the calls that ask for a device, with the argument that names it."""
        return device_requests(self.project.evaluator(world), self)

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
        return iter(self.project.wrapped_saves.get(self.path, ()))

    def hidden_attributes(self) -> Iterator[HiddenAttribute]:
        """Yield where attributes of a module are read from the wrapper around it, which does not have them."""
        return hidden_attributes(self.project.evaluator(WITH_CUDA), self)

    def bare_modules(self) -> Iterator[BareModule]:
        """Yield where `.module` is read from something that is a wrapper only under some conditions."""
        return bare_modules(self.project.evaluator(ANYWHERE), self)

    def lonely_collectives(self) -> Iterator[LonelyCollective]:
        """Yield the calls that only some ranks make though all must, or something in what they call."""
        return iter(self.project.lonely_collectives.get(self.path, ()))

    def rank_saves(self) -> Iterator[RankSave]:
        """Yield the saves of distributed modules that every rank makes, to the same path."""
        return iter(self.project.rank_saves.get(self.path, ()))

    def repeated_orders(self) -> Iterator[RepeatedOrder]:
        """Yield the epoch loops whose DistributedSampler is never told which epoch it is."""
        return iter(self.project.repeated_orders.get(self.path, ()))

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
        return lost_states(self.project.evaluator(ANYWHERE), self.project.replicated_classes, self)

    def forked_cuda(self) -> Iterator[ForkedCuda]:
        """Yield where the file asks for CUDA in a process that was forked from one that has it."""
        return iter(self.project.forked_cuda.get(self.path, ()))

    def unsharded_loaders(self) -> Iterator[UnshardedLoader]:
        """Yield the loaders that give every rank of a distributed training all of the data."""
        return iter(self.project.unsharded_loaders.get(self.path, ()))

    def bare_loads(self) -> Iterator[BareLoad]:
        """Yield where a wrapper is given a state dict that the project saved without the wrapper's prefix."""
        return iter(self.project.bare_loads.get(self.path, ()))

    def misplaced_modules(self) -> Iterator[MisplacedModule]:
        """Yield the wrapping calls whose module provably is on another GPU than the wrapper starts from."""
        return misplaced_modules(self.project.evaluator(WITH_CUDA), self)

    def header(self, loop: ast.For | ast.AsyncFor | ast.While) -> Place:
        """Return the place that stands for a loop: what it iterates over, or its test."""
        return Place(self, loop.test if isinstance(loop, ast.While) else loop.iter, loop)

    def name_of(self, scope: Scope) -> Place:
        """Return the place that stands for a function: its name."""
        assert isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef))
        node = scope.node
        start = node.col_offset + len("async def " if isinstance(node, ast.AsyncFunctionDef) else "def ")
        end = start + len(node.name.encode())
        name = ast.Name(
            node.name, ast.Load(), lineno=node.lineno, col_offset=start, end_lineno=node.lineno, end_col_offset=end
        )
        return Place(self, name, node)
