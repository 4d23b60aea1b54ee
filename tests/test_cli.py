# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line: help names all there is, messages are English."""

import inspect
from importlib.metadata import version

import pytest

from civworld import cli, corpus, report
from civworld.errors import UnknownNameError


def test_the_command_tells_its_version(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"civworld {version('civworld')}\n"


def test_help_names_every_suite(capsys):
    with pytest.raises(SystemExit):
        cli.main(["corpus", "build", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert not [name for name in corpus.SUITES if f" {name}," not in said and f" {name} or" not in said
                and f"or {name}," not in said]  # fmt: skip


def test_one_world_is_not_worlds(monkeypatch, capsys, tmp_path):
    made = corpus.Report(made=["tiny-000"], turns={"mainline": 1})
    monkeypatch.setattr(corpus, "build", lambda *args, **options: made)
    assert cli.main(["corpus", "build", "--suite", "tiny", "--out", str(tmp_path), "--runner", "single"]) == 0
    assert "1 world made, 0 there, 0 failed; 1 turn played in" in capsys.readouterr().out
    made.made.append("tiny-001")
    cli.main(["corpus", "build", "--suite", "tiny", "--out", str(tmp_path), "--runner", "single"])
    assert "2 worlds made" in capsys.readouterr().out


def test_an_unknown_option_of_a_report_is_named(world):
    with pytest.raises(UnknownNameError, match=r"option of a report 'wiew': did you mean 'view'"):
        world.report(wiew=2)
    known = [p.name for p in inspect.signature(report.briefing).parameters.values() if p.kind is p.KEYWORD_ONLY]
    assert known == list(inspect.getmodule(report.briefing)._OPTIONS)
    with pytest.raises(UnknownNameError, match="since"):
        inspect.getmodule(report.briefing).briefing_at({}, 1, sinc=2)
