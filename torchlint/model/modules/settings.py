"""Arguments of modules from settings, `Loss(classes=cfg.DATA.CLASSES)`: numbers and texts, and nothing to move."""

from __future__ import annotations

import ast

from torchlint.model.options.option_stores import holds_options
from torchlint.model.place import Caller, Place
from torchlint.model.values.frames import frame_into
from torchlint.syntax.scope import Parameter, Scope


def is_setting(place: Place) -> bool:
    """Tell whether an expression is read from settings, or is a parameter for which the frame's call passes one."""
    match place.expression:
        case ast.Attribute(value=owner) | ast.Subscript(value=owner):
            return _is_of_settings(owner)
        case ast.Name(id=name):
            given = _passed(place, name)
            return bool(given) and all(is_setting(one) for one in given)
        case _:
            return False


def _is_of_settings(owner: ast.expr) -> bool:
    """Tell whether something holds settings, or is a group of them: `cfg`, `cfg.DATA`, `self.opt["data"]`."""
    match owner:
        case ast.Attribute(value=outer) | ast.Subscript(value=outer):
            return holds_options(owner) or _is_of_settings(outer)
        case _:
            return holds_options(owner)


def _passed(place: Place, name: str) -> tuple[Place, ...]:
    """Return what the call that entered a function passes for a parameter, or its default."""
    function = place.scope
    parameter = next((one for one in function.parameters if one.name == name), None)
    frame = frame_into(place, function)
    if parameter is None or len(function.bindings[name]) > 1 or frame is None or frame.call is None:
        return ()
    given = Caller.of_frame(frame, frame.call).argument(parameter)
    return _default(place, function, parameter) if given == () else given or ()


def _default(place: Place, function: Scope, parameter: Parameter) -> tuple[Place, ...]:
    assert isinstance(function.node, ast.stmt)
    return (Place(place.file, parameter.default, function.node),) if parameter.default is not None else ()
