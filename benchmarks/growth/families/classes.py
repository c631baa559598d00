"""Classes above and below each other, and what they hand on."""

from __future__ import annotations

from benchmarks.growth.family import Files, family
from benchmarks.growth.program import each, indented, listed, program, trainer, training

_ROOT = """
    class C0(nn.Module):
        device = 'cuda'
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 1)
        def forward(self, x):
            return self.fc(x)
"""


@family()
def deep_hierarchy(n: int) -> Files:
    """Classes that each inherit from the one before."""
    return program(_ROOT, each(n, "class C$j(C$i):\n    pass"), trainer(model=f"C{n}()"), f"train(C{n}.device)")


@family()
def deep_hierarchy_overriding(n: int) -> Files:
    """Classes that each inherit from the one before, and override one method."""
    steps = """
        class C$j(C$i):
            def forward(self, x):
                return super().forward(x)
    """
    return program(_ROOT, each(n, steps), trainer(model=f"C{n}()"), f"train(C{n}.device)")


@family()
def wide_hierarchy(n: int) -> Files:
    """Classes that all inherit from one, and override one method."""
    return program(
        _ROOT,
        each(
            n,
            """
            class C$j(C0):
                def forward(self, x):
                    return self.fc(x) + $i
        """,
        ),
        trainer(model="C1()"),
        "train(C1.device)",
    )


@family()
def wide_hierarchy_by_name(n: int) -> Files:
    """Classes that all inherit from one, of which one is picked by name."""
    table = "TABLE = {" + listed(n, "'c$i': C$j") + "}"
    return program(
        "import sys",
        _ROOT,
        each(n, "class C$j(C0):\n    device = 'cuda:$i'"),
        table,
        trainer(model="TABLE[sys.argv[1]]()"),
        "train('cuda')",
    )


@family()
def diamonds(n: int) -> Files:
    """Classes in pairs that both inherit from both of the pair before."""
    pairs = """
        class A$j(A$i, B$i):
            pass
        class B$j(A$i, B$i):
            pass
    """
    starts = [_ROOT.replace("C0", name) for name in ("A0", "B0")]
    return program(starts, each(n, pairs), trainer(model=f"A{n}()"), f"train(B{n}.device)")


@family()
def proper_diamonds(n: int) -> Files:
    """Diamonds one below the other, with a method that each side hands on."""
    sides = "".join(
        f"class {side}$i(C$i):\n    def forward(self, x):\n        return super().forward(x)\n" for side in "AB"
    )
    return program(
        _ROOT, each(n, f"{sides}class C$j(A$i, B$i):\n    pass"), trainer(model=f"C{n}()"), f"train(C{n}.device)"
    )


@family()
def super_chain(n: int) -> Files:
    """Constructors that each hand their arguments to the one above."""
    steps = """
        class C$j(C$i):
            def __init__(self, *args, a$i=None, **kwargs):
                super().__init__(*args, **kwargs)
                self.fc$j = nn.Linear(4, $j)
    """
    root = """
        class C0(nn.Module):
            def __init__(self, device='cuda'):
                super().__init__()
                self.device = device
                self.fc = nn.Linear(4, 1).to(device)
            def forward(self, x):
                return self.fc(x)
    """
    return program(root, each(n, steps), f"net = C{n}('cuda')", trainer(model="net"), "train(net.device)")


@family()
def overridden_attributes(n: int) -> Files:
    """Classes that each override an attribute which a method of the first reads."""
    root = f"class C0:\n    device = 'cpu'\n    def run(self):\n{indented(training('self.device'), 8)}"
    return program(root, each(n, "class C$j(C$i):\n    device = 'cuda:$i'"), f"C{n}().run()")


@family()
def mixins(n: int) -> Files:
    """One class of n bases that each have a method which calls the next."""
    bases = """
        class M$i:
            def f$i(self, d):
                return self.f$j(d)
    """
    names = ", ".join(each(n, "M$i"))
    return program(
        trainer(), each(n, bases), f"class All({names}):\n    def f{n}(self, d):\n        train(d)", "All().f0('cuda')"
    )


@family()
def same_methods(n: int) -> Files:
    """Classes of one interface that are all called through it."""
    made = """
        class C$i(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(4, $j)
            def forward(self, x):
                return self.fc(x)
            def device(self):
                return 'cuda:$i'
    """
    return program(each(n, made), "for net in [" + listed(n, "C$i()") + "]:", indented(training("net.device()", "net")))


@family()
def registry(n: int) -> Files:
    """Classes that a decorator puts into a dict, from which one is picked by an option."""
    head = """
        import sys
        REGISTRY = {}
        def register(name):
            def take(kind):
                REGISTRY[name] = kind
                return kind
            return take
    """
    made = """
        @register('c$i')
        class C$i(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(4, 1).cuda()
            def forward(self, x):
                return self.fc(x)
    """
    return program(
        head,
        each(n, made),
        "def build(name):\n    return REGISTRY[name]()",
        trainer(model="build(sys.argv[1])"),
        "train('cuda')",
    )


@family()
def properties(n: int) -> Files:
    """Properties that each read the next."""
    made = each(n, "    @property\n    def d$i(self):\n        return self.d$j")
    return program(
        trainer(),
        "class Config:",
        made,
        f"    @property\n    def d{n}(self):\n        return 'cuda'",
        "train(Config().d0)",
    )


