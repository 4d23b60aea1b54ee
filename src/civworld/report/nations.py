# SPDX-License-Identifier: GPL-2.0-or-later
"""What a nation's people are called: the plural, from the nation files that the engine reads."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from types import MappingProxyType

from civworld._engine.build import FOLDER

HEAD = 2048
"""Characters of a nation file that hold its names."""
_FIELD = re.compile(r'^(name|plural|rule_name)\s*=\s*_?\(?"(?:\?[^:"]*:)?([^"]*)"', re.MULTILINE)


@functools.cache
def plurals() -> Mapping[str, str]:
    """Nation, by its rule name -> its people."""
    found = {}
    for path in sorted((FOLDER / "data" / "nation").glob("*.ruleset")):
        fields: dict[str, str] = {}
        with path.open(encoding="utf-8", errors="replace") as file:
            head = file.read(HEAD)
        for key, value in _FIELD.findall(head):
            fields.setdefault(key, value)
        if "plural" in fields:
            found[fields.get("rule_name", fields.get("name", ""))] = fields["plural"]
    return MappingProxyType(found)


def people(nation: str) -> str:
    """The people of a nation, for example `Indonesians`; the name itself where no file tells."""
    return plurals().get(nation, nation)
