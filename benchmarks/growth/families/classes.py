"""Classes above and below each other, and what they hand on."""

from __future__ import annotations

from benchmarks.growth.family import Files, family
from benchmarks.growth.program import each, indented, program, trainer, training, listed

_ROOT = "class C0(nn.Module):\n    device = 'cuda'\n    def __init__(self):\n        super().__init__()\n        self.fc = nn.Linear(4, 1)\n    def forward(self, x):\n        return self.fc(x)"


@family
def deep_hierarchy(n: int) -> Files:
    """Classes that each inherit from the one before."""
    return program(_ROOT, each(n, "class C$j(C$i):\n    pass"), trainer(model=f"C{n}()"), f"train(C{n}.device)")


@family
def deep_hierarchy_overriding(n: int) -> Files:
    """Classes that each inherit from the one before, and override one method."""
    steps = "class C$j(C$i):\n    def forward(self, x):\n        return super().forward(x)"
    return program(_ROOT, each(n, steps), trainer(model=f"C{n}()"), f"train(C{n}.device)")


@family
def wide_hierarchy(n: int) -> Files:
    """Classes that all inherit from one, and override one method."""
    return program(_ROOT, each(n, "class C$j(C0):\n    def forward(self, x):\n        return self.fc(x) + $i"), trainer(model="C1()"), "train(C1.device)")


@family
def wide_hierarchy_by_name(n: int) -> Files:
    """Classes that all inherit from one, of which one is picked by name."""
    table = "TABLE = {" + listed(n, "'c$i': C$j") + "}"
    return program("import sys", _ROOT, each(n, "class C$j(C0):\n    device = 'cuda:$i'"), table, trainer(model="TABLE[sys.argv[1]]()"), "train('cuda')")


@family
def diamonds(n: int) -> Files:
    """Classes in pairs that both inherit from both of the pair before."""
    pairs = "class A$j(A$i, B$i):\n    pass\nclass B$j(A$i, B$i):\n    pass"
    starts = [_ROOT.replace("C0", name) for name in ("A0", "B0")]
    return program(starts, each(n, pairs), trainer(model=f"A{n}()"), f"train(B{n}.device)")


@family
def proper_diamonds(n: int) -> Files:
    """Diamonds one below the other, with a method that each side hands on."""
    sides = "".join(f"class {side}$i(C$i):\n    def forward(self, x):\n        return super().forward(x)\n" for side in "AB")
    return program(_ROOT, each(n, f"{sides}class C$j(A$i, B$i):\n    pass"), trainer(model=f"C{n}()"), f"train(C{n}.device)")


@family
def super_chain(n: int) -> Files:
    """Constructors that each hand their arguments to the one above."""
    steps = "class C$j(C$i):\n    def __init__(self, *args, a$i=None, **kwargs):\n        super().__init__(*args, **kwargs)\n        self.fc$j = nn.Linear(4, $j)"
    root = "class C0(nn.Module):\n    def __init__(self, device='cuda'):\n        super().__init__()\n        self.device = device\n        self.fc = nn.Linear(4, 1).to(device)\n    def forward(self, x):\n        return self.fc(x)"
    return program(root, each(n, steps), f"net = C{n}('cuda')", trainer(model="net"), "train(net.device)")


@family
def overridden_attributes(n: int) -> Files:
    """Classes that each override an attribute which a method of the first reads."""
    root = f"class C0:\n    device = 'cpu'\n    def run(self):\n{indented(training('self.device'), 8)}"
    return program(root, each(n, "class C$j(C$i):\n    device = 'cuda:$i'"), f"C{n}().run()")


@family
def mixins(n: int) -> Files:
    """One class of n bases that each have a method which calls the next."""
    bases = "class M$i:\n    def f$i(self, d):\n        return self.f$j(d)"
    names = ", ".join(each(n, "M$i"))
    return program(trainer(), each(n, bases), f"class All({names}):\n    def f{n}(self, d):\n        train(d)", "All().f0('cuda')")


@family
def same_methods(n: int) -> Files:
    """Classes of one interface that are all called through it."""
    made = "class C$i(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.fc = nn.Linear(4, $j)\n    def forward(self, x):\n        return self.fc(x)\n    def device(self):\n        return 'cuda:$i'"
    return program(each(n, made), "for net in [" + listed(n, "C$i()") + "]:", indented(training("net.device()", "net")))


