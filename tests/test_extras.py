# SPDX-License-Identifier: GPL-2.0-or-later
"""Where an extra is missing, one sentence names it: in an environment that holds the core alone."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

import bare
from civworld.errors import MissingExtra
from civworld.extras import EXTRAS, needs

ROOT = Path(__file__).resolve().parents[1]
VIEW = "import civworld; view = civworld.World(civworld.WorldConfig(seed=7, players=2, map_size=1)).state()\n"
TRIAL = (
    "import civworld\nfrom civworld import arms\n"
    "start = civworld.World(civworld.WorldConfig(seed=7, players=2, map_size=1)).advance(4).checkpoint()\n"
    "trial = arms.run(start, 'trait_shift', 1)\n"
)
COMMAND = "from civworld.cli import main\nimport sys\nsys.exit(main(sys.argv[1:]))"

# what a user does -> the extra that it needs
WANTED = {
    "import civworld.corpus": "data",
    VIEW + "civworld.report.save_map('map.png', view)": "plot",
    TRIAL + "arms.plot(trial)": "plot",
    "from civworld.integrations import inspect_tasks": "eval",
    "from civworld.integrations import inspect_civworldbench": "eval",
    "from civworld.integrations import inspect_deduction": "eval",
    "from civworld.integrations import inspect_maintenance": "eval",
}
COMMANDS = {
    ("corpus", "build", "--suite", "tiny", "--out", "corpus"): "data",
    ("corpus", "verify", "corpus"): "data",
    ("show", "corpus", "tiny-000"): "data",
    ("queries", "corpus", "--out", "queries"): "data",
    ("score", "answers.jsonl", "--queries", "queries"): "data",
}


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    return bare.environment(tmp_path_factory.mktemp("core") / "venv")


def test_the_environment_holds_the_core_and_no_extra(python):
    names = sorted(module for modules in EXTRAS.values() for module in modules)
    found = bare.run(python, f"import importlib.util as u; print([n for n in {names} if u.find_spec(n)])")
    assert found.stdout.strip() == "[]", found.stdout + found.stderr
    assert bare.run(python, VIEW + "print(view.turn)").stdout == "1\n"


@pytest.mark.parametrize("code", WANTED)
def test_a_missing_extra_is_one_sentence(python, code, tmp_path):
    done = bare.run(python, code)
    assert done.returncode != 0
    last = done.stderr.splitlines()[-1]
    assert last.startswith("civworld.errors.MissingExtra: ") and f"pip install '.[{WANTED[code]}]'" in last, done.stderr
    assert done.stderr.count("Traceback") == 1, "no chain of tracebacks\n" + done.stderr


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_command_without_its_extra_says_one_line(python, command):
    done = bare.run(python, COMMAND, *command)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.count("\n") == 1 and f"pip install '.[{COMMANDS[command]}]'" in done.stderr, done.stderr


def test_ray_is_named_where_it_is_missing(tmp_path):
    python = bare.environment(tmp_path / "venv", "pyarrow")
    done = bare.run(python, "from civworld.corpus import runner; runner('ray')")
    assert done.stderr.splitlines()[-1].endswith("pip install '.[ray]' in civworld's source folder"), done.stderr


def test_the_table_of_extras_is_that_of_pyproject():
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert set(EXTRAS) <= set(told)
    for extra, modules in EXTRAS.items():
        brought = [re.match(r"[\w-]+", line)[0] for line in told[extra]]
        assert set(modules.values()) <= set(brought), f"{extra} brings {brought}"


def test_only_what_the_extra_brings_is_blamed_on_it():
    with pytest.raises(ModuleNotFoundError) as caught, needs("plot", "a test"):
        import no_such_module  # noqa: F401
    assert not isinstance(caught.value, MissingExtra)
    with pytest.raises(MissingExtra, match="a test needs matplotlib"), needs("plot", "a test"):
        raise ModuleNotFoundError("gone", name="matplotlib.figure")


def inside_needs(tree: ast.Module) -> set[int]:
    """Lines of the bodies of `with needs(...)`."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.With) and "needs(" in ast.unparse(node.items[0]):
            lines |= set(range(node.lineno, node.end_lineno + 1))
    return lines


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.name)
def test_examples_import_extras_through_the_sentence(path):
    modules = {module for extra in EXTRAS.values() for module in extra}
    tree = ast.parse(path.read_text(encoding="utf-8"))
    told = inside_needs(tree)
    for node in ast.walk(tree):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        assert not {n.partition(".")[0] for n in names} & modules or node.lineno in told, f"line {node.lineno}"


@pytest.mark.parametrize("folder", ["README.md", "CONTRIBUTING.md", "docs", "src", "examples", "benchmarks"])
def test_no_command_installs_from_a_registry_that_does_not_hold_the_package(folder):
    where = ROOT / folder
    paths = [where] if where.is_file() else [p for p in where.rglob("*") if p.suffix in {".md", ".py", ".html"}]
    for path in paths:
        told = re.search(r"pip install ['\"]?civworld(?![-\w]*\.whl)", path.read_text(encoding="utf-8"))
        assert not told, f"{path}: {told[0]}"
