# SPDX-License-Identifier: GPL-2.0-or-later
"""The `civworld` command itself."""

from importlib.metadata import version

import pytest

from civworld import cli


def test_the_command_tells_its_version(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"civworld {version('civworld')}\n"
