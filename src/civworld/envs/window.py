# SPDX-License-Identifier: GPL-2.0-or-later
"""A window on the screen that shows pictures, for `render_mode="human"` (extra `window`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from civworld.errors import LifecycleError
from civworld.extras import needs

LONGEST_SIDE = 1200
"""Pixels; larger pictures are scaled down to it."""


class Window:
    """One window; it opens with the first picture and takes its size.

    Raises:
        MissingExtra: pygame is not installed.
        LifecycleError: this machine has no screen to open a window on.
    """

    def __init__(self, title: str) -> None:
        with needs("window", 'render_mode="human"'):
            import pygame
        try:
            pygame.display.init()
        except pygame.error as error:
            raise LifecycleError(
                f'render_mode="human": no window can be opened here ({error}); "rgb_array" and "ansi" need no screen'
            ) from None
        self._pygame = pygame
        self._title = title
        self._screen: Any = None

    def show(self, picture: npt.NDArray[np.uint8]) -> None:
        """Put a picture, uint8 (height, width, 3), on the screen."""
        pygame = self._pygame
        if self._screen is None:
            self._screen = self._open(picture.shape[:2])
        surface = pygame.surfarray.make_surface(picture.swapaxes(0, 1))
        self._screen.blit(pygame.transform.smoothscale(surface, self._screen.get_size()), (0, 0))
        pygame.event.pump()
        pygame.display.flip()

    def _open(self, shape: tuple[int, ...]) -> Any:
        height, width = shape
        scale = min(1.0, LONGEST_SIDE / max(height, width))
        self._pygame.display.init()
        self._pygame.display.set_caption(self._title)
        return self._pygame.display.set_mode((max(1, round(width * scale)), max(1, round(height * scale))))

    def close(self) -> None:
        """Take the window away."""
        if self._screen is not None:
            self._pygame.display.quit()
        self._screen = None
