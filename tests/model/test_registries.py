"""What registries hold: dicts of classes that decorators fill."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from tests.checkout import Checkout
from torchlint.model.values.value_sets import Instance, Value

Program: TypeAlias = Callable[[str], Checkout]
ProjectOf: TypeAlias = Callable[[dict[str, str]], Checkout]

_DICT = """
    MODELS = {}

    def register(name):
        def wrap(cls):
            MODELS[name] = cls
            return cls
        return wrap
    """
_OBJECT = """
    class Registry:
        def __init__(self):
            self.known = {}

        def register(self, name):
            def wrap(cls):
                self.known[name] = cls
                return cls
            return wrap

        def get(self, name):
            return self.known[name]

        def build(self, cfg):
            return self.known[cfg.name](cfg)

    MODELS, LOSSES = Registry(), Registry()
    """
_CLASSES = """
    @{register}("small")
    class Small: pass

    @{register}("large")
    class Large: pass

    class Aside: pass

    use({read})
    """


def _kinds(values: list[Value]) -> list[str]:
    return [one.kind.scope.name if isinstance(one, Instance) else type(one).__name__ for one in values]


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        ("MODELS['small']()", ["Small"]),
        ("MODELS.get('large')()", ["Large"]),
        ("MODELS.get(args.name)()", ["Small", "Large", "Unknown"]),
        ("MODELS[args.name]()", ["Small", "Large"]),
        ("MODELS['huge']()", ["Unknown"]),
    ],
)
def test_a_dict_holds_what_its_decorator_takes(program: Program, read: str, expected: list[str]) -> None:
    project = program(_DICT + _CLASSES.format(register="register", read=read))

    assert _kinds(project.values(read)) == expected


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        ("MODELS.get('small')()", ["Small"]),
        ("MODELS.build(cfg)", ["Small", "Large"]),
        ("LOSSES.build(cfg)", ["Unknown"]),
    ],
)
def test_an_object_holds_what_its_own_decorator_takes(program: Program, read: str, expected: list[str]) -> None:
    project = program(_OBJECT + _CLASSES.format(register="MODELS.register", read=read))

    assert _kinds(project.values(read)) == expected


def test_other_files_register_too(project_of: ProjectOf) -> None:
    files = {
        "registry.py": _DICT,
        "models.py": "from registry import register\n@register('small')\nclass Small: pass\n",
        "main.py": "import models\nfrom registry import MODELS\nuse(MODELS['small']())\n",
    }

    assert _kinds(project_of(files).values("MODELS['small']()")) == ["Small"]


def test_a_class_may_go_by_its_own_name(program: Program) -> None:
    project = program("""
        MODELS = {}
        def register(cls):
            MODELS[cls.__name__] = cls
            return cls
        @register
        class Small: pass
        @register
        class Large: pass
        use(MODELS["Large"]())
        """)

    assert _kinds(project.values('MODELS["Large"]()')) == ["Large"]


def test_what_else_the_decorator_is_called_with_may_be_there_too(program: Program) -> None:
    code = _DICT + _CLASSES.format(register="register", read="(register(key)(made()), MODELS['small']())")

    assert _kinds(program(code).values("MODELS['small']()")) == ["Unknown", "Small"]


_HANDING = """
    class Registry:
        def __init__(self):
            self._known = {}

        def _put(self, name, made):
            assert name not in self._known
            self._known[name] = made

        def register(self, made=None, name=None):
            if made is None:
                def take(cls):
                    self._put(KEY, cls)
                    return cls
                return take
            self._put(made.__name__, made)

        def get(self, name):
            found = self._known.get(name)
            if found is None:
                raise KeyError(name)
            return found

    MODELS, LOSSES = Registry(), Registry()
    """


@pytest.mark.parametrize(
    ("key", "read", "expected"),
    [
        ("cls.__name__", "MODELS.get('Small')()", ["Small"]),
        ("cls.__name__", "MODELS.get(args.model)()", ["Small", "Large"]),
        ("cls.__name__", "MODELS.get('small')()", ["Unknown"]),
        ("name", "MODELS.get('large')()", ["Large"]),
        ("cls.__name__", "LOSSES.get(args.model)()", ["Unknown"]),
    ],
)
def test_a_decorator_may_hand_it_to_a_method_that_puts_it_there(
    program: Program, key: str, read: str, expected: list[str]
) -> None:
    handing = _HANDING.replace("self._put(KEY, cls)", f"called = {key}; self._put(called, cls)")
    classes = _CLASSES.replace('("', '(name="').format(register="MODELS.register", read=read)

    assert _kinds(program(handing + classes).values(read)) == expected


@pytest.mark.parametrize(
    "change", [("self._put(", "other._put("), ("__name__, cls)", "__name__, made_of(cls))"), ("= made", "= made()")]
)
def test_what_another_method_puts_there_may_be_something_else(program: Program, change: tuple[str, str]) -> None:
    handing = _HANDING.replace("KEY", "cls.__name__").replace(*change)

    project = program(handing + _CLASSES.format(register="MODELS.register", read="MODELS.get('Small')()"))

    assert _kinds(project.values("MODELS.get('Small')()")) == ["Unknown"]


@pytest.mark.parametrize("change", ["cls = made(cls)", "MODELS = {}", "cls, name = name, cls"])
def test_what_is_put_in_may_be_something_else(program: Program, change: str) -> None:
    text = _DICT.replace("MODELS[name]", f"{change}\n            MODELS[name]")

    project = program(text + _CLASSES.format(register="register", read="MODELS['small']()"))

    assert _kinds(project.values("MODELS['small']()")) == ["Unknown"]


@pytest.mark.parametrize(("name", "reported"), [("small", ["model(x)"]), ("large", [])])
def test_a_batch_is_where_no_registered_model_is(program: Program, name: str, reported: list[str]) -> None:
    project = program(
        _DICT
        + f"""
    import torch
    from torch import nn
    from torch.utils.data import DataLoader

    @register("small")
    class Small(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, x):
            return self.layer(x)

    @register("large")
    class Large(Small):
        def forward(self, x):
            return self.layer(x.cuda())

    def train(data):
        model = MODELS["{name}"]().cuda()
        for x in DataLoader(data):
            model(x)
    """
    )

    assert project.reported("unmoved-batch") == reported


_EXTERNAL = """
    from {library} import Registry

    MODELS, LOSSES = Registry("models"), Registry("losses")

    @MODELS.{decorator}()
    class Small: pass

    @MODELS.{decorator}({named})
    class Large: pass

    @LOSSES.{decorator}()
    class Distance: pass

    use({read})
    """


@pytest.mark.parametrize(
    ("library", "decorator", "named", "read", "expected"),
    [
        ("fvcore.common.registry", "register", "", "MODELS.get(cfg.model)(cfg)", ["Small", "Large"]),
        ("fvcore.common.registry", "register", "", "MODELS.get('Large')(cfg)", ["Large"]),
        ("fvcore.common.registry", "register", "", "LOSSES.get(cfg.loss)(cfg)", ["Distance"]),
        ("fvcore.common.registry", "register", "", "MODELS.get('Huge')(cfg)", ["Unknown"]),
        ("fvcore.common.registry", "register", "", "OTHERS.get(cfg.model)(cfg)", ["Unknown"]),
        ("fvcore.common.registry", "register", "", "MODELS.count(cfg.model)", ["Unknown"]),
        ("mmengine.registry", "register_module", "", "MODELS.build(cfg.model)", ["Small", "Large"]),
        ("mmcv.utils", "register_module", "name='large'", "MODELS.get('large')(cfg)", ["Large"]),
        ("mmcv.utils", "register_module", "name='large'", "MODELS.get('Large')(cfg)", ["Unknown"]),
        ("elsewhere", "register", "", "MODELS.get(cfg.model)(cfg)", ["Unknown"]),
    ],
)
def test_the_registries_of_libraries_hold_what_their_decorators_take(
    program: Program, library: str, decorator: str, named: str, read: str, expected: list[str]
) -> None:
    code = _EXTERNAL.format(library=library, decorator=decorator, named=named, read=read)

    assert _kinds(program(code).values(read)) == expected
