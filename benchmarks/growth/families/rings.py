"""Rings: what leads back to itself, by each way in which one part of a program leads to another."""

from __future__ import annotations

from benchmarks.growth.family import Files, family
from benchmarks.growth.program import each, indented, program, trainer, training


@family()
def table_ring(n: int) -> Files:
    """Functions that call the next two through a dict of functions."""
    calls = """
        def f$i(d, how='f$j'):
            x = torch.zeros(4, device=d)
            TABLE[how](d)
            return TABLE['f$k'](x.device) or TABLE['f$j'](d)
    """
    return program(
        trainer(),
        each(n, calls, ring=True),
        f"TABLE = {{{', '.join(f'{chr(39)}f{i}{chr(39)}: f{i}' for i in range(n))}}}",
        "train(f0('cuda'))",
    )


@family()
def generator_ring(n: int) -> Files:
    """Generators in a ring that each delegate to the next two, with tensors."""
    made = """
        def g$i(d):
            yield torch.zeros(4, device=d)
            yield from g$j(d)
            for x in g$k(d):
                yield x.to(d)
    """
    return program(trainer(), each(n, made, ring=True), "for x in g0('cuda'):\n    print(x.item())", "train('cuda')")


@family()
def stored_keywords_ring(n: int) -> Files:
    """Functions in a ring that store into their `**kwargs` and pass them to the next two."""
    made = """
        def f$i(**kw):
            kw['d'] = kw.get('d', 'cuda:$i')
            kw.setdefault('e', kw.pop('d', None))
            f$j(**kw)
            f$k(**{**kw, 'x': $i})
            train(**dict(kw))
    """
    return program(trainer(parameters="d='cuda', e=None"), each(n, made, ring=True), "f0(d='cuda')")


@family()
def merged_dicts_ring(n: int) -> Files:
    """Dicts in a ring that are each rebound to the union of the next two."""
    return program(
        each(n, "x$i = {'d': 'cuda', 'k$i': $i}"),
        "while len(x0) < 9:",
        each(n, "x$i = x$j | x$k", 4, ring=True),
        trainer(),
        "train(x0['d'])",
    )


@family()
def repacked_arguments_ring(n: int) -> Files:
    """Functions in a ring that repack their `*args` for the next two."""
    made = """
        def f$i(*a):
            b = [*a, $i]
            f$j(*b)
            f$k(*a[1:], a[0])
            train(a[0])
    """
    return program(trainer(), each(n, made, ring=True), "f0('cuda', 1)")


@family()
def partial_ring(n: int) -> Files:
    """Partials in a ring of functions that call partials of the next two."""
    made = """
        def f$i(d, **kw):
            g = partial(f$j, d=d, **kw)
            h = partial(partial(f$k, **kw), d)
            train(d)
            return g() or h()
    """
    return program("from functools import partial", trainer(), each(n, made, ring=True), "partial(f0, 'cuda')()")


@family()
def getattr_ring(n: int) -> Files:
    """Classes in a ring whose `__getattr__` asks the objects of the next two."""
    made = """
        class C$i:
            def __init__(self, d):
                self.a = C$j(d)
                self.b = C$k(d)
            def __getattr__(self, name):
                return getattr(self.a, name) or getattr(self.b, name)
    """
    return program(trainer(), each(n, made, ring=True), "train(C0('cuda').device)")


@family()
def context_ring(n: int) -> Files:
    """Context managers whose `__enter__` returns what the next two do."""
    made = """
        class C$i:
            def __enter__(self):
                with C$j() as a, C$k() as b:
                    return a or b
            def __exit__(self, *a):
                return False
    """
    return program(trainer(), each(n, made, ring=True), "with C0() as d:\n    train(d)")


@family()
def iterator_ring(n: int) -> Files:
    """Classes whose `__iter__` and `__next__` go to the next two."""
    made = """
        class C$i:
            def __init__(self):
                self.inner = iter(C$j())
            def __iter__(self):
                for x in C$k():
                    yield x
            def __next__(self):
                return next(self.inner)
            def __getitem__(self, i):
                return C$j()[i]
            def __len__(self):
                return len(C$k())
    """
    return program(trainer(), each(n, made, ring=True), "for x in C0():\n    x.item()\ntrain(next(C0())[0])")


@family()
def operator_ring(n: int) -> Files:
    """Objects in a ring whose operators apply those of the next two."""
    made = """
        class C$i:
            def __init__(self, d): self.d = d
            def __add__(self, other): return C$j(self.d) * other
            def __mul__(self, other): return C$k(other.d) + self
            def __matmul__(self, other): return (self + other) * (self * other)
    """
    return program(trainer(), each(n, made, ring=True), "train((C0('cuda') @ C0('cpu')).d)")


