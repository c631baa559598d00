"""The type of a program's device, as autocast takes it: no index is part of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchlint.model.edits.expressions_at import expression_at
from torchlint.model.values.value_sets import Literal

if TYPE_CHECKING:
    from torchlint.model.edits.device_names import DeviceNames
    from torchlint.model.place import Place


def device_type(place: Place, names: DeviceNames) -> str:
    """Return an expression for the type of the device at a place: a device that is a text may be the type itself."""
    own = names.own(place)
    if own is None:
        return "device.type"
    values = [one.value for one in expression_at(place, own).possibilities()]
    texts = [one.value for one in values if isinstance(one, Literal) and isinstance(one.value, str)]
    if not texts:
        return f"{own}.type"
    has_index = any(":" in text for text in texts)
    return f"torch.device({own}).type" if has_index or len(texts) < len(values) else own
