# SPDX-License-Identifier: GPL-2.0-or-later
"""The loaded library, and what it tells of itself before it is opened: words, records and constants.

Loading maps the library; only `cw_open`, which `library.Engine` calls, claims memory for worlds.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

import numpy as np

from civworld._engine.build import build_info
from civworld.errors import ArgumentError, UnknownNameError


@functools.cache
def native() -> Any:
    """The cffi module with its `ffi` and `lib`."""
    build_info()
    return importlib.import_module("civworld._engine._native")


def constant(name: str) -> int:
    """Value of a number that civworld.h defines."""
    return int(getattr(native().lib, name))


@functools.cache
def words(name: str) -> tuple[str, ...]:
    """Words that numbers of the engine stand for, in its order, such as `words("clauses")`.

    Raises:
        UnknownNameError: the engine has no such list.
    """
    lib = native().lib
    known = _texts(lib.cw_words_list)
    if name not in known:
        raise UnknownNameError("list of words", name, known)
    return _texts(functools.partial(lib.cw_word, name.encode()))


@functools.cache
def record_type(name: str) -> np.dtype[Any]:
    """Numpy type of a record that is no table, such as "plan"; its fields are the engine's.

    Raises:
        ArgumentError: the engine has no such record.
    """
    ffi, lib = native().ffi, native().lib
    fields, nfields, size = ffi.new("struct cw_field **"), ffi.new("int *"), ffi.new("int *")
    if lib.cw_record_schema(name.encode(), fields, nfields, size) != 0:
        raise ArgumentError(ffi.string(lib.cw_last_error()).decode())
    return fields_type(fields[0], nfields[0], size[0])[0]


def fields_type(fields: Any, count: int, size: int) -> tuple[np.dtype[Any], dict[str, str]]:
    """The numpy type of a record from its C field list, and what each field means."""
    ffi = native().ffi
    rows = [fields[k] for k in range(count)]
    names = [ffi.string(f.name).decode() for f in rows]
    formats = [ffi.string(f.type).decode() for f in rows]
    spec = {"names": names, "formats": formats, "offsets": [f.offset for f in rows], "itemsize": size}
    docs = {name: ffi.string(f.doc).decode() for name, f in zip(names, rows, strict=True)}
    return np.dtype(spec), docs  # type: ignore[call-overload]


def struct_values(pointer: Any) -> dict[str, int]:
    """The numbers in a C struct, by the names of its fields."""
    return {name: int(getattr(pointer, name)) for name, _ in native().ffi.typeof(pointer).item.fields}


def _texts(text: Any) -> tuple[str, ...]:
    """What a function of 0, 1, 2, ... gives until it gives NULL."""
    ffi, found = native().ffi, list[str]()
    while (word := text(len(found))) != ffi.NULL:
        found.append(ffi.string(word).decode())
    return tuple(found)