@family()
def module_ring(n: int) -> Files:
    """Modules in a ring that each hold and call the next two."""
    made = """
        class M$i(nn.Module):
            def __init__(self, peers):
                super().__init__()
                self.a = M$j(peers)
                self.b = peers[$i]
                self.register_buffer('c', torch.zeros(4))
            def forward(self, x):
                return self.a(x) + self.b(x) + self.c
            def extra(self, x):
                return self.forward(x).to(x.device)
    """
    return program(each(n, made, ring=True), trainer(model="M0([])"), "train('cuda')")


@family()
def decorator_ring(n: int) -> Files:
    """Functions in a ring, each under a decorator that also calls the next."""
    made = """
        def deco$i(fn):
            @functools.wraps(fn)
            def inner(*args, **kwargs):
                f$k(*args, **kwargs)
                return fn(*args, **kwargs)
            return inner
        @deco$i
        def f$i(d, x=None):
            train(d)
            return f$j(d, x=f$k(d))
    """
    return program("import functools", trainer(), each(n, made, ring=True), "f0('cuda')")


@family()
def setter_ring(n: int) -> Files:
    """Properties with setters that each set and read the next two."""
    prop = """
        @property
        def p$i(self):
            return self._p$i or self.p$j
        @p$i.setter
        def p$i(self, value):
            self._p$i = value
            self.p$k = self.p$j
    """
    return program(
        "class C:\n    def __init__(self, d):\n        self.p0 = d",
        each(n, prop, by=4, ring=True),
        f"    def run(self):\n{indented(training('self.p0'), 8)}",
        "C('cuda').run()",
    )


@family()
def mode_ring(n: int) -> Files:
    """Functions in a ring that switch modes and recording, and call the next two."""
    made = """
        @torch.no_grad()
        def f$i(model, x):
            was = model.training
            model.eval()
            with torch.set_grad_enabled(was):
                y = f$j(model, x) + g$k(model, x)
            model.train(was)
            return y
        def g$i(model, x):
            model.train()
            return model(f$k(model, x)).item()
    """
    return program(each(n, made, ring=True), trainer(loss="f0(model, batch).sum()"), "train('cuda')")


@family()
def moved_by_callers(n: int) -> Files:
    """Functions in a ring that read what the next two move below."""
    made = """
        def f$i(x, d):
            print(x.sum().item(), x.ne(0).any().item())
            y = f$j(x, d)
            z = f$k(y, d)
            x = x.to(d)
            y = y.to(d)
            return z
    """
    return program(trainer(loss="f0(model(batch), d).sum()"), each(n, made, ring=True), "train('cuda')")


@family()
def arms_ring(n: int) -> Files:
    """Functions named in the arms of tests, each of which wraps and reads a model by the next two."""
    made = """
        def f$i(net, kind):
            if kind == '$i':
                run, make = f$j, make$j
            else:
                run, make = f$k, make$k
            net = run(make(net), kind)
            print(net.fc)
            return net
        def make$i(net):
            return nn.DataParallel(net) if net else f$j(net, '$i')
    """
    return program(trainer(), each(n, made, ring=True), "f0(nn.Linear(4, 1), 'a')", "train('cuda')")


@family()
def rank_ring(n: int) -> Files:
    """Flags that are each made of the two before by functions, before collectives."""
    made = """
        def is$i(rank):
            return is$j(rank) and not is$k(rank)
    """
    return program(
        "import torch.distributed as dist",
        "dist.init_process_group('nccl')",
        each(n, made, ring=True),
        each(n, "if is$i(dist.get_rank()):\n    dist.barrier()"),
        trainer(),
        "train('cuda')",
    )


@family()
def defaults_ring(n: int) -> Files:
    """Functions in a ring whose parameter falls back on the next two."""
    made = """
        def f$i(d=None, e=None):
            d = d if d is not None else (f$j(e) or f$k(d=e))
            e = e or f$j(d, e=d)
            return torch.device(d if e is None else e)
    """
    return program(trainer(), each(n, made, ring=True), "train(f0())")


@family()
def factory_ring(n: int) -> Files:
    """Dataclasses in a ring whose fields are made by factories of the next two."""
    made = """
        @dataclass
        class C$i:
            a: object = field(default_factory=lambda: C$j())
            b: object = field(default_factory=lambda: C$k())
            d: str = 'cuda:$i'
            @property
            def device(self):
                return self.a.device or self.b.d
    """
    return program(
        "from dataclasses import dataclass, field", trainer(), each(n, made, ring=True), "train(C0().device)"
    )


@family()
def queue_ring(n: int) -> Files:
    """Threads that each take from one queue and put into the next two."""
    made = """
        def work$i():
            while True:
                x = q$i.get()
                q$j.put(x.cuda() + 1)
                q$k.put((x, x.item()))
        threading.Thread(target=work$i, args=()).start()
    """
    return program(
        "import queue, threading",
        each(n, "q$i = queue.Queue()"),
        each(n, made, ring=True),
        "q0.put(torch.zeros(4))",
        trainer(),
        "train('cuda')",
    )
