# SPDX-License-Identifier: GPL-2.0-or-later
"""What README and docs show works as it stands there: Python is run, commands are read by their own parsers."""

import ast
import importlib
import inspect
import itertools
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import civworld
from civworld import cli, corpus

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PROGRAMS = {"civworld", "inspect", "make", "python", "pip", "ray", "git", "docker", "podman"}


def blocks(*languages: str) -> list[pytest.param]:
    """The code blocks of all pages in these languages, named by page and line."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in BLOCK.finditer(text):
            if block[1] in languages:
                line = text.count("\n", 0, block.start()) + 2
                found.append(pytest.param(block[2], id=f"{page.relative_to(ROOT)}:{line}"))
    return found


def commands(block: str) -> list[list[str]]:
    """The commands of a block as words; continued lines joined, comments, prompts and where output goes left out."""
    joined = re.sub(r"\\\n\s*", " ", block)
    lines = [shlex.split(line.removeprefix("$ "), comments=True) for line in joined.splitlines()]
    words = [[w for w in line if not re.fullmatch(r"[A-Z_]+=\S*", w)] for line in lines]
    words = [line[: line.index(">")] if ">" in line else line for line in words]
    return [line for line in words if line and line[0] in PROGRAMS]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where snippets run: beside a small corpus `tiny` and the project's examples, for those that read them."""
    where = tmp_path_factory.mktemp("snippets")
    (where / "examples").symlink_to(ROOT / "examples")
    config = civworld.WorldConfig(seed=5, players=3, map_size=1)
    spec = corpus.WorldSpec("tiny-000", config, "small", 41, (corpus.DecisionPoint(41, 20),))
    suite = corpus.Suite("tiny", 1, (spec,), futures=2, pairs=1, operators=("treasury_grant",))
    assert not corpus.build(suite, where / "tiny", runner=corpus.SingleRunner()).failures
    return where


def test_there_are_snippets_and_commands():
    assert len(blocks("python")) >= 6 and sum(len(commands(b.values[0])) for b in blocks("sh", "console", "")) >= 12


def test_the_first_snippet_is_ten_lines():
    assert blocks("python")[0].values[0].count("\n") <= 12


@pytest.mark.parametrize("code", blocks("python"))
def test_a_snippet_runs_as_it_stands(code, folder):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("block", blocks("sh", "console", ""))
def test_commands_are_understood_by_what_they_call(block):
    for program, *words in commands(block):
        reader = {"civworld": _civworld, "inspect": _inspect, "make": _make, "python": _python, "pip": _pip}
        reader.get(program, lambda words: None)(words)


def _civworld(words):
    words = [w.replace("*", "x") for w in words]
    if "--version" not in words:
        cli._parser().parse_args(words)


def _inspect(words):
    if words[0] != "eval":
        return
    tasks = importlib.import_module("civworld.integrations.inspect_tasks")
    function = getattr(tasks, words[1].removeprefix("civworld/"))
    for flag, value in itertools.pairwise(words):
        if flag == "-T":
            assert value.partition("=")[0] in inspect.signature(function).parameters, value
        if flag == "--solver":
            assert hasattr(tasks, value.removeprefix("civworld/")), value


def _make(words):
    rules = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert all(word in rules for word in words if "=" not in word), words


def _python(words):
    if words[0].endswith(".py"):
        code = (ROOT / words[0]).read_text(encoding="utf-8")
        unknown = [w for w in words[1:] if w.startswith("--") and f'"{w}"' not in code]
        assert not unknown, f"{words[0]} has no {unknown}"


def _pip(words):
    told = re.findall(r"\.\[([\w,]+)\]", " ".join(words))
    extras = (ROOT / "pyproject.toml").read_text(encoding="utf-8").split("[project.optional-dependencies]")[1]
    assert all(re.search(rf"^{name} = ", extras, re.MULTILINE) for group in told for name in group.split(",")), words


EXCERPTS = [b for b in BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")) if b[0] == "python"]


@pytest.mark.parametrize("code", [code for _, code in EXCERPTS], ids=lambda code: code.split("(")[0][:30])
def test_excerpts_in_contributing_are_python(code):
    ast.parse(code)


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda p: p.name)
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert "://" in target or (page.parent / target).exists(), f"{page.name}: {target}"
