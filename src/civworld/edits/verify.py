# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether an edit did what it declares, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from civworld.edits.base import Consequence, Edit, Place
from civworld.errors import EditRefused
from civworld.state import StateView


def verify(
    edit: Edit, before: StateView, after: StateView, expected: Mapping[Place, Any], allowed: tuple[Consequence, ...]
) -> None:
    """Raise EditRefused unless all that was declared holds now, something changed, and nothing else did.

    Args:
        edit: the edit, for messages.
        before: the moment before it.
        after: the moment after it.
        expected: what it declared with `Edit.expects`.
        allowed: what it declared with `Edit.may_change`.
    """
    changes = {(table, row, field): new for table, row, field, _, new in before.changes(after)}
    if not changes:
        raise EditRefused(f"edit '{edit.name}' changes nothing here")
    for place, value in expected.items():
        found = changes[place] if place in changes else after.value(*place)
        if found != value:
            table, row, field = place
            raise EditRefused(
                f"edit '{edit.name}': {table}[{row}].{field} should be {value!r} afterwards, found {found!r}"
            )
    stray = [p for p in changes if p not in expected and not any(c.covers(p) for c in allowed)]
    if stray:
        raise EditRefused(f"edit '{edit.name}' also changed {stray[:5]}, which it does not declare")
