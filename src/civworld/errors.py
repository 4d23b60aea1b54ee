# SPDX-License-Identifier: GPL-2.0-or-later
"""Everything civworld raises on purpose, as one small hierarchy.

Every message says what was asked, what was found and what is allowed. A failure never turns into an
empty result, a zero or a warning.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


class CivworldError(Exception):
    """Base class of every error that civworld raises on purpose; each can be pickled, whatever its constructor asks."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _made_again, (type(self), self.args), self.__dict__


def _made_again(cls: type[CivworldError], args: tuple[Any, ...]) -> CivworldError:
    """An error with its text, whose attributes are set next; its constructor takes other arguments than the text."""
    error = cls.__new__(cls, *args)
    error.args = args
    return error


class ArgumentError(CivworldError, ValueError):
    """An argument is outside what is allowed; nothing was done."""


def _short(name: object) -> str:
    """A name as messages show it; whatever was asked for, the message stays a message."""
    try:
        text = repr(name)
    except (ValueError, RecursionError):  # a number of thousands of digits, a list nested in itself
        return f"<{type(name).__name__}>"
    return text if len(text) <= 60 else text[:57] + "..."


class UnknownNameError(ArgumentError, LookupError):
    """A name is not in its table; the message lists the nearest names that are."""

    def __init__(self, kind: str, name: object, known: Iterable[str]) -> None:
        self.kind = kind
        self.name = name if isinstance(name, str | int | None) else repr(name)  # what was asked need not be picklable
        self.known = sorted(known)
        shown = _short(name)
        near = difflib.get_close_matches(str(name), self.known, n=3, cutoff=0.4) if len(shown) <= 60 else []
        hint = f"did you mean {', '.join(map(repr, near))}? " if near else ""
        super().__init__(f"unknown {kind} {shown}: {hint}known: {', '.join(self.known)}")


class RefusedError(CivworldError):
    """The rules or the state do not allow what was asked; the state is unchanged.

    Attributes:
        reason: the engine's or the check's reason, one sentence.
    """

    def __init__(self, message: str, *, reason: str = "") -> None:
        self.reason = reason or message
        super().__init__(message)


class CommandRefused(RefusedError):
    """An order was not lawful for that player now."""


class EditRefused(RefusedError):
    """An edit would do nothing, or cannot be applied to this state."""


class NotEligible(RefusedError):
    """An operator cannot be used on this civilization at this moment; `reason` is a short name."""


class MissingExtra(CivworldError, ImportError):
    """What was asked for needs a library that a plain installation leaves out.

    Attributes:
        extra: the name of the extra that brings it.
    """

    def __init__(self, message: str, *, extra: str) -> None:
        self.extra = extra
        super().__init__(message)


class LifecycleError(CivworldError, RuntimeError):
    """A call came at a time that does not allow it: after close, in another process, while poisoned."""


class SandboxUnavailable(CivworldError, RuntimeError):
    """Programs cannot be run in isolation on this machine; none was run."""


class CopyError(CivworldError, TypeError):
    """Something live that cannot be copied or pickled; the message names the way to go."""


class CheckpointError(CivworldError):
    """A checkpoint cannot be used."""


class CheckpointCorrupt(CheckpointError):
    """The bytes of a checkpoint are damaged or cut short."""


class CheckpointMismatch(CheckpointError):
    """A checkpoint belongs to another build or format.

    Attributes:
        field: the name of the manifest field that differs.
    """

    def __init__(self, message: str, *, field: str) -> None:
        self.field = field
        super().__init__(message)


class CorpusError(CivworldError):
    """A corpus cannot be built, read or trusted as it lies there."""


class CorpusCorrupt(CorpusError):
    """A file of a corpus is missing, or its bytes are not those that were written."""


class CorpusMismatch(CorpusError):
    """A corpus belongs to another suite, build or format.

    Attributes:
        field: the name of the manifest field that differs.
    """

    def __init__(self, message: str, *, field: str) -> None:
        self.field = field
        super().__init__(message)


class EngineError(CivworldError, RuntimeError):
    """The engine failed inside a call.

    Attributes:
        where: engine source file and line, where known.
        seed: the world's seed.
        turn: the turn during which it happened.
    """

    def __init__(self, message: str, *, where: str = "", seed: int | None = None, turn: int | None = None) -> None:
        self.where = where
        self.seed = seed
        self.turn = turn
        super().__init__(message)


class EngineFatal(EngineError):
    """The engine hit exit, abort, a failed assertion or ran out of memory; restore before going on."""


class NoRoom(EngineFatal):
    """The map of this seed has no starting places for all players; another seed may have."""


class EngineHang(EngineError):
    """A turn ran past its work or time budget; restore before going on."""


class EngineCrashed(EngineError):
    """A worker process died in the engine; other worlds go on."""
