# SPDX-License-Identifier: GPL-2.0-or-later
"""Films: the map turn by turn, as one moving picture."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from civworld.checks import whole
from civworld.errors import ArgumentError, UnknownNameError
from civworld.extras import needs
from civworld.report.pictures import map_pixels
from civworld.state import TableView
from civworld.timeline import Timeline

if TYPE_CHECKING:
    from PIL import Image

ENDINGS = (".gif", ".png", ".webp")


def film(
    source: Timeline | Iterable[TableView],
    path: str | os.PathLike[str],
    *,
    turns: Sequence[int] | None = None,
    view: int | None = None,
    scale: int = 8,
    milliseconds: int = 150,
) -> int:
    """Write the map as a moving picture, one frame for each turn, with a bar below that shows how far it is.

    Args:
        source: a timeline, or views of one world in the order in which they are shown.
        path: the file; its ending chooses the format: GIF, animated PNG or WebP.
        turns: which turns of a timeline to show; all of them if not given.
        view: a player number: show of a timeline what that player knows, instead of everything.
        scale: pixels per tile, 4 or more.
        milliseconds: how long a frame stays, 10 to 60000.

    Returns:
        The number of frames.

    Raises:
        ArgumentError: there is nothing to show, or `turns` or `view` were given with views.
        UnknownNameError: the ending is of no format, or the timeline has no such turn.
        MissingExtra: Pillow is not installed.
    """
    with needs("plot", "film"):
        from PIL import Image

    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise UnknownNameError("ending of a film", ending, ENDINGS)
    milliseconds = whole("film: milliseconds", milliseconds, 10, 60_000)
    if isinstance(source, Timeline):
        views, count = _of_timeline(source, turns, view)
    elif turns is not None or view is not None:
        raise ArgumentError("film: turns= and view= choose from a timeline; views are shown as they are")
    else:
        held = list(source)
        views, count = iter(held), len(held)
    if not count:
        raise ArgumentError("film: there is no turn to show")
    frames = (Image.fromarray(_frame(one, scale, done / count)) for done, one in enumerate(views, 1))
    _save(frames, path, milliseconds)
    return count


def _of_timeline(
    timeline: Timeline, turns: Sequence[int] | None, player: int | None
) -> tuple[Iterator[TableView], int]:
    held = timeline.turns
    chosen = held if turns is None else list(turns)
    for turn in chosen:
        if turn not in held:
            raise UnknownNameError("turn of the timeline", turn, map(str, held))

    def views() -> Iterator[TableView]:
        for turn in chosen:
            with timeline[turn].fork() as world:
                yield world.state() if player is None else world.view(player)

    return views(), len(chosen)


def _frame(view: TableView, scale: int, part: float) -> npt.NDArray[np.uint8]:
    pixels = map_pixels(view, scale)
    bar = np.full((max(2, scale // 2), pixels.shape[1], 3), 40, np.uint8)
    bar[:, : round(part * pixels.shape[1])] = 220
    return np.concatenate([pixels, bar])


def _save(frames: Iterator[Image.Image], path: str | os.PathLike[str], milliseconds: int) -> None:
    first, *rest = frames  # held together: the PNG writer goes through them twice
    first.save(path, save_all=True, append_images=rest, duration=milliseconds, loop=0)
