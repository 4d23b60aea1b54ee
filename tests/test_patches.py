# SPDX-License-Identifier: GPL-2.0-or-later
"""The patch queue: headers, order, size, and nothing beside it."""

import re
from pathlib import Path

import pytest

QUEUE = Path(__file__).resolve().parents[1] / "freeciv_patches"
SERIES = [line for line in (QUEUE / "series").read_text().split("\n") if line and not line.startswith("#")]


def test_series_and_folder_agree_and_numbers_ascend():
    assert sorted(SERIES) == SERIES
    assert {p.name for p in QUEUE.glob("*.patch")} == set(SERIES)
    assert all(re.fullmatch(r"0[012]\d\d-[a-z0-9-]+\.patch", name) for name in SERIES)
    numbers = [name[:4] for name in SERIES]
    assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize("name", SERIES)
def test_header_says_what_why_where_and_until_when(name):
    header, _, body = (QUEUE / name).read_text().partition("\n---\n")
    fields = dict(re.findall(r"^(Subject|Touches|Hook|Drop-when): (.+)$", header, re.M))
    assert fields.keys() == {"Subject", "Touches", "Hook", "Drop-when"}
    assert len(header.splitlines()) >= 6, "the header must say why"
    touched = re.findall(r"^\+\+\+ b/(\S+)", body, re.M)
    assert sorted(fields["Touches"].replace(",", " ").split()) == sorted(touched)


def test_upstream_pins_every_archive():
    import tomllib

    for name, row in tomllib.loads((QUEUE / "UPSTREAM").read_text()).items():
        assert re.fullmatch(r"[0-9a-f]{64}", row["sha256"]), name
        assert row["length"] > 0
