# SPDX-License-Identifier: GPL-2.0-or-later
"""How an observation is laid out for the library that reads it: a dict or a vector, its mask inside or beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from civworld.envs.observations import Observation

LAYOUTS = ("dict", "flat", "masked_dict", "masked_flat")
MASK = "action_mask"


class Layout:
    """Lays observations out.

    Attributes:
        space: the space of what `lay_out` gives.
        mask_in_infos: whether observations have no place for the mask.
        parts: of a flat layout, which slice of the vector holds which array of the dict, row by row; else empty.
    """

    def __init__(self, name: str, space: spaces.Dict) -> None:
        self._flat, self._masked = name.endswith("flat"), name.startswith("masked_")
        self._rest = spaces.Dict({key: one for key, one in space.spaces.items() if key != MASK})
        self.mask_in_infos = name == "flat"
        self.parts: Mapping[str, slice] = _parts(self._rest) if self._flat else {}
        rest: spaces.Space[Any] = _vector(self._rest) if self._flat else self._rest
        if name == "dict":
            rest = space
        self.space = spaces.Dict({"observation": rest, MASK: space[MASK]}) if self._masked else rest

    def lay_out(self, observation: Observation) -> Any:
        """An observation (a dict of arrays with its mask) in this layout, an element of `space`."""
        if not self._flat and not self._masked:
            return observation
        rest: Any = {key: value for key, value in observation.items() if key != MASK}
        if self._flat:
            rest = flatten(self._rest, rest)
        return {"observation": rest, MASK: observation[MASK]} if self._masked else rest


def flatten(space: spaces.Dict, arrays: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[np.float32]:
    """The arrays of a dict behind each other, float32 (n,), in the order of the space."""
    return np.concatenate([np.asarray(arrays[key], np.float32).ravel() for key in space.spaces])


def _boxes(space: spaces.Dict) -> dict[str, spaces.Box[Any]]:
    return {key: box for key, box in space.spaces.items() if isinstance(box, spaces.Box)}


def _parts(space: spaces.Dict) -> dict[str, slice]:
    parts, at = {}, 0
    for key, box in _boxes(space).items():
        size = int(np.prod(box.shape))
        parts[key] = slice(at, at + size)
        at += size
    return parts


def _vector(space: spaces.Dict) -> spaces.Box[Any]:
    boxes = _boxes(space)
    low = flatten(space, {key: box.low for key, box in boxes.items()})
    high = flatten(space, {key: box.high for key, box in boxes.items()})
    return spaces.Box(low, high, dtype=np.float32)
