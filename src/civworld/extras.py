# SPDX-License-Identifier: GPL-2.0-or-later
"""What the extras of pyproject.toml bring, and one sentence where one is missing.

>>> with needs("plot", "save_map"):
...     from matplotlib.image import imsave
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from civworld.errors import MissingExtra

# extra -> modules that it brings -> what pip calls them
EXTRAS: dict[str, dict[str, str]] = {
    "plot": {"matplotlib": "matplotlib", "PIL": "pillow"},
    "tables": {"pandas": "pandas", "polars": "polars", "pyarrow": "pyarrow"},
    "window": {"pygame": "pygame"},
    "data": {"pyarrow": "pyarrow"},
    "eval": {"inspect_ai": "inspect-ai"},
    "ray": {"ray": "ray"},
    "mcp": {"mcp": "mcp", "uvicorn": "uvicorn", "starlette": "starlette"},
    "rl": {"sb3_contrib": "sb3-contrib"},
}


@contextlib.contextmanager
def needs(extra: str, what: str) -> Iterator[None]:
    """Wraps the imports of an extra's modules: where one is missing, MissingExtra says who needs it and how to get it.

    Args:
        extra: a name of `EXTRAS`.
        what: what the caller wanted, for the message.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        module = (error.name or "").partition(".")[0]
        if module not in EXTRAS[extra]:
            raise  # not for want of the extra
        raise MissingExtra(
            f"{what} needs {module}, which comes with the extra {extra!r}: pip install {EXTRAS[extra][module]}, "
            f"or pip install '.[{extra}]' in civworld's source folder",
            extra=extra,
        ) from None