@family
def registry(n: int) -> Files:
    """Classes that a decorator puts into a dict, from which one is picked by an option."""
    head = "import sys\nREGISTRY = {}\ndef register(name):\n    def take(kind):\n        REGISTRY[name] = kind\n        return kind\n    return take"
    made = "@register('c$i')\nclass C$i(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.fc = nn.Linear(4, 1).cuda()\n    def forward(self, x):\n        return self.fc(x)"
    return program(head, each(n, made), "def build(name):\n    return REGISTRY[name]()", trainer(model="build(sys.argv[1])"), "train('cuda')")


@family
def properties(n: int) -> Files:
    """Properties that each read the next."""
    made = each(n, "    @property\n    def d$i(self):\n        return self.d$j")
    return program(trainer(), "class Config:", made, f"    @property\n    def d{n}(self):\n        return 'cuda'", "train(Config().d0)")


@family
def properties_of_two(n: int) -> Files:
    """Properties that each read the next two."""
    made = each(n, "    @property\n    def d$i(self):\n        return self.d$j or self.d$k", ring=True)
    return program(trainer(), "class Config:\n    d = 'cuda'", made, "train(Config().d0)")


@family
def getattr_fallbacks(n: int) -> Files:
    """Classes that each wrap another and hand on what they lack."""
    made = "class W$i:\n    def __init__(self, inner):\n        self.inner = inner\n    def __getattr__(self, name):\n        return getattr(self.inner, name)"
    wraps = "".join(each(n, "W$i(")) + "nn.Linear(4, 1)" + ")" * n
    if n > 80:
        wraps = f"W0({wraps[3:]}"
    nests = ["w = nn.Linear(4, 1)", *each(n, "w = W$i(w)")]
    return program(each(n, made), nests, trainer(model="w"), "train(w.weight.device)")


@family
def dataclasses(n: int) -> Files:
    """Dataclasses that each hold the one before."""
    made = "@dataclass\nclass D$j:\n    sub: D$i\n    device: str = 'cuda:$i'"
    build = "x$j = D$j(x$i)"
    return program("from dataclasses import dataclass\n@dataclass\nclass D0:\n    device: str = 'cuda'", each(n, made), "x0 = D0()", each(n, build), trainer(), f"train(x{n}.sub.device)")


@family
def dataclass_fields(n: int) -> Files:
    """One dataclass of n fields, each of which is read."""
    fields = each(n, "    d$i: str = 'cuda:$i'")
    return program("from dataclasses import dataclass\n@dataclass\nclass Config:", fields, "config = Config(d0='cuda')", each(n, "torch.zeros(1, device=config.d$i)"), trainer(), "train(config.d0)")


@family
def class_methods(n: int) -> Files:
    """Classes that are each made by a class method of the next."""
    made = "class C$i:\n    def __init__(self, d):\n        self.d = d\n    @classmethod\n    def make(cls):\n        return cls(C$j.make().d)"
    last = f"class C{n}:\n    d = 'cuda'\n    @staticmethod\n    def make():\n        return C{n}()"
    return program(trainer(), each(n, made), last, "train(C0.make().d)")


@family
def objects_made_by_each_other(n: int) -> Files:
    """Classes whose constructors each make the next and take over its device."""
    made = "class C$i:\n    def __init__(self):\n        self.next = C$j()\n        self.d = self.next.d"
    return program(trainer(), each(n, made), f"class C{n}:\n    d = 'cuda'", "train(C0().d)")


@family
def overloaded_operators(n: int) -> Files:
    """Objects with `__call__`, `__getitem__` and `__add__`, used in turn."""
    kind = "class Box:\n    def __init__(self, d):\n        self.d = d\n    def __call__(self, d):\n        return Box(d)\n    def __getitem__(self, key):\n        return self\n    def __add__(self, other):\n        return Box(other.d)"
    return program(kind, "b0 = Box('cuda')", each(n, "b$j = (b$i + b$i[$i])(b$i.d)"), trainer(), f"train(b{n}.d)")


@family
def metaclass_of_all(n: int) -> Files:
    """Classes that `__init_subclass__` gathers, each made from what is gathered."""
    root = "class Base:\n    kinds = []\n    def __init_subclass__(cls):\n        Base.kinds.append(cls)\n    def device(self):\n        return 'cuda'"
    return program(root, each(n, "class C$i(Base):\n    def device(self):\n        return 'cuda:$i'"), trainer(), "for kind in Base.kinds:\n    train(kind().device())")
