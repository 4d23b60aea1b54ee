# SPDX-License-Identifier: GPL-2.0-or-later
"""A release: an experiment's query sets frozen in a folder that others evaluate on without building anything.

README.md, croissant.json     what this is, for people, `datasets` and machines
queries/SETTING-VARIANT.parquet   what a forecaster gets
sealed/SETTING/VARIANT/       the query folder with targets, ceilings and the references' answers, for
                              `civworld score --queries`; sealed/targets/ holds the targets as Parquet
answers/                      what models answered, with the records of their runs
browse/index.html             every question with prompt, answers, truth and scores, opens from disk
provenance.json               build, corpora, versions, counts
SHA256SUMS, LICENSE
"""

from __future__ import annotations

import json
import os
import shutil
from importlib import metadata
from pathlib import Path
from typing import Any

from civworld._engine import build_info
from civworld.civworldbench.asking.query import QuerySet
from civworld.civworldbench.folders import croissant, parquet, running, sets
from civworld.civworldbench.folders.answers import read_ran
from civworld.civworldbench.folders.croissant import LICENSE
from civworld.civworldbench.folders.experiment import DONE
from civworld.civworldbench.folders.lines import write_text
from civworld.civworldbench.folders.provenance import file_digest, of_queries
from civworld.civworldbench.reporting import browse
from civworld.civworldbench.reporting.counts import counts, to_markdown
from civworld.errors import ArgumentError

SUMS = "SHA256SUMS"
CARD = "README.md"


def release(experiment: str | os.PathLike[str], out: str | os.PathLike[str], *, name: str = "civworldbench") -> Path:
    """Write the release of an experiment's query sets.

    Args:
        experiment: folder that `civworld bench` wrote.
        out: folder to write; it must not exist or be empty.
        name: what the dataset is called.

    Raises:
        ArgumentError: the experiment holds no query set, or there is something in `out`.
    """
    source, where = Path(experiment), Path(out)
    folders = sorted(path.parent for path in source.glob(f"queries/*/*/{sets.QUERIES}") if path.parent.name[0] != ".")
    if not folders:
        raise ArgumentError(f"{source}: no query set is here; `civworld bench` makes them")
    if where.exists() and any(where.iterdir()):
        raise ArgumentError(f"{where}: there is something in it; a release is written to a new folder")
    (where / "queries").mkdir(parents=True)
    (where / "sealed" / "targets").mkdir(parents=True)
    found: dict[str, QuerySet] = {}
    for folder in folders:
        setting, variant = folder.parts[-2:]
        shutil.copytree(folder, where / "sealed" / setting / variant, ignore=shutil.ignore_patterns(DONE))
        found[f"{setting}-{variant}"] = queries = sets.load(folder)
        parquet.write_queries(queries, where / "queries" / f"{setting}-{variant}.parquet")
        parquet.write_targets(queries, where / "sealed" / "targets" / f"{setting}-{variant}.parquet")
    models = source / "tables" / running.ANSWERS
    if models.exists():
        shutil.copytree(models, where / "answers")
    _write_pages(where, name, found)
    about = {key: of_queries(where / "sealed" / Path(*_parts(key))) for key in found}
    write_text(where / "provenance.json", json.dumps(_provenance(name, found, about), indent=1) + "\n")
    write_text(where / CARD, _card(name, found))
    write_text(where / "LICENSE", _license())
    write_text(where / "croissant.json", json.dumps(croissant.metadata(name, where), indent=1) + "\n")
    write_text(where / SUMS, "".join(f"{file_digest(path)}  {path.relative_to(where)}\n" for path in _files(where)))
    return where


def _parts(key: str) -> tuple[str, str]:
    """Setting and variant of a set's name; settings may hold a hyphen, variants hold none."""
    setting, _, variant = key.rpartition("-")
    return setting, variant


def _write_pages(where: Path, name: str, found: dict[str, QuerySet]) -> None:
    """The pages, with the answers of references and of models."""
    models = sorted((where / "answers").glob("*.jsonl"))
    answers = {}
    for key, queries in found.items():
        beside = where / "sealed" / Path(*_parts(key)) / running.ANSWERS
        read = {path.stem: read_ran(path, queries) for path in (*sorted(beside.glob("*.jsonl")), *models)}
        answers[key] = {name: given for name, given in read.items() if given}
    for path, text in browse.pages(name, found, answers):
        (where / "browse" / path).parent.mkdir(parents=True, exist_ok=True)
        (where / "browse" / path).write_text(text, encoding="utf-8")


def check(folder: str | os.PathLike[str]) -> list[str]:
    """What is wrong with a release: files that are missing, changed or not listed. Empty when all is well."""
    where = Path(folder)
    lines = (where / SUMS).read_text(encoding="utf-8").splitlines()
    listed = {line[66:]: line[:64] for line in lines}
    there = {str(path.relative_to(where)): path for path in _files(where)}
    wrong = [f"{name} is missing" for name in listed if name not in there]
    wrong += [f"{name} is not listed" for name in there if name not in listed]
    return wrong + [
        f"{name} is changed" for name, path in there.items() if listed.get(name, file_digest(path)) != file_digest(path)
    ]


def _files(where: Path) -> list[Path]:
    return sorted(path for path in where.rglob("*") if path.is_file() and path.name != SUMS)


def _provenance(name: str, found: dict[str, QuerySet], about: dict[str, Any]) -> dict[str, Any]:
    """Where the release comes from; nothing in it depends on when or where it was written."""
    return {
        "name": name,
        "civworld": metadata.version("civworld"),
        "engine_build": build_info().build_id,
        "sets": {
            key: {"made_from": about[key], "counts": {task: vars(c) for task, c in counts(queries).items()}}
            for key, queries in found.items()
        },
    }


def _license() -> str:
    files = metadata.files("civworld") or []
    held = next((file for file in files if file.name == "LICENSE"), None)
    return held.read_text() if held is not None else f"SPDX-License-Identifier: {LICENSE}\n"


def _card(name: str, found: dict[str, QuerySet]) -> str:
    lines = ["---", f"pretty_name: {name}", "license: gpl-2.0", "task_categories:", "- time-series-forecasting"]
    lines += ["configs:", "- config_name: queries", "  data_files: queries/*.parquet"]
    for key in found:
        lines += [f"- config_name: {key}", f"  data_files: queries/{key}.parquet"]
    return "\n".join(
        [
            *lines,
            "---",
            "",
            f"# {name}",
            "",
            "Questions about worlds of Freeciv: forecasts of quantities and events, hidden traits and rules, and what",
            "edits change. Every target was recorded by the engine itself.",
            "",
            "`queries/` is what a forecaster gets: `id`, `prompt`, as JSON texts the `cells` asked and the `schema`",
            "of an answer. `sealed/` holds targets, ceilings and the references' answers: keep it from forecasters, as",
            "`browse/`, whose `index.html` shows every question with its answers, truth and scores.",
            "Answers are JSON lines with `id` and `answer`; scoring needs no engine:",
            "",
            "```sh",
            "civworld score my-model.jsonl --queries sealed/SETTING/VARIANT",
            "```",
            "",
            to_markdown(found).rstrip(),
            "",
            f"`provenance.json` tells versions and build, `{SUMS}` the checksums. License: {LICENSE}.",
            "",
        ]
    )