@family()
def properties_of_two(n: int) -> Files:
    """Properties that each read the next two."""
    made = each(n, "    @property\n    def d$i(self):\n        return self.d$j or self.d$k", ring=True)
    return program(trainer(), "class Config:\n    d = 'cuda'", made, "train(Config().d0)")


@family()
def getattr_fallbacks(n: int) -> Files:
    """Classes that each wrap another and hand on what they lack."""
    made = """
        class W$i:
            def __init__(self, inner):
                self.inner = inner
            def __getattr__(self, name):
                return getattr(self.inner, name)
    """
    wraps = "".join(each(n, "W$i(")) + "nn.Linear(4, 1)" + ")" * n
    if n > 80:
        wraps = f"W0({wraps[3:]}"
    nests = ["w = nn.Linear(4, 1)", *each(n, "w = W$i(w)")]
    return program(each(n, made), nests, trainer(model="w"), "train(w.weight.device)")


@family()
def dataclasses(n: int) -> Files:
    """Dataclasses that each hold the one before."""
    made = """
        @dataclass
        class D$j:
            sub: D$i
            device: str = 'cuda:$i'
    """
    build = "x$j = D$j(x$i)"
    return program(
        """
            from dataclasses import dataclass
            @dataclass
            class D0:
                device: str = 'cuda'
        """,
        each(n, made),
        "x0 = D0()",
        each(n, build),
        trainer(),
        f"train(x{n}.sub.device)",
    )


@family()
def dataclass_fields(n: int) -> Files:
    """One dataclass of n fields, each of which is read."""
    fields = each(n, "    d$i: str = 'cuda:$i'")
    return program(
        """
            from dataclasses import dataclass
            @dataclass
            class Config:
        """,
        fields,
        "config = Config(d0='cuda')",
        each(n, "torch.zeros(1, device=config.d$i)"),
        trainer(),
        "train(config.d0)",
    )


@family()
def class_methods(n: int) -> Files:
    """Classes that are each made by a class method of the next."""
    made = """
        class C$i:
            def __init__(self, d):
                self.d = d
            @classmethod
            def make(cls):
                return cls(C$j.make().d)
    """
    last = f"class C{n}:\n    d = 'cuda'\n    @staticmethod\n    def make():\n        return C{n}()"
    return program(trainer(), each(n, made), last, "train(C0.make().d)")


@family()
def objects_made_by_each_other(n: int) -> Files:
    """Classes whose constructors each make the next and take over its device."""
    made = """
        class C$i:
            def __init__(self):
                self.next = C$j()
                self.d = self.next.d
    """
    return program(trainer(), each(n, made), f"class C{n}:\n    d = 'cuda'", "train(C0().d)")


@family()
def overloaded_operators(n: int) -> Files:
    """Objects with `__call__`, `__getitem__` and `__add__`, used in turn."""
    kind = """
        class Box:
            def __init__(self, d):
                self.d = d
            def __call__(self, d):
                return Box(d)
            def __getitem__(self, key):
                return self
            def __add__(self, other):
                return Box(other.d)
    """
    return program(kind, "b0 = Box('cuda')", each(n, "b$j = (b$i + b$i[$i])(b$i.d)"), trainer(), f"train(b{n}.d)")


@family()
def metaclass_of_all(n: int) -> Files:
    """Classes that `__init_subclass__` gathers, each made from what is gathered."""
    root = """
        class Base:
            kinds = []
            def __init_subclass__(cls):
                Base.kinds.append(cls)
            def device(self):
                return 'cuda'
    """
    return program(
        root,
        each(
            n,
            """
            class C$i(Base):
                def device(self):
                    return 'cuda:$i'
        """,
        ),
        trainer(),
        "for kind in Base.kinds:\n    train(kind().device())",
    )


@family()
def keywords_taken_out(n: int) -> Files:
    """Classes below each other that each take one keyword out of what they pass up."""
    made = """
        class C$j(C$i):
            def __init__(self, w$i=$i, **kw):
                kw.setdefault('d', 'cuda')
                super().__init__(**kw)
                self.d$i = kw['d']
                self.device = torch.device(self.d$i)
    """
    return program(
        "class C0:\n    def __init__(self, d='cuda', **kw):\n        self.d = d",
        each(n, made),
        trainer(),
        f"c = C{n}(w0=1)\ntrain(c.d)\nprint(c.device)",
    )


@family()
def class_factories(n: int) -> Files:
    """Functions that each make a class of what they are given, applied one after the other."""
    made = """
        def make$i(base):
            class X(base):
                def forward(self, x):
                    return super().forward(x) + torch.zeros(4)
                def build(self):
                    return make$j(type(self))
            return X
        K$j = make$i(K$i)
    """
    return program(
        "K0 = nn.Linear",
        "def make_last(base): return base",
        each(n, made),
        trainer(model=f"K{n}(4, 1)"),
        "train('cuda')",
    )


@family()
def generics(n: int) -> Files:
    """Classes with a type parameter, each a subclass of the one before for the type after."""
    head = "from typing import Generic, TypeVar\nT = TypeVar('T')\nclass C0(nn.Module, Generic[T]):"
    first = "    def __init__(self, d):\n        super().__init__()\n        self.w = nn.Linear(4, 1).to(d)"
    rest = each(n, "class C$j(C$i[T]):\n    def forward(self, x: T) -> T:\n        return self.w(x)")
    return program(head, first, rest, trainer(model=f"C{n}[torch.Tensor](d)"), "train('cuda')")
