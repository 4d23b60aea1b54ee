# SPDX-License-Identifier: GPL-2.0-or-later
"""A fact or a piece of work is told in one room, and a thing has one word."""

import re
from collections import defaultdict
from pathlib import Path

import civworld

SOURCES = Path(civworld.__file__).parent
DOCS = Path(__file__).resolve().parents[1] / "docs"
RUN = 5
"""Lines that may not stand in two rooms."""
# cases that `provinces` has drawn; their test draws them anew
DRAWN = ("grain_valley.py", "pit_towns.py", "robber_coast.py")
PASSED_OVER = re.compile(r"""#|from |import |["']{3}|@|try:|else:|return$|pass$|\)|\]|\}|\w+,$""")


def room(path: Path) -> str:
    """The folder of a module, or the module itself where it stands alone."""
    parts = path.relative_to(SOURCES).parts
    return "/".join(parts[:-1]) or parts[0]


def test_no_run_of_lines_stands_in_two_rooms():
    found = defaultdict(set)
    for path in sorted(SOURCES.rglob("*.py")):
        if path.name in DRAWN:
            continue
        lines = [" ".join(line.split()) for line in path.read_text(encoding="utf-8").splitlines()]
        lines = [line for line in lines if len(line) > 3 and not PASSED_OVER.match(line)]
        for i in range(len(lines) - RUN + 1):
            found["\n".join(lines[i : i + RUN])].add(room(path))
    assert len(found) > 10_000
    twice = {run: rooms for run, rooms in found.items() if len(rooms) > 1}
    assert not twice, "\n\n".join(f"{sorted(rooms)}:\n{run}" for run, rooms in twice.items())


def test_words_that_are_not_used_are_not_used():
    page = (DOCS / "words.md").read_text(encoding="utf-8")
    wanted, _, banned = page.partition("## Words that are not used")
    words = [word.strip() for row in re.findall(r"^\| ([^|]+) \|", banned, re.MULTILINE)[1:] for word in row.split(",")]
    assert "snapshot" in words and len(words) > 8
    never = re.compile(rf"\b({'|'.join(words)})s?\b", re.IGNORECASE)
    texts = {path.name: path.read_text(encoding="utf-8") for path in DOCS.glob("*.md")} | {"words.md": wanted}
    texts |= {str(path.relative_to(SOURCES)): path.read_text(encoding="utf-8") for path in SOURCES.rglob("*.py")}
    assert {name: match[0] for name, text in texts.items() if (match := never.search(text))} == {}
