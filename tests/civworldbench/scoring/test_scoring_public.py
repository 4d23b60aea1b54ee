# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of public names: documented in full, examples that run, nothing imported but numpy and errors."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
import sys
from pathlib import Path

import pytest

from civworld.civworldbench import scoring

SECTIONS = ("Formula", "Range", "Orientation", "Properness", "Reference")
# functions that prepare or combine columns: they have no better direction and no properness
NOT_SCORES = {
    "ensemble_quantiles",
    "expected_effect",
    "group_means",
    "leave_one_out",
    "leave_one_out_mean",
    "leave_one_out_quantiles",
    "mean_score",
    "penalised_effect",
    "predicted_effect",
    "realized_effect",
    "signed_log",
}
MODULES = [
    importlib.import_module(f"civworld.civworldbench.scoring.{m.name}") for m in pkgutil.iter_modules(scoring.__path__)
]
FUNCTIONS = [name for name in scoring.__all__ if inspect.isfunction(getattr(scoring, name))]
CLASSES = [name for name in scoring.__all__ if inspect.isclass(getattr(scoring, name))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstring_says_what_a_reader_needs(name):
    text = inspect.getdoc(getattr(scoring, name))
    wanted = {"Formula", "Range", "Reference"} if name in NOT_SCORES else set(SECTIONS)
    found = {section for section in SECTIONS if re.search(rf"^{section}: \S", text, re.MULTILINE)}
    assert found == wanted
    assert re.search(r"^Args:\n", text, re.MULTILINE)
    assert re.search(r"^Returns:\n", text, re.MULTILINE)
    (example,) = doctest.DocTestParser().get_doctest(text, {}, name, None, None).examples[-1:]
    assert re.search(r"\d", example.want) or example.want == "True\n", "the example ends without a number"


@pytest.mark.parametrize("name", CLASSES)
def test_results_are_documented(name):
    cls = getattr(scoring, name)
    text = inspect.getdoc(cls)
    for member in getattr(cls, "__dataclass_fields__", None) or [kind.name for kind in cls]:
        assert f"{member}:" in text


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__)
def test_examples_give_the_numbers_they_show(module):
    result = doctest.testmod(module)
    assert result.failed == 0
    public = [n for n in FUNCTIONS if getattr(scoring, n).__module__ == module.__name__]
    assert result.attempted >= len(public)


def test_every_public_function_is_in_the_table():
    listed = set(scoring.__all__)
    assert scoring.__all__ == sorted(listed, key=lambda n: (not n.isupper(), n[0].islower(), n))
    helpers = {"cell_scale"}  # shared by two modules, not for callers
    for module in MODULES:
        if module.__name__.rpartition(".")[2].startswith("_"):
            continue
        for name, value in vars(module).items():
            own = inspect.isfunction(value) and value.__module__ == module.__name__
            if own and not name.startswith("_") and name not in helpers:
                assert name in listed, f"{module.__name__}.{name}"


def test_only_numpy_and_errors_are_imported():
    for path in Path(scoring.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module]
            for name in names:
                top = name.partition(".")[0]
                ours = name == "civworld.errors" or name.startswith("civworld.civworldbench.scoring")
                assert ours or top in {"numpy", *sys.stdlib_module_names}, f"{path.name}: {name}"


def test_no_word_of_the_game():
    words = re.compile(r"freeciv|civili[sz]|treasury|shields|gold\b|diploma|\bcity|cities\b|\bwar\b", re.I)
    for path in Path(scoring.__file__).parent.glob("*.py"):
        assert not words.search(path.read_text()), path.name
